/* test_ptx_races.c: which two accesses to shared memory all checks call a race. One thread makes the first access, another the second, which
 * waits for the first through a volatile flag: that orders nothing, so a race it is if the rules below say so. */
#include "ptx_exec_check.h"

typedef enum kind { READ, WRITE, ATOMIC, VOLATILE, KINDS } kind;
typedef enum between { NOTHING, FENCE, BARRIER, BETWEENS } between;
typedef struct touch { kind kind; uint32_t thread, offset, bytes; } touch;

static const char *const kind_names[] = { "read", "write", "atomic", "volatile" };
static const char *const separators[] = { "", "membar.cta;", "" };

/* ---- the kernel */

static void add_access (lcu_buf *b, const touch *t) {
  static const char *const operands[] = { [1] = "%h0", [2] = "%h0", [4] = "%r4", [8] = "%l4", [16] = "{%r4, %r5, %r6, %r7}" };
  static const char *const types[] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64", [16] = "v4.u32" };
  const char *type = types[t->bytes], *operand = operands[t->bytes];
  switch (t->kind) {
    case READ: lcu_buf_addf(b, "ld.shared.%s %s, [sm+%u];", type, operand, t->offset); break;
    case ATOMIC: lcu_buf_addf(b, "atom.shared.add.%s %s, [sm+%u], 1;", type, operand, t->offset); break;
    default: lcu_buf_addf(b, "st%s.shared.%s [sm+%u], %s;", t->kind == VOLATILE ? ".volatile" : "", type, t->offset, operand); break;
  }
}

