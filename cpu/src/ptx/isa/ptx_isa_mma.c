/* ptx_isa_mma.c: products of matrices (9.7.14) whose elements are exact as float: f16, bf16, tf32,
 * floats of 4 to 8 bits, and integers of 4 and 8 bits.
 *
 * Products are exact as well. Floats are added to c one after the other, in the order of k, each
 * sum rounded to nearest; the ISA leaves order and rounding open, and asks for single precision.
 * Sums of products of integers are below 2^24, so they are exact too; c is added as an integer. */
#include "ptx_exchange.h"
#include "ptx_isa.h"
#include "ptx_planes.h"
#include "ptx_scaled.h"
#include "ptx_sparse.h"

enum {
  MAX_PLANES = 64, /* of one operand */
  PLANE = PTX_LANES
};

/* Eight columns of a row. */
typedef float row8 __attribute__((vector_size(32)));

typedef struct planes {
  _Alignas(64) float a[MAX_PLANES * PLANE];
  _Alignas(64) float b[MAX_PLANES * PLANE];
} planes;

/* Planes in the order of the loops: blocks of rows, words, elements. */
static PTX_INLINE void unpack_type (float *to, const uint8_t *rf, const int32_t *slots,
                                    const ptx_fragment_form *f, ptx_type t, bool turn) {
  _Alignas(64) uint32_t turned[PTX_LANES];
  for (uint32_t row = 0; row < f->rows; row++)
    for (uint32_t word = 0; word < f->words; word++) {
      /* registers of a go down the rows first, those of b along k */
      uint32_t at = turn ? row * f->words + word : word * f->rows + row;
      const uint8_t *slot = rf + slots[at];
      if (turn) ptx_turn(turned, slot);
      const uint32_t *w = turn ? turned : (const uint32_t *)(const void *)slot;
      for (uint32_t e = 0; e < f->per_word; e++, to += PLANE) ptx_plane(to, w, t, e * f->bits);
    }
}

static PTX_INLINE void unpack (float *to, const uint8_t *rf, const int32_t *slots,
                               const ptx_fragment_form *f, ptx_type t, bool turn) {
  switch (t) {
#define UNPACK(T) \
  case T: unpack_type(to, rf, slots, f, T, turn); break;
    UNPACK(PTX_F16)
    UNPACK(PTX_BF16)
    UNPACK(PTX_TF32)
    UNPACK(PTX_S8)
    UNPACK(PTX_U8)
    UNPACK(PTX_S4)
    UNPACK(PTX_U4)
    UNPACK(PTX_E4M3)
    UNPACK(PTX_E5M2)
    UNPACK(PTX_E3M2)
    UNPACK(PTX_E2M3)
    UNPACK(PTX_E2M1)
    UNPACK(PTX_E2M1X2)
#undef UNPACK
    default: break;
  }
}

/* ---- one block of 8 x 8 */

/* s += a * b over `words` blocks of words of PER elements. */
static PTX_INLINE void multiply_per (row8 s[8], const float *a, const float *b, uint32_t words,
                                     uint32_t per) {
  row8 x[8];
  for (int r = 0; r < 8; r++) x[r] = s[r];
  for (uint32_t c = 0; c < words; c++, a += per * PLANE, b += per * PLANE)
    for (uint32_t t = 0; t < 4; t++)
      for (uint32_t e = 0; e < per; e++) {
        row8 v = *(const row8 *)(const void *)(b + e * PLANE + t * 8);
        for (uint32_t r = 0; r < 8; r++) x[r] += v * a[e * PLANE + r * 4 + t];
      }
  for (int r = 0; r < 8; r++) s[r] = x[r];
}

static void multiply (row8 s[8], const float *a, const float *b, uint32_t words, uint32_t per) {
  switch (per) {
    case 1: multiply_per(s, a, b, words, 1); break;
    case 2: multiply_per(s, a, b, words, 2); break;
    case 4: multiply_per(s, a, b, words, 4); break;
    default: multiply_per(s, a, b, words, 8); break;
  }
}

