/* test_ptx_memory.c: loads, stores and atomics in all shapes and spaces, and the checks on them:
 * every width and vector, consecutive, equal, row-wise and scattered addresses, full and partly
 * masked warps, exact faults. */
#include "ptx_float.h"
#include "ptx_fixture.h"

enum { LANES = 32, BYTES = 8192 };

static fixture x;

/* ---- modules from text ---- */

static ptx_module *module_of (const char *params, const char *body) {
  lcu_buf t = { 0 };
  ptx_module *m = NULL;
  lcu_buf_addf(&t,
               ".version 8.6\n.target sm_90\n.address_size 64\n"
               ".global .align 8 .u32 table[4] = {11, 22, 33, 44};\n.const .align 8 .u64 fixed = "
               "0x123456789abcdef0;\n"
               ".visible .entry k (%s)\n{\n.reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b64 %%l<16>; "
               ".reg .f32 %%f<8>; .reg .f64 %%d<2>; .reg .pred %%p<8>;\n"
               ".shared .align 16 .b8 sm[1024]; .local .align 16 .b8 loc[64];\n%s\nret;\n}\n",
               params, body);
  lcu_status s = ptx_module_load(t.data, t.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, body);
  lcu_buf_free(&t);
  return m;
}

/* Runs k(src, dst, offsets) with one warp. */
static lcu_status run_warp (const char *body, void *src, void *dst, void *offsets,
                            ptx_fault *fault) {
  ptx_module *m = module_of(".param .u64 p0, .param .u64 p1, .param .u64 p2", body);
  if (m == NULL) return LCU_E_SYNTAX;
  ptx_launch l = fix_launch(&x, m, "k", 1, LANES);
  lcu_status s = fix_run(&l, fault, 3, ARG(src), ARG(dst), ARG(offsets));
  CHECK(s == LCU_OK || s == LCU_E_FAULT, "%s\n%s", lcu_failure_get()->message, body);
  ptx_module_free(m);
  return s;
}

/* %l0 src, %l1 dst, %r0 this lane's offset, %r1 lane, %p0 even lane */
static const char prologue[] =
  "ld.param.u64 %l0, [p0]; ld.param.u64 %l1, [p1]; ld.param.u64 %l2, [p2]; mov.u32 %r1, %laneid; "
  "mad.wide.u32 %l2, %r1, 4, %l2; ld.global.u32 %r0, [%l2];\n"
  "and.b32 %r2, %r1, 1; setp.eq.u32 %p0, %r2, 0; cvt.u64.u32 %l3, %r0; add.u64 %l4, %l0, %l3; "
  "add.u64 %l5, %l1, %l3;\n";

/* ---- shapes ---- */

typedef struct shape {
  const char *name;
  uint32_t (*at)(uint32_t lane);
} shape;
static uint32_t consecutive (uint32_t l) { return l; }
static uint32_t equal (uint32_t l) {
  (void)l;
  return 5;
}
static uint32_t row_wise (uint32_t l) { return l % 16 + (l / 16) * 50; }
static uint32_t row_equal (uint32_t l) { return l / 16 * 7; }
static uint32_t backwards (uint32_t l) { return 40 - l; }
static uint32_t scattered (uint32_t l) { return (l * 37 + 11) % 64; }
static uint32_t thirds (uint32_t l) { return 3 * l; }
static uint32_t step_rows (uint32_t l) { return l % 16 * 2 + l / 16 * 45; }
static uint32_t falling_rows (uint32_t l) { return 60 - l % 16 * 4 + l / 16 * 3; }
static uint32_t one_off (uint32_t l) { return 2 * l + (l == 21); }
static const shape shapes[] = {
  { "consecutive", consecutive }, { "equal", equal },         { "rows", row_wise },
  { "equal rows", row_equal },    { "backwards", backwards }, { "scattered", scattered },
  { "thirds", thirds },           { "step rows", step_rows }, { "falling rows", falling_rows },
  { "one off", one_off }
};

typedef struct width {
  const char *type, *registers;
  uint32_t bytes, num;
} width;
static const width widths[] = { { "u8", "%h0", 1, 1 },
                                { "u16", "%h0", 2, 1 },
                                { "u32", "%r4", 4, 1 },
                                { "f32", "%f0", 4, 1 },
                                { "u64", "%l8", 8, 1 },
                                { "b128", "%w0", 16, 1 },
                                { "v2.u32", "{%r4, %r5}", 8, 2 },
                                { "v4.f32", "{%f0, %f1, %f2, %f3}", 16, 4 },
                                { "v2.u64", "{%l8, %l9}", 16, 2 },
                                { "v2.u8", "{%h0, %h1}", 2, 2 },
                                { "v2.u16", "{%h0, %h1}", 4, 2 },
                                { "v4.u16", "{%h0, %h1, %h2, %h3}", 8, 4 },
                                { "v4.u8", "{%h0, %h1, %h2, %h3}", 4, 4 } };

/* Copies by two loads, of which the second one knows the allocation, and one store of a width;
 * expects the result of copying in C, in lane
 * order. */
