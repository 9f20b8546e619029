/* test_ptx_jit_memory.c: one allocation after the other fails while the text of a kernel for LLVM
 * is made, from the claims about its registers on. The text is complete or missing, and nothing
 * leaks. Runs without libLLVM. */
#include "ptx_front.h"
#include "ptx_jit_wrap.h"
#include "ptx_shape.h"

/* PIECES is so large that each table has an allocation of its own. */
enum { PIECES = 90, UNTOUCHED = 40, MOST = 5000 };

static const char head[] =
  FRONT_HEAD ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
             ".reg .pred %p<99>; .reg .b32 %r<999>; .reg .b64 %d<99>; .reg .f32 %f<99>;\n"
             ".shared .align 16 .b8 s[4096];\n"
             "ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;\n"
             "mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1; shl.b32 %r3, %r1, 2;\n"
             "add.s32 %r3, %r2, %r3; mov.u32 %r9, 0;\n";

/* Loads, stores and arithmetic on registers of its own, lanes that part, and a loop; # is its
 * number. */
static const char piece[] =
  "ld.global.u32 %r#0, [%d1+#00]; ld.global.v2.u32 {%r#1, %r#2}, [%d0+64];\n"
  "mad.lo.s32 %r#3, %r#0, %r#1, %r1; st.shared.u32 [%r3+#00], %r#3;\n"
  "cvt.rn.f32.s32 %f#, %r#3; sqrt.rn.f32 %f#, %f#; setp.lt.f32 %p#, %f#, 0f41200000;\n"
  "@%p# bra A#;\nmov.u32 %r#4, 0;\n"
  "B#:\nadd.s32 %r#4, %r#4, 1; ld.shared.u32 %r#5, [%r3]; setp.lt.u32 %p0, %r#4, %r0;\n"
  "xor.b32 %r9, %r9, %r#5; @%p0 bra B#;\nA#:\n"
  "cvt.rzi.s32.f32 %r#6, %f#; st.global.u32 [%d1+#00], %r#6; add.s32 %r9, %r9, %r#6;\n";

static void add_piece (lcu_buf *b, int number) {
  for (const char *at = piece; *at != '\0'; at++) {
    if (*at == '#') lcu_buf_addf(b, "%d", number);
    else lcu_buf_add(b, at, 1);
  }
}

static ptx_module *load (void) {
  lcu_buf b = { 0 };
  lcu_buf_adds(&b, head);
  for (int k = 1; k <= PIECES; k++) add_piece(&b, k);
  lcu_buf_adds(&b, "st.global.u32 [%d1], %r9; ret;\n}\n");
  ptx_module *m = front_load(b.data);
  lcu_buf_free(&b);
  CHECK(ptx_kernel_prepare(ptx_module_kernel(m, "k")) == LCU_OK, "%s", lcu_failure_get()->message);
  return m;
}

typedef struct made {
  bool ok;
  lcu_buf claims, text;
} made;

/* In an arena each, whose chunks are small at first, so that large tables do not share one. */
enum { STAGES = 7 };

static bool find_facts (ptx_jit_facts *f, lcu_arena a[STAGES]) {
  return ptx_jit_find_variables(f, &a[1]) && ptx_jit_mark_flow(f, &a[2]) &&
         ptx_jit_find_live(f, &a[3]) && ptx_jit_find_dirty(f, &a[4]) &&
         ptx_jit_find_wraps(f, &a[5]) && ptx_jit_find_values(f, &a[6]);
}

static bool write_text (ptx_jit_emitter *E, const ptx_jit_facts *f, bool full) {
  if (!ptx_jit_emitter_begin(E, f, full)) return false;
  ptx_jit_groups(E);
  ptx_jit_find_stretches(E);
  return ptx_jit_module(E);
}

/* With all checks on, too. The nth allocation fails; 0: none does. */
static made make (ptx_function *fn, bool full, bool checked, long n) {
  made m = { 0 };
  lcu_arena arenas[STAGES] = { 0 };
  ptx_jit_emitter E = { 0 };
  lcu_mem_fail_at(n);
  ptx_jit_facts f = { .code = fn->code,
                      .claims = ptx_shape_make(fn, PTX_BLOCKS_ANY, &arenas[0]),
                      .checked = checked };
  m.ok = f.claims != NULL && find_facts(&f, arenas) && write_text(&E, &f, full);
  lcu_mem_fail_at(0);
  if (f.claims != NULL) ptx_shape_dump(f.claims, &m.claims);
  m.text = E.out;
  ptx_jit_emitter_end(&E);
  for (int k = 0; k < STAGES; k++) lcu_arena_free(&arenas[k]);
  return m;
}

static void end (made *m) {
  lcu_buf_free(&m->claims);
  lcu_buf_free(&m->text);
}

static bool equal (const lcu_buf *a, const lcu_buf *b) {
  return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Claims may be weaker for want of memory, and so the text of them. */
static void check_half (ptx_function *f, bool full, bool checked) {
  made want = make(f, full, checked, 0);
  int same = 0, refused = 0;
  long n = 0, before = lcu_mem_live();
  CHECK(want.ok && want.text.len > 100000, "%zu characters", want.text.len);
  while (same < UNTOUCHED && n < MOST) {
    made got = make(f, full, checked, ++n);
    bool full_claims = equal(&got.claims, &want.claims);
    if (!got.ok) refused++;
    CHECK(!got.ok || !full_claims || equal(&got.text, &want.text), "allocation %ld", n);
    same = got.ok && full_claims ? same + 1 : 0;
    end(&got);
    CHECK(lcu_mem_live() == before, "allocation %ld", n);
  }
  CHECK(same == UNTOUCHED && refused > 20, "%d refused", refused);
  end(&want);
}

int main (void) {
  long before = lcu_mem_live();
  ptx_module *m = load();
  for (int k = 0; k < 4; k++) check_half(front_function(m, "k"), k % 2 == 0, k >= 2);
  ptx_module_free(m);
  CHECK(lcu_mem_live() == before, "%ld allocations left", lcu_mem_live() - before);
  return check_result();
}
