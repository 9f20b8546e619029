/* ptx_decode_memory.c: loads, stores, fences. */
#include "ptx_decode.h"

#include <stdio.h>
#include <string.h>

/* ---- addresses ---- */

static lcu_status register_address (ptx_decoder *D, const ptx_operand *o, ptx_address *x) {
  if (o->reg->type == PTX_PRED || ptx_type_is_float(o->reg->type) ||
      ptx_lane_bytes(o->reg->type) > 8)
    return ptx_decode_fail(D, "address in this kind of register");
  x->slot = o->reg->slot;
  if (ptx_lane_bytes(o->reg->type) == 4) x->flags |= PTX_F_ADDRESS32;
  return LCU_OK;
}

/* The access is to the state space of the variable, also when the instruction is generic. */
static lcu_status variable_address (ptx_decoder *D, const ptx_operand *o, ptx_address *x) {
  ptx_variable *v = o->variable;
  uint64_t at = 0;
  if (x->space != PTX_GENERIC && x->space != v->space &&
      !(x->space == PTX_GLOBAL && v->space == PTX_CONST) &&
      !(x->space == PTX_CLUSTER && v->space == PTX_SHARED))
    return ptx_decode_fail(D, "the variable is in another state space");
  x->space = (uint8_t)v->space;
  switch (v->space) {
    case PTX_LOCAL:
      x->flags |= PTX_F_DIRECT;
      x->imm += (int64_t)v->offset;
      return LCU_OK;
    case PTX_SHARED:
      x->flags |= PTX_F_ADDRESS32;
      return ptx_constant_slot(D, v->offset + PTX_SHARED_RESERVED, 4, &x->slot);
    case PTX_PARAM:
      x->flags |= PTX_F_DIRECT;
      x->imm += (int64_t)v->offset;
      return LCU_OK;
    default: LCU_TRY(ptx_variable_address(D, v, &at)); return ptx_constant_slot(D, at, 8, &x->slot);
  }
}

lcu_status ptx_address_of (ptx_decoder *D, const ptx_operand *o, uint8_t space, ptx_address *x) {
  *x = (ptx_address){ .imm = o->i, .space = space };
  if (o->kind != PTX_O_ADDRESS) return ptx_decode_fail(D, "no address");
  if (o->reg != NULL) return register_address(D, o, x);
  if (o->variable != NULL) return variable_address(D, o, x);
  x->imm = 0;
  return ptx_constant_slot(D, (uint64_t)o->i, 8, &x->slot);
}

lcu_status ptx_wide_address_of (ptx_decoder *D, const ptx_operand *o, uint8_t space,
                                ptx_address *x) {
  LCU_TRY(ptx_address_of(D, o, space, x));
  if (!(x->flags & PTX_F_ADDRESS32)) return LCU_OK;
  int32_t narrow = x->slot;
  x->flags &= (uint16_t)~PTX_F_ADDRESS32;
  LCU_TRY(ptx_temp(D, &x->slot));
  return ptx_emit_dabc(D, PTX_ID_cvt_u64_u32, x->slot, narrow, 0, 0);
}

static lcu_status address_of (ptx_decoder *D, const ptx_operand *o, ptx_address *x) {
  return ptx_address_of(D, o, D->inst->match.space, x);
}

static bool is_area (const ptx_decoder *D, const ptx_operand *o) {
  return o->variable != NULL && o->variable->space == PTX_PARAM &&
         !(o->variable->is_formal && D->f->is_entry);
}

/* ---- elements of a vector, or the one value ---- */

static uint32_t num_elements (const ptx_operand *o) {
  return o->kind == PTX_O_VECTOR ? o->num_items : 1;
}
static const ptx_operand *element (const ptx_operand *o, uint32_t e) {
  return o->kind == PTX_O_VECTOR ? &o->items[e] : o;
}

static bool is_signed (ptx_type t) { return ptx_type_is_signed(t); }

/* Where a loaded element goes: to `slot`, and if the register is wider, converted to `final`. */
typedef struct landing {
  int32_t slot, final;
  uint16_t convert;
} landing;

