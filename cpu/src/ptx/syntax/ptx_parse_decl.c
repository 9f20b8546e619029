/* ptx_parse_decl.c: declarations of registers, variables and parameters (PTX ISA, "State Spaces,
 * Types, and Variables"). */
#include <stdio.h>
#include <string.h>

#include "ptx_parse.h"

enum { MAX_DIMS = 8 };
static const uint64_t max_size = (uint64_t)1 << 40;

static const char *const space_names[] = {
  [PTX_REG] = "reg",       [PTX_PARAM] = "param", [PTX_GLOBAL] = "global",
  [PTX_SHARED] = "shared", [PTX_LOCAL] = "local", [PTX_CONST] = "const"
};

const char *ptx_space_name (ptx_space space) { return space_names[space]; }

/* Spaces of variables, so not .reg. */
bool ptx_parse_space (ptx_parser *p, ptx_space *space) {
  for (int s = PTX_PARAM; s <= PTX_CONST; s++)
    if (ptx_accept_dot(p, space_names[s])) {
      *space = (ptx_space)s;
      return true;
    }
  return false;
}

ptx_type ptx_type_of_token (const ptx_parser *p) {
  char name[16];
  if (p->tok.kind != PTX_T_DOT || p->tok.len >= sizeof name) return PTX_NOTYPE;
  memcpy(name, p->tok.text, p->tok.len);
  name[p->tok.len] = '\0';
  return ptx_type_find(name);
}

uint32_t ptx_accept_vector (ptx_parser *p) {
  if (ptx_accept_dot(p, "v2")) return 2;
  if (ptx_accept_dot(p, "v4")) return 4;
  return ptx_accept_dot(p, "v8") ? 8 : 1;
}


/* Registers. */

static void declare_range (ptx_parser *p, ptx_name *prefix, ptx_type type, uint32_t vector) {
  ptx_reg_range *r = ptx_parse_alloc(p, sizeof *r);
  ptx_next(p);
  uint64_t count = ptx_expect_uint(p, "a number of registers");
  ptx_expect(p, '>');
  if (r == NULL) return;
  *r = (ptx_reg_range){ type, vector, count };
  ptx_bind(p, prefix, PTX_BIND_RANGE, r);
}

/* After .reg: [.v4] .type name [<count>] {, ...}; */
void ptx_parse_reg_decl (ptx_parser *p) {
  uint32_t vector = ptx_accept_vector(p);
  ptx_type type = ptx_type_of_token(p);
  if (type != PTX_PRED && !ptx_type_is_stored(type))
    ptx_parse_fail_near(p, "expected a register type");
  ptx_next(p);
  if (vector == 1) vector = ptx_accept_vector(p);
  do {
    ptx_name *name = ptx_expect_name(p, "a register name");
    if (name == NULL) return;
    if (ptx_at(p, '<')) declare_range(p, name, type, vector);
    else if (vector > 1)
      ptx_bind(p, name, PTX_BIND_VECTOR, ptx_reg_vector_new(p, name->text, type, vector));
    else {
      if (ptx_bound_here(p, name))
        ptx_parse_fail(p, p->tok.line, "'%.80s' is declared twice", name->text);
      ptx_bind(p, name, PTX_BIND_REG, ptx_reg_new(p, name->text, type));
    }
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';');
}


/* Variables. The names of one declaration share its head. */

typedef struct var_head {
  ptx_type type;
  uint32_t vector, align;
  bool managed, opaque;
} var_head;

static void skip_parentheses (ptx_parser *p) {
  uint32_t open = 0;
  do {
    if (ptx_at(p, '(')) open++;
    if (ptx_at(p, ')')) open--;
    if (p->tok.kind == PTX_T_END) ptx_parse_fail(p, p->tok.line, "'(' without ')'");
    ptx_next(p);
  } while (open > 0 && p->tok.kind != PTX_T_END);
}

/* .attribute(.managed, .unified(1, 2)) */
static void parse_attribute (ptx_parser *p, var_head *h) {
  ptx_expect(p, '(');
  while (p->tok.kind != PTX_T_END && !ptx_at(p, ')')) {
    if (ptx_accept_dot(p, "managed")) h->managed = true;
    else if (!ptx_accept_dot(p, "unified")) ptx_parse_fail_near(p, "expected an attribute");
    if (ptx_at(p, '(')) skip_parentheses(p);
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, ')');
}

