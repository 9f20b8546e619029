/* ptx_decode_bulk.c: bulk copies and reductions (9.7.9.25.4), asynchronous stores (9.7.9.12,
 * 9.7.13.8) and filling (9.7.9.13): operands for ptx_bulk.h. */
#include <string.h>

#include "ptx_atomic.h"
#include "ptx_bulk.h"
#include "ptx_decode.h"

static lcu_status address_into (ptx_decoder *D, int operand, uint8_t space, int which,
                                struct ptx_uop_extra *e) {
  ptx_address x;
  LCU_TRY(ptx_wide_address_of(D, &D->inst->operands[operand], space, &x));
  e->slots[which] = x.slot;
  e->imm[which] = x.imm;
  return LCU_OK;
}

/* Completes what the caller filled in. */
static lcu_status emit_bulk (ptx_decoder *D, uint16_t id, const struct ptx_uop_extra *given,
                             uint8_t space, uint32_t num) {
  ptx_uop *I = ptx_emit(D, id);
  struct ptx_uop_extra *e = ptx_emit_extra(D, I);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  memcpy(e->slots, given->slots, sizeof e->slots);
  memcpy(e->imm, given->imm, sizeof e->imm);
  e->num = num;
  I->d = I->a = I->b = I->c = -1;
  I->space = space;
  return LCU_OK;
}

static void no_slots (struct ptx_uop_extra *e) {
  memset(e, 0, sizeof *e);
  for (size_t i = 0; i < lcu_arraylen(e->slots); i++) e->slots[i] = -1;
}

lcu_status ptx_emit_bulk_pair (ptx_decoder *D, uint16_t id, int to, int bar) {
  struct ptx_uop_extra e;
  no_slots(&e);
  LCU_TRY(address_into(D, to, D->inst->match.space, BULK_TO, &e));
  LCU_TRY(address_into(D, bar, D->inst->match.space, BULK_BAR, &e));
  return emit_bulk(D, id, &e, D->inst->match.space, BULK_VALUES);
}

static int64_t change_of (const ptx_match *m) { return m->mode | (int64_t)m->type << 8; }

/* ---- copies ---- */

/* Whether destination, source and completion exist together; *from: the source's space. */
static bool direction (const ptx_match *m, uint8_t *from) {
  bool shared = m->space == PTX_SHARED || m->space == PTX_CLUSTER;
  uint32_t way = m->mods & (PTX_M_FROM_GLOBAL | PTX_M_FROM_SHARED | PTX_M_COMPLETE_TX |
                            PTX_M_BULK_GROUP | PTX_M_MULTICAST);
  *from = way & PTX_M_FROM_GLOBAL ? PTX_GLOBAL : PTX_SHARED;
  switch (way & ~(uint32_t)PTX_M_MULTICAST) {
    case PTX_M_FROM_GLOBAL | PTX_M_COMPLETE_TX:
      return shared && (m->space == PTX_CLUSTER || !(way & PTX_M_MULTICAST));
    case PTX_M_FROM_SHARED | PTX_M_COMPLETE_TX:
      return m->space == PTX_CLUSTER && !(way & PTX_M_MULTICAST);
    case PTX_M_FROM_SHARED | PTX_M_BULK_GROUP:
      return m->space == PTX_GLOBAL && !(way & PTX_M_MULTICAST);
    default: return false;
  }
}

static bool is_reduction (const ptx_match *m) { return m->op->opcode[3] == 'r'; }

static bool reduction_known (const ptx_match *m, uint8_t from) {
  bool half = m->type == PTX_F16 || m->type == PTX_BF16;
  bool extreme = m->mode == PTX_MODE_min || m->mode == PTX_MODE_max;
  if (m->num_types != 1 || m->mode == PTX_MODE_exch || m->mode == PTX_MODE_cas) return false;
  if (from != PTX_SHARED || (m->space != PTX_GLOBAL && ptx_type_is_float(m->type))) return false;
  return (half && extreme) || ptx_atomic_known((ptx_mode)m->mode, m->type, true);
}

