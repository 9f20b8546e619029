/* ptx_jit_memory.c: loads and stores of global and shared memory: one value that all lanes share,
 * and consecutive addresses. The check is the handlers': everything inside the allocation that the
 * access met last, or the block's shared memory. The handler does everything else, and reports
 * faults. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit_emit.h"

typedef struct access {
  const ptx_uop *I;
  uint32_t i;
  bool load, shared, one;
  uint32_t slot_bytes;
  char memory[8];   /* the type in memory */
  uint32_t address; /* i64: of the first lane that is on, imm included; one: of all */
  uint32_t ok;      /* i1: the shape fits */
  uint32_t place;   /* ptr: storage of lane 0 */
} access;

static const char *int_type (uint32_t bytes) { return bytes == 8 ? "i64" : "i32"; }

/* A field of the warp. */
static uint32_t field (ptx_jit_emitter *E, size_t offset, const char *type) {
  uint32_t p = ptx_jit_number(E), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p, offset);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u\n", t, type, p);
  return t;
}

static bool can_inline (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  const char *name = ptx_id_names[I->id] + 3;
  if (I->vector != 1 || I->size > 8 || E->f->guarded[i]) return false;
  if ((I->flags & (PTX_F_VOLATILE | PTX_F_DIRECT)) != 0) return false;
  if (ptx_jit_is_load(I->id) && I->used_bytes != 0) return false;
  return strncmp(name, "global", 6) == 0 || strncmp(name, "generic", 7) == 0 ||
         strncmp(name, "shared", 6) == 0;
}

/* ---- addresses ---- */

/* The address of lane `first` with imm, in 64 bits, wrapped to the register's width. */
static void first_address (ptx_jit_emitter *E, access *x, uint32_t lane) {
  uint32_t width = x->I->flags & PTX_F_ADDRESS32 ? 4 : 8, t = ptx_jit_number(E);
  long long imm = width == 4 ? (long long)(int32_t)(uint32_t)x->I->imm : (long long)x->I->imm;
  lcu_buf_addf(&E->out, "  %%t%u = add %s %%t%u, %lld\n", t, int_type(width), lane, imm);
  x->address = t;
  if (width == 8) return;
  x->address = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", x->address, t);
}

/* The lanes' addresses are those of %first plus its distance times the size. */
static void consecutive (ptx_jit_emitter *E, access *x) {
  uint32_t width = x->I->flags & PTX_F_ADDRESS32 ? 4 : 8;
  const char *type = int_type(width);
  uint32_t a = ptx_jit_get(E, x->i, x->I->a, width, false), n = E->next;
  E->next += 5;
  lcu_buf_addf(&E->out, "  %%t%u = extractelement <32 x %s> %%t%u, i32 %%first\n", n, type, a);
  lcu_buf_addf(&E->out, "  %%t%u = mul %s %%first.%s, %u\n", n + 1, type, type, x->I->size);
  lcu_buf_addf(&E->out, "  %%t%u = sub %s %%t%u, %%t%u\n", n + 2, type, n, n + 1);
  uint32_t all = ptx_jit_splat(E, n + 2, type);
  lcu_buf_addf(&E->out, "  %%t%u = add <32 x %s> %%t%u, <", n + 3, type, all);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%s %u%s", type, l * x->I->size, l == PTX_LANES - 1 ? ">\n" : ", ");
  lcu_buf_addf(&E->out, "  %%t%u = icmp ne <32 x %s> %%t%u, %%t%u\n", n + 4, type, a, n + 3);
  uint32_t m = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <32 x i1> %%t%u to i32\n", m, n + 4);
  lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %%bits\n", m + 1, m);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", m + 2, m + 1);
  x->ok = m + 2;
  first_address(E, x, n);
}

static void same_address (ptx_jit_emitter *E, access *x) {
  uint32_t width = x->I->flags & PTX_F_ADDRESS32 ? 4 : 8;
  x->ok = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 0, 0\n", x->ok);
  first_address(E, x, ptx_jit_get(E, x->i, x->I->a, width, true));
}

/* ---- the check: base and size of the memory, and all bytes inside, aligned ---- */