static uint32_t parse_align (ptx_parser *p) {
  uint64_t a = ptx_expect_uint(p, "an alignment");
  if (a == 0 || (a & (a - 1)) != 0 || a > 4096)
    ptx_parse_fail(p, p->tok.line, "alignment must be a power of two up to 4096");
  return p->status == LCU_OK ? (uint32_t)a : 1;
}

/* .ptr [.space] [.align n] describes the target of a pointer parameter, without effect on
 * execution. */
static void skip_pointee (ptx_parser *p) {
  ptx_space space;
  ptx_parse_space(p, &space);
  if (ptx_accept_dot(p, "align")) parse_align(p);
}

static bool accept_opaque (ptx_parser *p) {
  return ptx_accept_dot(p, "texref") || ptx_accept_dot(p, "surfref") ||
         ptx_accept_dot(p, "samplerref");
}

static var_head parse_head (ptx_parser *p) {
  var_head h = { .vector = 1 };
  while (p->tok.kind == PTX_T_DOT) {
    uint32_t vector = ptx_accept_vector(p);
    if (vector > 1) h.vector = vector;
    else if (ptx_accept_dot(p, "align")) h.align = parse_align(p);
    else if (ptx_accept_dot(p, "attribute")) parse_attribute(p, &h);
    else if (ptx_accept_dot(p, "ptr")) skip_pointee(p);
    else if (accept_opaque(p)) h.opaque = true;
    else if (h.type == PTX_NOTYPE && ptx_type_is_stored(ptx_type_of_token(p))) {
      h.type = ptx_type_of_token(p);
      ptx_next(p);
    } else ptx_parse_fail_near(p, "unexpected directive");
  }
  if (h.type == PTX_NOTYPE && !h.opaque) ptx_parse_fail_near(p, "expected a type");
  return h;
}

/* [4][3]; the first may be empty: 0. Returns their number. */
static int parse_dims (ptx_parser *p, uint64_t dims[MAX_DIMS]) {
  int n = 0;
  while (ptx_accept(p, '[')) {
    int64_t d = ptx_at(p, ']') ? 0 : ptx_parse_int(p, "a number of elements");
    if (d < 0 || (uint64_t)d > max_size) ptx_parse_fail(p, p->tok.line, "array is too large");
    ptx_expect(p, ']');
    if (n == MAX_DIMS - 1) ptx_parse_fail(p, p->tok.line, "too many dimensions");
    else dims[n++] = (uint64_t)d;
  }
  return n;
}

static uint64_t array_size (ptx_parser *p, uint64_t element, const uint64_t *dims, int num_dims) {
  uint64_t size = element;
  for (int k = 0; k < num_dims; k++) {
    if (dims[k] != 0 && size > max_size / dims[k]) {
      ptx_parse_fail(p, p->tok.line, "array is too large");
      return 0;
    }
    size *= dims[k];
  }
  return size;
}

/* The name, its dimensions and, for globals and constants, the initial value. */
static ptx_variable *parse_variable (ptx_parser *p, ptx_space space, const var_head *h,
                                     ptx_name *name) {
  uint64_t dims[MAX_DIMS] = { 0 };
  int num_dims = parse_dims(p, dims);
  uint32_t element = h->opaque ? 8 : ptx_type_bytes(h->type), natural = element * h->vector;
  bool open = num_dims > 0 && dims[0] == 0;
  ptx_variable *v = ptx_parse_alloc(p, sizeof *v);
  if (v == NULL) return NULL;
  *v = (ptx_variable){ .name = name->text,
                       .space = space,
                       .type = h->type,
                       .align = h->align != 0 ? h->align : natural,
                       .managed = h->managed,
                       .function = p->f };
  if (h->managed && space != PTX_GLOBAL)
    ptx_parse_fail_near(p, "only .global variables can be .managed");
  if (h->vector > 1) dims[num_dims++] = h->vector;
  v->size = array_size(p, element, dims, num_dims);
  if (ptx_accept(p, '=')) {
    if (space != PTX_GLOBAL && space != PTX_CONST)
      ptx_parse_fail_near(p, "only .global and .const variables may have initial values");
    else ptx_parse_init(p, v, element, dims, num_dims, open);
  }
  return v;
}

uint64_t ptx_assign_offset (ptx_parser *p, const ptx_variable *v, uint32_t align, uint32_t *used,
                            uint32_t limit) {
  uint64_t at = ((uint64_t)*used + align - 1) / align * align;
  if (v->size > limit || at + v->size > limit)
    ptx_parse_fail(p, p->tok.line, "'%.80s' is too large", v->name);
  else *used = (uint32_t)(at + v->size);
  return at;
}

