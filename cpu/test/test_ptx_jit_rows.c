/* test_ptx_jit_rows.c: warps of a block, and blocks of a grid, that compiled code runs one after
 * the other, until one does something else: it ends before the others, waits at another barrier, is
 * in a long loop, or has a fault. Without libLLVM there is nothing to test. */
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_llvm.h"

static fixture x;

enum { WARPS = 5, THREADS = 32 * WARPS, WORDS = 4 };
static const uint32_t size[3] = { 5, 4, 6 };
enum { BLOCKS = 5 * 4 * 6, ODD_BLOCK = 67 };

/* What some warps do, bit per thing. */
enum { EARLY = 1, PARTED = 2, ROUNDS = 4, FAULT = 8, WAYS = 8 };

/* Threads store: the block's index; what their word of shared memory was at first; what another
 * warp wrote there before the barrier; rounds. In parts, as `do` says: warp b % 5 of block b ends
 * before the barrier; odd warps wait for the others at another instruction; warp 3 of one block
 * makes 70,000 rounds of a loop; its thread 100 writes in front of all words. */
static const char kernel[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".visible .entry k(.param .u64 out, .param .u32 do)\n{\n"
  "  .reg .pred %p<9>;\n  .reg .b32 %r<40>;\n  .reg .b64 %rd<6>;\n"
  "  .shared .align 4 .b8 mine[640];\n"
  "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [do];\n  mov.u32 %r2, %tid.x;\n"
  "  mov.u32 %r3, %ctaid.x;\n  mov.u32 %r4, %ctaid.y;\n  mov.u32 %r5, %ctaid.z;\n"
  "  mov.u32 %r6, %nctaid.x;\n  mov.u32 %r7, %nctaid.y;\n"
  "  mad.lo.s32 %r8, %r5, %r7, %r4;\n  mad.lo.s32 %r8, %r8, %r6, %r3;\n"
  "  mad.lo.s32 %r9, %r8, 160, %r2;\n  mul.wide.u32 %rd2, %r9, 16;\n"
  "  add.s64 %rd3, %rd1, %rd2;\n  shr.u32 %r10, %r2, 5;\n"
  "  shl.b32 %r11, %r3, 16;\n  shl.b32 %r12, %r4, 8;\n  or.b32 %r11, %r11, %r12;\n"
  "  or.b32 %r11, %r11, %r5;\n  st.global.u32 [%rd3], %r11;\n"
  "  mov.u32 %r13, mine;\n  shl.b32 %r14, %r2, 2;\n  add.s32 %r14, %r13, %r14;\n"
  "  ld.shared.u32 %r15, [%r14];\n  st.global.u32 [%rd3+4], %r15;\n"
  "  add.s32 %r16, %r9, 7;\n  st.shared.u32 [%r14], %r16;\n"
  /* EARLY */
  "  and.b32 %r20, %r1, 1;\n  setp.ne.s32 %p1, %r20, 0;\n  rem.u32 %r21, %r8, 5;\n"
  "  setp.eq.and.s32 %p1, %r21, %r10, %p1;\n  @%p1 bra END;\n"
  /* ROUNDS */
  "  mov.u32 %r30, 0;\n  mov.u32 %r22, 1;\n  and.b32 %r20, %r1, 4;\n"
  "  setp.ne.s32 %p2, %r20, 0;\n  setp.eq.and.s32 %p2, %r8, 67, %p2;\n"
  "  setp.eq.and.s32 %p2, %r10, 3, %p2;\n  selp.b32 %r22, 70000, 1, %p2;\n"
  "AGAIN:\n  add.s32 %r30, %r30, 1;\n  setp.lt.s32 %p3, %r30, %r22;\n  @%p3 bra AGAIN;\n"
  /* FAULT */
  "  and.b32 %r20, %r1, 8;\n  setp.ne.s32 %p4, %r20, 0;\n"
  "  setp.eq.and.s32 %p4, %r9, 10820, %p4;\n  @%p4 st.global.u32 [%rd1+-4], %r9;\n"
  /* PARTED */
  "  and.b32 %r20, %r1, 2;\n  setp.ne.s32 %p5, %r20, 0;\n  and.b32 %r23, %r10, 1;\n"
  "  setp.ne.and.s32 %p5, %r23, 0, %p5;\n  @%p5 bra OTHER;\n  bar.sync 0;\n  bra TOGETHER;\n"
  "OTHER:\n  add.s32 %r30, %r30, 1000000;\n  bar.sync 0;\n"
  "TOGETHER:\n  add.s32 %r24, %r2, 96;\n  rem.u32 %r24, %r24, 160;\n  shl.b32 %r24, %r24, 2;\n"
  "  add.s32 %r24, %r13, %r24;\n  ld.shared.u32 %r25, [%r24];\n"
  "  st.global.u32 [%rd3+8], %r25;\n  st.global.u32 [%rd3+12], %r30;\nEND:\n  ret;\n}\n";

static ptx_module *load (void) {
  ptx_module *m = NULL;
  CHECK(ptx_module_load(kernel, sizeof kernel - 1, &x.host, &m) == LCU_OK);
  return m;
}

static void expect (uint32_t b, uint32_t t, uint32_t how, uint32_t *out) {
  uint32_t warp = t / 32, i = b * THREADS + t;
  out[0] = b % size[0] << 16 | b / size[0] % size[1] << 8 | b / size[0] / size[1];
  out[1] = UINT32_MAX; /* what the device fills shared memory with */
  out[2] = out[3] = 0;
  if ((how & EARLY) && warp == b % 5) return;
  out[2] = i - t + (t + 96) % THREADS + 7;
  out[3] = (how & ROUNDS) && b == ODD_BLOCK && warp == 3 ? 70000 : 1;
  if ((how & PARTED) && warp % 2 != 0) out[3] += 1000000;
}

static lcu_status launch (ptx_module *m, ptx_jit_mode compile, uint32_t how, ptx_fault *fault,
                          uint32_t *out) {
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, THREADS);
  memcpy(l.grid, size, sizeof size);
  l.compile = compile;
  memset(out, 0, sizeof *out * BLOCKS * THREADS * WORDS);
  return fix_run(&l, fault, 2, (uint64_t)(uintptr_t)out, (uint64_t)how);
}

