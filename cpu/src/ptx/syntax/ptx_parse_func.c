/* ptx_parse_func.c: functions, their heads, labels and statements (PTX ISA, "Kernel and Function
 * Directives"). */
#include <stdlib.h>
#include <string.h>

#include "ptx_parse.h"


/* Targets of indirect calls. */

static ptx_proto *new_proto (ptx_parser *p, ptx_name *name) {
  ptx_proto *proto = ptx_parse_alloc(p, sizeof *proto);
  if (proto == NULL) return NULL;
  proto->name = name->text;
  *p->last_proto = proto;
  p->last_proto = &proto->next;
  return proto;
}

/* After "name: .callprototype": [(returns)] _ [(params)] hints; */
static void parse_proto (ptx_parser *p, ptx_name *name) {
  ptx_function hints = { 0 };
  ptx_proto *proto = new_proto(p, name);
  if (proto == NULL) return;
  proto->returns = ptx_parse_params(p, false, true);
  ptx_expect_name(p, "'_'");
  proto->params = ptx_parse_params(p, false, false);
  ptx_parse_hints(p, &hints);
  ptx_expect(p, ';');
  ptx_bind(p, name, PTX_BIND_PROTO, proto);
}

static void add_target (ptx_parser *p, ptx_proto *proto, uint32_t *cap) {
  ptx_name *name = ptx_expect_name(p, "a function name");
  ptx_binding *b = name != NULL ? ptx_lookup(p, name) : NULL;
  if (b == NULL || b->kind != PTX_BIND_FUNCTION) {
    ptx_parse_fail(p, p->tok.line, "'%.80s' is not a function", name != NULL ? name->text : "");
    return;
  }
  if (proto->num_targets == *cap) {
    *cap = *cap == 0 ? 8 : *cap * 2;
    ptx_function **grown = ptx_parse_alloc(p, *cap * sizeof *grown);
    if (grown == NULL) return;
    if (proto->num_targets != 0) memcpy(grown, proto->targets, proto->num_targets * sizeof *grown);
    proto->targets = grown;
  }
  ptx_function *f = proto->targets[proto->num_targets++] = b->p;
  f->address_taken = true;
  proto->params = f->params;
  proto->returns = f->returns;
}

/* After "name: .calltargets": f, g, h; */
static void parse_targets (ptx_parser *p, ptx_name *name) {
  uint32_t cap = 0;
  ptx_proto *proto = new_proto(p, name);
  if (proto == NULL) return;
  do add_target(p, proto, &cap);
  while (ptx_accept(p, ','));
  ptx_expect(p, ';');
  ptx_bind(p, name, PTX_BIND_PROTO, proto);
}


/* Body. */

static void define_label (ptx_parser *p, ptx_name *name) {
  ptx_label *l = ptx_parse_alloc(p, sizeof *l);
  if (l == NULL) return;
  *l = (ptx_label){ .name = name->text, .bb = -1 };
  ptx_bind(p, name, PTX_BIND_LABEL, l);
  *p->last_label = l;
  p->last_label = &l->next;
}

/* After "name:". */
static void parse_label (ptx_parser *p, ptx_name *name) {
  if (ptx_accept_dot(p, "callprototype")) parse_proto(p, name);
  else if (ptx_accept_dot(p, "calltargets")) parse_targets(p, name);
  else if (ptx_accept_dot(p, "branchtargets")) ptx_parse_branches(p, name);
  else define_label(p, name);
}

/* .pragma "used_bytes_mask 0xff": the bytes of the next load that are used. Other pragmas are
 * hints. */
static void parse_pragma (ptx_parser *p) {
  static const char word[] = "used_bytes_mask ";
  while (p->tok.kind != PTX_T_END && !ptx_at(p, ';')) {
    char text[48] = "";
    if (p->tok.kind == PTX_T_STRING && p->tok.len < sizeof text)
      memcpy(text, p->tok.text, p->tok.len);
    if (strncmp(text, word, sizeof word - 1) == 0)
      p->used_bytes = (uint32_t)strtoul(text + sizeof word - 1, NULL, 0);
    ptx_next(p);
  }
  ptx_expect(p, ';');
}

static void parse_body_directive (ptx_parser *p) {
  ptx_space space;
  if (ptx_accept_dot(p, "reg")) ptx_parse_reg_decl(p);
  else if (ptx_accept_dot(p, "loc")) ptx_parse_loc(p);
  else if (ptx_accept_dot(p, "pragma")) parse_pragma(p);
  else if (ptx_accept_dot(p, "file")) ptx_parse_file(p);
  else if (ptx_parse_space(p, &space)) ptx_parse_variables(p, space, (ptx_linkage){ 0 });
  else ptx_parse_fail_near(p, "unexpected directive");
}

