/* ptx_decode_tensormap.c: tensormap.replace (9.7.9.26) becomes stores into the fields of a
 * ptx_tensormap, tensormap.cp_fenceproxy (9.7.13.16) a copy. */
#include <stddef.h>

#include "ptx_decode.h"
#include "ptx_tensormap.h"

#define AT(field) ((uint32_t)offsetof(ptx_tensormap, field))
#define SIZE(field) ((uint32_t)sizeof(((ptx_tensormap *)0)->field))

static lcu_status store (ptx_decoder *D, const ptx_address *map, uint32_t offset, uint32_t size,
                         int32_t slot) {
  ptx_address at = *map;
  at.imm += offset;
  return ptx_emit_move(D, "st", &at, size, slot);
}

static lcu_status store_constant (ptx_decoder *D, const ptx_address *map, uint32_t offset,
                                  uint32_t size, uint64_t value) {
  int32_t slot;
  LCU_TRY(ptx_constant_slot(D, value, 4, &slot));
  return store(D, map, offset, size, slot);
}

/* ---- fields whose value is an operand ---- */

typedef struct field {
  uint8_t query, type;
  bool ordered; /* one per dimension */
  uint32_t offset, size;
  int32_t more; /* what is added to the value */
} field;

static const field *field_of (uint8_t query) {
  static const field fields[] = {
    { PTX_QUERY_global_address, PTX_B64, false, AT(address), SIZE(address), 0 },
    { PTX_QUERY_rank, PTX_B32, false, AT(rank), SIZE(rank), 1 },
    { PTX_QUERY_box_dim, PTX_B32, true, AT(box), SIZE(box[0]), 0 },
    { PTX_QUERY_global_dim, PTX_B32, true, AT(last), SIZE(last[0]), -1 },
    { PTX_QUERY_global_stride, PTX_B64, true, AT(stride[1]), SIZE(stride[0]), 0 },
    { PTX_QUERY_element_stride, PTX_B32, true, AT(step), SIZE(step[0]), 0 },
  };
  for (size_t i = 0; i < lcu_arraylen(fields); i++)
    if (fields[i].query == query) return &fields[i];
  return NULL;
}

static lcu_status field_value (ptx_decoder *D, const field *f, const ptx_operand *o,
                               int32_t *slot) {
  int32_t given, more;
  LCU_TRY(ptx_source_exact(D, o, (ptx_type)f->type, slot));
  if (f->more == 0) return LCU_OK;
  given = *slot;
  LCU_TRY(ptx_constant_slot(D, (uint32_t)f->more, 4, &more));
  LCU_TRY(ptx_temp(D, slot));
  return ptx_emit_dabc(D, PTX_ID_add_b32, *slot, given, more, 0);
}

/* The first dimension has no steps here, and the last one no stride. */
static bool has_place (const field *f, int64_t dimension) {
  if (f->query == PTX_QUERY_element_stride) return dimension > 0;
  return f->query != PTX_QUERY_global_stride || dimension < PTX_TENSORMAP_RANK - 1;
}

static lcu_status replace_field (ptx_decoder *D, const field *f, const ptx_address *map) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *ordinal = &inst->operands[1];
  int64_t dimension = f->ordered ? ordinal->i : 0;
  int32_t slot;
  if (inst->num_operands != 2 + f->ordered) return ptx_decode_fail(D, "operands do not fit");
  if (f->ordered &&
      (ordinal->kind != PTX_O_INT || dimension < 0 || dimension >= PTX_TENSORMAP_RANK))
    return ptx_decode_fail(D, "the number of the dimension");
  LCU_TRY(field_value(D, f, &inst->operands[1 + f->ordered], &slot));
  if (!has_place(f, dimension)) return LCU_OK;
  return store(D, map, f->offset + (uint32_t)dimension * f->size, f->size, slot);
}

/* ---- fields whose value is known ---- */

