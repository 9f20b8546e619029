/* ptx_check_tile.c: with all checks on, tiles of shared memory that products of the tensor cores
 * have read. A thread may overwrite one once it knows that a thread of the warp group has waited
 * for the product: the four warps multiply together. */
#include "ptx_bulk.h"
#include "ptx_check_byte.h"
#include "ptx_fault.h"
#include "ptx_flight.h"
#include "ptx_wgmma.h"

enum { GROUP_THREADS = PTX_GROUP_WARPS * PTX_LANES };

static void note_span (ptx_cta *c, const ptx_span *s, const ptx_touch *t) {
  for (uint32_t k = 0; k < s->bytes; k++) {
    ptx_shadow *b = &c->shadow[s->address - PTX_SHARED_RESERVED + k];
    if (b->run == c->run && b->product.time < t->time) b->product = *t;
  }
}

static void note_product (ptx_xwarp *x, const ptx_flight *f, uint32_t from_end) {
  const ptx_products *all = ptx_products_of(f->I);
  ptx_touch t = { .time = ptx_group_read_time(x, from_end),
                  .loc = f->I->loc,
                  .thread = (uint16_t)(x->w.warpid / PTX_GROUP_WARPS * GROUP_THREADS) };
  ptx_span spans[PTX_LANES];
  for (uint32_t i = 0; i < all->num; i++) {
    if (all->uops[i].id != PTX_ID_wgmma_load) continue;
    uint32_t num = ptx_product_spans(f, &all->uops[i], spans);
    for (uint32_t k = 0; k < num; k++) note_span(x->cta, &spans[k], &t);
  }
}

void ptx_check_product_wait (ptx_xwarp *x, const ptx_uop *I) {
  if (I->id != PTX_ID_async_group || I->vector != PTX_GROUP_PRODUCT || I->imm < PTX_GROUP_WAIT)
    return;
  const ptx_flight *first = x->w.in_groups[PTX_GROUP_PRODUCT].first;
  uint32_t left = (uint32_t)(I->imm - PTX_GROUP_WAIT), in_flight = 0;
  if (x->cta->shadow == NULL || x->w.mask != UINT32_MAX) return;
  x->cta->clock++;
  for (const ptx_flight *f = first; f != NULL; f = f->next) in_flight++;
  for (const ptx_flight *f = first; f != NULL; f = f->next, in_flight--)
    if (ptx_flight_due(&x->w, PTX_GROUP_PRODUCT, f, x->w.mask, left) != 0)
      note_product(x, f, in_flight);
}

static bool knows_group (const ptx_xwarp *x, const ptx_touch *t) {
  uint32_t first = t->thread / PTX_LANES;
  for (uint32_t k = 0; k < PTX_GROUP_WARPS; k++)
    if (ptx_order_knows_warp(x, first + k, t->time)) return true;
  return false;
}

bool ptx_product_done (const ptx_byte_access *a) {
  const ptx_touch *t = &a->s->product;
  if (t->time == 0 || a->thread / GROUP_THREADS == t->thread / GROUP_THREADS ||
      knows_group(a->x, t))
    return true;
  ptx_byte_race(a, t, PTX_ACCESS_LOAD);
  a->x->w.fault.other.access = "product";
  a->x->w.fault.other.between =
    "of the tensor cores, which no arrival (mbarrier.arrive) or barrier orders after its wait";
  return false;
}
