/* test_ptx_races.c: which two accesses to shared or global memory `all` checks report as a race.
 * One thread makes the first access, another, in the same warp, block or another one, the second
 * after waiting for a volatile flag. The flag does not order the accesses, so they race if the
 * rules below say so. */
#include "ptx_exec_check.h"

typedef enum kind { READ, WRITE, ATOMIC, VOLATILE, KINDS } kind;
typedef enum between { NOTHING, FENCE, BARRIER, WARP_SYNC, BETWEENS } between;
typedef struct touch {
  kind kind;
  uint32_t thread, offset, bytes; /* thread: in blocks of 64 */
} touch;

enum { THREADS = 64, BYTES = 512 };

static const char *const kind_names[] = { "read", "write", "atomic", "volatile" };

/* ---- the kernel */

static void add_access (lcu_buf *b, const touch *t, const char *space, const char *at) {
  static const char *const operands[] = {
    [1] = "%h0", [2] = "%h0", [4] = "%r4", [8] = "%l4", [16] = "{%r4, %r5, %r6, %r7}"
  };
  static const char *const types[] = {
    [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64", [16] = "v4.u32"
  };
  const char *type = types[t->bytes], *operand = operands[t->bytes];
  switch (t->kind) {
    case READ: lcu_buf_addf(b, "ld.%s.%s %s, [%s+%u];", space, type, operand, at, t->offset); break;
    case ATOMIC:
      lcu_buf_addf(b, "atom.%s.add.%s %s, [%s+%u], 1;", space, type, operand, at, t->offset);
      break;
    default:
      lcu_buf_addf(b, "st%s.%s.%s [%s+%u], %s;", t->kind == VOLATILE ? ".volatile" : "", space,
                   type, at, t->offset, operand);
      break;
  }
}

/* One access after the other, counted by the flag. Each stores another value in every byte. */
static void add_turn (lcu_buf *b, const touch *t, int turn, between what, bool global) {
  const char *space = global ? "global" : "shared", *at = global ? "%l0" : "sm";
  lcu_buf_addf(
    b,
    "setp.ne.u32 %%p0, %%r0, %u; @%%p0 bra PAST%d;\n"
    "WAIT%d: ld.volatile.%s.u32 %%r2, [%s+%d]; setp.ne.u32 %%p1, %%r2, %d; @%%p1 bra WAIT%d;\n"
    "mul.lo.u32 %%r3, %%r2, 0x01010101; mov.b64 %%l4, {%%r3, %%r3}; add.u64 %%l4, %%l4, "
    "0x0101010101010101; "
    "mov.b64 {%%r4, %%r5}, %%l4; mov.b64 {%%r6, %%r7}, %%l4; cvt.u16.u64 %%h0, %%l4;\n",
    t->thread, turn, turn, space, at, BYTES, turn, turn);
  add_access(b, t, space, at);
  lcu_buf_addf(b, "\n%s st.volatile.%s.u32 [%s+%d], %d;\nPAST%d: %s\n",
               what == FENCE ? "membar.gl;" : "", space, at, BYTES, turn + 1, turn,
               what == BARRIER     ? "bar.sync 0;"
               : what == WARP_SYNC ? "bar.warp.sync 0xffffffff;"
                                   : "");
}

static ptx_module *kernel_of (const touch *touches, int n, between what, bool global) {
  lcu_buf b = { 0 };
  ptx_module *m = NULL;
  lcu_buf_addf(
    &b, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k (.param .u64 p0)\n{\n"
        ".reg .b16 %%h<2>; .reg .b32 %%r<8>; .reg .b64 %%l<8>; .reg .pred %%p<2>; .shared .align "
        "16 .b8 sm[528];\n"
        "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, sm; mad.lo.u32 %%r1, %%r0, 8, %%r1; mov.u64 %%l4, 0; "
        "st.shared.u64 [%%r1], %%l4; st.volatile.shared.u32 [sm+512], 0; bar.sync 0;\n"
        "ld.param.u64 %%l0, [p0]; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r0, %%r1, 64, %%r0;\n");
  for (int i = 0; i < n; i++) add_turn(&b, &touches[i], i, what, global);
  lcu_buf_addf(&b, "ret;\n}\n");
  lcu_status s = ptx_module_load(b.data, b.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, (const char *)b.data);
  lcu_buf_free(&b);
  return m;
}

/* Runs the accesses with `all` checks. */
static lcu_status run (const touch *touches, int n, between what, bool global, ptx_fault *f) {
  fix_clear(&x);
  ptx_module *m = kernel_of(touches, n, what, global);
  if (m == NULL) return LCU_E_SYNTAX;
  uint32_t blocks = touches[0].thread < THREADS && touches[n - 1].thread < THREADS ? 1 : 2;
  ptx_launch l = fix_launch(&x, m, "k", blocks, THREADS);
  l.check = PTX_CHECK_ALL;
  lcu_status s = fix_run(&l, f, 1, ARG(ints((BYTES + 16) / 4)));
  ptx_module_free(m);
  return s;
}

/* ---- the rules */

static uint32_t overlap (const touch *a, const touch *b) {
  uint32_t from = a->offset > b->offset ? a->offset : b->offset;
  uint32_t to =
    a->offset + a->bytes < b->offset + b->bytes ? a->offset + a->bytes : b->offset + b->bytes;
  return from < to ? from : UINT32_MAX;
}

/* Reads do not race with each other, nor do atomics; volatile accesses are intended. */
static bool collide (kind a, kind b) {
  if (a == VOLATILE || b == VOLATILE) return false;
  return a == WRITE || b == WRITE || (a == ATOMIC) != (b == ATOMIC);
}

/* A barrier orders the threads of a block or warp; a fence may announce the access to any
 * thread. */
static bool may_be_ordered (const touch *a, const touch *b, between what) {
  return what == FENCE || (what == BARRIER && a->thread / THREADS == b->thread / THREADS) ||
         (what == WARP_SYNC && a->thread / 32 == b->thread / 32);
}

static bool is_race (const touch *a, const touch *b, between what) {
  return a->thread != b->thread && overlap(a, b) != UINT32_MAX && collide(a->kind, b->kind) &&
         !may_be_ordered(a, b, what);
}

/* ---- the cases */

static void check_other (const ptx_fault *f, const touch *a, const char *pair) {
  CHECK(f->other.thread[0] == a->thread % THREADS && f->other.block[0] == a->thread / THREADS &&
          strcmp(f->other.access, kind_names[a->kind]) == 0,
        "%s: %s", pair, f->message);
}

static void check_pair (const touch *a, const touch *b, between what, bool global) {
  ptx_fault f;
  char text[200], pair[200];
  const touch both[] = { *a, *b };
  lcu_status s = run(both, 2, what, global, &f);
  snprintf(pair, sizeof pair, "%s %s of %u at %u by %u, %s of %u at %u by %u, %s",
           global ? "global" : "shared", kind_names[a->kind], a->bytes, a->offset, a->thread,
           kind_names[b->kind], b->bytes, b->offset, b->thread,
           what == BARRIER     ? "barrier"
           : what == FENCE     ? "fence"
           : what == WARP_SYNC ? "__syncwarp"
                               : "nothing between");
  if (is_race(a, b, what)) {
    snprintf(text, sizeof text, "%s of the shared byte at offset 0x%x (byte %u of `sm`), ",
             kind_names[b->kind], overlap(a, b), overlap(a, b));
    CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_RACE && f.thread[0] == b->thread % THREADS,
          "%s: %s", pair, f.message);
    if (s == LCU_E_FAULT) check_other(&f, a, pair);
    CHECK(s == LCU_OK || global || strstr(f.message, text) != NULL, "%s: %s", pair, f.message);
  } else CHECK(s == LCU_OK, "%s: %s", pair, f.message);
}

/* Atomics operate on words. */
static touch touch_of (kind k, uint32_t thread, uint32_t offset, uint32_t bytes) {
  if (k == ATOMIC && bytes < 4) bytes = 4;
  if (k == ATOMIC && bytes > 8) bytes = 8;
  return (touch){ k, thread, offset / bytes * bytes, bytes };
}

typedef struct shape {
  uint32_t offset_a, bytes_a, offset_b, bytes_b;
} shape;
static const shape shapes[] = { { 8, 4, 8, 4 },    { 8, 4, 12, 4 },    { 8, 1, 9, 1 },
                                { 9, 1, 9, 1 },    { 8, 2, 10, 2 },    { 8, 2, 9, 1 },
                                { 13, 1, 8, 8 },   { 0, 16, 12, 4 },   { 0, 16, 15, 1 },
                                { 0, 16, 16, 16 }, { 496, 16, 508, 4 } };

static void test_pairs (void) {
  static const uint32_t threads[][2] = { { 3, 40 }, { 63, 0 },  { 3, 5 },  { 33, 62 },
                                         { 7, 7 },  { 70, 10 }, { 10, 70 } };
  for (size_t i = 0; i < lcu_arraylen(shapes); i++)
    for (int n = 0; n < KINDS * KINDS * BETWEENS * (int)lcu_arraylen(threads); n++) {
      const uint32_t *by = threads[n / (KINDS * KINDS * BETWEENS)];
      touch a = touch_of((kind)(n % KINDS), by[0], shapes[i].offset_a, shapes[i].bytes_a);
      touch b = touch_of((kind)(n / KINDS % KINDS), by[1], shapes[i].offset_b, shapes[i].bytes_b);
      between what = (between)(n / (KINDS * KINDS) % BETWEENS);
      if (by[0] < THREADS && by[1] < THREADS) check_pair(&a, &b, what, false);
      if (i % 2 == 0) check_pair(&a, &b, what, true);
    }
}

/* Several threads read, one writes or counts: the report names a reader that is not the writer. Of
 * two warps that read, one reader each is known. */
static void test_readers (void) {
  static const struct {
    uint32_t readers[3], writer;
    int named;
  } cases[] = { { { 3, 40, 41 }, 5, 3 },    { { 3, 40, 4 }, 5, 4 },    { { 40, 3, 4 }, 5, 40 },
                { { 3, 4, 40 }, 40, 3 },    { { 40, 41, 3 }, 42, 40 }, { { 3, 4, 5 }, 6, 3 },
                { { 40, 41, 42 }, 40, 42 }, { { 3, 3, 3 }, 3, -1 },    { { 3, 40, 3 }, 3, 40 } };
  for (size_t i = 0; i < lcu_arraylen(cases); i++)
    for (int k = WRITE; k <= ATOMIC; k++) {
      ptx_fault f;
      touch touches[4];
      for (int r = 0; r < 3; r++) touches[r] = (touch){ READ, cases[i].readers[r], 16, 4 };
      touches[3] = (touch){ (kind)k, cases[i].writer, 16, 4 };
      lcu_status s = run(touches, 4, NOTHING, false, &f);
      if (cases[i].named < 0) CHECK(s == LCU_OK, "case %zu: %s", i, f.message);
      else
        CHECK(s == LCU_E_FAULT && f.kind == PTX_FAULT_RACE &&
                (int)f.other.thread[0] == cases[i].named,
              "case %zu: %s", i, f.message);
    }
}

static void run_all (void) {
  test_pairs();
  test_readers();
}

int main (void) { return run_with_teams(run_all); }
