/* ptx_jit_atomic.c: atomics on words of shared and global memory. All addresses are checked at
 * once; then a function of the module changes the words one after the other, in the order of the
 * lanes. */
#include <stddef.h>

#include "ptx_ids.h"
#include "ptx_jit_access.h"
#include "ptx_match.h"

/* What a word becomes, from %o and %v: LLVM's name in atomicrmw, and a text for shared memory. */
typedef struct change {
  const char *name, *text;
} change;

enum { ADD, AND, OR, XOR, EXCH, MIN_S, MAX_S, MIN_U, MAX_U, CHANGES };

#define BEST(less) "  %%c = icmp " less " i%u %%v, %%o\n  %%n = select i1 %%c, i%u %%v, i%u %%o\n"
static const change changes[CHANGES] = {
  [ADD] = { "add", "  %%n = add i%u %%o, %%v\n" },
  [AND] = { "and", "  %%n = and i%u %%o, %%v\n" },
  [OR] = { "or", "  %%n = or i%u %%o, %%v\n" },
  [XOR] = { "xor", "  %%n = xor i%u %%o, %%v\n" },
  [EXCH] = { "xchg", "  %%n = or i%u %%v, 0\n" },
  [MIN_S] = { "min", BEST("slt") },
  [MAX_S] = { "max", BEST("sgt") },
  [MIN_U] = { "umin", BEST("ult") },
  [MAX_U] = { "umax", BEST("ugt") },
};
#undef BEST

/* The number of a function of the module. */
typedef struct kind {
  uint32_t change;
  bool wide, global, result;
} kind;

static uint32_t number_of (kind k) {
  return k.change | (uint32_t)k.wide << 4 | (uint32_t)k.global << 5 | (uint32_t)k.result << 6;
}

static kind kind_of_number (uint32_t n) {
  return (kind){ n & 15u, (n >> 4 & 1u) != 0, (n >> 5 & 1u) != 0, (n >> 6 & 1u) != 0 };
}

static bool is_signed (ptx_type t) { return t == PTX_S32 || t == PTX_S64; }

/* CHANGES: none of those above. */
static uint32_t change_of (const ptx_uop *I) {
  ptx_type t = (ptx_type)(I->used_bytes >> 8);
  bool whole = is_signed(t) || t == PTX_U32 || t == PTX_U64;
  switch ((ptx_mode)(I->used_bytes & 255u)) {
    case PTX_MODE_add: return whole ? ADD : CHANGES;
    case PTX_MODE_and: return AND;
    case PTX_MODE_or: return OR;
    case PTX_MODE_xor: return XOR;
    case PTX_MODE_exch: return EXCH;
    case PTX_MODE_min: return !whole ? CHANGES : is_signed(t) ? MIN_S : MIN_U;
    case PTX_MODE_max: return !whole ? CHANGES : is_signed(t) ? MAX_S : MAX_U;
    default: return CHANGES;
  }
}

static bool knows (const ptx_uop *I) {
  switch (I->id) {
    case PTX_ID_atom_shared_32:
    case PTX_ID_atom_shared_64:
    case PTX_ID_atom_global_32:
    case PTX_ID_atom_global_64: break;
    default: return false;
  }
  return !(I->flags & PTX_F_DIRECT) && change_of(I) != CHANGES;
}

/* ---- where it is used ---- */

static void change_all (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *spot) {
  const ptx_uop *I = x->I;
  kind k = { change_of(I), I->size == 8, !x->shared, I->d >= 0 };
  uint32_t number = number_of(k), values = ptx_jit_lanes(E, x->i, I->b, x->slot_bytes),
           at = ptx_jit_move_place(E, x, spot->at[0]), t = ptx_jit_number(E);
  E->atomics[number / 64] |= (uint64_t)1 << number % 64;
  lcu_buf_addf(&E->out,
               "  %%t%u = call <32 x i%u> @atomic%u(ptr %%t%u, <32 x i32> %%t%u, <32 x i%u> %%t%u, "
               "i32 %%t%u, ptr %%w)\n",
               t, I->size * 8u, number, at, spot->offsets, I->size * 8u, values, E->bits);
  if (k.result) ptx_jit_set_lanes(E, x->i, I->d, x->slot_bytes, t);
}

