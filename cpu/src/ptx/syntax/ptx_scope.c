/* ptx_scope.c: interned names and their bindings. A name has a stack of bindings, so that a lookup
 * takes one hash, and leaving a scope takes time only for the names declared in it. */
#include <string.h>

#include "ptx_parse.h"

static uint32_t hash_text (const char *text, size_t len) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h ^ (h >> 15);
}

static ptx_name *chain_find (const ptx_names *names, uint32_t hash, const char *text, size_t len) {
  if (names->num_slots == 0) return NULL;
  ptx_name *n = names->slots[hash & (names->num_slots - 1)];
  while (n != NULL && !(n->hash == hash && n->len == len && memcmp(n->text, text, len) == 0))
    n = n->next;
  return n;
}

static ptx_name *name_find (const ptx_parser *p, const char *text, size_t len) {
  return chain_find(&p->names, hash_text(text, len), text, len);
}

static bool names_grow (ptx_names *names) {
  uint32_t size = names->num_slots == 0 ? 1024 : names->num_slots * 2;
  ptx_name **slots = lcu_calloc(size, sizeof *slots);
  if (slots == NULL) return false;
  for (uint32_t i = 0; i < names->num_slots; i++)
    for (ptx_name *n = names->slots[i], *next; n != NULL; n = next) {
      next = n->next;
      n->next = slots[n->hash & (size - 1)];
      slots[n->hash & (size - 1)] = n;
    }
  lcu_free(names->slots);
  names->slots = slots;
  names->num_slots = size;
  return true;
}

ptx_name *ptx_name_intern (ptx_parser *p, const char *text, size_t len) {
  uint32_t hash = hash_text(text, len);
  ptx_name *n = chain_find(&p->names, hash, text, len);
  if (n != NULL) return n;
  if (p->names.count >= p->names.num_slots && !names_grow(&p->names)) {
    ptx_parse_alloc(p, SIZE_MAX); /* reports it */
    return NULL;
  }
  n = ptx_parse_alloc(p, sizeof *n + len + 1);
  if (n == NULL) return NULL;
  n->hash = hash;
  n->len = (uint32_t)len;
  memcpy(n->text, text, len);
  n->next = p->names.slots[hash & (p->names.num_slots - 1)];
  p->names.slots[hash & (p->names.num_slots - 1)] = n;
  p->names.count++;
  return n;
}

void ptx_names_free (ptx_names *names) {
  lcu_free(names->slots);
  *names = (ptx_names){ 0 };
}

static void bind_at (ptx_parser *p, uint32_t depth, ptx_name *name, ptx_binding_kind kind,
                     void *what) {
  ptx_binding *b = ptx_parse_alloc(p, sizeof *b);
  if (b == NULL) return;
  *b = (ptx_binding){ .kind = kind,
                      .depth = depth,
                      .p = what,
                      .name = name,
                      .shadowed = name->top,
                      .next = p->scopes[depth].bindings };
  name->top = b;
  p->scopes[depth].bindings = b;
}

bool ptx_bound_here (const ptx_parser *p, const ptx_name *name) {
  return name->top != NULL && name->top->depth == p->depth;
}

static bool is_external (const ptx_binding *b) {
  const ptx_variable *v = b->p;
  const ptx_function *f = b->p;
  if (b->kind == PTX_BIND_VARIABLE) return v->is_extern || v->is_weak || v->is_visible;
  return b->kind == PTX_BIND_FUNCTION && (f->is_extern || f->is_weak || f->is_visible);
}

bool ptx_hides_imported (const ptx_name *name, bool external) {
  return !external && name->top != NULL && name->top->imported;
}

void ptx_bind (ptx_parser *p, ptx_name *name, ptx_binding_kind kind, void *what) {
  if (what == NULL || name == NULL) return;
  bool external = is_external(&(ptx_binding){ .kind = kind, .p = what });
  if (ptx_bound_here(p, name) && !ptx_hides_imported(name, external)) {
    ptx_parse_fail(p, p->tok.line, "'%.80s' is declared twice", name->text);
    return;
  }
  bind_at(p, p->depth, name, kind, what);
  if (kind != PTX_BIND_RANGE) return;
  p->scopes[p->depth].has_range = true;
  p->range_depth = p->depth;
}

ptx_reg *ptx_reg_new (ptx_parser *p, const char *name, ptx_type type) {
  ptx_reg *r = ptx_parse_alloc(p, sizeof *r);
  if (r == NULL) return NULL;
  *r =
    (ptx_reg){ .name = name, .type = type, .id = (uint32_t)(p->regs.len / sizeof r), .slot = -1 };
  lcu_buf_add(&p->regs, &r, sizeof r);
  return r;
}

