/* lcul_cuda_array.c: class CuArray: its fields and levels. */
#include "lcul_cuda_array.h"

#include <stdio.h>

#include "cu_dtype.h"
#include "lcul_check.h"
#include "lcul_collect.h"
#include "lcul_device.h"
#include "lcul_dims.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"

bool lcul_texel_of (const lcu_dtype *t, lcul_texel *out) {
  const lcu_dtype_codes *codes = &lcu_codes[t->id];
  *out = (lcul_texel){ codes->texel, (unsigned)codes->channels };
  return codes->channels > 0;
}

lcul_cuda_array *lcul_cuda_array_test (lua_State *L, int idx) {
  return lcul_test(L, idx, LCUL_CUDA_ARRAY);
}

lcul_cuda_array *lcul_cuda_array_check (lua_State *L, int idx) {
  lcul_cuda_array *a = lcul_check(L, idx, LCUL_CUDA_ARRAY);
  if (lcu_unlikely(a->block == NULL)) lcul_misuse(L, "attempt to use a closed CuArray");
  return a;
}


/* ---- extents ---- */

static bool is_layered (const lcul_cuda_array *a) {
  return (a->flags & (CU_ARRAY_LAYERED | CU_ARRAY_CUBEMAP)) != 0;
}

lcul_extent lcul_cuda_array_extent (const lcul_cuda_array *a) {
  const int64_t *s = a->shape;
  size_t width = (size_t)s[a->ndim - 1];
  if (a->ndim == 1) return (lcul_extent){ width, 1, 1 };
  if (a->ndim == 3) return (lcul_extent){ width, (size_t)s[1], (size_t)s[0] };
  if (is_layered(a)) return (lcul_extent){ width, 1, (size_t)s[0] };
  return (lcul_extent){ width, (size_t)s[0], 1 };
}

int64_t lcul_cuda_array_bytes (const lcul_cuda_array *a) {
  int64_t n = (int64_t)lcul_cuda_array_texel(a);
  for (int i = 0; i < a->ndim; i++) n *= a->shape[i];
  return n;
}

/* The extents of a level; layers are not divided. */
static void shrink (lcul_cuda_array *a, unsigned level) {
  for (int i = is_layered(a) ? 1 : 0; i < a->ndim; i++)
    a->shape[i] = a->shape[i] >> level > 0 ? a->shape[i] >> level : 1;
}

int64_t lcul_cuda_array_total (const lcul_cuda_array *a) {
  int64_t n = 0;
  for (unsigned level = 0; level < a->levels; level++) {
    lcul_cuda_array one = *a;
    shrink(&one, level);
    n += lcul_cuda_array_bytes(&one);
  }
  return n;
}

void lcul_cuda_array_shape (const lcul_cuda_array *a, lcul_shape *out) {
  out->ndim = a->ndim;
  for (int i = 0; i < a->ndim; i++) out->dims[i] = a->shape[i];
  if (a->channels > 1) out->dims[out->ndim++] = a->channels;
  out->size = lcul_cuda_array_bytes(a) / a->dtype->size;
}


/* ---- levels ---- */

/* a:level(i) -> one level of a mipmapped CUDA array; 1: the largest */
static int cuda_array_level (lua_State *L) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  lcul_check_most(L, 2);
  lua_Integer i = lcul_integer_arg(L, 2, "level", 1, "i");
  if (i < 1 || i > a->levels)
    return lcul_fail_arg(L, "level", 1, "i", "%lld is outside 1 to %u", (long long)i, a->levels);
  lcul_cuda_array *v = lcul_newobject(L, LCUL_CUDA_ARRAY, sizeof *v, 0);
  a = lcul_cuda_array_check(L, 1); /* checked again: a finalizer may have closed it */
  lcu_block *b = lcu_ref(a->block);
  *v = *a;
  v->block = b;
  v->levels = 1;
  shrink(v, (unsigned)i - 1);
  if (v->mipmapped) lcul_status(L, lcu_cuda_array_level(b, (unsigned)i - 1, &v->handle));
  v->mipmapped = false;
  return 1;
}


/* ---- closing ---- */

static int cuda_array_gc (lua_State *L) {
  lcul_cuda_array *a = lcul_check(L, 1, LCUL_CUDA_ARRAY);
  lcu_block *b = a->block;
  a->block = NULL;
  lcu_unref(b);
  return 0;
}

static int cuda_array_close (lua_State *L) {
  lcul_cuda_array *a = lcul_check(L, 1, LCUL_CUDA_ARRAY);
  if (a->block != NULL && lcu_object_is_last(&a->block->base))
    lcul_gc_repay(L, (size_t)lcul_cuda_array_total(a));
  return cuda_array_gc(L);
}