static void parse_named (ptx_parser *p) {
  uint32_t line = p->tok.line;
  ptx_name *name = ptx_expect_name(p, "an instruction");
  if (name == NULL) return;
  if (ptx_accept(p, ':')) parse_label(p, name);
  else ptx_parse_inst(p, name, NULL, false, line);
}

static void parse_statement (ptx_parser *p) {
  if (ptx_accept(p, ';')) return;
  if (p->tok.kind == PTX_T_DOT) parse_body_directive(p);
  else if (ptx_at(p, '@')) ptx_parse_guarded(p);
  else if (p->tok.kind == PTX_T_NAME) parse_named(p);
  else ptx_parse_fail_near(p, "expected an instruction");
}

/* At '{'. Inner scopes are read in a loop, not by recursion, since the text decides their depth. */
static void parse_body (ptx_parser *p) {
  uint32_t base = p->depth, line = p->tok.line;
  ptx_next(p);
  while (p->tok.kind != PTX_T_END) {
    if (ptx_accept(p, '{')) ptx_scope_push(p);
    else if (!ptx_at(p, '}')) parse_statement(p);
    else if (p->depth > base) {
      ptx_scope_pop(p);
      ptx_next(p);
    } else break;
  }
  if (p->status == LCU_OK && !ptx_at(p, '}')) ptx_parse_fail(p, line, "'{' without '}'");
}

static void start_body (ptx_parser *p, ptx_function *f) {
  p->f = f;
  p->last_inst = &f->body;
  p->last_local = &f->locals;
  p->last_label = p->unplaced = &f->labels;
  p->regs.len = 0;
  p->used_bytes = 0;
  p->loc = 0;
  p->loc_floor = ptx_loc_count(p);
  ptx_formals_enter(p);
}

/* Code before the first .loc gets its position. */
static void finish_locs (ptx_function *f) {
  ptx_inst *i = f->body;
  while (i != NULL && i->loc == 0) i = i->next;
  if (i == NULL) return;
  for (ptx_inst *k = f->body; k != i; k = k->next) k->loc = i->loc;
}

static void finish_body (ptx_parser *p, ptx_function *f) {
  ptx_parse_taken(p);
  f->num_regs = (uint32_t)(p->regs.len / sizeof(ptx_reg *));
  f->regs = ptx_parse_alloc(p, p->regs.len);
  if (f->regs != NULL && f->num_regs != 0) memcpy(f->regs, p->regs.data, p->regs.len);
  if (p->regs.failed) ptx_parse_alloc(p, SIZE_MAX);
  finish_locs(f);
  p->f = NULL;
}


/* Head. */

static ptx_function *new_function (ptx_parser *p, ptx_name *name) {
  ptx_function *f = ptx_parse_alloc(p, sizeof *f);
  if (f == NULL) return NULL;
  f->name = name->text;
  *p->last_function = f;
  p->last_function = &f->next;
  return f;
}

/* The function of that name, declared before or new. Function names are in the scope of the module,
 * wherever they are declared. */
static ptx_function *function_named (ptx_parser *p, ptx_name *name, bool external) {
  if (name->top != NULL && name->top->depth == 0 && !ptx_hides_imported(name, external)) {
    if (name->top->kind == PTX_BIND_FUNCTION) return name->top->p;
    ptx_parse_fail(p, p->tok.line, "'%.80s' is declared twice", name->text);
    return NULL;
  }
  ptx_function *f = new_function(p, name);
  uint32_t depth = p->depth;
  p->depth = 0;
  ptx_bind(p, name, PTX_BIND_FUNCTION, f);
  p->depth = depth;
  return f;
}

static bool is_open (const ptx_variable *v) {
  return v->size == 0 && v->next == NULL && !v->is_return;
}

/* What ptxas allows the parameters of a kernel. */
static uint32_t most_param_bytes (const ptx_parser *p) {
  return p->version < 81 || p->target < 70 ? 4352 : 32764;
}

static void check_param_bytes (ptx_parser *p, const ptx_function *f) {
  if (f->is_entry && f->param_bytes > most_param_bytes(p))
    ptx_parse_fail(p, f->text_line,
                   "kernel '%.80s' has %u bytes of parameters, at most %u are allowed (32764 from "
                   ".version 8.1 and .target sm_70 on): pass the address of an array",
                   f->name, f->param_bytes, most_param_bytes(p));
}