static void check_copy (const shape *sh, const width *wd, const char *load, const char *store,
                        bool masked) {
  fix_clear(&x);
  uint8_t *src = fix_add(&x, BYTES, false), *dst = fix_add(&x, BYTES, false), want[BYTES] = { 0 };
  uint32_t *offsets = fix_add(&x, LANES * 4, false);
  char body[2048];
  ptx_fault fault;
  for (int i = 0; i < BYTES; i++) src[i] = (uint8_t)(i * 7 + i / 256);
  for (uint32_t l = 0; l < LANES; l++) {
    offsets[l] = sh->at(l) * wd->bytes;
    if (!masked || l % 2) memcpy(want + offsets[l], src + offsets[l], wd->bytes);
  }
  snprintf(body, sizeof body,
           "%s.reg .b128 %%w0;\n%s bra END;\nld%s.%s %s, [%%l4+16];\nld%s.%s %s, "
           "[%%l4+16];\nst%s.%s [%%l5+8], %s;\nEND:\n",
           prologue, masked ? "@%p0" : "setp.ne.u32 %p1, %r1, %r1; @%p1", load, wd->type,
           wd->registers, load, wd->type, wd->registers, store, wd->type, wd->registers);
  /* Displacements that keep the alignment: 16 for both. */
  char *displaced = strstr(body, "[%l5+8]");
  displaced[5] = '1';
  memmove(displaced + 7, displaced + 6, strlen(displaced + 6) + 1);
  displaced[6] = '6';
  memmove(want + 16, want, BYTES - 16);
  memset(want, 0, 16);
  for (uint32_t l = 0; l < LANES; l++)
    if (!masked || l % 2) memcpy(want + 16 + offsets[l], src + 16 + offsets[l], wd->bytes);
  lcu_status s = run_warp(body, src, dst, offsets, &fault);
  CHECK(s == LCU_OK, "%s %s: %s", sh->name, wd->type, fault.message);
  CHECK(memcmp(dst, want, BYTES) == 0, "ld%s st%s %s, %s%s", load, store, wd->type, sh->name,
        masked ? ", masked" : "");
}

static void test_copies (void) {
  static const char *const kinds[] = { ".global", "", ".volatile.global", ".relaxed.gpu.global" };
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
      for (int masked = 0; masked < 2; masked++)
        check_copy(&shapes[s], &widths[w], kinds[(s + w) % 4], kinds[(s + w) % 4], masked);
}

/* ---- shared and local memory, signs, constants ---- */

static uint32_t *lane_offsets (uint32_t bytes) {
  uint32_t *p = fix_add(&x, LANES * 4, false);
  for (uint32_t l = 0; l < LANES; l++) p[l] = l * bytes;
  return p;
}

/* The 32-bit result of each lane, which the body leaves in %r9. */
static bool results_are (const char *body, uint32_t (*want)(uint32_t lane)) {
  char text[4096];
  ptx_fault fault;
  fix_clear(&x);
  uint32_t *src = fix_add(&x, BYTES, false), *dst = fix_add(&x, BYTES, false),
           *offsets = lane_offsets(4);
  for (uint32_t i = 0; i < BYTES / 4; i++) src[i] = i * 0x01010101u + 0x80f0;
  snprintf(text, sizeof text, "%s%s\nst.global.u32 [%%l5], %%r9;", prologue, body);
  lcu_status s = run_warp(text, src, dst, offsets, &fault);
  CHECK(s == LCU_OK, "%s: %s", body, fault.message);
  for (uint32_t l = 0; l < LANES; l++)
    if (dst[l] != want(l)) {
      CHECK(false, "lane %u is %x, should be %x: %s", l, dst[l], want(l), body);
      return false;
    }
  CHECK(true, "%s", body);
  return true;
}

static uint32_t word (uint32_t l) { return l * 0x01010101u + 0x80f0; }
static uint32_t mirrored (uint32_t l) { return word(31 - l); }
static uint32_t signed_byte (uint32_t l) { return (uint32_t)(int8_t)word(l); }
static uint32_t signed_short (uint32_t l) { return (uint32_t)(int16_t)word(l); }
static uint32_t third (uint32_t l) {
  (void)l;
  return 33;
}
static uint32_t high_fixed (uint32_t l) {
  (void)l;
  return 0x12345678;
}
static uint32_t twice (uint32_t l) { return 2 * word(l); }
static uint32_t low_byte_at (uint32_t l) { return word(l) & 255; }
static uint32_t last_words (uint32_t l) { return l < 16 ? word(BYTES / 4 - 16 + l) : 5; }
static uint32_t half_or_word (uint32_t l) { return l % 2 ? word(l) : word(0); }

