/* cpu_word.c: entry points that let a stream write a word of memory, or wait for one. */
#include <stdatomic.h>
#include <time.h>

#include "cpu_capture.h"
#include "cpu_driver.h"
#include "cpu_map.h"
#include "cpu_worker.h"

static uint64_t read_word (uint64_t address, unsigned bytes) {
  if (bytes == 8) return atomic_load((_Atomic uint64_t *)(uintptr_t)address);
  return atomic_load((_Atomic uint32_t *)(uintptr_t)address);
}

static void run_write (cpu_stream *s, cpu_op *op) {
  (void)s;
  void *p = (void *)(uintptr_t)op->word.address;
  if (op->word.bytes == 8) atomic_store((_Atomic uint64_t *)p, op->word.value);
  else atomic_store((_Atomic uint32_t *)p, (uint32_t)op->word.value);
  cpu_block_write(p, op->word.bytes);
}

/* Differences wrap around. */
static bool is_met (const cpu_op *op) {
  uint64_t word = read_word(op->word.address, op->word.bytes), value = op->word.value;
  bool wide = op->word.bytes == 8;
  switch (op->word.how) {
    case CU_WAIT_GEQ:
      return wide ? (int64_t)(word - value) >= 0 : (int32_t)(uint32_t)(word - value) >= 0;
    case CU_WAIT_EQ: return word == value;
    case CU_WAIT_AND: return (word & value) != 0;
    default: return wide ? ~(word | value) != 0 : (uint32_t)~(word | value) != 0;
  }
}

/* A worker waits, as in a host function. */
static void run_wait (cpu_stream *s, cpu_op *op) {
  (void)s;
  for (long pause_ns = 1000; !is_met(op); pause_ns += pause_ns < 500000 ? pause_ns : 0)
    nanosleep(&(struct timespec){ .tv_nsec = pause_ns }, NULL);
}

static cu_result check (const char *call, cu_deviceptr p, unsigned bytes) {
  return p % bytes != 0 ? CU_ERR_INVALID_VALUE : cpu_check_range(call, p, bytes);
}

static cu_result queue (const char *call, cu_stream handle, cpu_op_kind kind, cpu_op_fn *run,
                        cu_deviceptr p, uint64_t value, unsigned bytes, unsigned how) {
  cpu_stream *s;
  cu_result r = cpu_stream_enter(handle, &s);
  if (r == 0) r = cpu_capture_forbid(s);
  if (r == 0) r = check(call, p, bytes);
  if (r != 0) return r;
  cpu_op *op = cpu_op_new(kind, run);
  if (op == NULL) return CU_ERR_OUT_OF_MEMORY;
  op->word.address = p;
  op->word.value = bytes == 8 ? value : (uint32_t)value;
  op->word.bytes = bytes;
  op->word.how = how;
  cpu_submit(s, op, CPU_ASYNC);
  return 0;
}

cu_result cpu_word_write (const char *call, cu_stream s, cu_deviceptr p, uint64_t value,
                          unsigned bytes, unsigned flags) {
  if (flags > CU_WRITE_NO_BARRIER) return CU_ERR_INVALID_VALUE;
  return queue(call, s, CPU_OP_PLAIN, run_write, p, value, bytes, 0);
}

/* There are no remote writes to be flushed. */
cu_result cpu_word_wait (const char *call, cu_stream s, cu_deviceptr p, uint64_t value,
                         unsigned bytes, unsigned flags) {
  if ((flags & CU_WAIT_FLUSH) != 0) return CU_ERR_NOT_SUPPORTED;
  if (flags > CU_WAIT_NOR) return CU_ERR_INVALID_VALUE;
  return queue(call, s, CPU_OP_HOST, run_wait, p, value, bytes, flags);
}

static cu_result submit (cu_stream s, const cu_word_op *o) {
  static const char call[] = "cuStreamBatchMemOp";
  switch (o->operation) {
    case CU_WORD_WAIT_32: return cpu_word_wait(call, s, o->address, o->value, 4, o->flags);
    case CU_WORD_WAIT_64: return cpu_word_wait(call, s, o->address, o->value, 8, o->flags);
    case CU_WORD_WRITE_32: return cpu_word_write(call, s, o->address, o->value, 4, o->flags);
    case CU_WORD_WRITE_64: return cpu_word_write(call, s, o->address, o->value, 8, o->flags);
    default: return CU_ERR_NOT_SUPPORTED;
  }
}

cu_result cpu_cuStreamBatchMemOp (cu_stream s, unsigned n, cu_word_op *ops, unsigned flags) {
  cu_result r = flags != 0 || (ops == NULL && n > 0) ? CU_ERR_INVALID_VALUE : 0;
  for (unsigned i = 0; r == 0 && i < n; i++) r = submit(s, &ops[i]);
  return r;
}
