/* test_ptx_ops.c: every operation against the expectations of ptx_op_cases.def, in full and partly
 * masked warps, on every instruction set of this processor (the program runs itself again for the
 * lower ones, and the results must be identical). Every handler must be reached by a case here or
 * be listed as tested elsewhere. */
#include <sys/wait.h>
#include <unistd.h>

#include "ptx_code.h"
#include "ptx_fixture.h"
#include "ptx_ids.h"
#include "ptx_match.h"
#include "ptx_module.h"
#include "ptx_op_reference.h"
#include "ptx_select.h"
#include "ptx_tiny_reference.h"

enum { LANES = 32, ROUNDS = 48, VALUES = LANES * ROUNDS };

/* ---- the table ---- */

typedef uint64_t exact_fn (uint64_t a, uint64_t b, uint64_t c, uint64_t e, uint32_t LANE);
typedef double near_fn (uint64_t a, uint64_t b, uint64_t c, uint64_t e, uint32_t LANE);
typedef struct op_case {
  const char *text, *operands; /* text: an instruction, or PTX with a ';' */
  exact_fn *exact;
  near_fn *near;
  double ulps, absolute;
} op_case;

#define AI ((uint32_t)a)
#define BI ((uint32_t)b)
#define CI ((uint32_t)c)
#define EI ((uint32_t)e)
#define AS ((int32_t)AI)
#define BS ((int32_t)BI)
#define CS ((int32_t)CI)
#define AL ((int64_t)a)
#define BL ((int64_t)b)
#define AH ((uint16_t)a)
#define BH ((uint16_t)b)
#define CH ((uint16_t)c)
#define HI16(x) ((uint16_t)((x) >> 16))
#define AF as_f(a)
#define BF as_f(b)
#define CF as_f(c)
#define AD as_d(a)
#define BD as_d(b)
#define CD as_d(c)

#define NAME_(p, n) p##n
#define NAME(p, n) NAME_(p, n)
#define ARGS uint64_t a, uint64_t b, uint64_t c, uint64_t e, uint32_t LANE
#define UNUSED (void)a, (void)b, (void)c, (void)e, (void)LANE
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wparentheses"

#define CASE(text, operands, expr) \
  static uint64_t NAME(exact_, __LINE__)(ARGS) { \
    UNUSED; \
    return (uint64_t)(expr); \
  }
#define BODY(text, operands, expr) CASE(text, operands, expr)
#define NEAR(text, operands, expr, ulps, absolute) \
  static double NAME(near_, __LINE__)(ARGS) { \
    UNUSED; \
    return (expr); \
  }
#define BODY_NEAR(text, operands, expr, ulps, absolute) NEAR(text, operands, expr, ulps, absolute)
#include "ptx_op_cases.def"
#undef CASE
#undef NEAR

#define CASE(text_, operands_, expr) \
  { .text = text_, .operands = operands_, .exact = NAME(exact_, __LINE__) },
#define NEAR(text_, operands_, expr, ulps_, absolute_) \
  { .text = text_, \
    .operands = operands_, \
    .near = NAME(near_, __LINE__), \
    .ulps = ulps_, \
    .absolute = absolute_ },
static const op_case cases[] = {
#include "ptx_op_cases.def"
};
enum { NUM_CASES = sizeof cases / sizeof cases[0] };

/* ---- PTX of a case ---- A kernel takes four arrays of 64-bit inputs and one for results. Every
 * warp computes its results with all lanes, then again with the odd lanes only; the even lanes must
 * keep their values. */

static const char *register_type (char letter) {
  switch (letter) {
    case 'h': return "b16";
    case 'l':
    case 'w': return "b64";
    case 'd': return "f64";
    case 'f':
    case 'u': return "f32";
    case 'p': return "pred";
    default: return "b32";
  }
}

static void add_loads (lcu_buf *t, const char *operands, const char *names) {
  for (uint32_t i = 0; operands[i] && operands[i] != ','; i++) {
    lcu_buf_addf(t, "  .reg .%s %%%c;\n", register_type(operands[i]), names[i]);
    if (i == 0) continue;
    if (operands[i] == 'p')
      lcu_buf_addf(
        t, "  ld.global.u64 %%v, [%%in%u]; and.b64 %%v, %%v, 1; setp.ne.u64 %%%c, %%v, 0;\n", i - 1,
        names[i]);
    else
      lcu_buf_addf(t, "  ld.global.%s %%%c, [%%in%u];\n", register_type(operands[i]), names[i],
                   i - 1);
  }
}

