/* lcul_scalar_text.c: elements as text. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lcul_scalar.h"

/* The number of digits to start with: those that every element of the dtype holds. */
static int sure_digits (const lcu_dtype *t) { return t->mantissa * 301 / 1000; }

static int float_text (const lcu_dtype *t, double d, char *buf, size_t size) {
  if (isnan(d)) return snprintf(buf, size, "nan");
  if (isinf(d)) return snprintf(buf, size, d < 0 ? "-inf" : "inf");
  if (d == floor(d) && fabs(d) < 1e7) return snprintf(buf, size, "%.0f", d);
  int n = 0;
  for (int digits = sure_digits(t); digits <= 17; digits++) {
    n = snprintf(buf, size, "%.*g", digits, d);
    if (lcu_dtype_rounded(t, strtod(buf, NULL)) == lcu_dtype_rounded(t, d)) break;
  }
  return n;
}

static int complex_text (const lcu_dtype *t, double re, double im, char *buf, size_t size) {
  char r[40], i[40];
  float_text(t, re, r, sizeof r);
  float_text(t, im, i, sizeof i);
  return snprintf(buf, size, "%s%s%si", r, i[0] == '-' ? "" : "+", i);
}

int lcul_scalar_value_text (const lcu_dtype *t, const lcu_scalar *v, char *buf, size_t size) {
  switch (t->kind) {
    case LCU_KIND_BOOL: return snprintf(buf, size, v->i ? "true" : "false");
    case LCU_KIND_INT: return snprintf(buf, size, "%" PRId64, v->i);
    case LCU_KIND_UINT: return snprintf(buf, size, "%" PRIu64, (uint64_t)v->i);
    case LCU_KIND_FLOAT: return float_text(t, v->d, buf, size);
    default: return complex_text(t, v->d, v->im, buf, size);
  }
}

int lcul_scalar_text (const lcu_dtype *t, const void *p, char *buf, size_t size) {
  lcu_scalar v;
  if (t->kind == LCU_KIND_STRUCT) return snprintf(buf, size, "{...}");
  lcu_dtype_load(t, p, &v);
  return lcul_scalar_value_text(t, &v, buf, size);
}
