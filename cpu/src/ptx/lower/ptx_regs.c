/* ptx_regs.c: places of registers in the register file. A linear scan over live segments with
 * holes: in the order of their first segments, each register gets the lowest place that is free in
 * all of its segments. See cpu/docs/machine.md. */
#include <stdlib.h>
#include <string.h>

#include "ptx_match.h"
#include "ptx_module.h"
#include "ptx_operands.h"
#include "ptx_regs.h"

enum { UNIT_BYTES = 4 * PTX_LANES }; /* one 32-bit register */

typedef struct span {
  uint32_t start, end;
} span;

/* One unit of the register file and when it is in use: spans in order, disjoint. It always is part
 * `part` of registers of `width` units: lane l of a wider register overlaps other lanes of a
 * narrower one, and lanes that took another branch may still need those. It has registers of
 * fragments or others: compiled code keeps a place in the register file if an operation on matrices
 * works on it. */
typedef struct unit {
  span *spans;
  uint32_t num, cap;
  uint8_t width, part;
  bool fragment;
} unit;

typedef struct scan {
  ptx_function *f;
  ptx_segment **segments;
  unit *units;
  uint32_t num_units, cap_units;
  bool failed;
} scan;

/* Index of the first span that ends at or after `at`. */
static uint32_t first_span (const unit *u, uint32_t at) {
  uint32_t low = 0, high = u->num;
  if (high == 0 || u->spans[high - 1].end < at) return high;
  while (low < high) {
    uint32_t mid = low + (high - low) / 2;
    if (u->spans[mid].end < at) low = mid + 1;
    else high = mid;
  }
  return low;
}

static bool is_free (const unit *u, const ptx_segment *s) {
  for (; s != NULL; s = s->next) {
    uint32_t k = first_span(u, s->start);
    if (k < u->num && u->spans[k].start <= s->end) return false;
  }
  return true;
}

static bool add_span (unit *u, const ptx_segment *s) {
  if (u->num == u->cap) {
    uint32_t cap = u->cap == 0 ? 8 : u->cap * 2;
    span *grown = lcu_realloc(u->spans, cap * sizeof *grown);
    if (grown == NULL) return false;
    u->spans = grown;
    u->cap = cap;
  }
  uint32_t k = first_span(u, s->start);
  memmove(&u->spans[k + 1], &u->spans[k], (u->num - k) * sizeof *u->spans);
  u->spans[k] = (span){ s->start, s->end };
  u->num++;
  return true;
}

static bool grow_units (scan *s, uint32_t num) {
  if (num > s->cap_units) {
    uint32_t cap = s->cap_units == 0 ? 64 : s->cap_units * 2;
    unit *grown = lcu_realloc(s->units, cap * sizeof *grown);
    if (grown == NULL) return false;
    memset(grown + s->cap_units, 0, (cap - s->cap_units) * sizeof *grown);
    s->units = grown;
    s->cap_units = cap;
  }
  s->num_units = num > s->num_units ? num : s->num_units;
  return true;
}

/* A place is shared only where nobody looks at values that are no longer needed. */
static bool fits (const scan *s, const unit *u, const ptx_reg *reg, uint32_t width, uint32_t part) {
  if (u->width == 0) return true;
  return !s->f->module->ast.debug && u->width == width && u->part == part &&
         u->fragment == reg->fragment && is_free(u, s->segments[reg->id]);
}

/* The lowest `width` adjacent units that fit; those past the last unit always do. */
static uint32_t find_place (const scan *s, const ptx_reg *reg, uint32_t width) {
  for (uint32_t k = 0; k < s->num_units; k++) {
    uint32_t part = 0;
    while (part < width &&
           (k + part >= s->num_units || fits(s, &s->units[k + part], reg, width, part)))
      part++;
    if (part == width) return k;
  }
  return s->num_units;
}

