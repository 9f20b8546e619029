/* ptx_jit_check.c: addresses, and the check of an access. It is the handlers': everything inside
 * the allocation that the access met last, or the block's shared memory, and aligned. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptx_jit_checked.h"

const char *ptx_jit_check_mask (const ptx_jit_emitter *E, char text[16]) {
  if (E->predicate == 0) return "%mask";
  snprintf(text, 16, "%%t%u", E->predicate);
  return text;
}

/* ---- addresses ---- */

/* The address in the register, plus imm and more, wrapped to its width, in 64 bits. */
static uint32_t address (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t row,
                         int64_t more) {
  uint32_t base = x->base != 0 ? x->base : ptx_jit_base(E, x->i, x->I->a, x->width, row),
           t = ptx_jit_number(E);
  long long imm = (long long)((uint64_t)x->I->imm + (uint64_t)more);
  if (x->width == 4) imm = (int32_t)(uint32_t)imm;
  lcu_buf_addf(&E->out, "  %%t%u = add %s %%t%u, %lld\n", t, ptx_jit_int(x->width), base, imm);
  if (x->width == 8) return t;
  uint32_t wide = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", wide, t);
  return wide;
}

/* ---- the check ---- */

/* Addresses in local memory are offsets from its start. */
static void find_local (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  uint32_t bytes = ptx_jit_field(E, offsetof(ptx_warp, local_bytes), "i32");
  x->storage = ptx_jit_field(E, offsetof(ptx_warp, local), "ptr");
  x->from = ptx_jit_number(E);
  x->size = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = or i64 0, 0\n  %%t%u = zext i32 %%t%u to i64\n", x->from,
               x->size, bytes);
}

/* With all checks on, an access by the address of a variable must not leave it. */
static void find_variable (ptx_jit_emitter *E, ptx_jit_transfer *x, const ptx_variable *v) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = or i64 0, %llu\n  %%t%u = or i64 0, %llu\n", n,
               (unsigned long long)PTX_SHARED_RESERVED + v->offset, n + 1,
               (unsigned long long)v->size);
  x->storage = ptx_jit_field(E, offsetof(ptx_warp, shared), "ptr");
  x->from = n;
  x->size = n + 1;
}

static uint32_t start_of_dynamic (ptx_jit_emitter *E, uint32_t end) {
  uint32_t bytes = ptx_jit_field(E, offsetof(ptx_warp, dynamic_shared), "i32"),
           t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = sub i32 %%t%u, %%t%u\n", t, end, bytes);
  return t;
}

static void find_window (ptx_jit_emitter *E, ptx_jit_transfer *x, uint32_t from, uint32_t end) {
  uint32_t n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, from);
  lcu_buf_addf(&E->out, "  %%t%u = sub i32 %%t%u, %%t%u\n", n + 1, end, from);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n + 2, n + 1);
  x->from = n;
  x->size = n + 2;
}

static void find_memory (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  if (x->I->space == PTX_LOCAL) {
    find_local(E, x);
    return;
  }
  if (!x->shared) {
    size_t at = offsetof(ptx_warp, last) + x->range * sizeof(ptx_range);
    x->from = ptx_jit_field(E, at + offsetof(ptx_range, base), "i64");
    x->size = ptx_jit_field(E, at + offsetof(ptx_range, size), "i64");
    return;
  }
  const ptx_variable *v = ptx_jit_shared_variable(E, x->i);
  if (v != NULL && !v->is_extern && v->size != 0) {
    find_variable(E, x, v);
    return;
  }
  if (v == NULL) {
    x->storage = E->shared[0];
    x->from = E->shared[1];
    x->size = E->shared[2];
    return;
  }
  uint32_t end = ptx_jit_field(E, offsetof(ptx_warp, shared_end), "i32"),
           from = start_of_dynamic(E, end);
  x->storage = ptx_jit_field(E, offsetof(ptx_warp, shared), "ptr");
  find_window(E, x, from, end);
}

void ptx_jit_find_shared (ptx_jit_emitter *E) {
  ptx_jit_transfer x = { 0 };
  uint32_t from = ptx_jit_field(E, offsetof(ptx_warp, shared_from), "i32"),
           end = ptx_jit_field(E, offsetof(ptx_warp, shared_end), "i32");
  E->shared[0] = ptx_jit_field(E, offsetof(ptx_warp, shared), "ptr");
  find_window(E, &x, from, end);
  E->shared[1] = x.from;
  E->shared[2] = x.size;
}

