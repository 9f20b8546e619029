/* ptx_check_cluster.c: with all checks on, what the blocks of a cluster do to one byte of shared
 * memory among each other.
 *
 * Contract: only certain mistakes are reported. Each block remembers, for the bytes of its memory,
 * the latest accesses of other blocks; what it does itself is in its ptx_shadow. Two accesses by
 * different blocks, one of them a write, race unless
 * - the first block has published since, by any of its threads: it has passed a fence, arrived at a
 *   barrier of the cluster that is complete or at a barrier object of another block, or sent
 *   something there by an asynchronous operation;
 * - the first block has ended;
 * - both are atomics, or one is and the second block has published since;
 * - a write leaves the value that is there after another write.
 * Two threads of one block that access the memory of another one are compared as in their own. */
#include "ptx_check_byte.h"

#include <stdio.h>
#include <string.h>

#include "ptx_bulk.h"
#include "ptx_fault.h"
#include "ptx_ids.h"

/* An access of a block other than the owner; time 0: none. */
typedef struct visitor {
  ptx_touch at;
  uint32_t rank;
} visitor;

enum { VISITOR_READS = 2 };

/* What other blocks did to a byte. `agreed`: several have stored the value of `write`. */
typedef struct visited {
  uint32_t run;
  bool agreed;
  visitor write, atomic, reads[VISITOR_READS];
} visited;

/* Of a block. The clock of each block when this one published last, and when a thread of it arrived
 * at the barrier of the cluster last. */
struct ptx_visits {
  uint32_t run;
  uint32_t published[PTX_MAX_CLUSTER], arrived[PTX_MAX_CLUSTER];
  visited bytes[];
};

/* ---- the record */

static uint32_t rank_of (const ptx_cta *c) { return c->warps[0].w.cluster_rank; }

/* NULL: out of memory. */
static struct ptx_visits *visits_of (ptx_cta *c) {
  struct ptx_visits *v = c->visits;
  if (v == NULL) v = lcu_calloc(1, sizeof *v + c->shared_bytes * sizeof v->bytes[0]);
  c->visits = v;
  if (v == NULL || v->run == c->run) return v;
  v->run = c->run;
  memset(v->published, 0, sizeof v->published);
  memset(v->arrived, 0, sizeof v->arrived);
  return v;
}

/* NULL: nothing is known about the byte. */
static visited *visited_at (const ptx_byte_access *a, bool make) {
  struct ptx_visits *v = make ? visits_of(a->cta) : a->cta->visits;
  if (v == NULL) return NULL;
  visited *byte = &v->bytes[a->offset];
  if (byte->run == a->cta->run) return byte;
  if (!make) return NULL;
  *byte = (visited){ .run = a->cta->run };
  return byte;
}

static void read_clocks (ptx_cta *c, uint32_t *out) {
  const ptx_cluster *cl = &c->lead->cluster;
  c->clock++;
  for (uint32_t rank = 0; rank < cl->size; rank++) out[rank] = cl->ctas[rank]->clock;
}

void ptx_check_publish (ptx_cta *c) {
  struct ptx_visits *v = c->lead->cluster.size > 1 ? visits_of(c) : NULL;
  if (v != NULL) read_clocks(c, v->published);
}

void ptx_check_cluster_arrive (ptx_cta *c) {
  struct ptx_visits *v = c->lead->cluster.size > 1 ? visits_of(c) : NULL;
  if (v != NULL) read_clocks(c, v->arrived);
}

void ptx_check_cluster_met (ptx_cta *c) {
  struct ptx_visits *v = c->visits;
  if (v == NULL || v->run != c->run) return;
  for (uint32_t rank = 0; rank < PTX_MAX_CLUSTER; rank++)
    if (v->published[rank] < v->arrived[rank]) v->published[rank] = v->arrived[rank];
}

/* Whether block c has published since something that happened to block `rank`. */
static bool published_since (const ptx_cta *c, uint32_t rank, uint32_t time) {
  const struct ptx_visits *v = c->visits;
  return v != NULL && v->run == c->run && v->published[rank] >= time;
}

/* ---- kinds of accesses */

static bool is_plain (const ptx_byte_access *a) {
  return a->kind == PTX_ACCESS_LOAD || a->kind == PTX_ACCESS_STORE || a->kind == PTX_ACCESS_ATOMIC;
}

/* Written later, by an asynchronous operation. */
static bool is_sent (const ptx_byte_access *a) {
  return a->I->id == PTX_ID_st_async || (a->of->async && a->kind != PTX_ACCESS_LOAD);
}

static bool byte_combines (const ptx_byte_access *a) {
  return a->kind == PTX_ACCESS_ATOMIC ||
         (is_sent(a) && a->I->id != PTX_ID_try_cancel && a->I->extra->imm[BULK_CHANGE] != 0);
}

/* ---- rules */

/* Whether nothing orders what the block of that rank did before the access. */
static bool visitor_unordered (const ptx_byte_access *a, const visitor *before, bool atomic) {
  const ptx_cta *own = a->x->cta, *other = own->lead->cluster.ctas[before->rank];
  if (before->at.time == 0) return false;
  if (other == own)
    return !is_sent(a) && ptx_byte_meets(a, &before->at) &&
           !(atomic && a->x->fenced > before->at.time);
  return other->alive != 0 && !published_since(other, before->rank, before->at.time) &&
         !(atomic && published_since(own, before->rank, before->at.time));
}

