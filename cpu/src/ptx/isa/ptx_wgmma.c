/* ptx_wgmma.c: from a matrix in shared memory to the fragments of mma.
 *
 * A matrix consists of chunks of 16 bytes. They lie in rows of `width` bytes, and eight rows are a
 * core; width is 16, or what the swizzle mode says. If chunks go along k, a row has one m (of b: n)
 * and cores follow at `stride`; chunks beyond the width lie `leading` further. If they go along m,
 * a row has one k. Then cores follow along k at `stride`, and along m at `leading`; without
 * swizzling it is the other way round. */
#include "ptx_wgmma.h"

#include <stdio.h>
#include <string.h>

#include "ptx_exchange.h"
#include "ptx_handlers.h"
#include "ptx_ids.h"
#include "ptx_lanes.h"

enum { CHUNK = 16, GROUP_ROWS = 16 };

typedef struct matrix {
  uint32_t start, leading, stride; /* bytes */
  uint32_t width, base;
} matrix;

static uint32_t descriptor_bytes (uint64_t descriptor, uint32_t shift) {
  return (uint32_t)(descriptor >> shift & 0x3fff) * CHUNK;
}

static matrix matrix_of (uint64_t d) {
  static const uint8_t widths[] = { 16, 128, 64, 32 };
  return (matrix){ .start = descriptor_bytes(d, 0),
                   .leading = descriptor_bytes(d, 16),
                   .stride = descriptor_bytes(d, 32),
                   .base = (uint32_t)(d >> 49 & 7),
                   .width = widths[d >> 62] };
}

/* Swizzling exchanges the chunks of a row, by the number of the row. */
static uint32_t swizzled_matrix (const matrix *m, uint32_t at) {
  return at ^ (((at >> 7) - m->base) & (m->width / CHUNK - 1)) * CHUNK;
}

static uint32_t along_row (const matrix *m, uint32_t chunk) {
  return chunk * CHUNK % m->width + chunk * CHUNK / m->width * m->leading;
}

/* Chunk `chunk` of row `row` of the matrix. */
static uint32_t place_in_matrix (const matrix *m, const ptx_group_load *g, uint32_t row,
                                 uint32_t chunk) {
  uint32_t core = row / 8, at = m->start + row % 8 * m->width;
  if (g->across && m->width == CHUNK) return at + core * m->leading + chunk * m->stride;
  return swizzled_matrix(m, at + core * m->stride + along_row(m, chunk));
}

/* The first row of a, or column of b, and how many there are. */
static uint32_t first_of (const ptx_group_load *g, const ptx_warp *w) {
  return g->is_b ? g->block * 8u : w->warpid % PTX_GROUP_WARPS * GROUP_ROWS;
}
static uint32_t count_of (const ptx_group_load *g) { return g->is_b ? 8 : GROUP_ROWS; }

/* Rows of chunks and chunks per row, as the tile has them. */
typedef struct matrix_extent {
  uint32_t rows, row, chunks, chunk;
} matrix_extent;

static matrix_extent extent_of (const ptx_group_load *g, const ptx_warp *w) {
  uint32_t first = first_of(g, w), count = count_of(g);
  if (g->across) return (matrix_extent){ g->chunks * 8u, 0, count / 8, first / 8 };
  return (matrix_extent){ count, first, g->chunks, 0 };
}

static uint32_t spans_of (const ptx_uop *I, uint64_t descriptor, const ptx_warp *w,
                          ptx_span spans[PTX_LANES]) {
  ptx_group_load g = ptx_group_load_of(I);
  matrix m = matrix_of(descriptor);
  matrix_extent e = extent_of(&g, w);
  uint32_t n = 0;
  for (uint32_t r = 0; r < e.rows; r++)
    for (uint32_t c = 0; c < e.chunks; c++)
      spans[n++] = (ptx_span){ .address = place_in_matrix(&m, &g, e.row + r, e.chunk + c),
                               .lane = g.across ? r % 8 / 2 : r % 8 * 4,
                               .bytes = CHUNK };
  return n;
}

uint32_t ptx_wgmma_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                          ptx_span spans[PTX_LANES]) {
  return spans_of(I, PTX_SLOT(u64, rf, I->a)[0], w, spans);
}

uint32_t ptx_wgmma_swizzle (const ptx_uop *I, const uint8_t *rf) {
  static const uint8_t bits[] = { 0, 3, 2, 1 };
  return bits[PTX_SLOT(u64, rf, I->a)[0] >> 62];
}

/* ---- checks */

static bool warp_agrees (const ptx_uop *I, const uint8_t *rf, ptx_warp *w) {
  const S_u64 *d = PTX_SLOT(u64, rf, I->a);
  uint64_t differ = 0;
  PTX_EACH_LANE(l) differ |= d[l] ^ d[0];
  if (lcu_likely(differ == 0)) return true;
  return ptx_memory_fault(w, PTX_SHARED, 0, matrix_of(d[0]).start, CHUNK, false, PTX_FAULT_BARRIER,
                          "the threads of the warp name different matrices");
}