/* ---- the same, where blocks of elements have scales */

/* s += a * b over elements `from` to `end` of all groups of four words. */
static void multiply_part (row8 s[8], const float *a, const float *b, uint32_t from, uint32_t end,
                           uint32_t per) {
  for (uint32_t at = from; at < end; at++) {
    uint32_t plane = (at / (4 * per) * per + at % per) * PLANE, t = at / per % 4;
    row8 v = *(const row8 *)(const void *)(b + plane + t * 8);
    for (uint32_t r = 0; r < 8; r++) s[r] += v * a[plane + r * 4 + t];
  }
}

/* The block of rows `first` to `first` + 7. */
static void multiply_scaled (row8 s[8], const float *a, const float *b, uint32_t k, uint32_t per,
                             const ptx_scales *scales, uint32_t first) {
  uint32_t length = k / scales->vectors;
  for (uint32_t i = 0; i < scales->vectors; i++) {
    row8 part[8] = { { 0 } };
    multiply_part(part, a, b, i * length, (i + 1) * length, per);
    for (uint32_t r = 0; r < 8; r++)
      for (uint32_t c = 0; c < 8; c++) {
        double scale = (double)scales->a[first + r][i] * (double)scales->b[c][i];
        s[r][c] = (float)((double)s[r][c] + (double)part[r][c] * scale);
      }
  }
}

/* ---- accumulators: two planes per block, the even columns and the odd ones */

typedef struct pair {
  _Alignas(64) float even[PTX_LANES];
  _Alignas(64) float odd[PTX_LANES];
} pair;

static PTX_INLINE void rows_of (row8 s[8], const pair *p) {
  for (uint32_t r = 0; r < 8; r++) {
    memcpy(&s[r], p->even + r * 4, 16);
    memcpy((float *)&s[r] + 4, p->odd + r * 4, 16);
  }
}

static PTX_INLINE void pair_of (pair *p, const row8 s[8]) {
  for (uint32_t r = 0; r < 8; r++) {
    memcpy(p->even + r * 4, &s[r], 16);
    memcpy(p->odd + r * 4, (const float *)&s[r] + 4, 16);
  }
}

static PTX_INLINE void load_sums (pair *p, const uint8_t *rf, const int32_t *c, uint32_t block,
                                  ptx_type t) {
  if (t == PTX_F32) {
    memcpy(p->even, rf + c[block * 2], sizeof p->even);
    memcpy(p->odd, rf + c[block * 2 + 1], sizeof p->odd);
  } else if (t == PTX_F16) {
    const uint32_t *w = (const uint32_t *)(const void *)(rf + c[block]);
    ptx_plane_f16(p->even, w, 0);
    ptx_plane_f16(p->odd, w, 16);
  } else {
    memset(p, 0, sizeof *p);
  }
}

/* Infinities become the largest number, NaN becomes 0. */
static PTX_INLINE void make_finite (float *x, float largest) {
  PTX_IVDEP PTX_EACH_LANE(l) {
    float v = x[l] > largest ? largest : x[l] < -largest ? -largest : x[l];
    x[l] = v == v ? v : 0;
  }
}

/* Sums become integers, in place. */
static PTX_INLINE void add_integers (float *sums, const uint8_t *rf, int32_t c, bool satfinite) {
  const S_s32 *pc = PTX_SLOT(s32, rf, c);
  PTX_IVDEP PTX_EACH_LANE(l) {
    int32_t x = (int32_t)sums[l], sum = (int32_t)((uint32_t)x + (uint32_t)pc[l]);
    int32_t over = (x ^ sum) & (pc[l] ^ sum); /* negative: the sum has the wrong sign */
    if (satfinite && over < 0) sum = (int32_t)(0x7fffffffu + (uint32_t)(x < 0));
    sums[l] = lcu_bits_f32((uint32_t)sum);
  }
}

