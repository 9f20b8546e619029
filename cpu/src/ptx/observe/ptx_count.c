/* ptx_count.c: counting what a micro-operation costs, before the inner loop carries it out. */
#include "ptx_count.h"

#include <string.h>

#include "ptx_exchange.h"
#include "ptx_ids.h"
#include "ptx_tensor.h"

/* ---- arithmetic */

static bool is_product (const ptx_uop *I) {
  return I->id == PTX_ID_mma_f32 || I->id == PTX_ID_mma_f64 || I->id == PTX_ID_mma_b1 ||
         I->id == PTX_ID_mma_quad;
}

static void count_arithmetic (const ptx_profile *p, lcu_cost *c, const ptx_uop *I, uint32_t lanes) {
  ptx_arithmetic a = p->arithmetic[I->id];
  uint64_t n = (uint64_t)a.operations * lanes;
  switch ((ptx_arithmetic_kind)a.kind) {
    case PTX_ARITHMETIC_F16: c->f16_operations += n; break;
    case PTX_ARITHMETIC_F32: c->f32_operations += n; break;
    case PTX_ARITHMETIC_F64: c->f64_operations += n; break;
    case PTX_ARITHMETIC_NONE: break;
  }
  if (!is_product(I)) return;
  const ptx_tensor *t = ptx_tensor_of(I);
  c->tensor_operations += 2ull * t->m * t->n * t->k;
}

/* ---- sectors */

static size_t place_of (const ptx_sector_set *s, uint64_t sector) {
  size_t i = (size_t)((sector * 0x9E3779B97F4A7C15ull) >> 20) & (s->cap - 1);
  while (s->slots[i] != 0 && s->slots[i] != sector) i = (i + 1) & (s->cap - 1);
  return i;
}

static bool grow (ptx_sector_set *s) {
  ptx_sector_set larger = { .cap = s->cap == 0 ? 4096 : 2 * s->cap };
  larger.slots = lcu_calloc(larger.cap, sizeof *larger.slots);
  if (larger.slots == NULL) return false;
  for (size_t i = 0; i < s->cap; i++)
    if (s->slots[i] != 0) larger.slots[place_of(&larger, s->slots[i])] = s->slots[i];
  larger.num = s->num;
  lcu_free(s->slots);
  *s = larger;
  return true;
}

static void touch (ptx_profile *p, uint64_t sector) {
  ptx_sector_set *s = &p->sectors;
  if (4 * s->num >= 3 * s->cap && !grow(s)) {
    p->failed = true;
    return;
  }
  size_t i = place_of(s, sector);
  s->num += s->slots[i] == 0;
  s->slots[i] = sector;
}

/* ---- accesses */

static void count_global (ptx_profile *p, lcu_cost *c, const ptx_span *spans, uint32_t num) {
  uint64_t sectors[PTX_MAX_SECTORS];
  uint32_t least, n = ptx_traffic_sectors(spans, num, sectors, &least);
  c->global_accesses++;
  c->global_sectors += n;
  c->global_sectors_least += least;
  for (uint32_t i = 0; i < n; i++) touch(p, sectors[i]);
}

static void count_shared (lcu_cost *c, const ptx_span *spans, uint32_t num, bool atomic) {
  uint32_t least, n = ptx_traffic_wavefronts(spans, num, atomic, &least);
  c->shared_accesses++;
  c->shared_wavefronts += n;
  c->bank_conflicts += n - least;
}

/* Equal offsets of the lanes are side by side, in words of 4 bytes. */
static void count_local (lcu_cost *c, const ptx_span *spans, uint32_t num) {
  uint64_t sectors[PTX_MAX_SECTORS];
  uint32_t least;
  c->local_accesses++;
  for (uint32_t from = 0; from < (spans[0].bytes + 3) / 4; from++) {
    ptx_span words[PTX_LANES];
    for (uint32_t i = 0; i < num; i++) {
      uint64_t word = spans[i].address / 4 + from;
      words[i] = (ptx_span){ (word * PTX_LANES + spans[i].lane) * 4, spans[i].lane, 4 };
    }
    c->local_sectors += ptx_traffic_sectors(words, num, sectors, &least);
  }
}

static uint8_t space_of (const ptx_uop *I, const ptx_span *s) {
  if (I->space != PTX_GENERIC) return I->space;
  if (ptx_in_window(s->address, ptx_window_shared)) return PTX_SHARED;
  if (ptx_in_window(s->address, ptx_window_local)) return PTX_LOCAL;
  return ptx_in_window(s->address, ptx_window_param) ? PTX_PARAM : PTX_GLOBAL;
}

