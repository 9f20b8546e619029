/* lcul_reduction_args.c: the arguments of a reduction: options, axes, outputs, and the plan of the
 * work. */
#include <stdio.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_builder.h"
#include "lcul_check.h"
#include "lcul_describe.h"
#include "lcul_elementwise.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_reduction.h"
#include "lcul_shape.h"
#include "lcul_stream.h"
#include "lcul_uses.h"


/* ---- options ---- */

static bool read_keepdims (const lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  char got[LCUL_EW_TEXT];
  if (lua_getfield(L, c->options, "keepdims") != LUA_TNIL && !lua_isboolean(L, -1))
    lcul_misuse(L, "%s: option 'keepdims': expected a boolean, got %s", c->r->base.name,
                lcul_describe(L, -1, got, sizeof got));
  bool keepdims = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return keepdims;
}

/* For functions of the library, the names include dtype and ddof, which Lua has already read,
 * because messages list them. */
static const char *const *option_names (const lcul_reduction *r) {
  static const char *const any[] = { "axis", "keepdims", "out", "size", "stream", NULL };
  static const char *const own[] = { "axis", "keepdims", "out", "stream", NULL };
  static const char *const typed[] = { "axis", "dtype", "keepdims", "out", "stream", NULL };
  static const char *const spread[] = {
    "axis", "ddof", "dtype", "keepdims", "out", "stream", NULL
  };
  return !r->own ? any : r->takes_ddof ? spread : r->takes_dtype ? typed : own;
}

static void read_reduce_options (lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  if (!lcul_options(L, c->options, c->r->base.name, option_names(c->r))) return;
  lcul_ew_out(&c->ew, c->options);
  c->keepdims = read_keepdims(c);
  c->ew.size = lcul_ew_size(&c->ew, c->options);
  lcul_ew_stream(&c->ew, c->options);
}

/* The axis at the top of the stack, which is popped. */
static void add_axis (lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  const char *name = c->r->base.name;
  lua_Integer i = 0;
  bool integral = lcul_to_integer(L, -1, &i);
  if (!integral) {
    char got[LCUL_EW_TEXT];
    lcul_misuse(L, "%s: option 'axis': expected an integer or a list of integers, got %s", name,
                lcul_describe(L, -1, got, sizeof got));
  }
  int64_t axis = lcul_index_norm(i, c->ew.ndim);
  if (axis < 0)
    lcul_misuse(L, "%s: option 'axis': %lld is not an axis of an array of %d axes", name,
                (long long)i, c->ew.ndim);
  if (c->reduced >> axis & 1)
    lcul_misuse(L, "%s: option 'axis': axis %d is named twice", name, (int)axis + 1);
  c->reduced |= 1u << axis;
  lua_pop(L, 1);
}

static void read_axes (lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  int type = lua_istable(L, c->options) ? lua_getfield(L, c->options, "axis") : LUA_TNIL;
  if (type == LUA_TNIL) {
    c->reduced = (1u << c->ew.ndim) - 1;
    return;
  }
  if (type != LUA_TTABLE) {
    add_axis(c);
    return;
  }
  lua_Integer n;
  if (!lcul_list_length(L, lua_gettop(L), &n)) {
    char what[LCUL_EW_TEXT];
    snprintf(what, sizeof what, "%s: option 'axis'", c->r->base.name);
    lcul_list_fail(L, lua_gettop(L), what, c->r->base.name);
  }
  for (lua_Integer k = 1; k <= n; k++) {
    lua_geti(L, -1, k);
    add_axis(c);
  }
  lua_pop(L, 1);
}


/* Outputs do not affect the shape that is reduced. */
static void common_shape (lcul_reduce_call *c) {
  const lcul_elementwise *e = &c->r->base;
  lcul_array *outputs[LCUL_MOST_PARAMS];
  size_t bytes = (size_t)e->outputs * sizeof outputs[0];
  memcpy(outputs, c->ew.arrays + e->inputs, bytes);
  memset(c->ew.arrays + e->inputs, 0, bytes);
  lcul_ew_shape(&c->ew);
  memcpy(c->ew.arrays + e->inputs, outputs, bytes);
}

static void find_shape (lcul_reduce_call *c) {
  c->ndim = 0;
  for (int d = 0; d < c->ew.ndim; d++) {
    if (!(c->reduced >> d & 1)) c->shape[c->ndim++] = c->ew.shape[d];
    else if (c->keepdims) c->shape[c->ndim++] = 1;
  }
}

void lcul_reduce_read (lcul_reduce_call *c, int nargs) {
  const lcul_elementwise *e = &c->r->base;
  read_reduce_options(c);
  lcul_ew_read(&c->ew, nargs < e->inputs || nargs > e->num ? nargs : e->num);
  lcul_ew_resolve(&c->ew);
  common_shape(c);
  read_axes(c);
  find_shape(c);
}


/* ---- outputs ---- */

static void check_reduce_output (lcul_reduce_call *c, int i) {
  const lcul_array *a = c->ew.arrays[i];
  char have[LCUL_EW_TEXT], want[LCUL_EW_TEXT];
  if (a->ndim == c->ndim && memcmp(a->shape, c->shape, (size_t)c->ndim * sizeof c->shape[0]) == 0)
    return;
  lcul_shape_text(a->shape, a->ndim, have, sizeof have);
  lcul_shape_text(c->shape, c->ndim, want, sizeof want);
  lcul_ew_error(&c->ew, i, "an output has shape %s, the result %s", have, want);
}