void ptx_add_local (ptx_parser *p, ptx_variable *v) {
  ptx_scope *s = &p->scopes[p->depth];
  if (v->space == PTX_LOCAL)
    v->offset = ptx_assign_offset(p, v, v->align, &p->f->local_bytes, PTX_MAX_LOCAL_BYTES);
  if (v->space == PTX_PARAM) {
    v->offset = ptx_assign_offset(p, v, v->align < 4 ? 4 : v->align, &s->area, PTX_MAX_PARAM_BYTES);
    if (s->area > p->f->area_bytes) p->f->area_bytes = s->area;
  }
  *p->last_local = v;
  p->last_local = &v->next;
}

static void add_variable (ptx_parser *p, ptx_name *name, ptx_variable *v) {
  if (p->f != NULL) ptx_add_local(p, v);
  else {
    if (v->space == PTX_LOCAL || v->space == PTX_PARAM)
      ptx_parse_fail(p, p->tok.line, ".%s must be inside a function", space_names[v->space]);
    *p->last_variable = v;
    p->last_variable = &v->next;
  }
  if (v->space == PTX_SHARED && v->size > UINT32_MAX / 2)
    ptx_parse_fail(p, p->tok.line, "'%.80s' is too large", v->name);
  ptx_bind(p, name, PTX_BIND_VARIABLE, v);
}

/* A definition may follow an extern declaration or a weak definition: the variable takes over its
 * values. A declaration, or a weak definition, after a definition adds nothing. */
static bool define_again (ptx_parser *p, ptx_name *name, const ptx_variable *v) {
  if (!ptx_bound_here(p, name) || name->top->kind != PTX_BIND_VARIABLE || p->f != NULL)
    return false;
  ptx_variable *old = name->top->p, *next = old->next;
  bool external = v->is_extern || v->is_weak || v->is_visible;
  if (old->space != v->space || ptx_hides_imported(name, external)) return false;
  if (v->is_extern || (v->is_weak && !old->is_extern)) return true;
  if (!old->is_extern && !old->is_weak) return false;
  *old = *v;
  old->next = next;
  return true;
}

static void check_size (ptx_parser *p, const ptx_variable *v) {
  if (v->size == 0 && !v->is_extern && v->space != PTX_PARAM)
    ptx_parse_fail(p, p->tok.line, "'%.80s' has no size", v->name);
}

/* After the state space. */
void ptx_parse_variables (ptx_parser *p, ptx_space space, ptx_linkage linkage) {
  if (ptx_accept(p, '[')) { /* .const[2]: a bank, in old versions */
    ptx_expect_uint(p, "a bank");
    ptx_expect(p, ']');
  }
  var_head h = parse_head(p);
  do {
    ptx_name *name = ptx_expect_name(p, "a variable name");
    ptx_variable *v = name != NULL ? parse_variable(p, space, &h, name) : NULL;
    if (v == NULL) return;
    v->is_extern = linkage.is_extern;
    v->is_weak = linkage.is_weak;
    v->is_visible = linkage.is_visible;
    check_size(p, v);
    if (!define_again(p, name, v)) add_variable(p, name, v);
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';');
}


/* Parameters: "(" .param ... ")", or .reg, of a function head or prototype. */

static ptx_variable *parse_param (ptx_parser *p, bool bind) {
  if (ptx_accept_dot(p, "reg")) return ptx_parse_formal(p, bind);
  if (!ptx_accept_dot(p, "param")) ptx_parse_fail_near(p, "expected .param");
  var_head h = parse_head(p);
  ptx_name *name = ptx_expect_name(p, "a parameter name");
  ptx_variable *v = name != NULL ? parse_variable(p, PTX_PARAM, &h, name) : NULL;
  if (v != NULL && bind) ptx_bind(p, name, PTX_BIND_VARIABLE, v);
  return v;
}

ptx_variable *ptx_parse_params (ptx_parser *p, bool bind, bool is_return) {
  ptx_variable *first = NULL, **last = &first;
  if (!ptx_accept(p, '(')) return NULL;
  while (p->tok.kind != PTX_T_END && !ptx_at(p, ')')) {
    ptx_variable *v = parse_param(p, bind);
    if (v == NULL) return first;
    v->is_formal = true;
    v->is_return = is_return;
    *last = v;
    last = &v->next;
    if (!ptx_accept(p, ',')) break;
  }
  ptx_expect(p, ')');
  return first;
}
