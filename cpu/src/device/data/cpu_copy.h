/* cpu_copy.h: what copies and fills share. */
#ifndef CPU_COPY_H
#define CPU_COPY_H

#include "cpu_worker.h"

enum { CPU_QUICK_BYTES = 64 * 1024 };

/* The submitter executes a short copy or fill itself. */
static inline cpu_how cpu_copy_how (size_t bytes) {
  return bytes <= CPU_QUICK_BYTES ? CPU_QUICK : CPU_ASYNC;
}

/* Checks a copy that is not empty, or a fill, and fills its operation. `later`: it becomes a
 * node. */
cu_result cpu_copy_describe (const char *call, const cu_copy3d *c, bool later, cpu_op *op);
cu_result cpu_fill_describe (const char *call, const cu_memset_node *m, bool later, cpu_op *op);

/* Waits for the operation just queued and returns a fault that happened before it, as any
 * synchronizing call does. */
cu_result cpu_copy_finish (cpu_stream *s, uint64_t seq);

/* *out = a * b + c; false when that overflows. */
static inline bool cpu_multiply_add (size_t a, size_t b, size_t c, size_t *out) {
  size_t m;
  return !__builtin_mul_overflow(a, b, &m) && !__builtin_add_overflow(m, c, out);
}

#endif