static void test_spaces (void) {
  /* Lanes that are off may be past the end. */
  results_are("add.u64 %l6, %l0, %l3; add.u64 %l6, %l6, 8128; setp.lt.u32 %p1, %r1, 16; mov.u32 "
              "%r9, 5; @%p1 ld.global.u32 %r9, [%l6]; @%p1 ld.global.u32 %r9, [%l6];",
              last_words);
  results_are("ld.global.u32 %r4, [%l4]; mov.u32 %r5, sm; shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, "
              "%r5; st.shared.u32 [%r6], %r4; bar.warp.sync -1; add.u32 %r7, %r5, 124; sub.u32 "
              "%r7, %r7, %r6; add.u32 %r7, %r7, %r5; ld.shared.u32 %r9, [%r7];",
              mirrored);
  results_are(
    "ld.global.u32 %r4, [%l4]; mov.u64 %l6, sm; cvta.shared.u64 %l6, %l6; add.u64 %l6, %l6, %l3; "
    "st.u32 [%l6+256], %r4; ld.shared.u32 %r9, [sm+256]; ld.u32 %r9, [%l6+256];",
    word);
  results_are("ld.global.u32 %r4, [%l4]; st.local.u32 [loc+8], %r4; ld.local.u32 %r9, [loc+8];",
              word);
  results_are(
    "ld.global.u32 %r4, [%l4]; st.local.u32 [loc], %r4; mov.u64 %l6, loc; ld.local.s8 %r9, [%l6];",
    signed_byte);
  results_are(
    "ld.global.u32 %r4, [%l4]; mov.u64 %l6, loc; cvta.local.u64 %l7, %l6; st.u32 [%l7+4], %r4; "
    "st.local.u32 [%l6], %r4; ld.u64 %l8, [%l7]; shr.u64 %l8, %l8, 32; cvt.u32.u64 %r9, %l8;",
    word);
  results_are("ld.global.u32 %r4, [%l4]; mov.b64 %l8, {%r4, %r4}; st.local.u64 [loc+16], %l8; "
              "ld.local.v2.u32 {%r5, %r6}, [loc+16]; add.u32 %r9, %r5, %r6;",
              twice);
  results_are("ld.global.u32 %r4, [%l4]; st.local.v4.u32 [loc+16], {0, %r4, 1, %r4}; ld.local.u64 "
              "%l8, [loc+24]; shr.u64 %l8, %l8, 32; cvt.u32.u64 %r9, %l8;",
              word);
  results_are(
    "ld.global.u32 %r4, [%l4]; and.b32 %r5, %r1, 3; mov.u64 %l6, loc; mad.wide.u32 %l6, %r5, 8, "
    "%l6; cvt.u64.u32 %l8, %r4; st.local.u64 [%l6], %l8; ld.local.u32 %r9, [%l6];",
    word);
  results_are("ld.global.u32 %r4, [%l4]; @%p0 mov.u32 %r4, 0; st.local.u32 [loc], %r4; @%p0 "
              "ld.global.u32 %r4, [%l0]; @%p0 st.local.u32 [loc], %r4; ld.local.u32 %r9, [loc];",
              half_or_word);
  results_are("ld.global.s8 %r9, [%l4];", signed_byte);
  results_are("ld.global.s8 %l8, [%l4]; cvt.u32.u64 %r9, %l8; shr.s64 %l8, %l8, 32; cvt.u32.u64 "
              "%r4, %l8; and.b32 %r4, %r4, 0; or.b32 %r9, %r9, %r4;",
              signed_byte);
  results_are("ld.global.s16 %l8, [%l4]; shr.s64 %l8, %l8, 0; cvt.u32.u64 %r9, %l8;", signed_short);
  results_are("ld.global.u8 %h0, [%l4]; cvt.u32.u16 %r9, %h0;", low_byte_at);
  results_are("ld.global.u32 %r9, [table+8];", third);
  results_are("mov.u64 %l6, table; ld.u32 %r9, [%l6+8];", third);
  results_are("ld.const.u32 %r9, [fixed+4];", high_fixed);
  results_are("mov.b64 %l6, p0; ld.param.u64 %l7, [%l6]; sub.u64 %l7, %l7, %l0; cvt.u32.u64 %r4, "
              "%l7; ld.global.u32 %r9, [%l4]; add.u32 %r9, %r9, %r4;",
              word);
}

/* ---- parameters at an address in a register: equal in all lanes, or not ---- */

static uint32_t parameter_byte (uint32_t l) { return l % 3; }
static uint32_t odd_zero (uint32_t l) { return l % 2 ? 0 : word(l); }
static uint32_t own_local (uint32_t l) { return word(l) + 1; }

static void test_parameters (void) {
  /* In the words of a parameter, one element or all. */
  results_are("mov.b64 %l6, p0; ld.param.u32 %r4, [%l6+4]; ld.param.v2.u32 {%r5, %r6}, [%l6]; "
              "sub.u32 %r4, %r4, %r6; ld.global.u32 %r9, [%l4]; add.u32 %r9, %r9, %r4;",
              word);
  results_are("mov.b64 %l6, p0; ld.param.s8 %r4, [%l6+7]; ld.param.u8 %r5, [%l6+7]; "
              "sub.u32 %r4, %r4, %r5; ld.global.u32 %r9, [%l4]; add.u32 %r9, %r9, %r4;",
              word);
  /* Lanes that are off keep their value. */
  results_are("mov.b64 %l6, p0; mov.u64 %l7, %l0; @!%p0 ld.param.u64 %l7, [%l6+8]; sub.u64 %l7, "
              "%l7, %l0; cvt.u32.u64 %r4, %l7; setp.eq.u32 %p1, %r4, 0; mov.u32 %r9, 0; @%p1 "
              "ld.global.u32 %r9, [%l4];",
              odd_zero);
  /* Every lane its own. */
  results_are("mov.b64 %l6, p0; rem.u32 %r4, %r1, 3; mad.wide.u32 %l7, %r4, 8, %l6; "
              "ld.param.u64 %l8, [%l7]; mov.u32 %r9, 9; setp.eq.u64 %p1, %l8, %l0; @%p1 mov.u32 "
              "%r9, 0; setp.eq.u64 %p1, %l8, %l1; @%p1 mov.u32 %r9, 1; sub.u64 %l9, %l8, %l2; "
              "mul.wide.u32 %l10, %r1, 4; add.u64 %l9, %l9, %l10; setp.eq.u64 %p1, %l9, 0; @%p1 "
              "mov.u32 %r9, 2;",
              parameter_byte);
  /* The same generic address is each lane's own word in local memory. */
  results_are("ld.global.u32 %r4, [%l4]; st.local.u32 [loc+4], %r4; st.local.u32 [loc], 1; mov.u64 "
              "%l6, loc; cvta.local.u64 %l6, %l6; ld.v2.u32 {%r5, %r6}, [%l6]; add.u32 %r9, %r5, "
              "%r6;",
              own_local);
}

/* ---- several accesses of a basic block through one address register: cached facts must not
 * outlive its value ---- */

static uint32_t and_next (uint32_t l) { return word(l) + word(l + 1); }
static uint32_t and_far (uint32_t l) { return word(l) + word(l + 32); }
static uint32_t even_next (uint32_t l) { return word(l) + word(l % 2 ? l : l + 1); }
static uint32_t and_low_half (uint32_t l) { return word(l) + (word(l) & 65535); }
static uint32_t lower_row (uint32_t l) { return l < 16 ? word(l) : 0; }

