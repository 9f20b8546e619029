/* ptx_decode_operand.c: the slots of operands: registers, constants, addresses of variables,
 * special registers. */
#include "ptx_decode.h"
#include "ptx_window.h"

#include <stddef.h>
#include <string.h>

#include "ptx_module.h"
#include "ptx_sreg.h"

lcu_status ptx_temp (ptx_decoder *D, int32_t *slot) {
  *slot = 0; /* gcc cannot see that callers do not read it after a failure */
  if (D->temps == PTX_MAX_TEMPS) return ptx_decode_lack(D, "too many intermediate values");
  *slot = PTX_TEMPS_AT + (int32_t)(D->temps++ * PTX_TEMP_BYTES);
  if (D->temps > D->max_temps) D->max_temps = D->temps;
  return LCU_OK;
}

lcu_status ptx_temp_for (ptx_decoder *D, ptx_type t, int32_t *slot) {
  int32_t upper;
  LCU_TRY(ptx_temp(D, slot));
  return ptx_type_slot_bytes(t) > PTX_TEMP_BYTES ? ptx_temp(D, &upper) : LCU_OK;
}

uint32_t ptx_lane_bytes (ptx_type t) { return ptx_type_slot_bytes(t) / PTX_LANES; }

/* ---- constants: broadcast once per value and width ---- */

static uint32_t constant_hash (uint64_t bits, uint32_t bytes) {
  uint64_t h = (bits ^ ((uint64_t)bytes << 56)) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(h >> 32);
}

static struct ptx_constant *constant_place (struct ptx_constant *table, uint32_t size,
                                            uint64_t bits, uint32_t bytes) {
  uint32_t i = constant_hash(bits, bytes) & (size - 1);
  while (table[i].bytes && (table[i].bits != bits || table[i].bytes != bytes))
    i = (i + 1) & (size - 1);
  return &table[i];
}

static bool table_grow (ptx_decoder *D) {
  uint32_t size = D->table_size ? D->table_size * 2 : 64;
  struct ptx_constant *table = lcu_calloc(size, sizeof *table);
  if (table == NULL) return false;
  for (uint32_t i = 0; i < D->table_size; i++)
    if (D->table[i].bytes)
      *constant_place(table, size, D->table[i].bits, D->table[i].bytes) = D->table[i];
  lcu_free(D->table);
  D->table = table;
  D->table_size = size;
  return true;
}

static bool broadcast (ptx_decoder *D, uint64_t bits, uint32_t bytes) {
  uint8_t *p = lcu_buf_space(&D->constants, (size_t)bytes * PTX_LANES);
  if (p == NULL) return false;
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t low = (uint32_t)bits;
    if (bytes == 8) memcpy(p + l * 8, &bits, 8);
    else memcpy(p + l * 4, &low, 4);
  }
  return true;
}

lcu_status ptx_constant_slot (ptx_decoder *D, uint64_t bits, uint32_t bytes, int32_t *slot) {
  if (bytes == 4) bits = (uint32_t)bits;
  if (D->table_used * 2 >= D->table_size && !table_grow(D)) return lcu_no_memory("decoded PTX");
  struct ptx_constant *c = constant_place(D->table, D->table_size, bits, bytes);
  if (!c->bytes) {
    int32_t at = PTX_CONSTANTS_AT + (int32_t)D->constants.len;
    if (!broadcast(D, bits, bytes)) return lcu_no_memory("decoded PTX");
    *c = (struct ptx_constant){ bits, bytes, at };
    D->table_used++;
  }
  *slot = c->slot;
  return LCU_OK;
}

/* ---- literals ---- */

static uint64_t int_bits (int64_t i, ptx_type t) {
  float f = (float)i;
  double d = (double)i;
  uint32_t u;
  uint64_t v;
  switch (t) {
    case PTX_PRED: return i ? UINT32_MAX : 0;
    case PTX_F32: memcpy(&u, &f, 4); return u;
    case PTX_F64: memcpy(&v, &d, 8); return v;
    default: break;
  }
  uint32_t bytes = ptx_type_bytes(t);
  return bytes == 1   ? (uint8_t)i
         : bytes == 2 ? (uint16_t)i
         : bytes == 4 ? (uint32_t)i
                      : (uint64_t)i;
}

static uint64_t float_bits (const ptx_operand *o, ptx_type t) {
  float f = (float)o->f;
  uint32_t u;
  uint64_t v;
  memcpy(&u, &f, 4);
  memcpy(&v, &o->f, 8);
  bool wide = ptx_lane_bytes(t) == 8;
  if (o->single) return wide ? v : (uint32_t)o->i;
  return wide ? (uint64_t)o->i : u;
}

/* ---- variables ---- */

