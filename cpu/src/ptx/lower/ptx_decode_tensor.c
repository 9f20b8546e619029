/* ptx_decode_tensor.c: products of matrices by a warp (9.7.14). */
#include <string.h>

#include "ptx_decode.h"
#include "ptx_fragment.h"
#include "ptx_sparse.h"

enum {
  ROW_MAJOR = PTX_LAYOUT_row,
  COLUMN_MAJOR = PTX_LAYOUT_col,
  ROW_COL = ROW_MAJOR << 2 | COLUMN_MAJOR
};

/* ---- operands */

static const ptx_operand *item (const ptx_operand *o, uint32_t i, uint32_t num) {
  if (o->kind == PTX_O_VECTOR) return o->num_items == num ? &o->items[i] : NULL;
  return num == 1 ? o : NULL;
}

/* Appends the slots of a fragment: its unique registers if it is read, all if it is written. */
static lcu_status fragment (ptx_decoder *D, struct ptx_uop_extra *e, const ptx_operand *o,
                            const ptx_fragment_form *f, bool write) {
  for (uint32_t i = 0; i < f->total; i++) {
    const ptx_operand *x = item(o, i, f->total);
    if (x == NULL) return ptx_decode_fail(D, "the number of registers of a fragment");
    if (!write && i >= f->unique) break;
    if (write) LCU_TRY(ptx_dest(D, x, f->type, &e->slots[e->num++]));
    else LCU_TRY(ptx_source(D, x, f->type, &e->slots[e->num++]));
  }
  return LCU_OK;
}

static struct ptx_uop_extra *emit_collective (ptx_decoder *D, uint16_t id,
                                              const struct ptx_uop_extra *from) {
  struct ptx_uop_extra *e = ptx_emit_extra(D, ptx_emit(D, id));
  if (e == NULL) return NULL;
  const ptx_inst *inst = e->inst;
  *e = *from;
  e->inst = inst;
  return e;
}

/* ---- products */

static uint16_t mma_id (const ptx_tensor *t) {
  if (t->form == PTX_TENSOR_QUAD) return PTX_ID_mma_quad;
  switch (t->element) {
    case PTX_ELEMENT_F64: return PTX_ID_mma_f64;
    case PTX_ELEMENT_B1: return PTX_ID_mma_b1;
    default: return PTX_ID_mma_f32;
  }
}

/* The kinds mxf8f6f4, mxf4 and mxf4nvf4 have scales of blocks. */
static bool is_scaled (const ptx_match *m) {
  return m->query >= PTX_QUERY_mxf8f6f4 && m->query <= PTX_QUERY_mxf4nvf4;
}

/* The type of elements; NOTYPE: it is none. */
static uint8_t element_type (const ptx_match *m, ptx_type t) {
  bool packed = m->query == PTX_QUERY_mxf4 || m->query == PTX_QUERY_mxf4nvf4;
  if (t == PTX_E2M1X2) return PTX_NOTYPE;
  return (uint8_t)(t == PTX_E2M1 && packed ? PTX_E2M1X2 : t);
}

/* The types of d, a, b, c; wmma of f16 names d and c only. */
static bool product_types (const ptx_match *m, ptx_tensor_form form, ptx_product *p) {
  bool halves = form == PTX_TENSOR_WMMA && m->num_types == 2;
  if (!halves && m->num_types != (is_scaled(m) ? 5 : 4)) return false;
  p->d = (uint8_t)m->types[0];
  p->a = halves ? PTX_F16 : element_type(m, m->types[1]);
  p->b = halves ? PTX_F16 : element_type(m, m->types[2]);
  p->c = (uint8_t)m->types[halves ? 1 : 3];
  return halves || !(form == PTX_TENSOR_WMMA && p->a == PTX_F16);
}

static const ptx_tensor *mma_row_of (const ptx_match *m, ptx_tensor_form form,
                                     const ptx_product *p) {
  ptx_element a, b;
  if (!ptx_element_of((ptx_type)p->a, &a) || !ptx_element_of((ptx_type)p->b, &b) || a != b)
    return NULL;
  const ptx_tensor *t = ptx_tensor_find(form, m->geometry, a);
  if (t == NULL && form == PTX_TENSOR_MMA) t = ptx_tensor_find(PTX_TENSOR_QUAD, m->geometry, a);
  if (t == NULL || !ptx_tensor_accumulates(t, (ptx_type)p->c) ||
      !ptx_tensor_accumulates(t, (ptx_type)p->d))
    return NULL;
  return t;
}

/* Elements of less than 8 bits, and all operands of mma but those of m8n8k4 and b of f32, are row
 * by column. */
