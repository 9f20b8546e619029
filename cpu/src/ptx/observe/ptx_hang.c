/* ptx_hang.c: the account of a hang: which threads wait where, and for what. */
#include "ptx_hang.h"

#include <stdio.h>
#include <string.h>

#include "ptx_fault.h"
#include "ptx_ids.h"
#include "ptx_match.h"
#include "ptx_mbarrier.h"

enum { MAX_GROUPS = 64, HANG_SIZE = 1280 };

/* Threads of a CTA in the same situation. */
typedef struct group {
  ptx_wait wait;
  uint32_t key;
  const ptx_uop *pc;
  const ptx_frame *frame; /* of one of them; NULL: they have ended */
  uint32_t lanes[PTX_MAX_WARPS];
} group;

typedef struct account {
  group groups[MAX_GROUPS];
  uint32_t num;
} account;

static group *group_for (account *a, const ptx_fragment *f) {
  for (uint32_t k = 0; k < a->num; k++) {
    group *g = &a->groups[k];
    if (f == NULL ? g->frame == NULL : g->pc == f->pc && g->wait == f->wait && g->key == f->key)
      return g;
  }
  if (a->num == MAX_GROUPS) return &a->groups[MAX_GROUPS - 1];
  group *g = &a->groups[a->num++];
  *g = (group){ .wait = PTX_READY };
  if (f != NULL) *g = (group){ .wait = f->wait, .key = f->key, .pc = f->pc, .frame = f->frame };
  return g;
}

static void collect (account *a, const ptx_cta *c) {
  a->num = 0;
  for (uint32_t k = 0; k < c->num_warps; k++)
    for (uint32_t i = 0; i < c->warps[k].num; i++) {
      const ptx_fragment *f = &c->warps[k].frags[i];
      group_for(a, f)->lanes[k] |= f->mask;
    }
  for (uint32_t k = 0; k < c->num_warps; k++) {
    uint32_t ended = c->warps[k].valid & ~c->warps[k].w.alive;
    if (ended != 0) group_for(a, NULL)->lanes[k] |= ended;
  }
}

/* "0-31, 64" */
static void add_numbers (lcu_buf *b, const group *g) {
  const char *before = "";
  for (uint32_t t = 0; t < PTX_MAX_THREADS; t++) {
    if (((g->lanes[t / PTX_LANES] >> t % PTX_LANES) & 1) == 0) continue;
    uint32_t first = t;
    while (t + 1 < PTX_MAX_THREADS &&
           ((g->lanes[(t + 1) / PTX_LANES] >> (t + 1) % PTX_LANES) & 1) != 0)
      t++;
    lcu_buf_addf(b, "%s%u", before, first);
    if (t > first) lcu_buf_addf(b, "-%u", t);
    before = ", ";
  }
}

/* Whether the micro-operation leads back to the loop that begins in that basic block. */
static bool leads_back (const ptx_uop *I, uint32_t head) {
  bool jumps = I->id == PTX_ID_bra || I->id == PTX_ID_bra_not || I->id == PTX_ID_jump;
  return jumps && I->target_bb <= head;
}

/* What a barrier object waits for. bytes: below 0 if more came than were announced. */
static void add_lack (lcu_buf *b, uint32_t arrivals, int32_t bytes) {
  bool more = bytes < 0;
  if (arrivals != 0) lcu_buf_addf(b, "lacks %u arrival%s", arrivals, arrivals == 1 ? "" : "s");
  if (arrivals != 0 && bytes != 0) lcu_buf_adds(b, " and ");
  if (more) lcu_buf_addf(b, "got %lld bytes that no thread expects", -(long long)bytes);
  else if (arrivals == 0) lcu_buf_addf(b, "lacks %d bytes", bytes);
  else if (bytes != 0) lcu_buf_addf(b, "%d bytes", bytes);
}

/* The lanes go around a loop; if it waits for a barrier object, what that lacks. */
static void add_loop (lcu_buf *b, const ptx_cta *c, const group *g, const char *s) {
  enum { LONG = 256 };
  uint32_t k = 0, arrivals;
  uint64_t at;
  int32_t bytes;
  while (g->lanes[k] == 0) k++;
  ptx_warp *w = (ptx_warp *)(uintptr_t)&c->warps[k].w;
  uint32_t lane = ptx_first_lane(g->lanes[k]);
  const ptx_code *code = g->frame->code;
  for (const ptx_uop *I = g->pc; I < code->uops + code->num_uops && I < g->pc + LONG; I++) {
    if (I > g->pc && leads_back(I - 1, g->pc->bb)) break;
    if (!ptx_mbarrier_lacks(I, g->frame->rf, w, lane, &at, &arrivals, &bytes)) continue;
    lcu_buf_addf(b, "wait%s for the barrier object at 0x%llx, which ", s, (unsigned long long)at);
    add_lack(b, arrivals, bytes);
    return;
  }
  lcu_buf_addf(b, "loop%s", s);
}

