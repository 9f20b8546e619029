/* lcul_convert.c: conversion of elements in host memory: nested loops over the axes. */
#include "lcul_convert.h"

#include <string.h>

#include "lcul_shape.h"

typedef struct nest {
  int ndim;
  int64_t shape[LCUL_MAX_DIMS], ds[LCUL_MAX_DIMS], ss[LCUL_MAX_DIMS];
} nest;

/* Drops axes of one element and merges neighboring axes that are contiguous in both. */
static void nest_make (nest *n, int ndim, const int64_t *shape, const int64_t *ds,
                       const int64_t *ss) {
  n->ndim = 0;
  for (int i = 0; i < ndim; i++) {
    if (shape[i] == 1) continue;
    int last = n->ndim - 1;
    if (last >= 0 && n->ds[last] == ds[i] * shape[i] && n->ss[last] == ss[i] * shape[i]) {
      n->shape[last] *= shape[i];
    } else {
      last = n->ndim++;
      n->shape[last] = shape[i];
    }
    n->ds[last] = ds[i];
    n->ss[last] = ss[i];
  }
}

/* Sorts the axes so that the destination is densest along the last one. */
static void nest_sort (nest *n) {
  for (int i = 1; i < n->ndim; i++)
    for (int j = i; j > 0; j--) {
      int64_t a = n->ds[j - 1] < 0 ? -n->ds[j - 1] : n->ds[j - 1],
              b = n->ds[j] < 0 ? -n->ds[j] : n->ds[j];
      if (a >= b) break;
      int64_t t;
      t = n->shape[j];
      n->shape[j] = n->shape[j - 1];
      n->shape[j - 1] = t;
      t = n->ds[j];
      n->ds[j] = n->ds[j - 1];
      n->ds[j - 1] = t;
      t = n->ss[j];
      n->ss[j] = n->ss[j - 1];
      n->ss[j - 1] = t;
    }
}

/* Structs are copied as bytes. */
static void copy_structs (size_t size, char *dst, int64_t ds, const char *src, int64_t ss,
                          int64_t n) {
  for (int64_t i = 0; i < n; i++) memmove(dst + i * ds, src + i * ss, size);
}

static void convert_run (const lcu_dtype *dt, char *dst, int64_t ds, const lcu_dtype *st,
                         const char *src, int64_t ss, int64_t n) {
  if (dt->kind == LCU_KIND_STRUCT) copy_structs(dt->size, dst, ds, src, ss, n);
  else lcu_dtype_convert(dt, dst, ds, st, src, ss, (size_t)n);
}

static void run_axis (const nest *n, int axis, const lcu_dtype *dt, char *dst, const lcu_dtype *st,
                      const char *src) {
  if (axis + 1 >= n->ndim) {
    bool one = n->ndim == 0;
    convert_run(dt, dst, one ? dt->size : n->ds[axis], st, src, one ? st->size : n->ss[axis],
                one ? 1 : n->shape[axis]);
    return;
  }
  for (int64_t i = 0; i < n->shape[axis]; i++)
    run_axis(n, axis + 1, dt, dst + i * n->ds[axis], st, src + i * n->ss[axis]);
}

void lcul_convert_host (const lcu_dtype *dt, char *dst, const int64_t *ds, const lcu_dtype *st,
                        const char *src, const int64_t *ss, int ndim, const int64_t *shape) {
  nest n;
  for (int i = 0; i < ndim; i++)
    if (shape[i] == 0) return;
  nest_make(&n, ndim, shape, ds, ss);
  nest_sort(&n);
  run_axis(&n, 0, dt, dst, st, src);
}
