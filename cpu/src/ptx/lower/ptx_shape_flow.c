/* ptx_shape_flow.c: lanes that part at a branch, what they write on the way, and where they meet.
 *
 * Blocks are numbered so that every edge but those back to a head leads to a larger number, and the
 * executor runs the lanes at the smallest number first. A walk from the sides of a branch in the
 * order of the numbers gives each block the label of the side that reaches it; a block that two
 * labels reach is one where lanes meet, and a label of its own from there. Registers written on the
 * way and live at such a block differ between lanes. When one side goes back to the head of a loop
 * and another leaves it, lanes leave the loop in different iterations: what is written in it and
 * live behind differs, and the blocks behind it are the sides of one more parting. */
#include "ptx_shape_flow.h"

#include <string.h>

#include "ptx_cfg.h"
#include "ptx_operands.h"

static const ptx_basic_block *block_at (const ptx_shape_flow *f, uint32_t b) {
  return &f->shape->function->bbs[b];
}

/* ---- loops ---- */

static bool in_loop (const ptx_function *f, uint32_t block, int32_t head) {
  for (int32_t h = f->bbs[block].loop; h >= 0; h = f->bbs[h].outer_loop)
    if (h == head) return true;
  return false;
}

static bool enters_by_head (const ptx_function *f, uint32_t from, uint32_t to) {
  if (to <= from) return f->bbs[to].loop_head && in_loop(f, from, (int32_t)to);
  for (int32_t h = f->bbs[to].loop; h >= 0; h = f->bbs[h].outer_loop)
    if (h != (int32_t)to && !in_loop(f, from, h)) return false;
  return true;
}

bool ptx_shape_irreducible (const ptx_function *f) {
  for (uint32_t b = 0; b < f->num_bbs; b++) {
    int32_t s;
    for (uint32_t k = 0; (s = ptx_basic_block_successor(&f->bbs[b], k)) >= 0; k++)
      if (!enters_by_head(f, b, (uint32_t)s)) return true;
  }
  return false;
}

/* ---- registers ---- */

static void make_varying (ptx_shape_flow *f, uint32_t reg) {
  if (f->varying[reg]) return;
  f->varying[reg] = f->changed = true;
}

typedef struct access {
  uint32_t reg;
  int role;
} access;

static void note_role (void *ud, ptx_reg *reg, int role) {
  access *a = ud;
  if (reg->id == a->reg) a->role |= role;
}

/* Segments begin at the first instruction of a block if the register is live before it, and also if
 * that instruction writes it. */
static bool live_at (const ptx_shape_flow *f, uint32_t reg, uint32_t block) {
  const ptx_segment *s = f->segments[reg];
  uint32_t at = f->start[block];
  access a = { .reg = reg };
  while (s != NULL && s->end < at) s = s->next;
  if (s == NULL || s->start > at) return false;
  ptx_inst_visit_regs(block_at(f, block)->first, note_role, &a);
  return a.role != PTX_WRITE;
}

static void list_written (void *ud, ptx_reg *reg, int role) {
  ptx_shape_flow *f = ud;
  if ((role & PTX_WRITE) == 0 || f->stamp[reg->id] == f->walk) return;
  f->stamp[reg->id] = f->walk;
  f->written[f->num++] = reg->id;
}

static void list_block (ptx_shape_flow *f, uint32_t block) {
  const ptx_basic_block *b = block_at(f, block);
  for (const ptx_inst *i = b->first; i != b->last->next; i = i->next)
    ptx_inst_visit_regs(i, list_written, f);
}

static void vary_live (ptx_shape_flow *f, uint32_t block) {
  for (uint32_t k = 0; k < f->num; k++)
    if (!f->varying[f->written[k]] && live_at(f, f->written[k], block))
      make_varying(f, f->written[k]);
}

static void begin_list (ptx_shape_flow *f) {
  f->walk++;
  f->num = 0;
}

/* ---- walks ---- */

/* The label of a block where two sides met: other than that of any side. */
static int32_t met_label (const ptx_shape_flow *f, uint32_t block) {
  return (int32_t)(block + f->shape->function->num_bbs);
}

