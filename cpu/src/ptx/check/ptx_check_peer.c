/* ptx_check_peer.c: with all checks on, accesses to the shared memory of another block of the
 * cluster. What a block has done is known to others only through what they can see: its arrivals at
 * the barrier of the cluster, what it changes in their memory or in global memory, and what they
 * read in its own. A block that has done nothing of that since
 * - it began: may not have begun;
 * - it initialized a barrier object: may not have done so (ptx_check_object.c);
 * - it read some bytes: may still read them, so no bulk copy may overwrite them. */
#include "ptx_check.h"
#include "ptx_fault.h"

void ptx_check_tell (ptx_cta *c) { c->told = c->clock; }

void ptx_check_tell_fenced (ptx_xwarp *x) {
  ptx_cta *c = x->cta;
  uint32_t since = x->fenced != 0 ? x->fenced : 1; /* at least that it has begun */
  if (c->told < since) c->told = since;
}

static bool is_bulk (const ptx_lane_access *a) {
  return ptx_id_access[a->I->id] == PTX_ACCESS_SPANS && a->kind != PTX_ACCESS_LOAD;
}

static bool fail_peer (const ptx_lane_access *a, const ptx_cta *c, uint32_t offset,
                       const char *what) {
  char name[240];
  ptx_variable_name_offset(a->x, offset, name, sizeof name);
  const char *access = is_bulk(a) ? "write by a bulk copy" : ptx_access_name(a->kind);
  if (!is_bulk(a) && a->kind > PTX_ACCESS_ATOMIC) access = "use of a barrier object (mbarrier)";
  return ptx_fault_set(a->x, a->lane, PTX_FAULT_RACE,
                       "%s at offset 0x%x of the shared memory of block %u of the cluster%s, %s",
                       access, offset, c->warps[0].w.cluster_rank, name, what);
}

static bool fail_read (const ptx_lane_access *a, const ptx_cta *c, uint32_t offset,
                       const ptx_touch *read) {
  fail_peer(a, c, offset, "a block that has read it");
  a->x->w.fault.other = (ptx_meeting){
    .access = "read",
    .between = "and has not arrived (mbarrier.arrive) at another block's barrier since the read",
    .cta = c->linear,
    .thread = read->thread,
    .loc = read->loc
  };
  return false;
}

/* Whether others may know of an access of the block by now. */
static bool is_known_to_others (const ptx_cta *c, const ptx_touch *t) {
  return t->time == 0 || c->told >= t->time;
}

static bool check_overwrite (const ptx_lane_access *a, const ptx_cta *c, uint32_t offset) {
  for (uint32_t k = 0; k < a->bytes; k++) {
    const ptx_shadow *s = &c->shadow[offset + k];
    if (s->run != c->run) continue;
    if (!is_known_to_others(c, &s->read)) return fail_read(a, c, offset + k, &s->read);
    if (!is_known_to_others(c, &s->other_read)) return fail_read(a, c, offset + k, &s->other_read);
    if (!is_known_to_others(c, &s->product)) return fail_read(a, c, offset + k, &s->product);
  }
  return true;
}

bool ptx_check_peer (const ptx_lane_access *a, uint64_t address) {
  uint32_t offset;
  ptx_cta *c = ptx_check_place(a, address, &offset), *own = a->x->cta;
  if (c == NULL || c == own) return true;
  if (c->told == 0)
    return fail_peer(a, c, offset, "a block that may not have begun (barrier.cluster),");
  if (is_bulk(a) && !check_overwrite(a, c, offset)) return false;
  if (a->kind != PTX_ACCESS_LOAD) ptx_check_tell(own);
  if (a->kind == PTX_ACCESS_LOAD || a->kind == PTX_ACCESS_ATOMIC) ptx_check_tell(c);
  return true;
}
