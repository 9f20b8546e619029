/* ptx_check_product.c: with all checks on, the registers of wgmma. Until a thread has waited for a
 * product, its accumulator must not be read or written, and its fragment of matrix a must not be
 * written. Registers that other instructions have written must pass wgmma.fence before a product
 * uses them, and so must the first product of a warp. Products of one accumulator follow each other
 * without either. */
#include <string.h>

#include "ptx_check.h"
#include "ptx_fault.h"
#include "ptx_module.h"
#include "ptx_operands.h"
#include "ptx_wgmma.h"

/* Where a register was written since the latest wgmma.fence: a source position + 1, or 0. */
struct ptx_defined {
  uint32_t run, num;
  uint32_t at[];
};

/* ---- products in flight */

typedef struct use {
  ptx_xwarp *x;
  const ptx_uop *I;
  const ptx_frame *f;
  bool is_product;
  bool fine;
} use;

static bool names (const ptx_operand *o, const ptx_reg *reg) {
  if (o->kind == PTX_O_REG) return o->reg == reg;
  for (uint32_t k = 0; k < o->num_items; k++)
    if (names(&o->items[k], reg)) return true;
  return false;
}

static bool fail_use (use *u, const ptx_reg *reg, const char *what, uint32_t loc,
                      const char *between) {
  ptx_fault_set(u->x, ptx_first_lane(u->x->w.mask), PTX_FAULT_RACE, "%s (%s)", what, reg->name);
  u->x->w.fault.other =
    (ptx_meeting){ .access = "product",
                   .between = between,
                   .cta = u->x->cta->linear,
                   .thread = u->x->w.warpid * PTX_LANES + ptx_first_lane(u->x->w.mask),
                   .loc = loc };
  u->fine = false;
  return false;
}

/* Whether the instruction may use the register while the product is in flight. */
static bool may_use (use *u, const ptx_reg *reg, int role, const ptx_flight *p) {
  static const char *const wait =
    "without a wait (wgmma.wait_group) for the product of the tensor cores";
  const ptx_operand *o = p->I->extra->inst->operands;
  bool accumulates =
    u->is_product && names(&u->f->code->insts[u->I - u->f->code->uops]->operands[0], reg);
  if (names(&o[0], reg) && !accumulates)
    return fail_use(u, reg,
                    role & PTX_WRITE ? "write of a register of an accumulator"
                                     : "read of a register of an accumulator",
                    p->I->loc, wait);
  if ((role & PTX_WRITE) != 0 && o[1].num_items != 0 && names(&o[1], reg))
    return fail_use(u, reg, "write of a register of a matrix that wgmma reads", p->I->loc, wait);
  return true;
}

static void check_register (void *ud, ptx_reg *reg, int role) {
  use *u = ud;
  const ptx_flight *p = u->x->w.in_groups[PTX_GROUP_PRODUCT].first;
  for (; p != NULL && u->fine; p = p->next)
    if (ptx_product_frame(p) == u->f->rf) (void)may_use(u, reg, role, p);
}

/* ---- registers that wait for wgmma.fence */

static struct ptx_defined *defined_of (ptx_xwarp *x, const ptx_code *code) {
  struct ptx_defined *t = x->defined;
  uint32_t num = code->function->num_regs;
  if (t == NULL || t->num < num) {
    lcu_free(t);
    t = x->defined = lcu_calloc(1, sizeof *t + num * sizeof t->at[0]);
    if (t == NULL) return NULL;
    t->num = num;
  }
  if (t->run != x->cta->run) {
    memset(t->at, 0, t->num * sizeof t->at[0]);
    t->run = x->cta->run;
  }
  return t;
}

/* NVVM may set an accumulator to zero after the fence; ptxas then inserts a fence of its own. */
static bool is_constant_move (const ptx_inst *inst) {
  return strcmp(inst->match.op->opcode, "mov") == 0 && inst->num_operands == 2 &&
         (inst->operands[1].kind == PTX_O_INT || inst->operands[1].kind == PTX_O_FLOAT);
}

static void note_defined (void *ud, ptx_reg *reg, int role) {
  use *u = ud;
  if ((role & PTX_WRITE) != 0) u->x->defined->at[reg->id] = u->I->loc + 1;
}

static void check_defined (void *ud, ptx_reg *reg, int role) {
  use *u = ud;
  uint32_t at = u->x->defined->at[reg->id];
  (void)role;
  if (at == 0 || !u->fine) return;
  fail_use(u, reg, "product of the tensor cores with a register", at - 1,
           "without a fence (wgmma.fence) after the write");
  u->x->w.fault.other.access = "write";
}

static void fail_unfenced (use *u) {
  ptx_fault_set(u->x, ptx_first_lane(u->x->w.mask), PTX_FAULT_RACE,
                "first product of the tensor cores by a warp that has not fenced its registers "
                "(wgmma.fence),");
  u->fine = false;
}

static void check_fenced (use *u, const ptx_inst *inst) {
  ptx_operand_visit_regs(&inst->operands[0], PTX_READ, check_defined, u);
  if (inst->operands[1].num_items != 0)
    ptx_operand_visit_regs(&inst->operands[1], PTX_READ, check_defined, u);
  if (u->fine && u->x->product_fenced != u->x->cta->run) fail_unfenced(u);
}

/* ---- an instruction */

/* Each instruction once, with its first operation. */
static const ptx_inst *starts_inst (const ptx_code *code, const ptx_uop *I) {
  size_t at = (size_t)(I - code->uops);
  const ptx_inst *inst = code->insts[at];
  bool again = at > 0 && code->insts[at - 1] == inst && I[-1].id != PTX_ID_guard;
  return again ? NULL : inst;
}

bool ptx_check_products (ptx_xwarp *x, const ptx_uop *I, const ptx_frame *f) {
  bool fence = I->id == PTX_ID_async_group && I->imm == PTX_GROUP_FENCE;
  if (fence) x->product_fenced = x->cta->run;
  if (!f->code->multiplies || f->code->function->module->ast.debug) return true;
  use u = { .x = x, .I = I, .f = f, .is_product = I->id == PTX_ID_wgmma, .fine = true };
  const ptx_inst *inst = starts_inst(f->code, I);
  if (inst == NULL) return true;
  if (x->w.in_groups[PTX_GROUP_PRODUCT].first != NULL)
    ptx_inst_visit_regs(inst, check_register, &u);
  if (!u.fine || f != &x->root || defined_of(x, f->code) == NULL) return u.fine;
  if (fence) memset(x->defined->at, 0, x->defined->num * sizeof x->defined->at[0]);
  else if (u.is_product) check_fenced(&u, inst);
  else if (!is_constant_move(inst)) ptx_inst_visit_regs(inst, note_defined, &u);
  return u.fine;
}