static uint16_t widening (ptx_type t, ptx_type reg) {
  char name[32];
  uint32_t bytes = ptx_type_bytes(t), to = ptx_type_bytes(reg);
  if (to < bytes || bytes >= 8 || (to == bytes)) return 0;
  if (!is_signed(t) && to <= 4) return 0; /* lanes are zero-extended */
  snprintf(name, sizeof name, "cvt_u%u_%c%u", to * 8, is_signed(t) ? 's' : 'u', bytes * 8);
  return ptx_id_find(name);
}

static lcu_status landing_of (ptx_decoder *D, const ptx_operand *o, ptx_type t, landing *x) {
  *x = (landing){ 0 };
  if (o->kind == PTX_O_SINK) return ptx_temp_for(D, t, &x->slot);
  if (o->kind != PTX_O_REG || o->reg->type == PTX_PRED)
    return ptx_decode_fail(D, "the result is not a register");
  if (ptx_type_bytes(o->reg->type) < ptx_type_bytes(t))
    return ptx_decode_fail(D, "register narrower than the load");
  if (o->reg->type == PTX_B128 && t != PTX_B128) return ptx_decode_lack(D, "extension to 128 bits");
  if (o->reg->slot < 0) return ptx_temp_for(D, t, &x->slot);
  x->slot = x->final = o->reg->slot;
  x->convert = widening(t, o->reg->type);
  return x->convert ? ptx_temp(D, &x->slot) : LCU_OK;
}

static lcu_status land (ptx_decoder *D, const landing *x) {
  return x->convert ? ptx_emit_dabc(D, x->convert, x->final, x->slot, 0, 0) : LCU_OK;
}

/* ---- the handler of a shape ---- */

static const char *space_name (const ptx_address *x) {
  bool narrow = x->flags & PTX_F_ADDRESS32;
  if (x->flags & PTX_F_DIRECT) return "";
  switch (x->space) {
    case PTX_GENERIC: return narrow ? "" : "_generic";
    case PTX_GLOBAL:
    case PTX_CONST: return narrow ? "" : "_global";
    case PTX_SHARED: return narrow ? "_shared32" : "_shared";
    default: return "";
  }
}

static uint16_t shape_id (const char *opcode, const ptx_address *x, uint32_t size, uint32_t num) {
  char name[48], vector[16] = "";
  uint16_t any = opcode[0] == 'l' ? PTX_ID_ld_any : PTX_ID_st_any;
  if (x->space == PTX_LOCAL && num == 1 && !(x->flags & PTX_F_ADDRESS32) && size >= 4 &&
      size <= 8) {
    bool load = opcode[0] == 'l';
    return size == 4 ? (load ? PTX_ID_ld_local_32 : PTX_ID_st_local_32)
                     : (load ? PTX_ID_ld_local_64 : PTX_ID_st_local_64);
  }
  if (!space_name(x)[0]) return any;
  if (num > 1) snprintf(vector, sizeof vector, "_v%u", num);
  snprintf(name, sizeof name, "%s%s%s_%u", opcode, space_name(x), vector, size * 8);
  uint16_t id = ptx_id_find(name);
  return id ? id : any;
}

/* Emits the access; slots are the registers. */
static lcu_status emit_access (ptx_decoder *D, const char *opcode, const ptx_address *x,
                               uint32_t size, uint32_t num, const int32_t *slots) {
  ptx_uop *I = ptx_emit(D, shape_id(opcode, x, size, num));
  if (I == NULL) return lcu_no_memory("decoded PTX");
  I->d = slots[0];
  I->a = x->slot;
  I->imm = x->imm;
  I->flags |= x->flags;
  if (D->inst->match.mods & PTX_M_VOLATILE) I->flags |= PTX_F_VOLATILE;
  if ((D->inst->match.mods & PTX_M_NC) != 0 || x->space == PTX_CONST) I->flags |= PTX_F_CONSTANT;
  if (ptx_loads_guess(D->inst)) I->flags |= PTX_F_GUESS;
  if (num == 1 && ptx_may_be_around(D->inst, size)) I->flags |= PTX_F_WORD;
  I->space = x->space == PTX_CONST ? PTX_GLOBAL : x->space;
  I->size = (uint8_t)size;
  I->vector = (uint8_t)num;
  if (opcode[0] == 'l') I->used_bytes = D->inst->used_bytes;
  ptx_shapes_assign(D, I);
  if (num == 1) return LCU_OK;
  struct ptx_uop_extra *e = ptx_emit_extra(D, I);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  e->num = num;
  memcpy(e->slots, slots, num * sizeof *slots);
  return LCU_OK;
}

