/* lcul_plan.c: how the arguments of a function become its parameters. */
#include "lcul_plan.h"

#include <string.h>

static lcul_op number_op (const lcu_dtype *t) {
  if (t->kind == LCU_KIND_INT) return LCUL_OP_INT;
  if (t->kind == LCU_KIND_UINT) return LCUL_OP_UINT;
  if (t->id == LCU_FLOAT32) return LCUL_OP_F32;
  return t->id == LCU_FLOAT64 ? LCUL_OP_F64 : LCUL_OP_NUMBER;
}

static void plan_number (lcul_conv *v, const lcu_dtype *t) {
  unsigned bits = t->size * 8;
  v->op = (uint8_t)number_op(t);
  v->bytes = (uint8_t)t->size;
  v->lo = INT64_MIN;
  v->hi = INT64_MAX;
  if (bits == 64) return;
  if (t->kind == LCU_KIND_INT) {
    v->hi = (int64_t)1 << (bits - 1);
    v->lo = -v->hi;
    v->hi--;
  } else if (t->kind == LCU_KIND_UINT) {
    v->lo = 0;
    v->hi = ((int64_t)1 << bits) - 1;
  }
}

static void plan_pointer (lcul_conv *v, const lcu_param *p) {
  v->op = LCUL_OP_POINTER;
  v->write = !p->is_const;
  if (!p->is_function && p->indirections == 1 && p->vector == 1) {
    v->exact = p->dtype;
    v->any = p->dtype == NULL && p->class_name == NULL;
  }
  if (p->element_align > 1) v->misaligned = p->element_align - 1; /* a power of two */
}

static void plan_param (lcul_conv *v, const lcu_param *p) {
  v->param = p;
  switch (p->kind) {
    case LCU_PARAM_SCALAR: plan_number(v, p->dtype); break;
    case LCU_PARAM_POINTER: plan_pointer(v, p); break;
    case LCU_PARAM_CLASS: v->op = LCUL_OP_VALUE; break;
    default: v->op = LCUL_OP_OPAQUE; break;
  }
}

/* Only `unsigned long long` can be a texture or surface; binaries do not have the type's name. */
static bool may_be_handle (const lcu_param *p) {
  if (p->kind == LCU_PARAM_OPAQUE) return p->size == 8 && p->indirections == 0;
  return p->kind == LCU_PARAM_SCALAR && p->dtype->id == LCU_UINT64 &&
         (p->type_name == NULL || strcmp(p->type_name, "unsigned long long") == 0);
}

/* letter: of outline.lua; 0: there is no source */
static void plan_handle (lcul_conv *v, char letter) {
  if (!may_be_handle(v->param)) return;
  switch (letter) {
    case 't': v->handle = LCUL_HANDLE_TEXTURE; break;
    case 's': v->handle = LCUL_HANDLE_SURFACE; break;
    case '-': return;
    default: v->handle = LCUL_HANDLE_UNKNOWN; return;
  }
  v->op = LCUL_OP_TEXTURE;
}

static uint32_t room_of (const lcu_param *p) { return p->size ? (p->size + 15) / 16 * 16 : 4096; }

lcul_plan *lcul_plan_new (const lcu_function *f, const char *const *names, size_t num_names,
                          const char *kinds) {
  const lcu_signature *s = &f->signature;
  size_t text = 0, head = sizeof(lcul_plan) + s->num_params * sizeof(lcul_conv), bytes = 0;
  bool named = num_names == s->num_params;
  for (size_t i = 0; named && i < num_names; i++) text += strlen(names[i]) + 1;
  for (size_t i = 0; i < s->num_params; i++) bytes += room_of(&s->params[i]);
  size_t room = (head + 15) / 16 * 16, pointers = s->num_params * sizeof(void *),
         uses = 2 * s->num_params * sizeof(lcu_use);
  lcul_plan *plan = lcu_calloc(1, room + bytes + pointers + uses + text + 1);
  if (plan == NULL) return NULL;
  char *at = (char *)plan + room + bytes;
  plan->params = (void **)(void *)at;
  plan->uses = (lcu_use *)(void *)(at + pointers);
  at += pointers + uses;
  plan->num = s->num_params;
  plan->known = s->known || s->num_params == 0;
  for (size_t i = 0; i < plan->num; i++) {
    lcul_conv *v = &plan->conv[i];
    plan_param(v, &s->params[i]);
    plan_handle(v, strlen(kinds) == s->num_params ? kinds[i] : '\0');
    plan->num_uses += v->handle == LCUL_HANDLE_NONE ? 1 : 2;
    plan->asks = plan->asks || (s->params[i].class_name != NULL && s->params[i].dtype == NULL);
    v->at = plan->bytes;
    v->room = room_of(&s->params[i]);
    v->place = plan->params[i] = (char *)plan + room + v->at;
    plan->bytes += v->room;
    v->name = "";
    if (!named) continue;
    size_t n = strlen(names[i]) + 1;
    v->name = memcpy(at, names[i], n);
    at += n;
  }
  return plan;
}
