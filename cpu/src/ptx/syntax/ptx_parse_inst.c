/* ptx_parse_inst.c: instructions and operands: their syntax, not their meaning. */
#include <stdio.h>
#include <string.h>

#include "ptx_parse.h"

enum { MAX_ITEMS = 4096 };

static bool parse_operand (ptx_parser *p, ptx_operand *o, bool may_be_label);


/* Lists. Items are read into a chain, since their number is unknown. */

typedef struct item {
  struct item *next;
  ptx_operand operand;
} item;

static void collect (ptx_parser *p, ptx_operand *o, ptx_operand_kind kind, const item *first,
                     uint32_t num) {
  o->kind = kind;
  o->num_items = num;
  o->items = ptx_parse_alloc(p, (num + 1u) * sizeof *o->items);
  for (uint32_t k = 0; o->items != NULL && first != NULL; k++, first = first->next)
    o->items[k] = first->operand;
}

/* Up to `close`, which is read as well. Items are never labels, which are patched in place
 * later. */
static void parse_items (ptx_parser *p, ptx_operand *o, ptx_operand_kind kind, int close) {
  item *first = NULL, **last = &first;
  uint32_t num = 0;
  while (p->tok.kind != PTX_T_END && !ptx_at(p, close)) {
    item *it = ptx_parse_alloc(p, sizeof *it);
    if (it == NULL || !parse_operand(p, &it->operand, false)) return;
    *last = it;
    last = &it->next;
    if (++num > MAX_ITEMS) ptx_parse_fail(p, p->tok.line, "list is too long");
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, close);
  collect(p, o, kind, first, num);
}


/* Names. */

/* %tid, a vector of four, and its last element, which is zero. `text` is "tid" or "tid.w". */
static bool parse_sreg_vector (ptx_parser *p, ptx_operand *o, char *text, size_t len) {
  bool element = len > 2 && memcmp(text + len - 2, ".w", 2) == 0;
  if (!element) memcpy(text + len, ".x", 2);
  else text[len - 1] = 'x';
  int first = ptx_sreg_find(text, element ? len : len + 2);
  if (first < 0) return false;
  if (element) {
    ptx_next(p);
    o->kind = PTX_O_INT;
    return true;
  }
  collect(p, o, PTX_O_VECTOR, NULL, 4);
  for (int k = 0; o->items != NULL && k < 3; k++)
    o->items[k] = (ptx_operand){ .kind = PTX_O_SREG, .sreg = first + k };
  if (o->items != NULL) o->items[3] = (ptx_operand){ .kind = PTX_O_INT };
  return true;
}

/* %tid.x, %laneid: the name has been read; the part after the dot is the current token. */
static bool parse_sreg (ptx_parser *p, ptx_operand *o, const ptx_name *name) {
  char text[48];
  size_t len = name->len - 1;
  if (name->text[0] != '%' || len + 3 + p->tok.len >= sizeof text) return false;
  memcpy(text, name->text + 1, len);
  if (p->tok.kind == PTX_T_DOT) {
    text[len++] = '.';
    memcpy(text + len, p->tok.text, p->tok.len);
    len += p->tok.len;
  }
  int index = ptx_sreg_find(text, len);
  if (index < 0) return parse_sreg_vector(p, o, text, len);
  if (p->tok.kind == PTX_T_DOT) ptx_next(p);
  o->kind = PTX_O_SREG;
  o->sreg = index;
  o->name = name->text;
  return true;
}

static void use_reg (ptx_parser *p, ptx_operand *o, ptx_reg *reg) {
  o->kind = PTX_O_REG;
  o->reg = reg;
  if (p->tok.kind != PTX_T_DOT) return;
  ptx_name *part = ptx_name_intern(p, p->tok.text, p->tok.len); /* %r1.b0 */
  o->name = part != NULL ? part->text : NULL;
  ptx_next(p);
}

