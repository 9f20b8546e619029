/* ptx_jit_function.c: a function's code as a module of LLVM's assembly language. */
#include <stddef.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit.h"
#include "ptx_jit_emit.h"
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
  for (uint32_t b = 32; b <= 64; b += 32)
    lcu_buf_addf(&E->out,
                 "declare <32 x i%u> @llvm.masked.gather.v32i%u.v32p0(<32 x ptr>, i32, <32 x i1>, "
                 "<32 x i%u>)\n",
                 b, b, b);
  lcu_buf_adds(&E->out, "declare i32 @llvm.cttz.i32(i32, i1)\n");
  ptx_jit_declare(E);
  lcu_buf_adds(&E->out, "declare i32 @llvm.vector.reduce.or.v32i32(<32 x i32>)\n"
                        "declare i64 @llvm.usub.sat.i64(i64, i64)\n"
                        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n");
  lcu_buf_adds(&E->out, "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" "
                        "\"min-legal-vector-width\"=\"512\" }\n");
}

static void named_field (ptx_jit_emitter *E, const char *name, size_t offset, const char *type) {
  uint32_t p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p, offset);
  lcu_buf_addf(&E->out, "  %%%s = load %s, ptr %%t%u" PTX_JIT_WARP "\n", name, type, p);
}

static void emit_variables (ptx_jit_emitter *E) {
  for (uint32_t v = 0; v < E->f->num_vars; v++) ptx_jit_declare_variable(E, v);
}

