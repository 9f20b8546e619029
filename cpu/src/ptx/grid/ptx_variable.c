/* ptx_variable.c: the names of variables, and which of them an access is about. */
#include "ptx_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_grid.h"
#include "ptx_refs.h"

/* ---- pieces of mangled names: the text after one, or `p` if none starts there ---- */

static bool is_digit (char c) { return c >= '0' && c <= '9'; }
static bool is_letter (char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char *after_digits (const char *p) {
  while (is_digit(*p)) p++;
  return p;
}

/* "5uint4"; its text begins after the digits. */
static const char *after_identifier (const char *p) {
  const char *text = after_digits(p);
  size_t n = text - p <= 4 ? (size_t)strtoul(p, NULL, 10) : 0;
  return text > p && n > 0 && strnlen(text, n) == n ? text + n : p;
}

/* "Lj16E", "Lin7E", "L5Color2E" */
static const char *after_literal (const char *p) {
  const char *type = p + 1, *value = after_identifier(type);
  if (*p != 'L') return p;
  if (value == type && is_letter(*type)) value++;
  if (*value == 'n') value++;
  const char *end = after_digits(value);
  return end > value && *end == 'E' ? end + 1 : p;
}

/* "S1_", "T_", "A16_" */
static const char *after_index (const char *p) {
  const char *end = p + 1;
  if (*p != 'S' && *p != 'T' && *p != 'A') return p;
  while (is_digit(*end) || (*end >= 'A' && *end <= 'Z')) end++;
  return *end == '_' ? end + 1 : p;
}

static const char *after_other (const char *p) {
  const char *next = after_literal(p);
  if (next == p) next = after_index(p);
  return next > p ? next : p + 1;
}

/* The last part of a name: "x" of _ZZ1kPfE1x, as the end of `name`; its length is the result. */
static size_t last_part (const char **name) {
  for (const char *p = *name; *p != '\0';) {
    const char *after = after_identifier(p);
    bool ends = *after == '\0' || *after == '_' || strcmp(after, "E") == 0;
    if (after > p && ends) {
      *name = after_digits(p);
      return (size_t)(after - *name);
    }
    p = after > p ? after : after_other(p);
  }
  return strlen(*name);
}

void ptx_variable_name (const ptx_variable *v, char *out, size_t size) {
  const char *name = v->name;
  size_t n = strncmp(name, "_Z", 2) == 0 ? last_part(&name) : strlen(name);
  snprintf(out, size, "%.*s", (int)n, name);
}

void ptx_variable_quote (const ptx_variable *v, char *out, size_t size) {
  char name[128];
  ptx_variable_name(v, name, sizeof name);
  snprintf(out, size, "`%.127s`", name);
}

const ptx_variable *ptx_variable_at (const ptx_xwarp *x, uint32_t offset) {
  const ptx_refs *refs = x->cta->grid->function->refs;
  for (uint32_t k = 0; refs != NULL && k < refs->num_variables; k++) {
    const ptx_variable *v = refs->variables[k];
    bool dynamic = v->is_extern || v->size == 0;
    if (v->space == PTX_SHARED && !dynamic && offset - v->offset < v->size) return v;
  }
  return NULL;
}

void ptx_variable_name_offset (const ptx_xwarp *x, uint32_t offset, char *out, size_t size) {
  const ptx_variable *v = ptx_variable_at(x, offset);
  uint32_t fixed = x->w.total_shared - x->w.dynamic_shared;
  char name[200];
  out[0] = '\0';
  if (v != NULL) {
    ptx_variable_quote(v, name, sizeof name);
    snprintf(out, size, " (byte %u of %s)", offset - (uint32_t)v->offset, name);
  } else if (offset >= fixed) {
    snprintf(out, size, " (byte %u of the dynamic part)", offset - fixed);
  }
}

static const ptx_operand *address_of (const ptx_inst *inst) {
  for (uint32_t k = 0; inst != NULL && k < inst->num_operands; k++)
    if (inst->operands[k].kind == PTX_O_ADDRESS) return &inst->operands[k];
  return NULL;
}

ptx_root ptx_root_at (const ptx_code *code, ptx_block_class blocks, const ptx_uop *I) {
  const ptx_root unknown = { .kind = PTX_ROOT_MANY };
  const ptx_operand *o = address_of(code->insts[I - code->uops]);
  if (o == NULL) return unknown;
  if (o->reg == NULL) {
    bool named = o->variable != NULL;
    return named ? (ptx_root){ .kind = PTX_ROOT_VARIABLE, .variable = o->variable } : unknown;
  }
  ptx_function *function = (ptx_function *)(uintptr_t)code->function;
  const ptx_claims *s = ptx_function_claims(function, blocks);
  return s == NULL || s->irreducible ? unknown : s->roots[o->reg->id];
}

ptx_root ptx_root_of (const ptx_xwarp *x, const ptx_frame *f, const ptx_uop *I) {
  return ptx_root_at(f->code, x->cta->grid->blocks, I);
}