static void label_edge (ptx_shape_flow *f, uint32_t from, uint32_t to) {
  if (f->label[to] < 0) f->label[to] = f->label[from];
  else if (f->label[to] != f->label[from]) f->label[to] = met_label(f, to);
}

static void pass_block (ptx_shape_flow *f, uint32_t b, uint32_t *last, bool *back) {
  int32_t s;
  list_block(f, b);
  for (uint32_t k = 0; (s = ptx_basic_block_successor(block_at(f, b), k)) >= 0; k++) {
    if ((uint32_t)s <= b) {
      back[s] = true;
      continue;
    }
    label_edge(f, b, (uint32_t)s);
    if ((uint32_t)s > *last) *last = (uint32_t)s;
  }
}

static bool went_back (const ptx_shape_flow *f, int32_t home, const bool *back) {
  for (int32_t h = home; h >= 0; h = block_at(f, (uint32_t)h)->outer_loop)
    if (back[h]) return true;
  return false;
}

/* From the sides, which have their labels, of a branch in the loop `home`. Ends where all have met:
 * at a block with no labeled one after it, unless some went back to a head around the branch. Those
 * are noted in `back`. */
static void walk (ptx_shape_flow *f, uint32_t first, uint32_t last, int32_t home, bool *back) {
  for (uint32_t b = first; b <= last; b++) {
    if (f->label[b] < 0) continue;
    if (f->label[b] == met_label(f, b)) {
      f->shape->joins[b] = true;
      vary_live(f, b);
    }
    if (b == last && !went_back(f, home, back)) return;
    pass_block(f, b, &last, back);
  }
}

/* ---- partings ---- */

typedef struct sides {
  uint32_t num, first, last;
} sides;

static void clear_labels (ptx_shape_flow *f) {
  for (uint32_t b = 0; b < f->shape->function->num_bbs; b++) f->label[b] = -1;
}

static void add_side (ptx_shape_flow *f, sides *s, uint32_t block) {
  if (f->label[block] >= 0) return;
  f->label[block] = (int32_t)block;
  if (s->num == 0 || block < s->first) s->first = block;
  if (s->num == 0 || block > s->last) s->last = block;
  s->num++;
}

static void leave_by (ptx_shape_flow *f, uint32_t b, int32_t head, sides *out, bool *back) {
  int32_t s;
  for (uint32_t k = 0; (s = ptx_basic_block_successor(block_at(f, b), k)) >= 0; k++) {
    if (in_loop(f->shape->function, (uint32_t)s, head)) continue;
    vary_live(f, (uint32_t)s);
    f->shape->joins[s] = true;
    if ((uint32_t)s > b) add_side(f, out, (uint32_t)s);
    else back[s] = true;
  }
}

/* Lanes leave the loop in different iterations. The targets of edges out of it become the sides of
 * a walk; what is written in the loop is listed first. */
static sides leave (ptx_shape_flow *f, int32_t head, bool *back) {
  const ptx_function *fn = f->shape->function;
  sides out = { 0 };
  memset(back, 0, fn->num_bbs * sizeof *back);
  clear_labels(f);
  begin_list(f);
  for (uint32_t b = (uint32_t)head; b < fn->num_bbs; b++)
    if (in_loop(fn, b, head)) list_block(f, b);
  for (uint32_t b = (uint32_t)head; b < fn->num_bbs; b++)
    if (in_loop(fn, b, head)) leave_by(f, b, head, &out, back);
  return out;
}

static bool any_outside (const ptx_shape_flow *f, int32_t head) {
  const ptx_function *fn = f->shape->function;
  for (uint32_t b = 0; b < fn->num_bbs; b++)
    if (f->label[b] >= 0 && !in_loop(fn, b, head)) return true;
  return false;
}

/* The innermost loop around `home` that some lanes leave while others go back to its head; -1:
 * none, or it is known. */
static int32_t left_loop (const ptx_shape_flow *f, int32_t home, const bool *back) {
  for (int32_t h = home; h >= 0; h = block_at(f, (uint32_t)h)->outer_loop)
    if (back[h] && any_outside(f, h)) return f->exit_varies[h] ? -1 : h;
  return -1;
}