/* The instruction, or the body with %a unchanged. */
static void add_operation (lcu_buf *t, const op_case *k) {
  const char *extra = strchr(k->operands, ','), *names = "dabce";
  size_t n = extra != NULL ? (size_t)(extra - k->operands) : strlen(k->operands);
  if (strchr(k->text, ';') != NULL) {
    lcu_buf_addf(t, "  %s\n", k->text);
    return;
  }
  lcu_buf_addf(t, "  %s %%d", k->text);
  for (size_t i = 1; i < n; i++) lcu_buf_addf(t, ", %%%c", names[i]);
  lcu_buf_addf(t, "%s%s;\n", extra != NULL ? ", " : "", extra != NULL ? extra + 1 : "");
}

static void add_result (lcu_buf *t, char letter, int at) {
  switch (letter) {
    case 'p': lcu_buf_addf(t, "  selp.u64 %%v, 1, 0, %%d;\n"); break;
    case 'l':
    case 'w': lcu_buf_addf(t, "  mov.b64 %%v, %%d;\n"); break;
    case 'd': lcu_buf_addf(t, "  mov.b64 %%v, %%d;\n"); break;
    case 'h': lcu_buf_addf(t, "  cvt.u64.u16 %%v, %%d;\n"); break;
    case 'f': lcu_buf_addf(t, "  mov.b32 %%w, %%d; cvt.u64.u32 %%v, %%w;\n"); break;
    default: lcu_buf_addf(t, "  cvt.u64.u32 %%v, %%d;\n"); break;
  }
  lcu_buf_addf(t, "  st.global.u64 [%%out+%d], %%v;\n", at);
}

/* The value of the result register if the operation did not run. */
static uint64_t untouched (char letter) { return letter == 'p' ? 1 : 77; }

static void add_untouched (lcu_buf *t, char letter) {
  if (letter == 'p') lcu_buf_addf(t, "  setp.eq.u32 %%d, 0, 0;\n");
  else if (letter == 'f') lcu_buf_addf(t, "  mov.b32 %%d, 77;\n");
  else lcu_buf_addf(t, "  mov.%s %%d, 77;\n", letter == 'd' ? "b64" : register_type(letter));
}

static void add_kernel (lcu_buf *t, int number, const op_case *k) {
  lcu_buf_addf(t,
               ".visible .entry k%d (.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 "
               "p3, .param .u64 p4)\n{\n",
               number);
  lcu_buf_addf(
    t,
    "  .reg .b32 %%t<4>; .reg .b64 %%l<4>; .reg .b16 %%h<4>; .reg .pred %%q<4>; .reg .b8 %%y<4>;\n"
    "  .reg .b64 %%in<4>; .reg .b64 %%out, %%v; .reg .b32 %%i, %%w; .reg .pred %%even;\n"
    "  mov.u32 %%i, %%ctaid.x; mov.u32 %%w, %%tid.x; mad.lo.s32 %%i, %%i, 32, %%w;\n");
  for (int i = 0; i < 4; i++)
    lcu_buf_addf(t, "  ld.param.u64 %%in%d, [p%d]; mad.wide.u32 %%in%d, %%i, 8, %%in%d;\n", i, i, i,
                 i);
  lcu_buf_addf(t, "  ld.param.u64 %%out, [p4]; mad.wide.u32 %%out, %%i, 16, %%out;\n");
  add_loads(t, k->operands, "dabce");
  add_operation(t, k);
  add_result(t, k->operands[0], 0);
  add_untouched(t, k->operands[0]);
  lcu_buf_addf(t, "  mov.u32 %%w, %%tid.x; and.b32 %%w, %%w, 1; setp.eq.u32 %%even, %%w, 0;\n  "
                  "@%%even bra SKIP;\n");
  add_operation(t, k);
  lcu_buf_addf(t, "SKIP:\n");
  add_result(t, k->operands[0], 8);
  lcu_buf_addf(t, "  ret;\n}\n\n");
}