/* Would writing this output change what is still to be read, or written by another output? */
static bool interferes (const lcul_reduce_call *c, int i) {
  for (int k = 0; k < i; k++)
    if (c->ew.arrays[k] != NULL && lcul_array_overlap(c->ew.arrays[k], c->ew.arrays[i]))
      return true;
  return false;
}

/* For an output that interferes, the kernel works on a copy, because it may read elements that it
 * does not assign. The given array goes to a place after all parameters, where lcul_reduce_finish
 * fills it. */
static void replace_output (lcul_reduce_call *c, int i) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  int idx = c->ew.first + i;
  lua_pushvalue(L, idx);
  lua_replace(L, idx + e->outputs);
  c->ew.arrays[i] =
    lcul_array_converted(L, idx, c->ew.arrays[i]->dtype, idx, c->ew.device, c->ew.stream, e->name);
  lua_replace(L, idx);
  lcul_ew_find_stream(&c->ew); /* Lua code may have run */
}

/* Makes missing outputs in their places. */
void lcul_reduce_outputs (lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  lua_settop(L, c->ew.first + e->num - 1);
  for (int i = e->inputs; i < e->num; i++) lua_pushnil(L);
  for (int i = e->inputs; i < e->num; i++) {
    if (c->ew.arrays[i] == NULL) {
      c->ew.arrays[i] = lcul_ew_output(&c->ew, i, c->ndim, c->shape);
      lua_replace(L, c->ew.first + i);
      continue;
    }
    check_reduce_output(c, i);
    if (lcu_unlikely(interferes(c, i))) replace_output(c, i);
  }
}

void lcul_reduce_finish (lcul_reduce_call *c) {
  lua_State *L = c->ew.L;
  const lcul_elementwise *e = &c->r->base;
  int held = 0;
  for (int i = e->inputs; i < e->num; i++) {
    int idx = c->ew.first + i, given = idx + e->outputs;
    if (lcu_likely(lua_isnil(L, given))) continue;
    if (held == 0) {
      lcul_stream_hold(L, c->ew.stream); /* conversions run Lua code */
      held = lua_gettop(L);
    }
    lcul_array_assign(L, given, idx, c->ew.stream, e->name);
    lua_pushvalue(L, given);
    lua_replace(L, idx);
  }
  if (held != 0) lcul_stream_release(L, held);
  lua_settop(L, c->ew.first + e->num - 1);
}


/* ---- the plan ---- */

void lcul_reduce_find_addresses (lcul_reduce_call *c) {
  c->uses = (lcul_uses){ c->used, 0, LCUL_MOST_PARAMS, c->ew.device };
  for (int i = 0; i < c->r->base.num; i++)
    if (c->ew.arrays[i] != NULL)
      c->addresses[i] = lcul_uses_address(c->ew.L, c->ew.arrays[i], &c->uses,
                                          i >= c->r->base.inputs, true, c->r->base.name);
}

static void input_strides (const lcul_ewcall *ew, const lcul_array *a, int64_t *strides) {
  int missing = ew->ndim - a->ndim;
  for (int d = 0; d < ew->ndim; d++)
    strides[d] = d < missing || a->shape[d - missing] == 1 ? 0 : a->strides[d - missing];
}

static void output_strides (const lcul_reduce_call *c, const lcul_array *a, int64_t *strides) {
  int k = 0;
  for (int d = 0; d < c->ew.ndim; d++) {
    bool reduced = c->reduced >> d & 1;
    strides[d] = reduced ? 0 : a->strides[k];
    if (!reduced || c->keepdims) k++;
  }
}

/* Indices count the elements of all axes, or of the reduced ones, in C order. */
static void index_strides (const lcul_reduce_call *c, bool inner, int64_t *strides) {
  int64_t step = 1;
  for (int d = c->ew.ndim - 1; d >= 0; d--) {
    bool counts = !inner || (c->reduced >> d & 1);
    strides[d] = counts ? step : 0;
    if (counts) step *= c->ew.shape[d];
  }
}

static lcu_operand *add_operand (lcu_reduce *p, uint64_t address, uint32_t itemsize) {
  lcu_operand *o = &p->operands[p->num++];
  o->address = address;
  o->itemsize = itemsize;
  return o;
}

void lcul_reduce_make_plan (lcul_reduce_call *c) {
  lcu_reduce *p = &c->plan;
  const lcul_elementwise *e = &c->r->base;
  p->ndim = c->ew.ndim;
  p->serial = c->ew.device->is_cpu;
  p->reduced = c->reduced;
  p->num = 0;
  for (int d = 0; d < p->ndim; d++) p->dims[d] = c->ew.shape[d];
  for (int i = 0; i < e->num; i++) {
    const lcul_array *a = c->ew.arrays[i];
    if (i == e->inputs) p->num_inputs = p->num;
    if (a == NULL || e->raw[i]) continue;
    lcu_operand *o = add_operand(p, c->addresses[i], a->dtype->size);
    if (i < e->inputs) input_strides(&c->ew, a, o->strides);
    else output_strides(c, a, o->strides);
  }
  if (c->r->uses_i) index_strides(c, false, add_operand(p, 0, 0)->strides);
  if (c->r->uses_j) index_strides(c, true, add_operand(p, 0, 0)->strides);
  lcu_reduce_plan(p);
}