static void check (ptx_jit_emitter *E, access *x) {
  uint32_t base, size, storage = 0, n;
  if (x->shared) {
    uint32_t from = field(E, offsetof(ptx_warp, shared_from), "i32");
    uint32_t end = field(E, offsetof(ptx_warp, shared_end), "i32");
    storage = field(E, offsetof(ptx_warp, shared), "ptr");
    n = E->next;
    E->next += 3;
    lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, from);
    lcu_buf_addf(&E->out, "  %%t%u = sub i32 %%t%u, %%t%u\n", n + 1, end, from);
    lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n + 2, n + 1);
    base = n;
    size = n + 2;
  } else {
    size_t at = offsetof(ptx_warp, last) + (size_t)x->I->c * sizeof(ptx_range);
    base = field(E, at + offsetof(ptx_range, base), "i64");
    size = field(E, at + offsetof(ptx_range, size), "i64");
  }
  n = E->next;
  E->next += 12;
  if (x->one) lcu_buf_addf(&E->out, "  %%t%u = add i64 0, %u\n", n, x->I->size);
  else lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%span, %u\n", n, x->I->size);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n", n + 1, x->address, base);
  lcu_buf_addf(&E->out, "  %%t%u = icmp ult i64 %%t%u, %%t%u\n", n + 2, n + 1, size);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n", n + 3, size, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = icmp ule i64 %%t%u, %%t%u\n", n + 4, n, n + 3);
  lcu_buf_addf(&E->out, "  %%t%u = and i64 %%t%u, %u\n", n + 5, x->address, x->I->size - 1u);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i64 %%t%u, 0\n", n + 6, n + 5);
  lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", n + 7, n + 2, n + 4);
  lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", n + 8, n + 7, n + 6);
  lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", n + 9, n + 8, x->ok);
  x->ok = n + 9;
  uint32_t lane0 = x->address;
  if (!x->one) {
    lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%first.i64, %u\n", n + 10, x->I->size);
    lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n", n + 11, x->address, n + 10);
    lane0 = n + 11;
  }
  x->place = ptx_jit_number(E);
  if (x->shared)
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", x->place, storage,
                 lane0);
  else lcu_buf_addf(&E->out, "  %%t%u = inttoptr i64 %%t%u to ptr\n", x->place, lane0);
}

/* ---- the access ---- */

static uint32_t widened (ptx_jit_emitter *E, const access *x, uint32_t value) {
  char from[32], to[32];
  if (x->I->size >= 4) return value;
  ptx_jit_type(from, x->memory, x->one);
  ptx_jit_type(to, "i32", x->one);
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext %s %%t%u to %s\n", t, from, value, to);
  return t;
}

static void load (ptx_jit_emitter *E, const access *x) {
  uint32_t t = ptx_jit_number(E);
  if (x->one || E->full) {
    char type[32];
    ptx_jit_type(type, x->memory, x->one);
    lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u, align %u\n", t, type, x->place,
                 x->I->size);
  } else {
    lcu_buf_addf(&E->out,
                 "  %%t%u = call <32 x %s> @llvm.masked.load.v32%s.p0(ptr %%t%u, i32 %u, "
                 "<32 x i1> %%mask, <32 x %s> zeroinitializer)\n",
                 t, x->memory, x->memory, x->place, x->I->size, x->memory);
  }
  ptx_jit_set(E, x->I->d, x->slot_bytes, widened(E, x, t), x->one);
}

static void store (ptx_jit_emitter *E, const access *x) {
  uint32_t v = ptx_jit_get(E, x->i, x->I->d, x->slot_bytes, false), p;
  if (x->I->size < 4) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = trunc <32 x i32> %%t%u to <32 x %s>\n", t, v, x->memory);
    v = t;
  }
  if (E->full)
    lcu_buf_addf(&E->out, "  store <32 x %s> %%t%u, ptr %%t%u, align %u\n", x->memory, v, x->place,
                 x->I->size);
  else
    lcu_buf_addf(&E->out,
                 "  call void @llvm.masked.store.v32%s.p0(<32 x %s> %%t%u, ptr %%t%u, i32 %u, "
                 "<32 x i1> %%mask)\n",
                 x->memory, x->memory, v, x->place, x->I->size);
  p = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%w, i64 %zu\n", p,
               offsetof(ptx_warp, stored));
  lcu_buf_addf(&E->out, "  store i32 1, ptr %%t%u\n", p);
}

bool ptx_jit_access (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  if (!can_inline(E, i)) return false;
  access x = { .I = I, .i = i, .load = ptx_jit_is_load(I->id), .slot_bytes = I->size == 8 ? 8 : 4 };
  x.shared = strncmp(ptx_id_names[I->id] + 3, "shared", 6) == 0;
  x.one = ptx_jit_one(E, i, I->a, I->flags & PTX_F_ADDRESS32 ? 4 : 8);
  if (x.one && !x.load) return false;
  snprintf(x.memory, sizeof x.memory, "i%u", I->size * 8u);
  if (x.one) same_address(E, &x);
  else consecutive(E, &x);
  check(E, &x);
  uint32_t fast = ptx_jit_number(E), slow = ptx_jit_number(E), done = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  br i1 %%t%u, label %%X%u, label %%X%u\nX%u:\n", x.ok, fast, slow, fast);
  if (x.load) load(E, &x);
  else store(E, &x);
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, slow);
  ptx_jit_call(E, i);
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, done);
  return true;
}
