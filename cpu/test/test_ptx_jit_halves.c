/* test_ptx_jit_halves.c: code for warps with fewer lanes is made when one asks for it, and without
 * it, or without the other half, results are the same. Without libLLVM there is nothing to test. */
#include "ptx_jit_fixture.h"

enum { BLOCKS = 100, THREADS = 64, ROUNDS = 2000 };

/* Thread t of a block makes n + (t & m) rounds, in which it sums s + t, converted to 64 bits; then
 * all of the block meet. */
static const char kernel[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".visible .entry k(.param .u64 out, .param .u32 n, .param .u32 m, .param .u32 s)\n{\n"
  "  .reg .pred %p<2>;\n  .reg .b32 %r<12>;\n  .reg .b64 %rd<6>;\n"
  "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [n];\n  ld.param.u32 %r7, [m];\n"
  "  ld.param.u32 %r9, [s];\n  mov.u32 %r2, %tid.x;\n  mov.u32 %r3, %ctaid.x;\n"
  "  mov.u32 %r4, %ntid.x;\n  mad.lo.s32 %r5, %r3, %r4, %r2;\n  mov.u32 %r6, %r5;\n"
  "  and.b32 %r8, %r2, %r7;\n  add.s32 %r1, %r1, %r8;\n"
  "  add.s32 %r10, %r9, %r2;\n  cvt.u64.u32 %rd4, %r10;\n  mov.u64 %rd5, 0;\n"
  "AGAIN:\n  mad.lo.s32 %r6, %r6, 1664525, 1013904223;\n  add.s64 %rd5, %rd5, %rd4;\n"
  "  sub.s32 %r1, %r1, 1;\n  setp.ne.s32 %p1, %r1, 0;\n  @%p1 bra AGAIN;\n  bar.sync 0;\n"
  "  shr.u64 %rd5, %rd5, 32;\n  cvt.u32.u64 %r11, %rd5;\n  xor.b32 %r6, %r6, %r11;\n"
  "  mul.wide.u32 %rd2, %r5, 4;\n  add.s64 %rd3, %rd1, %rd2;\n  st.global.u32 [%rd3], %r6;\n"
  "  ret;\n}\n";

/* How the kernel is launched. */
typedef struct way {
  ptx_jit_mode how;
  uint32_t threads, mask, start;
} way;

static uint32_t expected (uint32_t i, const way *w) {
  uint32_t t = i % w->threads, rounds = ROUNDS + (t & w->mask), v = i;
  for (uint32_t k = 0; k < rounds; k++) v = v * 1664525u + 1013904223u;
  return v ^ (uint32_t)((uint64_t)rounds * (w->start + t) >> 32);
}

/* Prepares the kernel, and returns its slot for such blocks. */
static ptx_jit_slot *slot_of (ptx_module *m, uint32_t threads) {
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, threads);
  CHECK(ptx_kernel_prepare(l.kernel) == LCU_OK);
  return &l.kernel->function->code->jit[ptx_block_class_of(l.block)];
}

static void launch_from (ptx_module *m, way w) {
  static uint32_t *out;
  if (out == NULL) out = fix_add(&x, sizeof *out * BLOCKS * THREADS, false);
  ptx_fault fault = { 0 };
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, w.threads);
  l.compile = w.how;
  l.folder = &folder;
  memset(out, 0, sizeof *out * BLOCKS * THREADS);
  lcu_status s = fix_run(&l, &fault, 4, (uint64_t)(uintptr_t)out, (uint64_t)ROUNDS,
                         (uint64_t)w.mask, (uint64_t)w.start);
  CHECK(s == LCU_OK, "%s", lcu_failure_get()->message);
  for (uint32_t i = 0; i < BLOCKS * w.threads; i += 97)
    CHECK(out[i] == expected(i, &w), "thread %u of blocks of %u", i, w.threads);
}

static void launch (ptx_module *m, ptx_jit_mode how, uint32_t threads, uint32_t mask) {
  launch_from(m, (way){ how, threads, mask, 0 });
}

static int state (ptx_jit_slot *slot, int half) { return atomic_load(&slot->state[half]); }

static bool has (ptx_jit_slot *slot, int half) {
  const ptx_jit *jit = atomic_load(&slot->code);
  return jit != NULL && ptx_jit_half(jit, half) != NULL;
}

/* ---- when it is made */

