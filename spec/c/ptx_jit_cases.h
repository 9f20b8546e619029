/* ptx_jit_cases.h: kernels for test_ptx_jit whose random ones rarely do the same. Blocks have 64
 * threads; `in` has INTS words, and thread t of all writes its results at out + 116 * t. */
#ifndef PTX_JIT_CASES_H
#define PTX_JIT_CASES_H

#define CASE(text) \
  ".version 7.8\n.target sm_80\n.address_size 64\n" \
  ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" \
  ".reg .pred %p<8>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<40>;\n" \
  "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out];\n" \
  "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n" \
  "mad.lo.s32 %r3, %r1, 64, %r0; mul.wide.s32 %rd2, %r3, 116; add.s64 %rd2, %rd1, %rd2;\n" text \
  "st.global.u32 [%rd2], %r2; ret;\n}\n"

static const char *const jit_cases[] = {
  /* An index wraps around, so the interpreter goes on within a loop. There the second load relies
   * on what the first one finds out about the addresses, which ran in compiled code. */
  CASE("mad.lo.s32 %r4, %r1, 32, %r0; mul.wide.s32 %rd3, %r4, 4; add.s64 %rd3, %rd0, %rd3;\n"
       "add.s32 %r5, %r0, 0x7ffffff0; mov.u64 %rd4, 0; mov.u32 %r9, 0;\n"
       "L: add.s64 %rd5, %rd3, %rd4; ld.global.u32 %r6, [%rd5]; mul.wide.s32 %rd6, %r5, 4;\n"
       "ld.global.u32 %r7, [%rd5+256]; cvt.u32.u64 %r8, %rd6; mad.lo.s32 %r2, %r2, 31, %r6;\n"
       "mad.lo.s32 %r2, %r2, 31, %r7; xor.b32 %r2, %r2, %r8; add.s64 %rd4, %rd4, 64;\n"
       "add.s32 %r9, %r9, 1; setp.lt.u32 %p0, %r9, 2; @%p0 bra L;\n"),
};

#undef CASE

#endif
