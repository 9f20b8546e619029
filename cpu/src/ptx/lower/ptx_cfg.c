/* ptx_cfg.c: from a list of instructions to numbered basic blocks. */
#include "ptx_cfg.h"

#include "ptx_match.h"

typedef struct raw_block {
  ptx_inst *first, *last;
} raw_block; /* text order */

typedef struct cfg {
  ptx_function *f;
  lcu_arena *arena; /* for what is kept */
  lcu_arena scratch;
  raw_block *raw;
  ptx_graph graph;
  ptx_loops loops;
} cfg;

static bool is_bra (const ptx_inst *inst) { return inst->match.op->decode == PTX_DEC_bra; }

bool ptx_inst_ends_block (const ptx_inst *inst) {
  return (inst->match.flags & (PTX_F_BRANCH | PTX_F_END)) != 0;
}

static bool falls_through (const ptx_inst *inst) {
  return inst->guarded || !ptx_inst_ends_block(inst);
}


/* Normal form: every path has a last instruction, and of the instructions that move or stop lanes
 * only bra is guarded. */

static ptx_inst *new_inst (cfg *c, const char *opcode, const ptx_inst *beside) {
  ptx_inst *inst = lcu_arena_alloc(c->arena, sizeof *inst);
  if (inst == NULL ||
      (inst->operands = lcu_arena_alloc(c->arena, 2 * sizeof *inst->operands)) == NULL)
    return NULL;
  inst->parts[0] = opcode;
  inst->num_parts = 1;
  inst->bb = -1;
  if (beside != NULL) {
    inst->text_line = beside->text_line;
    inst->loc = beside->loc;
  }
  return inst;
}

static bool end_needs_ret (const ptx_function *f, const ptx_inst *last) {
  if (last == NULL || falls_through(last)) return true;
  for (const ptx_label *l = f->labels; l != NULL; l = l->next)
    if (l->used && l->at == NULL) return true;
  return false;
}

/* Adds the `ret` at the end of the body if control can get there. */
static lcu_status close_body (cfg *c) {
  ptx_inst *last = c->f->body;
  while (last != NULL && last->next != NULL) last = last->next;
  if (!end_needs_ret(c->f, last)) return LCU_OK;
  ptx_inst *ret = new_inst(c, "ret", last);
  if (ret == NULL) return lcu_no_memory("a flow graph");
  LCU_TRY(ptx_match_inst(ret));
  if (last != NULL) last->next = ret;
  else c->f->body = ret;
  c->f->num_insts++;
  for (ptx_label *l = c->f->labels; l != NULL; l = l->next)
    if (l->at == NULL) l->at = ret;
  return LCU_OK;
}

/* "@p ret" becomes "@!p bra after; ret; after:". The branch takes the place of the instruction in
 * memory, so that labels stay valid. */
static lcu_status split_guarded (cfg *c, ptx_inst *inst) {
  ptx_inst *moved = lcu_arena_alloc(c->arena, sizeof *moved);
  ptx_label *after = lcu_arena_alloc(c->arena, sizeof *after);
  ptx_inst *bra = new_inst(c, "bra", inst);
  if (moved == NULL || after == NULL || bra == NULL) return lcu_no_memory("a flow graph");
  *moved = *inst;
  moved->guarded = moved->guard_negate = false;
  moved->guard = NULL;
  *after =
    (ptx_label){ .next = c->f->labels, .name = "", .at = inst->next, .used = true, .bb = -1 };
  c->f->labels = after;
  bra->guarded = true;
  bra->guard = inst->guard;
  bra->guard_negate = !inst->guard_negate;
  bra->num_operands = 1;
  bra->operands[0] = (ptx_operand){ .kind = PTX_O_LABEL, .name = "", .label = after };
  bra->next = moved;
  LCU_TRY(ptx_match_inst(bra));
  *inst = *bra;
  c->f->num_insts++;
  return LCU_OK;
}

static lcu_status normalize (cfg *c) {
  LCU_TRY(close_body(c));
  for (ptx_inst *inst = c->f->body; inst != NULL; inst = inst->next)
    if (inst->guarded && (inst->match.flags & PTX_F_CONTROL) != 0 && !is_bra(inst))
      LCU_TRY(split_guarded(c, inst));
  return LCU_OK;
}


/* Blocks in text order. */

static uint32_t mark_leaders (ptx_function *f) {
  uint32_t num = 0;
  f->body->leader = true;
  for (ptx_label *l = f->labels; l != NULL; l = l->next)
    if (l->used && l->at != NULL) l->at->leader = true;
  for (ptx_inst *inst = f->body; inst != NULL; inst = inst->next) {
    if (ptx_inst_ends_block(inst) && inst->next != NULL) inst->next->leader = true;
    num += inst->leader;
    inst->bb = (int32_t)num - 1;
  }
  return num;
}

static void collect_blocks (cfg *c) {
  for (ptx_inst *inst = c->f->body; inst != NULL; inst = inst->next) {
    raw_block *b = &c->raw[inst->bb];
    if (inst->leader) b->first = inst;
    b->last = inst;
  }
}

/* The labels an instruction branches to: one, or the list of brx. */
static const ptx_operand *branch_labels (const ptx_inst *inst, uint32_t *num) {
  *num = 0;
  if ((inst->match.flags & PTX_F_BRANCH) == 0) return NULL;
  for (uint32_t k = 0; k < inst->num_operands; k++) {
    const ptx_operand *o = &inst->operands[k];
    if (o->kind == PTX_O_LIST) {
      *num = o->num_items;
      return o->items;
    }
    if (o->kind == PTX_O_LABEL) {
      *num = 1;
      return o;
    }
  }
  return NULL;
}