/* ---- fields ---- */

static int get_shape (lua_State *L) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  lcul_dims_push(L, a->shape, a->ndim);
  return 1;
}
static int get_ndim (lua_State *L) {
  lua_pushinteger(L, lcul_cuda_array_check(L, 1)->ndim);
  return 1;
}
static int get_dtype (lua_State *L) {
  lua_pushstring(L, lcul_cuda_array_check(L, 1)->dtype->name);
  return 1;
}
static int get_channels (lua_State *L) {
  lua_pushinteger(L, lcul_cuda_array_check(L, 1)->channels);
  return 1;
}
static int get_nbytes (lua_State *L) {
  lua_pushinteger(L, lcul_cuda_array_total(lcul_cuda_array_check(L, 1)));
  return 1;
}
static int get_levels (lua_State *L) {
  lua_pushinteger(L, lcul_cuda_array_check(L, 1)->levels);
  return 1;
}
static int get_array_device (lua_State *L) {
  lcul_device_push(L, lcul_cuda_array_check(L, 1)->block->device);
  return 1;
}
static int get_array_handle (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)(uintptr_t)lcul_cuda_array_check(L, 1)->handle);
  return 1;
}
static int has_flag (lua_State *L, unsigned flag) {
  lua_pushboolean(L, (lcul_cuda_array_check(L, 1)->flags & flag) != 0);
  return 1;
}
static int get_surface (lua_State *L) { return has_flag(L, CU_ARRAY_SURFACE); }
static int get_layered (lua_State *L) { return has_flag(L, CU_ARRAY_LAYERED); }
static int get_cubemap (lua_State *L) { return has_flag(L, CU_ARRAY_CUBEMAP); }
static int get_gather (lua_State *L) { return has_flag(L, CU_ARRAY_GATHER); }


/* ---- registration ---- */

static const luaL_Reg cuda_array_methods[] = { { "level", cuda_array_level },
                                               { "free", cuda_array_close },
                                               { "close", cuda_array_close },
                                               { NULL, NULL } };

static const luaL_Reg cuda_array_getters[] = { { "shape", get_shape },
                                               { "ndim", get_ndim },
                                               { "dtype", get_dtype },
                                               { "channels", get_channels },
                                               { "nbytes", get_nbytes },
                                               { "levels", get_levels },
                                               { "device", get_array_device },
                                               { "handle", get_array_handle },
                                               { "surface", get_surface },
                                               { "layered", get_layered },
                                               { "cubemap", get_cubemap },
                                               { "gather", get_gather },
                                               { NULL, NULL } };

/* "CuArray float32 {480, 640}, 4 channels" */
static void describe (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_cuda_array *a = lcul_toobject(L, idx);
  char shape[96];
  if (a->block == NULL) {
    snprintf(buf, size, "closed CuArray");
    return;
  }
  int n = snprintf(buf, size, "CuArray %s %s", a->dtype->name,
                   lcul_shape_text(a->shape, a->ndim, shape, sizeof shape));
  if (a->channels > 1 && (size_t)n < size)
    snprintf(buf + n, size - (size_t)n, ", %d channels", a->channels);
}

static void describe_cuda_array (lua_State *L, int idx, char *buf, size_t size) {
  const lcul_cuda_array *a = lcul_toobject(L, idx);
  snprintf(buf, size, "%s CUDA array", a->block != NULL ? a->dtype->name : "closed");
}

static int cuda_array_tostring (lua_State *L) {
  char text[160];
  const lcul_cuda_array *a = lcul_check(L, 1, LCUL_CUDA_ARRAY);
  if (a->block == NULL) {
    lua_pushliteral(L, "luacuda.CuArray (closed)");
    return 1;
  }
  describe(L, 1, text, sizeof text);
  lua_pushfstring(L, "luacuda.%s on %s", text, a->block->device->label);
  return 1;
}

static const luaL_Reg cuda_array_metamethods[] = { { "__gc", cuda_array_gc },
                                                   { "__close", cuda_array_close },
                                                   { "__tostring", cuda_array_tostring },
                                                   { NULL, NULL } };

void lcul_open_cuda_array (lua_State *L) {
  static const lcul_classdef def = { .id = LCUL_CUDA_ARRAY,
                                     .boxed = true,
                                     .methods = cuda_array_methods,
                                     .getters = cuda_array_getters,
                                     .metamethods = cuda_array_metamethods,
                                     .describe = describe,
                                     .describe_type = describe_cuda_array };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_CUDA_ARRAY, LCUL_METHODS, lcul_cuda_array_copy_methods);
}
