/* ptx_isa_fragment.c: wmma.load and wmma.store (9.7.14.4.3, 9.7.14.4.4): between the lines of a
 * matrix and the registers of its fragment, whose layout is in ptx_tensor.h. */
#include "ptx_exchange.h"
#include "ptx_fragment.h"
#include "ptx_isa.h"

typedef uint8_t PTX_ALIAS M_8;
typedef uint16_t PTX_ALIAS M_16;
typedef uint32_t PTX_ALIAS M_32;
typedef uint64_t PTX_ALIAS M_64;

/* Copies between a register and the tile. `slot` has the lanes of the register. */
typedef struct block {
  const ptx_move *v;
  uint8_t *tile, *slot;
  uint32_t row, word; /* of the block */
} block;

/* Words along lines: 4 of each of 8 lines. */
static PTX_INLINE void words_along (const block *b, uint32_t bytes, bool store) {
  uint32_t line = ptx_line_bytes(b->v);
  uint8_t *at = b->tile + b->row * 8 * line + b->word * 4 * bytes;
  for (uint32_t g = 0; g < 8; g++) {
    if (store) memcpy(at + g * line, b->slot + g * 4 * bytes, 4 * bytes);
    else memcpy(b->slot + g * 4 * bytes, at + g * line, 4 * bytes);
  }
}

/* Words across lines: the elements of one are in PER consecutive lines. */
#define WORDS_ACROSS(BITS, WORD, PER) \
  static PTX_INLINE void across_##BITS(const block *b, bool store) { \
    uint32_t line = b->v->length; \
    M_##BITS *at = (M_##BITS *)(void *)b->tile + b->word * 4 * PER * line + b->row * 8; \
    M_##WORD *slot = (M_##WORD *)__builtin_assume_aligned(b->slot, 64); \
    for (uint32_t t = 0; t < 4; t++) \
      for (uint32_t g = 0; g < 8; g++) { \
        M_##WORD word = 0; \
        for (uint32_t e = 0; e < PER; e++) { \
          M_##BITS *x = &at[(t * PER + e) * line + g]; \
          if (store) *x = (M_##BITS)(slot[g * 4 + t] >> (e * (BITS % WORD))); \
          else word |= (M_##WORD)((M_##WORD) * x << (e * (BITS % WORD))); \
        } \
        if (!store) slot[g * 4 + t] = word; \
      } \
  }
/* clang-format off */
WORDS_ACROSS(8, 32, 4) WORDS_ACROSS(16, 32, 2) WORDS_ACROSS(32, 32, 1) WORDS_ACROSS(64, 64, 1)
/* clang-format on */

/* One register of a pair: every other column of a block of 8 x 8. */
#define EVERY_OTHER(BITS) \
  static PTX_INLINE void pair_##BITS(const block *b, uint32_t odd, bool store) { \
    uint32_t length = b->v->length, down = b->v->along ? length : 1, \
             right = b->v->along ? 1 : length; \
    M_##BITS *at = (M_##BITS *)(void *)b->tile + b->row * 8 * down + (b->word * 8 + odd) * right; \
    M_##BITS *slot = (M_##BITS *)__builtin_assume_aligned(b->slot, 64); \
    for (uint32_t g = 0; g < 8; g++) \
      for (uint32_t t = 0; t < 4; t++) { \
        M_##BITS *x = &at[g * down + 2 * t * right]; \
        if (store) *x = slot[g * 4 + t]; \
        else slot[g * 4 + t] = *x; \
      } \
  }
  EVERY_OTHER(32) EVERY_OTHER(64)

    static PTX_INLINE void move_register(const block *b, uint32_t odd, bool store) {
  const ptx_move *v = b->v;
  if (v->pairs) {
    if (v->bits == 32) pair_32(b, odd, store);
    else pair_64(b, odd, store);
  } else if (v->along) {
    if (v->bits == 64) words_along(b, 8, store);
    else words_along(b, 4, store);
  } else {
    switch (v->bits) {
      case 8: across_8(b, store); break;
      case 16: across_16(b, store); break;
      case 32: across_32(b, store); break;
      default: across_64(b, store); break;
    }
  }
}

static PTX_INLINE void move_all (const ptx_uop *I, uint8_t *rf, const ptx_move *v, uint8_t *tile,
                                 bool store) {
  uint32_t per_block = v->pairs ? 2 : 1, unique = v->rows * v->words * per_block;
  const int32_t *slots = I->extra->slots;
  for (uint32_t i = 0; i < unique; i++) {
    uint32_t at = i / per_block;
    block b = { v, tile, rf + slots[i], at % v->rows, at / v->rows };
    if (v->k_first) {
      b.row = at / v->words;
      b.word = at % v->words;
    }
    move_register(&b, i % per_block, store);
  }
  for (uint32_t i = unique; !store && i < v->total; i++)
    memcpy(rf + slots[i], rf + slots[i % unique], 4 * PTX_LANES);
}

PTX_HANDLER_DECLARE(wmma_load)
const ptx_uop *PTX_FULL (wmma_load)(PTX_HANDLER_ARGS) {
  _Alignas(64) uint8_t tile[PTX_TILE_BYTES];
  ptx_move v = ptx_move_in(I);
  if (!ptx_fragment_read(I, rf, w, tile)) return ptx_leave(w, PTX_EV_FAULT, I);
  move_all(I, rf, &v, tile, false);
  return I + 1;
}
const ptx_uop *PTX_MASKED (wmma_load)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}

PTX_HANDLER_DECLARE(wmma_store)
const ptx_uop *PTX_FULL (wmma_store)(PTX_HANDLER_ARGS) {
  _Alignas(64) uint8_t tile[PTX_TILE_BYTES];
  ptx_move v = ptx_move_in(I);
  move_all(I, rf, &v, tile, true);
  return ptx_fragment_write(I, rf, w, tile) ? I + 1 : ptx_leave(w, PTX_EV_FAULT, I);
}
const ptx_uop *PTX_MASKED (wmma_store)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}