static void require (ptx_jit_emitter *E, ptx_jit_transfer *x, uint32_t condition) {
  if (x->ok != 0) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", t, x->ok, condition);
    condition = t;
  }
  x->ok = condition;
}

static bool is_aligned (const ptx_jit_transfer *x) {
  return x->a != NULL && x->a->align < 32 && ((uint64_t)1 << x->a->align) % x->stride == 0 &&
         x->I->imm % (int64_t)x->stride == 0;
}

static void require_aligned (ptx_jit_emitter *E, ptx_jit_transfer *x, uint32_t at) {
  uint32_t n = E->next;
  if (x->stride == 1 || is_aligned(x)) return;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = and i64 %%t%u, %u\n  %%t%u = icmp eq i64 %%t%u, 0\n", n, at,
               x->stride - 1u, n + 1, n);
  require(E, x, n + 1);
}

/* [at, at + bytes), where bytes is a text, and what the others of its group access. */
static void require_inside (ptx_jit_emitter *E, ptx_jit_transfer *x, uint32_t at,
                            const char *bytes) {
  uint32_t n = E->next;
  E->next += 5;
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %lld\n", n + 4, at, (long long)x->group.first);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n  %%t%u = add i64 %s, %lld\n", n, n + 4,
               x->from, n + 1, bytes, (long long)x->group.more - 1);
  lcu_buf_addf(&E->out, "  %%t%u = call i64 @llvm.usub.sat.i64(i64 %%t%u, i64 %%t%u)\n", n + 2,
               x->size, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = icmp ult i64 %%t%u, %%t%u\n", n + 3, n, n + 2);
  require(E, x, n + 3);
  require_aligned(E, x, at);
}

static void require_bytes (ptx_jit_emitter *E, ptx_jit_transfer *x, uint32_t at, int64_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)bytes);
  require_inside(E, x, at, text);
}

/* Offsets from the memory's start: <32 x i32>, 0 in lanes that are off. ok: all are inside and
 * aligned. Memory of 2 GB and more counts as that long. */
static uint32_t any_offsets (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  char text[16];
  const char *type = ptx_jit_int(x->width);
  uint32_t bits = x->width * 8, a = ptx_jit_lanes(E, x->i, x->I->a, x->width), n = E->next;
  E->next += 20;
  lcu_buf_addf(&E->out, "  %%t%u = icmp ult i64 %%t%u, 2147483647\n", n, x->size);
  lcu_buf_addf(&E->out, "  %%t%u = select i1 %%t%u, i64 %%t%u, i64 2147483647\n", n + 1, n,
               x->size);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %u\n", n + 2, n + 1, x->stride);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %lld, %%t%u\n", n + 3, (long long)x->I->imm, x->from);
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n  %%t%u = trunc i64 %%t%u to i32\n",
               n + 4, n + 2, n + 5, n + 3);
  uint32_t limit = ptx_jit_splat(E, x->width == 8 ? n + 2 : n + 4, type),
           less = ptx_jit_splat(E, x->width == 8 ? n + 3 : n + 5, type);
  lcu_buf_addf(&E->out, "  %%t%u = add <32 x %s> %%t%u, %%t%u\n", n + 6, type, a, less);
  lcu_buf_addf(&E->out, "  %%t%u = sub <32 x %s> %%t%u, %%t%u\n", n + 7, type, limit, n + 6);
  lcu_buf_addf(&E->out, "  %%t%u = or <32 x %s> %%t%u, %%t%u\n", n + 8, type, n + 6, n + 7);
  lcu_buf_addf(&E->out, "  %%t%u = icmp slt <32 x %s> %%t%u, zeroinitializer\n", n + 9, type,
               n + 8);
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <32 x i1> %%t%u to i32\n", n + 10, n + 9);
  lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %%t%u\n", n + 11, n + 10, E->bits);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", n + 12, n + 11);
  lcu_buf_addf(&E->out, "  %%t%u = icmp uge i64 %%t%u, %u\n", n + 13, x->size, x->stride);
  require(E, x, n + 12);
  require(E, x, n + 13);
  uint32_t offsets = n + 6;
  if (bits == 64) {
    lcu_buf_addf(&E->out, "  %%t%u = trunc <32 x i64> %%t%u to <32 x i32>\n", n + 14, n + 6);
    offsets = n + 14;
  }
  if (!E->full || E->predicate != 0) {
    lcu_buf_addf(&E->out,
                 "  %%t%u = select <32 x i1> %s, <32 x i32> %%t%u, <32 x i32> "
                 "zeroinitializer\n",
                 n + 15, ptx_jit_check_mask(E, text), offsets);
    offsets = n + 15;
  }
  if (x->stride == 1) return offsets;
  uint32_t m = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = call i32 @llvm.vector.reduce.or.v32i32(<32 x i32> %%t%u)\n", m,
               offsets);
  uint32_t from = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n", from, x->from);
  lcu_buf_addf(&E->out, "  %%t%u = or i32 %%t%u, %%t%u\n", m + 1, m, from);
  lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %u\n", m + 2, m + 1, x->stride - 1u);
  uint32_t aligned = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", aligned, m + 2);
  require(E, x, aligned);
  return offsets;
}

