/* ptx_shape_inst.c: the claim about an instruction's result, from those about its operands. */
#include "ptx_shape_inst.h"

#include <string.h>

#include "ptx_match.h"
#include "ptx_operands.h"
#include "ptx_shape_value.h"
#include "ptx_sreg.h"

/* ---- operands ---- */

static uint64_t lane_constant (int sreg, uint32_t l) {
  uint32_t bit = 1u << l;
  switch (sreg) {
    case PTX_SREG_TID_X: return l % 16;
    case PTX_SREG_LANEID: return l;
    case PTX_SREG_LANEMASK_EQ: return bit;
    case PTX_SREG_LANEMASK_LT: return bit - 1;
    case PTX_SREG_LANEMASK_LE: return bit | (bit - 1);
    case PTX_SREG_LANEMASK_GT: return ~(bit | (bit - 1));
    default: return ~(bit - 1); /* LANEMASK_GE */
  }
}

static ptx_value of_lanes (lcu_arena *arena, int sreg) {
  uint64_t lanes[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) lanes[l] = lane_constant(sreg, l);
  return ptx_value_make(arena, ptx_value_constant(0), lanes, 32);
}

static ptx_value thread_index (lcu_arena *arena, int sreg, ptx_block_class blocks) {
  if (blocks == PTX_BLOCKS_ANY) return ptx_value_unknown();
  if (blocks == PTX_BLOCKS_ROWS16) {
    if (sreg == PTX_SREG_TID_X) return of_lanes(arena, sreg);
    return (ptx_value){ .base = PTX_BASE_ROW };
  }
  if (sreg != PTX_SREG_TID_X) return ptx_value_of_warp(0);
  uint64_t lanes[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) lanes[l] = l;
  return ptx_value_make(arena, ptx_value_of_warp(5), lanes, 32);
}

static ptx_value special (lcu_arena *arena, int sreg, ptx_block_class blocks) {
  switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z: return thread_index(arena, sreg, blocks);
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_GE:
    case PTX_SREG_LANEMASK_GT: return of_lanes(arena, sreg);
    case PTX_SREG_NTID_X:
      if (blocks == PTX_BLOCKS_ROWS16) return ptx_value_constant(16);
      return ptx_value_of_warp(blocks == PTX_BLOCKS_WARPS ? 5 : 0);
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z:
    case PTX_SREG_CLUSTERID_X:
    case PTX_SREG_CLUSTERID_Y:
    case PTX_SREG_CLUSTERID_Z:
    case PTX_SREG_CLUSTER_CTARANK:
    case PTX_SREG_CLUSTER_NCTARANK:
    case PTX_SREG_WARPID:
    case PTX_SREG_NWARPID:
    case PTX_SREG_GRIDID:
    case PTX_SREG_TOTAL_SMEM_SIZE:
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return ptx_value_of_warp(0);
    default: return ptx_value_unknown(); /* clocks, and what is not worth a row */
  }
}

static ptx_value operand (const ptx_claims *s, const ptx_operand *o, ptx_block_class blocks,
                          lcu_arena *arena) {
  switch (o->kind) {
    case PTX_O_REG:
      return o->negate || o->name != NULL ? ptx_value_pure(arena, &s->values[o->reg->id], 1)
                                          : s->values[o->reg->id];
    case PTX_O_INT: return ptx_value_constant((uint64_t)o->i);
    case PTX_O_FLOAT:
    case PTX_O_FUNCTION:
    case PTX_O_VARIABLE: return ptx_value_of_warp(0);
    case PTX_O_SREG: return special(arena, o->sreg, blocks);
    default: return ptx_value_unknown();
  }
}

static ptx_value address_value (const ptx_claims *s, const ptx_operand *o, lcu_arena *arena) {
  if (o->kind != PTX_O_ADDRESS || o->num_items != 0) return ptx_value_unknown();
  if (o->reg == NULL) return ptx_value_of_warp(0);
  uint32_t bits = ptx_value_bits(o->reg->type);
  ptx_value offset = ptx_value_constant((uint64_t)o->i & (bits == 64 ? UINT64_MAX : UINT32_MAX));
  return ptx_value_compute(arena, PTX_VALUE_ADD, s->values[o->reg->id], offset, bits);
}

