/* ptx_flight_end.c: what a block leaves undone when it ends, and what is in flight then. Copies
 * into shared memory would meet the next block in it: that is a fault. Copies of cp.async are bound
 * to their threads. Stores are carried out; with all checks on, it is a fault if they have still to
 * read shared memory. */
#include <stdio.h>

#include "ptx_check.h"
#include "ptx_cta_run.h"
#include "ptx_fault.h"
#include "ptx_flight.h"
#include "ptx_module.h"
#include "ptx_window.h"

/* The code that the operation is in. */
static const ptx_code *code_of (const struct ptx_module_ast *ast, const ptx_uop *I) {
  for (const ptx_function *f = ast->functions; f != NULL; f = f->next)
    if (f->code != NULL && I >= f->code->uops && I < f->code->uops + f->code->num_uops)
      return f->code;
  return NULL;
}

/* "0x400 in shared memory (byte 0 of `s`)" */
static void name_place (const ptx_xwarp *x, uint64_t address, char *out, size_t size) {
  uint32_t offset = (uint32_t)(address % PTX_PEER_BYTES) - PTX_SHARED_RESERVED;
  char name[240];
  ptx_variable_name_offset(x, offset, name, sizeof name);
  snprintf(out, size, "0x%llx in shared memory%s", (unsigned long long)(address % PTX_PEER_BYTES),
           name);
}

static void say_lost (ptx_xwarp *x, const ptx_flight *f) {
  char to[320], bar[320];
  name_place(x, f->to, to, sizeof to);
  name_place(x, f->bar_address, bar, sizeof bar);
  ptx_fault_set(
    x, ptx_first_lane(f->mask), PTX_FAULT_RACE,
    "the block has ended, and %u bytes are on their way to %s: no thread has waited for "
    "them at the barrier object at %s,",
    f->bytes, to, bar);
}

static void say_unread (ptx_xwarp *x, const ptx_flight *f) {
  ptx_fault_set(
    x, ptx_first_lane(f->mask), PTX_FAULT_RACE,
    "the block has ended, and a bulk copy has still to read %u bytes of its shared memory: "
    "its thread has not waited (cp.async.bulk.wait_group.read),",
    f->source_bytes);
}

static void report_flight (const ptx_flight *f, void (*say)(ptx_xwarp *x, const ptx_flight *f)) {
  ptx_xwarp *x = (ptx_xwarp *)f->w;
  ptx_frame frame = { .code = code_of(&x->cta->grid->function->module->ast, f->I) };
  if (frame.code == NULL) frame = x->root;
  say(x, f);
  x->w.at = f->I;
  ptx_fault_report(x, &frame);
}

/* The first one that brings bytes. */
static const ptx_flight *left_behind (const ptx_flights *list) {
  const ptx_flight *f = list->first;
  while (f != NULL && f->bytes == 0) f = f->next;
  return f;
}

/* The first store whose source is the memory of the block. */
static const ptx_flight *unread (const ptx_flights *list) {
  const ptx_flight *f = list->first;
  while (f != NULL && f->copied != NULL) f = f->next;
  return f;
}

/* False: it was reported that a store has still to read. */
static bool end_warps_flights (ptx_cta *c, bool stopped) {
  bool check = !stopped && c->grid->launch->check == PTX_CHECK_ALL;
  for (uint32_t k = 0; k < c->num_warps; k++) {
    ptx_warp *w = &c->warps[k].w;
    const ptx_flight *left = check ? unread(&w->in_groups[PTX_GROUP_BULK]) : NULL;
    if (left != NULL) report_flight(left, say_unread);
    if (left != NULL) return false;
    for (int kind = 0; kind < PTX_GROUP_KINDS; kind++)
      ptx_flights_end(&w->in_groups[kind], stopped);
  }
  return true;
}

/* Whether one of its blocks was stopped, by a fault of its own for example. */
static bool cluster_stopped (const ptx_cluster *cl) {
  for (uint32_t rank = 0; rank < cl->size; rank++)
    if (ptx_grid_stopped(cl->ctas[rank]->grid, cl->ctas[rank]->linear)) return true;
  return false;
}

/* False: a fault was reported. */
static bool end_checks (const ptx_cta *lead) {
  if (lcu_likely(lead->grid->launch->check != PTX_CHECK_ALL) || cluster_stopped(&lead->cluster))
    return true;
  for (uint32_t rank = 0; rank < lead->cluster.size; rank++)
    if (!ptx_check_end(lead->cluster.ctas[rank])) return false;
  return true;
}

void ptx_cta_end (ptx_cta *lead) {
  ptx_flying *flying = &lead->cluster.flying;
  bool fine = end_checks(lead);
  if (lcu_likely(!flying->any)) return;
  bool stopped = !fine || cluster_stopped(&lead->cluster);
  const ptx_flight *left = left_behind(&flying->at_barriers);
  if (left != NULL && !stopped) {
    report_flight(left, say_lost);
    stopped = true;
  }
  for (uint32_t rank = 0; rank < lead->cluster.size; rank++)
    while (!end_warps_flights(lead->cluster.ctas[rank], stopped)) stopped = true;
  ptx_flights_end(&flying->at_barriers, stopped);
  flying->any = false;
}
