/* ptx_jit_function.c: a function's code as a module of LLVM's assembly language. */
#include <stddef.h>

#include "ptx_jit_alu.h"
#include "ptx_jit_text.h"

static void declare (ptx_jit_emitter *E) {
  static const char *const memory[] = { "i8", "i16", "i32", "i64" };
  for (size_t k = 0; k < lcu_arraylen(memory); k++) {
    const char *t = memory[k];
    lcu_buf_addf(&E->out,
                 "declare void @llvm.masked.store.v32%s.p0(<32 x %s>, ptr, i32, <32 x i1>)\n"
                 "declare <32 x %s> @llvm.masked.load.v32%s.p0(ptr, i32, <32 x i1>, <32 x %s>)\n",
                 t, t, t, t, t);
  }
  lcu_buf_adds(&E->out, "declare i32 @llvm.cttz.i32(i32, i1)\n");
  ptx_jit_declare(E);
  lcu_buf_adds(&E->out, "declare i32 @llvm.vector.reduce.or.v32i32(<32 x i32>)\n"
                        "declare i64 @llvm.usub.sat.i64(i64, i64)\n");
  lcu_buf_adds(&E->out, "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" "
                        "\"min-legal-vector-width\"=\"512\" }\n");
}

static void named_field (ptx_jit_emitter *E, const char *name, size_t offset, const char *type) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p, offset);
  lcu_buf_addf(&E->out, "  %%%s = load %s, ptr %%t%u" PTX_JIT_WARP "\n", name, type, p);
}

static void variables (ptx_jit_emitter *E) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) ptx_jit_declare_variable(E, v);
}

/* %first: the first lane that is on; %first0 and %first1: in each row, if any is. */
static void head (ptx_jit_emitter *E) {
  variables(E);
  named_field(E, "limit", offsetof(ptx_warp, limit), "i32");
  named_field(E, "params", offsetof(ptx_warp, params), "ptr");
  for (uint32_t k = 0; k < 3; k++) E->first[k] = ptx_jit_number(E);
  E->bits = ptx_jit_number(E);
  if (E->full) {
    lcu_buf_addf(&E->out,
                 "  %%t%u = add i32 0, 0\n  %%t%u = add i32 0, 0\n  %%t%u = add i32 16, 0\n"
                 "  %%t%u = add i32 0, -1\n",
                 E->first[0], E->first[1], E->first[2], E->bits);
    return;
  }
  named_field(E, "bits", offsetof(ptx_warp, mask), "i32");
  named_field(E, "lanes", offsetof(ptx_warp, lanes), "<32 x i32>");
  lcu_buf_adds(&E->out, "  %mask = icmp ne <32 x i32> %lanes, zeroinitializer\n"
                        "  %first = call i32 @llvm.cttz.i32(i32 %bits, i1 false)\n"
                        "  %low = or i32 %bits, 32768\n"
                        "  %first0 = call i32 @llvm.cttz.i32(i32 %low, i1 false)\n"
                        "  %high = and i32 %bits, -65536\n  %upper = or i32 %high, -2147483648\n"
                        "  %first1 = call i32 @llvm.cttz.i32(i32 %upper, i1 false)\n");
  lcu_buf_addf(&E->out,
               "  %%t%u = add i32 %%first, 0\n  %%t%u = add i32 %%first0, 0\n"
               "  %%t%u = add i32 %%first1, 0\n  %%t%u = add i32 %%bits, 0\n",
               E->first[0], E->first[1], E->first[2], E->bits);
}

static void stub (ptx_jit_emitter *E, uint32_t i) {
  lcu_buf_addf(&E->out, "E%u:\n", i);
  for (uint32_t v = 0; v < E->f->num_vars; v++)
    if (ptx_jit_has(&E->f->live, i, v)) ptx_jit_load(E, i, v);
  lcu_buf_addf(&E->out, "  br label %%L%u\n", i);
}

