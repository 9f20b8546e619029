/* lcu_copy.h: copies and fills. */
#ifndef LCU_COPY_H
#define LCU_COPY_H

#include "lcu_scope.h"
#include "lcu_work.h"

/* Sizes are checked by the caller. Host memory not owned by a block:
 * `lcu_copy_in` reads it before returning (staged), `lcu_copy_out` waits until it is filled. */
lcu_status lcu_copy_in (lcu_block *dst, size_t offset, const void *src, size_t n, lcu_stream *s);
lcu_status lcu_copy_out (void *dst, lcu_block *src, size_t offset, size_t n, lcu_stream *s);
/* Block to block, any devices and memories; asynchronous where the hardware allows. */
lcu_status lcu_copy (lcu_block *dst, size_t dst_offset, lcu_block *src, size_t src_offset, size_t n,
                     lcu_stream *s);
/* Fills n elements of `width` 1, 2, 4, 8 or 16 bytes. */
lcu_status lcu_fill (lcu_block *dst, size_t offset, const void *value, size_t width, size_t n,
                     lcu_stream *s);


/* ---- for both ---- */

/* Enters the device of `s` and begins work. */
lcu_status lcu_copy_begin (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n);
/* Ends what lcu_copy_begin began; returns `st`. What was queued before a failure is marked, too. */
lcu_status lcu_copy_end (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n,
                         lcu_status st);
/* The stream for work on a block: `s` where that is one of its device. */
lcu_stream *lcu_copy_stream (const lcu_block *b, lcu_stream *s);

#endif
