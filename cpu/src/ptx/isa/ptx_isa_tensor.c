/* ptx_isa_tensor.c: products of matrices of f64, of single bits, and the four products of 8 x 8 x 4
 * halves by eight lanes each (9.7.14). */
#include "ptx_exchange.h"
#include "ptx_isa.h"
#include "ptx_mode.h"
#include "ptx_tensor.h"

#define WHOLE_WARP(name, CALL) \
  PTX_HANDLER_DECLARE(name) \
  const ptx_uop *PTX_FULL(name)(PTX_HANDLER_ARGS) { \
    ptx_product x = ptx_product_of(I); \
    (void)w; \
    CALL; \
    return I + 1; \
  } \
  const ptx_uop *PTX_MASKED(name)(PTX_HANDLER_ARGS) { \
    (void)rf; \
    return ptx_whole_warp_wait(I, w); \
  }

/* ---- f64: fused multiply-adds in the order of k */

/* Column order as in ptx_planes.h: even ones first, as in the pairs of registers. */
typedef struct sums_f64 {
  double at[2][8][8];
} sums_f64;

static inline void copy_pairs (const sums_f64 *from, sums_f64 *to, uint8_t *rf,
                               const int32_t *slots, uint32_t blocks) {
  for (uint32_t i = 0; i < blocks; i++)
    for (uint32_t odd = 0; odd < 2; odd++)
      for (uint32_t r = 0; r < 8; r++) {
        S_f64 *slot = PTX_SLOT(f64, rf, slots[i * 2 + odd]) + r * 4;
        if (to != NULL) memcpy(&to->at[i][r][odd * 4], slot, 32);
        else memcpy(slot, &from->at[i][r][odd * 4], 32);
      }
}

/* Block i += the products of one register of a and one of b. */
static inline void multiply_f64 (sums_f64 *s, uint32_t i, const S_f64 *a, const S_f64 *b) {
  for (uint32_t t = 0; t < 4; t++) {
    double column[8];
    for (uint32_t c = 0; c < 8; c++) column[c] = b[(c % 4 * 2 + c / 4) * 4 + t];
    for (uint32_t r = 0; r < 8; r++)
      for (uint32_t c = 0; c < 8; c++)
        s->at[i][r][c] = __builtin_fma(a[r * 4 + t], column[c], s->at[i][r][c]);
  }
}

static void product_f64 (uint8_t *rf, const int32_t *slots, const ptx_tensor *t,
                         const ptx_product *x) {
  ptx_fragment_form a = ptx_tensor_fragment(t, 'a', PTX_F64),
                    d = ptx_tensor_fragment(t, 'c', PTX_F64);
  const int32_t *sa = slots + d.total, *sb = sa + a.unique, *sc = sb + a.words;
  sums_f64 s;
  uint32_t nearest = 0;
  bool directed = x->round != PTX_ROUND_NONE && x->round != PTX_ROUND_RN;
  copy_pairs(NULL, &s, rf, sc, a.rows);
  if (directed) nearest = ptx_mode_direct((ptx_round)x->round);
  __asm__ volatile("" : : "r"(&s) : "memory");
  for (uint32_t word = 0; word < a.words; word++)
    for (uint32_t i = 0; i < a.rows; i++)
      multiply_f64(&s, i, PTX_SLOT(f64, rf, sa[word * a.rows + i]), PTX_SLOT(f64, rf, sb[word]));
  __asm__ volatile("" : : "r"(&s) : "memory"); /* the sums are made in between */
  if (directed) ptx_mode_restore(nearest);
  copy_pairs(&s, NULL, rf, slots, a.rows);
}
WHOLE_WARP(mma_f64, product_f64(rf, I->extra->slots, ptx_tensor_of(I), &x))

/* ---- single bits: c + popcount of a row with a column */

static inline uint32_t common_bits (uint32_t a, uint32_t b, uint8_t op) {
  return (uint32_t)__builtin_popcount(op == PTX_BOOL_XOR ? a ^ b : a & b);
}

static void product_b1 (uint8_t *rf, const int32_t *slots, const ptx_tensor *t,
                        const ptx_product *x) {
  ptx_fragment_form a = ptx_tensor_fragment(t, 'a', PTX_NOTYPE);
  const int32_t *sa = slots + a.rows * 2, *sb = sa + a.unique, *sc = sb + a.words;
  uint32_t sums[4][PTX_LANES];
  for (uint32_t i = 0; i < a.rows * 2u; i++)
    for (uint32_t l = 0; l < PTX_LANES; l++) {
      uint32_t row = l / 4, column = l % 4 * 2 + i % 2, sum = PTX_SLOT(u32, rf, sc[i])[l];
      for (uint32_t word = 0; word < a.words; word++)
        for (uint32_t k = 0; k < 4; k++)
          sum += common_bits(PTX_SLOT(u32, rf, sa[word * a.rows + i / 2])[row * 4 + k],
                             PTX_SLOT(u32, rf, sb[word])[column * 4 + k], x->bool_op);
      sums[i][l] = sum;
    }
  for (uint32_t i = 0; i < a.rows * 2u; i++) memcpy(rf + slots[i], sums[i], sizeof sums[i]);
}
WHOLE_WARP(mma_b1, product_b1(rf, I->extra->slots, ptx_tensor_of(I), &x))