/* ---- results ---- */

typedef struct inputs {
  const ptx_claims *s;
  ptx_block_class blocks;
  lcu_arena *arena;
  ptx_value all;
} inputs;

static void add_input (inputs *in, const ptx_operand *o) {
  if (o->kind == PTX_O_VECTOR) {
    for (uint32_t k = 0; k < o->num_items; k++) add_input(in, &o->items[k]);
    return;
  }
  ptx_value v = o->kind == PTX_O_ADDRESS ? address_value(in->s, o, in->arena)
                                         : operand(in->s, o, in->blocks, in->arena);
  if (in->all.base != PTX_BASE_NONE)
    in->all = ptx_value_pure(in->arena, (ptx_value[2]){ in->all, v }, 2);
}

/* A function of the operands that are read. */
static ptx_value pure (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                       lcu_arena *arena) {
  inputs in = { s, blocks, arena, ptx_value_of_warp(0) };
  for (int k = 0; k < inst->num_operands; k++)
    if ((ptx_operand_role(inst, k) & PTX_READ) != 0) add_input(&in, &inst->operands[k]);
  return in.all;
}

typedef struct op_row {
  const char *opcode;
  ptx_value_op op;
} op_row;

static const op_row op_rows[] = { { "add", PTX_VALUE_ADD }, { "sub", PTX_VALUE_SUB },
                                  { "mul", PTX_VALUE_MUL }, { "and", PTX_VALUE_AND },
                                  { "or", PTX_VALUE_OR },   { "xor", PTX_VALUE_XOR },
                                  { "shl", PTX_VALUE_SHL }, { "shr", PTX_VALUE_SHR_U } };

static const op_row *find_op (const char *opcode) {
  for (size_t k = 0; k < lcu_arraylen(op_rows); k++)
    if (strcmp(op_rows[k].opcode, opcode) == 0) return &op_rows[k];
  return NULL;
}

/* Integers of 32 and 64 bits that wrap around. */
static bool is_plain_product (const ptx_match *m) {
  bool width = m->type == PTX_B32 || m->type == PTX_U32 || m->type == PTX_S32 ||
               m->type == PTX_B64 || m->type == PTX_U64 || m->type == PTX_S64;
  return width && (m->mods & (PTX_M_SAT | PTX_M_CC)) == 0 && m->mul_part != PTX_PART_HI;
}

/* a * b, widened first if the instruction says so. */
static ptx_value product_value (lcu_arena *arena, const ptx_match *m, ptx_value a, ptx_value b,
                                uint32_t bits) {
  if (m->mul_part != PTX_PART_WIDE) return ptx_value_compute(arena, PTX_VALUE_MUL, a, b, bits);
  a = ptx_value_widen(arena, a, ptx_type_is_signed(m->type));
  b = ptx_value_widen(arena, b, ptx_type_is_signed(m->type));
  return ptx_value_compute(arena, PTX_VALUE_MUL, a, b, 64);
}

static ptx_value arithmetic (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                             lcu_arena *arena) {
  const ptx_match *m = &inst->match;
  const char *opcode = m->op->opcode;
  uint32_t bits = ptx_value_bits(m->type);
  const op_row *row = find_op(opcode);
  bool mad = strcmp(opcode, "mad") == 0;
  if ((row == NULL && !mad) || !is_plain_product(m) || (m->mul_part == PTX_PART_WIDE && bits == 64))
    return pure(s, inst, blocks, arena);
  ptx_value a = operand(s, &inst->operands[1], blocks, arena),
            b = operand(s, &inst->operands[2], blocks, arena);
  if (mad) {
    ptx_value c = operand(s, &inst->operands[3], blocks, arena);
    if (m->mul_part == PTX_PART_WIDE) bits = 64;
    ptx_value ab = product_value(arena, m, a, b, bits);
    return ptx_value_compute(arena, PTX_VALUE_ADD, ab, c, bits);
  }
  if (row->op == PTX_VALUE_MUL) return product_value(arena, m, a, b, bits);
  bool right = row->op == PTX_VALUE_SHR_U && ptx_type_is_signed(m->type);
  return ptx_value_compute(arena, right ? PTX_VALUE_SHR_S : row->op, a, b, bits);
}