static void entries (ptx_jit_emitter *E) {
  const ptx_jit_facts *f = E->f;
  lcu_buf_adds(&E->out, "  switch i32 %entry, label %none [\n");
  for (uint32_t i = 0; i < f->code->num_uops; i++)
    if (f->entry[i]) lcu_buf_addf(&E->out, "    i32 %u, label %%E%u\n", i, i);
  lcu_buf_adds(&E->out, "  ]\nnone:\n  unreachable\n");
  for (uint32_t i = 0; i < f->code->num_uops; i++)
    if (f->entry[i]) stub(E, i);
}

/* Returns whether control goes on behind it. */
static bool operation (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  switch (ptx_jit_flow_of(I)) {
    case PTX_JIT_JUMP: ptx_jit_jump(E, i); return false;
    case PTX_JIT_BRANCH: ptx_jit_branch(E, i); return false;
    case PTX_JIT_GUARD: ptx_jit_guard(E, i); return false;
    case PTX_JIT_LEAVES:
    case PTX_JIT_ENDS: ptx_jit_leave(E, i); return false;
    default: break;
  }
  if (ptx_jit_widens(E->f, i) && !ptx_jit_alu_knows(I)) {
    ptx_jit_give_up(E, i);
    return false;
  }
  if (ptx_jit_alu_knows(I)) ptx_jit_alu(E, i);
  else if (!ptx_jit_access(E, i) && !ptx_jit_atomic(E, i)) ptx_jit_call(E, i);
  return true;
}

static void function (ptx_jit_emitter *E) {
  const ptx_jit_facts *f = E->f;
  lcu_buf_addf(&E->out,
               "define ptr @ptx_%s(i32 %%entry, ptr noalias %%rf, ptr %%w, ptr %%uops) #0 {\n",
               E->full ? "full" : "masked");
  ptx_jit_groups(E);
  ptx_jit_find_stretches(E);
  head(E);
  entries(E);
  bool open = false;
  for (uint32_t i = 0; i < f->code->num_uops; i++) {
    if (f->leader[i] || !open) {
      if (open) lcu_buf_addf(&E->out, "  br label %%L%u\n", i);
      lcu_buf_addf(&E->out, "L%u:\n", i);
    }
    if (E->stretches[i] == 0) open = operation(E, i);
    else {
      ptx_jit_stretch(E, i);
      i = E->stretches[i] - 1;
      open = true;
    }
  }
  lcu_buf_adds(&E->out, open ? "  unreachable\n}\n" : "}\n");
}

static void free_tables (ptx_jit_emitter *E) {
  lcu_free(E->groups);
  lcu_free(E->stretches);
  lcu_free(E->sources);
  lcu_free(E->split);
}

bool ptx_jit_module (const ptx_jit_facts *f, bool full, lcu_buf *out) {
  ptx_jit_emitter E = { .f = f, .full = full };
  uint32_t num = f->code->num_uops;
  E.groups = lcu_calloc(num, sizeof *E.groups);
  E.stretches = lcu_calloc(num, sizeof *E.stretches);
  E.sources = lcu_calloc(num, sizeof *E.sources);
  E.split = lcu_calloc(f->num_vars + 1, sizeof *E.split);
  if (E.groups == NULL || E.stretches == NULL || E.sources == NULL || E.split == NULL) {
    free_tables(&E);
    return false;
  }
  declare(&E);
  function(&E);
  ptx_jit_helpers(&E);
  ptx_jit_atomic_functions(&E);
  lcu_buf_adds(&E.out, "!0 = !{!\"branch_weights\", i32 4000, i32 1}\n"
                       "!1 = !{!\"branch_weights\", i32 1, i32 4000}\n"
                       "!2 = distinct !{!2}\n!3 = distinct !{!3, !2}\n!4 = !{!3}\n");
  free_tables(&E);
  *out = E.out;
  return !E.out.failed;
}
