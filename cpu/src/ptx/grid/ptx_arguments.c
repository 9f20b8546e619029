/* ptx_arguments.c: arguments and results of calls, between the frames of caller and callee. Those
 * in memory are copied from parameter area to parameter area; those in registers have at most 16
 * bytes. */
#include "ptx_frame.h"

#include <string.h>

#include "ptx_warp.h"

uint8_t *ptx_frame_param (const ptx_frame *f, const ptx_variable *v) {
  return f->rf + f->code->params_at + (size_t)(v->offset / 4) * (4 * PTX_LANES);
}

static const ptx_operand *call_list (const ptx_inst *inst, bool after_target) {
  bool seen = false;
  for (int i = 0; i < inst->num_operands; i++) {
    const ptx_operand *o = &inst->operands[i];
    if (o->kind == PTX_O_LIST && seen == after_target) return o;
    if (o->kind == PTX_O_FUNCTION || o->kind == PTX_O_REG) seen = true;
  }
  return NULL;
}

const ptx_operand *ptx_call_results (const ptx_inst *inst) { return call_list(inst, false); }
const ptx_operand *ptx_call_arguments (const ptx_inst *inst) { return call_list(inst, true); }

static uint32_t word_of (const uint8_t *words, uint32_t k, uint32_t lane) {
  uint32_t value;
  memcpy(&value, words + ((size_t)k * PTX_LANES + lane) * 4, 4);
  return value;
}

enum { MAX_VALUE = 16 }; /* bytes of a value in registers */

static void register_get (const ptx_frame *f, const ptx_reg *reg, uint32_t lane, uint8_t *out) {
  const uint8_t *slot = f->rf + reg->slot;
  uint32_t bytes = ptx_type_slot_bytes(reg->type) / PTX_LANES;
  if (bytes == 4) {
    memcpy(out, slot + (size_t)lane * 4, 4);
    return;
  }
  memcpy(out, slot + (size_t)lane * 8, 8);
  if (bytes == 16) memcpy(out + 8, slot + (size_t)(PTX_LANES + lane) * 8, 8);
}

/* Lanes of narrow registers are zero-extended. */
static void register_set (const ptx_frame *f, const ptx_reg *reg, uint32_t lane,
                          const uint8_t *value) {
  uint8_t *slot = f->rf + reg->slot;
  uint32_t bytes = ptx_type_slot_bytes(reg->type) / PTX_LANES, own = ptx_type_bytes(reg->type);
  if (reg->slot < 0) return; /* never read */
  if (bytes == 4) {
    uint32_t word = 0;
    memcpy(&word, value, own != 0 && own < 4 ? own : 4);
    memcpy(slot + (size_t)lane * 4, &word, 4);
    return;
  }
  memcpy(slot + (size_t)lane * 8, value, 8);
  if (bytes == 16) memcpy(slot + (size_t)(PTX_LANES + lane) * 8, value + 8, 8);
}

static void float_get (const ptx_operand *o, uint64_t size, uint8_t *out) {
  float f = (float)o->f;
  if (size > 4) memcpy(out, &o->f, 8);
  else if (o->single) memcpy(out, &o->i, 4);
  else memcpy(out, &f, 4);
}

/* The value of an operand that is passed to a parameter of `size` bytes, which is not a
 * variable. */
static void value_get (const ptx_frame *f, const ptx_operand *o, uint64_t size, uint32_t lane,
                       uint8_t out[MAX_VALUE]) {
  uint8_t element[MAX_VALUE];
  uint64_t part = size / (o->num_items != 0 ? o->num_items : 1);
  memset(out, 0, MAX_VALUE);
  switch (o->kind) {
    case PTX_O_REG: register_get(f, o->reg, lane, out); break;
    case PTX_O_INT: memcpy(out, &o->i, 8); break;
    case PTX_O_FLOAT: float_get(o, size, out); break;
    case PTX_O_VECTOR:
      for (uint32_t k = 0; k < o->num_items && (k + 1) * part <= MAX_VALUE; k++) {
        if (o->items[k].kind != PTX_O_REG) continue;
        register_get(f, o->items[k].reg, lane, element);
        memcpy(out + k * part, element, part);
      }
      break;
    default: break;
  }
}