static bool layouts_fit (const ptx_match *m, const ptx_tensor *t) {
  uint8_t a = m->layouts >> 2, b = m->layouts & 3;
  if (t->element == PTX_ELEMENT_F32 && b == ROW_MAJOR) return a == ROW_MAJOR;
  bool any =
    t->form == PTX_TENSOR_QUAD ||
    (t->form == PTX_TENSOR_WMMA && t->element != PTX_ELEMENT_I4 && t->element != PTX_ELEMENT_B1);
  return any ? (a == ROW_MAJOR || a == COLUMN_MAJOR) && (b == ROW_MAJOR || b == COLUMN_MAJOR)
             : m->layouts == ROW_COL;
}

/* Kinds have one shape, and sparse matrices with ordered metadata. */
static bool kind_fits (const ptx_match *m, const ptx_tensor *t) {
  bool sparse = t->form == PTX_TENSOR_SPARSE, bytes = t->element == PTX_ELEMENT_F8;
  if (m->query == PTX_QUERY_none)
    return !ptx_element_is_narrow(m->types[1]) && !ptx_element_is_narrow(m->types[2]);
  if (sparse && strcmp(m->op->opcode, "mma.sp::ordered_metadata") != 0) return false;
  switch (m->query) {
    case PTX_QUERY_f8f6f4:
    case PTX_QUERY_mxf8f6f4: return bytes && t->k == (sparse ? 64 : 32);
    default: return t->element == PTX_ELEMENT_F4;
  }
}

/* How many scales a row has (table 36 of the ISA); 0: there is no such form. */
static uint8_t scales_of (const ptx_match *m) {
  ptx_type t = m->types[4];
  bool wide = t == PTX_UE8M0;
  switch (m->query) {
    case PTX_QUERY_mxf8f6f4: return wide && m->scale <= 1 ? 1 : 0;
    case PTX_QUERY_mxf4: return wide && (m->scale == 0 || m->scale == 2) ? 2 : 0;
    case PTX_QUERY_mxf4nvf4:
      return (wide && m->scale == 2) || ((wide || t == PTX_UE4M3) && m->scale == 4) ? m->scale : 0;
    default: return 0;
  }
}

static bool scaling_fits (const ptx_match *m) {
  bool said = m->mode == PTX_MODE_block_scale;
  if (!is_scaled(m)) return !said && m->scale == 0;
  return said && scales_of(m) != 0 && m->type == PTX_F32;
}

static bool mma_options_fit (const ptx_match *m, const ptx_tensor *t) {
  bool bits = t->element == PTX_ELEMENT_B1, integer = t->accumulator == PTX_ACCUMULATOR_S32;
  bool half_wmma = t->form == PTX_TENSOR_WMMA && t->element == PTX_ELEMENT_F16;
  if (bits != (m->mode == PTX_MODE_popc) || (!bits && m->bool_op != PTX_BOOL_NONE)) return false;
  if (bits && m->bool_op != PTX_BOOL_XOR && m->bool_op != PTX_BOOL_AND) return false;
  if (m->round != PTX_ROUND_NONE && t->element != PTX_ELEMENT_F64) return false;
  if ((m->mods & PTX_M_SATFINITE) != 0 && (bits || !(integer || half_wmma))) return false;
  return kind_fits(m, t) && scaling_fits(m);
}

/* Words, byte and thread of the scales of one matrix: a register, and a pair of 16 bits. */
static lcu_status scales (ptx_decoder *D, struct ptx_uop_extra *e, const ptx_operand *o) {
  const ptx_operand *words = item(&o[0], 0, 1);
  if (words == NULL || item(&o[1], 0, 2) == NULL)
    return ptx_decode_fail(D, "scales are a register and a pair {byte, thread}");
  LCU_TRY(ptx_source(D, words, PTX_B32, &e->slots[e->num++]));
  for (uint32_t i = 0; i < 2; i++)
    LCU_TRY(ptx_source(D, item(&o[1], i, 2), PTX_B16, &e->slots[e->num++]));
  return LCU_OK;
}

/* The operands after d, a, b and c. */
static lcu_status rest (ptx_decoder *D, ptx_tensor_form form, struct ptx_uop_extra *e) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands + 4;
  uint32_t sparse = form == PTX_TENSOR_SPARSE ? 2 : 0;
  if (D->inst->num_operands != 4 + sparse + (is_scaled(m) ? 4 : 0))
    return ptx_decode_fail(D, "the number of operands");
  for (uint32_t i = 0; i < sparse; i++) LCU_TRY(ptx_source(D, &o[i], PTX_B32, &e->slots[e->num++]));
  if (!is_scaled(m)) return LCU_OK;
  ptx_scaling s = { .vectors = scales_of(m), .type = (uint8_t)m->types[4] };
  memcpy(&e->imm[1], &s, sizeof s);
  LCU_TRY(scales(D, e, &o[sparse]));
  return scales(D, e, &o[sparse + 2]);
}

