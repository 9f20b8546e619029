/* ptx_op_table.h: the cases of ptx_op_cases.def as a table, their PTX, inputs and expectations.
 * Define ROUNDS, the number of warps per case, before including it. Needs nothing of src. */
#ifndef PTX_OP_TABLE_H
#define PTX_OP_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_op_reference.h"
#include "ptx_tiny_reference.h"

enum { LANES = 32, VALUES = LANES * ROUNDS };

/* ---- the table ---- */

typedef uint64_t exact_fn (uint64_t a, uint64_t b, uint64_t c, uint64_t e, uint32_t LANE);
typedef double near_fn (uint64_t a, uint64_t b, uint64_t c, uint64_t e, uint32_t LANE);
typedef struct op_case {
  const char *text, *operands; /* text: an instruction, or PTX with a ';' */
  exact_fn *exact;
  near_fn *near;
  double ulps, absolute;
  bool own; /* of the CPU device alone */
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
#define OWN(text, operands, expr) CASE(text, operands, expr)
#include "ptx_op_cases.def"
#undef CASE
#undef NEAR
#undef OWN

#define CASE(text_, operands_, expr) \
  { .text = text_, .operands = operands_, .exact = NAME(exact_, __LINE__) },
#define NEAR(text_, operands_, expr, ulps_, absolute_) \
  { .text = text_, \
    .operands = operands_, \
    .near = NAME(near_, __LINE__), \
    .ulps = ulps_, \
    .absolute = absolute_ },
#define OWN(text_, operands_, expr) \
  { .text = text_, .operands = operands_, .exact = NAME(exact_, __LINE__), .own = true },
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

static void add_loads (FILE *t, const char *operands, const char *names) {
  for (uint32_t i = 0; operands[i] && operands[i] != ','; i++) {
    fprintf(t, "  .reg .%s %%%c;\n", register_type(operands[i]), names[i]);
    if (i == 0) continue;
    if (operands[i] == 'p')
      fprintf(t, "  ld.global.u64 %%v, [%%in%u]; and.b64 %%v, %%v, 1; setp.ne.u64 %%%c, %%v, 0;\n",
              i - 1, names[i]);
    else
      fprintf(t, "  ld.global.%s %%%c, [%%in%u];\n", register_type(operands[i]), names[i], i - 1);
  }
}

/* The instruction, or the body with %a unchanged. */
static void add_operation (FILE *t, const op_case *k) {
  const char *extra = strchr(k->operands, ','), *names = "dabce";
  size_t n = extra != NULL ? (size_t)(extra - k->operands) : strlen(k->operands);
  if (strchr(k->text, ';') != NULL) {
    fprintf(t, "  %s\n", k->text);
    return;
  }
  fprintf(t, "  %s %%d", k->text);
  for (size_t i = 1; i < n; i++) fprintf(t, ", %%%c", names[i]);
  fprintf(t, "%s%s;\n", extra != NULL ? ", " : "", extra != NULL ? extra + 1 : "");
}

static void add_result (FILE *t, char letter, int at) {
  switch (letter) {
    case 'p': fprintf(t, "  selp.u64 %%v, 1, 0, %%d;\n"); break;
    case 'l':
    case 'w': fprintf(t, "  mov.b64 %%v, %%d;\n"); break;
    case 'd': fprintf(t, "  mov.b64 %%v, %%d;\n"); break;
    case 'h': fprintf(t, "  cvt.u64.u16 %%v, %%d;\n"); break;
    case 'f': fprintf(t, "  mov.b32 %%w, %%d; cvt.u64.u32 %%v, %%w;\n"); break;
    default: fprintf(t, "  cvt.u64.u32 %%v, %%d;\n"); break;
  }
  fprintf(t, "  st.global.u64 [%%out+%d], %%v;\n", at);
}

/* The value of the result register if the operation did not run. */
static uint64_t untouched (char letter) { return letter == 'p' ? 1 : 77; }

static void add_untouched (FILE *t, char letter) {
  if (letter == 'p') fprintf(t, "  setp.eq.u32 %%d, 0, 0;\n");
  else if (letter == 'f') fprintf(t, "  mov.b32 %%d, 77;\n");
  else fprintf(t, "  mov.%s %%d, 77;\n", letter == 'd' ? "b64" : register_type(letter));
}

static void add_kernel (FILE *t, int number, const op_case *k) {
  fprintf(t,
          ".visible .entry k%d (.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 "
          "p3, .param .u64 p4)\n{\n",
          number);
  fprintf(
    t,
    "  .reg .b32 %%t<4>; .reg .b64 %%l<4>; .reg .b16 %%h<4>; .reg .pred %%q<4>; .reg .b8 %%y<4>;\n"
    "  .reg .b64 %%in<4>; .reg .b64 %%out, %%v; .reg .b32 %%i, %%w; .reg .pred %%even;\n"
    "  mov.u32 %%i, %%ctaid.x; mov.u32 %%w, %%tid.x; mad.lo.s32 %%i, %%i, 32, %%w;\n");
  for (int i = 0; i < 4; i++)
    fprintf(t, "  ld.param.u64 %%in%d, [p%d]; mad.wide.u32 %%in%d, %%i, 8, %%in%d;\n", i, i, i, i);
  fprintf(t, "  ld.param.u64 %%out, [p4]; mad.wide.u32 %%out, %%i, 16, %%out;\n");
  add_loads(t, k->operands, "dabce");
  add_operation(t, k);
  add_result(t, k->operands[0], 0);
  add_untouched(t, k->operands[0]);
  fprintf(t, "  mov.u32 %%w, %%tid.x; and.b32 %%w, %%w, 1; setp.eq.u32 %%even, %%w, 0;\n  "
             "@%%even bra SKIP;\n");
  add_operation(t, k);
  fprintf(t, "SKIP:\n");
  add_result(t, k->operands[0], 8);
  fprintf(t, "  ret;\n}\n\n");
}

/* Does a case hold on the CPU device alone, or need more than sm_90? */
static bool is_own (const op_case *k) {
  static const char *const formats[] = { "e2m", "e3m2", "ue8m0" };
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strstr(k->text, formats[i]) != NULL) return true;
  return k->own;
}