lcu_status ptx_decode_cp_bulk (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  bool waits = (m->mods & PTX_M_COMPLETE_TX) != 0, many = (m->mods & PTX_M_MULTICAST) != 0;
  bool hint = (m->mods & PTX_M_CACHE_HINT) != 0, some = m->query == PTX_QUERY_cp_mask;
  int need = 3 + waits + many + hint + some;
  struct ptx_uop_extra e;
  uint8_t from;
  no_slots(&e);
  if (!direction(m, &from)) return ptx_decode_fail(D, "this direction");
  if (inst->num_operands != need) return ptx_decode_fail(D, "operands do not fit");
  if (is_reduction(m) ? !reduction_known(m, from) : m->num_types != 0)
    return ptx_decode_fail(D, "this operation of this type");
  if (m->query != PTX_QUERY_none && !(some && m->space == PTX_GLOBAL))
    return ptx_decode_fail(D, "this form");
  LCU_TRY(address_into(D, 0, m->space, BULK_TO, &e));
  LCU_TRY(address_into(D, 1, from, BULK_FROM, &e));
  LCU_TRY(ptx_source(D, &inst->operands[2], PTX_U32, &e.slots[BULK_SIZE]));
  if (waits) LCU_TRY(address_into(D, 3, m->space, BULK_BAR, &e));
  if (many) LCU_TRY(ptx_source(D, &inst->operands[4], PTX_U16, &e.slots[BULK_MASK]));
  if (some) LCU_TRY(ptx_source(D, &inst->operands[3 + hint], PTX_U16, &e.slots[BULK_BYTES]));
  if (is_reduction(m)) e.imm[BULK_CHANGE] = change_of(m);
  LCU_TRY(emit_bulk(D, PTX_ID_cp_bulk, &e, m->space, BULK_VALUES));
  ptx_uop *I = &D->uops[D->num - 1];
  I->imm = from;
  return LCU_OK;
}

/* ---- boxes of tensors ---- */

/* N of the part ".Nd"; 0: there is none. */
static uint32_t dimensions (const ptx_inst *inst) {
  for (uint32_t k = 1; k < inst->num_parts; k++) {
    const char *p = inst->parts[k];
    if (p[0] >= '1' && p[0] <= '5' && p[1] == 'd' && p[2] == '\0') return (uint32_t)(p[0] - '0');
  }
  return 0;
}

static bool takes_rows (const ptx_match *m) {
  return m->query == PTX_QUERY_gather4 || m->query == PTX_QUERY_scatter4;
}

/* [map, {coordinates}] */
static lcu_status tensor_into (ptx_decoder *D, int operand, uint32_t dims,
                               struct ptx_uop_extra *e) {
  const ptx_operand *o = &D->inst->operands[operand];
  uint32_t num = takes_rows(&D->inst->match) ? 1 + BULK_ROWS : dims;
  if (dims == 0 || o->num_items != num)
    return ptx_decode_fail(D, "coordinates and dimensions do not fit");
  LCU_TRY(address_into(D, operand, PTX_GENERIC, BULK_FROM, e));
  for (uint32_t k = 0; k < num; k++)
    LCU_TRY(ptx_source(D, &o->items[k], PTX_S32, &e->slots[BULK_VALUES + k]));
  return LCU_OK;
}

/* {offsets} of im2col, one per spatial dimension. */
static lcu_status offsets_into (ptx_decoder *D, int operand, uint32_t num,
                                struct ptx_uop_extra *e) {
  const ptx_operand *o = &D->inst->operands[operand];
  if (o->num_items != num) return ptx_decode_fail(D, "offsets and dimensions do not fit");
  for (uint32_t k = 0; k < num; k++)
    LCU_TRY(ptx_source_exact(D, &o->items[k], PTX_U16, &e->slots[BULK_OFFSETS + k]));
  return LCU_OK;
}

/* Offsets of im2col go with loads, and there are at least three dimensions. */
static bool map_mode_known (const ptx_match *m, bool load, uint32_t dims) {
  if (m->query == PTX_QUERY_none) return true;
  if (takes_rows(m)) return load == (m->query == PTX_QUERY_gather4) && dims == 2;
  return m->query == (load ? PTX_QUERY_im2col : PTX_QUERY_im2col_no_offs) && dims >= 3;
}

static bool tensor_mode_known (const ptx_match *m) {
  if (!is_reduction(m)) return m->mode == PTX_MODE_none;
  return m->space == PTX_GLOBAL && m->mode != PTX_MODE_none && m->mode <= PTX_MODE_xor &&
         m->mode != PTX_MODE_exch && m->mode != PTX_MODE_cas;
}