static void value_set (const ptx_frame *f, const ptx_operand *o, uint64_t size, uint32_t lane,
                       const uint8_t value[MAX_VALUE]) {
  uint8_t element[MAX_VALUE] = { 0 };
  uint64_t part = size / (o->num_items != 0 ? o->num_items : 1);
  if (o->kind == PTX_O_REG) register_set(f, o->reg, lane, value);
  if (o->kind != PTX_O_VECTOR) return;
  for (uint32_t k = 0; k < o->num_items && (k + 1) * part <= MAX_VALUE; k++) {
    if (o->items[k].kind != PTX_O_REG) continue;
    memcpy(element, value + k * part, part);
    register_set(f, o->items[k].reg, lane, element);
  }
}

uint64_t ptx_call_argument (const ptx_frame *f, const ptx_operand *o, uint32_t lane) {
  uint8_t bytes[MAX_VALUE];
  uint64_t value;
  if (o->kind == PTX_O_VARIABLE) {
    const uint8_t *words = ptx_frame_param(f, o->variable);
    uint64_t low = word_of(words, 0, lane);
    return o->variable->size <= 4 ? low : low | (uint64_t)word_of(words, 1, lane) << 32;
  }
  value_get(f, o, 8, lane, bytes);
  memcpy(&value, bytes, 8);
  return value;
}

static void copy_words (uint8_t *dst, const uint8_t *src, uint64_t bytes, uint32_t mask) {
  size_t words = (size_t)((bytes + 3) / 4);
  if (mask == UINT32_MAX) {
    memcpy(dst, src, words * 4 * PTX_LANES);
    return;
  }
  for (size_t k = 0; k < words; k++)
    for (uint32_t m = mask; m != 0; m &= m - 1) {
      size_t at = (k * PTX_LANES + ptx_first_lane(m)) * 4;
      memcpy(dst + at, src + at, 4);
    }
}

static uint64_t least (uint64_t a, uint64_t b) { return a < b ? a : b; }

static void pass_argument (const ptx_frame *from, const ptx_operand *o, ptx_frame *to,
                           const ptx_variable *v, uint32_t mask) {
  uint8_t *dst = ptx_frame_param(to, v);
  if (o->kind == PTX_O_VARIABLE) {
    copy_words(dst, ptx_frame_param(from, o->variable), least(v->size, o->variable->size), mask);
    return;
  }
  size_t words = (size_t)(least(v->size, MAX_VALUE) + 3) / 4;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    uint8_t value[MAX_VALUE];
    uint32_t lane = ptx_first_lane(m);
    value_get(from, o, v->size, lane, value);
    for (size_t k = 0; k < words; k++) memcpy(dst + (k * PTX_LANES + lane) * 4, value + k * 4, 4);
  }
}

void ptx_arguments_pass (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst,
                         uint32_t mask) {
  const ptx_operand *list = ptx_call_arguments(inst);
  const ptx_variable *v = to->code->function->params;
  for (uint32_t k = 0; list != NULL && k < list->num_items && v != NULL; k++, v = v->next)
    pass_argument(from, &list->items[k], to, v, mask);
}

static void give_result (const ptx_frame *from, const ptx_variable *v, ptx_frame *to,
                         const ptx_operand *o, uint32_t mask) {
  const uint8_t *src = ptx_frame_param(from, v);
  if (o->kind == PTX_O_VARIABLE) {
    copy_words(ptx_frame_param(to, o->variable), src, least(v->size, o->variable->size), mask);
    return;
  }
  size_t words = (size_t)(least(v->size, MAX_VALUE) + 3) / 4;
  for (uint32_t m = mask; m != 0; m &= m - 1) {
    uint8_t value[MAX_VALUE] = { 0 };
    uint32_t lane = ptx_first_lane(m);
    for (size_t k = 0; k < words; k++) memcpy(value + k * 4, src + (k * PTX_LANES + lane) * 4, 4);
    value_set(to, o, v->size, lane, value);
  }
}

void ptx_results_give (const ptx_frame *from, ptx_frame *to, const ptx_inst *inst, uint32_t mask) {
  const ptx_operand *list = ptx_call_results(inst);
  const ptx_variable *v = from->code->function->returns;
  for (uint32_t k = 0; list != NULL && k < list->num_items && v != NULL; k++, v = v->next)
    give_result(from, v, to, &list->items[k], mask);
}
