/* ptx_jit_atomic.c: atomics on words of shared and global memory. All addresses are checked at
 * once; then a function of the module changes the words one after the other, in the order of the
 * lanes. */
#include <stddef.h>
#include <stdio.h>

#include "ptx_ids.h"
#include "ptx_jit_checked.h"
#include "ptx_match.h"

/* What a word becomes: LLVM's name in atomicrmw, and %n from %o and %v as a text. There, # is the
 * number of bits, and $ the lane, which makes the names differ. */
typedef struct atomic_change {
  const char *name, *text;
} atomic_change;

enum { ADD, AND, OR, XOR, EXCH, MIN_S, MAX_S, MIN_U, MAX_U, CHANGES };

#define OP(op) "  %n$ = " op " i# %o$, %v$\n"
#define BEST(less) "  %c$ = icmp " less " i# %v$, %o$\n  %n$ = select i1 %c$, i# %v$, i# %o$\n"
static const atomic_change changes[CHANGES] = {
  [ADD] = { "add", OP("add") },
  [AND] = { "and", OP("and") },
  [OR] = { "or", OP("or") },
  [XOR] = { "xor", OP("xor") },
  [EXCH] = { "xchg", "  %n$ = or i# %v$, 0\n" },
  [MIN_S] = { "min", BEST("slt") },
  [MAX_S] = { "max", BEST("sgt") },
  [MIN_U] = { "umin", BEST("ult") },
  [MAX_U] = { "umax", BEST("ugt") },
};
#undef BEST
#undef OP

/* The number of a function of the module. */
typedef struct kind {
  uint32_t change;
  bool wide, global, result, all; /* all: lanes are on */
} kind;

static uint32_t number_of (kind k) {
  return k.change | (uint32_t)k.wide << 4 | (uint32_t)k.global << 5 | (uint32_t)k.result << 6 |
         (uint32_t)k.all << 7;
}

static kind kind_of_number (uint32_t n) {
  return (kind){ n & 15u, (n >> 4 & 1u) != 0, (n >> 5 & 1u) != 0, (n >> 6 & 1u) != 0,
                 (n >> 7 & 1u) != 0 };
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
  bool named = I->space == PTX_SHARED || I->space == PTX_GLOBAL;
  return named && !(I->flags & PTX_F_DIRECT) && change_of(I) != CHANGES;
}

/* ---- where it is used ---- */

static void change_all (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *spot) {
  const ptx_uop *I = x->I;
  kind k = { change_of(I), I->size == 8, !x->shared, I->d >= 0, E->full && E->predicate == 0 };
  uint32_t number = number_of(k), values = ptx_jit_lanes(E, x->i, I->b, x->slot_bytes),
           at = ptx_jit_move_place(E, x, spot->at[0]), t = ptx_jit_number(E);
  E->atomics[number / 64] |= (uint64_t)1 << number % 64;
  lcu_buf_addf(&E->out,
               "  %%t%u = call <32 x i%u> @atomic%u(ptr %%t%u, <32 x i32> %%t%u, <32 x i%u> %%t%u, "
               "i32 %%t%u, ptr %%w)\n",
               t, I->size * 8u, number, at, spot->offsets, I->size * 8u, values, E->bits);
  if (k.result) ptx_jit_set_lanes(E, x->i, I->d, x->slot_bytes, t);
}

/* With all checks on, the others are left to their handlers. */
static bool can_note (const ptx_uop *I) {
  return I->space == PTX_SHARED && (I->flags & (PTX_F_ORDERS | PTX_F_WORD)) == 0;
}

bool ptx_jit_atomic (ptx_jit_emitter *E, uint32_t i) {
  uint32_t labels[2];
  if (!knows(&E->f->code->uops[i])) return false;
  if (E->f->checked && !can_note(&E->f->code->uops[i])) return false;
  ptx_jit_transfer x = ptx_jit_transfer_of(E, i);
  x.shape = PTX_JIT_ANY;
  ptx_jit_spot t = ptx_jit_check(E, &x);
  ptx_jit_transfer_begin(E, &x, labels);
  (void)ptx_jit_note(E, &x, &t, labels[0]);
  change_all(E, &x, &t);
  ptx_jit_transfer_end(E, &x, labels);
  return true;
}

/* ---- the functions ---- */

static void add_text (lcu_buf *out, const char *text, uint32_t bits, const char *lane) {
  for (; *text != '\0'; text++)
    if (*text == '#') lcu_buf_addf(out, "%u", bits);
    else if (*text == '$') lcu_buf_adds(out, lane);
    else lcu_buf_add(out, text, 1);
}

/* From %p$ and %v$ to %o$ and %n$. */
static void change_word (lcu_buf *out, kind k, uint32_t bits, const char *lane) {
  const atomic_change *c = &changes[k.change];
  if (k.global)
    lcu_buf_addf(out, "  %%o%s = atomicrmw %s ptr %%p%s, i%u %%v%s seq_cst\n", lane, c->name, lane,
                 bits, lane);
  else add_text(out, "  %o$ = load i#, ptr %p$\n", bits, lane);
  add_text(out, c->text, bits, lane);
  if (!k.global) add_text(out, "  store i# %n$, ptr %p$\n", bits, lane);
}

