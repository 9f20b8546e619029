/* lcu_axes.h: the axes of operands that are walked together: extents, and strides of each. */
#ifndef LCU_AXES_H
#define LCU_AXES_H

#include "lcu_layout.h"

enum { LCU_MOST_ACCESS = 16 }; /* bytes: the hardware's limit */

#define LCU_FIRST_WIDE ((uint64_t)1 << 31) /* first count that needs 64-bit indices */

typedef struct lcu_axes {
  int64_t *dims;
  lcu_operand *operands;
  int num; /* of operands */
} lcu_axes;

static inline uint64_t lcu_magnitude (int64_t v) { return v < 0 ? 0 - (uint64_t)v : (uint64_t)v; }

static inline void lcu_axes_move (lcu_axes x, int to, int from) {
  x.dims[to] = x.dims[from];
  for (int j = 0; j < x.num; j++) x.operands[j].strides[to] = x.operands[j].strides[from];
}

static inline void lcu_axes_swap (lcu_axes x, int a, int b) {
  int64_t t = x.dims[a];
  x.dims[a] = x.dims[b];
  x.dims[b] = t;
  for (int j = 0; j < x.num; j++) {
    int64_t *s = x.operands[j].strides;
    t = s[a];
    s[a] = s[b];
    s[b] = t;
  }
}

/* Insertion sort of n axes from `first` on, the longest strides of the operand first: there are few
 * axes, usually in order already. */
static inline void lcu_axes_sort (lcu_axes x, const lcu_operand *lead, int first, int n) {
  const int64_t *s = lead->strides;
  for (int i = first + 1; i < first + n; i++)
    for (int d = i; d > first && lcu_magnitude(s[d - 1]) < lcu_magnitude(s[d]); d--)
      lcu_axes_swap(x, d - 1, d);
}

/* Are the two one axis to every operand? */
static inline bool lcu_axes_continue (lcu_axes x, int outer, int inner) {
  for (int j = 0; j < x.num; j++) {
    const int64_t *s = x.operands[j].strides;
    if (s[outer] != s[inner] * x.dims[inner]) return false;
  }
  return true;
}

/* Merges n axes from `first` on, and moves them to `to`; returns how many remain. */
static inline int lcu_axes_merge (lcu_axes x, int to, int first, int n) {
  int last = to;
  if (n == 0) return 0;
  lcu_axes_move(x, to, first);
  for (int d = first + 1; d < first + n; d++) {
    if (lcu_axes_continue(x, last, d)) {
      int64_t both = x.dims[last] * x.dims[d];
      lcu_axes_move(x, last, d);
      x.dims[last] = both;
    } else lcu_axes_move(x, ++last, d);
  }
  return last - to + 1;
}

#endif
