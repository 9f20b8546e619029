/* lcul_array_field.c: fields of arrays of structs, as views. */
#include "lcul_array.h"

#include "lcul_check.h"
#include "lcul_position.h"
#include "lcul_strides.h"

/* Pushes the Struct that is the type of field k of the array's dtype. */
static void push_field_type (lua_State *L, int array, uint32_t k) {
  lua_getiuservalue(L, array, LCUL_UV_DTYPE);
  lua_getiuservalue(L, -1, 1);
  lua_rawgeti(L, -1, 2);
  lua_rawgeti(L, -1, (lua_Integer)k + 1);
  lua_getfield(L, -1, "dtype");
  lua_replace(L, -5);
  lua_pop(L, 3);
}

lcul_array *lcul_array_push_field (lua_State *L, int idx, const lcul_field *f) {
  const lcul_array *a = lcul_array_check(L, idx);
  int ndim = a->ndim;
  idx = lua_absindex(L, idx);
  bool is_struct = f->dtype->id == LCU_STRUCT;
  if (is_struct) push_field_type(L, idx, (uint32_t)(f - lcul_struct_of(a->dtype)->fields));
  lcul_array *v = lcul_array_alias_as(L, idx, ndim + f->ndim, f->dtype, lua_gettop(L));
  if (is_struct) lua_remove(L, -2);
  v->offset += f->offset;
  v->ndim = ndim + f->ndim;
  v->lanes = f->lanes > 1 ? f->lanes : 0;
  for (int d = 0; d < f->ndim; d++) v->shape[ndim + d] = f->dims[d];
  (void)lcul_strides_rows(f->dtype, f->ndim, v->shape + ndim, v->strides + ndim);
  lcul_array_measure(v);
  return v;
}

static void check_aligned (lua_State *L, const lcul_array *a, const lcul_field *f) {
  int64_t at = (int64_t)a->block->address + a->offset + f->offset;
  bool aligned = at % f->dtype->align == 0;
  for (int i = 0; i < a->ndim; i++)
    aligned = aligned && (a->shape[i] <= 1 || a->strides[i] % f->dtype->align == 0);
  if (!aligned)
    lcul_misuse(L, "field: no view is possible: field '%s' is not aligned for %s", f->name,
                f->dtype->name);
}

static int array_field (lua_State *L) {
  const lcul_array *a = lcul_array_check(L, 1);
  const char *name = lcul_check_string(L, 2);
  lcul_check_most(L, 2);
  if (a->dtype->id != LCU_STRUCT)
    return lcul_misuse(L, "field: expected an array of structs, got one of %s", a->dtype->name);
  const lcul_field *f = lcul_struct_field(L, lcul_struct_of(a->dtype), name, "field");
  if (a->ndim + f->ndim > LCUL_MAX_DIMS)
    return lcul_misuse(L, "field: the view would have %d axes, more than %d", a->ndim + f->ndim,
                       LCUL_MAX_DIMS);
  if (a->size > 0) check_aligned(L, a, f);
  (void)lcul_array_push_field(L, 1, f);
  return 1;
}

const luaL_Reg lcul_field_methods[] = { { "field", array_field }, { NULL, NULL } };