/* v or v.x of a vector register */
static void use_vector (ptx_parser *p, ptx_operand *o, const ptx_reg_vector *v) {
  static const char parts[] = "xyzwrgba";
  if (p->tok.kind != PTX_T_DOT) {
    collect(p, o, PTX_O_VECTOR, NULL, v->num);
    for (uint32_t k = 0; o->items != NULL && k < v->num; k++)
      o->items[k] = (ptx_operand){ .kind = PTX_O_REG, .reg = v->regs[k] };
    return;
  }
  const char *at = p->tok.len == 1 ? strchr(parts, *p->tok.text) : NULL;
  uint32_t k = at != NULL ? (uint32_t)(at - parts) % 4 : 4;
  if (k >= v->num) ptx_parse_fail_near(p, "no such element of a vector");
  ptx_next(p);
  o->kind = PTX_O_REG;
  o->reg = k < v->num ? v->regs[k] : v->regs[0];
}

static void use_variable (ptx_parser *p, ptx_operand *o, ptx_variable *v) {
  o->kind = PTX_O_VARIABLE;
  o->variable = v;
  if (ptx_at(p, '+') || ptx_at(p, '-')) o->i = ptx_parse_int(p, "an offset");
}

static void use_binding (ptx_parser *p, ptx_operand *o, const ptx_binding *b) {
  switch (b->kind) {
    case PTX_BIND_REG: use_reg(p, o, b->p); break;
    case PTX_BIND_VECTOR: use_vector(p, o, b->p); break;
    case PTX_BIND_VARIABLE: use_variable(p, o, b->p); break;
    case PTX_BIND_FUNCTION:
      o->kind = PTX_O_FUNCTION;
      o->function = b->p;
      break;
    case PTX_BIND_PROTO:
      o->kind = PTX_O_PROTO;
      o->proto = b->p;
      break;
    case PTX_BIND_BRANCHES: *o = *(ptx_operand *)b->p; break;
    default: ptx_parse_fail_near(p, "'%.80s' cannot be used here", b->name->text);
  }
  if (o->name == NULL && o->kind != PTX_O_REG) o->name = b->name->text;
}

static void parse_name (ptx_parser *p, ptx_operand *o, bool may_be_label) {
  uint32_t line = p->tok.line;
  ptx_name *name = ptx_expect_name(p, "an operand");
  if (name == NULL) return;
  ptx_binding *b = ptx_lookup(p, name);
  if (b != NULL && b->kind != PTX_BIND_LABEL && b->kind != PTX_BIND_RANGE) use_binding(p, o, b);
  else if (name->len == 1 && name->text[0] == '_') o->kind = PTX_O_SINK;
  else if (parse_sreg(p, o, name)) return;
  else if (may_be_label) {
    o->kind = PTX_O_LABEL;
    o->name = name->text;
  } else ptx_parse_fail(p, line, "'%.80s' is not declared", name->text);
}


/* Constants, addresses. */

static void parse_constant (ptx_parser *p, ptx_operand *o) {
  ptx_const c = ptx_parse_const(p);
  o->kind = c.is_float ? PTX_O_FLOAT : PTX_O_INT;
  o->i = (int64_t)c.i;
  o->f = c.f;
  o->single = c.single;
  if (!c.is_float || !c.single) return;
  bool nan = (c.i >> 52 & 0x7ff) == 0x7ff && (c.i & (((uint64_t)1 << 52) - 1)) != 0;
  float f = (float)c.f;
  uint32_t bits =
    (uint32_t)(c.i >> 32 & 0x80000000u) | 0x7f800000u | (uint32_t)(c.i >> 29 & 0x7fffffu);
  /* a conversion may change the bits of a NaN */
  if (!nan) memcpy(&bits, &f, sizeof bits);
  o->i = (int64_t)bits;
}

/* After ',' in [handle, {x, y}] or [handle, x]. */
static void parse_coordinates (ptx_parser *p, ptx_operand *o) {
  ptx_operand c = { 0 };
  if (ptx_accept(p, '{')) parse_items(p, &c, PTX_O_VECTOR, '}');
  else {
    item one = { .next = NULL };
    if (parse_operand(p, &one.operand, false)) collect(p, &c, PTX_O_VECTOR, &one, 1);
  }
  o->items = c.items;
  o->num_items = c.num_items;
  if (ptx_at(p, ','))
    ptx_parse_fail_near(p, "separate samplers (texmode_independent) are not supported");
}

