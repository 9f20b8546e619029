/* ptx_operands.c: operand forms of matched instructions. */
#include "ptx_operands.h"

#include "ptx_match.h"

/* Barriers have a result only when they reduce; the row's form is for all of them. */
static const char *operand_form (const ptx_inst *inst) {
  const ptx_match *m = &inst->match;
  if (m->op->decode != PTX_DEC_bar) return m->op->form;
  bool reduces = m->mode == PTX_MODE_popc || m->mode == PTX_MODE_and || m->mode == PTX_MODE_or;
  return reduces ? "Daa?a" : "a?a";
}

/* Letter of operand i in the form; 0 past its end. */
static char letter_of (const ptx_inst *inst, int operand) {
  int i = 0;
  for (const char *f = operand_form(inst); *f != '\0' && *f != ':'; f++) {
    if (*f == '?' || (*f == 'P' && !inst->pair)) continue;
    if (i++ == operand) return *f;
  }
  return 0;
}

bool ptx_operands_fit (const ptx_inst *inst) {
  int most = 0, least = -1;
  bool takes_pair = false;
  for (const char *f = operand_form(inst); *f != '\0' && *f != ':'; f++) {
    if (*f == '?') {
      least = most;
      continue;
    }
    if (*f == 'P') {
      takes_pair = true;
      if (!inst->pair) continue;
    }
    most++;
  }
  if (least < 0) least = most;
  return inst->num_operands >= least && inst->num_operands <= most && (takes_pair || !inst->pair);
}

static int call_role (const ptx_inst *inst, int operand) {
  int target = 0;
  while (target < inst->num_operands && inst->operands[target].kind == PTX_O_LIST) target++;
  return operand < target ? PTX_WRITE : PTX_READ;
}

int ptx_operand_role (const ptx_inst *inst, int operand) {
  switch (letter_of(inst, operand)) {
    case 'D':
    case 'P':
    case 'v': return PTX_WRITE;
    case 'd': return PTX_READ | PTX_WRITE;
    case 'a':
    case 'u':
    case 'm':
    case 's': return PTX_READ;
    case 'C': return call_role(inst, operand);
    default: return 0;
  }
}

void ptx_operand_visit_regs (const ptx_operand *o, int role, ptx_reg_visit each, void *ud) {
  if (o->kind == PTX_O_REG) each(ud, o->reg, role);
  if (o->kind == PTX_O_ADDRESS && o->reg != NULL) each(ud, o->reg, PTX_READ);
  for (uint32_t k = 0; k < o->num_items; k++)
    ptx_operand_visit_regs(&o->items[k], o->kind == PTX_O_ADDRESS ? PTX_READ : role, each, ud);
}

void ptx_inst_visit_regs (const ptx_inst *inst, ptx_reg_visit each, void *ud) {
  for (int k = 0; k < inst->num_operands; k++) {
    int role = ptx_operand_role(inst, k);
    if (inst->guarded && (role & PTX_WRITE) != 0) role |= PTX_READ;
    ptx_operand_visit_regs(&inst->operands[k], role, each, ud);
  }
  if (inst->guard != NULL) each(ud, inst->guard, PTX_READ);
}