static bool group_whole (ptx_warp *w) {
  uint32_t threads = w->place->ntid[0] * w->place->ntid[1] * w->place->ntid[2];
  if (lcu_likely((w->warpid / PTX_GROUP_WARPS + 1) * PTX_GROUP_WARPS * PTX_LANES <= threads))
    return true;
  w->fault = (ptx_warp_fault){ .kind = PTX_FAULT_BARRIER };
  snprintf(w->fault.detail, sizeof w->fault.detail,
           "an operation of four warps, which this warp does not have in a block of %u threads",
           threads);
  return false;
}

/* Whether all that it loads is there. */
static bool chunks_exist (const ptx_uop *I, const uint8_t *rf, ptx_warp *w) {
  ptx_span spans[PTX_LANES];
  if (!warp_agrees(I, rf, w)) return false;
  uint32_t n = ptx_wgmma_spans(I, rf, w, spans);
  for (uint32_t i = 0; i < n; i++)
    if (lcu_unlikely(ptx_shared_at(w, spans[i].address, CHUNK) == NULL) &&
        ptx_memory_at(w, PTX_SHARED, spans[i].lane, spans[i].address, CHUNK, false) == NULL)
      return false;
  return true;
}

static void chunks_read (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w, uint8_t *tile) {
  ptx_span spans[PTX_LANES];
  uint32_t n = ptx_wgmma_spans(I, rf, w, spans);
  for (uint32_t i = 0; i < n; i++)
    memcpy(tile + i * CHUNK, ptx_shared_at(w, spans[i].address, CHUNK), CHUNK);
}

/* ---- fragments */

/* Lane l has word l % 4 of row l / 4 of a block. */
static void take_along (S_u32 *d, const uint8_t *tile, uint32_t row_bytes) {
  PTX_EACH_LANE(l) memcpy(&d[l], tile + l / 4 * row_bytes + l % 4 * 4, 4);
}

/* The two elements of a word are in two rows of the tile. */
static void take_across (S_u32 *d, const uint8_t *tile, uint32_t row_bytes) {
  PTX_EACH_LANE(l) {
    uint16_t low, high;
    const uint8_t *at = tile + l % 4 * 2 * row_bytes + l / 4 * 2;
    memcpy(&low, at, 2);
    memcpy(&high, at + row_bytes, 2);
    d[l] = low | (uint32_t)high << 16;
  }
}

const ptx_uop *ptx_handle_wgmma_load (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  _Alignas(64) uint8_t tile[PTX_LANES * CHUNK];
  ptx_group_load g = ptx_group_load_of(I);
  chunks_read(I, rf, w, tile);
  uint32_t blocks = count_of(&g) / 8, row_bytes = g.across ? blocks * CHUNK : g.chunks * CHUNK;
  for (uint32_t i = 0; i < I->extra->num; i++) {
    /* registers of a go down the rows first */
    uint32_t row = i % blocks * 8, word = i / blocks * 4;
    S_u32 *d = PTX_SLOT(u32, rf, I->extra->slots[i]);
    if (g.across) take_across(d, tile + word * 2 * row_bytes + row * 2, row_bytes);
    else take_along(d, tile + row * row_bytes + word * 4, row_bytes);
  }
  return I + 1;
}

/* ---- products */

typedef struct product {
  ptx_flight f;
  uint8_t *rf;
  _Alignas(8) uint8_t kept[PTX_KEPT][8 * PTX_LANES];
  uint32_t number; /* of the products that its warp has issued */
  bool multiplied; /* another warp of the group has waited for it */
} product;

const uint8_t *ptx_product_frame (const ptx_flight *f) {
  return ((const product *)(const void *)f)->rf;
}

static void put_kept (const product *p) {
  const ptx_products *all = ptx_products_of(p->f.I);
  for (uint32_t k = 0; k < all->num_kept; k++)
    memcpy(p->rf + all->slots[k], p->kept[k], all->bytes[k]);
}

void ptx_products_open (const ptx_uop *I, uint8_t *rf) {
  const ptx_products *all = ptx_products_of(I);
  for (uint32_t k = 0; k < all->num_kept; k++)
    memcpy(rf + all->slots[k], rf + I->extra->slots[k], all->bytes[k]);
}

static void multiply (product *p) {
  const ptx_products *all = ptx_products_of(p->f.I);
  const ptx_uop *I = all->uops, *end = I + all->num;
  p->multiplied = true;
  put_kept(p);
  while (I < end) I = I->fn[1](I, p->rf, p->f.w);
}

/* The waiting warp is whole, and it is the one that issued the product. */
static void land_product (ptx_flight *f, uint32_t lanes) {
  product *p = (void *)f;
  (void)lanes; /* all of them */
  f->mask = 0;
  if (!p->multiplied) multiply(p);
}

