/* test_ptx_jit_ops.c: operations of lanes, compiled and interpreted, on the same numbers: random
 * ones and special ones of all types. Without libLLVM there is nothing to test. */
#include "ptx_fixture.h"
#include "ptx_jit.h"
#include "ptx_jit_llvm.h"
#include "ptx_module.h"

/* What a result is: bits, or a float of which NaN may be any. */
typedef enum kind { BITS, F32, F64, F16, F16X2, BF16, BF16X2 } kind;

typedef struct operation {
  kind kind;
  const char *text; /* from %x1 to %x3 into %x0, where x is r (32 bits), h (16) or q (64) */
} operation;

#define R1(op) op " %r0, %r1;"
#define R2(op) op " %r0, %r1, %r2;"
#define R3(op) op " %r0, %r1, %r2, %r3;"
#define H1(op) op " %h0, %h1;"
#define H2(op) op " %h0, %h1, %h2;"
#define H3(op) op " %h0, %h1, %h2, %h3;"
#define Q1(op) op " %q0, %q1;"
#define Q2(op) op " %q0, %q1, %q2;"
#define TO_INTS(mode) \
  { BITS, "cvt." mode ".u8.f32 %r0, %r1;" }, { BITS, "cvt." mode ".s8.f32 %r0, %r1;" }, \
    { BITS, "cvt." mode ".u16.f32 %h0, %r1;" }, { BITS, "cvt." mode ".s16.f32 %h0, %r1;" }, \
    { BITS, "cvt." mode ".u32.f32 %r0, %r1;" }, { BITS, "cvt." mode ".s32.f32 %r0, %r1;" }, \
    { BITS, "cvt." mode ".u32.f64 %r0, %q1;" }, { BITS, "cvt." mode ".s32.f64 %r0, %q1;" }, \
    { F32, "cvt." mode ".f32.f32 %r0, %r1;" }, { F64, "cvt." mode ".f64.f64 %q0, %q1;" },
#define FROM_INT(type, x) \
  { F32, "cvt.rn.f32." type " %r0, %" x "1;" }, { F64, "cvt.rn.f64." type " %q0, %" x "1;" },
/* NaN of arithmetic is canonical, that of a conversion keeps its payload. */
#define OF_HALVES(T, kind1, kind2) \
  { BITS, H2("add.rn." T) }, { BITS, H2("sub.rn." T) }, { BITS, H2("mul.rn." T) }, \
    { BITS, R2("add.rn." T "x2") }, { BITS, R2("sub.rn." T "x2") }, \
    { BITS, R2("mul.rn." T "x2") }, { BITS, H1("neg." T) }, { BITS, H1("abs." T) }, \
    { BITS, R1("neg." T "x2") }, { BITS, R1("abs." T "x2") }, { F32, "cvt.f32." T " %r0, %h1;" }, \
    { kind1, "cvt.rn." T ".f32 %h0, %r1;" }, { kind2, "cvt.rn." T "x2.f32 %r0, %r1, %r2;" }, \
    { BITS, H3("fma.rn." T) }, { BITS, R3("fma.rn." T "x2") },
#define COMPARISON(name) \
  { BITS, "setp." name ".f16 %p, %h1, %h2; selp.b32 %r0, 1, 0, %p;" }, \
    { BITS, "setp." name ".f32 %p, %r1, %r2; selp.b32 %r0, 1, 0, %p;" },

