/* ptx_isa_mma.c: products of matrices (9.7.14) whose elements are exact as float: f16, bf16, tf32,
 * floats of 4 to 8 bits, and integers of 4 and 8 bits.
 *
 * Products are exact as well. Floats are added to c one after the other, in the order of k, each
 * sum rounded to nearest; the ISA leaves order and rounding open, and asks for single precision.
 * Sums of products of integers are below 2^24, so they are exact too; c is added as an integer. */
#include "ptx_exchange.h"
#include "ptx_isa.h"
#include "ptx_multiply.h"
#include "ptx_planes.h"
#include "ptx_scaled.h"
#include "ptx_sparse.h"

enum { MAX_PLANES = 64, MOST_BLOCKS = 16 }; /* planes of one operand; blocks of sums */

/* Eight columns of a row. */
typedef float row8 __attribute__((vector_size(32)));

typedef struct planes {
  _Alignas(64) float at[MAX_PLANES * PLANE];
} planes;

/* Planes in the order of the loops: blocks of rows, words, elements. `turn`: of b. */
static PTX_INLINE void unpack_type (float *to, const uint8_t *rf, const int32_t *slots,
                                    uint32_t rows, uint32_t words, uint32_t per, ptx_type t,
                                    bool turn) {
  _Alignas(64) uint32_t turned[PTX_LANES];
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t word = 0; word < words; word++) {
      /* registers of a go down the rows first, those of b along k */
      uint32_t at = turn ? row * words + word : word * rows + row;
      const uint8_t *slot = rf + slots[at];
      if (turn) ptx_turn(turned, slot);
      const uint32_t *w = turn ? turned : (const uint32_t *)(const void *)slot;
      for (uint32_t e = 0; e < per; e++, to += PLANE) ptx_plane(to, w, t, e * (32 / per));
    }
}