ptx_reg_vector *ptx_reg_vector_new (ptx_parser *p, const char *name, ptx_type type, uint32_t num) {
  ptx_reg_vector *v = ptx_parse_alloc(p, sizeof *v);
  if (v == NULL) return NULL;
  if (num > 4) ptx_parse_fail(p, p->tok.line, "vector registers have at most 4 elements");
  v->num = num;
  for (uint32_t k = 0; k < num && k < 4; k++) v->regs[k] = ptx_reg_new(p, name, type);
  return v;
}

/* The register, or vector of them, that a range declares under that name. */
static void bind_of_range (ptx_parser *p, ptx_name *name, const ptx_binding *b) {
  const ptx_reg_range *range = b->p;
  bool one = range->vector == 1;
  void *what = one ? (void *)ptx_reg_new(p, name->text, range->type)
                   : (void *)ptx_reg_vector_new(p, name->text, range->type, range->vector);
  if (what != NULL) bind_at(p, b->depth, name, one ? PTX_BIND_REG : PTX_BIND_VECTOR, what);
}

/* "%r12" after "%r<17>": makes the register, in the scope of the declaration. */
static ptx_binding *lookup_in_range (ptx_parser *p, ptx_name *name) {
  uint32_t digits = 0;
  uint64_t number = 0, unit = 1;
  while (digits < name->len && digits < 10 && name->text[name->len - 1 - digits] >= '0' &&
         name->text[name->len - 1 - digits] <= '9') {
    number += (uint64_t)(name->text[name->len - 1 - digits] - '0') * unit;
    unit *= 10;
    digits++;
    ptx_name *prefix = name_find(p, name->text, name->len - digits);
    ptx_binding *b = prefix != NULL ? prefix->top : NULL;
    bool leading_zero = digits > 1 && name->text[name->len - digits] == '0';
    if (b == NULL || b->kind != PTX_BIND_RANGE || leading_zero ||
        number >= ((ptx_reg_range *)b->p)->count)
      continue;
    if (name->top != NULL && name->top->depth >= b->depth) return name->top;
    bind_of_range(p, name, b);
    return name->top;
  }
  return name->top;
}

ptx_binding *ptx_lookup (ptx_parser *p, ptx_name *name) {
  if (name->top != NULL && name->top->depth >= p->range_depth) return name->top;
  return lookup_in_range(p, name);
}

void ptx_forget_internal (ptx_parser *p) {
  ptx_binding *b = p->scopes[0].bindings, *next;
  p->scopes[0] = (ptx_scope){ 0 };
  for (; b != NULL; b = next) {
    next = b->next;
    if (!is_external(b)) {
      b->name->top = b->shadowed;
      continue;
    }
    b->imported = true;
    b->next = p->scopes[0].bindings;
    p->scopes[0].bindings = b;
  }
}

void ptx_scope_push (ptx_parser *p) {
  if (p->depth + 1 >= PTX_MAX_DEPTH) {
    ptx_parse_fail(p, p->tok.line, "braces are nested too deeply");
    return;
  }
  uint32_t area = p->depth > 0 ? p->scopes[p->depth].area : 0;
  p->scopes[++p->depth] = (ptx_scope){ .area = area };
}

void ptx_refer_label (ptx_parser *p, ptx_operand *operand, ptx_name *name, uint32_t line) {
  ptx_label_ref *ref = ptx_parse_alloc(p, sizeof *ref);
  if (ref == NULL || name == NULL) return;
  operand->kind = PTX_O_LABEL;
  operand->name = name->text;
  *ref = (ptx_label_ref){
    .next = p->scopes[p->depth].refs, .operand = operand, .name = name, .line = line
  };
  p->scopes[p->depth].refs = ref;
}

/* A label hides one of the same name in an outer scope even if it comes after the branch, so names
 * are resolved when their scope ends. */
static void resolve_labels (ptx_parser *p) {
  for (ptx_label_ref *ref = p->scopes[p->depth].refs, *next; ref != NULL; ref = next) {
    const ptx_binding *b = ref->name->top;
    next = ref->next;
    if (b != NULL && b->kind == PTX_BIND_LABEL && b->depth == p->depth) {
      ref->operand->label = b->p;
      ref->operand->label->used = true;
    } else if (p->depth > 1) {
      ref->next = p->scopes[p->depth - 1].refs;
      p->scopes[p->depth - 1].refs = ref;
    } else ptx_parse_fail(p, ref->line, "'%.80s' is not declared", ref->name->text);
  }
}

void ptx_scope_pop (ptx_parser *p) {
  if (p->depth == 0) return;
  if (p->status == LCU_OK) resolve_labels(p);
  for (ptx_binding *b = p->scopes[p->depth].bindings; b != NULL; b = b->next)
    b->name->top = b->shadowed;
  p->depth--;
  while (p->range_depth > p->depth || (p->range_depth > 0 && !p->scopes[p->range_depth].has_range))
    p->range_depth--;
}