static ptx_module *load_cases (fixture *x) {
  lcu_buf t = { 0 };
  ptx_module *m = NULL;
  lcu_buf_addf(&t, ".version 8.6\n.target sm_90\n.address_size 64\n\n");
  for (int i = 0; i < NUM_CASES; i++) add_kernel(&t, i, &cases[i]);
  lcu_status s = t.failed ? LCU_E_NOMEM : ptx_module_load(t.data, t.len, &x->host, &m);
  CHECK(s == LCU_OK, "%s", lcu_failure_get()->message);
  lcu_buf_free(&t);
  return m;
}

/* ---- inputs: edge values and random values ---- */

static const uint64_t edge_ints[] = { 0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      8,
                                      15,
                                      16,
                                      17,
                                      31,
                                      32,
                                      33,
                                      63,
                                      64,
                                      65,
                                      127,
                                      128,
                                      255,
                                      256,
                                      32767,
                                      32768,
                                      65535,
                                      65536,
                                      0x7fffff,
                                      0x800000,
                                      0xffffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0x80000001,
                                      0xfffffffe,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0xffffffffffffffff,
                                      0xffffffff80000000,
                                      0x0123456789abcdef,
                                      0xfffffffffffffffe };
static const double edge_floats[] = { 0.0,
                                      -0.0,
                                      1,
                                      -1,
                                      0.5,
                                      -0.5,
                                      1.5,
                                      2.5,
                                      -2.5,
                                      3.5,
                                      0.499999970197678,
                                      0.25,
                                      0.75,
                                      2,
                                      3,
                                      1e-3,
                                      1e10,
                                      -1e10,
                                      127.5,
                                      128,
                                      255.5,
                                      -128.5,
                                      256,
                                      32767.5,
                                      65504,
                                      65519,
                                      65520,
                                      -65536,
                                      2147483520.0,
                                      2147483648.0,
                                      -2147483648.0,
                                      -2147483904.0,
                                      4294967040.0,
                                      4294967296.0,
                                      9.2e18,
                                      9223372036854775808.0,
                                      -9223372036854775808.0,
                                      1.8446742974197924e19,
                                      18446744073709551616.0,
                                      1e-40,
                                      -1e-40,
                                      1.1754943508222875e-38,
                                      1.401298464324817e-45,
                                      5.9604644775390625e-8,
                                      2.98e-8,
                                      6.1e-5,
                                      3.4028234663852886e38,
                                      -3.4028234663852886e38,
                                      INFINITY,
                                      -INFINITY,
                                      NAN,
                                      100,
                                      -100,
                                      126.3,
                                      -126.7,
                                      -149,
                                      88,
                                      3.14159265,
                                      1.0009765625,
                                      1.00048828125,
                                      1.001 };

