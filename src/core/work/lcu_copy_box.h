/* lcu_copy_box.h: copies of rows and slices: from and to CUDA arrays, and with gaps. */
#ifndef LCU_COPY_BOX_H
#define LCU_COPY_BOX_H

#include "lcu_copy.h"

typedef struct lcu_box_side {
  lcu_block *block;
  cu_array array;       /* NULL: linear memory */
  size_t x, y, z;       /* of a CUDA array: bytes, rows, slices */
  size_t offset;        /* of linear memory: bytes from the block's start to the box */
  size_t pitch, height; /* of linear memory: bytes from row to row, rows from slice to slice */
} lcu_box_side;

typedef struct lcu_box {
  lcu_box_side dst, src;
  size_t width, height, depth; /* bytes, rows, slices */
} lcu_box;

/* The device that makes the copy: that of a CUDA array, else that of a side with separate
 * memory. */
lcu_device *lcu_box_device (const lcu_box *c);
/* Can one copy of the driver do it? Not between two devices with separate memory. */
bool lcu_box_is_direct (const lcu_box *c);
/* Will lcu_copy_box wait? It does for host memory that is not registered with the driver. */
bool lcu_box_waits (const lcu_box *c);
/* `s`: a stream of lcu_box_device. Host memory that it waits for may be
 * changed when it returns, and has been filled. */
lcu_status lcu_copy_box (const lcu_box *c, lcu_stream *s);

#endif
