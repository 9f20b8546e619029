/* lcu_copy.h: copies and fills. */
#ifndef LCU_COPY_H
#define LCU_COPY_H

#include "lcu_scope.h"
#include "lcu_work.h"

/* The caller checks sizes. Host memory without a block: `lcu_copy_in` has read it when it returns,
 * `lcu_copy_out` has filled it. */
lcu_status lcu_copy_in (lcu_block *dst, size_t offset, const void *src, size_t n, lcu_stream *s);
lcu_status lcu_copy_out (void *dst, lcu_block *src, size_t offset, size_t n, lcu_stream *s);
/* From block to block, of any devices and kinds of memory; asynchronous where the hardware
 * allows. */
lcu_status lcu_copy (lcu_block *dst, size_t dst_offset, lcu_block *src, size_t src_offset, size_t n,
                     lcu_stream *s);
/* Fills n elements of `width` 1, 2, 4, 8 or 16 bytes. */
lcu_status lcu_fill (lcu_block *dst, size_t offset, const void *value, size_t width, size_t n,
                     lcu_stream *s);


/* ---- for copies and fills ---- */

/* Enters the device of `s` and begins work. */
lcu_status lcu_copy_begin (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n);
/* Ends the work and leaves the device; returns `st`. Work queued before a failure is marked as
 * well. */
lcu_status lcu_copy_end (lcu_stream *s, lcu_scope *scope, const lcu_use *uses, size_t n,
                         lcu_status st);
/* The stream for work on a block: `s` if it belongs to the block's device, else the null stream. */
lcu_stream *lcu_copy_stream (const lcu_block *b, lcu_stream *s);

#endif