static uint64_t random_state;
static uint64_t any64 (void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static double any_float (void) {
  uint64_t r = any64();
  if (r % 8 < 4) return edge_floats[(r >> 8) % (sizeof edge_floats / sizeof edge_floats[0])];
  return ldexp((double)(int64_t)any64(), (int)(r >> 8) % 40 - 63 + (r % 8 == 7 ? -120 : 0));
}

static uint64_t any_double (void) {
  static const double extra[] = {
    1e-310, -1e-320, 1.7976931348623157e308, 2.2250738585072014e-308, 4503599627370497.5,
    1e300,  1e-300
  };
  uint64_t r = any64();
  if (r % 16 == 0) return dbits(extra[(r >> 8) % 7]);
  if (r % 16 == 1) return any64();
  return dbits(any_float());
}

static uint64_t any_half (void) {
  uint64_t r = any64();
  return r % 4 == 0   ? hbits(any_float())
         : r % 4 == 1 ? (uint64_t)(fbits((float)any_float()) >> 16)
                      : r >> 16 & 65535;
}

static uint64_t any_value (char letter, const char *text) {
  uint64_t r = any64();
  bool halves = strstr(text, "f16") != NULL;
  switch (letter) {
    case 'f': return r % 8 == 7 ? (uint32_t)any64() : fbits((float)any_float());
    case 'u': return fbits((float)((double)(r >> 11) * 0x1p-53 * 6.283185 - 3.1415925));
    case 'd': return any_double();
    case 'w': return r % 4096;
    case 'h':
      return halves ? any_half() : r % 2 ? any64() : edge_ints[(r >> 8) % (sizeof edge_ints / 8)];
    default: break;
  }
  if (halves) return any_half() | any_half() << 16;
  switch (r % 4) {
    case 0: return any64();
    case 1: return any64() >> (r >> 8) % 64;
    default: return edge_ints[(r >> 8) % (sizeof edge_ints / 8)];
  }
}

/* ---- comparison ---- */

static uint64_t cut (uint64_t v, char letter) {
  return letter == 'i' || letter == 'f' ? (uint32_t)v
         : letter == 'h'                ? (uint16_t)v
         : letter == 'p'                ? v & 1
                                        : v;
}

static bool small_nan (uint64_t v, const char *text) {
  bool bf = strstr(text, "bf16") != NULL;
  return (v & 0x7fff) > (bf ? 0x7f80u : 0x7c00u);
}

/* All NaNs are equal, also in each half of a pair. */
static bool same_value (const op_case *k, uint64_t got, uint64_t want) {
  char letter = k->operands[0];
  if (got == want) return true;
  if (letter == 'f') return isnan(as_f(got)) && isnan(as_f(want));
  if (letter == 'd') return isnan(as_d(got)) && isnan(as_d(want));
  if (strstr(k->text, "f16") == NULL) return false;
  bool low =
    (uint16_t)got == (uint16_t)want || (small_nan(got, k->text) && small_nan(want, k->text));
  bool high =
    got >> 16 == want >> 16 || (small_nan(got >> 16, k->text) && small_nan(want >> 16, k->text));
  return low && high;
}

static bool near_value (const op_case *k, float got, double want) {
  float f = (float)want;
  if (isnan(want) || isinf(f) || isinf(got))
    return isnan(want)
             ? isnan(got)
             : f == got ||
                 (isinf(got) && fabs(want) > (strstr(k->text, ".f16") != NULL ? 65504 : 3.38e38));
  int exponent = want == 0 || ilogb(want) < -126 ? -126 : ilogb(want);
  return fabs((double)got - want) <= k->ulps * ldexp(1, exponent - 23) + k->absolute;
}

/* ---- running ---- */

typedef struct arrays {
  uint64_t *in[4], *out;
} arrays;

static void fill (const op_case *k, const arrays *v) {
  for (int n = 0; n < VALUES; n++) {
    bool more = true;
    for (int i = 0; i < 4; i++) {
      more = more && k->operands[i] && k->operands[i + 1] && k->operands[i + 1] != ',';
      v->in[i][n] = more ? any_value(k->operands[i + 1], k->text) : 0;
    }
  }
}

static bool check_value (const op_case *k, const arrays *v, int n, uint64_t got) {
  uint64_t a = v->in[0][n], b = v->in[1][n], c = v->in[2][n], e = v->in[3][n];
  for (int i = 1; k->operands[i] && k->operands[i] != ','; i++)
    if (k->operands[i] == 'p') *(uint64_t *[]){ &a, &b, &c, &e }[i - 1] &= 1;
  uint32_t lane = (uint32_t)n % LANES;
  if (k->exact != NULL) {
    uint64_t want = cut(k->exact(a, b, c, e, lane), k->operands[0]);
    if (same_value(k, got, want)) return true;
    printf("%s: of %llx %llx %llx %llx is %llx, should be %llx\n", k->text, (unsigned long long)a,
           (unsigned long long)b, (unsigned long long)c, (unsigned long long)e,
           (unsigned long long)got, (unsigned long long)want);
    return false;
  }
  double want = k->near(a, b, c, e, lane);
  if (near_value(k, as_f(got), want)) return true;
  printf("%s: of %.9g %.9g is %.9g, should be near %.17g\n", k->text, (double)as_f(a),
         (double)as_f(b), (double)as_f(got), want);
  return false;
}

static uint64_t checksum;

static void check_results (const op_case *k, const arrays *v) {
  int wrong = 0;
  for (int n = 0; n < VALUES && wrong < 3; n++) {
    uint64_t full = v->out[2 * n], masked = v->out[2 * n + 1];
    bool runs = n % 2 == 1;
    bool keeps =
      runs ? same_value(k, masked, full) || k->exact == NULL || strstr(k->text, "clock") != NULL
           : masked == untouched(k->operands[0]);
    if (!keeps) {
      printf("%s: lane %d with some lanes off: %llx, all on: %llx\n", k->text, n % LANES,
             (unsigned long long)masked, (unsigned long long)full);
      wrong++;
    }
    if (!check_value(k, v, n, full)) wrong++;
    if (runs && k->exact == NULL && !check_value(k, v, n, masked)) wrong++;
    if (k->operands[0] != 'f' || !isnan(as_f(full)))
      checksum = (checksum ^ full) * UINT64_C(0x100000001b3);
  }
  CHECK(wrong == 0, "%s", k->text);
}

static void run_case (fixture *x, ptx_module *m, int number, const arrays *v) {
  char name[16];
  ptx_fault fault;
  const op_case *k = &cases[number];
  snprintf(name, sizeof name, "k%d", number);
  random_state = 88172645463325252u + (uint64_t)number;
  fill(k, v);
  memset(v->out, 0xee, 2 * VALUES * sizeof *v->out);
  ptx_launch l = fix_launch(x, m, name, ROUNDS, LANES);
  lcu_status s =
    fix_run(&l, &fault, 5, ARG(v->in[0]), ARG(v->in[1]), ARG(v->in[2]), ARG(v->in[3]), ARG(v->out));
  CHECK(s == LCU_OK, "%s: %s %s", k->text, lcu_failure_get()->message, fault.message);
  if (s == LCU_OK) check_results(k, v);
}

/* ---- every handler, every row ---- */

static bool met[PTX_ID_COUNT];

static void note_handlers (ptx_module *m) {
  for (uint32_t i = 0; i < m->num_kernels; i++) {
    const ptx_code *code = m->kernels[i].function->code;
    for (uint32_t n = 0; code != NULL && n < code->num_uops; n++) met[code->uops[n].id] = true;
  }
}

/* Executed by the executor or by memory access, and tested there. */
static bool tested_elsewhere (const char *name) {
  static const char *const prefixes[] = {
    "bar_",       "shfl_",     "vote_",     "match_",        "redux_", "elect", "call",
    "ret",        "exit",      "trap",      "nanosleep",     "ld_",    "st_",   "atom",
    "cp_async",   "mbarrier_", "fence",     "guard",         "jump",   "bra",   "nop",
    "activemask", "mov_local", "sreg_b64",  "warp_word_b64", "tex",    "tld4",  "txq",
    "cluster_",   "cp_bulk",   "cp_tensor", "suld",          "sust",   "mma_",  "wmma_",
    "ldmatrix",   "stmatrix",  "movmatrix"
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return false;
}

static void check_coverage (void) {
  for (int id = 1; id < PTX_ID_COUNT; id++)
    if (!tested_elsewhere(ptx_id_names[id]))
      CHECK(met[id], "no case meets handler %s", ptx_id_names[id]);
}

/* ---- the program, once per instruction set ---- */

static void run_all (void) {
  static fixture x;
  arrays v;
  fix_open(&x, 1);
  ptx_module *m = load_cases(&x);
  for (int i = 0; i < 4; i++) v.in[i] = fix_add(&x, VALUES * 8, false);
  v.out = fix_add(&x, VALUES * 16, false);
  for (int i = 0; m != NULL && i < NUM_CASES; i++) run_case(&x, m, i, &v);
  if (m != NULL) {
    note_handlers(m);
    check_coverage();
    ptx_module_free(m);
  }
  fix_close(&x);
}

/* The same program with a lower instruction set; its last line contains the checksum. */
static void compare_with (const char *self, const char *isa) {
  char command[600], line[256], want[64];
  bool equal = false;
  snprintf(command, sizeof command, "LUACUDA_CPU_ISA=%s '%s' child", isa, self);
  snprintf(want, sizeof want, "checksum %016llx 0 failed\n", (unsigned long long)checksum);
  FILE *p = popen(command, "r");
  CHECK(p != NULL, "cannot run %s", command);
  if (p == NULL) return;
  while (fgets(line, sizeof line, p) != NULL) {
    equal = strcmp(line, want) == 0;
    if (strncmp(line, "checksum", 8) != 0) printf("%s: %s", isa, line);
  }
  CHECK(pclose(p) == 0 && equal, "%s does not give what %s gives", isa, ptx_isa_name());
}

int main (int argc, char **argv) {
  run_all();
  if (argc > 1 && strcmp(argv[1], "child") == 0) {
    printf("checksum %016llx %d failed\n", (unsigned long long)checksum, failed);
    return failed != 0;
  }
  const char *prefix = PTX_ISA_PREFIX;
  for (uint32_t i = 1; ptx_isa_at(i) != NULL; i++)
    compare_with(argv[0], ptx_isa_at(i)->name + strlen(prefix));
  return check_result();
}