lcu_status ptx_variable_address (ptx_decoder *D, ptx_variable *v, uint64_t *address) {
  if (!v->address) LCU_TRY(ptx_variable_place(D->f->module, v));
  *address = v->address;
  return LCU_OK;
}

static uint64_t operand_window (ptx_space space) {
  return space == PTX_SHARED  ? ptx_window_shared
         : space == PTX_LOCAL ? ptx_window_local
         : space == PTX_PARAM ? ptx_window_param
                              : 0;
}

static lcu_status emit_constant (ptx_decoder *D, uint64_t bits, uint32_t bytes, int32_t d) {
  int32_t slot;
  LCU_TRY(ptx_constant_slot(D, bits, bytes, &slot));
  return ptx_emit_dabc(D, bytes == 8 ? PTX_ID_mov_b64 : PTX_ID_mov_b32, d, slot, 0, 0);
}

lcu_status ptx_emit_variable (ptx_decoder *D, const ptx_operand *o, uint32_t bytes, bool generic,
                              int32_t d) {
  ptx_variable *v = o->variable;
  uint64_t at = v->offset + (uint64_t)o->i, base = generic ? operand_window(v->space) : 0;
  switch (v->space) {
    case PTX_LOCAL:
      return ptx_emit_imm(D, bytes == 8 ? PTX_ID_mov_local_b64 : PTX_ID_mov_local_b32, d, 0,
                          (int64_t)(base + at));
    case PTX_SHARED: return emit_constant(D, base + at + PTX_SHARED_RESERVED, bytes, d);
    case PTX_PARAM:
      if (!v->is_formal || !D->f->is_entry)
        return ptx_decode_lack(D, "address of a function parameter");
      return emit_constant(D, base + at, bytes, d);
    default:
      LCU_TRY(ptx_variable_address(D, v, &at));
      return emit_constant(D, at + (uint64_t)o->i, bytes, d);
  }
}

/* ---- special registers ---- */

/* The handler of a special register that differs between lanes, 0 for the others. */
static uint16_t lane_sreg_id (int sreg) {
  switch (sreg) {
    case PTX_SREG_TID_X: return PTX_ID_sreg_tid_x;
    case PTX_SREG_TID_Y: return PTX_ID_sreg_tid_y;
    case PTX_SREG_TID_Z: return PTX_ID_sreg_tid_z;
    case PTX_SREG_LANEID: return PTX_ID_sreg_laneid;
    case PTX_SREG_LANEMASK_EQ: return PTX_ID_sreg_lanemask_eq;
    case PTX_SREG_LANEMASK_LE: return PTX_ID_sreg_lanemask_le;
    case PTX_SREG_LANEMASK_LT: return PTX_ID_sreg_lanemask_lt;
    case PTX_SREG_LANEMASK_GE: return PTX_ID_sreg_lanemask_ge;
    case PTX_SREG_LANEMASK_GT: return PTX_ID_sreg_lanemask_gt;
    default: return 0;
  }
}

/* The offset in ptx_place of a special register, -1 for those that are not there. */
static int64_t place_word (int sreg) {
  switch (sreg) {
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return (int64_t)offsetof(ptx_place, ntid) + (sreg - PTX_SREG_NTID_X) * 4;
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
      return (int64_t)offsetof(ptx_place, ctaid) + (sreg - PTX_SREG_CTAID_X) * 4;
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
      return (int64_t)offsetof(ptx_place, nctaid) + (sreg - PTX_SREG_NCTAID_X) * 4;
    default: return -1;
  }
}

lcu_status ptx_emit_sreg (ptx_decoder *D, int sreg, uint32_t bytes, int32_t d) {
  uint16_t id = lane_sreg_id(sreg);
  int32_t narrow = 0;
  int64_t word = place_word(sreg);
  if (word >= 0)
    return ptx_emit_imm(D, bytes == 8 ? PTX_ID_place_word_b64 : PTX_ID_place_word_b32, d, 0, word);
  if (!id) return ptx_emit_imm(D, bytes == 8 ? PTX_ID_sreg_b64 : PTX_ID_sreg_b32, d, 0, sreg);
  if (bytes == 4) return ptx_emit_dabc(D, id, d, 0, 0, 0);
  LCU_TRY(ptx_temp(D, &narrow));
  LCU_TRY(ptx_emit_dabc(D, id, narrow, 0, 0, 0));
  return ptx_emit_dabc(D, PTX_ID_cvt_u64_u32, d, narrow, 0, 0);
}

/* ---- sources ---- */

static lcu_status into_temp (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  uint32_t bytes = ptx_lane_bytes(t);
  LCU_TRY(ptx_temp(D, slot));
  switch (o->kind) {
    case PTX_O_SREG: return ptx_emit_sreg(D, o->sreg, bytes, *slot);
    case PTX_O_VARIABLE: return ptx_emit_variable(D, o, bytes, false, *slot);
    default: return ptx_decode_fail(D, "this kind of operand");
  }
}