/* ---- m8n8k4 of f16 (9.7.14.5.1): product q is that of lanes 4q to 4q + 3 and those 16 above */

typedef struct quad {
  const int32_t *slots;
  uint8_t *rf;
  uint32_t lane; /* 4q */
} quad;

static inline uint32_t lane_of (const quad *q, uint32_t at) {
  return q->lane + at % 4 + at / 4 * 16;
}

static inline float half_at (const quad *q, uint32_t first, uint32_t lane, uint32_t i) {
  uint32_t word = PTX_SLOT(u32, q->rf, q->slots[first + i / 2])[lane];
  return lcu_half_to_float((uint16_t)(word >> i % 2 * 16));
}

/* Element k of line `at`, a row of a or a column of b: a lane has a line, or four lanes have four
 * elements of the same k. */
static inline float quad_element (const quad *q, uint32_t first, uint32_t at, uint32_t k,
                                  bool lines) {
  return lines ? half_at(q, first, lane_of(q, at), k)
               : half_at(q, first, q->lane + k + at / 4 * 16, at % 4);
}

/* The lane and the number of an accumulator. */
static inline void quad_place (const quad *q, ptx_type t, uint32_t row, uint32_t column,
                               uint32_t *lane, uint32_t *i) {
  if (t == PTX_F16) {
    *lane = lane_of(q, row);
    *i = column;
    return;
  }
  *lane = q->lane + (row & 1) + (column & 2) + row / 4 * 16;
  *i = (row & 2) + (column & 4) + (column & 1);
}

static inline float quad_sum (const quad *q, uint32_t first, ptx_type t, uint32_t row,
                              uint32_t column) {
  uint32_t lane, i;
  quad_place(q, t, row, column, &lane, &i);
  if (t == PTX_F16) return half_at(q, first, lane, i);
  return PTX_SLOT(f32, q->rf, q->slots[first + i])[lane];
}

static inline void quad_put (const quad *q, ptx_type t, uint32_t row, uint32_t column, float v) {
  uint32_t lane, i;
  quad_place(q, t, row, column, &lane, &i);
  if (t == PTX_F32) {
    PTX_SLOT(f32, q->rf, q->slots[i])[lane] = v;
    return;
  }
  S_u32 *word = &PTX_SLOT(u32, q->rf, q->slots[i / 2])[lane];
  uint32_t shift = i % 2 * 16;
  *word = (*word & ~(0xffffu << shift)) | (uint32_t)lcu_float_to_half(v) << shift;
}

/* The elements of a, or of b, by k. */
static void quad_lines (float to[4][8], const quad *q, uint32_t first, bool lines) {
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t at = 0; at < 8; at++) to[k][at] = quad_element(q, first, at, k, lines);
}

static void product_quad (const quad *q, const ptx_product *x) {
  uint32_t a = x->d == PTX_F16 ? 4 : 8, b = a + 2, c = b + 2;
  float rows[4][8], columns[4][8], sums[8][8];
  quad_lines(rows, q, a, x->layouts >> 2 == PTX_LAYOUT_row);
  quad_lines(columns, q, b, (x->layouts & 3) == PTX_LAYOUT_col);
  for (uint32_t r = 0; r < 8; r++)
    for (uint32_t n = 0; n < 8; n++) sums[r][n] = quad_sum(q, c, (ptx_type)x->c, r, n);
  for (uint32_t k = 0; k < 4; k++)
    for (uint32_t r = 0; r < 8; r++)
      for (uint32_t n = 0; n < 8; n++) sums[r][n] += rows[k][r] * columns[k][n];
  for (uint32_t r = 0; r < 8; r++)
    for (uint32_t n = 0; n < 8; n++) quad_put(q, (ptx_type)x->d, r, n, sums[r][n]);
}

static void products_quad (uint8_t *rf, const int32_t *slots, const ptx_product *x) {
  for (uint32_t i = 0; i < 4; i++) product_quad(&(quad){ slots, rf, i * 4 }, x);
}
WHOLE_WARP(mma_quad, products_quad(rf, I->extra->slots, &x))
