/* ptx_shape_watch.h: compares what the machine computes with what ptx_claims claims: before every
 * instruction, the registers that it reads, in the lanes that are on. */
#ifndef PTX_SHAPE_WATCH_H
#define PTX_SHAPE_WATCH_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ptx_step.h"
#include "ptx_operands.h"
#include "ptx_shape.h"
#include "ptx_ids.h"
#include "ptx_shape_inst.h"

static struct {
  pthread_mutex_t lock;
  long held, skipped, failed; /* claims */
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

typedef struct watch_state {
  const ptx_claims *shape;
  const ptx_inst *inst;
  const ptx_xwarp *x;
  const uint8_t *rf;
} watch_state;

static uint64_t watch_lane (const ptx_reg *reg, const uint8_t *rf, uint32_t lane) {
  uint64_t wide;
  uint32_t narrow;
  if (ptx_value_bits(reg->type) == 64) {
    memcpy(&wide, rf + reg->slot + lane * 8, 8);
    return wide;
  }
  memcpy(&narrow, rf + reg->slot + lane * 4, 4);
  return narrow;
}

/* Whether the lane has the base of the first lane that is on, in its row or in the warp. */
static bool watch_holds (const ptx_reg *reg, const ptx_value *v, const uint8_t *rf, uint32_t mask) {
  uint64_t base[2] = { 0, 0 }, bits = ptx_value_bits(reg->type) == 64 ? UINT64_MAX : UINT32_MAX;
  bool known[2] = { false, false };
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m), row = v->base == PTX_BASE_ROW ? l / 16 : 0;
    uint64_t off = v->offsets != NULL ? v->offsets[l] : 0,
             now = (watch_lane(reg, rf, l) - off) & bits;
    if (!known[row]) base[row] = v->base == PTX_BASE_CONST ? v->constant & bits : now;
    known[row] = true;
    if (now != base[row]) return false;
    if (v->base == PTX_BASE_WARP && (now & (((uint64_t)1 << v->align) - 1) & bits) != 0)
      return false;
  }
  return true;
}

/* The check that a widened claim depends on. */
static bool watch_ends (const ptx_reg *reg, const ptx_value *v, const uint8_t *rf, uint32_t mask) {
  uint32_t bits = ptx_value_bits(reg->type), a, b;
  ptx_value_ends(v, bits, &a, &b);
  if (v->base == PTX_BASE_ROW || (mask >> a & mask >> b & 1) == 0) return false;
  uint64_t by = v->offsets != NULL ? v->offsets[b] - v->offsets[a] : 0;
  return watch_lane(reg, rf, b) - watch_lane(reg, rf, a) == by;
}

static void watch_reg (void *ud, ptx_reg *reg, int role) {
  const watch_state *s = ud;
  const ptx_value *v = &s->shape->values[reg->id];
  if ((role & PTX_READ) == 0 || reg->slot < 0 || v->base >= PTX_BASE_LANE) return;
  if (v->widened && !watch_ends(reg, v, s->rf, s->x->w.mask)) {
    watch.skipped++;
    return;
  }
  bool guard_keeps = s->inst->guarded && (role & PTX_WRITE) != 0;
  if (guard_keeps) return;
  bool holds = v->base != PTX_BASE_NONE && watch_holds(reg, v, s->rf, s->x->w.mask);
  watch.held += holds;
  if (!holds && watch.failed++ < 20)
    CHECK(false, "%s, line %u of the PTX: %s is not what is claimed (base %d)",
          s->shape->function->name, (unsigned)s->inst->text_line, reg->name, v->base);
}

static LCU_UNUSED void watch_shapes (const ptx_xwarp *x, const ptx_uop *I, const uint8_t *rf) {
  const ptx_code *code = NULL;
  if (!x->w.in_step) return;
  for (uint32_t k = 0; k < x->num && code == NULL; k++)
    if (x->frags[k].frame->rf == rf) code = x->frags[k].frame->code;
  if (code == NULL) return;
  size_t at = (size_t)(I - code->uops);
  const ptx_inst *inst = code->insts[at];
  /* the first micro-operation of an instruction that is not guarded, or the first guarded one */
  bool first = at == 0 || code->insts[at - 1] != inst ||
               (inst != NULL && inst->guarded && code->uops[at - 1].id == PTX_ID_guard);
  if (inst == NULL || !first) return;
  const ptx_claims *shape =
    ptx_function_claims(code->function, ptx_block_class_of(x->cta->place.ntid));
  pthread_mutex_lock(&watch.lock);
  watch_state s = { shape, inst, x, rf };
  if (shape != NULL) ptx_inst_visit_regs(inst, watch_reg, &s);
  pthread_mutex_unlock(&watch.lock);
}

#endif