static void parse_base (ptx_parser *p, ptx_operand *o) {
  ptx_operand base = { 0 };
  uint32_t line = p->tok.line;
  parse_name(p, &base, false);
  o->i = base.i;
  if (base.kind == PTX_O_REG && base.name == NULL) o->reg = base.reg;
  else if (base.kind == PTX_O_VARIABLE) o->variable = base.variable;
  else ptx_parse_fail(p, line, "expected a register or a variable in an address");
  if (ptx_at(p, '+') || ptx_at(p, '-')) o->i = ptx_parse_int(p, "an offset");
}

/* After '['. */
static void parse_address (ptx_parser *p, ptx_operand *o) {
  o->kind = PTX_O_ADDRESS;
  if (p->tok.kind == PTX_T_NAME) parse_base(p, o);
  else o->i = ptx_parse_int(p, "an address");
  if (ptx_accept(p, ',')) parse_coordinates(p, o);
  ptx_expect(p, ']');
  ptx_accept_dot(p, "unified"); /* one address in all address spaces: a hint */
}

/* At '!' or '-': an inverted predicate or a negated register, unless a constant follows. */
static bool parse_negated (ptx_parser *p, ptx_operand *o) {
  ptx_lexer lex = p->lex;
  ptx_token tok = p->tok;
  ptx_next(p);
  if (p->status != LCU_OK) return true;
  if (p->tok.kind == PTX_T_NAME && !(p->tok.len == 7 && memcmp(p->tok.text, "WARP_SZ", 7) == 0)) {
    parse_name(p, o, false);
    if (o->kind != PTX_O_REG) ptx_parse_fail_near(p, "expected a register");
    o->negate = true;
    return true;
  }
  p->lex = lex;
  p->tok = tok;
  return false;
}

/* False after an error. */
static bool parse_operand (ptx_parser *p, ptx_operand *o, bool may_be_label) {
  if (p->tok.kind == PTX_T_NAME && !(p->tok.len == 7 && memcmp(p->tok.text, "WARP_SZ", 7) == 0))
    parse_name(p, o, may_be_label);
  else if (ptx_accept(p, '[')) parse_address(p, o);
  else if (ptx_at(p, '{')) {
    if (++p->nesting > 8) ptx_parse_fail(p, p->tok.line, "braces are nested too deeply");
    ptx_next(p);
    if (p->status == LCU_OK) parse_items(p, o, PTX_O_VECTOR, '}');
    p->nesting--;
  } else if ((ptx_at(p, '!') || ptx_at(p, '-')) && parse_negated(p, o)) return p->status == LCU_OK;
  else if (ptx_at_const(p) || p->tok.kind == PTX_T_NAME) parse_constant(p, o);
  else ptx_parse_fail_near(p, "expected an operand");
  return p->status == LCU_OK;
}


/* Instructions. */

static void append (ptx_parser *p, ptx_inst *inst) {
  *p->last_inst = inst;
  p->last_inst = &inst->next;
  p->f->num_insts++;
  for (ptx_label *l = *p->unplaced; l != NULL; l = l->next) l->at = inst;
  p->unplaced = p->last_label;
}

/* Appends a part that does not fit to the last one: the instruction is unknown anyway, and the
 * message shows it complete. */
static void join_part (ptx_parser *p, ptx_inst *inst, const ptx_name *part) {
  const char *old = inst->parts[PTX_MAX_PARTS - 1];
  size_t len = strlen(old);
  if (len + part->len > 512) return;
  char *text = ptx_parse_alloc(p, len + part->len + 2);
  if (text == NULL) return;
  memcpy(text, old, len);
  text[len] = '.';
  memcpy(text + len + 1, part->text, part->len);
  ptx_name *joined = ptx_name_intern(p, text, len + 1 + part->len);
  if (joined != NULL) inst->parts[PTX_MAX_PARTS - 1] = joined->text;
}