/* Kernel parameters fill the parameter block in order; those of a .func the parameter area, after
 * its results. */
static void place_formals (ptx_parser *p, ptx_function *f) {
  uint32_t *area = &p->scopes[p->depth].area;
  ptx_variable *lists[2] = { f->returns, f->params };
  f->param_bytes = 0;
  for (int k = 0; k < 2; k++)
    for (ptx_variable *v = lists[k]; v != NULL; v = v->next) {
      v->function = f;
      v->is_open = !f->is_entry && is_open(v);
      if (v->is_open) v->size = PTX_OPEN_BYTES;
      v->offset =
        f->is_entry
          ? ptx_assign_offset(p, v, v->align, &f->param_bytes, PTX_MAX_PARAM_BYTES)
          : ptx_assign_offset(p, v, v->align < 4 ? 4 : v->align, area, PTX_MAX_PARAM_BYTES);
    }
  if (!f->is_entry) f->area_bytes = *area;
  check_param_bytes(p, f);
}

static void parse_definition (ptx_parser *p, ptx_function *f) {
  if (f->has_body) {
    ptx_parse_fail(p, p->tok.line, "'%.80s' has two bodies", f->name);
    return;
  }
  f->has_body = true;
  start_body(p, f);
  parse_body(p);
  ptx_formals_leave(p);
  /* labels are resolved before the registers are counted */
  ptx_scope_pop(p);
  finish_body(p, f);
  ptx_expect(p, '}');
}

/* The definition of another module takes the place of a weak one. */
static void forget_weak (ptx_function *f) {
  *f = (ptx_function){
    .next = f->next, .name = f->name, .is_visible = f->is_visible, .address_taken = f->address_taken
  };
}

/* A body, or nothing where a weak function is defined again. */
static void parse_rest (ptx_parser *p, ptx_function *f, ptx_linkage linkage) {
  bool again = f->has_body && linkage.is_weak;
  if (ptx_at(p, '{') && linkage.is_extern)
    ptx_parse_fail(p, p->tok.line, "'%.80s' has a body, so it cannot be .extern", f->name);
  if (ptx_at(p, '{') && !again) {
    parse_definition(p, f);
    return;
  }
  ptx_scope_pop(p);
  if (ptx_at(p, '{')) ptx_skip_braces(p);
  else ptx_expect(p, ';');
}

/* After .entry or .func: [(returns)] name [(params)] hints { body } or ; */
void ptx_parse_function (ptx_parser *p, bool is_entry, ptx_linkage linkage) {
  ptx_function hints = { .is_entry = is_entry }, *f;
  p->formals = NULL;
  ptx_scope_push(p);
  while (ptx_at_dot(p, "attribute") || ptx_at_dot(p, "noreturn")) ptx_parse_hints(p, &hints);
  uint32_t line = p->tok.line;
  ptx_variable *returns = ptx_parse_params(p, true, true);
  ptx_name *name = ptx_expect_name(p, "a function name");
  ptx_variable *params = ptx_parse_params(p, true, false);
  if (is_entry && p->formals != NULL)
    ptx_parse_fail(p, line, "parameters of a kernel must be .param");
  if (is_entry && returns != NULL) ptx_parse_fail(p, line, "a kernel has no results");
  ptx_parse_hints(p, &hints);
  bool external = linkage.is_extern || linkage.is_weak || linkage.is_visible;
  f = p->status == LCU_OK ? function_named(p, name, external) : NULL;
  if (f == NULL) return;
  if (f->is_weak && f->has_body && !linkage.is_weak && ptx_at(p, '{')) forget_weak(f);
  if (!f->has_body) {
    f->is_entry = is_entry;
    f->is_extern = linkage.is_extern;
    f->returns = returns;
    f->params = params;
    f->text_line = line;
    memcpy(f->maxntid, hints.maxntid, sizeof f->maxntid);
    memcpy(f->reqntid, hints.reqntid, sizeof f->reqntid);
    memcpy(f->reqcluster, hints.reqcluster, sizeof f->reqcluster);
    f->explicit_cluster = hints.explicit_cluster;
    place_formals(p, f);
  }
  f->is_weak = f->is_weak || linkage.is_weak;
  f->is_visible = f->is_visible || linkage.is_visible;
  f->noreturn = f->noreturn || hints.noreturn;
  parse_rest(p, f, linkage);
}