static const char *access_words (const ptx_byte_access *a) {
  if (a->I->id == PTX_ID_st_async) return "write by an asynchronous store (st.async)";
  return is_sent(a) ? "write by a bulk copy" : ptx_access_name(a->kind);
}

static const char *between_words (ptx_access kind) {
  switch (kind) {
    case PTX_ACCESS_LOAD: return "which no barrier of the cluster orders after the read";
    case PTX_ACCESS_STORE: return "which no barrier of the cluster orders after the write";
    default: return "which no barrier of the cluster orders after the atomic";
  }
}

static bool report_visitor (const ptx_byte_access *a, const visitor *before, ptx_access kind) {
  const ptx_cta *own = a->x->cta, *other = own->lead->cluster.ctas[before->rank];
  char name[240];
  ptx_byte_race(a, &before->at, kind);
  ptx_warp_fault *f = &a->x->w.fault;
  if (other == own) return false;
  f->other.cta = other->linear;
  f->other.between = between_words(kind);
  ptx_variable_name_offset(a->x, a->offset, name, sizeof name);
  snprintf(f->detail, sizeof f->detail,
           "%s of the byte at offset 0x%x of the shared memory of block %u of the cluster%s",
           access_words(a), a->offset, rank_of(a->cta), name);
  return false;
}

static bool meet_visitor (const ptx_byte_access *a, const visitor *before, ptx_access kind) {
  bool atomic = kind == PTX_ACCESS_ATOMIC || byte_combines(a);
  return !visitor_unordered(a, before, atomic) || report_visitor(a, before, kind);
}

static bool meet_reads (const ptx_byte_access *a, const visitor reads[VISITOR_READS]) {
  return meet_visitor(a, &reads[0], PTX_ACCESS_LOAD) && meet_visitor(a, &reads[1], PTX_ACCESS_LOAD);
}

/* What the access meets of visitors; `other`: a write leaves another value. */
static bool meet_all (const ptx_byte_access *a, const visited *v, bool other) {
  bool reads = a->kind == PTX_ACCESS_LOAD, written = reads ? !v->agreed : other;
  if (written && !meet_visitor(a, &v->write, PTX_ACCESS_STORE)) return false;
  if (!byte_combines(a) && !meet_visitor(a, &v->atomic, PTX_ACCESS_ATOMIC)) return false;
  return reads || meet_reads(a, v->reads);
}

/* ---- the owner */

/* What the block itself did to a byte, as if it were a visitor. */
static visited owned (const ptx_byte_access *a, bool agreed) {
  const ptx_shadow *s = a->s;
  uint32_t rank = rank_of(a->cta);
  visited v = { .agreed = agreed,
                .atomic = { s->atomic, rank },
                .reads = { { s->read, rank }, { s->other_read, rank } } };
  if (!s->bulk) v.write = (visitor){ s->write, rank };
  return v;
}

bool ptx_byte_visited (const ptx_byte_access *a) {
  visited *v = a->cta->visits == NULL ? NULL : visited_at(a, false);
  if (v == NULL || (a->I->flags & PTX_F_GUESS) != 0 || !(is_plain(a) || is_sent(a))) return true;
  bool stores = a->kind == PTX_ACCESS_STORE, other = !stores || ptx_byte_overwrites(a, NULL);
  if (!meet_all(a, v, other)) return false;
  if (stores) v->agreed = !other;
  return true;
}

/* ---- visitors */

/* Keeps reads of two blocks that have not published since. */
static void note_visitor_read (const ptx_byte_access *a, visitor reads[VISITOR_READS],
                               const visitor *now) {
  bool again = reads[0].rank == now->rank || !visitor_unordered(a, &reads[0], false);
  reads[again ? 0 : 1] = *now;
}

static void note_visitor (const ptx_byte_access *a, visited *v, bool other) {
  visitor now = { ptx_byte_touch(a), rank_of(a->x->cta) };
  if (a->kind == PTX_ACCESS_LOAD) note_visitor_read(a, v->reads, &now);
  if (a->kind == PTX_ACCESS_ATOMIC) v->atomic = now;
  if (a->kind != PTX_ACCESS_STORE) return;
  v->agreed = !other;
  v->write = now;
}

/* Lanes of one instruction store before memory shows it. */
static bool leaves_other (const ptx_byte_access *a, const visited *v) {
  bool own = v->write.rank == rank_of(a->x->cta);
  return a->kind != PTX_ACCESS_STORE || ptx_byte_overwrites(a, own ? &v->write.at : NULL);
}

bool ptx_byte_visits (const ptx_byte_access *a) {
  bool tells = a->kind == PTX_ACCESS_ARRIVAL || is_sent(a);
  if (tells && a->k == 0) ptx_check_publish(a->x->cta);
  if ((a->I->flags & PTX_F_GUESS) != 0 || !(is_plain(a) || is_sent(a))) return true;
  visited *v = visited_at(a, true);
  if (v == NULL) return true;
  bool other = leaves_other(a, v);
  visited own = owned(a, v->agreed);
  if (!meet_all(a, v, other) || !meet_all(a, &own, other)) return false;
  if (!is_sent(a)) note_visitor(a, v, other);
  return true;
}