static void atomic_head (lcu_buf *out, uint32_t number, uint32_t bits) {
  lcu_buf_addf(out,
               "define internal <32 x i%u> @atomic%u(ptr %%place, <32 x i32> %%offsets, "
               "<32 x i%u> %%values, i32 %%bits, ptr %%w) noinline #0 {\nstart:\n",
               bits, number, bits);
}

/* Notes that a word became another one: i1 %differ. */
static void note (lcu_buf *out) {
  lcu_buf_addf(out,
               "  br i1 %%differ, label %%note, label %%done\nnote:\n"
               "  %%ps = getelementptr i8, ptr %%w, i64 %zu\n  store i32 1, ptr %%ps\n"
               "  br label %%done\ndone:\n",
               offsetof(ptx_warp, stored));
}

/* A loop over the bits. */
static void some (lcu_buf *out, kind k, uint32_t bits) {
  add_text(out,
           "  %at = alloca <32 x i32>\n  %all = alloca <32 x i#>\n"
           "  store <32 x i32> %offsets, ptr %at\n  store <32 x i#> %values, ptr %all\n"
           "  br label %next\nnext:\n  %left = phi i32 [ %bits, %start ], "
           "[ %rest, %next ]\n  %was = phi i# [ 0, %start ], [ %changed, %next ]\n"
           "  %l = call i32 @llvm.cttz.i32(i32 %left, i1 false)\n"
           "  %po = getelementptr i32, ptr %at, i32 %l\n  %f = load i32, ptr %po\n"
           "  %wide = zext i32 %f to i64\n  %p = getelementptr i8, ptr %place, i64 %wide\n"
           "  %pv = getelementptr i#, ptr %all, i32 %l\n  %v = load i#, ptr %pv\n",
           bits, "");
  change_word(out, k, bits, "");
  if (k.result) add_text(out, "  store i# %o, ptr %pv\n", bits, "");
  add_text(out,
           "  %x = xor i# %o, %n\n  %changed = or i# %x, %was\n"
           "  %less = sub i32 %left, 1\n  %rest = and i32 %left, %less\n"
           "  %end = icmp eq i32 %rest, 0\n  br i1 %end, label %out, label %next\n"
           "out:\n  %differ = icmp ne i# %changed, 0\n",
           bits, "");
  note(out);
  if (k.result) add_text(out, "  %r = load <32 x i#>, ptr %all\n  ret <32 x i#> %r\n}\n", bits, "");
  else add_text(out, "  ret <32 x i#> poison\n}\n", bits, "");
}

/* Lane after lane. A sum differs where something is added. */
static void all (lcu_buf *out, kind k, uint32_t bits) {
  char lane[8];
  bool sum = k.change == ADD;
  add_text(out, "  %r0 = or <32 x i#> zeroinitializer, zeroinitializer\n  %y0 = or i# 0, 0\n", bits,
           "");
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    snprintf(lane, sizeof lane, "_%u", l);
    lcu_buf_addf(out,
                 "  %%f_%u = extractelement <32 x i32> %%offsets, i32 %u\n"
                 "  %%v_%u = extractelement <32 x i%u> %%values, i32 %u\n",
                 l, l, l, bits, l);
    add_text(out, "  %w$ = zext i32 %f$ to i64\n  %p$ = getelementptr i8, ptr %place, i64 %w$\n",
             bits, lane);
    change_word(out, k, bits, lane);
    if (!sum) add_text(out, "  %x$ = xor i# %o$, %n$\n", bits, lane);
    if (!sum) lcu_buf_addf(out, "  %%y%u = or i%u %%y%u, %%x_%u\n", l + 1, bits, l, l);
    if (k.result)
      lcu_buf_addf(out, "  %%r%u = insertelement <32 x i%u> %%r%u, i%u %%o_%u, i32 %u\n", l + 1,
                   bits, l, bits, l, l);
  }
  if (sum)
    add_text(out,
             "  %ne = icmp ne <32 x i#> %values, zeroinitializer\n"
             "  %nb = bitcast <32 x i1> %ne to i32\n  %differ = icmp ne i32 %nb, 0\n",
             bits, "");
  else add_text(out, "  %differ = icmp ne i# %y32, 0\n", bits, "");
  note(out);
  lcu_buf_addf(out, "  ret <32 x i%u> %%r%u\n}\n", bits, k.result ? (uint32_t)PTX_LANES : 0u);
}

void ptx_jit_atomic_functions (ptx_jit_emitter *E) {
  for (uint32_t n = 0; n < 256; n++) {
    kind k = kind_of_number(n);
    uint32_t bits = k.wide ? 64 : 32;
    if (!(E->atomics[n / 64] >> n % 64 & 1u)) continue;
    atomic_head(&E->out, n, bits);
    if (k.all) all(&E->out, k, bits);
    else some(&E->out, k, bits);
  }
}