lcu_status ptx_emit_move (ptx_decoder *D, const char *opcode, const ptx_address *x, uint32_t size,
                          int32_t slot) {
  return emit_access(D, opcode, x, size, 1, &slot);
}

static lcu_status emit_fence (ptx_decoder *D, uint32_t kind) {
  return ptx_emit_imm(D, PTX_ID_fence, 0, 0, kind);
}

/* ---- kernel parameters and the function parameter area, at constant offsets ---- */

static lcu_status check_place (ptx_decoder *D, int64_t at, uint32_t size, uint64_t end) {
  if (at < 0 || (uint64_t)at + size > end || at % (size > 8 ? 8 : size) != 0)
    return ptx_decode_lack(D, "outside its parameter");
  return LCU_OK;
}

static lcu_status load_param (ptx_decoder *D, const ptx_address *x, uint32_t size, int32_t d) {
  LCU_TRY(check_place(D, x->imm, size, D->f->param_bytes));
  if (size == 4 || size == 8)
    return ptx_emit_imm(D, size == 4 ? PTX_ID_ld_param_32 : PTX_ID_ld_param_64, d, 0, x->imm);
  return emit_access(D, "ld", x, size, 1, &d);
}

/* Whole words of the area are registers like any other. */
static lcu_status move_words (ptx_decoder *D, bool load, uint32_t size, int32_t slot,
                              int32_t word) {
  int32_t high = word + 4 * PTX_LANES;
  if (size == 4)
    return ptx_emit_dabc(D, PTX_ID_mov_b32, load ? slot : word, load ? word : slot, 0, 0);
  if (load) return ptx_emit_dabc(D, PTX_ID_pack_b32_b64, slot, word, high, 0);
  LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b64_b32, word, slot, 0));
  return ptx_emit_imm(D, PTX_ID_unpack_b64_b32, high, slot, 32);
}

/* One value of up to 8 bytes at byte `at` of the area. */
static lcu_status emit_area (ptx_decoder *D, bool load, int64_t at, uint32_t size, int32_t slot) {
  LCU_TRY(check_place(D, at, size, D->f->area_bytes));
  int32_t word = D->area_at + (int32_t)(at / 4) * 4 * PTX_LANES;
  if (size >= 4) return move_words(D, load, size, slot, word);
  LCU_TRY(ptx_emit_dabc(D, load ? PTX_ID_ld_area : PTX_ID_st_area, slot, slot, word, 0));
  ptx_uop *I = &D->uops[D->num - 1];
  I->imm = (at % 4) * 8;
  I->size = (uint8_t)size;
  return LCU_OK;
}

static lcu_status area_access (ptx_decoder *D, bool load, int64_t at, uint32_t size, int32_t slot) {
  if (size <= 8) return emit_area(D, load, at, size, slot);
  LCU_TRY(emit_area(D, load, at, 8, slot));
  return emit_area(D, load, at + 8, 8, slot + 8 * PTX_LANES);
}

/* ---- ld, st ---- */

static lcu_status check_shape (const ptx_decoder *D, const ptx_operand *o) {
  const ptx_match *m = &D->inst->match;
  if (m->num_types != 1 || ptx_type_bytes(m->type) == 0)
    return ptx_decode_fail(D, "takes one type");
  if (num_elements(o) != m->vector || m->vector > 8)
    return ptx_decode_fail(D, "vector and operand do not fit");
  return LCU_OK;
}

