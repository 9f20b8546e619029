/* ptx_parse_formal.c: parameters and results of a .func in registers (PTX ISA, "Kernel and Function
 * Directives: .func"). They become .param variables: the body loads parameters at its start and
 * stores results before it returns. */
#include <stdio.h>
#include <string.h>

#include "ptx_parse.h"

/* A formal parameter or result in registers, until its body is read. */
struct ptx_formal {
  ptx_formal *next;
  ptx_name *name;
  ptx_variable *variable;
  ptx_type type; /* of one register */
  uint32_t num;  /* of registers: more than 1 in a vector */
  ptx_reg *regs[4];
};

/* ---- heads ---- */

static ptx_variable *variable_of (ptx_parser *p, const ptx_name *name, ptx_type type,
                                  uint32_t num) {
  char text[256];
  uint32_t element = type == PTX_PRED ? 4 : ptx_type_bytes(type), bytes = element * num;
  snprintf(text, sizeof text, "%.240s$reg", name->text);
  ptx_name *own = ptx_name_intern(p, text, strlen(text));
  ptx_variable *v = ptx_parse_alloc(p, sizeof *v);
  if (own == NULL || v == NULL) return NULL;
  *v = (ptx_variable){ .name = own->text,
                       .space = PTX_PARAM,
                       .type = bytes < 4 || type == PTX_PRED ? PTX_B32 : type,
                       .align = bytes < 4 ? 4 : bytes,
                       .size = bytes < 4 ? 4 : bytes };
  return v;
}

/* After .reg: [.v4] .type name. Other functions than .func refuse it later. */
ptx_variable *ptx_parse_formal (ptx_parser *p, bool bind) {
  uint32_t num = ptx_accept_vector(p);
  ptx_type type = ptx_type_of_token(p);
  if (type == PTX_NOTYPE) ptx_parse_fail_near(p, "expected a register type");
  ptx_next(p);
  ptx_name *name = ptx_expect_name(p, "a parameter name");
  if (name == NULL) return NULL;
  if (ptx_type_bytes(type) * num > 16 || num > 4)
    ptx_parse_fail(p, p->tok.line, "'%.80s' is larger than 16 bytes", name->text);
  ptx_variable *v = variable_of(p, name, type, num);
  ptx_formal *f = v != NULL && bind ? ptx_parse_alloc(p, sizeof *f) : NULL;
  if (f == NULL) return v;
  *f = (ptx_formal){ .next = p->formals, .name = name, .variable = v, .type = type, .num = num };
  p->formals = f;
  return v;
}

/* ---- instructions of their own ---- */

static ptx_operand registers_of (ptx_parser *p, const ptx_formal *f) {
  ptx_operand o = { .kind = PTX_O_VECTOR, .num_items = f->num };
  if (f->num == 1) return (ptx_operand){ .kind = PTX_O_REG, .reg = f->regs[0] };
  o.items = ptx_parse_alloc(p, f->num * sizeof *o.items);
  for (uint32_t k = 0; o.items != NULL && k < f->num; k++)
    o.items[k] = (ptx_operand){ .kind = PTX_O_REG, .reg = f->regs[k] };
  return o;
}

static ptx_type access_type (ptx_type t) {
  switch (t == PTX_PRED ? 4 : ptx_type_bytes(t)) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    default: return ptx_type_bytes(t) == 8 ? PTX_B64 : PTX_B128;
  }
}

/* ld.param or st.param of all registers. */
static void add_access (ptx_parser *p, const char *opcode, const ptx_formal *f,
                        const ptx_operand *value) {
  const char *parts[4] = { opcode, "param", f->num == 2 ? "v2" : "v4" };
  uint32_t num = f->num == 1 ? 2 : 3;
  parts[num++] = ptx_type_name(access_type(f->type));
  bool load = opcode[0] == 'l';
  ptx_operand place = ptx_parse_place(f->variable, 0);
  ptx_operand o[2] = { load ? *value : place, load ? place : *value };
  ptx_add_inst(p, parts, num, o, 2);
}

static void bind_formal (ptx_parser *p, ptx_formal *f) {
  ptx_reg_vector *v = f->num > 1 ? ptx_parse_alloc(p, sizeof *v) : NULL;
  for (uint32_t k = 0; k < f->num && k < 4; k++)
    f->regs[k] = ptx_reg_new(p, f->name->text, f->type);
  if (f->num == 1) {
    ptx_bind(p, f->name, PTX_BIND_REG, f->regs[0]);
    return;
  }
  if (v == NULL) return;
  v->num = f->num;
  memcpy(v->regs, f->regs, sizeof v->regs);
  ptx_bind(p, f->name, PTX_BIND_VECTOR, v);
}

/* A predicate is passed as a word, 0 or -1, which is what its register holds. */
static void load_predicate (ptx_parser *p, const ptx_formal *f) {
  ptx_operand word = { .kind = PTX_O_REG, .reg = ptx_reg_new(p, f->variable->name, PTX_B32) };
  ptx_operand o[3] = { { .kind = PTX_O_REG, .reg = f->regs[0] }, word, { .kind = PTX_O_INT } };
  add_access(p, "ld", f, &word);
  ptx_add_inst(p, (const char *[]){ "setp", "ne", "b32" }, 3, o, 3);
}

static void store_predicate (ptx_parser *p, const ptx_formal *f) {
  ptx_operand word = { .kind = PTX_O_REG, .reg = ptx_reg_new(p, f->variable->name, PTX_B32) };
  ptx_operand o[4] = {
    word,
    { .kind = PTX_O_INT, .i = -1 },
    { .kind = PTX_O_INT },
    { .kind = PTX_O_REG, .reg = f->regs[0] },
  };
  ptx_add_inst(p, (const char *[]){ "selp", "b32" }, 2, o, 4);
  add_access(p, "st", f, &word);
}

void ptx_formals_enter (ptx_parser *p) {
  for (ptx_formal *f = p->formals; f != NULL && p->status == LCU_OK; f = f->next) {
    bind_formal(p, f);
    ptx_operand value = registers_of(p, f);
    if (f->variable->is_return) continue;
    if (f->type == PTX_PRED) load_predicate(p, f);
    else add_access(p, "ld", f, &value);
  }
}

void ptx_formals_leave (ptx_parser *p) {
  for (ptx_formal *f = p->formals; f != NULL && p->status == LCU_OK; f = f->next) {
    ptx_operand value = registers_of(p, f);
    if (!f->variable->is_return) continue;
    if (f->type == PTX_PRED) store_predicate(p, f);
    else add_access(p, "st", f, &value);
  }
}