static bool span_has (const ptx_warp *w, const ptx_span *s, const uint8_t *p, uint32_t n) {
  const uint8_t *at = ptx_shared_at(w, s->address, CHUNK);
  return p < at + CHUNK && at < p + n;
}

static uint64_t kept_descriptor (const product *p, int32_t slot) {
  const ptx_products *all = ptx_products_of(p->f.I);
  uint32_t k = 0;
  while (all->slots[k] != slot) k++;
  return *(const S_u64 *)(const void *)p->kept[k];
}

uint32_t ptx_product_spans (const ptx_flight *f, const ptx_uop *I, ptx_span spans[PTX_LANES]) {
  const product *x = (const void *)f;
  return spans_of(I, kept_descriptor(x, I->a), f->w, spans);
}

static bool load_touches (const ptx_flight *f, const ptx_uop *I, const uint8_t *p, uint32_t n) {
  ptx_span spans[PTX_LANES];
  uint32_t num = ptx_product_spans(f, I, spans);
  for (uint32_t i = 0; i < num; i++)
    if (span_has(f->w, &spans[i], p, n)) return true;
  return false;
}

static bool touches_product (const ptx_flight *f, const uint8_t *p, uint32_t n) {
  const ptx_products *all = ptx_products_of(f->I);
  if (((const product *)(const void *)f)->multiplied) return false;
  if (p + n <= f->w->shared + f->w->shared_from || p >= f->w->shared + f->w->shared_end)
    return false;
  for (uint32_t i = 0; i < all->num; i++)
    if (all->uops[i].id == PTX_ID_wgmma_load && load_touches(f, &all->uops[i], p, n)) return true;
  return false;
}

static bool loads_exist (const ptx_uop *I, const uint8_t *rf, ptx_warp *w) {
  const ptx_products *all = ptx_products_of(I);
  for (uint32_t i = 0; i < all->num; i++)
    if (all->uops[i].id == PTX_ID_wgmma_load && !chunks_exist(&all->uops[i], rf, w)) return false;
  return true;
}

const ptx_uop *ptx_handle_wgmma (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  const ptx_products *all = ptx_products_of(I);
  product p;
  p.multiplied = false;
  p.f = (ptx_flight){
    .land = land_product, .touches = touches_product, .size = sizeof p, .I = I, .mask = UINT32_MAX
  };
  p.f.w = w;
  p.rf = rf;
  if (w->mask != UINT32_MAX) return ptx_whole_warp_wait(I, w);
  for (uint32_t k = 0; k < all->num_kept; k++)
    memcpy(p.kept[k], rf + I->extra->slots[k], all->bytes[k]);
  ptx_products_open(I, rf);
  if (!group_whole(w) || !loads_exist(I, rf, w)) return ptx_leave(w, PTX_EV_FAULT, I);
  p.number = ++w->products;
  if (I->imm != 0) land_product(&p.f, UINT32_MAX);
  else ptx_flight_to_group(w, PTX_GROUP_PRODUCT, &p.f);
  return I + 1;
}

void ptx_products_leave (ptx_warp *w, const uint8_t *rf) {
  const ptx_flight *f = w->in_groups[PTX_GROUP_PRODUCT].first;
  while (f != NULL && ptx_product_frame(f) != rf) f = f->next;
  if (f != NULL) ptx_groups_land_before(w, PTX_GROUP_PRODUCT, 0, UINT64_MAX);
}

/* The latest product that the warp has to wait for; 0: none. */
static uint32_t latest_due (const ptx_warp *w, uint32_t left) {
  uint32_t number = 0;
  for (const ptx_flight *f = w->in_groups[PTX_GROUP_PRODUCT].first; f != NULL; f = f->next)
    if (ptx_flight_due(w, PTX_GROUP_PRODUCT, f, w->mask, left) != 0)
      number = ((const product *)(const void *)f)->number;
  return number;
}

static bool has_issued (const ptx_warp *mate, uint32_t number) {
  return mate == NULL || mate->alive == 0 || mate->products >= number;
}

/* Up to that product. They stay in flight for the warp, which has not waited. */
static void multiply_for (ptx_warp *mate, uint32_t number) {
  if (mate == NULL) return;
  for (ptx_flight *f = mate->in_groups[PTX_GROUP_PRODUCT].first; f != NULL; f = f->next) {
    product *p = (void *)f;
    if (p->number <= number && !p->multiplied) multiply(p);
  }
}

bool ptx_products_wait (ptx_warp *w, uint32_t left) {
  uint32_t number = latest_due(w, left);
  for (int k = 0; k < PTX_GROUP_WARPS; k++)
    if (!has_issued(w->mates[k], number)) return false;
  for (int k = 0; k < PTX_GROUP_WARPS; k++) multiply_for(w->mates[k], number);
  ptx_groups_wait(w, PTX_GROUP_PRODUCT, w->mask, left, false);
  return true;
}