static ptx_module *kernel_of (const touch *first, const touch *second, between what) {
  lcu_buf b = {0};
  ptx_module *m = NULL;
  lcu_buf_addf(&b, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k (.param .u64 p0)\n{\n"
    ".reg .b16 %%h<2>; .reg .b32 %%r<8>; .reg .b64 %%l<8>; .reg .pred %%p<2>; .shared .align 16 .b8 sm[512]; .shared .u32 flag;\n"
    "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, sm; mad.lo.u32 %%r1, %%r0, 8, %%r1; mov.u64 %%l4, 0; st.shared.u64 [%%r1], %%l4;\n"
    "st.volatile.shared.u32 [flag], 0; bar.sync 0;\n"
    "mov.u16 %%h0, 0; mov.u32 %%r4, 0; mov.u32 %%r5, 0; mov.u32 %%r6, 0; mov.u32 %%r7, 0;\n"
    "setp.ne.u32 %%p0, %%r0, %u; @%%p0 bra PAST;\n", first->thread);
  add_access(&b, first);
  lcu_buf_addf(&b, "\n%s st.volatile.shared.u32 [flag], 1;\nPAST: %s\nsetp.ne.u32 %%p0, %%r0, %u; @%%p0 bra END;\n"
    "WAIT: ld.volatile.shared.u32 %%r2, [flag]; setp.eq.u32 %%p1, %%r2, 0; @%%p1 bra WAIT;\n",
    separators[what], what == BARRIER ? "bar.sync 0;" : "", second->thread);
  add_access(&b, second);
  lcu_buf_addf(&b, "\nEND: ret;\n}\n");
  lcu_status s = ptx_module_load(b.data, b.len, &x.host, &m);
  CHECK(s == LCU_OK, "%s\n%s", lcu_failure_get()->message, (const char *)b.data);
  lcu_buf_free(&b);
  return m;
}

/* ---- the rules */

static uint32_t overlap (const touch *a, const touch *b) {
  uint32_t from = a->offset > b->offset ? a->offset : b->offset;
  uint32_t to = a->offset + a->bytes < b->offset + b->bytes ? a->offset + a->bytes : b->offset + b->bytes;
  return from < to ? from : UINT32_MAX;
}

/* Reads do not disturb each other, nor do atomics; volatile accesses are meant. */
static bool collide (kind a, kind b) {
  if (a == VOLATILE || b == VOLATILE) return false;
  return a == WRITE || b == WRITE || (a == ATOMIC) != (b == ATOMIC);
}

/* A fence may announce what was written, and an atomic that this one has read before it counted; who only read has told nobody that
 * may write. */
static bool announced (kind a, kind b, between what) { return what == FENCE && !(a == READ && b == WRITE); }

static bool is_race (const touch *a, const touch *b, between what) {
  return a->thread / 32 != b->thread / 32 && overlap(a, b) != UINT32_MAX && collide(a->kind, b->kind)
      && what != BARRIER && !announced(a->kind, b->kind, what);
}

/* ---- the cases */

static void check_pair (const touch *a, const touch *b, between what) {
  ptx_fault f;
  char text[200], pair[200];
  fix_clear(&x);
  ptx_module *m = kernel_of(a, b, what);
  if (m == NULL) return;
  ptx_launch l = fix_launch(&x, m, "k", 1, 64);
  l.check = PTX_CHECK_ALL;
  lcu_status s = fix_run(&l, &f, 1, UINT64_C(0));
  snprintf(pair, sizeof pair, "%s of %u at %u by %u, %s of %u at %u by %u, %s", kind_names[a->kind], a->bytes, a->offset, a->thread,
           kind_names[b->kind], b->bytes, b->offset, b->thread, what == BARRIER ? "barrier" : what == FENCE ? "fence" : "nothing between");
  if (is_race(a, b, what)) {
    snprintf(text, sizeof text, "%s of the shared byte at offset 0x%x and the %s of thread (%u,0,0) before it", kind_names[b->kind],
             overlap(a, b), kind_names[a->kind], a->thread);
    CHECK(s == LCU_E_FAULT && strcmp(f.kind, "race") == 0 && f.thread[0] == b->thread, "%s: %s", pair, f.message);
    CHECK(s == LCU_OK || strstr(f.message, text) != NULL, "%s: %s", pair, f.message);
  }
  else CHECK(s == LCU_OK, "%s: %s", pair, f.message);
  ptx_module_free(m);
}

/* Atomics are of words. */
static touch touch_of (kind k, uint32_t thread, uint32_t offset, uint32_t bytes) {
  if (k == ATOMIC && bytes < 4) bytes = 4;
  if (k == ATOMIC && bytes > 8) bytes = 8;
  return (touch){ k, thread, offset / bytes * bytes, bytes };
}

typedef struct shape { uint32_t offset_a, bytes_a, offset_b, bytes_b; } shape;
static const shape shapes[] = {
  { 8, 4, 8, 4 }, { 8, 4, 12, 4 }, { 8, 1, 9, 1 }, { 9, 1, 9, 1 }, { 8, 2, 10, 2 }, { 8, 2, 9, 1 }, { 13, 1, 8, 8 },
  { 0, 16, 12, 4 }, { 0, 16, 15, 1 }, { 0, 16, 16, 16 }, { 496, 16, 508, 4 }
};

static void test_pairs (void) {
  static const uint32_t threads[][2] = { { 3, 40 }, { 63, 0 }, { 3, 5 }, { 33, 62 }, { 7, 7 } };
  for (size_t i = 0; i < lcu_arraylen(shapes); i++)
    for (int n = 0; n < KINDS * KINDS * BETWEENS * (int)lcu_arraylen(threads); n++) {
      const uint32_t *by = threads[n / (KINDS * KINDS * BETWEENS)];
      touch a = touch_of((kind)(n % KINDS), by[0], shapes[i].offset_a, shapes[i].bytes_a);
      touch b = touch_of((kind)(n / KINDS % KINDS), by[1], shapes[i].offset_b, shapes[i].bytes_b);
      check_pair(&a, &b, (between)(n / (KINDS * KINDS) % BETWEENS));
    }
}

int main (void) { return run_with_teams(test_pairs); }