bool ptx_jit_atomic (ptx_jit_emitter *E, uint32_t i) {
  uint32_t labels[2];
  if (!knows(&E->f->code->uops[i])) return false;
  ptx_jit_transfer x = ptx_jit_transfer_of(E, i);
  x.shape = PTX_JIT_ANY;
  ptx_jit_spot t = ptx_jit_check(E, &x);
  ptx_jit_transfer_begin(E, &x, labels);
  change_all(E, &x, &t);
  ptx_jit_transfer_end(E, &x, labels);
  return true;
}

/* ---- the functions: a loop over the bits ---- */

static void change_word (lcu_buf *out, kind k, uint32_t bits) {
  const change *c = &changes[k.change];
  if (k.global) lcu_buf_addf(out, "  %%o = atomicrmw %s ptr %%p, i%u %%v seq_cst\n", c->name, bits);
  else lcu_buf_addf(out, "  %%o = load i%u, ptr %%p\n", bits);
  lcu_buf_addf(out, c->text, bits, bits, bits);
  if (!k.global) lcu_buf_addf(out, "  store i%u %%n, ptr %%p\n", bits);
}

static void function (lcu_buf *out, uint32_t number) {
  kind k = kind_of_number(number);
  uint32_t bits = k.wide ? 64 : 32;
  lcu_buf_addf(out,
               "define internal <32 x i%u> @atomic%u(ptr %%place, <32 x i32> %%offsets, "
               "<32 x i%u> %%values, i32 %%bits, ptr %%w) noinline #0 {\nstart:\n"
               "  %%at = alloca <32 x i32>\n  %%all = alloca <32 x i%u>\n"
               "  store <32 x i32> %%offsets, ptr %%at\n  store <32 x i%u> %%values, ptr %%all\n"
               "  br label %%next\nnext:\n  %%left = phi i32 [ %%bits, %%start ], "
               "[ %%rest, %%next ]\n  %%was = phi i%u [ 0, %%start ], [ %%changed, %%next ]\n",
               bits, number, bits, bits, bits, bits);
  lcu_buf_addf(out,
               "  %%l = call i32 @llvm.cttz.i32(i32 %%left, i1 false)\n"
               "  %%po = getelementptr i32, ptr %%at, i32 %%l\n  %%f = load i32, ptr %%po\n"
               "  %%wide = zext i32 %%f to i64\n"
               "  %%p = getelementptr i8, ptr %%place, i64 %%wide\n"
               "  %%pv = getelementptr i%u, ptr %%all, i32 %%l\n  %%v = load i%u, ptr %%pv\n",
               bits, bits);
  change_word(out, k, bits);
  if (k.result) lcu_buf_addf(out, "  store i%u %%o, ptr %%pv\n", bits);
  lcu_buf_addf(out,
               "  %%x = xor i%u %%o, %%n\n  %%changed = or i%u %%x, %%was\n"
               "  %%less = sub i32 %%left, 1\n  %%rest = and i32 %%left, %%less\n"
               "  %%end = icmp eq i32 %%rest, 0\n  br i1 %%end, label %%out, label %%next\n"
               "out:\n  %%same = icmp eq i%u %%changed, 0\n"
               "  br i1 %%same, label %%done, label %%note\nnote:\n"
               "  %%ps = getelementptr i8, ptr %%w, i64 %zu\n  store i32 1, ptr %%ps\n"
               "  br label %%done\ndone:\n",
               bits, bits, bits, offsetof(ptx_warp, stored));
  if (k.result)
    lcu_buf_addf(out, "  %%r = load <32 x i%u>, ptr %%all\n  ret <32 x i%u> %%r\n}\n", bits, bits);
  else lcu_buf_addf(out, "  ret <32 x i%u> poison\n}\n", bits);
}

void ptx_jit_atomic_functions (ptx_jit_emitter *E) {
  for (uint32_t n = 0; n < 128; n++)
    if (E->atomics[n / 64] >> n % 64 & 1u) function(&E->out, n);
}