static PTX_INLINE void store_halves (uint8_t *rf, int32_t d, const pair *p) {
  S_u32 *pd = PTX_SLOT(u32, rf, d);
  PTX_IVDEP PTX_EACH_LANE(l) pd[l] =
    lcu_float_to_half(p->even[l]) | (uint32_t)lcu_float_to_half(p->odd[l]) << 16;
}

static void store_sums (uint8_t *rf, const int32_t *d, uint32_t block, pair *p,
                        const ptx_product *x) {
  if (x->satfinite && x->d != PTX_S32) {
    float largest = x->d == PTX_F16 ? 65504.0f : 3.402823466e38f;
    make_finite(p->even, largest);
    make_finite(p->odd, largest);
  }
  if (x->d == PTX_F16) {
    store_halves(rf, d[block], p);
    return;
  }
  memcpy(rf + d[block * 2], p->even, sizeof p->even);
  memcpy(rf + d[block * 2 + 1], p->odd, sizeof p->odd);
}

/* ---- the product */

/* All of c and the operands are read before d is written, for the same registers may be both. */
static void product (uint8_t *rf, const int32_t *slots, const ptx_tensor *t, const ptx_product *x,
                     ptx_scaling scaling) {
  ptx_fragment_form a = ptx_tensor_fragment(t, 'a', PTX_NOTYPE),
                    b = ptx_tensor_fragment(t, 'b', PTX_NOTYPE),
                    c = ptx_tensor_fragment(t, 'c', (ptx_type)x->c),
                    d = ptx_tensor_fragment(t, 'c', (ptx_type)x->d);
  const int32_t *sa = slots + d.total, *sb = sa + a.unique, *sc = sb + b.unique,
                *meta = sc + c.unique;
  bool sparse = t->form == PTX_TENSOR_SPARSE;
  planes p;
  pair sums[16];
  ptx_scales scales;
  uint32_t blocks = (uint32_t)a.rows * b.rows;
  unpack(p.a, rf, sa, &a, (ptx_type)x->a, false);
  unpack(p.b, rf, sb, &b, (ptx_type)x->b, true);
  if (sparse) ptx_sparse_expand(p.a, t, &a, rf + meta[0], rf + meta[1]);
  if (scaling.vectors != 0) ptx_scales_read(&scales, rf, meta + (sparse ? 2 : 0), scaling);
  for (uint32_t i = 0; i < blocks; i++) {
    uint32_t planes_of_row = (uint32_t)b.words * b.per_word * PLANE;
    row8 s[8];
    load_sums(&sums[i], rf, sc, i, (ptx_type)x->c);
    rows_of(s, &sums[i]);
    const float *rows = p.a + i % a.rows * planes_of_row,
                *columns = p.b + i / a.rows * planes_of_row;
    if (scaling.vectors == 0) multiply(s, rows, columns, b.words, b.per_word);
    else multiply_scaled(s, rows, columns, t->k, b.per_word, &scales, i % a.rows * 8);
    pair_of(&sums[i], s);
    if (x->c == PTX_S32) {
      add_integers(sums[i].even, rf, sc[i * 2], x->satfinite);
      add_integers(sums[i].odd, rf, sc[i * 2 + 1], x->satfinite);
    }
  }
  for (uint32_t i = 0; i < blocks; i++) store_sums(rf, slots, i, &sums[i], x);
}

PTX_HANDLER_DECLARE(mma_f32)
const ptx_uop *PTX_FULL (mma_f32)(PTX_HANDLER_ARGS) {
  ptx_product x = ptx_product_of(I);
  (void)w;
  product(rf, I->extra->slots, ptx_tensor_of(I), &x, ptx_scaling_of(I));
  return I + 1;
}
const ptx_uop *PTX_MASKED (mma_f32)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}
