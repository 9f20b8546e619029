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
    UNPACK(PTX_F32)
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

static void store_sums (uint8_t *rf, const int32_t *d, uint32_t block, const block_sums *p,
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
  memcpy(rf + d[block * 2], p->even, 4 * PTX_LANES);
  memcpy(rf + d[block * 2 + 1], p->odd, 4 * PTX_LANES);
}

/* ---- a product */

typedef struct product {
  uint8_t *rf;
  const int32_t *d, *a, *b, *c, *rest; /* slots */
  const ptx_tensor *t;
  ptx_product types;
  ptx_product_form form;
} product;

/* The slots become those of the operation, which is of the same form. */
static PTX_INLINE void take_slots (product *p, const ptx_uop *I) {
  p->d = I->extra->slots;
  p->a = p->d + p->form.d;
  p->b = p->a + p->form.a;
  p->c = p->b + p->form.b;
  p->rest = p->c + p->form.c;
}

static bool is_sparse (const product *p) { return p->t->form == PTX_TENSOR_SPARSE; }

static void planes_of_a (float *to, const product *p) {
  const ptx_product_form *f = &p->form;
  uint32_t words = f->a / f->rows;
  unpack(to, p->rf, p->a, f->rows, words, f->per_word, (ptx_type)p->types.a, false);
  if (!is_sparse(p)) return;
  ptx_fragment_form form = ptx_tensor_fragment(p->t, 'a', PTX_NOTYPE);
  ptx_sparse_expand(to, p->t, &form, p->rf + p->rest[0], p->rf + p->rest[1]);
}

/* b of f32 by rows: a register has a block of 8 rows and 4 columns. */
static void rows_of_b (float *to, const product *p) {
  uint32_t blocks = p->form.b / 2u;
  for (uint32_t i = 0; i < blocks; i++)
    for (uint32_t k = 0; k < 8; k++, to += 8)
      ptx_columns_of(to, p->rf + p->b[i] + k * 16, p->rf + p->b[blocks + i] + k * 16);
}

static void columns_of_b (float *to, const product *p) {
  for (uint32_t i = 0; i < p->form.b; i++) ptx_turn(to + i * PLANE, p->rf + p->b[i]);
}

static void planes_of_b (float *to, const product *p) {
  const ptx_product_form *f = &p->form;
  if (p->types.b == PTX_F32) {
    if ((p->types.layouts & 3) == PTX_LAYOUT_row) rows_of_b(to, p);
    else columns_of_b(to, p);
    return;
  }
  unpack(to, p->rf, p->b, f->columns, f->words, f->per_word, (ptx_type)p->types.b, true);
}

static void spread_of_a (float *to, const product *p) {
  _Alignas(64) float planes[MAX_PLANES * PLANE];
  planes_of_a(planes, p);
  spread(to, planes, p->form.rows, p->form.words, p->form.per_word);
}

static ptx_adding adding_of (const product *p) {
  switch (p->types.a) {
    case PTX_BF16:
    case PTX_TF32: return PTX_ADD_ROUNDED;
    case PTX_F32: return PTX_ADD_FUSED;
    default: return PTX_ADD_EXACT;
  }
}

/* a: spread; b: planes. */
static PTX_INLINE void add_products (const block_sums *sums, const product *p, const float *a,
                                     const float *b) {
  const ptx_product_form *f = &p->form;
  uint32_t planes = (uint32_t)f->words * f->per_word;
  ptx_adding how = adding_of(p);
  for (uint32_t i = 0; i < f->columns; i++, sums += f->rows, b += planes * PLANE) {
    switch (how) {
      case PTX_ADD_EXACT:
        multiply_blocks(sums, a, f->rows, b, f->words, f->per_word, PTX_ADD_EXACT);
        break;
      case PTX_ADD_ROUNDED:
        multiply_blocks(sums, a, f->rows, b, f->words, f->per_word, PTX_ADD_ROUNDED);
        break;
      case PTX_ADD_FUSED: multiply_per(sums, a, f->rows, b, f->words, 1, PTX_ADD_FUSED); break;
    }
  }
}

static void add_scaled (const block_sums *sums, const product *p, ptx_scaling scaling) {
  const ptx_product_form *f = &p->form;
  _Alignas(64) float a[MAX_PLANES * PLANE], b[MAX_PLANES * PLANE];
  ptx_scales scales;
  ptx_scales_read(&scales, p->rf, p->rest + (is_sparse(p) ? 2 : 0), scaling);
  planes_of_a(a, p);
  planes_of_b(b, p);
  for (uint32_t i = 0; i < f->rows; i++) {
    row8 s[8];
    rows_of(s, &sums[i]);
    multiply_scaled(s, a + i * f->words * f->per_word * PLANE, b, p->t->k, f->per_word, &scales,
                    i * 8);
    sums_of(&sums[i], s);
  }
}

