/* ptx_decode_wgmma.c: products of matrices by four warps (9.7.15). wgmma becomes a product of mma
 * for each block of eight columns; what is in shared memory is loaded into temporaries. These
 * operations are kept apart from the code around them (ptx_products). */
#include <string.h>

#include "ptx_decode.h"
#include "ptx_module.h"
#include "ptx_sparse.h"
#include "ptx_wgmma.h"

enum { CHUNK = 16, MAX_A = 4, MAX_B = 4, MAX_D = 4 };

/* The operands after d, a and b. Absent ones are NULL. */
typedef struct wgmma {
  const ptx_tensor *t;
  ptx_product product;
  const ptx_operand *metadata, *selector, *scale;
  bool negate;             /* the product is subtracted */
  bool across_a, across_b; /* 16-bit elements: the matrix is stored along m, along n */
  int32_t a[MAX_A], meta[2];
  uint32_t num_a, num_b, num_d;
  ptx_products products;
  int32_t kept[PTX_KEPT]; /* the operands that go into products.slots */
} wgmma;

/* The operand counts when the product is issued: *slot becomes a temporary with its value. */
static lcu_status keep_operand (ptx_decoder *D, wgmma *g, uint32_t lane_bytes, int32_t *slot) {
  ptx_products *p = &g->products;
  g->kept[p->num_kept] = *slot;
  LCU_TRY(ptx_temp(D, slot));
  p->bytes[p->num_kept] = lane_bytes * PTX_LANES;
  p->slots[p->num_kept++] = *slot;
  return LCU_OK;
}

/* ---- the form ---- */

static bool is_sparse_group (const ptx_match *m) { return strstr(m->op->opcode, ".sp") != NULL; }

/* The row of mma that has the same types; its k is that of wgmma. */
static const ptx_tensor *group_row_of (const ptx_match *m) {
  static const uint8_t shapes[][2] = { { 1, PTX_SHAPE_m16n8k8 },
                                       { 2, PTX_SHAPE_m16n8k16 },
                                       { 4, PTX_SHAPE_m16n8k32 },
                                       { 8, PTX_SHAPE_m16n8k64 },
                                       { 32, PTX_SHAPE_m16n8k256 } };
  ptx_element a, b;
  if (m->geometry != PTX_SHAPE_group || m->num_types != 3 || !ptx_element_of(m->types[1], &a) ||
      !ptx_element_of(m->types[2], &b) || a != b || a == PTX_ELEMENT_F64 || a == PTX_ELEMENT_I4 ||
      a == PTX_ELEMENT_F4 || ptx_element_is_narrow(m->types[1]) ||
      ptx_element_is_narrow(m->types[2]))
    return NULL;
  for (size_t i = 0; i < lcu_arraylen(shapes); i++)
    if (shapes[i][0] == m->group_k)
      return ptx_tensor_find(is_sparse_group(m) ? PTX_TENSOR_SPARSE : PTX_TENSOR_MMA, shapes[i][1],
                             a);
  return NULL;
}

/* A row of a has 32 bytes, stored elements only. */
static bool shape_fits (const ptx_match *m, const ptx_tensor *t) {
  ptx_fragment_form a = ptx_tensor_fragment(t, 'a', PTX_NOTYPE);
  bool integer = t->accumulator == PTX_ACCUMULATOR_S32;
  if (a.unique != MAX_A || !ptx_tensor_accumulates(t, m->type)) return false;
  return !integer || m->group_n < 4 || m->group_n % 2 == 0;
}

static bool group_options_fit (const ptx_match *m, const ptx_tensor *t) {
  bool bits = t->element == PTX_ELEMENT_B1, integer = t->element == PTX_ELEMENT_I8;
  if (bits ? m->mode != PTX_MODE_popc || m->bool_op != PTX_BOOL_AND
           : m->mode != PTX_MODE_none || m->bool_op != PTX_BOOL_NONE)
    return false;
  if ((m->mods & PTX_M_SATFINITE) != 0 && !integer) return false;
  return m->round == PTX_ROUND_NONE && m->layouts == 0 && m->query == PTX_QUERY_none &&
         m->scale == 0;
}

/* ---- operands after the matrices ---- */

static bool choice (const ptx_operand *o, int64_t one, int64_t other) {
  return o->kind == PTX_O_INT && (o->i == one || o->i == other);
}

static bool from_registers (const ptx_inst *inst) { return inst->operands[1].num_items != 0; }

/* imm-scale-a, imm-scale-b, imm-trans-a (if a is in memory), imm-trans-b */
static bool immediates_read (const ptx_inst *inst, wgmma *g, int at) {
  const ptx_operand *o = inst->operands;
  bool floats = g->t->accumulator != PTX_ACCUMULATOR_S32;
  bool halves = g->t->element == PTX_ELEMENT_F16 || g->t->element == PTX_ELEMENT_BF16;
  int trans = !halves ? 0 : from_registers(inst) ? 1 : 2;
  if (inst->num_operands != at + (floats ? 2 + trans : 0)) return false;
  if (!floats) return true;
  if (!choice(&o[at], 1, -1) || !choice(&o[at + 1], 1, -1)) return false;
  g->negate = o[at].i != o[at + 1].i;
  for (int i = at + 2; i < inst->num_operands; i++)
    if (!choice(&o[i], 0, 1)) return false;
  g->across_a = trans == 2 && o[at + 2].i != 0;
  g->across_b = trans != 0 && o[at + 1 + trans].i != 0;
  return true;
}