static void is_made_when_lanes_part (void) {
  ptx_module *m = load_text(kernel);
  ptx_jit_slot *slot = slot_of(m, THREADS);
  (void)count_objects(true);
  for (int k = 0; k < 3; k++) launch(m, PTX_JIT_FORCE, THREADS, 0);
  CHECK(has(slot, PTX_JIT_FULL) && !has(slot, PTX_JIT_MASKED));
  CHECK(state(slot, PTX_JIT_MASKED) == PTX_JIT_NEW);
  CHECK(count_objects(false) == 1, "%d objects", found.count);
  launch(m, PTX_JIT_FORCE, THREADS, 7);
  CHECK(has(slot, PTX_JIT_FULL) && has(slot, PTX_JIT_MASKED));
  CHECK(count_objects(false) == 2, "%d objects", found.count);
  launch(m, PTX_JIT_FORCE, THREADS, 5);
  ptx_module_free(m);
}

static void is_made_for_ragged_blocks (void) {
  ptx_module *m = load_text(kernel);
  ptx_jit_slot *slot = slot_of(m, 40);
  launch(m, PTX_JIT_FORCE, 40, 0);
  CHECK(has(slot, PTX_JIT_FULL) && has(slot, PTX_JIT_MASKED));
  launch(m, PTX_JIT_FORCE, 12, 3);
  ptx_module_free(m);
}

/* One half was refused: LLVM failed, or found no memory. What was interpreted instead may have
 * wrapped around at a conversion, which compiled code relies on not to happen. */
static void each_half_does_without_the_other (void) {
  for (int half = 0; half < PTX_JIT_HALVES; half++) {
    ptx_module *m = load_text(kernel);
    ptx_jit_slot *slot = slot_of(m, 40);
    atomic_store(&slot->state[half], PTX_JIT_REFUSED);
    for (uint32_t mask = 0; mask < 8; mask += 7) {
      launch(m, PTX_JIT_FORCE, 40, mask);
      launch_from(m, (way){ PTX_JIT_FORCE, 40, mask, 0u - 24 });
    }
    CHECK(!has(slot, half) && has(slot, !half));
    ptx_module_free(m);
  }
}

/* Launches until the state of a half is at least this. */
static void launch_until (ptx_module *m, ptx_jit_slot *slot, int half, int least, uint32_t mask) {
  double latest = lcu_now_ms() + 60000;
  while (state(slot, half) < least && lcu_now_ms() < latest) launch(m, PTX_JIT_ON, THREADS, mask);
  CHECK(lcu_now_ms() < latest, "half %d is not at %d in a minute", half, least);
}

/* In the background, it is asked for once warps lacked it for some time, and the trial begins
 * again. */
static void is_made_in_the_background (void) {
  ptx_module *m = load_text(kernel);
  ptx_jit_slot *slot = slot_of(m, THREADS);
  (void)count_objects(true);
  launch_until(m, slot, PTX_JIT_FULL, PTX_JIT_KEPT, 0);
  CHECK(state(slot, PTX_JIT_FULL) == PTX_JIT_KEPT && state(slot, PTX_JIT_MASKED) == PTX_JIT_NEW);
  launch_until(m, slot, PTX_JIT_MASKED, PTX_JIT_READY, 7);
  CHECK(has(slot, PTX_JIT_MASKED) && atomic_load(&slot->lacked) > 1);
  launch(m, PTX_JIT_ON, THREADS, 0);
  CHECK(atomic_load(&slot->complete));
  launch_until(m, slot, PTX_JIT_FULL, PTX_JIT_KEPT, 0);
  ptx_module_free(m);
}

/* Compiled code that is slower without its other half is not given up before it was there. */
static void is_awaited_by_the_trial (void) {
  ptx_module *m = load_text(kernel);
  ptx_jit_slot *slot = slot_of(m, THREADS);
  launch(m, PTX_JIT_FORCE, THREADS, 0);
  atomic_store(&slot->trial[1].ns, (uint64_t)1 << 40);
  launch_until(m, slot, PTX_JIT_FULL, PTX_JIT_KEPT, 7);
  CHECK(state(slot, PTX_JIT_FULL) == PTX_JIT_KEPT && has(slot, PTX_JIT_MASKED));
  CHECK(atomic_load(&slot->trial[1].ns) < (uint64_t)1 << 40);
  ptx_module_free(m);
}

int main (void) {
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  CHECK(lcu_folder_make(folder.path) == LCU_OK);
  fix_open(&x, 2);
  is_made_when_lanes_part();
  is_made_for_ragged_blocks();
  each_half_does_without_the_other();
  is_made_in_the_background();
  is_awaited_by_the_trial();
  ptx_jit_rest();
  fix_close(&x);
  lcu_folder_remove(folder.path);
  return check_result();
}
