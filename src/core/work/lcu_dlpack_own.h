/* lcu_dlpack_own.h: the tensors that this library made, for the files that implement DLPack. */
#ifndef LCU_DLPACK_OWN_H
#define LCU_DLPACK_OWN_H

#include "lcu_dlpack.h"

/* The context of an exported tensor. */
typedef struct lcu_dl_exported {
  union {
    lcu_dl_old old;
    lcu_dl_versioned versioned;
  } tensor;
  lcu_block *block;
  lcu_stream *stream; /* of the consumer's work; NULL for host memory */
  lcu_dl_keep keep;
  int64_t numbers[2 * LCU_VIEW_DIMS]; /* shape, strides */
} lcu_dl_exported;

/* Their deleters, by which they are recognized. */
void lcu_dlpack_delete_old (lcu_dl_old *self);
void lcu_dlpack_delete_versioned (lcu_dl_versioned *self);

#endif
