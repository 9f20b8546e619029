/* cpu_driver_more.h: tests of entry points that programs call and the driver's table lacks
 * (cpu_more.def): words of memory that streams write and wait for, objects of the program. */
#ifndef CPU_DRIVER_MORE_H
#define CPU_DRIVER_MORE_H

#include "cpu_driver_texel.h"

/* ---- words of memory ---- */

enum { WORD_ROUNDS = 400 };

static uint64_t random_word (void) { return (uint64_t)tex_random() << 32 | tex_random(); }

/* Words that share both halves, one of them or none. */
static uint64_t related_word (uint64_t word) {
  static const uint64_t masks[] = { 0, 0xffffffffu, 0xffffffff00000000u, UINT64_MAX };
  uint64_t other = tex_random() % 2 != 0 ? random_word() : ~word;
  uint64_t mask = masks[tex_random() % 4];
  return (word & mask) | (other & ~mask);
}

/* What the driver API says of the four ways to wait. */
static bool word_meets (uint64_t word, uint64_t value, int bits, unsigned how) {
  uint64_t all = bits == 64 ? UINT64_MAX : 0xffffffffu, sign = (uint64_t)1 << (bits - 1);
  switch (how) {
    case CU_WAIT_GEQ: return ((word - value) & all) < sign;
    case CU_WAIT_EQ: return ((word ^ value) & all) == 0;
    case CU_WAIT_AND: return (word & value & all) != 0;
    default: return (~(word | value) & all) != 0;
  }
}

/* A batch of a wait and a write: the word is written when, and not before, the condition holds. A
 * write of 32 bits leaves the other half as it is. */
static void check_batch (cu_stream s, _Atomic uint64_t *memory, bool wide_wait, bool wide_write) {
  static const uint64_t before = 0x0123456789abcdefu;
  uint64_t value = random_word(), word = related_word(value), wrote = random_word();
  unsigned how = tex_random() % 4;
  int bits = wide_wait ? 64 : 32;
  cu_word_op batch[] = {
    { wide_wait ? CU_WORD_WAIT_64 : CU_WORD_WAIT_32, (cu_deviceptr)(uintptr_t)&memory[0], value,
      how, 0, 0 },
    { wide_write ? CU_WORD_WRITE_64 : CU_WORD_WRITE_32, (cu_deviceptr)(uintptr_t)&memory[1], wrote,
      0, 0, 0 },
  };
  uint64_t after = wide_write ? wrote : (before & 0xffffffff00000000u) | (uint32_t)wrote;
  atomic_store(&memory[0], word);
  atomic_store(&memory[1], before);
  OK(cpu_cuStreamBatchMemOp(s, 2, batch, 0));
  if (!word_meets(word, value, bits, how)) {
    pause_ms(1);
    CHECK(atomic_load(&memory[1]) == before, "%d bits, way %u: 0x%llx has met 0x%llx", bits, how,
          (unsigned long long)word, (unsigned long long)value);
    while (!word_meets(word, value, bits, how)) word = how == CU_WAIT_EQ ? value : random_word();
    atomic_store(&memory[0], word);
  }
  for (int i = 0; i < 5000 && atomic_load(&memory[1]) != after; i++) pause_ms(1);
  CHECK(atomic_load(&memory[1]) == after, "%d bits, way %u: 0x%llx has not met 0x%llx", bits, how,
        (unsigned long long)word, (unsigned long long)value);
}

static void test_word_batches (void) {
  cu_stream s = new_stream(CU_STREAM_NON_BLOCKING_);
  cu_deviceptr p = device_alloc(16);
  for (int i = 0; i < WORD_ROUNDS && failed == 0; i++)
    check_batch(s, (_Atomic uint64_t *)(uintptr_t)p, tex_random() % 2 != 0, tex_random() % 2 != 0);
  OK(d->cuStreamSynchronize(s));
  OK(d->cuStreamDestroy(s));
  OK(d->cuMemFree(p));
}

static void test_word_errors (void) {
  cu_deviceptr p = device_alloc(16);
  cu_word_op wide = { CU_WORD_WRITE_64, p + 8, 1, 0, 0, 0 }, odd = wide, past = wide,
             unknown = wide;
  odd.address = p + 4;
  past.address = p + 16;
  unknown.operation = 3;
  OK(cpu_cuStreamBatchMemOp(NULL, 1, &wide, 0));
  OK(cpu_cuStreamBatchMemOp(NULL, 0, NULL, 0));
  RESULT(INVALID_VALUE, cpu_cuStreamBatchMemOp(NULL, 1, &wide, 1));
  RESULT(INVALID_VALUE, cpu_cuStreamBatchMemOp(NULL, 1, NULL, 0));
  RESULT(INVALID_VALUE, cpu_cuStreamBatchMemOp(NULL, 1, &odd, 0));
  RESULT(INVALID_VALUE, cpu_cuStreamBatchMemOp(NULL, 1, &past, 0));
  RESULT(NOT_SUPPORTED, cpu_cuStreamBatchMemOp(NULL, 1, &unknown, 0));
  OK(d->cuCtxSynchronize());
  OK(d->cuMemFree(p));
}

/* ---- objects of the program ---- */

typedef struct ending {
  int calls;
  cu_result inside; /* of a driver call by the function that ends the object */
} ending;

static void end_object (void *ud) {
  ending *e = ud;
  cu_deviceptr p;
  e->calls++;
  e->inside = d->cuMemAlloc(&p, 4);
}

/* The function runs on the thread that drops the last reference, and may not call the driver; that
 * thread may, afterwards. */
static void test_user_object (void) {
  ending e = { 0 };
  cu_user_object o = NULL;
  OK(cpu_cuUserObjectCreate(&o, &e, end_object, 2, CU_USER_OBJECT_NO_SYNC));
  OK(cpu_cuUserObjectRetain(o, 1));
  OK(cpu_cuUserObjectRelease(o, 2));
  CHECK(e.calls == 0);
  OK(cpu_cuUserObjectRelease(o, 1));
  CHECK(e.calls == 1 && e.inside == CU_ERR_NOT_PERMITTED);
  cu_deviceptr p = device_alloc(4);
  OK(d->cuMemFree(p));
}

static void test_more_parts (void) {
  test_word_batches();
  test_word_errors();
  test_user_object();
}

#endif