/* "waits at barrier 1"; many: "wait" */
static void add_state (lcu_buf *b, const ptx_cta *c, const group *g, bool many) {
  char name[64];
  const char *s = many ? "" : "s";
  if (g->frame == NULL) {
    lcu_buf_adds(b, "ended");
    return;
  }
  switch (g->wait) {
    case PTX_AT_BARRIER:
      lcu_buf_addf(b, "wait%s at barrier %u", s, g->key);
      if (c->barriers[g->key].expected != 0)
        lcu_buf_addf(b, " for %u threads", c->barriers[g->key].expected);
      break;
    case PTX_AT_CLUSTER: lcu_buf_addf(b, "wait%s at the barrier of the cluster", s); break;
    case PTX_AT_WARP_OP:
      ptx_inst_name(g->pc->extra->inst, name, sizeof name);
      lcu_buf_addf(b, "wait%s in %s for the other threads of member mask 0x%08x", s, name, g->key);
      break;
    case PTX_READY: add_loop(b, c, g, s); break;
  }
}

static uint32_t thread_count (const group *g) {
  uint32_t n = 0;
  for (int k = 0; k < PTX_MAX_WARPS; k++) n += ptx_popc(g->lanes[k]);
  return n;
}

static void add_group (lcu_buf *b, const ptx_cta *c, const group *g) {
  bool many = thread_count(g) > 1;
  lcu_buf_adds(b, many ? "threads " : "thread ");
  add_numbers(b, g);
  lcu_buf_adds(b, " ");
  add_state(b, c, g, many);
  if (g->frame == NULL) return;
  char where[300];
  ptx_fault_place(g->frame, g->pc, where, sizeof where);
  lcu_buf_addf(b, " (%s)", where);
}

static void add_block (lcu_buf *b, const ptx_cta *c, const account *a) {
  const uint32_t *id = c->warps[0].w.place->ctaid;
  lcu_buf_addf(b, "block (%u,%u,%u): ", id[0], id[1], id[2]);
  for (uint32_t k = 0; k < a->num; k++) {
    if (k > 0) lcu_buf_adds(b, "; ");
    if (b->len > HANG_SIZE) {
      lcu_buf_addf(b, "and %u more groups", a->num - k);
      return;
    }
    add_group(b, c, &a->groups[k]);
  }
}

/* ---- the same as data */

static void take_text (char *out, size_t size, lcu_buf *b) {
  snprintf(out, size, "%s", b->failed || b->data == NULL ? "" : b->data);
  if (b->len >= size) memcpy(out + size - 4, "...", 4);
  lcu_buf_free(b);
}

static void note_group (ptx_waiting *w, const ptx_cta *c, const group *g) {
  lcu_buf numbers = { 0 }, state = { 0 };
  memcpy(w->block, c->warps[0].w.place->ctaid, sizeof w->block);
  w->count = thread_count(g);
  add_numbers(&numbers, g);
  take_text(w->threads, sizeof w->threads, &numbers);
  add_state(&state, c, g, true);
  take_text(w->state, sizeof w->state, &state);
  if (g->frame != NULL) ptx_fault_locate(g->frame, g->pc, w->file, sizeof w->file, &w->line);
}

static void note_block (ptx_fault *f, const ptx_cta *c, const account *a) {
  uint32_t n = 0;
  while (n < PTX_WAITING && f->waiting[n].count != 0) n++;
  for (uint32_t k = 0; k < a->num && n < PTX_WAITING; k++)
    note_group(&f->waiting[n++], c, &a->groups[k]);
}

/* ---- a cluster */

/* The blocks of a cluster that have not ended. */
static void describe (ptx_hang *h, const ptx_cta *lead, ptx_fault_kind kind) {
  account a;
  bool any = false;
  for (uint32_t k = 0; k < lead->cluster.size; k++) {
    const ptx_cta *c = lead->cluster.ctas[k];
    if (c->alive == 0) continue;
    collect(&a, c);
    if (!any) {
      h->cta = c->linear;
      ptx_fault_start_hang(&h->fault, c, kind, a.groups[0].pc, a.groups[0].frame);
    }
    if (any) lcu_buf_adds(&h->text, "; ");
    any = true;
    add_block(&h->text, c, &a);
    note_block(&h->fault, c, &a);
  }
}

ptx_hang *ptx_hang_new (ptx_cta *lead, ptx_fault_kind kind) {
  ptx_hang *h = lcu_calloc(1, sizeof *h);
  if (h != NULL) describe(h, lead, kind);
  return h;
}

void ptx_hang_free (ptx_hang *h) {
  if (h == NULL) return;
  lcu_buf_free(&h->text);
  lcu_free(h);
}

void ptx_hang_deadlock (ptx_cta *lead) {
  ptx_hang *h = ptx_hang_new(lead, PTX_FAULT_DEADLOCK);
  if (h == NULL) {
    ptx_grid_fail(lead->grid, lcu_no_memory("the account of a deadlock"));
    return;
  }
  ptx_fault *f = &h->fault;
  snprintf(f->message, sizeof f->message, "%s in kernel `%s`: %s", ptx_fault_kind_name(f->kind),
           f->kernel, h->text.failed ? "not enough host memory for the details" : h->text.data);
  ptx_grid_fault(lead->grid, h->cta, f);
  ptx_hang_free(h);
}