static const operation operations[] = {
  /* clang-format off */
  { BITS, R2("min.u32") }, { BITS, R2("max.s32") }, { BITS, H2("min.u16") },
  { BITS, H2("max.u16") }, { BITS, H2("min.s16") }, { BITS, H2("max.s16") },
  { BITS, H1("neg.s16") }, { BITS, H1("abs.s16") }, { BITS, R1("abs.s32") },
  { BITS, Q1("abs.s64") }, { BITS, R3("sad.u32") }, { BITS, R3("sad.s32") },
  { BITS, R2("div.s32") }, { BITS, R2("rem.s32") }, { BITS, R2("rem.u32") },
  { BITS, "popc.b64 %r0, %q1;" }, { BITS, "clz.b64 %r0, %q1;" }, { BITS, Q1("brev.b64") },
  { BITS, R1("bfind.u32") }, { BITS, R1("bfind.shiftamt.u32") },
  { BITS, "and.b32 %r2, %r2, 63; bfe.u32 %r0, %r1, %r2, %r3;" }, { BITS, R3("bfe.u32") },
  { BITS, "and.b32 %r2, %r2, 63; and.b32 %r3, %r3, 63; bfi.b32 %r0, %r1, %r4, %r2, %r3;" },
  { BITS, "bfi.b32 %r0, %r1, %r2, %r3, %r4;" },
  { BITS, R3("dp4a.u32.u32") }, { BITS, R3("dp4a.u32.s32") }, { BITS, R3("dp4a.s32.u32") },
  { BITS, R3("dp4a.s32.s32") }, { BITS, R3("prmt.b32") },
  { BITS, "lop3.b32 %r0, %r1, %r2, %r3, 0;" }, { BITS, "lop3.b32 %r0, %r1, %r2, %r3, 0xd3;" },
  { BITS, "lop3.b32 %r0, %r1, %r2, %r3, 0x2c;" }, { BITS, "lop3.b32 %r0, %r1, %r2, %r3, 255;" },
  { BITS, "prmt.b32 %r0, %r1, %r2, 0x3f94;" }, { BITS, "prmt.b32 %r0, %r1, %r2, 0x7604;" },
  { BITS, "add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, %r3, %r0;" },
  { BITS, "sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, %r3, %r0;" },
  { BITS, "mov.b32 %r0, {%h1, %h2};" }, { BITS, "mov.b32 {%h0, %h1}, %r1;" },
  { BITS, "mov.b32 {%h1, %h0}, %r1;" }, { BITS, "mov.b64 {%h0, %h1, %h2, %h3}, %q1;" },
  { BITS, "mov.b64 {%h1, %h2, %h0, %h3}, %q1;" },
  { BITS, "mov.b64 {%h1, %h2, %h3, %h0}, %q1;" },
  { BITS, "slct.b32.s32 %r0, %r1, %r2, %r3;" }, { BITS, "slct.b64.s32 %q0, %q1, %q2, %r3;" },
  { BITS, "slct.b32.f32 %r0, %r1, %r2, %r3;" }, { BITS, "slct.ftz.b32.f32 %r0, %r1, %r2, %r3;" },
  { BITS, "setp.lt.s16 %p, %h1, %h2; selp.b32 %r0, 1, 0, %p;" },
  { BITS, "setp.le.s16 %p, %h1, %h2; selp.b32 %r0, 1, 0, %p;" },

  { BITS, R2("min.f32") }, { BITS, R2("max.f32") }, { BITS, R2("min.ftz.f32") },
  { BITS, R2("max.ftz.f32") }, { BITS, R2("min.NaN.f32") }, { BITS, R2("max.NaN.f32") },
  { BITS, R2("min.ftz.NaN.f32") }, { BITS, R2("max.ftz.NaN.f32") }, { BITS, Q2("min.f64") },
  { BITS, Q2("max.f64") }, { BITS, Q1("abs.f64") }, { BITS, R1("neg.ftz.f32") },
  { BITS, R2("copysign.f32") }, { BITS, Q2("copysign.f64") },
  { F32, "cvt.sat.f32.f32 %r0, %r1;" }, { F32, "cvt.ftz.f32.f32 %r0, %r1;" },

  { BITS, "cvt.u8.u16 %r0, %h1;" }, { BITS, "cvt.s8.s16 %r0, %h1;" },
  { BITS, "cvt.u8.u32 %r0, %r1;" }, { BITS, "cvt.s8.s32 %r0, %r1;" },
  { BITS, "cvt.u8.u64 %r0, %q1;" }, { BITS, "cvt.s8.s64 %r0, %q1;" },
  { BITS, "cvt.u16.u8 %h0, %r1;" }, { BITS, "cvt.s16.s8 %h0, %r1;" },
  { BITS, "cvt.u16.u64 %h0, %q1;" }, { BITS, "cvt.s16.s64 %h0, %q1;" },
  { BITS, "cvt.u32.s64 %r0, %q1;" }, { BITS, "cvt.s64.s16 %q0, %h1;" },
  { BITS, "cvt.s64.s8 %q0, %r1;" }, { BITS, "cvt.u64.u8 %q0, %r1;" },
  FROM_INT("u8", "r") FROM_INT("s8", "r") FROM_INT("u16", "h") FROM_INT("s16", "h")
  FROM_INT("u32", "r") FROM_INT("s32", "r") FROM_INT("u64", "q") FROM_INT("s64", "q")
  TO_INTS("rni") TO_INTS("rzi") TO_INTS("rmi") TO_INTS("rpi")

  OF_HALVES("f16", F16, F16X2) OF_HALVES("bf16", BF16, BF16X2)
  { F64, "cvt.f64.f16 %q0, %h1;" },
  { BITS, H2("min.f16") }, { BITS, H2("max.f16") }, { BITS, R2("min.f16x2") },
  { BITS, R2("max.f16x2") },
  COMPARISON("eq") COMPARISON("ne") COMPARISON("lt") COMPARISON("le") COMPARISON("equ")
  COMPARISON("neu") COMPARISON("ltu") COMPARISON("leu") COMPARISON("num") COMPARISON("nan")
  /* clang-format on */
};
enum { OPERATIONS = lcu_arraylen(operations), PER_KERNEL = 12 };
enum { BLOCKS = 16, THREADS = 128, ALL = BLOCKS * THREADS, SOURCES = 4 };