/* The instruction numbers types in another way than cuTensorMapEncodeTiled. */
static lcu_status replace_type (ptx_decoder *D, const ptx_address *map, int64_t value) {
  static const struct {
    int8_t type;
    uint8_t bytes;
  } types[] = { { PTX_TENSORMAP_U8, 1 },  { PTX_TENSORMAP_U16, 2 }, { PTX_TENSORMAP_U32, 4 },
                { PTX_TENSORMAP_S32, 4 }, { PTX_TENSORMAP_U64, 8 }, { PTX_TENSORMAP_S64, 8 },
                { PTX_TENSORMAP_F16, 2 }, { PTX_TENSORMAP_F32, 4 }, { -1, 0 },
                { PTX_TENSORMAP_F64, 8 }, { PTX_TENSORMAP_BF16, 2 } };
  if (value < 0 || value >= (int64_t)lcu_arraylen(types) || types[value].type < 0)
    return ptx_decode_fail(D, "elements of this type");
  LCU_TRY(store_constant(D, map, AT(type), SIZE(type), (uint64_t)types[value].type));
  return store_constant(D, map, AT(element_bytes), SIZE(element_bytes), types[value].bytes);
}

static lcu_status replace_known (ptx_decoder *D, const ptx_address *map) {
  const ptx_operand *o = &D->inst->operands[1];
  if (D->inst->num_operands != 2 || o->kind != PTX_O_INT || D->inst->match.types[1] != PTX_B32)
    return ptx_decode_fail(D, "the value must be a constant");
  switch (D->inst->match.query) {
    case PTX_QUERY_elemtype: return replace_type(D, map, o->i);
    case PTX_QUERY_interleave_layout:
      return o->i == 0 ? LCU_OK : ptx_decode_fail(D, "interleaved layouts");
    case PTX_QUERY_swizzle_mode:
      if (o->i < 0 || o->i > 3) return ptx_decode_fail(D, "this swizzle");
      return store_constant(D, map, AT(swizzle_bits), SIZE(swizzle_bits), (uint64_t)o->i);
    case PTX_QUERY_fill_mode:
      if (o->i < 0 || o->i > 1) return ptx_decode_fail(D, "this filling");
      return store_constant(D, map, AT(fill_nan), SIZE(fill_nan), (uint64_t)o->i);
    default: return ptx_decode_fail(D, "this field");
  }
}

lcu_status ptx_decode_tensormap_replace (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const field *f = field_of(m->query);
  ptx_address map;
  if (m->num_types != 2 || m->types[0] != PTX_B1024 || (f != NULL && m->types[1] != f->type))
    return ptx_decode_fail(D, "the types");
  if (m->space != PTX_GENERIC && m->space != PTX_GLOBAL && m->space != PTX_SHARED)
    return ptx_decode_fail(D, "global and shared memory only");
  LCU_TRY(ptx_address_of(D, &D->inst->operands[0], m->space, &map));
  return f != NULL ? replace_field(D, f, &map) : replace_known(D, &map);
}

/* ---- copies ---- */

lcu_status ptx_decode_tensormap_copy (ptx_decoder *D) {
  const ptx_inst *inst = D->inst;
  ptx_address to, from;
  int32_t slot;
  if (inst->match.space != PTX_GLOBAL || !(inst->match.mods & PTX_M_FROM_SHARED))
    return ptx_decode_fail(D, "this direction");
  if (inst->operands[2].kind != PTX_O_INT || inst->operands[2].i != PTX_TENSORMAP_BYTES)
    return ptx_decode_fail(D, "the size is not 128");
  LCU_TRY(ptx_address_of(D, &inst->operands[0], PTX_GLOBAL, &to));
  LCU_TRY(ptx_address_of(D, &inst->operands[1], PTX_SHARED, &from));
  LCU_TRY(ptx_temp(D, &slot));
  for (uint32_t k = 0; k < PTX_TENSORMAP_BYTES; k += 8, to.imm += 8, from.imm += 8) {
    LCU_TRY(ptx_emit_move(D, "ld", &from, 8, slot));
    LCU_TRY(ptx_emit_move(D, "st", &to, 8, slot));
  }
  return ptx_emit_imm(D, PTX_ID_fence, 0, 0, PTX_M_RELEASE);
}
