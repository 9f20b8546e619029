/* lcul_strides.h: where the elements of an array are: strides, gaps, extents. No block is
 * touched. */
#ifndef LCUL_STRIDES_H
#define LCUL_STRIDES_H

#include "lcul_array.h"

/* C-order strides; returns the number of elements. */
int64_t lcul_strides_rows (const lcu_dtype *t, int ndim, const int64_t *shape, int64_t *strides);

/* C-order strides, size and contiguous from shape and dtype */
void lcul_array_set_rows (lcul_array *a);

void lcul_array_measure (lcul_array *a); /* size and contiguous from shape and strides */

/* The bytes that the elements span, from the block's start: [*first, *last). Empty arrays: both
 * 0. */
void lcul_array_extent (const lcul_array *a, int64_t *first, int64_t *last);

bool lcul_array_is_broadcast (const lcul_array *a); /* several positions share an element */

/* Strides of `a` for `shape`, or false when it does not broadcast to it. */
bool lcul_array_broadcast_strides (const lcul_array *a, int ndim, const int64_t *shape,
                                   int64_t *strides);

#endif