static lcu_status operands_read (ptx_decoder *D, wgmma *g) {
  const ptx_inst *inst = D->inst;
  const ptx_operand *o = inst->operands;
  bool sparse = is_sparse_group(&inst->match);
  int at = sparse ? 5 : 3;
  if (sparse && !(o[4].kind == PTX_O_INT && o[4].i >= 0 && o[4].i < ptx_sparse_selectors(g->t)))
    return ptx_decode_fail(D, "the sparsity selector");
  g->metadata = sparse ? &o[3] : NULL;
  g->selector = sparse ? &o[4] : NULL;
  g->scale = &o[at];
  if (!immediates_read(inst, g, at + 1)) return ptx_decode_fail(D, "the operands after scale-d");
  return LCU_OK;
}

/* ---- operations ---- */

static struct ptx_uop_extra *emit_group (ptx_decoder *D, uint16_t id) {
  return ptx_emit_extra(D, ptx_emit(D, id));
}

/* Emits the load of a fragment of `num` registers into those slots. */
static lcu_status load_group (ptx_decoder *D, const ptx_group_load *from, int32_t descriptor,
                              const int32_t *slots, uint32_t num) {
  struct ptx_uop_extra *e = emit_group(D, PTX_ID_wgmma_load);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  ptx_uop *I = &D->uops[D->num - 1];
  memcpy(e->slots, slots, num * sizeof *slots);
  e->num = num;
  memcpy(&e->imm[0], from, sizeof *from);
  I->a = descriptor;
  I->c = PTX_SHAPES - 1;
  I->space = PTX_SHARED;
  I->size = 1; /* the chunks are checked as bytes */
  return LCU_OK;
}

static lcu_status temps (ptx_decoder *D, int32_t *slots, uint32_t num) {
  for (uint32_t i = 0; i < num; i++) LCU_TRY(ptx_temp(D, &slots[i]));
  return LCU_OK;
}

/* Changes the signs of a, in temporaries. */
static lcu_status negate_a (ptx_decoder *D, wgmma *g) {
  uint32_t bits = ptx_tensor_fragment(g->t, 'a', PTX_NOTYPE).bits;
  uint32_t signs = bits == 8 ? 0x80808080u : bits == 16 ? 0x80008000u : 0x80000000u;
  int32_t mask, negative[MAX_A];
  LCU_TRY(ptx_constant_slot(D, signs, 4, &mask));
  LCU_TRY(temps(D, negative, MAX_A));
  for (uint32_t i = 0; i < MAX_A; i++)
    LCU_TRY(ptx_emit_dabc(D, PTX_ID_xor_b32, negative[i], g->a[i], mask, 0));
  memcpy(g->a, negative, sizeof negative);
  return LCU_OK;
}

static lcu_status read_a (ptx_decoder *D, wgmma *g) {
  const ptx_operand *o = &D->inst->operands[1];
  ptx_group_load from = { .across = g->across_a, .chunks = 2 };
  int32_t descriptor;
  if (from_registers(D->inst)) {
    if (o->num_items != MAX_A) return ptx_decode_fail(D, "the number of registers of a fragment");
    for (uint32_t i = 0; i < MAX_A; i++)
      LCU_TRY(ptx_source_exact(D, &o->items[i], PTX_B32, &g->a[i]));
  } else {
    LCU_TRY(ptx_source_exact(D, o, PTX_B64, &descriptor));
    LCU_TRY(keep_operand(D, g, 8, &descriptor));
    LCU_TRY(temps(D, g->a, MAX_A));
    LCU_TRY(load_group(D, &from, descriptor, g->a, MAX_A));
  }
  return g->negate ? negate_a(D, g) : LCU_OK;
}

/* d counts only where scale-d holds. */
static lcu_status scale_d (ptx_decoder *D, wgmma *g) {
  const ptx_operand *o = &D->inst->operands[0];
  int32_t p, zero, d;
  LCU_TRY(ptx_source(D, g->scale, PTX_PRED, &p));
  LCU_TRY(keep_operand(D, g, 4, &p));
  LCU_TRY(ptx_constant_slot(D, 0, 4, &zero));
  for (uint32_t i = 0; i < o->num_items; i++) {
    LCU_TRY(ptx_dest(D, &o->items[i], PTX_B32, &d));
    LCU_TRY(ptx_emit_dabc(D, PTX_ID_selp_b32, d, d, zero, p));
  }
  return LCU_OK;
}

static uint16_t group_id (const ptx_tensor *t) {
  return t->element == PTX_ELEMENT_B1 ? PTX_ID_mma_b1 : PTX_ID_mma_f32;
}