static void test_same_address (void) {
  results_are("ld.global.u32 %r4, [%l4]; ld.global.u32 %r5, [%l4+4]; add.u32 %r9, %r4, %r5;",
              and_next);
  results_are("ld.global.u32 %r4, [%l4]; add.u64 %l4, %l4, 128; ld.global.u32 %r5, [%l4]; add.u32 "
              "%r9, %r4, %r5;",
              and_far);
  results_are("ld.global.u32 %r4, [%l4]; @%p0 add.u64 %l4, %l4, 4; ld.global.u32 %r5, [%l4]; "
              "add.u32 %r9, %r4, %r5;",
              even_next);
  results_are("ld.global.u32 %r4, [%l4]; ld.global.u16 %r5, [%l4]; add.u32 %r9, %r4, %r5;",
              and_low_half);
  results_are("mov.u32 %r9, 0; @%p0 ld.global.u32 %r4, [%l4]; ld.global.u32 %r9, [%l4];", word);
  results_are(
    "ld.global.u32 %r4, [%l4]; bar.sync 0; ld.global.u32 %r5, [%l4+4]; add.u32 %r9, %r4, %r5;",
    and_next);
  results_are("ld.global.u32 %r4, [%l4]; mov.u32 %r5, %r4; @%p0 bra A; ld.global.u32 %r5, [%l4]; "
              "bra B; A: ld.global.u32 %r5, [%l4+4]; B: add.u32 %r9, %r4, %r5;",
              even_next);
  results_are("mov.u64 %l6, sm; mad.wide.u32 %l6, %r1, 8, %l6; st.shared.u64 [%l6], %l4; "
              "ld.shared.u64 %l8, [%l6]; ld.shared.u64 %l6, [%l6]; ld.global.u32 %r9, [%l6]; "
              "ld.global.u32 %r4, [%l8]; sub.u32 %r4, %r4, %r9; add.u32 %r9, %r9, %r4;",
              word);
  results_are("setp.lt.u32 %p1, %r1, 16; selp.b64 %l6, %l4, %l5, %p1; ld.global.u32 %r9, [%l6];",
              lower_row);
  results_are("setp.lt.u32 %p1, %r1, 16; selp.b64 %l6, %l4, %l5, %p1; ld.global.u32 %r4, [%l6]; "
              "st.global.u32 [%l6], %r4; ld.global.u32 %r9, [%l6];",
              lower_row);
  results_are("mov.u32 %r5, sm; mad.lo.u32 %r4, %r1, 4, -4; add.u32 %r4, %r4, %r5; mov.u32 %r5, 7; "
              "st.shared.u32 [%r4+8], %r5; ld.global.u32 %r6, [%l4]; st.shared.u32 [%r4+4], %r6; "
              "ld.shared.u32 %r9, [%r4+4];",
              word);
  /* More registers than the cache holds. */
  results_are(
    "add.u64 %l6, %l4, 4; add.u64 %l7, %l4, 8; add.u64 %l8, %l4, 12; add.u64 %l9, %l4, 16; add.u64 "
    "%l10, %l4, 20; add.u64 %l11, %l4, 24; add.u64 %l12, %l4, 28; add.u64 %l13, %l4, 32; add.u64 "
    "%l14, %l4, 36;\n"
    "ld.global.u32 %r4, [%l4]; ld.global.u32 %r5, [%l6]; ld.global.u32 %r6, [%l7]; ld.global.u32 "
    "%r6, [%l8]; ld.global.u32 %r6, [%l9]; ld.global.u32 %r6, [%l10]; ld.global.u32 %r6, [%l11]; "
    "ld.global.u32 %r6, [%l12]; ld.global.u32 %r6, [%l13]; ld.global.u32 %r6, [%l14];\n"
    "ld.global.u32 %r9, [%l4]; ld.global.u32 %r5, [%l14+-32]; add.u32 %r9, %r9, %r5;",
    and_next);
}

/* ---- jump tables, with the same kernels ---- */

static uint32_t by_table (uint32_t l) { return (l % 3 == 0 ? 100 : l % 3 == 1 ? 200 : 300) + l; }
static uint32_t twos (uint32_t l) {
  (void)l;
  return 2;
}
static uint32_t rounds (uint32_t l) { return (l % 4) * 10 + 5; }
static uint32_t odd_by_table (uint32_t l) { return l % 2 ? 7 : 1; }

static void test_tables (void) {
  results_are("rem.u32 %r4, %r1, 3; mov.u32 %r9, 0; t: .branchtargets A, B, C; brx.idx %r4, t; A: "
              "mov.u32 %r9, 100; bra END; B: mov.u32 %r9, 200; bra END; C: mov.u32 %r9, 300; END: "
              "add.u32 %r9, %r9, %r1;",
              by_table);
  results_are("mov.u32 %r4, 1; mov.u32 %r9, 1; t: .branchtargets A, B; brx.idx.uni %r4, t; A: "
              "mov.u32 %r9, 100; B: add.u32 %r9, %r9, 1;",
              twos);
  /* Back to the head %r1 % 4 times, then out: adds 10 each time, then 5. */
  results_are("and.b32 %r4, %r1, 3; mov.u32 %r9, 0; L: min.u32 %r5, %r4, 1; t: .branchtargets OUT, "
              "AGAIN; brx.idx %r5, t; AGAIN: add.u32 %r9, %r9, 10; sub.u32 %r4, %r4, 1; bra L; "
              "OUT: add.u32 %r9, %r9, 5;",
              rounds);
  results_are("mov.u32 %r9, 1; mov.u32 %r4, 0; t: .branchtargets A; @!%p0 brx.idx %r4, t; bra END; "
              "A: mov.u32 %r9, 7; END:",
              odd_by_table);
}

/* ---- atomics ---- */