static void assign (scan *s, ptx_reg *reg) {
  const ptx_segment *segments = s->segments[reg->id];
  uint32_t width = ptx_type_slot_bytes(reg->type) / UNIT_BYTES, place = find_place(s, reg, width);
  if (!grow_units(s, place + width)) {
    s->failed = true;
    return;
  }
  for (uint32_t k = place; k < place + width; k++) {
    s->units[k].width = (uint8_t)width;
    s->units[k].part = (uint8_t)(k - place);
    s->units[k].fragment = reg->fragment;
    for (const ptx_segment *seg = segments; seg != NULL; seg = seg->next)
      s->failed |= !add_span(&s->units[k], seg);
  }
  reg->slot = (int32_t)(place * UNIT_BYTES);
}

static void mark_fragment (void *ud, ptx_reg *reg, int role) {
  (void)ud;
  (void)role;
  reg->fragment = true;
}

static bool is_of_matrices (const ptx_inst *inst) {
  switch (inst->match.op->decode) {
    case PTX_DEC_wmma:
    case PTX_DEC_mma:
    case PTX_DEC_ldmatrix:
    case PTX_DEC_movmatrix:
    case PTX_DEC_wgmma: return true;
    default: return false;
  }
}

static void mark_fragments (const ptx_function *f) {
  for (uint32_t b = 0; b < f->num_bbs; b++)
    for (const ptx_inst *inst = f->bbs[b].first; inst != f->bbs[b].last->next; inst = inst->next)
      for (int k = 0; is_of_matrices(inst) && k < inst->num_operands; k++)
        if (inst->operands[k].kind != PTX_O_ADDRESS)
          ptx_operand_visit_regs(&inst->operands[k], PTX_READ, mark_fragment, NULL);
}

typedef struct start {
  uint32_t at;
  ptx_reg *reg;
} start;

static int by_first_use (const void *a, const void *b) {
  const start *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->reg->id < y->reg->id ? -1 : x->reg->id > y->reg->id;
}

static bool assign_all (scan *s, lcu_arena *scratch) {
  uint32_t num = 0;
  start *starts = lcu_arena_alloc(scratch, (s->f->num_regs + 1u) * sizeof *starts);
  if (starts == NULL) return false;
  for (uint32_t k = 0; k < s->f->num_regs; k++) {
    s->f->regs[k]->slot = -1;
    if (s->segments[k] != NULL) starts[num++] = (start){ s->segments[k]->start, s->f->regs[k] };
  }
  qsort(starts, num, sizeof *starts, by_first_use);
  for (uint32_t k = 0; k < num && !s->failed; k++) assign(s, starts[k].reg);
  return !s->failed;
}

/* The peak of live 32-bit values. As in hardware, predicates do not count. */
static bool measure_pressure (const scan *s, lcu_arena *scratch, uint32_t positions) {
  int32_t *change = lcu_arena_alloc(scratch, (positions + 2u) * sizeof *change), now = 0;
  if (change == NULL) return false;
  for (uint32_t k = 0; k < s->f->num_regs; k++) {
    ptx_type type = s->f->regs[k]->type;
    int32_t width = type == PTX_PRED ? 0 : (int32_t)(ptx_type_slot_bytes(type) / UNIT_BYTES);
    for (const ptx_segment *seg = s->segments[k]; seg != NULL; seg = seg->next) {
      change[seg->start] += width;
      change[seg->end + 1] -= width;
    }
  }
  s->f->max_live = 0;
  for (uint32_t k = 0; k <= positions; k++) {
    now += change[k];
    if (now > (int32_t)s->f->max_live) s->f->max_live = (uint32_t)now;
  }
  return true;
}

lcu_status ptx_regs_allocate (ptx_function *f) {
  scan s = { .f = f };
  lcu_arena scratch = { 0 };
  uint32_t positions = 0;
  mark_fragments(f);
  s.segments = ptx_live_segments(f, &scratch, &positions);
  bool ok =
    s.segments != NULL && assign_all(&s, &scratch) && measure_pressure(&s, &scratch, positions);
  f->regs_bytes = s.num_units * UNIT_BYTES;
  for (uint32_t k = 0; k < s.cap_units; k++) lcu_free(s.units[k].spans);
  lcu_free(s.units);
  lcu_arena_free(&scratch);
  return ok ? LCU_OK : lcu_no_memory("the registers of '%s'", f->name);
}
