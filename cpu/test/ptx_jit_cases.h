/* ptx_jit_cases.h: kernels for test_ptx_jit whose random ones rarely do the same. Blocks have 64
 * threads; `in` has INTS words, and thread t of all writes its results at out + 116 * t. */
#ifndef PTX_JIT_CASES_H
#define PTX_JIT_CASES_H

#define CASE(text) \
  ".version 7.8\n.target sm_80\n.address_size 64\n" \
  ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" \
  ".shared .align 16 .b8 mine[1024];\n.reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<40>; " \
  ".reg .f32 %f<40>; .reg .f64 %d<8>;\n" \
  "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n" \
  "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n" \
  "mad.lo.s32 %r3, %r1, 64, %r0; mul.wide.s32 %rd2, %r3, 116; add.s64 %rd2, %rd1, %rd2;\n" text \
  "st.global.u32 [%rd2], %r2; ret;\n}\n"

/* Branches on comparisons of an index, which wraps around in some warps, with one number. */
#define BRANCH(test, a, b, not, label) \
  "setp." test " %p0, " a ", " b \
  "; mad.lo.s32 %r2, %r2, 31, 7; @" not "%p0 bra " label ";\n" \
                                        "xor.b32 %r2, %r2, 0x5bd1e995;\n" label ":\n"
#define BRANCHES(n, test) \
  BRANCH(test, "%r4", "%r5", "", "A" n) \
  BRANCH(test, "%r5", "%r4", "!", "B" n) \
  BRANCH(test, "%r4", "40", "!", "C" n) BRANCH(test, "-9", "%r4", "", "D" n)
#define ALL_BRANCHES(k) \
  BRANCHES(k "a", "lt.s32") \
  BRANCHES(k "b", "le.s32") \
  BRANCHES(k "c", "gt.s32") \
  BRANCHES(k "d", "ge.s32") \
  BRANCHES(k "e", "lt.u32") \
  BRANCHES(k "f", "le.u32") \
  BRANCHES(k "g", "gt.u32") \
  BRANCHES(k "h", "ge.u32") BRANCHES(k "i", "eq.s32") BRANCHES(k "j", "ne.s32")
#define INDEX(k, start, number) \
  "add.s32 %r4, %r0, " start "; add.s32 %r5, %r1, " number ";\n" ALL_BRANCHES( \
    k) "setp.lt.s32 %p0, %r4, %r5; add.s32 %r4, %r4, 1000; @%p0 bra Z; xor.b32 %r2, %r2, 5; Z:\n"

/* Local memory, and shared memory, whose every byte has a value. Their registers are not those of
 * the cases: what is known of a register holds for all values that it gets. */
#define OWN \
  ".local .align 16 .b8 own[64]; mov.u64 %rd3, own; mov.u64 %rd20, 0x0706050403020100;\n" \
  "st.local.v2.u64 [own], {%rd20, %rd20}; st.local.v2.u64 [own+16], {%rd20, %rd20};\n" \
  "st.local.v2.u64 [own+32], {%rd20, %rd20}; st.local.v2.u64 [own+48], {%rd20, %rd20};\n"
#define SHARED \
  "mov.u32 %r4, mine; shl.b32 %r20, %r0, 4; add.s32 %r20, %r20, %r4;\n" \
  "st.shared.v4.u32 [%r20], {%r0, %r20, %r0, %r4}; bar.sync 0;\n"