static bool is_integer (ptx_type t) {
  return t == PTX_B32 || t == PTX_U32 || t == PTX_S32 || t == PTX_B64 || t == PTX_U64 ||
         t == PTX_S64;
}

static ptx_value conversion (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                             lcu_arena *arena) {
  const ptx_match *m = &inst->match;
  const ptx_operand *from = &inst->operands[1], *to = &inst->operands[0];
  bool plain = inst->num_operands == 2 && is_integer(m->type) && is_integer(m->type2) &&
               (m->mods & PTX_M_SAT) == 0 && from->kind == PTX_O_REG && to->kind == PTX_O_REG;
  uint32_t a = ptx_value_bits(m->type2), d = ptx_value_bits(m->type);
  if (!plain || ptx_value_bits(from->reg->type) != a || ptx_value_bits(to->reg->type) != d)
    return pure(s, inst, blocks, arena);
  ptx_value v = operand(s, from, blocks, arena);
  if (a == d) return v;
  return a < d ? ptx_value_widen(arena, v, ptx_type_is_signed(m->type2))
               : ptx_value_narrow(arena, v);
}

static ptx_value move (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                       lcu_arena *arena) {
  const ptx_operand *from = &inst->operands[1], *to = &inst->operands[0];
  bool plain = to->kind == PTX_O_REG && is_integer(inst->match.type) &&
               ptx_value_bits(to->reg->type) == ptx_value_bits(inst->match.type);
  if (from->kind == PTX_O_REG)
    plain = plain && ptx_value_bits(from->reg->type) == ptx_value_bits(to->reg->type);
  if (from->kind == PTX_O_SREG) plain = plain && ptx_value_bits(inst->match.type) == 32;
  return plain ? operand(s, from, blocks, arena) : pure(s, inst, blocks, arena);
}

/* The difference between generic addresses and those of a space is one number. */
static ptx_value other_space (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                              lcu_arena *arena) {
  const ptx_operand *from = &inst->operands[1];
  if (from->kind != PTX_O_REG || ptx_value_bits(from->reg->type) != 64 ||
      inst->operands[0].kind != PTX_O_REG || ptx_value_bits(inst->operands[0].reg->type) != 64)
    return pure(s, inst, blocks, arena);
  return ptx_value_compute(arena, PTX_VALUE_ADD, operand(s, from, blocks, arena),
                           ptx_value_of_warp(12), 64);
}

static bool takes_parameter (const ptx_claims *s, const ptx_operand *o) {
  return s->function->is_entry && (o->variable == NULL || o->variable->is_formal);
}

/* Lanes that load from one address get one value. Local memory and the parameters of functions have
 * a copy per lane. */
static ptx_value load_value (const ptx_claims *s, const ptx_inst *inst, lcu_arena *arena) {
  const ptx_operand *at = &inst->operands[1];
  uint8_t space = inst->match.space;
  if (at->variable != NULL && space == PTX_GENERIC) space = (uint8_t)at->variable->space;
  bool one = space == PTX_GLOBAL || space == PTX_CONST || space == PTX_SHARED ||
             (space == PTX_PARAM && takes_parameter(s, at));
  if (!one || (inst->match.mods & PTX_M_VOLATILE) != 0) return ptx_value_unknown();
  ptx_value v = address_value(s, at, arena);
  return ptx_value_pure(arena, &v, 1);
}

static ptx_value select (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                         lcu_arena *arena) {
  ptx_value a = operand(s, &inst->operands[1], blocks, arena),
            b = operand(s, &inst->operands[2], blocks, arena),
            p = operand(s, &inst->operands[3], blocks, arena);
  uint32_t bits = ptx_value_bits(inst->match.type);
  if (a.base == PTX_BASE_NONE || b.base == PTX_BASE_NONE || !ptx_value_uniform(&p) ||
      !is_integer(inst->match.type))
    return pure(s, inst, blocks, arena);
  ptx_value v = ptx_value_join(arena, a, b, bits);
  return v.base == PTX_BASE_LANE ? pure(s, inst, blocks, arena) : v;
}