static void all_ways (uint32_t *out) {
  ptx_module *m = load();
  for (uint32_t how = 0; how < WAYS; how++) {
    ptx_fault fault = { 0 };
    uint32_t wrong = 0;
    CHECK(launch(m, PTX_JIT_FORCE, how, &fault, out) == LCU_OK, "%s", fault.message);
    for (uint32_t i = 0; i < BLOCKS * THREADS && wrong == 0; i++) {
      uint32_t want[WORDS];
      expect(i / THREADS, i % THREADS, how, want);
      for (uint32_t k = 0; k < WORDS; k++) wrong += out[i * WORDS + k] != want[k];
      CHECK(wrong == 0, "ways %u, block %u, thread %u: %x %x %x %x", how, i / THREADS, i % THREADS,
            out[i * WORDS], out[i * WORDS + 1], out[i * WORDS + 2], out[i * WORDS + 3]);
    }
  }
  ptx_module_free(m);
}

/* The report is the interpreter's, and so is what the blocks before have written. */
static void a_fault (uint32_t *out) {
  static uint32_t before[ODD_BLOCK * THREADS * WORDS];
  for (uint32_t how = FAULT; how < FAULT + WAYS; how++) {
    ptx_fault compiled = { 0 }, interpreted = { 0 };
    ptx_module *m = load();
    CHECK(launch(m, PTX_JIT_OFF, how, &interpreted, out) == LCU_E_FAULT);
    memcpy(before, out, sizeof before);
    CHECK(launch(m, PTX_JIT_FORCE, how, &compiled, out) == LCU_E_FAULT);
    CHECK(strcmp(compiled.message, interpreted.message) == 0, "%s\n%s", compiled.message,
          interpreted.message);
    CHECK(compiled.block[0] == ODD_BLOCK % size[0] && compiled.thread[0] == 100, "%s",
          compiled.message);
    CHECK(memcmp(out, before, sizeof before) == 0);
    ptx_module_free(m);
  }
}

int main (void) {
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  for (int workers = 1; workers <= 3; workers += 2) {
    fix_open(&x, workers);
    uint32_t *out = fix_add(&x, sizeof *out * BLOCKS * THREADS * WORDS, false);
    all_ways(out);
    if (workers == 1) a_fault(out);
    ptx_jit_rest();
    fix_close(&x);
  }
  return check_result();
}