static void count_spans (ptx_profile *p, lcu_cost *c, const ptx_uop *I, ptx_span *spans,
                         uint32_t num) {
  bool atomic = ptx_id_access[I->id] == PTX_ACCESS_ATOMIC;
  ptx_span of[PTX_LANES];
  for (uint32_t done = 0; done < num;) {
    uint8_t space = space_of(I, &spans[0]);
    uint32_t n = 0, rest = 0;
    for (uint32_t i = 0; i < num - done; i++)
      if (space_of(I, &spans[i]) == space) of[n++] = spans[i];
      else spans[rest++] = spans[i];
    done += n;
    if (space == PTX_GLOBAL) count_global(p, c, of, n);
    else if (space == PTX_SHARED) count_shared(c, of, n, atomic);
    else if (space == PTX_LOCAL) count_local(c, of, n);
  }
}

static uint32_t lane_spans (const ptx_uop *I, const uint8_t *rf, const ptx_warp *w,
                            ptx_span *spans) {
  uint32_t bytes = (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector), n = 0;
  for (uint32_t m = w->mask; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    spans[n++] = (ptx_span){ ptx_lane_address(I, rf, w, l), l, bytes };
  }
  return n;
}

/* The source of a copy from global to shared memory. */
static void count_source (ptx_profile *p, lcu_cost *c, const ptx_uop *I, const uint8_t *rf,
                          const ptx_warp *w) {
  ptx_span spans[PTX_LANES];
  uint32_t n = 0;
  for (uint32_t m = w->mask; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m), bytes;
    uint64_t address;
    memcpy(&address, rf + I->b + l * sizeof address, sizeof address);
    memcpy(&bytes, rf + I->c + l * sizeof bytes, sizeof bytes);
    if (bytes > I->size) bytes = I->size;
    if (bytes != 0) spans[n++] = (ptx_span){ address + (uint64_t)I->extra->imm[0], l, bytes };
  }
  if (n != 0) count_global(p, c, spans, n);
}

static bool is_memory (const ptx_uop *I, const ptx_inst *inst) {
  uint8_t access = ptx_id_access[I->id];
  bool constant = inst != NULL && inst->match.space == PTX_CONST;
  return I->size != 0 && !constant &&
         (access == PTX_ACCESS_LOAD || access == PTX_ACCESS_STORE || access == PTX_ACCESS_ATOMIC);
}

static void count_memory (ptx_profile *p, lcu_cost *c, const ptx_uop *I, const uint8_t *rf,
                          const ptx_warp *w) {
  ptx_span spans[PTX_LANES];
  bool whole = ptx_id_whole_warp(I->id);
  if (w->mask == 0 || (whole && w->mask != UINT32_MAX)) return;
  uint32_t n = whole ? ptx_matrix_spans(I, rf, w, spans) : lane_spans(I, rf, w, spans);
  if (n != 0) count_spans(p, c, I, spans, n);
  if (I->id == PTX_ID_cp_async) count_source(p, c, I, rf, w);
}

/* ---- instructions */

static lcu_cost *cost_of (const ptx_profile *p, const ptx_uop *I) {
  return &p->counts[I->loc < p->num_counts ? I->loc : 0];
}

static bool is_barrier (const ptx_uop *I) {
  return I->id == PTX_ID_bar_sync || I->id == PTX_ID_bar_red_popc || I->id == PTX_ID_bar_red_and ||
         I->id == PTX_ID_bar_red_or;
}

/* Whether the micro-operation is the first one of an instruction. */
static bool is_first (const ptx_code *code, size_t i) {
  return code->insts[i] != NULL && (i == 0 || code->insts[i - 1] != code->insts[i]);
}

void ptx_profile_step (ptx_profile *p, const ptx_warp *w, const ptx_uop *I, const ptx_frame *f) {
  lcu_cost *c = cost_of(p, I);
  size_t i = (size_t)(I - f->code->uops);
  uint32_t lanes = ptx_popc(w->mask);
  if (is_first(f->code, i)) {
    if (lcu_unlikely(p->costs->trace != NULL)) ptx_trace_step(p, w, I, f);
    c->instructions++;
    c->thread_instructions += lanes;
    c->branches += I->id == PTX_ID_bra || I->id == PTX_ID_bra_not;
    c->barriers += is_barrier(I);
  }
  count_arithmetic(p, c, I, lanes);
  if (is_memory(I, f->code->insts[i])) count_memory(p, c, I, f->rf, w);
}

void ptx_profile_diverged (ptx_profile *p, const ptx_uop *I) {
  cost_of(p, I)->divergent_branches++;
}