/* addc and the like read the carry, which is kept per lane. */
static bool reads_carry (const ptx_inst *inst) {
  const char *opcode = inst->match.op->opcode;
  return strcmp(opcode, "addc") == 0 || strcmp(opcode, "subc") == 0 || strcmp(opcode, "madc") == 0;
}

ptx_value ptx_shape_result (const ptx_claims *s, const ptx_inst *inst, ptx_block_class blocks,
                            lcu_arena *arena) {
  switch (inst->match.op->decode) {
    case PTX_DEC_alu:
      return reads_carry(inst) ? ptx_value_unknown() : arithmetic(s, inst, blocks, arena);
    case PTX_DEC_cvt: return conversion(s, inst, blocks, arena);
    case PTX_DEC_mov: return move(s, inst, blocks, arena);
    case PTX_DEC_cvta: return other_space(s, inst, blocks, arena);
    case PTX_DEC_ld: return load_value(s, inst, arena);
    case PTX_DEC_selp: return select(s, inst, blocks, arena);
    case PTX_DEC_setp:
    case PTX_DEC_set:
    case PTX_DEC_lop3:
    case PTX_DEC_isspacep:
    case PTX_DEC_simd: return pure(s, inst, blocks, arena);
    default: return ptx_value_unknown();
  }
}

ptx_value ptx_shape_operand (const ptx_claims *s, const ptx_operand *o, ptx_block_class blocks,
                             lcu_arena *arena) {
  return operand(s, o, blocks, arena);
}

ptx_value ptx_shape_address (const ptx_claims *s, const ptx_operand *o, lcu_arena *arena) {
  return address_value(s, o, arena);
}

/* ---- roots ---- */

ptx_root ptx_root_join (ptx_root a, ptx_root b) {
  if (a.kind == PTX_ROOT_NONE) return b;
  if (b.kind == PTX_ROOT_NONE) return a;
  bool same = a.kind == b.kind && a.param == b.param && a.variable == b.variable;
  return same ? a : (ptx_root){ .kind = PTX_ROOT_MANY };
}

static ptx_root operand_root (const ptx_claims *s, const ptx_operand *o) {
  if (o->kind == PTX_O_REG) return s->roots[o->reg->id];
  if (o->kind == PTX_O_VARIABLE)
    return (ptx_root){ .kind = PTX_ROOT_VARIABLE, .variable = o->variable };
  return (ptx_root){ 0 };
}

static ptx_root parameter_root (const ptx_claims *s, const ptx_inst *inst) {
  const ptx_operand *at = &inst->operands[1];
  bool direct = inst->match.space == PTX_PARAM && s->function->is_entry && at->variable != NULL &&
                at->variable->is_formal && at->reg == NULL && inst->operands[0].kind == PTX_O_REG;
  if (!direct) return (ptx_root){ .kind = PTX_ROOT_MANY };
  return (ptx_root){ .kind = PTX_ROOT_PARAM,
                     .param = (uint32_t)(at->variable->offset + (uint64_t)at->i) };
}

/* Numbers that are loaded count as addresses: an index from one parameter and an address from
 * another make an address with many roots, unless the index is converted or multiplied first. */
static bool passes_root (const ptx_inst *inst) {
  static const char *const opcodes[] = { "add", "sub", "mov", "cvta", "selp", "and", "or" };
  for (size_t k = 0; k < lcu_arraylen(opcodes); k++)
    if (strcmp(inst->match.op->opcode, opcodes[k]) == 0) return true;
  return false;
}

ptx_root ptx_shape_result_root (const ptx_claims *s, const ptx_inst *inst) {
  ptx_root all = { 0 };
  if (inst->match.op->decode == PTX_DEC_ld) return parameter_root(s, inst);
  if (strcmp(inst->match.op->opcode, "mad") == 0) return operand_root(s, &inst->operands[3]);
  if (!passes_root(inst)) return all;
  for (int k = 1; k < inst->num_operands; k++)
    all = ptx_root_join(all, operand_root(s, &inst->operands[k]));
  return all;
}