static lcu_status register_source (ptx_decoder *D, const ptx_operand *o, ptx_type t,
                                   int32_t *slot) {
  uint32_t has = ptx_lane_bytes(o->reg->type), wants = ptx_lane_bytes(t);
  *slot = o->reg->slot;
  if (o->name != NULL) return ptx_decode_fail(D, "selection of a part");
  if (o->reg->slot < 0) return lcu_fail(LCU_E_STATE, "PTX register %s has no slot", o->reg->name);
  if ((o->reg->type == PTX_PRED) != (t == PTX_PRED))
    return ptx_decode_fail(D, "predicate and value mixed up");
  if (has == 8 && wants == 4) {
    LCU_TRY(ptx_temp(D, slot));
    return ptx_emit_dabc(D, PTX_ID_cvt_u32_u64, *slot, o->reg->slot, 0, 0);
  }
  if (has > wants) return ptx_decode_fail(D, "register wider than the operation");
  return has == wants ? LCU_OK : ptx_decode_fail(D, "register narrower than the operation");
}

static lcu_status negated (ptx_decoder *D, ptx_type t, int32_t *slot) {
  int32_t plain = *slot;
  if (t != PTX_PRED) return ptx_decode_fail(D, "negated operand");
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_not_pred, *slot, plain, 0, 0);
}

lcu_status ptx_source (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  if (t == PTX_NOTYPE) return ptx_decode_fail(D, "no type");
  if (t == PTX_B128 && o->kind != PTX_O_REG)
    return ptx_decode_lack(D, "a value of 128 bits must be in a register");
  switch (o->kind) {
    case PTX_O_REG: LCU_TRY(register_source(D, o, t, slot)); break;
    case PTX_O_INT:
      if (ptx_type_is_float(t)) return ptx_decode_fail(D, "an integer where a float is needed");
      return ptx_constant_slot(D, int_bits(o->i, t), ptx_lane_bytes(t), slot);
    case PTX_O_FLOAT: return ptx_constant_slot(D, float_bits(o, t), ptx_lane_bytes(t), slot);
    case PTX_O_FUNCTION:
      return ptx_constant_slot(D, (uint64_t)(uintptr_t)o->function, ptx_lane_bytes(t), slot);
    default: LCU_TRY(into_temp(D, o, t, slot)); break;
  }
  return o->negate ? negated(D, t, slot) : LCU_OK;
}

lcu_status ptx_dest (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  if (o->kind == PTX_O_SINK) return ptx_temp_for(D, t, slot);
  if (o->kind != PTX_O_REG) return ptx_decode_fail(D, "the result is not a register");
  if (o->name != NULL) return ptx_decode_fail(D, "selection of a part");
  *slot = o->reg->slot;
  if ((o->reg->type == PTX_PRED) != (t == PTX_PRED))
    return ptx_decode_fail(D, "predicate and value mixed up");
  if (ptx_lane_bytes(o->reg->type) != ptx_lane_bytes(t))
    return ptx_decode_fail(D, "register and operation differ in width");
  return o->reg->slot < 0 ? ptx_temp_for(D, t, slot) : LCU_OK; /* never read */
}

/* ---- registers of the operation's own type ---- */

static bool is_bits (ptx_type t) { return t >= PTX_B8 && t <= PTX_B128; }

static lcu_status check_register (const ptx_decoder *D, const ptx_operand *o, ptx_type t) {
  bool is_integer = !is_bits(t) && !ptx_type_is_float(t);
  if (o->kind == PTX_O_FLOAT && is_integer) return ptx_decode_fail(D, "integer and float mixed up");
  if (o->kind != PTX_O_REG) return LCU_OK;
  ptx_type has = o->reg->type;
  if ((has == PTX_PRED) != (t == PTX_PRED))
    return ptx_decode_fail(D, "predicate and value mixed up");
  if (ptx_type_bytes(has) != ptx_type_bytes(t))
    return ptx_decode_fail(D, "register and operation differ in width");
  if (!is_bits(has) && !is_bits(t) && ptx_type_is_float(has) != ptx_type_is_float(t))
    return ptx_decode_fail(D, "integer and float mixed up");
  return LCU_OK;
}

lcu_status ptx_source_exact (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  LCU_TRY(check_register(D, o, t));
  return ptx_source(D, o, t, slot);
}

lcu_status ptx_dest_exact (ptx_decoder *D, const ptx_operand *o, ptx_type t, int32_t *slot) {
  LCU_TRY(check_register(D, o, t));
  return ptx_dest(D, o, t, slot);
}
