/* ptx_shape.c: claims about all registers of a function, to a fixed point. They start from the best
 * and get worse until every instruction agrees: a value that is the same in all lanes makes a
 * branch that does not part them, and the other way round. */
#include "ptx_shape_flow.h"
#include "ptx_shape_inst.h"
#include "ptx_shape_value.h"

#include "ptx_match.h"
#include "ptx_operands.h"


ptx_block_class ptx_block_class_of (const uint32_t block[3]) {
  if (block[0] % PTX_LANES == 0) return PTX_BLOCKS_WARPS;
  if (block[0] == PTX_ROW_LANES) return PTX_BLOCKS_ROWS16;
  return block[1] == 1 && block[2] == 1 ? PTX_BLOCKS_LINE : PTX_BLOCKS_ANY;
}

typedef struct maker {
  ptx_claims *s;
  ptx_shape_flow flow;
  lcu_arena *arena;
  const ptx_inst *inst;
  ptx_value result;
  ptx_root root;
  bool changed;
} maker;

/* What a guarded instruction writes is in the lanes whose guard holds; the others keep theirs. */
static ptx_value guarded (const maker *m, ptx_value v, uint32_t bits) {
  const ptx_value *guard = &m->s->values[m->inst->guard->id];
  if (ptx_value_uniform(guard)) return v;
  if (ptx_value_row_uniform(guard)) return ptx_value_rows(m->arena, v, bits);
  return ptx_value_unknown();
}

static void write_reg (void *ud, ptx_reg *reg, int role) {
  maker *m = ud;
  if ((role & PTX_WRITE) == 0) return;
  ptx_value *to = &m->s->values[reg->id], v = m->result;
  uint32_t bits = ptx_value_bits(reg->type);
  if (m->inst->guarded) v = guarded(m, v, bits);
  if (!ptx_value_holds(reg->type)) v = ptx_value_pure(m->arena, &v, 1);
  else if (v.base == PTX_BASE_CONST && bits == 32) v.constant &= UINT32_MAX;
  if (m->flow.varying[reg->id] || reg->type == PTX_B128) v = ptx_value_unknown();
  v = ptx_value_join(m->arena, *to, v, bits);
  if (!ptx_value_same(to, &v)) {
    *to = v;
    m->changed = true;
  }
  ptx_root root = ptx_root_join(m->s->roots[reg->id], m->root);
  if (root.kind != m->s->roots[reg->id].kind) m->changed = true;
  m->s->roots[reg->id] = root;
}

static void pass (maker *m) {
  const ptx_function *f = m->s->function;
  for (uint32_t b = 0; b < f->num_bbs; b++)
    for (const ptx_inst *i = f->bbs[b].first; i != f->bbs[b].last->next; i = i->next) {
      m->inst = i;
      m->result = ptx_shape_result(m->s, i, m->s->blocks, m->arena);
      m->root = ptx_shape_result_root(m->s, i);
      ptx_inst_visit_regs(i, write_reg, m);
    }
}

static bool same_way (const ptx_claims *s, const ptx_inst *last) {
  if ((last->match.flags & PTX_F_BRANCH) == 0) return true;
  if (last->guarded && !ptx_value_uniform(&s->values[last->guard->id])) return false;
  if (last->match.op->decode == PTX_DEC_bra) return true;
  const ptx_operand *index = &last->operands[0];
  return index->kind != PTX_O_REG || ptx_value_uniform(&s->values[index->reg->id]);
}

/* Branches whose lanes part, as far as it is known now. */
static void part_lanes (maker *m) {
  const ptx_function *f = m->s->function;
  for (uint32_t b = 0; b < f->num_bbs; b++) {
    if (m->s->divergent[b] || same_way(m->s, f->bbs[b].last)) continue;
    m->s->divergent[b] = true;
    ptx_shape_part(&m->flow, b);
  }
  ptx_shape_find_ragged(&m->flow);
  m->changed |= m->flow.changed;
  m->flow.changed = false;
}

static void know_nothing (ptx_claims *s) {
  s->irreducible = true;
  for (uint32_t k = 0; k < s->function->num_regs; k++) {
    s->values[k] = ptx_value_unknown();
    s->roots[k] = (ptx_root){ .kind = PTX_ROOT_MANY };
  }
  for (uint32_t b = 0; b < s->function->num_bbs; b++)
    s->divergent[b] = !same_way(s, s->function->bbs[b].last);
}

static ptx_claims *new_shape (const ptx_function *f, ptx_block_class blocks, lcu_arena *arena) {
  ptx_claims *s = lcu_arena_alloc(arena, sizeof *s);
  size_t regs = f->num_regs + 1u, n = f->num_bbs + 1u;
  if (s == NULL) return NULL;
  s->function = f;
  s->blocks = blocks;
  s->values = lcu_arena_alloc(arena, regs * sizeof *s->values);
  s->roots = lcu_arena_alloc(arena, regs * sizeof *s->roots);
  s->divergent = lcu_arena_alloc(arena, n * sizeof *s->divergent);
  s->joins = lcu_arena_alloc(arena, n * sizeof *s->joins);
  s->ragged = lcu_arena_alloc(arena, n * sizeof *s->ragged);
  bool ok = s->values != NULL && s->roots != NULL && s->divergent != NULL && s->joins != NULL &&
            s->ragged != NULL;
  return ok ? s : NULL;
}

static bool solve_shapes (maker *m, lcu_arena *scratch) {
  if (!ptx_shape_flow_init(&m->flow, m->s, scratch)) return false;
  ptx_shape_find_undefined(&m->flow);
  do {
    m->changed = false;
    pass(m);
    if (!m->changed) part_lanes(m);
  } while (m->changed);
  for (uint32_t k = 0; k < m->s->function->num_regs; k++)
    if (m->flow.varying[k]) m->s->values[k] = ptx_value_unknown();
  return true;
}

ptx_claims *ptx_shape_make (const ptx_function *f, ptx_block_class blocks, lcu_arena *arena) {
  lcu_arena scratch = { 0 };
  maker m = { .s = new_shape(f, blocks, arena), .arena = arena };
  bool ok = m.s != NULL;
  if (ok && ptx_shape_irreducible(f)) know_nothing(m.s);
  else ok = ok && solve_shapes(&m, &scratch);
  lcu_arena_free(&scratch);
  return ok ? m.s : NULL;
}

bool ptx_inst_widens (const ptx_claims *s, const ptx_inst *inst) {
  bool read = false;
  const ptx_reg *to = inst->num_operands > 0 ? inst->operands[0].reg : NULL;
  if (to == NULL || !s->values[to->id].widened) return false;
  for (int k = 1; k < inst->num_operands; k++)
    read |= inst->operands[k].kind == PTX_O_REG && s->values[inst->operands[k].reg->id].widened;
  bool wide = inst->match.mul_part == PTX_PART_WIDE || inst->match.op->decode == PTX_DEC_cvt;
  return wide && !read;
}
