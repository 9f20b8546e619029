/* ptx_check_bulk.c: with all checks on, bytes of shared memory that bulk copies write and read, and
 * those of barrier objects. */
#include <stdio.h>
#include <string.h>

#include "ptx_check_byte.h"
#include "ptx_fault.h"

/* What a thread wrote is read by an asynchronous operation without a fence in between. */
static bool report_proxy (const ptx_byte_access *a) {
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.between = ptx_no_proxy_fence;
  return false;
}

/* Whether the thread that wrote the byte, or the one that issues the operation, has passed a proxy
 * fence since. */
static bool is_proxied (const ptx_byte_access *a) {
  const ptx_touch *w = &a->s->write;
  const ptx_xwarp *writer = &a->cta->warps[w->thread / PTX_LANES];
  return w->time == 0 || a->s->copy || a->s->bulk ||
         writer->proxied[w->thread % PTX_LANES] >= w->time ||
         a->x->proxied[a->thread % PTX_LANES] >= w->time;
}

/* What a bulk copy wrote is used by a thread that does not know that it is there. */
static bool report_unknown (const ptx_byte_access *a) {
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between =
    "by a thread that has not waited (mbarrier.try_wait) for the bulk copy";
  return false;
}

bool ptx_bulk_known (const ptx_byte_access *a) {
  const ptx_shadow *s = a->s;
  if (!s->bulk || s->object == 0) return true;
  return ptx_object_known(a->cta, a->of, s->object, s->phase) || report_unknown(a);
}

/* A bulk copy overwrites what a thread has read, and nothing says that it is done. */
static bool report_reader (const ptx_byte_access *a, const ptx_touch *before) {
  ptx_byte_race(a, before, PTX_ACCESS_LOAD);
  a->x->w.fault.other.between =
    "which no arrival (mbarrier.arrive) or barrier orders after the read";
  return false;
}

/* Whether the thread that issues the copy knows that the other one has read. */
static bool is_released (const ptx_byte_access *a, const ptx_touch *read) {
  const ptx_xwarp *x = &a->cta->warps[read->thread / PTX_LANES];
  bool met = x == a->x && x->synced[read->thread % PTX_LANES] > read->time;
  return met || read->thread == a->thread || ptx_order_knows(a->x, read->thread, read->time);
}

bool ptx_bulk_writes (const ptx_byte_access *a) {
  ptx_shadow *s = a->s;
  if (s->read.time != 0 && !is_released(a, &s->read)) return report_reader(a, &s->read);
  if (s->other_read.time != 0 && !is_released(a, &s->other_read))
    return report_reader(a, &s->other_read);
  if (!ptx_product_done(a)) return false;
  if (!is_proxied(a)) return report_proxy(a);
  *s = (ptx_shadow){ .run = s->run,
                     .initialized = true,
                     .write = ptx_byte_touch(a),
                     .bulk = true,
                     .guarded = s->guarded,
                     .layout = (uint8_t)a->of->layout,
                     .object = a->of->object,
                     .phase = a->of->phase };
  return true;
}

static bool report_layout (const ptx_byte_access *a) {
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.kind = PTX_FAULT_LAYOUT;
  a->x->w.fault.other.access = "copy";
  a->x->w.fault.other.between =
    "through a descriptor with another swizzle than the tensor map of the "
    "bulk copy";
  return false;
}

static bool layout_fits (const ptx_byte_access *a) {
  return a->s->layout == 0 || a->of->layout == 0 || a->s->layout == a->of->layout;
}

bool ptx_bulk_reads (const ptx_byte_access *a) {
  if (!layout_fits(a)) return report_layout(a);
  return !a->of->async || is_proxied(a) || report_proxy(a);
}

bool ptx_bulk_stores (const ptx_byte_access *a) {
  if (!a->s->guarded) return true;
  ptx_byte_race(a, &a->s->write, PTX_ACCESS_STORE);
  a->x->w.fault.kind = PTX_FAULT_BARRIER;
  a->x->w.fault.other = (ptx_meeting){ 0 };
  size_t used = strlen(a->x->w.fault.detail);
  snprintf(a->x->w.fault.detail + used, sizeof a->x->w.fault.detail - used,
           ", which is in a barrier object (mbarrier) that is in use,");
  return false;
}