/* %first: the first lane that is on; %first0 and %first1: in each row, if any is. */
static void lanes (ptx_jit_emitter *E) {
  for (uint32_t k = 0; k < 3; k++) E->first[k] = ptx_jit_number(E);
  E->bits = ptx_jit_number(E);
  if (E->full) {
    lcu_buf_addf(&E->out,
                 "  %%t%u = add i32 0, 0\n  %%t%u = add i32 0, 0\n  %%t%u = add i32 16, 0\n"
                 "  %%t%u = add i32 0, -1\n",
                 E->first[0], E->first[1], E->first[2], E->bits);
    return;
  }
  named_field(E, "limit", offsetof(ptx_warp, limit), "i32");
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

/* The start of the function, and of each warp's code. Variables are undefined at the start of a
 * warp; LLVM must be told, or it keeps the previous warp's values alive. */
static void function_head (ptx_jit_emitter *E) {
  lcu_buf_adds(&E->out, "begin:\n");
  E->frame_at = E->out.len;
  if (E->f->checked) lcu_buf_adds(&E->out, "  %buffer = alloca [512 x i8], align 64\n");
  emit_variables(E);
  ptx_jit_exit_frame(E);
  if (!E->rows) {
    lcu_buf_adds(&E->out, "  br label %each\neach:\n"
                          "  %w = getelementptr i8, ptr %w0, i64 0\n"
                          "  %rf = getelementptr i8, ptr %rf0, i64 0\n");
  } else {
    lcu_buf_adds(&E->out, "  br label %each\neach:\n"
                          "  %w.at = phi i64 [ 0, %begin ], [ %w.next, %step ]\n"
                          "  %rf.at = phi i64 [ 0, %begin ], [ %rf.next, %step ]\n"
                          "  %w = getelementptr i8, ptr %w0, i64 %w.at\n"
                          "  %rf = getelementptr i8, ptr %rf0, i64 %rf.at\n");
    for (uint32_t v = 0; v < E->f->num_vars; v++) ptx_jit_forget_variable(E, v);
  }
  named_field(E, "params", offsetof(ptx_warp, params), "ptr");
  named_field(E, "place", offsetof(ptx_warp, place), "ptr");
  ptx_jit_find_shared(E);
  if (E->f->checked) named_field(E, "checks", offsetof(ptx_warp, checks), "ptr");
  lanes(E);
}

static void row_field (ptx_jit_emitter *E, const char *name, size_t offset, const char *type) {
  lcu_buf_addf(&E->out, "  %%%s.p = getelementptr i8, ptr %%row, i64 %zu\n", name, offset);
  lcu_buf_addf(&E->out, "  %%%s = load %s, ptr %%%s.p" PTX_JIT_WARP "\n", name, type, name);
}

/* Starts the next warp, with a full budget. */
static void emit_step (ptx_jit_emitter *E) {
  lcu_buf_adds(&E->out, "step:\n  %less = sub i32 %left, 1\n"
                        "  store i32 %less, ptr %left.p" PTX_JIT_WARP "\n");
  if (E->stops) lcu_buf_adds(&E->out, "  store i32 %what, ptr %did.p" PTX_JIT_WARP "\n");
  row_field(E, "rf.bytes", offsetof(ptx_jit_row, rf_bytes), "i64");
  row_field(E, "w.bytes", offsetof(ptx_jit_row, warp_bytes), "i64");
  lcu_buf_addf(&E->out,
               "  %%w.next = add i64 %%w.at, %%w.bytes\n"
               "  %%rf.next = add i64 %%rf.at, %%rf.bytes\n"
               "  %%w.then = getelementptr i8, ptr %%w0, i64 %%w.next\n"
               "  %%budget.p = getelementptr i8, ptr %%w.then, i64 %zu\n"
               "  store i32 %u, ptr %%budget.p" PTX_JIT_WARP "\n  br label %%each\n",
               offsetof(ptx_warp, budget), PTX_FUEL);
}

/* A warp has ended or stopped at a barrier: starts the next one, if there is one and the previous
 * warps did the same. */
static void next (ptx_jit_emitter *E) {
  if (E->ways.len == 0) { /* nothing leads here */
    lcu_buf_adds(&E->ways, "[ -1, %never ]");
    lcu_buf_adds(&E->out, "never:\n  br label %next\n");
  }
  lcu_buf_addf(&E->out, "next:\n  %%what = phi i32 %.*s\n", (int)E->ways.len, E->ways.data);
  row_field(E, "left", offsetof(ptx_jit_row, left), "i32");
  lcu_buf_adds(&E->out, "  %more = icmp ne i32 %left, 0\n");
  if (E->stops) {
    row_field(E, "did", offsetof(ptx_jit_row, did), "i32");
    lcu_buf_adds(&E->out, "  %first.one = icmp eq i64 %w.at, 0\n"
                          "  %same = icmp eq i32 %did, %what\n"
                          "  %fits = or i1 %first.one, %same\n"
                          "  %goes = and i1 %fits, %more\n"
                          "  br i1 %goes, label %step, label %done\n");
  } else lcu_buf_adds(&E->out, "  br i1 %more, label %step, label %done\n");
  lcu_buf_adds(&E->out, "done:\n  ret ptr null\n");
  emit_step(E);
}

static void stub (ptx_jit_emitter *E, uint32_t i) {
  lcu_buf_addf(&E->out, "E%u:\n", i);
  for (uint32_t v = 0; v < E->f->num_vars; v++)
    if (ptx_jit_has(&E->f->live, i, v)) ptx_jit_load(E, i, v);
  lcu_buf_addf(&E->out, "  br label %%L%u\n", i);
}

static void emit_entries (ptx_jit_emitter *E) {
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
  if (I->id == PTX_ID_nop) return true;
  if (ptx_jit_alu_knows(I)) ptx_jit_alu(E, i);
  else if (!ptx_jit_access(E, i) && !ptx_jit_atomic(E, i)) ptx_jit_call(E, i);
  return true;
}

/* LLVM's time grows faster than the text: 1.1 s for 1.9 MB, 3 s for 3.1 MB. Each access that may
 * fail has an exit that stores the live values. So a few hundred micro-operations have a long text
 * if many values are live across many such accesses. */
enum { MOST_TEXT = 6 << 20 };

static bool is_short (const ptx_jit_emitter *E) { return E->out.len <= MOST_TEXT; }

/* Arrays are known once there is code that needs them. */
static void insert_frame (ptx_jit_emitter *E) {
  size_t tail = E->out.len - E->frame_at;
  if (E->frame.len == 0 || lcu_buf_space(&E->out, E->frame.len) == NULL) return;
  char *at = E->out.data + E->frame_at;
  memmove(at + E->frame.len, at, tail);
  memcpy(at, E->frame.data, E->frame.len);
}

static void function (ptx_jit_emitter *E) {
  const ptx_jit_facts *f = E->f;
  lcu_buf_addf(&E->out,
               "define ptr @ptx_%s(i32 %%entry, ptr noalias %%rf0, ptr %%w0, ptr %%uops, "
               "ptr %%row) #0 {\n",
               E->full ? "full" : "masked");
  function_head(E);
  emit_entries(E);
  bool open = false;
  for (uint32_t i = 0; i < f->code->num_uops && is_short(E); i++) {
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
  if (open) lcu_buf_adds(&E->out, "  unreachable\n");
  if (E->rows) next(E);
  lcu_buf_adds(&E->out, "}\n");
  insert_frame(E);
}

/* In a long function, the start of a warp hardly counts, but LLVM takes longer to compile it as the
 * body of a loop, and runs out of machine registers. */
enum { MOST_OF_ROWS = 256 };

bool ptx_jit_emitter_begin (ptx_jit_emitter *E, const ptx_jit_facts *f, bool full) {
  uint32_t num = f->code->num_uops;
  *E = (ptx_jit_emitter){ .f = f, .full = full, .rows = full && num <= MOST_OF_ROWS };
  E->groups = lcu_calloc(num, sizeof *E->groups);
  E->stretches = lcu_calloc(num, sizeof *E->stretches);
  E->sources = lcu_calloc(num, sizeof *E->sources);
  E->split = lcu_calloc(f->num_vars + 1, sizeof *E->split);
  return E->groups != NULL && E->stretches != NULL && E->sources != NULL && E->split != NULL;
}

void ptx_jit_emitter_end (ptx_jit_emitter *E) {
  lcu_free(E->groups);
  lcu_free(E->stretches);
  lcu_free(E->sources);
  lcu_free(E->split);
  lcu_buf_free(&E->ways);
  lcu_buf_free(&E->frame);
  lcu_buf_free(&E->stored);
  lcu_buf_free(&E->table);
  lcu_buf_free(&E->offsets);
  lcu_buf_free(&E->list);
}

bool ptx_jit_module (ptx_jit_emitter *E) {
  declare(E);
  function(E);
  ptx_jit_helpers(E);
  ptx_jit_atomic_functions(E);
  ptx_jit_exit_table(E);
  lcu_buf_adds(&E->out, "!0 = !{!\"branch_weights\", i32 4000, i32 1}\n"
                        "!1 = !{!\"branch_weights\", i32 1, i32 4000}\n"
                        "!2 = distinct !{!2}\n!3 = distinct !{!3, !2}\n!4 = !{!3}\n!5 = !{}\n");
  return !E->out.failed && !E->frame.failed && !E->table.failed && !E->list.failed && is_short(E);
}