static void parse_parts (ptx_parser *p, ptx_inst *inst) {
  while (p->tok.kind == PTX_T_DOT) {
    ptx_name *part = ptx_name_intern(p, p->tok.text, p->tok.len);
    if (part == NULL) return;
    if (inst->num_parts < PTX_MAX_PARTS) inst->parts[inst->num_parts++] = part->text;
    else join_part(p, inst, part);
    ptx_next(p);
  }
}

/* Storage of the next operand. Those that do not fit are read and dropped. */
static ptx_operand *next_operand (ptx_inst *inst, ptx_operand row[PTX_MAX_OPERANDS + 1]) {
  if (inst->num_operands < PTX_MAX_OPERANDS) return &row[inst->num_operands++];
  row[PTX_MAX_OPERANDS] = (ptx_operand){ 0 };
  return &row[PTX_MAX_OPERANDS];
}

/* Operands move to the tree when their number is known. Labels are patched later, so their final
 * place is noted. */
static void keep_operands (ptx_parser *p, ptx_inst *inst, const ptx_operand *row) {
  inst->operands = ptx_parse_alloc(p, (inst->num_operands + 1u) * sizeof *row);
  if (inst->operands == NULL || p->status != LCU_OK) return;
  memcpy(inst->operands, row, inst->num_operands * sizeof *row);
  for (uint32_t k = 0; k < inst->num_operands; k++) {
    ptx_operand *o = &inst->operands[k];
    if (o->kind == PTX_O_LABEL)
      ptx_refer_label(p, o, ptx_name_intern(p, o->name, strlen(o->name)), inst->text_line);
  }
}

static void parse_operands (ptx_parser *p, ptx_inst *inst, ptx_operand *row) {
  if (ptx_at(p, ';')) return;
  do {
    ptx_operand *o = next_operand(inst, row);
    if (!parse_operand(p, o, true)) return;
    if (o->kind == PTX_O_FUNCTION) o->function->address_taken = true;
    if (!ptx_at(p, '|')) continue;
    ptx_next(p);
    if (inst->num_operands == 1) inst->pair = true;
    o = next_operand(inst, row);
    if (!parse_operand(p, o, false)) return;
  } while (ptx_accept(p, ','));
}

/* "(a, b)" or nothing: a LIST in both cases. */
static void parse_call_list (ptx_parser *p, ptx_operand *o) {
  o->kind = PTX_O_LIST;
  if (ptx_accept(p, '(')) parse_items(p, o, PTX_O_LIST, ')');
}

/* [(returns),] target [, (arguments) [, prototype]] */
static void parse_call (ptx_parser *p, ptx_inst *inst, ptx_operand *o) {
  bool has_returns = ptx_at(p, '(');
  parse_call_list(p, &o[0]);
  if (has_returns) ptx_expect(p, ',');
  if (p->tok.kind != PTX_T_NAME) ptx_parse_fail_near(p, "expected a function");
  parse_operand(p, &o[1], false);
  if (p->status == LCU_OK && o[1].kind != PTX_O_FUNCTION && o[1].kind != PTX_O_REG)
    ptx_parse_fail_near(p, "expected a function");
  inst->num_operands = 3;
  o[2].kind = PTX_O_LIST;
  if (!ptx_accept(p, ',')) return;
  if (ptx_at(p, '(')) {
    parse_call_list(p, &o[2]);
    if (!ptx_accept(p, ',')) return;
  }
  inst->num_operands = 4;
  parse_operand(p, &o[3], false);
  if (p->status == LCU_OK && o[3].kind != PTX_O_PROTO)
    ptx_parse_fail_near(p, "expected a prototype");
}

void ptx_add_inst (ptx_parser *p, const char *const *parts, uint32_t num_parts,
                   const ptx_operand *operands, uint32_t num_operands) {
  ptx_inst *inst = ptx_parse_alloc(p, sizeof *inst);
  if (inst == NULL) return;
  memcpy(inst->parts, parts, num_parts * sizeof *parts);
  inst->num_parts = (uint8_t)num_parts;
  inst->num_operands = (uint8_t)num_operands;
  inst->text_line = p->tok.line;
  inst->loc = p->loc;
  keep_operands(p, inst, operands);
  append(p, inst);
}

