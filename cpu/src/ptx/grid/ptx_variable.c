/* ptx_variable.c: the names of variables, and which of them an access is about. */
#include "ptx_fault.h"

#include <stdio.h>
#include <string.h>

#include "ptx_grid.h"
#include "ptx_refs.h"

/* The last part of a name: "x" of _ZZ1kPfE1x, as the end of `name`; its length is the result. */
static size_t last_part (const char **name) {
  size_t size = strlen(*name);
  for (const char *p = *name; *p != '\0'; p++) {
    size_t n = 0, digits = 0;
    while (p[digits] >= '0' && p[digits] <= '9') n = n * 10 + (size_t)(p[digits++] - '0');
    size_t left = size - (size_t)(p - *name) - digits;
    if (digits == 0 || n == 0 || n > left) continue;
    const char *after = p + digits + n;
    bool ends = *after == '\0' || *after == '_' || strcmp(after, "E") == 0;
    if (ends) {
      *name = p + digits;
      return n;
    }
    p += digits - 1;
  }
  return size;
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

ptx_root ptx_root_of (const ptx_xwarp *x, const ptx_frame *f, const ptx_uop *I) {
  const ptx_root unknown = { .kind = PTX_ROOT_MANY };
  const ptx_operand *o = address_of(f->code->insts[I - f->code->uops]);
  if (o == NULL) return unknown;
  if (o->reg == NULL) {
    bool named = o->variable != NULL;
    return named ? (ptx_root){ .kind = PTX_ROOT_VARIABLE, .variable = o->variable } : unknown;
  }
  ptx_function *function = (ptx_function *)(uintptr_t)f->code->function;
  const ptx_claims *s =
    ptx_function_claims(function, ptx_block_class_of(x->cta->grid->launch->block));
  return s == NULL || s->irreducible ? unknown : s->roots[o->reg->id];
}