static lcu_status decode_product (ptx_decoder *D, ptx_tensor_form form) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  struct ptx_uop_extra e = { 0 };
  ptx_product p = { .round = m->round,
                    .bool_op = m->bool_op,
                    .satfinite = (m->mods & PTX_M_SATFINITE) != 0,
                    .layouts = m->layouts };
  if (!product_types(m, form, &p)) return ptx_decode_fail(D, "the types");
  const ptx_tensor *t = mma_row_of(m, form, &p);
  if (t == NULL) return ptx_decode_fail(D, "this shape with these types");
  if (!layouts_fit(m, t)) return ptx_decode_fail(D, "these layouts");
  if (!(m->mods & PTX_M_ALIGNED)) return ptx_decode_fail(D, ".aligned is missing");
  if (!mma_options_fit(m, t)) return ptx_decode_fail(D, "this form");
  static const char which[] = "cabc";
  const uint8_t types[] = { p.d, p.a, p.b, p.c };
  for (uint32_t i = 0; i < 4; i++) {
    ptx_fragment_form f = ptx_tensor_fragment(t, which[i], (ptx_type)types[i]);
    if (t->form == PTX_TENSOR_QUAD) f.total = f.unique = which[i] != 'c' ? 2 : f.pairs ? 8 : 4;
    LCU_TRY(fragment(D, &e, &o[i], &f, i == 0));
  }
  if (form == PTX_TENSOR_SPARSE && o[5].i >= ptx_sparse_selectors(t))
    return ptx_decode_fail(D, "the sparsity selector");
  LCU_TRY(rest(D, form, &e));
  ptx_product_form f = ptx_product_form_make(t, &p);
  memcpy(&e.imm[0], &p, sizeof p);
  memcpy(&e.imm[2], &f, sizeof f);
  e.p = (void *)(uintptr_t)t;
  return emit_collective(D, mma_id(t), &e) != NULL ? LCU_OK : lcu_no_memory("decoded PTX");
}

static bool is_sparse_mma (const ptx_match *m) { return strncmp(m->op->opcode, "mma.sp", 6) == 0; }

lcu_status ptx_decode_mma (ptx_decoder *D) {
  const ptx_operand *o = D->inst->operands;
  if (!is_sparse_mma(&D->inst->match)) return decode_product(D, PTX_TENSOR_MMA);
  if (o[5].kind != PTX_O_INT || o[5].i < 0) return ptx_decode_fail(D, "the sparsity selector");
  return decode_product(D, PTX_TENSOR_SPARSE);
}

/* ---- wmma */

/* The matrix that wmma.load and wmma.store name: 'a', 'b' or 'c'. */
static char matrix_of (const ptx_match *m) {
  char which = m->op->opcode[strlen(m->op->opcode) - 1];
  return which == 'd' ? 'c' : which;
}

static const ptx_tensor *moved_row (const ptx_match *m, char which) {
  ptx_element element;
  if (m->num_types != 1) return NULL;
  if (which == 'c') return ptx_tensor_of_accumulator(m->geometry, m->type);
  return ptx_element_of(m->type, &element) ? ptx_tensor_find(PTX_TENSOR_WMMA, m->geometry, element)
                                           : NULL;
}

/* The stride, by default the length of a line of the matrix. */
static lcu_status stride_of (ptx_decoder *D, const ptx_move *v, int32_t *slot) {
  if (D->inst->num_operands == 3) return ptx_source(D, &D->inst->operands[2], PTX_U32, slot);
  return ptx_constant_slot(D, v->length, 4, slot);
}

/* a, imm, flags, space: the address; b: the stride; extra: the registers, and the form. */
static lcu_status emit_move (ptx_decoder *D, uint16_t id, const ptx_address *x, int32_t stride,
                             const struct ptx_uop_extra *e) {
  if (emit_collective(D, id, e) == NULL) return lcu_no_memory("decoded PTX");
  ptx_uop *I = &D->uops[D->num - 1];
  I->a = x->slot;
  I->imm = x->imm;
  I->flags |= x->flags;
  I->space = x->space;
  I->b = stride;
  I->c = PTX_SHAPES - 1;
  I->size = 1; /* the lines are checked as bytes */
  return LCU_OK;
}