/* Sides of a block: a side that is a head around it is an edge back. */
static sides sides_of (ptx_shape_flow *f, uint32_t block, bool *back) {
  sides out = { 0 };
  int32_t s;
  for (uint32_t k = 0; (s = ptx_basic_block_successor(block_at(f, block), k)) >= 0; k++) {
    if ((uint32_t)s <= block) back[s] = true;
    else add_side(f, &out, (uint32_t)s);
  }
  return out;
}

void ptx_shape_part (ptx_shape_flow *f, uint32_t block) {
  int32_t home = block_at(f, block)->loop;
  bool *back = lcu_arena_alloc(f->scratch, f->shape->function->num_bbs * sizeof *back);
  if (back == NULL) { /* assume the worst */
    for (uint32_t k = 0; k < f->shape->function->num_regs; k++) make_varying(f, k);
    return;
  }
  clear_labels(f);
  begin_list(f);
  sides out = sides_of(f, block, back);
  while (out.num > 1 || (out.num == 1 && went_back(f, home, back))) {
    walk(f, out.first, out.last, home, back);
    int32_t loop = left_loop(f, home, back);
    if (loop < 0) return;
    f->exit_varies[loop] = true;
    home = block_at(f, (uint32_t)loop)->outer_loop;
    out = leave(f, loop, back);
  }
}

/* ---- loops in which lanes go back from several places ---- */

static bool is_ragged (const ptx_shape_flow *f, uint32_t head) {
  const ptx_function *fn = f->shape->function;
  bool part = false, inner = false;
  uint32_t latches = 0;
  int32_t s;
  for (uint32_t b = head; b < fn->num_bbs; b++) {
    if (!in_loop(fn, b, (int32_t)head)) continue;
    bool latch = false;
    part |= f->shape->divergent[b];
    for (uint32_t k = 0; (s = ptx_basic_block_successor(&fn->bbs[b], k)) >= 0; k++)
      latch |= (uint32_t)s == head;
    latches += latch;
    inner |= latch && fn->bbs[b].loop != (int32_t)head;
  }
  return part && (latches > 1 || inner);
}

void ptx_shape_find_ragged (ptx_shape_flow *f) {
  const ptx_function *fn = f->shape->function;
  for (uint32_t h = 0; h < fn->num_bbs; h++) {
    if (!fn->bbs[h].loop_head || f->shape->ragged[h] || !is_ragged(f, h)) continue;
    f->shape->ragged[h] = true;
    begin_list(f);
    for (uint32_t b = h; b < fn->num_bbs; b++)
      if (in_loop(fn, b, (int32_t)h)) list_block(f, b);
    for (uint32_t k = 0; k < f->num; k++) make_varying(f, f->written[k]);
  }
}

void ptx_shape_find_undefined (ptx_shape_flow *f) {
  for (uint32_t k = 0; k < f->shape->function->num_regs; k++)
    if (f->segments[k] != NULL && live_at(f, k, 0)) make_varying(f, k);
}

bool ptx_shape_flow_init (ptx_shape_flow *f, ptx_claims *s, lcu_arena *scratch) {
  const ptx_function *fn = s->function;
  size_t n = fn->num_bbs + 1u, regs = fn->num_regs + 1u;
  uint32_t positions, at = 0;
  *f = (ptx_shape_flow){ .shape = s, .scratch = scratch };
  f->segments = ptx_live_segments(fn, scratch, &positions);
  f->start = lcu_arena_alloc(scratch, n * sizeof *f->start);
  f->exit_varies = lcu_arena_alloc(scratch, n * sizeof *f->exit_varies);
  f->label = lcu_arena_alloc(scratch, n * sizeof *f->label);
  f->varying = lcu_arena_alloc(scratch, regs * sizeof *f->varying);
  f->written = lcu_arena_alloc(scratch, regs * sizeof *f->written);
  f->stamp = lcu_arena_alloc(scratch, regs * sizeof *f->stamp);
  if (f->segments == NULL || f->start == NULL || f->exit_varies == NULL || f->label == NULL ||
      f->varying == NULL || f->written == NULL || f->stamp == NULL)
    return false;
  for (uint32_t b = 0; b < fn->num_bbs; b++) {
    f->start[b] = at;
    for (const ptx_inst *i = fn->bbs[b].first; i != fn->bbs[b].last->next; i = i->next) at++;
  }
  return true;
}
