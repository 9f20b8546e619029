/* ptx_parse_taken.c: parameters of a .func whose address is taken. Parameters are in registers
 * here, which have no address, so such a parameter is copied to a local variable where the function
 * starts, and all code of the function names that variable: its address is one of local memory
 * (PTX ISA, "Data Movement and Conversion Instructions: mov"). */
#include <string.h>

#include "ptx_parse.h"

/* Does `mov` take its address? Arguments of calls are items of lists, which pass the value. */
static bool is_taken (const ptx_function *f, const ptx_variable *v) {
  for (const ptx_inst *inst = f->body; inst != NULL; inst = inst->next) {
    if (strcmp(inst->parts[0], "mov") != 0) continue;
    for (uint32_t k = 1; k < inst->num_operands; k++)
      if (inst->operands[k].kind == PTX_O_VARIABLE && inst->operands[k].variable == v) return true;
  }
  return false;
}

static ptx_variable *local_of (ptx_parser *p, const ptx_variable *v) {
  ptx_variable *local = ptx_parse_alloc(p, sizeof *local);
  if (local == NULL) return NULL;
  *local = (ptx_variable){ .name = v->name,
                           .space = PTX_LOCAL,
                           .type = v->type,
                           .align = v->align,
                           .size = v->size,
                           .function = p->f };
  ptx_add_local(p, local);
  return local;
}

/* ---- the copy ---- */

ptx_operand ptx_parse_place (ptx_variable *v, uint64_t offset) {
  return (
    ptx_operand){ .kind = PTX_O_ADDRESS, .variable = v, .name = v->name, .i = (int64_t)offset };
}

static void copy_part (ptx_parser *p, ptx_variable *from, ptx_variable *to, uint64_t offset,
                       uint32_t bytes) {
  ptx_type type = bytes == 8 ? PTX_B64 : bytes == 4 ? PTX_B32 : bytes == 2 ? PTX_B16 : PTX_B8;
  ptx_reg *reg = ptx_reg_new(p, to->name, bytes == 8 ? PTX_B64 : PTX_B32);
  ptx_operand value = { .kind = PTX_O_REG, .reg = reg };
  ptx_operand load[2] = { value, ptx_parse_place(from, offset) };
  ptx_operand store[2] = { ptx_parse_place(to, offset), value };
  const char *name = ptx_type_name(type);
  ptx_add_inst(p, (const char *[]){ "ld", "param", name }, 3, load, 2);
  ptx_add_inst(p, (const char *[]){ "st", "local", name }, 3, store, 2);
}

static void copy (ptx_parser *p, ptx_variable *from, ptx_variable *to) {
  uint32_t bytes = 8;
  for (uint64_t at = 0; at < from->size && p->status == LCU_OK; at += bytes) {
    while (bytes > 1 && (from->align % bytes != 0 || from->size - at < bytes)) bytes /= 2;
    copy_part(p, from, to, at, bytes);
  }
}

/* Puts the copy before the body. Labels stay where they are, so no branch repeats it. */
static void copy_at_start (ptx_parser *p, ptx_variable *from, ptx_variable *to) {
  ptx_inst *body = p->f->body, **end = p->last_inst;
  ptx_label **unplaced = p->unplaced;
  p->f->body = NULL;
  p->last_inst = &p->f->body;
  p->unplaced = p->last_label;
  copy(p, from, to);
  *p->last_inst = body;
  if (body != NULL) p->last_inst = end;
  p->unplaced = unplaced;
}

/* ---- the rest of the body ---- */

static void rename_space (ptx_inst *inst) {
  for (uint32_t k = 1; k < inst->num_parts; k++)
    if (strcmp(inst->parts[k], "param") == 0 || strcmp(inst->parts[k], "param::func") == 0)
      inst->parts[k] = "local";
}

static void replace_in (ptx_inst *inst, const ptx_variable *from, ptx_variable *to) {
  for (uint32_t k = 0; k < inst->num_operands; k++) {
    ptx_operand *o = &inst->operands[k];
    if (o->variable != from) continue;
    o->variable = to;
    if (o->kind == PTX_O_ADDRESS) rename_space(inst);
  }
}

void ptx_parse_taken (ptx_parser *p) {
  ptx_function *f = p->f;
  if (f->is_entry) return;
  for (ptx_variable *v = f->params; v != NULL && p->status == LCU_OK; v = v->next) {
    ptx_variable *local = is_taken(f, v) ? local_of(p, v) : NULL;
    if (local == NULL) continue;
    for (ptx_inst *inst = f->body; inst != NULL; inst = inst->next) replace_in(inst, v, local);
    copy_at_start(p, v, local);
  }
}