typedef struct atomic_case {
  const char *op, *type;
  uint64_t start, (*step)(uint64_t old, uint64_t b);
} atomic_case;
static uint64_t op_add (uint64_t a, uint64_t b) { return a + b; }
static uint64_t op_min_s32 (uint64_t a, uint64_t b) { return (int32_t)a < (int32_t)b ? a : b; }
static uint64_t op_min_s64 (uint64_t a, uint64_t b) { return (int64_t)a < (int64_t)b ? a : b; }
static uint64_t op_min_u (uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t op_max_s32 (uint64_t a, uint64_t b) { return (int32_t)a > (int32_t)b ? a : b; }
static uint64_t op_max_s64 (uint64_t a, uint64_t b) { return (int64_t)a > (int64_t)b ? a : b; }
static uint64_t op_max_u (uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t op_inc (uint64_t a, uint64_t b) { return a >= b ? 0 : a + 1; }
static uint64_t op_dec (uint64_t a, uint64_t b) { return a == 0 || a > b ? b : a - 1; }
static uint64_t op_and (uint64_t a, uint64_t b) { return a & b; }
static uint64_t op_or (uint64_t a, uint64_t b) { return a | b; }
static uint64_t op_xor (uint64_t a, uint64_t b) { return a ^ b; }
static uint64_t op_exch (uint64_t a, uint64_t b) {
  (void)a;
  return b;
}
static uint64_t op_addf (uint64_t a, uint64_t b) {
  float f, g;
  memcpy(&f, &a, 4);
  memcpy(&g, &b, 4);
  f += g;
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static uint64_t op_addd (uint64_t a, uint64_t b) {
  return ptx_f64_bits(ptx_bits_f64(a) + ptx_bits_f64(b));
}
static const atomic_case atomics[] = { { "add", "u32", 5, op_add },
                                       { "add", "u64", (uint64_t)1 << 40, op_add },
                                       { "min", "s32", 3, op_min_s32 },
                                       { "max", "u32", 3, op_max_u },
                                       /* The comparison depends on the sign. */
                                       { "min", "s32", 0xfffffff0, op_min_s32 },
                                       { "max", "s32", 0xfffffff0, op_max_s32 },
                                       { "min", "u32", 0xfffffff0, op_min_u },
                                       { "max", "u32", 0xfffffff0, op_max_u },
                                       { "min", "s64", UINT64_MAX - 9, op_min_s64 },
                                       { "max", "s64", UINT64_MAX - 9, op_max_s64 },
                                       { "min", "u64", UINT64_MAX - 9, op_min_u },
                                       { "max", "u64", UINT64_MAX - 9, op_max_u },
                                       { "inc", "u32", 0, op_inc },
                                       { "dec", "u32", 4, op_dec },
                                       { "and", "b32", 0xffff, op_and },
                                       { "or", "b32", 1, op_or },
                                       { "xor", "b64", 9, op_xor },
                                       { "exch", "b32", 1, op_exch },
                                       { "add", "f32", 0x3f800000, op_addf },
                                       { "add", "f64", 0x4008000000000000, op_addd } };

/* Lane l adds (or another operation) l + 3 to one word; the old values and the result must be those
 * of the sequence in lane order. */
static void check_atomic (const atomic_case *k, const char *space, bool masked) {
  fix_clear(&x);
  char body[1024];
  ptx_fault fault;
  uint64_t *word_at = fix_add(&x, 64, false), *dst = fix_add(&x, BYTES, false), old = k->start,
           seen[LANES];
  bool wide = strstr(k->type, "64") != NULL, shared = strstr(space, "shared") != NULL,
       is_float = k->type[0] == 'f';
  *word_at = k->start;
  for (uint32_t l = 0; l < LANES; l++) {
    uint64_t bits = wide ? ptx_f64_bits(l + 3) : lcu_f32_bits((float)(l + 3));
    seen[l] = masked && l % 2 == 0 ? 99 : old;
    if (!masked || l % 2) old = k->step(old, is_float ? bits : l + 3);
    if (!wide) old = (uint32_t)old;
  }
  const char *value = is_float ? wide ? "%d0" : "%f0"
                      : wide   ? "%l8"
                               : "%r4",
             *result = is_float ? wide ? "%d1" : "%f1"
                       : wide   ? "%l9"
                                : "%r5";
  snprintf(body, sizeof body,
           "%s"
           "add.u32 %%r4, %%r1, 3; cvt.u64.u32 %%l8, %%r4; cvt.rn.f32.u32 %%f0, %%r4; mov.u64 "
           "%%l9, 99; mov.u32 %%r5, 99; mov.b32 %%f1, 99; cvt.rn.f64.u32 %%d0, %%r4; "
           "mov.b64 %%d1, 99;\n"
           "mov.u64 %%l10, sm; ld.global.u64 %%l11, [%%l0]; %s st.shared.u64 [sm], %%l11; mov.u64 "
           "%%l12, %s;\n"
           "%s bra SKIP;\natom%s.%s.%s %s, [%%l12], %s;\nSKIP: st.global.%s [%%l5], %s; @%%p0 bra "
           "END; ld.shared.u64 %%l11, [sm]; %s st.global.u64 [%%l0], %%l11;\nEND:\n",
           prologue, "setp.eq.u32 %p2, %r1, 0; @%p2", shared ? "%l10" : "%l0",
           masked ? "@%p0" : "setp.ne.u32 %p1, %r1, %r1; @%p1", space, k->op, k->type, result,
           value,
           is_float ? k->type
           : wide   ? "u64"
                    : "u32",
           result, shared ? "" : "setp.ne.u32 %p3, %r1, %r1; @%p3");
  lcu_status s = run_warp(body, word_at, dst, lane_offsets(8), &fault);
  CHECK(s == LCU_OK, "%s", fault.message);
  for (uint32_t l = 0; l < LANES; l++) {
    uint64_t got = wide ? dst[l] : (uint32_t)dst[l];
    CHECK(got == seen[l], "atom%s.%s.%s lane %u saw %llx, should be %llx", space, k->op, k->type, l,
          (unsigned long long)got, (unsigned long long)seen[l]);
  }
  CHECK((wide ? *word_at : (uint32_t)*word_at) == old, "atom%s.%s.%s leaves %llx, should be %llx",
        space, k->op, k->type, (unsigned long long)*word_at, (unsigned long long)old);
}

static uint32_t cas_result (uint32_t l) { return l == 0 ? 0 : 1; }
static uint32_t half_sum (uint32_t l) {
  (void)l;
  return 0x5000;
} /* 32 as f16 */

static void test_atomics (void) {
  for (size_t i = 0; i < sizeof atomics / sizeof atomics[0]; i++)
    for (int masked = 0; masked < 2; masked++) {
      check_atomic(&atomics[i], ".global", masked);
      check_atomic(&atomics[i], ".shared", masked);
      check_atomic(&atomics[i], "", masked);
    }
  results_are("mov.u32 %r4, 0; st.shared.u32 [sm], %r4; atom.shared.cas.b32 %r9, [sm], 0, 1;",
              cas_result);
  results_are("mov.u32 %r4, 0; st.shared.u32 [sm], %r4; mov.b16 %h0, 0x3c00; "
              "red.shared.add.noftz.f16 [sm], %h0; bar.warp.sync -1; ld.shared.u32 %r9, [sm];",
              half_sum);
}

/* ---- faults ---- */

typedef struct fault_case {
  const char *body;
  ptx_fault_kind kind;
  const char *space;
  uint32_t lane, bytes;
  bool write;
} fault_case;
static const fault_case fault_cases[] = {
  { "add.u64 %l4, %l0, 8064; mad.wide.u32 %l4, %r1, 8, %l4; ld.global.u64 %l8, [%l4];",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 16, 8, false },
  { "add.u64 %l4, %l0, 8064; mad.wide.u32 %l4, %r1, 8, %l4; st.global.u64 [%l4], %l8;",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 16, 8, true },
  { "add.u64 %l4, %l0, %l3; setp.eq.u32 %p1, %r1, 7; @%p1 add.u64 %l4, %l4, 1; ld.global.u32 %r4, "
    "[%l4];",
    PTX_FAULT_MISALIGNED, "global", 7, 4, false },
  /* Steps of two elements, upwards and downwards; the first load makes the allocation known. */
  { "add.u64 %l4, %l0, 8064; mad.wide.u32 %l4, %r1, 8, %l4; ld.global.u32 %r4, [%l4-4096]; "
    "ld.global.u32 %r4, [%l4];",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 16, 4, false },
  { "mul.wide.u32 %l4, %r1, 8; sub.u64 %l4, %l0, %l4; ld.global.u32 %r4, [%l4+4096]; "
    "ld.global.u32 %r4, [%l4+160];",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 21, 4, false },
  { "mov.u64 %l4, 0; ld.global.u32 %r4, [%l4];", PTX_FAULT_NULL_POINTER, "global", 0, 4, false },
  { "ld.shared.u32 %r5, [sm]; mov.u32 %r4, sm; add.u32 %r4, %r4, 1020; mad.lo.u32 %r4, %r1, 4, "
    "%r4; st.shared.u32 [%r4], %r1;",
    PTX_FAULT_OUT_OF_BOUNDS, "shared", 1, 4, true },
  /* The first byte past the end: by rows, by one address, by one lane. */
  { "mov.u32 %r4, sm; add.u32 %r4, %r4, %r1; ld.shared.u8 %h0, [%r4+992]; ld.shared.u8 %h0, "
    "[%r4+993];",
    PTX_FAULT_OUT_OF_BOUNDS, "shared", 31, 1, false },
  { "mov.u32 %r4, sm; ld.shared.u8 %h0, [%r4+1023]; ld.shared.u8 %h0, [%r4+1024];",
    PTX_FAULT_OUT_OF_BOUNDS, "shared", 0, 1, false },
  { "@%p0 bra END; mov.u32 %r4, sm; add.u32 %r4, %r4, %r1; st.shared.u8 [%r4+992], %r1; "
    "st.shared.u8 [%r4+993], %r1; END:",
    PTX_FAULT_OUT_OF_BOUNDS, "shared", 31, 1, true },
  { "mov.u64 %l6, sm; cvta.shared.u64 %l6, %l6; add.u64 %l6, %l6, 1024; st.u8 [%l6-1], %r1; st.u8 "
    "[%l6], %r1;",
    PTX_FAULT_OUT_OF_BOUNDS, "shared", 0, 1, true },
  { "mov.u64 %l6, loc; ld.local.u8 %h0, [%l6+63]; ld.local.u8 %h0, [%l6+64];",
    PTX_FAULT_OUT_OF_BOUNDS, "local", 0, 1, false },
  { "mov.u64 %l6, 4294967; cvta.local.u64 %l6, %l6; ld.u8 %h0, [%l6];", PTX_FAULT_OUT_OF_BOUNDS,
    "local", 0, 1, false },
  { "add.u64 %l4, %l0, 8160; mad.wide.u32 %l4, %r1, 4, %l4; atom.global.add.u32 %r4, [%l4], 1;",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 8, 4, true },
  { "add.u64 %l4, %l0, 8176; add.u64 %l4, %l4, %l3; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%l4];",
    PTX_FAULT_OUT_OF_BOUNDS, "global", 4, 4, false },
  { "@%p0 bra END; mov.b64 %l6, p0; ld.param.u64 %l7, [%l6+24]; END:", PTX_FAULT_OUT_OF_BOUNDS,
    "param", 1, 8, false },
  { "trap;", PTX_FAULT_TRAP, "", 0, 0, false },
  { "t: .branchtargets A, A, A; brx.idx %r1, t; A: mov.u32 %r4, 0;", PTX_FAULT_TRAP, "", 3, 0,
    false }
};

static void check_fault (const fault_case *k) {
  char body[2048];
  ptx_fault fault;
  fix_clear(&x);
  uint8_t *src = fix_add(&x, BYTES, false), *dst = fix_add(&x, BYTES, false);
  bool vector = strstr(k->body, ".v4") != NULL;
  snprintf(body, sizeof body, "%s%s", prologue, k->body);
  lcu_status s = run_warp(body, src, dst, lane_offsets(vector ? 16 : 4), &fault);
  CHECK(s == LCU_E_FAULT, "no fault: %s", k->body);
  if (s != LCU_E_FAULT) return;
  CHECK(fault.kind == k->kind, "%s is \"%s\", should be \"%s\"", k->body,
        ptx_fault_kind_name(fault.kind), ptx_fault_kind_name(k->kind));
  if (vector) return;
  CHECK(fault.thread[0] == k->lane, "%s: thread %u, should be %u", k->body, fault.thread[0],
        k->lane);
  CHECK(fault.bytes == k->bytes && fault.write == k->write, "%s: %u bytes, write %d", k->body,
        fault.bytes, fault.write);
  if (k->space[0]) CHECK(strcmp(fault.space, k->space) == 0, "%s: space %s", k->body, fault.space);
}

/* ---- alignment: an access starts at a multiple of its size, in every space and on every path
 * through loads and stores ---- */

typedef struct place {
  const char *address, *space, *operand, *named;
  bool small;
} place;
static const place places[] = {
  { "add.u64 %l6, %l0, %l3;", ".global", "%l6", "global", false },
  { "add.u64 %l6, %l0, %l3;", "", "%l6", "global", false },
  { "mov.u32 %r10, sm; add.u32 %r10, %r10, %r0;", ".shared", "%r10", "shared", false },
  { "mov.u64 %l6, sm; add.u64 %l6, %l6, %l3;", ".shared", "%l6", "shared", false },
  { "mov.u64 %l6, sm; cvta.shared.u64 %l6, %l6; add.u64 %l6, %l6, %l3;", "", "%l6", "shared",
    false },
  { "mov.u64 %l6, loc; add.u64 %l6, %l6, %l3;", ".local", "%l6", "local", true },
  { "mov.u64 %l6, loc; cvta.local.u64 %l6, %l6; add.u64 %l6, %l6, %l3;", "", "%l6", "local", true }
};

/* Lanes from..to are misaligned, all of them by the instruction's displacement if `displaced`.
 * Local memory has room for only a few elements. */
typedef struct layout {
  const char *name;
  bool equal, displaced;
  uint32_t from, to;
} layout;
static const layout layouts[] = {
  { "all", false, false, 0, 31 },      { "equal", true, false, 0, 31 },
  { "one", false, false, 7, 7 },       { "upper row", false, false, 16, 31 },
  { "displaced", false, true, 0, 31 }, { "equal, displaced", true, true, 0, 31 }
};

static uint32_t layout_offset (const layout *y, const place *at, uint32_t bytes, uint32_t lane,
                               uint32_t shift) {
  uint32_t element = y->equal ? 0 : at->small ? lane % 2 : lane;
  return element * bytes + (!y->displaced && lane >= y->from && lane <= y->to ? shift : 0);
}

static void check_shift (const place *at, const width *wd, const layout *y, uint32_t shift,
                         bool store, bool masked) {
  char body[1024], access[128], text[64];
  ptx_fault fault;
  fix_clear(&x);
  uint8_t *src = fix_add(&x, BYTES, false), *dst = fix_add(&x, BYTES, false);
  uint32_t *offsets = fix_add(&x, LANES * 4, false), lane = y->from | (masked ? 1 : 0),
           displacement = y->displaced ? shift : 0;
  for (uint32_t l = 0; l < LANES; l++) offsets[l] = layout_offset(y, at, wd->bytes, l, shift);
  if (store)
    snprintf(access, sizeof access, "st%s.%s [%s+%u], %s;", at->space, wd->type, at->operand,
             displacement, wd->registers);
  else
    snprintf(access, sizeof access, "ld%s.%s %s, [%s+%u];", at->space, wd->type, wd->registers,
             at->operand, displacement);
  snprintf(body, sizeof body, "%s.reg .b128 %%w0; mov.b128 %%w0, {%%l0, %%l0};\n%s\n%s\n%s\nEND:\n",
           prologue, at->address, masked ? "@%p0 bra END;" : "", access);
  lcu_status s = run_warp(body, src, dst, offsets, &fault);
  if (shift % wd->bytes == 0) {
    CHECK(s == LCU_OK, "%s, shifted by %u, %s: %s", access, shift, y->name, fault.message);
    return;
  }
  snprintf(text, sizeof text, "%s of %u bytes at", store ? "write" : "read", wd->bytes);
  CHECK(s == LCU_E_FAULT && fault.kind == PTX_FAULT_MISALIGNED &&
          strcmp(fault.space, at->named) == 0,
        "%s, shifted by %u, %s: %s", access, shift, y->name, fault.message);
  CHECK(fault.thread[0] == lane && fault.bytes == wd->bytes && fault.write == store &&
          fault.address % wd->bytes == shift % wd->bytes,
        "%s, shifted by %u, %s%s: thread %u, %u bytes", access, shift, y->name,
        masked ? ", masked" : "", fault.thread[0], fault.bytes);
  CHECK(strstr(fault.message, text) != NULL, "%s: %s", access, fault.message);
  snprintf(text, sizeof text, "not a multiple of %u", wd->bytes);
  CHECK(strstr(fault.message, text) != NULL, "%s: %s", access, fault.message);
}

static void check_shifts (const place *at, const width *wd, const layout *y) {
  for (int how = 0; how < 4; how++) {
    check_shift(at, wd, y, 0, how & 1, how & 2);
    check_shift(at, wd, y, wd->bytes, how & 1, how & 2);
    for (uint32_t shift = 1; shift < wd->bytes; shift *= 2)
      check_shift(at, wd, y, shift, how & 1, how & 2);
  }
}

static void test_alignment (void) {
  for (size_t p = 0; p < lcu_arraylen(places); p++)
    for (size_t w = 0; w < lcu_arraylen(widths); w++)
      for (size_t y = 0; y < lcu_arraylen(layouts); y++)
        check_shifts(&places[p], &widths[w], &layouts[y]);
}

/* Lanes before the faulting lane have stored, the others have not. */
static void test_partial_store (void) {
  char body[1024];
  ptx_fault fault;
  fix_clear(&x);
  uint32_t *src = fix_add(&x, 64, false), *dst = fix_add(&x, 64, false);
  snprintf(body, sizeof body, "%s mov.u32 %%r4, 7; st.global.u32 [%%l5], %%r4;", prologue);
  lcu_status s = run_warp(body, src, dst, lane_offsets(4), &fault);
  CHECK(s == LCU_E_FAULT && fault.thread[0] == 16 && fault.address == ARG(dst) + 64, "%s",
        fault.message);
  bool all = true;
  for (int i = 0; i < 16; i++) all = all && dst[i] == 7;
  CHECK(all && dst[16] == 0, "stores of the lanes before the fault, and no others");
}

/* A load may read past the end if the compiler states that it does not use those bytes. */
static void test_used_bytes (void) {
  char body[1024];
  ptx_fault fault;
  fix_clear(&x);
  uint32_t *src = fix_add(&x, 12, false), *dst = fix_add(&x, 128, false);
  src[0] = 5;
  src[1] = 6;
  src[2] = 7;
  snprintf(body, sizeof body,
           "%s .pragma \"used_bytes_mask 4095\";\nld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, "
           "[%%l0]; add.u32 %%r4, %%r4, %%r6; st.global.u32 [%%l5], %%r4;",
           prologue);
  if ((uintptr_t)src % 16 != 0) return;
  lcu_status s = run_warp(body, src, dst, lane_offsets(4), &fault);
  CHECK(s == LCU_OK && dst[31] == 12, "%s", fault.message);
}

/* Compilers sometimes state too few bytes: readable bytes have their values anyway, in every
 * space. */
static void test_unnamed_bytes (void) {
  static const char *const bodies[] = {
    ".local .align 16 .b8 lo[16]; st.local.u64 [lo], %l3; .pragma \"used_bytes_mask 65280\"; "
    "ld.local.v2.u64 {%l6, %l7}, [lo]; cvt.u32.u64 %r9, %l6;",
    ".pragma \"used_bytes_mask 65280\"; ld.global.v2.u64 {%l6, %l7}, [%l0]; cvt.u32.u64 %r9, %l6; "
    "add.u32 %r9, %r9, %r0;",
    "@!%p0 bra END; .pragma \"used_bytes_mask 240\"; ld.global.v2.u32 {%r8, %r9}, [%l0+8]; add.u32 "
    "%r9, %r8, %r0;\nEND: @!%p0 mov.u32 %r9, %r0;"
  };
  char body[1024];
  ptx_fault fault;
  for (size_t i = 0; i < lcu_arraylen(bodies); i++) {
    fix_clear(&x);
    uint64_t *src = fix_add(&x, 16, false);
    uint32_t *dst = fix_add(&x, 4 * LANES, false), wrong = 0;
    src[0] = i == 1 ? 1000 : 0;
    src[1] = 1000;
    snprintf(body, sizeof body, "%s%s\nst.global.u32 [%%l5], %%r9;", prologue, bodies[i]);
    lcu_status s = run_warp(body, src, dst, lane_offsets(4), &fault);
    for (uint32_t l = 0; l < LANES; l++)
      wrong += dst[l] != 4 * l + (i == 1 || (i == 2 && l % 2 == 0) ? 1000 : 0);
    CHECK(s == LCU_OK && wrong == 0, "%u lanes wrong: %s %s", wrong, bodies[i], fault.message);
  }
}

static void test_use_after_free (void) {
  char body[1024];
  ptx_fault fault;
  fix_clear(&x);
  uint32_t *src = fix_add(&x, 128, false), *dst = fix_add(&x, 128, false);
  for (int i = 0; i < x.num; i++)
    if (x.blocks[i].base == ARG(src)) x.blocks[i].live = false;
  snprintf(body, sizeof body, "%s ld.global.u32 %%r4, [%%l4]; st.global.u32 [%%l5], %%r4;",
           prologue);
  lcu_status s = run_warp(body, src, dst, lane_offsets(4), &fault);
  CHECK(s == LCU_E_FAULT && fault.kind == PTX_FAULT_USE_AFTER_FREE, "%s", fault.message);
}

int main (void) {
  fix_open(&x, 1);
  test_copies();
  test_spaces();
  test_parameters();
  test_same_address();
  test_tables();
  test_atomics();
  for (size_t i = 0; i < sizeof fault_cases / sizeof fault_cases[0]; i++)
    check_fault(&fault_cases[i]);
  test_alignment();
  test_partial_store();
  test_used_bytes();
  test_unnamed_bytes();
  test_use_after_free();
  fix_close(&x);
  return check_result();
}