bool ptx_jit_has_masks (const ptx_jit_transfer *x) {
  return x->I->vector == 1 && (x->I->size >= 4 || strcmp(ptx_isa_name(), "x86-64-v4") == 0);
}

bool ptx_jit_check_masked (const ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  return (!E->full || E->predicate != 0) && ptx_jit_has_masks(x);
}

static void check_run (ptx_jit_emitter *E, ptx_jit_transfer *x, ptx_jit_spot *t) {
  char bytes[32];
  t->at[0] = address(E, x, 0, 0);
  if (!ptx_jit_check_masked(E, x)) {
    require_bytes(E, x, t->at[0], (int64_t)x->stride * PTX_LANES);
    return;
  }
  uint32_t n = E->next;
  E->next += 8;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, E->first[0]);
  lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%t%u, %u\n", n + 1, n, x->stride);
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %%t%u\n", n + 2, t->at[0], n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = call i32 @llvm.ctlz.i32(i32 %%t%u, i1 false)\n", n + 3, E->bits);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n + 4, n + 3);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 32, %%t%u\n  %%t%u = sub i64 %%t%u, %%t%u\n", n + 5,
               n + 4, n + 6, n + 5, n);
  lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%t%u, %u\n", n + 7, n + 6, x->stride);
  snprintf(bytes, sizeof bytes, "%%t%u", n + 7);
  require_inside(E, x, n + 2, bytes);
}

ptx_jit_spot ptx_jit_checked (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  bool window = x->shape == PTX_JIT_WINDOW || x->shape == PTX_JIT_FIXED;
  ptx_jit_spot t = { { address(E, x, 0, window ? x->least : 0), 0 }, 0 };
  if (x->shape == PTX_JIT_ROWS) t.at[1] = address(E, x, 1, 0);
  if (x->shared) x->storage = ptx_jit_field(E, offsetof(ptx_warp, shared), "ptr");
  else if (E->f->checked) find_memory(E, x);
  return t;
}

ptx_jit_spot ptx_jit_check (ptx_jit_emitter *E, ptx_jit_transfer *x) {
  ptx_jit_spot t = { { 0, 0 }, 0 };
  find_memory(E, x);
  switch (x->shape) {
    case PTX_JIT_ONE:
      t.at[0] = address(E, x, 0, 0);
      require_bytes(E, x, t.at[0], x->stride);
      break;
    case PTX_JIT_RUN: check_run(E, x, &t); break;
    case PTX_JIT_ROWS:
      for (uint32_t row = 0; row < 2; row++) {
        t.at[row] = address(E, x, row, 0);
        require_bytes(E, x, t.at[row], x->step == 0 ? x->stride : (int64_t)x->stride * PTX_JIT_ROW);
      }
      break;
    case PTX_JIT_WINDOW:
    case PTX_JIT_FIXED:
      t.at[0] = address(E, x, 0, x->least);
      require_bytes(E, x, t.at[0], x->most - x->least + x->stride);
      break;
    case PTX_JIT_ANY:
      t.at[0] = x->from;
      t.offsets = any_offsets(E, x);
      break;
  }
  return t;
}