/* ---- sums apart from the registers: all of c is read before d is written, for the same registers
 * may be both */

typedef struct sums_apart {
  _Alignas(64) float planes[2 * MOST_BLOCKS * PLANE];
  block_sums blocks[MOST_BLOCKS];
} sums_apart;

static void take_apart (sums_apart *s, const product *p) {
  uint32_t num = (uint32_t)p->form.rows * p->form.columns;
  for (uint32_t i = 0; i < num; i++) {
    s->blocks[i] = (block_sums){ s->planes + 2 * i * PLANE, s->planes + (2 * i + 1) * PLANE };
    load_sums(&s->blocks[i], p->rf, p->c, i, (ptx_type)p->types.c);
  }
}

static void give_apart (sums_apart *s, const product *p) {
  uint32_t num = (uint32_t)p->form.rows * p->form.columns;
  for (uint32_t i = 0; i < num && p->types.c == PTX_S32; i++) {
    add_integers(s->blocks[i].even, p->rf, p->c[i * 2], p->types.satfinite);
    add_integers(s->blocks[i].odd, p->rf, p->c[i * 2 + 1], p->types.satfinite);
  }
  for (uint32_t i = 0; i < num; i++) store_sums(p->rf, p->d, i, &s->blocks[i], &p->types);
}

/* ---- runs of products */

/* What was made of the matrices of a run. Matrix n of b is in place n % places. */
enum { MOST_PLACES = 32, PLACES_NUMBERS = MOST_PLACES * 128 };
typedef struct prepared {
  _Alignas(64) float a[4 * MAX_PLANES * PLANE];
  _Alignas(64) float b[PLACES_NUMBERS];
  uint32_t of_a, of_b[MOST_PLACES], places; /* of_a, of_b: 1 + its number; 0: none */
} prepared;

static void prepare (prepared *m, const product *p) {
  uint32_t needed = (uint32_t)p->form.columns * p->form.words * p->form.per_word * PLANE,
           places = PLACES_NUMBERS / needed;
  m->places = places < MOST_PLACES ? places : MOST_PLACES;
  m->of_a = 0;
  memset(m->of_b, 0, sizeof m->of_b);
}

static PTX_INLINE const float *prepared_b (prepared *m, const product *p, uint32_t number) {
  uint32_t place = number % m->places;
  float *b = m->b + place * (PLACES_NUMBERS / m->places / 16 * 16);
  if (m->of_b[place] != number + 1) planes_of_b(b, p);
  m->of_b[place] = number + 1;
  return b;
}

static PTX_INLINE const float *prepared_a (prepared *m, const product *p, uint32_t number) {
  if (m->of_a != number + 1) spread_of_a(m->a, p);
  m->of_a = number + 1;
  return m->a;
}

static PTX_INLINE void multiply (const product *p, prepared *m, ptx_product_run r) {
  const float *a = prepared_a(m, p, r.a), *b = prepared_b(m, p, r.b);
  if (lcu_likely(r.in_place)) {
    block_sums sums[MOST_BLOCKS];
    for (uint32_t i = 0; i < p->form.c / 2u; i++)
      sums[i] =
        (block_sums){ PTX_SLOT(f32, p->rf, p->c[2 * i]), PTX_SLOT(f32, p->rf, p->c[2 * i + 1]) };
    add_products(sums, p, a, b);
    return;
  }
  sums_apart s;
  take_apart(&s, p);
  add_products(s.blocks, p, a, b);
  give_apart(&s, p);
}

static void multiply_scales (const product *p, ptx_scaling scaling) {
  sums_apart s;
  take_apart(&s, p);
  add_scaled(s.blocks, p, scaling);
  give_apart(&s, p);
}

static void multiply_run (product *p, const ptx_uop *I, const ptx_uop *end) {
  prepared m;
  prepare(&m, p);
  for (; I < end; I++) {
    take_slots(p, I);
    multiply(p, &m, ptx_product_run_of(I));
  }
}

PTX_HANDLER_DECLARE(mma_f32)
const ptx_uop *PTX_FULL (mma_f32)(PTX_HANDLER_ARGS) {
  product p = {
    .rf = rf, .t = ptx_tensor_of(I), .types = ptx_product_of(I), .form = ptx_product_form_of(I)
  };
  const ptx_uop *end = w->singly ? I + 1 : I + ptx_product_run_of(I).left;
  ptx_scaling scaling = ptx_scaling_of(I);
  take_slots(&p, I);
  if (scaling.vectors != 0) multiply_scales(&p, scaling);
  else multiply_run(&p, I, end);
  return end;
}
const ptx_uop *PTX_MASKED (mma_f32)(PTX_HANDLER_ARGS) {
  (void)rf;
  return ptx_whole_warp_wait(I, w);
}