static fixture x;

/* ---- numbers */

static uint64_t state = 88172645463325252u;
static uint64_t next_word (void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* Zeros, ones, the least and the greatest of all kinds, infinities and NaN, in each format. */
static uint64_t special (void) {
  static const uint16_t half[] = { 0,      0x8000, 0x3c00, 0xbc00, 1,      0x83ff, 0x0400, 0x7bff,
                                   0xfbff, 0x7c00, 0xfc00, 0x7e01, 0xfe00, 0x3f80, 0x7f80, 0xff7f };
  static const uint32_t word[] = { 0,          0x80000000, 0x3f800000, 0xbf800000, 1,
                                   0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                   0x7fc00001, 0x4f000000, 0xcf000000, 0x4f800000, 0x43000000,
                                   0x437f8000, 0xc3008000, 0x47000000, 0x477fff00, 0x3effffff,
                                   0x38800000, 0x33000000, 0x33000001, 0x477fefff, 0x477ff000 };
  static const uint64_t wide[] = { 0x8000000000000000, 0x3ff0000000000000, 0x41e0000000000000,
                                   0xc1e0000000200000, 0x41efffffffe00000, 0x7ff0000000000000,
                                   0x7ff8000000000001, 0x000fffffffffffff, 0x3fe0000000000000 };
  uint64_t r = next_word();
  if (r % 4 == 0) return wide[r / 4 % lcu_arraylen(wide)];
  if (r % 4 == 1)
    return word[r / 4 % lcu_arraylen(word)] | (uint64_t)word[r / 4096 % lcu_arraylen(word)] << 32;
  return (uint64_t)half[r / 4 % 16] * 0x100000001u | (uint64_t)half[r / 64 % 16] << 16 |
         (uint64_t)half[r / 1024 % 16] << 48;
}

/* Near 1 in all formats, so that sums and products are neither 0 nor infinite. */
static uint64_t moderate (void) {
  uint64_t r = next_word();
  switch (r % 3) {
    case 0: return (r & 0x83ff83ff83ff83ff) | 0x3800380038003800;
    case 1: return (r & 0x80ffffff80ffffff) | 0x3f0000003f000000;
    default: return (r & 0x803fffffffffffff) | 0x3fc0000000000000;
  }
}

static uint64_t some_number (void) {
  switch (next_word() % 4) {
    case 0: return special();
    case 1: return moderate();
    case 2: return next_word() >> (next_word() & 63u);
    default: return next_word();
  }
}

/* ---- kernels */

static void add_operation (lcu_buf *text, const operation *o, uint32_t k) {
  char to = strstr(o->text, "%q0") != NULL ? 'q' : strstr(o->text, "%h0") != NULL ? 'h' : 'r';
  lcu_buf_adds(text, "{ .reg .b32 %r<5>; .reg .b16 %h<5>; .reg .b64 %q<5>; .reg .pred %p;\n");
  for (uint32_t s = 0; s < SOURCES; s++)
    lcu_buf_addf(text,
                 "mov.b64 %%q%u, %%rd%u; cvt.u32.u64 %%r%u, %%q%u; cvt.u16.u32 %%h%u, %%r%u;\n",
                 s + 1, s + 4, s + 1, s + 1, s + 1, s + 1);
  lcu_buf_addf(text, "%s\n", o->text);
  if (to == 'h') lcu_buf_adds(text, "cvt.u64.u16 %q0, %h0;");
  if (to == 'r') lcu_buf_adds(text, "cvt.u64.u32 %q0, %r0;");
  lcu_buf_addf(text, "st.global.u64 [%%rd3+%u], %%q0; }\n", 8 * k);
}

/* So many threads side by side have the same numbers. Operations compute one value for ROW of them,
 * or for all of a block. */
enum { ROW = 16 };

static ptx_module *load (uint32_t from, uint32_t to, uint32_t equal) {
  uint32_t width = equal == ROW ? ROW : THREADS, number = equal == 1 ? 4 : 3;
  lcu_buf text = { 0 };
  ptx_module *m = NULL;
  lcu_buf_addf(&text,
               ".version 8.6\n.target sm_90\n.address_size 64\n"
               ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%t<5>; "
               ".reg .b64 %%rd<9>;\nld.param.u64 %%rd0, [in]; ld.param.u64 %%rd1, [out];\n"
               "mov.u32 %%t0, %%tid.x; mov.u32 %%t1, %%tid.y; mov.u32 %%t2, %%ctaid.x;\n"
               "mad.lo.s32 %%t3, %%t2, %u, %%t1; mad.lo.s32 %%t4, %%t3, %u, %%t0;\n"
               "mul.wide.s32 %%rd2, %%t%u, %u; add.s64 %%rd2, %%rd2, %%rd0;\n"
               "mul.wide.s32 %%rd3, %%t4, %u; add.s64 %%rd3, %%rd3, %%rd1;\n",
               THREADS / width, width, number, 8 * SOURCES, 8 * PER_KERNEL);
  for (uint32_t s = 0; s < SOURCES; s++)
    lcu_buf_addf(&text, "ld.global.u64 %%rd%u, [%%rd2+%u];\n", s + 4, 8 * s);
  for (uint32_t k = from; k < to; k++) add_operation(&text, &operations[k], k - from);
  lcu_buf_adds(&text, "ret;\n}\n");
  lcu_status s = text.failed ? LCU_E_NOMEM : ptx_module_load(text.data, text.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, text.data);
  lcu_buf_free(&text);
  return m;
}

static void run (uint32_t from, uint32_t to, uint32_t equal, ptx_jit_mode compile, uint64_t *in,
                 uint64_t *out) {
  ptx_fault fault = { 0 };
  ptx_module *m = load(from, to, equal);
  if (m == NULL) return;
  ptx_launch l = fix_launch(&x, m, "k", BLOCKS, equal == ROW ? ROW : THREADS);
  if (equal == ROW) l.block[1] = THREADS / ROW;
  l.compile = compile;
  CHECK(fix_run(&l, &fault, 2, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out) == LCU_OK, "%s",
        fault.message);
  const ptx_code *code = l.kernel->function->code;
  bool compiled =
    code != NULL && ptx_jit_of(code, ptx_jit_form_of(ptx_block_class_of(l.block), false)) != NULL;
  CHECK(compiled == (compile == PTX_JIT_FORCE), "operations from \"%s\"", operations[from].text);
  ptx_module_free(m);
}

/* ---- results */

static bool is_nan (uint64_t v, kind k) {
  switch (k) {
    case F32: return (v & 0x7fffffffu) > 0x7f800000u;
    case F64: return (v & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
    case F16:
    case F16X2: return (v & 0x7fffu) > 0x7c00u;
    case BF16:
    case BF16X2: return (v & 0x7fffu) > 0x7f80u;
    default: return false;
  }
}

static bool same (uint64_t a, uint64_t b, kind k) {
  if (a == b || (is_nan(a, k) && is_nan(b, k) && k != F16X2 && k != BF16X2)) return true;
  return (k == F16X2 || k == BF16X2) && same(a & 65535u, b & 65535u, k == F16X2 ? F16 : BF16) &&
         same(a >> 16, b >> 16, k == F16X2 ? F16 : BF16);
}

static void compare (uint32_t k, uint32_t at, const uint64_t *in, const uint64_t *got,
                     const uint64_t *want, uint32_t equal) {
  uint32_t t = 0;
  while (t < ALL && same(got[t * PER_KERNEL + at], want[t * PER_KERNEL + at], operations[k].kind))
    t++;
  const uint64_t *s = in + (t == ALL ? 0 : t / equal) * SOURCES;
  CHECK(t == ALL, "%s of %#llx, %#llx, %#llx, %#llx: %#llx, interpreted %#llx", operations[k].text,
        (unsigned long long)s[0], (unsigned long long)s[1], (unsigned long long)s[2],
        (unsigned long long)s[3], t < ALL ? (unsigned long long)got[t * PER_KERNEL + at] : 0,
        t < ALL ? (unsigned long long)want[t * PER_KERNEL + at] : 0);
}

static void try_operations (uint32_t equal) {
  enum { WORDS = ALL * PER_KERNEL };
  uint64_t *in = fix_add(&x, sizeof *in * ALL * SOURCES, false),
           *out = fix_add(&x, sizeof *out * WORDS, false);
  static uint64_t want[WORDS];
  for (uint32_t i = 0; i < ALL * SOURCES; i++) in[i] = some_number();
  for (uint32_t from = 0; from < OPERATIONS; from += PER_KERNEL) {
    uint32_t to = from + PER_KERNEL < OPERATIONS ? from + PER_KERNEL : OPERATIONS;
    run(from, to, equal, PTX_JIT_OFF, in, out);
    memcpy(want, out, sizeof want);
    run(from, to, equal, PTX_JIT_FORCE, in, out);
    for (uint32_t k = from; k < to; k++) compare(k, k - from, in, out, want, equal);
  }
}

int main (void) {
  if (ptx_jit_llvm_open() != LCU_OK) {
    printf("skipped: %s\n", lcu_failure_get()->message);
    return check_result();
  }
  fix_open(&x, 1);
  try_operations(1);
  try_operations(ROW);
  try_operations(THREADS);
  ptx_jit_rest();
  fix_close(&x);
  return check_result();
}