static lcu_status wmma_move (ptx_decoder *D, bool store) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  struct ptx_uop_extra e = { 0 };
  ptx_address x;
  int32_t stride;
  char which = matrix_of(m);
  const ptx_tensor *t = moved_row(m, which);
  if (t == NULL) return ptx_decode_fail(D, "this shape with this type");
  if (m->layouts != ROW_MAJOR && m->layouts != COLUMN_MAJOR)
    return ptx_decode_fail(D, "the layout");
  ptx_fragment_form f = ptx_tensor_fragment(t, which, m->type);
  ptx_move v = ptx_move_of(&f, which, m->layouts == ROW_MAJOR);
  if (!v.along && f.bits < 8) return ptx_decode_fail(D, "this layout of elements below 8 bits");
  if (m->space != PTX_GENERIC && m->space != PTX_GLOBAL && m->space != PTX_SHARED)
    return ptx_decode_fail(D, "global and shared memory only");
  LCU_TRY(ptx_address_of(D, &o[store ? 0 : 1], m->space, &x));
  LCU_TRY(stride_of(D, &v, &stride));
  LCU_TRY(fragment(D, &e, &o[store ? 1 : 0], &f, !store));
  memcpy(&e.imm[0], &v, sizeof v);
  return emit_move(D, store ? PTX_ID_wmma_store : PTX_ID_wmma_load, &x, stride, &e);
}

lcu_status ptx_decode_wmma (ptx_decoder *D) {
  const char *opcode = D->inst->match.op->opcode;
  if (strcmp(opcode, "wmma.mma") == 0) return decode_product(D, PTX_TENSOR_WMMA);
  return wmma_move(D, strcmp(opcode, "wmma.store.d") == 0);
}

/* ---- ldmatrix, stmatrix, movmatrix */

/* Elements of less than 8 bits, which become bytes; 0: there are none. */
static uint32_t narrow_form (const ptx_match *m) {
  if (m->num_types != 2 || m->type != PTX_B8X16) return 0;
  return m->type2 == PTX_B6X16_P32   ? PTX_MATRIX_6BIT
         : m->type2 == PTX_B4X16_P64 ? PTX_MATRIX_4BIT
                                     : 0;
}

/* The registers of ldmatrix and stmatrix; 0: there is no such form. */
static uint8_t matrix_registers (const ptx_match *m, bool store) {
  uint8_t num = m->mode == PTX_MODE_x1   ? 1
                : m->mode == PTX_MODE_x2 ? 2
                : m->mode == PTX_MODE_x4 ? 4
                                         : 0;
  bool trans = m->layouts == PTX_LAYOUT_trans, narrow = narrow_form(m) != 0;
  bool bytes = m->num_types == 1 && m->type == PTX_B8;
  if (!(m->mods & PTX_M_ALIGNED) || (m->layouts != 0 && !trans) || m->scale != 0) return 0;
  if (m->space != PTX_GENERIC && m->space != PTX_SHARED) return 0;
  switch (m->geometry) {
    case PTX_SHAPE_m8n8: return m->num_types == 1 && m->type == PTX_B16 ? num : 0;
    case PTX_SHAPE_m8n16: return !store && !trans && narrow ? num : 0;
    case PTX_SHAPE_m16n8: return store && trans && bytes ? num : 0;
    case PTX_SHAPE_m16n16:
      return !store && trans && num < 4 && (bytes || narrow) ? (uint8_t)(num * 2) : 0;
    default: return 0;
  }
}

static uint32_t matrix_form (const ptx_match *m) {
  return narrow_form(m) | (m->layouts == PTX_LAYOUT_trans ? PTX_MATRIX_TRANS : 0u) |
         (m->geometry == PTX_SHAPE_m16n16 ? PTX_MATRIX_TALL : 0u) |
         (m->geometry == PTX_SHAPE_m16n8 ? PTX_MATRIX_BYTES : 0u);
}

lcu_status ptx_decode_ldmatrix (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  const ptx_operand *o = D->inst->operands;
  struct ptx_uop_extra e = { 0 };
  ptx_address x;
  bool store = m->op->opcode[0] == 's';
  uint8_t num = matrix_registers(m, store);
  ptx_fragment_form f = { .total = num, .unique = num, .type = PTX_B32 };
  if (num == 0) return ptx_decode_fail(D, "this form");
  LCU_TRY(ptx_address_of(D, &o[store ? 0 : 1], m->space, &x));
  LCU_TRY(fragment(D, &e, &o[store ? 1 : 0], &f, !store));
  e.imm[0] = matrix_form(m);
  return emit_move(D, store ? PTX_ID_stmatrix : PTX_ID_ldmatrix, &x, 0, &e);
}

lcu_status ptx_decode_movmatrix (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  struct ptx_uop_extra e = { .num = 2 };
  if (m->geometry != PTX_SHAPE_m8n8 || m->layouts != PTX_LAYOUT_trans || m->num_types != 1 ||
      m->type != PTX_B16 || !(m->mods & PTX_M_ALIGNED))
    return ptx_decode_fail(D, "this form");
  LCU_TRY(ptx_source(D, &D->inst->operands[1], PTX_B32, &e.slots[1]));
  LCU_TRY(ptx_dest(D, &D->inst->operands[0], PTX_B32, &e.slots[0]));
  return emit_collective(D, PTX_ID_movmatrix, &e) != NULL ? LCU_OK : lcu_no_memory("decoded PTX");
}