/* The module of all cases; `own`: with those that hold on the CPU device alone. */
static void write_cases (FILE *t, int arch, bool own) {
  fprintf(t, ".version 8.6\n.target sm_%d\n.address_size 64\n\n", arch);
  for (int i = 0; i < NUM_CASES; i++)
    if (own || !is_own(&cases[i])) add_kernel(t, i, &cases[i]);
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

static bool is_pair (const char *text) { return strstr(text, "f32x2") != NULL; }

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
  if (is_pair(text)) return fbits((float)any_float()) | (uint64_t)fbits((float)any_float()) << 32;
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

static bool same_float (uint64_t got, uint64_t want) {
  return (uint32_t)got == (uint32_t)want || (isnan(as_f(got)) && isnan(as_f(want)));
}

/* All NaNs are equal, also in each half of a pair. */
static bool same_value (const op_case *k, uint64_t got, uint64_t want) {
  char letter = k->operands[0];
  if (got == want) return true;
  if (letter == 'f') return isnan(as_f(got)) && isnan(as_f(want));
  if (letter == 'd') return isnan(as_d(got)) && isnan(as_d(want));
  if (is_pair(k->text)) return same_float(got, want) && same_float(got >> 32, want >> 32);
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

static bool check_value (const op_case *k, const arrays *v, int n, uint64_t got, FILE *out) {
  uint64_t a = v->in[0][n], b = v->in[1][n], c = v->in[2][n], e = v->in[3][n];
  for (int i = 1; k->operands[i] && k->operands[i] != ','; i++)
    if (k->operands[i] == 'p') *(uint64_t *[]){ &a, &b, &c, &e }[i - 1] &= 1;
  uint32_t lane = (uint32_t)n % LANES;
  if (k->exact != NULL) {
    uint64_t want = cut(k->exact(a, b, c, e, lane), k->operands[0]);
    if (same_value(k, got, want)) return true;
    fprintf(out, "%s: of %llx %llx %llx %llx is %llx, should be %llx\n", k->text,
            (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
            (unsigned long long)e, (unsigned long long)got, (unsigned long long)want);
    return false;
  }
  double want = k->near(a, b, c, e, lane);
  if (near_value(k, as_f(got), want)) return true;
  fprintf(out, "%s: of %.9g %.9g is %.9g, should be near %.17g\n", k->text, (double)as_f(a),
          (double)as_f(b), (double)as_f(got), want);
  return false;
}

/* The inputs of a case, the same in every run. */
static void make_inputs (int number, const arrays *v) {
  random_state = 88172645463325252u + (uint64_t)number;
  fill(&cases[number], v);
}

/* Compares results, two per value, with all lanes on and with the odd ones only; returns the number
 * of wrong ones, up to 3, with a line each in `out`. */
static int wrong_results (int number, const arrays *v, FILE *out) {
  const op_case *k = &cases[number];
  int wrong = 0;
  for (int n = 0; n < VALUES && wrong < 3; n++) {
    uint64_t full = v->out[2 * n], masked = v->out[2 * n + 1];
    bool runs = n % 2 == 1;
    bool keeps =
      runs ? same_value(k, masked, full) || k->exact == NULL || strstr(k->text, "clock") != NULL
           : masked == untouched(k->operands[0]);
    if (!keeps) {
      fprintf(out, "%s: lane %d with some lanes off: %llx, all on: %llx\n", k->text, n % LANES,
              (unsigned long long)masked, (unsigned long long)full);
      wrong++;
    }
    if (!check_value(k, v, n, full, out)) wrong++;
    if (runs && k->exact == NULL && !check_value(k, v, n, masked, out)) wrong++;
  }
  return wrong;
}

#endif