lcu_status ptx_decode_cp_tensor (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  bool load = m->space != PTX_GLOBAL, many = (m->mods & PTX_M_MULTICAST) != 0;
  bool columns = m->query != PTX_QUERY_none && !takes_rows(m), offsets = columns && load;
  int need = 2 + load + offsets + many + ((m->mods & PTX_M_CACHE_HINT) != 0);
  uint32_t dims = dimensions(inst);
  struct ptx_uop_extra e;
  uint8_t from;
  no_slots(&e);
  if (!direction(m, &from) || (load && from != PTX_GLOBAL))
    return ptx_decode_fail(D, "this direction");
  if (!tensor_mode_known(m) || m->num_types != 0 || !map_mode_known(m, load, dims))
    return ptx_decode_fail(D, "this operation");
  if (inst->num_operands != need) return ptx_decode_fail(D, "operands do not fit");
  LCU_TRY(tensor_into(D, load ? 1 : 0, dims, &e));
  LCU_TRY(address_into(D, load ? 0 : 1, load ? m->space : PTX_SHARED, BULK_TO, &e));
  if (load) LCU_TRY(address_into(D, 2, m->space, BULK_BAR, &e));
  if (offsets) LCU_TRY(offsets_into(D, 3, dims - 2, &e));
  if (many) LCU_TRY(ptx_source(D, &inst->operands[3 + offsets], PTX_U16, &e.slots[BULK_MASK]));
  e.imm[BULK_CHANGE] = m->mode;
  LCU_TRY(emit_bulk(D, PTX_ID_cp_tensor, &e, m->space, BULK_VALUES + dims));
  D->uops[D->num - 1].imm = columns ? BULK_IM2COL : takes_rows(m) ? BULK_FOUR_ROWS : BULK_TILE;
  return LCU_OK;
}

/* ---- filling ---- */

lcu_status ptx_decode_st_bulk (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *value = &inst->operands[2];
  struct ptx_uop_extra e;
  int32_t size;
  no_slots(&e);
  if (inst->match.space != PTX_SHARED && inst->match.space != PTX_GENERIC)
    return ptx_decode_fail(D, "shared memory only");
  if (value->kind != PTX_O_INT || value->i != 0) return ptx_decode_fail(D, "the value is 0");
  LCU_TRY(address_into(D, 0, inst->match.space, BULK_TO, &e));
  LCU_TRY(ptx_source(D, &inst->operands[1], PTX_U64, &size));
  LCU_TRY(ptx_temp(D, &e.slots[BULK_SIZE]));
  LCU_TRY(ptx_emit_imm(D, PTX_ID_unpack_b64_b32, e.slots[BULK_SIZE], size, 0));
  return emit_bulk(D, PTX_ID_st_bulk, &e, inst->match.space, BULK_VALUES);
}

/* ---- values ---- */

static bool value_known (const ptx_match *m) {
  bool red = m->op->opcode[0] == 'r';
  if (m->space != PTX_CLUSTER || !(m->mods & PTX_M_COMPLETE_TX) || m->num_types != 1) return false;
  if (red)
    return m->mode != PTX_MODE_none && !ptx_type_is_float(m->type) &&
           ptx_atomic_known((ptx_mode)m->mode, m->type, true);
  return ptx_type_bytes(m->type) == 4 || ptx_type_bytes(m->type) == 8;
}

lcu_status ptx_decode_st_async (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  const ptx_match *m = &inst->match;
  const ptx_operand *v = &inst->operands[1];
  uint32_t num = v->kind == PTX_O_VECTOR ? v->num_items : 1;
  struct ptx_uop_extra e;
  no_slots(&e);
  if (!value_known(m)) return ptx_decode_fail(D, "this form");
  if (num != m->vector || num > 4 || num * ptx_type_bytes(m->type) > 16)
    return ptx_decode_fail(D, "vector and operand do not fit");
  LCU_TRY(address_into(D, 0, m->space, BULK_TO, &e));
  LCU_TRY(address_into(D, 2, m->space, BULK_BAR, &e));
  for (uint32_t k = 0; k < num; k++)
    LCU_TRY(ptx_source(D, v->kind == PTX_O_VECTOR ? &v->items[k] : v, m->type,
                       &e.slots[BULK_VALUES + k]));
  if (m->mode != PTX_MODE_none) e.imm[BULK_CHANGE] = change_of(m);
  LCU_TRY(emit_bulk(D, PTX_ID_st_async, &e, m->space, BULK_VALUES + num));
  ptx_uop *I = &D->uops[D->num - 1];
  I->a = e.slots[BULK_TO];
  I->imm = e.imm[BULK_TO];
  I->size = (uint8_t)ptx_type_bytes(m->type);
  I->vector = (uint8_t)num;
  return LCU_OK;
}