static const char *const jit_cases[] = {
  /* An index wraps around, so the interpreter goes on within a loop. There the second load relies
   * on what the first one finds out about the addresses, which ran in compiled code. */
  CASE("mad.lo.s32 %r4, %r1, 32, %r0; mul.wide.s32 %rd3, %r4, 4; add.s64 %rd3, %rd0, %rd3;\n"
       "add.s32 %r5, %r0, 0x7ffffff0; mov.u64 %rd4, 0; mov.u32 %r9, 0;\n"
       "L: add.s64 %rd5, %rd3, %rd4; ld.global.u32 %r6, [%rd5]; mul.wide.s32 %rd6, %r5, 4;\n"
       "ld.global.u32 %r7, [%rd5+256]; cvt.u32.u64 %r8, %rd6; mad.lo.s32 %r2, %r2, 31, %r6;\n"
       "mad.lo.s32 %r2, %r2, 31, %r7; xor.b32 %r2, %r2, %r8; add.s64 %rd4, %rd4, 64;\n"
       "add.s32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 2; @%p0 bra L;\n"),
  /* The same before a product of the whole warp. */
  CASE("add.s32 %r5, %r0, 0x7ffffff0; mul.wide.s32 %rd6, %r5, 4; cvt.u32.u64 %r8, %rd6;\n"
       "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r3}, {%r5}, {%r8, %r0};\n"
       "mad.lo.s32 %r2, %r10, 31, %r11;\n"),
  /* Accesses that are checked together, below and above the first one and in between; the address
   * changes once. */
  CASE("mul.wide.s32 %rd3, %r3, 4; add.s64 %rd3, %rd0, %rd3; mov.u32 %r4, mine;\n"
       "shl.b32 %r5, %r0, 2; add.s32 %r5, %r4, %r5;\n"
       "ld.global.u32 %r6, [%rd3+128]; st.shared.u32 [%r5+256], %r6; st.shared.u32 [%r5], %r3;\n"
       "ld.global.u32 %r7, [%rd3]; st.global.u32 [%rd3+256], %r7; st.shared.u32 [%r5+512], %r7;\n"
       "ld.global.u32 %r8, [%rd3+256]; mad.lo.s32 %r2, %r6, 31, %r8; bar.sync 0;\n"
       "ld.shared.u32 %r9, [mine]; ld.shared.u32 %r10, [%r5+256]; ld.shared.u32 %r11, [%r5];\n"
       "add.s32 %r5, %r5, 4; ld.shared.u32 %r12, [%r5+504]; ld.shared.u32 %r13, [%r5+248];\n"
       "mad.lo.s32 %r2, %r2, 31, %r9; mad.lo.s32 %r2, %r2, 31, %r10;\n"
       "mad.lo.s32 %r2, %r2, 31, %r11; mad.lo.s32 %r2, %r2, 31, %r12;\n"
       "mad.lo.s32 %r2, %r2, 31, %r13;\n"),
  /* One of them is out of bounds: those before it are made. */
  CASE("mul.wide.s32 %rd3, %r3, 4; add.s64 %rd3, %rd0, %rd3;\n"
       "ld.global.u32 %r6, [%rd3+128]; st.global.u32 [%rd3], %r6; ld.global.u32 %r7, [%rd3+4];\n"
       "st.global.u32 [%rd3+16777216], %r7; st.global.u32 [%rd3+8], %r7;\n"),
  /* One before the first is out of bounds. */
  CASE("mul.wide.s32 %rd3, %r3, 4; add.s64 %rd3, %rd0, %rd3; add.s64 %rd3, %rd3, -64;\n"
       "ld.global.u32 %r6, [%rd3+256]; ld.global.u32 %r7, [%rd3]; add.s32 %r2, %r6, %r7;\n"),
  /* One of shared memory is out of bounds, in the second warp. */
  CASE("mov.u32 %r4, mine; shl.b32 %r5, %r0, 2; add.s32 %r5, %r4, %r5;\n"
       "st.shared.u32 [%r5], %r3; st.shared.u32 [%r5+256], %r3; st.global.u32 [%rd2], %r3;\n"
       "ld.shared.u32 %r6, [%r5+896]; ld.shared.u32 %r2, [%r5+128];\n"),
  /* Branches on numbers that differ from lane to lane, of all types. */
  CASE("mul.wide.s32 %rd3, %r3, 4; add.s64 %rd3, %rd0, %rd3; ld.global.u32 %r4, [%rd3];\n"
       "ld.global.u32 %r5, [%rd3+64]; mul.wide.s32 %rd4, %r4, %r5; mul.wide.s32 %rd5, %r4, %r4;\n"
       "cvt.rn.f32.s32 %f0, %r4; cvt.rn.f32.s32 %f1, %r5; cvt.rn.f64.s32 %d0, %r4;\n"
       "cvt.rn.f64.s32 %d1, %r5;\n" BRANCH("lt.s32", "%r4", "%r5", "", "A")
         BRANCH("le.u32", "%r4", "%r5", "!", "B") BRANCH("lt.s64", "%rd4", "%rd5", "", "C")
           BRANCH("le.u64", "%rd5", "%rd4", "", "D") BRANCH("ne.s64", "%rd4", "%rd5", "!", "E")
             BRANCH("eq.s64", "%rd4", "%rd5", "", "F") BRANCH("lt.f32", "%f0", "%f1", "", "G")
               BRANCH("geu.f32", "%f0", "%f1", "!", "H") BRANCH("gt.f64", "%d0", "%d1", "", "I")
                 BRANCH("neu.f64", "%d0", "%d1", "!", "J")),
  /* Both branches have a shuffle of the whole warp. The lanes that reach theirs first wait there,
   * and must find the values that they computed before it. */
  CASE("and.b32 %r4, %r0, 1; setp.ne.s32 %p0, %r4, 0; mul.lo.s32 %r5, %r3, 7;\n"
       "@%p0 bra ODD; mul.lo.s32 %r6, %r3, 11; mad.lo.s32 %r8, %r5, 3, %r6;\n"
       "shfl.sync.bfly.b32 %r7, %r6, 1, 31, 0xffffffff; mad.lo.s32 %r2, %r7, 31, %r8;\n"
       "add.s32 %r2, %r2, %r6; bra MET;\n"
       "ODD: mul.lo.s32 %r6, %r3, 13; mad.lo.s32 %r8, %r5, 5, %r6;\n"
       "shfl.sync.bfly.b32 %r7, %r6, 1, 31, 0xffffffff; mad.lo.s32 %r2, %r7, 37, %r8;\n"
       "MET: add.s32 %r2, %r2, %r5;\n"),
  /* Local memory: two words at a place that each lane has of its own, and bytes there; of odd
   * threads alone, too. */
  CASE(OWN
       "and.b32 %r4, %r0, 7; mul.wide.u32 %rd4, %r4, 8; add.s64 %rd4, %rd4, %rd3;\n"
       "mul.wide.s32 %rd5, %r3, -777777; st.local.u64 [%rd4], %rd5; st.local.u8 [%rd4+5], %r0;\n"
       "and.b32 %r5, %r0, 1; setp.ne.s32 %p0, %r5, 0; @%p0 bra ODD;\n"
       "st.local.v2.u32 [own+16], {%r3, %r0}; bra MET;\n"
       "ODD: st.local.u16 [%rd4+2], %r3; st.local.u32 [own+40], %r3; xor.b32 %r4, %r4, 3;\n"
       "mul.wide.u32 %rd4, %r4, 8; add.s64 %rd4, %rd4, %rd3; st.local.u64 [%rd4], %rd5;\n"
       "MET: ld.local.s8 %r6, [%rd4+5]; ld.local.u64 %rd6, [%rd4]; ld.local.u16 %r7, [own+18];\n"
       "cvt.u32.u64 %r8, %rd6; shr.u64 %rd6, %rd6, 32; cvt.u32.u64 %r9, %rd6;\n"
       "mad.lo.s32 %r2, %r6, 31, %r7; mad.lo.s32 %r2, %r2, 31, %r8;\n"
       "mad.lo.s32 %r2, %r2, 31, %r9;\n"),
  /* One thread stores past its local memory. */
  CASE(OWN "setp.eq.s32 %p0, %r0, 37; selp.b64 %rd4, 1048576, 8, %p0; add.s64 %rd4, %rd4, %rd3;\n"
           "st.local.u32 [%rd4], %r3; ld.local.u32 %r2, [%rd4];\n"),
  /* ... and another one between two of its words. */
  CASE(OWN "setp.eq.s32 %p0, %r0, 37; selp.b64 %rd4, 10, 8, %p0; add.s64 %rd4, %rd4, %rd3;\n"
           "st.local.u32 [%rd4], %r3; ld.local.u32 %r2, [%rd4];\n"),
  /* Bytes and words side by side, where lanes are off: some threads only, and then in a loop that
   * lanes leave one by one, with an index that the others share. */
  CASE(SHARED
       "add.s32 %r5, %r4, %r0; shl.b32 %r6, %r0, 2; add.s32 %r6, %r6, %r4;\n"
       "st.shared.u32 [%r6+512], %r0; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
       "mul.lo.s32 %r7, %r3, 77; and.b32 %r7, %r7, 3; setp.eq.s32 %p0, %r7, 0; @%p0 bra OFF;\n"
       "st.shared.u8 [%r5+800], %r3; ld.shared.s8 %r8, [%r5+800]; mad.lo.s32 %r2, %r8, 7, %r7;\n"
       "mul.wide.s32 %rd4, %r3, 2; add.s64 %rd4, %rd4, %rd0; ld.global.u16 %r9, [%rd4+2];\n"
       "mad.lo.s32 %r2, %r2, 31, %r9; OFF: mul.wide.s32 %rd5, %r3, 4; add.s64 %rd5, %rd5, %rd0;\n"
       "mov.u32 %r10, 0; NEXT: add.s32 %r11, %r6, %r10; ld.shared.u32 %r12, [%r11];\n"
       "cvt.u64.u32 %rd6, %r10; add.s64 %rd7, %rd5, %rd6; ld.global.u32 %r13, [%rd7];\n"
       "mad.lo.s32 %r2, %r2, 31, %r12; mad.lo.s32 %r2, %r2, 31, %r13; add.s32 %r10, %r10, 4;\n"
       "and.b32 %r14, %r0, 15; shl.b32 %r14, %r14, 2; setp.lt.s32 %p1, %r10, %r14; @%p1 bra NEXT;\n"
       "bar.sync 0; ld.shared.u8 %r15, [%r5+800]; mad.lo.s32 %r2, %r2, 31, %r15;\n"),
  CASE(INDEX("a", "0", "31")),
  CASE(INDEX("b", "0x7fffffd5", "0x7ffffffe")),
  CASE(INDEX("c", "-43", "-12")),
};

#undef CASE
#undef OWN
#undef SHARED

#endif