/* Taken branches come first: the search then numbers the fall-through before them. */
static lcu_status connect_blocks (cfg *c) {
  ptx_graph *g = &c->graph;
  uint32_t edges = 0, num;
  for (uint32_t b = 0; b < g->num; b++) {
    branch_labels(c->raw[b].last, &num);
    edges += num + 1;
  }
  g->first = lcu_arena_alloc(&c->scratch, (g->num + 1u) * sizeof *g->first);
  g->succ = lcu_arena_alloc(&c->scratch, edges * sizeof *g->succ);
  if (g->first == NULL || g->succ == NULL) return lcu_no_memory("a flow graph");
  edges = 0;
  for (uint32_t b = 0; b < g->num; b++) {
    const ptx_inst *last = c->raw[b].last;
    const ptx_operand *labels = branch_labels(last, &num);
    g->first[b] = edges;
    for (uint32_t k = 0; k < num; k++) {
      if (labels[k].label == NULL || labels[k].label->at == NULL)
        return lcu_fail(LCU_E_SYNTAX, "line %u: the branch has no target",
                        (unsigned)last->text_line);
      g->succ[edges++] = (uint32_t)labels[k].label->at->bb;
    }
    if (falls_through(last) && last->next != NULL) g->succ[edges++] = (uint32_t)last->next->bb;
  }
  g->first[g->num] = edges;
  return LCU_OK;
}


/* Numbered blocks. */

static int32_t innermost (const cfg *c, uint32_t raw) {
  return c->loops.is_head[raw] ? (int32_t)raw : c->loops.head[raw];
}

static void set_blocks_of_insts (const cfg *c, const int32_t *renumber) {
  for (ptx_inst *inst = c->f->body; inst != NULL; inst = inst->next) inst->bb = renumber[inst->bb];
  for (ptx_label *l = c->f->labels; l != NULL; l = l->next) l->bb = l->at != NULL ? l->at->bb : -1;
}

static void set_label_operands (ptx_inst *inst) {
  for (uint32_t k = 0; k < inst->num_operands; k++) {
    ptx_operand *o = &inst->operands[k];
    if (o->kind == PTX_O_LABEL && o->label != NULL) o->i = o->label->bb;
    if (o->kind != PTX_O_LIST) continue;
    for (uint32_t n = 0; n < o->num_items; n++)
      if (o->items[n].kind == PTX_O_LABEL && o->items[n].label != NULL)
        o->items[n].i = o->items[n].label->bb;
  }
}

static void fill_block (const cfg *c, uint32_t raw, const int32_t *renumber, ptx_basic_block *b) {
  int32_t loop = innermost(c, raw), outer = c->loops.is_head[raw] ? c->loops.head[raw] : -1;
  ptx_inst *last = c->raw[raw].last;
  *b = (ptx_basic_block){ .first = c->raw[raw].first,
                          .last = last,
                          .next = -1,
                          .target = -1,
                          .loop_head = c->loops.is_head[raw],
                          .loop = loop >= 0 ? renumber[loop] : -1,
                          .outer_loop = outer >= 0 ? renumber[outer] : -1 };
  set_label_operands(last);
  if (is_bra(last) && last->operands[0].kind == PTX_O_LABEL)
    b->target = (int32_t)last->operands[0].i;
  if (falls_through(last) && last->next != NULL) b->next = last->next->bb;
}

static lcu_status number_blocks (cfg *c) {
  uint32_t num = c->loops.num_order;
  int32_t *renumber = lcu_arena_alloc(&c->scratch, c->graph.num * sizeof *renumber);
  ptx_basic_block *blocks = lcu_arena_alloc(c->arena, num * sizeof *blocks);
  if (renumber == NULL || blocks == NULL) return lcu_no_memory("a flow graph");
  for (uint32_t k = 0; k < c->graph.num; k++) renumber[k] = -1;
  for (uint32_t k = 0; k < num; k++) renumber[c->loops.order[k]] = (int32_t)k;
  set_blocks_of_insts(c, renumber);
  for (uint32_t k = 0; k < num; k++) fill_block(c, c->loops.order[k], renumber, &blocks[k]);
  c->f->bbs = blocks;
  c->f->num_bbs = num;
  return LCU_OK;
}

static lcu_status build (cfg *c) {
  LCU_TRY(normalize(c));
  c->graph.num = mark_leaders(c->f);
  c->raw = lcu_arena_alloc(&c->scratch, c->graph.num * sizeof *c->raw);
  if (c->raw == NULL) return lcu_no_memory("a flow graph");
  collect_blocks(c);
  LCU_TRY(connect_blocks(c));
  if (!ptx_loops_find(&c->graph, &c->scratch, &c->loops)) return lcu_no_memory("a flow graph");
  LCU_TRY(number_blocks(c));
  return ptx_spin_mark(c->f, &c->scratch) ? LCU_OK : lcu_no_memory("a flow graph");
}

int32_t ptx_basic_block_successor (const ptx_basic_block *b, uint32_t k) {
  uint32_t num;
  const ptx_operand *labels = branch_labels(b->last, &num);
  if (k < num) return (int32_t)labels[k].i;
  return k == num ? b->next : -1;
}

lcu_status ptx_cfg_build (ptx_function *f, lcu_arena *arena) {
  cfg c = { .f = f, .arena = arena };
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next)
    if (inst->match.op == NULL)
      return lcu_fail(LCU_E_STATE, "the instructions of '%s' are not matched yet", f->name);
  lcu_status status = build(&c);
  lcu_arena_free(&c.scratch);
  return status;
}
