/* ptx_sparse.h: the matrix a of mma.sp (9.7.14.6), of which half the elements are stored. */
#ifndef PTX_SPARSE_H
#define PTX_SPARSE_H

#include "ptx_tensor.h"

/* Turns the planes (ptx_planes.h) of the stored elements into those of the whole matrix, in place.
 * f: of the stored elements; it becomes that of the whole matrix. */
void ptx_sparse_expand (float *planes, const ptx_tensor *t, ptx_fragment_form *f,
                        const uint8_t *metadata, const uint8_t *selector);

/* How many sparsity selectors there are: a selector names the lanes of a group that hold the
 * metadata, one, two or all four of them. */
int64_t ptx_sparse_selectors (const ptx_tensor *t);

#endif
