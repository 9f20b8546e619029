/* lcul_elementwise_pack.h: the parameters of a launch, as elementwise kernels and reductions
 * declare them: those of the declaration in its order, then those that the caller adds. */
#ifndef LCUL_ELEMENTWISE_PACK_H
#define LCUL_ELEMENTWISE_PACK_H

#include <string.h>

#include "lcul_elementwise.h"
#include "lcul_scalar.h"

/* of a pointer or a scalar, of a raw array */
enum { LCUL_EW_SLOT = 16, LCUL_EW_RAW_BYTES = 16 + 16 * LCUL_MAX_DIMS };

typedef struct lcul_ewparams {
  size_t n, at;
  void *params[LCUL_MOST_PARAMS + 2];
  _Alignas(16) unsigned char room[LCUL_MOST_PARAMS * LCUL_EW_RAW_BYTES];
} lcul_ewparams;

static inline void *lcul_ew_add_param (lcul_ewparams *p, size_t bytes) {
  void *at = p->room + p->at;
  p->params[p->n++] = at;
  p->at += (bytes + 15) / 16 * 16;
  return at;
}

static inline void lcul_ew_add_scalar (lcul_ewcall *c, lcul_ewparams *p, int i) {
  const lcu_dtype *t = c->types->dtypes[i];
  lcu_scalar v;
  char why[256];
  lcul_fit fit = lcul_scalar_get(c->L, c->first + i, t, &v);
  if (lcu_unlikely(fit != LCUL_FITS))
    lcul_ew_misfit(c, i, lcul_scalar_why(c->L, c->first + i, t, fit, why, sizeof why));
  lcu_dtype_store(t, lcul_ew_add_param(p, LCUL_EW_SLOT), &v);
}

/* The number of axes that the parameter of a raw array describes. */
static inline int lcul_ew_raw_axes (const lcul_elementwise *e, const lcul_array *a) {
  return a->contiguous && !e->shaped ? 0 : a->ndim;
}

static inline void lcul_ew_add_raw (lcul_ewparams *p, const lcul_array *a, uint64_t address,
                                    int axes) {
  int64_t *v = lcul_ew_add_param(p, LCUL_EW_RAW_BYTES);
  v[0] = (int64_t)address;
  v[1] = a->size;
  memcpy(v + 2, a->shape, (size_t)axes * sizeof v[0]);
  memcpy(v + 2 + axes, a->strides, (size_t)axes * sizeof v[0]);
}

static inline void lcul_ew_pack (lcul_ewcall *c, lcul_ewparams *p, const uint64_t *addresses) {
  const lcul_elementwise *e = c->e;
  p->n = p->at = 0;
  for (int i = 0; i < e->num; i++) {
    const lcul_array *a = c->arrays[i];
    if (a == NULL && lcu_likely(e->handles[i] == '\0')) lcul_ew_add_scalar(c, p, i);
    else if (a != NULL && e->raw[i]) lcul_ew_add_raw(p, a, addresses[i], lcul_ew_raw_axes(e, a));
    else memcpy(lcul_ew_add_param(p, LCUL_EW_SLOT), &addresses[i], sizeof addresses[i]);
  }
}

#endif