/* One block of columns: d, a, b, and d again as c. */
static lcu_status multiply (ptx_decoder *D, const wgmma *g, uint32_t block, const int32_t *b) {
  const ptx_operand *items = &D->inst->operands[0].items[block * g->num_d];
  int32_t d[MAX_D];
  for (uint32_t i = 0; i < g->num_d; i++) LCU_TRY(ptx_dest(D, &items[i], PTX_B32, &d[i]));
  struct ptx_uop_extra *e = emit_group(D, group_id(g->t));
  if (e == NULL) return lcu_no_memory("decoded PTX");
  for (uint32_t i = 0; i < g->num_d; i++) e->slots[e->num++] = d[i];
  for (uint32_t i = 0; i < g->num_a; i++) e->slots[e->num++] = g->a[i];
  for (uint32_t i = 0; i < g->num_b; i++) e->slots[e->num++] = b[i];
  for (uint32_t i = 0; i < g->num_d; i++) e->slots[e->num++] = d[i];
  for (uint32_t i = 0; i < 2 && g->metadata != NULL; i++) e->slots[e->num++] = g->meta[i];
  ptx_product_form f = ptx_product_form_make(g->t, &g->product);
  memcpy(&e->imm[0], &g->product, sizeof g->product);
  memcpy(&e->imm[2], &f, sizeof f);
  e->p = (void *)(uintptr_t)g->t;
  return LCU_OK;
}

static lcu_status blocks (ptx_decoder *D, wgmma *g) {
  ptx_group_load from = { .is_b = true,
                          .across = g->across_b,
                          .chunks = (uint8_t)(g->num_b * 4 * 4 / CHUNK) };
  int32_t descriptor, b[MAX_B];
  LCU_TRY(ptx_source_exact(D, &D->inst->operands[2], PTX_B64, &descriptor));
  LCU_TRY(keep_operand(D, g, 8, &descriptor));
  LCU_TRY(temps(D, b, g->num_b));
  for (; from.block < D->inst->match.group_n; from.block++) {
    LCU_TRY(load_group(D, &from, descriptor, b, g->num_b));
    LCU_TRY(multiply(D, g, from.block, b));
  }
  return LCU_OK;
}

/* Puts the operations from `first` on aside, and emits the one that issues them. */
static lcu_status issue_products (ptx_decoder *D, const wgmma *g, uint32_t first) {
  ptx_products *p = lcu_arena_alloc(D->arena, sizeof *p);
  uint32_t num = D->num - first;
  ptx_uop *uops = lcu_arena_alloc(D->arena, num * sizeof *uops);
  if (p == NULL || uops == NULL) return lcu_no_memory("decoded PTX");
  memcpy(uops, D->uops + first, num * sizeof *uops);
  *p = g->products;
  p->uops = uops;
  p->num = num;
  D->num = first;
  struct ptx_uop_extra *e = emit_group(D, PTX_ID_wgmma);
  if (e == NULL) return lcu_no_memory("decoded PTX");
  ptx_uop *I = &D->uops[D->num - 1];
  I->d = I->a = I->b = I->c = -1;
  I->imm = D->f->module->ast.debug;
  memcpy(e->slots, g->kept, p->num_kept * sizeof *e->slots);
  e->num = p->num_kept;
  e->p = p;
  return LCU_OK;
}

lcu_status ptx_decode_wgmma (ptx_decoder *D) {
  const ptx_match *m = &D->inst->match;
  wgmma g = { .t = group_row_of(m) };
  if (g.t == NULL || !shape_fits(m, g.t)) return ptx_decode_fail(D, "this shape with these types");
  if (!group_options_fit(m, g.t)) return ptx_decode_fail(D, "this form");
  g.product = (ptx_product){ .a = (uint8_t)m->types[1],
                             .b = (uint8_t)m->types[2],
                             .c = (uint8_t)m->type,
                             .d = (uint8_t)m->type,
                             .bool_op = m->bool_op,
                             .satfinite = (m->mods & PTX_M_SATFINITE) != 0 };
  g.num_a = MAX_A;
  g.num_b = ptx_tensor_fragment(g.t, 'b', PTX_NOTYPE).unique;
  g.num_d = ptx_tensor_fragment(g.t, 'c', m->type).unique;
  if (D->inst->operands[0].num_items != m->group_n * g.num_d)
    return ptx_decode_fail(D, "the number of registers of a fragment");
  LCU_TRY(operands_read(D, &g));
  if (g.metadata != NULL) {
    LCU_TRY(ptx_source(D, g.metadata, PTX_B32, &g.meta[0]));
    LCU_TRY(ptx_source(D, g.selector, PTX_B32, &g.meta[1]));
    LCU_TRY(keep_operand(D, &g, 4, &g.meta[0]));
  }
  uint32_t first = D->num;
  LCU_TRY(read_a(D, &g));
  LCU_TRY(scale_d(D, &g));
  LCU_TRY(blocks(D, &g));
  return issue_products(D, &g, first);
}
