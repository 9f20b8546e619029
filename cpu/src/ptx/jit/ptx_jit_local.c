/* ptx_jit_local.c: loads and stores of local memory. Word k of all lanes is row k: 32 words side by
 * side (ptx_local_word). So one offset for all lanes is a row, and others are taken one by one. */
#include <stddef.h>

#include "ptx_jit_access.h"
#include "ptx_jit_text.h"

/* ---- places ---- */

/* The frame's start: i64. */
static uint32_t frame (ptx_jit_emitter *E) {
  uint32_t at = ptx_jit_field(E, offsetof(ptx_warp, local_base), "i32"), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", t, at);
  return t;
}

/* The row of the word at an offset. */
static uint32_t row_at (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at) {
  uint32_t n = E->next;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%t%u, %u\n", n, at, PTX_LANES);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", n + 1, x->storage, n);
  return n + 1;
}

static uint32_t same_offsets (ptx_jit_emitter *E, uint32_t at) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n", t, at);
  return ptx_jit_splat(E, t, "i32");
}

static uint32_t apply_text (ptx_jit_emitter *E, const char *text, uint32_t a, uint32_t b) {
  return ptx_jit_apply(E, text, (ptx_jit_filling){ .lanes = PTX_LANES, .values = { a, b } });
}

/* From offsets in the lanes' memory, plus `byte`, to those in the rows. */
static uint32_t in_rows (ptx_jit_emitter *E, uint32_t offsets, uint32_t byte) {
  static const char text[] = "$0 = add $i32 $a, [i32 #]\n$1 = and $i32 $0, [i32 -4]\n"
                             "$2 = shl $i32 $1, [i32 5]\n$3 = and $i32 $0, [i32 3]\n"
                             "$d = or $i32 $2, $3";
  uint32_t rows = ptx_jit_apply(
             E, text, (ptx_jit_filling){ .lanes = PTX_LANES, .values = { offsets }, .imm = byte }),
           t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = add <32 x i32> %%t%u, <", t, rows);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", 4 * l);
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

/* ---- words, or less, of all lanes ---- */

typedef struct words {
  uint32_t row;     /* ptr: of the first word, if all lanes have one offset; 0: they do not */
  uint32_t offsets; /* of the first element in the lanes' memory, then */
  uint32_t placed;  /* of its first word in the rows, where elements are words */
} words;

static words words_of (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  bool one = x->shape == PTX_JIT_ONE;
  if (one && x->I->size >= 4) return (words){ .row = row_at(E, x, t->at[0]) };
  words w = { .offsets = one ? same_offsets(E, t->at[0]) : t->offsets };
  if (x->I->size >= 4) w.placed = in_rows(E, w.offsets, 0);
  return w;
}

/* Where the word, or narrow element, `byte` bytes after the first one is: the offsets from
 * place_of_byte. */
static uint32_t offsets_of (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w,
                            uint32_t byte) {
  return x->I->size >= 4 ? w->placed : in_rows(E, w->offsets, byte);
}

static uint32_t place_of_byte (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w,
                               uint32_t byte) {
  uint32_t from = w->row != 0 ? w->row : x->storage;
  return x->I->size < 4 || byte == 0 ? from
                                     : ptx_jit_move_beyond(E, from, (int64_t)byte * PTX_LANES);
}

static uint32_t take_byte (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w,
                           uint32_t byte) {
  uint32_t place = place_of_byte(E, x, w, byte), size = x->I->size < 4 ? x->I->size : 4;
  if (w->row == 0) return ptx_jit_gather(E, size, place, offsets_of(E, x, w, byte), true);
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <32 x i32>, ptr %%t%u, align 64" PTX_JIT_PROGRAM "\n", t,
               place);
  return t;
}

static void give_byte (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w, uint32_t byte,
                       uint32_t value) {
  char mask[16];
  uint32_t place = place_of_byte(E, x, w, byte), size = x->I->size < 4 ? x->I->size : 4;
  if (w->row == 0) ptx_jit_scatter(E, size, place, offsets_of(E, x, w, byte), value);
  else if (E->full && E->predicate == 0)
    lcu_buf_addf(&E->out, "  store <32 x i32> %%t%u, ptr %%t%u, align 64" PTX_JIT_PROGRAM "\n",
                 value, place);
  else
    lcu_buf_addf(&E->out,
                 "  call void @llvm.masked.store.v32i32.p0(<32 x i32> %%t%u, ptr %%t%u, i32 64, "
                 "<32 x i1> %s)" PTX_JIT_PROGRAM "\n",
                 value, place, ptx_jit_check_mask(E, mask));
}

/* ---- elements ---- */

#define JOIN \
  "$0 = zext $i32 $a to $i64\n$1 = zext $i32 $b to $i64\n$2 = shl $i64 $1, [i64 32]\n" \
  "$d = or $i64 $0, $2"
#define LOWER "$d = trunc $i64 $a to $i32"
#define UPPER "$0 = lshr $i64 $a, [i64 32]\n$d = trunc $i64 $0 to $i32"

static void load_words (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w, uint32_t e) {
  uint32_t byte = e * x->I->size, value = take_byte(E, x, w, byte);
  if (x->I->size == 8) value = apply_text(E, JOIN, value, take_byte(E, x, w, byte + 4));
  ptx_jit_set_lanes(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes, value);
}

static void store (ptx_jit_emitter *E, const ptx_jit_transfer *x, const words *w, uint32_t e) {
  uint32_t byte = e * x->I->size, value = ptx_jit_move_element(E, x, e);
  if (x->I->size < 8) {
    give_byte(E, x, w, byte, value);
    return;
  }
  give_byte(E, x, w, byte, apply_text(E, LOWER, value, 0));
  give_byte(E, x, w, byte + 4, apply_text(E, UPPER, value, 0));
}

void ptx_jit_local (ptx_jit_emitter *E, uint32_t i) {
  ptx_jit_transfer x = ptx_jit_transfer_of(E, i);
  bool direct = (x.I->flags & PTX_F_DIRECT) != 0;
  uint32_t labels[2];
  if (direct) x.base = frame(E);
  x.shape = direct || (x.a != NULL && ptx_value_uniform(x.a)) ? PTX_JIT_ONE : PTX_JIT_ANY;
  ptx_jit_spot t = ptx_jit_check(E, &x);
  ptx_jit_transfer_begin(E, &x, labels);
  words w = words_of(E, &x, &t);
  for (uint32_t e = 0; e < x.I->vector; e++) {
    if (x.load) load_words(E, &x, &w, e);
    else store(E, &x, &w, e);
  }
  ptx_jit_transfer_end(E, &x, labels);
}

/* An address of the frame is one for all lanes. */
void ptx_jit_local_address (ptx_jit_emitter *E, uint32_t i, uint32_t bytes) {
  const ptx_uop *I = &E->f->code->uops[i];
  uint32_t base = frame(E), at = ptx_jit_number(E), t = at;
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %lld\n", at, base, (long long)I->imm);
  if (bytes == 4) {
    t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n", t, at);
  }
  ptx_jit_set_one(E, i, I->d, bytes, t);
}
