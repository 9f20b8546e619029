/* cpu_copy.c: one-dimensional copies.
 *
 * Every device address is checked against the allocation map before anything is queued. Pinned and
 * registered host memory is used when the operation is executed. Any other host memory belongs to
 * the program alone, which may free it as soon as the call returns. So such memory is never used
 * later: a small source is copied to a staging buffer first, and for a large source or a
 * destination the call waits until the copy is complete. libcuda does the same. In a capture,
 * memory of any kind is used whenever the graph is launched. */
#include "cpu_copy.h"

#include <string.h>

#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_fault.h"
#include "cpu_map.h"
#include "cpu_enter.h"
#include "cpu_print.h"

enum { STAGE_BYTES = 64 * 1024 };

cu_result cpu_copy_finish (cpu_stream *s, uint64_t seq) {
  cpu_wait(s, seq);
  cpu_print_flush();
  return cpu_fault_take(s, seq);
}

/* The host memory that a copy uses. */
typedef enum host_side {
  HOST_NONE,
  HOST_KNOWN,  /* pinned or registered */
  HOST_READ,   /* any other, as the source */
  HOST_WRITTEN /* any other, as the destination */
} host_side;

static void run_copy (cpu_stream *s, cpu_op *op) {
  (void)s;
  cpu_block_copy(op->copy.dst, op->copy.src, op->copy.n);
  memmove(op->copy.dst, op->copy.src, op->copy.n);
}

static int type_of (uint64_t address) {
  cpu_facts f;
  bool device = cpu_block_facts(address, &f)
                  ? f.kind != CPU_MEM_PINNED && f.kind != CPU_MEM_REGISTERED
                  : cpu_block_holds(address, 1, true);
  return device ? CU_MEMTYPE_DEVICE : CU_MEMTYPE_HOST;
}

/* Records the copy as one with three dimensions, the form that nodes have. */
static cu_result record_copy (const char *call, cpu_stream *s, void *dst, const void *src,
                              size_t n) {
  cu_copy3d c = {
    .src_type = type_of((uintptr_t)src),
    .src_host = src,
    .src_device = (uintptr_t)src,
    .src_pitch = n,
    .dst_type = type_of((uintptr_t)dst),
    .dst_host = dst,
    .dst_device = (uintptr_t)dst,
    .dst_pitch = n,
    .width = n,
    .height = 1,
    .depth = 1,
  };
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_copy);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  cu_result r = cpu_copy_describe(call, &c, true, op);
  if (r == 0) return cpu_capture_op(s, CU_NODE_MEMCPY, op, &c);
  cpu_op_discard(op);
  return r;
}

static cu_result queue_copy (const char *call, cpu_stream *s, void *dst, const void *src, size_t n,
                             host_side host) {
  if (cpu_capturing(s)) return record_copy(call, s, dst, src, n);
  cpu_op *op = cpu_op_new(CPU_OP_PLAIN, run_copy);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->copy.dst = dst;
  op->copy.src = src;
  op->copy.n = n;
  /* On an idle stream cpu_wait copies immediately, without a staging buffer. */
  bool idle = host == HOST_READ && n <= CPU_QUICK_BYTES && cpu_stream_idle(s);
  if (host == HOST_READ && !idle && n <= STAGE_BYTES && (op->memory = lcu_alloc(n)) != NULL) {
    op->copy.src = memcpy(op->memory, src, n);
    cpu_submit(s, op, CPU_QUICK);
    return 0;
  }
  if (host == HOST_NONE || host == HOST_KNOWN) {
    cpu_submit(s, op, cpu_copy_how(n));
    return 0;
  }
  uint64_t seq = cpu_submit(s, op, CPU_SYNC);
  if (host == HOST_WRITTEN) return cpu_copy_finish(s, seq);
  cpu_wait(s, seq);
  return 0;
}

static host_side side_of (const void *host, size_t n, host_side if_unknown) {
  return cpu_block_holds((uintptr_t)host, n, false) ? HOST_KNOWN : if_unknown;
}

cu_result cpu_cuMemcpyHtoDAsync (cu_deviceptr dst, const void *src, size_t n, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || n == 0) return r;
  if (src == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_check_use("cuMemcpyHtoDAsync", dst, n, cpu_capturing(s));
  if (r != 0) return r;
  return queue_copy("cuMemcpyHtoDAsync", s, (void *)(uintptr_t)dst, src, n,
                    side_of(src, n, HOST_READ));
}

cu_result cpu_cuMemcpyDtoHAsync (void *dst, cu_deviceptr src, size_t n, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || n == 0) return r;
  if (dst == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_check_use("cuMemcpyDtoHAsync", src, n, cpu_capturing(s));
  if (r != 0) return r;
  return queue_copy("cuMemcpyDtoHAsync", s, dst, (const void *)(uintptr_t)src, n,
                    side_of(dst, n, HOST_WRITTEN));
}

static cu_result device_copy (const char *call, cu_deviceptr dst, cu_deviceptr src, size_t n,
                              cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || n == 0) return r;
  r = cpu_check_use(call, dst, n, cpu_capturing(s));
  if (r == 0) r = cpu_check_use(call, src, n, cpu_capturing(s));
  if (r != 0) return r;
  return queue_copy(call, s, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, n, HOST_NONE);
}

cu_result cpu_cuMemcpyDtoDAsync (cu_deviceptr dst, cu_deviceptr src, size_t n, cu_stream s) {
  return device_copy("cuMemcpyDtoDAsync", dst, src, n, s);
}

cu_result cpu_cuMemcpyPeerAsync (cu_deviceptr dst, cu_context dst_ctx, cu_deviceptr src,
                                 cu_context src_ctx, size_t n, cu_stream handle) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r != 0) return r;
  if (!cpu_context_is(dst_ctx) || !cpu_context_is(src_ctx)) return CU_ERR_INVALID_CONTEXT;
  return device_copy("cuMemcpyPeerAsync", dst, src, n, handle);
}

/* Either side may be any memory. An address that is not in the map is host memory of the
 * program. */
cu_result cpu_cuMemcpyAsync (cu_deviceptr dst, cu_deviceptr src, size_t n, cu_stream handle) {
  ptx_range d, f;
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r != 0 || n == 0) return r;
  if (dst == 0 || src == 0) return CU_ERR_INVALID_VALUE;
  bool known_dst = cpu_block_find(dst, &d) && dst - d.base < d.size,
       known_src = cpu_block_find(src, &f) && src - f.base < f.size;
  if (known_dst) r = cpu_check_use("cuMemcpyAsync", dst, n, cpu_capturing(s));
  if (r == 0 && known_src) r = cpu_check_use("cuMemcpyAsync", src, n, cpu_capturing(s));
  if (r != 0) return r;
  return queue_copy("cuMemcpyAsync", s, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, n,
                    !known_dst   ? HOST_WRITTEN
                    : !known_src ? HOST_READ
                                 : HOST_NONE);
}