void ptx_parse_inst (ptx_parser *p, ptx_name *opcode, ptx_reg *guard, bool negate, uint32_t line) {
  ptx_operand row[PTX_MAX_OPERANDS + 1] = { 0 };
  ptx_inst *inst = ptx_parse_alloc(p, sizeof *inst);
  if (inst == NULL) return;
  if (strcmp(opcode->text, "ret") == 0) ptx_formals_leave(p);
  inst->parts[inst->num_parts++] = opcode->text;
  inst->guard = guard;
  inst->guarded = guard != NULL;
  inst->guard_negate = negate;
  inst->text_line = line;
  inst->loc = p->loc;
  inst->used_bytes = p->used_bytes;
  p->used_bytes = 0;
  parse_parts(p, inst);
  if (strcmp(opcode->text, "call") == 0) parse_call(p, inst, row);
  else parse_operands(p, inst, row);
  keep_operands(p, inst, row);
  append(p, inst);
  ptx_expect(p, ';');
}

/* @p and @!p */
void ptx_parse_guarded (ptx_parser *p) {
  ptx_next(p);
  bool negate = ptx_accept(p, '!');
  uint32_t line = p->tok.line;
  ptx_operand guard = { 0 };
  if (p->tok.kind != PTX_T_NAME) ptx_parse_fail_near(p, "expected a predicate");
  if (p->status == LCU_OK) parse_name(p, &guard, false);
  if (p->status == LCU_OK && (guard.kind != PTX_O_REG || guard.reg->type != PTX_PRED))
    ptx_parse_fail_near(p, "expected a predicate register");
  ptx_name *opcode = ptx_expect_name(p, "an instruction");
  if (opcode != NULL && p->status == LCU_OK) ptx_parse_inst(p, opcode, guard.reg, negate, line);
}

/* L3 of the range L<8> in a list of branch targets. */
static ptx_name *target_of_range (ptx_parser *p, const ptx_name *prefix, uint64_t k) {
  char text[128];
  int n = snprintf(text, sizeof text, "%.100s%llu", prefix->text, (unsigned long long)k);
  return ptx_name_intern(p, text, (size_t)n);
}

/* A target, or a range of them. */
static void parse_branch (ptx_parser *p, item ***last, uint32_t *num) {
  ptx_name *name = ptx_expect_name(p, "a label");
  uint64_t count = 1;
  bool range = ptx_accept(p, '<');
  if (range) {
    count = ptx_expect_uint(p, "a number of labels");
    ptx_expect(p, '>');
  }
  if (count > MAX_ITEMS || *num + count > MAX_ITEMS)
    ptx_parse_fail(p, p->tok.line, "list is too long");
  for (uint64_t k = 0; k < count && p->status == LCU_OK; k++) {
    ptx_name *label = range ? target_of_range(p, name, k) : name;
    item *it = ptx_parse_alloc(p, sizeof *it);
    if (it == NULL || label == NULL) return;
    it->operand = (ptx_operand){ .kind = PTX_O_LABEL, .name = label->text };
    **last = it;
    *last = &it->next;
    ++*num;
  }
}

/* After "name: .branchtargets": L0, L<4>; */
void ptx_parse_branches (ptx_parser *p, ptx_name *name) {
  ptx_operand *list = ptx_parse_alloc(p, sizeof *list);
  item *first = NULL, **last = &first;
  uint32_t num = 0, line = p->tok.line;
  do parse_branch(p, &last, &num);
  while (ptx_accept(p, ','));
  ptx_expect(p, ';');
  if (list == NULL || p->status != LCU_OK) return;
  collect(p, list, PTX_O_LIST, first, num);
  for (uint32_t k = 0; list->items != NULL && k < num; k++) {
    const char *label = list->items[k].name;
    ptx_refer_label(p, &list->items[k], ptx_name_intern(p, label, strlen(label)), line);
  }
  ptx_bind(p, name, PTX_BIND_BRANCHES, list);
}