static PTX_INLINE void unpack (float *to, const uint8_t *rf, const int32_t *slots, uint32_t rows,
                               uint32_t words, uint32_t per, ptx_type t, bool turn) {
  switch (t) {
#define UNPACK(T) \
  case T: unpack_type(to, rf, slots, rows, words, per, T, turn); break;
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

/* ---- blocks of elements with scales */

static PTX_INLINE void rows_of (row8 s[8], const block_sums *p) {
  for (uint32_t r = 0; r < 8; r++) {
    memcpy(&s[r], p->even + r * 4, 16);
    memcpy((float *)&s[r] + 4, p->odd + r * 4, 16);
  }
}

static PTX_INLINE void sums_of (const block_sums *p, const row8 s[8]) {
  for (uint32_t r = 0; r < 8; r++) {
    memcpy(p->even + r * 4, &s[r], 16);
    memcpy(p->odd + r * 4, (const float *)&s[r] + 4, 16);
  }
}

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

/* ---- accumulators in registers */

static PTX_INLINE void load_sums (const block_sums *p, const uint8_t *rf, const int32_t *c,
                                  uint32_t block, ptx_type t) {
  if (t == PTX_F32) {
    memcpy(p->even, rf + c[block * 2], 4 * PTX_LANES);
    memcpy(p->odd, rf + c[block * 2 + 1], 4 * PTX_LANES);
  } else if (t == PTX_F16) {
    const uint32_t *w = (const uint32_t *)(const void *)(rf + c[block]);
    ptx_plane_f16(p->even, w, 0);
    ptx_plane_f16(p->odd, w, 16);
  } else {
    memset(p->even, 0, 4 * PTX_LANES);
    memset(p->odd, 0, 4 * PTX_LANES);
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

static PTX_INLINE void store_halves (uint8_t *rf, int32_t d, const block_sums *p) {
  S_u32 *pd = PTX_SLOT(u32, rf, d);
  PTX_IVDEP PTX_EACH_LANE(l) pd[l] =
    lcu_float_to_half(p->even[l]) | (uint32_t)lcu_float_to_half(p->odd[l]) << 16;
}

static void store_sums (uint8_t *rf, const int32_t *d, uint32_t block,
                        const block_sums *p, const ptx_product *x) {
  if (x->satfinite && x->d != PTX_S32) {
    float largest = x->d == PTX_F16 ? 65504.0f : 3.402823466e38f;
    make_finite(p->even, largest);
    make_finite(p->odd, largest);
  }
  if (x->d == PTX_F16) {
    store_halves(rf, d[block], p);
    return;
  }
  memcpy(rf + d[block * 2], p->even, 4 * PTX_LANES);
  memcpy(rf + d[block * 2 + 1], p->odd, 4 * PTX_LANES);
}

/* ---- the product */

typedef struct product {
  uint8_t *rf;
  const int32_t *d, *a, *b, *c, *rest; /* slots */
  const ptx_tensor *t;
  ptx_product types;
  ptx_product_form form;
} product;

static product product_of (const ptx_uop *I, uint8_t *rf) {
  ptx_product_form f = ptx_product_form_of(I);
  const int32_t *d = I->extra->slots, *a = d + f.d, *b = a + f.a, *c = b + f.b;
  return (product){ rf, d, a, b, c, c + f.c, ptx_tensor_of(I), ptx_product_of(I), f };
}

static bool is_sparse (const product *p) { return p->t->form == PTX_TENSOR_SPARSE; }

static void planes_of_a (planes *to, const product *p) {
  const ptx_product_form *f = &p->form;
  uint32_t words = f->a / f->rows;
  unpack(to->at, p->rf, p->a, f->rows, words, f->per_word, (ptx_type)p->types.a, false);
  if (!is_sparse(p)) return;
  ptx_fragment_form form = ptx_tensor_fragment(p->t, 'a', PTX_NOTYPE);
  ptx_sparse_expand(to->at, p->t, &form, p->rf + p->rest[0], p->rf + p->rest[1]);
}

static void planes_of_b (planes *to, const product *p) {
  const ptx_product_form *f = &p->form;
  unpack(to->at, p->rf, p->b, f->columns, f->words, f->per_word, (ptx_type)p->types.b, true);
}

/* ---- a, spread. Products with the same one usually follow each other, so each thread keeps the
 * latest one, and the registers that it was made from. */

enum { MOST_KEPT = 8 };
typedef struct spread_left {
  const ptx_tensor *of; /* NULL: none is kept */
  uint32_t type;
  _Alignas(64) uint8_t registers[MOST_KEPT][4 * PTX_LANES];
  _Alignas(64) float numbers[4 * MAX_PLANES * PLANE];
} spread_left;
static _Thread_local spread_left latest;

static PTX_INLINE bool is_register (const uint8_t *kept, const uint8_t *slot) {
  const ptx_vector_64 *x = (const void *)kept, *y = (const void *)slot;
  ptx_vector_64 differ = x[0] ^ y[0];
  for (uint32_t i = 1; i < VECTORS; i++) differ |= x[i] ^ y[i];
  return !ptx_any_64(differ);
}

static PTX_INLINE bool is_kept (const spread_left *l, const product *p) {
  if (l->of != p->t || l->type != p->types.a) return false;
  for (uint32_t i = 0; i < p->form.a; i++)
    if (!is_register(l->registers[i], p->rf + p->a[i])) return false;
  return true;
}

static const float *left_of (const product *p) {
  spread_left *l = &latest;
  if (lcu_likely(is_kept(l, p))) return l->numbers;
  const ptx_product_form *f = &p->form;
  bool keep = f->a <= MOST_KEPT && !is_sparse(p);
  planes a;
  l->of = keep ? p->t : NULL;
  l->type = p->types.a;
  for (uint32_t i = 0; keep && i < f->a; i++)
    memcpy(l->registers[i], p->rf + p->a[i], sizeof l->registers[i]);
  planes_of_a(&a, p);
  spread(l->numbers, a.at, f->rows, f->words, f->per_word);
  return l->numbers;
}

/* ---- */

static PTX_INLINE void add_products (const block_sums *sums, const product *p) {
  const ptx_product_form *f = &p->form;
  bool exact = p->types.a != PTX_BF16 && p->types.a != PTX_TF32;
  planes b;
  const float *a = left_of(p);
  planes_of_b(&b, p);
  for (uint32_t i = 0; i < f->columns; i++) {
    const float *columns = b.at + i * f->words * f->per_word * PLANE;
    const block_sums *block = sums + i * f->rows;
    if (exact) multiply_blocks(block, a, f->rows, columns, f->words, f->per_word, true);
    else multiply_blocks(block, a, f->rows, columns, f->words, f->per_word, false);
  }
}

static void add_scaled (block_sums *sums, const product *p, ptx_scaling scaling) {
  const ptx_product_form *f = &p->form;
  planes a, b;
  ptx_scales scales;
  ptx_scales_read(&scales, p->rf, p->rest + (is_sparse(p) ? 2 : 0), scaling);
  planes_of_a(&a, p);
  planes_of_b(&b, p);
  for (uint32_t i = 0; i < f->rows; i++) {
    row8 s[8];
    rows_of(s, &sums[i]);
    multiply_scaled(s, a.at + i * f->words * f->per_word * PLANE, b.at, p->t->k, f->per_word,
                    &scales, i * 8);
    sums_of(&sums[i], s);
  }
}

static PTX_INLINE void add_any (block_sums *sums, const product *p, ptx_scaling scaling) {
  if (lcu_unlikely(scaling.vectors != 0)) add_scaled(sums, p, scaling);
  else add_products(sums, p);
}

/* d is c, and holds what is added up. */
static bool in_place (const product *p) {
  bool same = p->types.c == PTX_F32 && p->types.d == PTX_F32 && !p->types.satfinite;
  for (uint32_t i = 0; same && i < p->form.c; i++) same = p->c[i] == p->d[i];
  return same;
}

/* All of c and the operands are read before d is written, for the same registers may be both. */
static void multiply_apart (const product *p, ptx_scaling scaling) {
  _Alignas(64) float at[2 * MOST_BLOCKS * PLANE];
  block_sums sums[MOST_BLOCKS];
  uint32_t blocks = (uint32_t)p->form.rows * p->form.columns;
  for (uint32_t i = 0; i < blocks; i++) {
    sums[i] = (block_sums){ at + 2 * i * PLANE, at + (2 * i + 1) * PLANE };
    load_sums(&sums[i], p->rf, p->c, i, (ptx_type)p->types.c);
  }
  add_any(sums, p, scaling);
  for (uint32_t i = 0; i < blocks && p->types.c == PTX_S32; i++) {
    add_integers(sums[i].even, p->rf, p->c[i * 2], p->types.satfinite);
    add_integers(sums[i].odd, p->rf, p->c[i * 2 + 1], p->types.satfinite);
  }
  for (uint32_t i = 0; i < blocks; i++) store_sums(p->rf, p->d, i, &sums[i], &p->types);
}

static void multiply (const product *p, ptx_scaling scaling) {
  block_sums sums[MOST_BLOCKS];
  if (!in_place(p)) {
    multiply_apart(p, scaling);
    return;
  }
  for (uint32_t i = 0; i < p->form.c / 2u; i++)
    sums[i] = (block_sums){ PTX_SLOT(f32, p->rf, p->c[2 * i]),
                            PTX_SLOT(f32, p->rf, p->c[2 * i + 1]) };
  add_any(sums, p, scaling);
}

PTX_HANDLER_DECLARE(mma_f32)
const ptx_uop *PTX_FULL (mma_f32)(PTX_HANDLER_ARGS) {
  product p = product_of(I, rf);
  (void)w;
  multiply(&p, ptx_scaling_of(I));
  return I + 1;
}
const ptx_uop *PTX_MASKED (mma_f32)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}