/* Parameters: element by element. */
static lcu_status load_elements (ptx_decoder *D, const ptx_address *x, const landing *to,
                                 uint32_t num, bool area) {
  uint32_t size = ptx_type_bytes(D->inst->match.type);
  for (uint32_t e = 0; e < num; e++) {
    ptx_address at = *x;
    at.imm += (int64_t)e * size;
    if (area) LCU_TRY(area_access(D, true, at.imm, size, to[e].slot));
    else LCU_TRY(load_param(D, &at, size, to[e].slot));
  }
  return LCU_OK;
}

lcu_status ptx_decode_ld (ptx_decoder *D) {
  const ptx_operand *d = &D->inst->operands[0], *o = &D->inst->operands[1];
  const ptx_match *m = &D->inst->match;
  uint32_t num = num_elements(d);
  landing to[8];
  int32_t slots[8];
  ptx_address x;
  LCU_TRY(check_shape(D, d));
  if (m->mods & PTX_M_RELEASE) return ptx_decode_fail(D, "this order of a load");
  LCU_TRY(address_of(D, o, &x));
  for (uint32_t e = 0; e < num; e++) {
    LCU_TRY(landing_of(D, element(d, e), m->type, &to[e]));
    slots[e] = to[e].slot;
  }
  if (is_area(D, o)) LCU_TRY(load_elements(D, &x, to, num, true));
  else if (x.space == PTX_PARAM && (x.flags & PTX_F_DIRECT))
    LCU_TRY(load_elements(D, &x, to, num, false));
  else LCU_TRY(emit_access(D, "ld", &x, ptx_type_bytes(m->type), num, slots));
  for (uint32_t e = 0; e < num; e++) LCU_TRY(land(D, &to[e]));
  return m->mods & PTX_M_ACQUIRE ? emit_fence(D, PTX_M_ACQUIRE) : LCU_OK;
}

static bool is_constant_address (const ptx_decoder *D, const ptx_operand *o, const ptx_address *x) {
  return x->space == PTX_CONST || (x->space == PTX_PARAM && o->variable != NULL && !is_area(D, o));
}

/* The value to store; its register may be wider than the access. */
static lcu_status stored_value (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  if (o->kind == PTX_O_REG && ptx_type_bytes(o->reg->type) < ptx_type_bytes(t))
    return ptx_decode_fail(D, "register narrower than the store");
  return ptx_source(D, o, t, slot);
}

lcu_status ptx_decode_st (ptx_decoder *D) {
  const ptx_operand *o = &D->inst->operands[0], *v = &D->inst->operands[1];
  const ptx_match *m = &D->inst->match;
  uint32_t num = num_elements(v), size = ptx_type_bytes(m->type);
  int32_t slots[8];
  ptx_address x;
  LCU_TRY(check_shape(D, v));
  if (m->mods & (PTX_M_ACQUIRE | PTX_M_NC)) return ptx_decode_fail(D, "this order of a store");
  if (m->mods & PTX_M_RELEASE) LCU_TRY(emit_fence(D, PTX_M_RELEASE));
  LCU_TRY(address_of(D, o, &x));
  if (is_constant_address(D, o, &x))
    return ptx_decode_fail(D, "constants and kernel parameters are read-only");
  for (uint32_t e = 0; e < num; e++) LCU_TRY(stored_value(D, element(v, e), m->type, &slots[e]));
  if (!is_area(D, o)) return emit_access(D, "st", &x, size, num, slots);
  for (uint32_t e = 0; e < num; e++)
    LCU_TRY(area_access(D, false, x.imm + (int64_t)e * size, size, slots[e]));
  return LCU_OK;
}

/* ---- fences ---- */

lcu_status ptx_decode_fence (ptx_decoder *D) {
  LCU_TRY(emit_fence(D, 0));
  if (ptx_has_part(D->inst, "proxy") && ptx_has_part(D->inst, "async"))
    D->uops[D->num - 1].imm = PTX_FENCE_PROXY;
  return LCU_OK;
}
