/* lcul_surface.c: class Surface, what it shares with class Texture, and both as arguments of
 * kernels. */
#include <stdio.h>

#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_texture.h"

lcul_texture *lcul_texture_test (lua_State *L, int idx, bool *surface) {
  lcul_texture *t = lcul_test(L, idx, LCUL_TEXTURE);
  *surface = t == NULL;
  return t != NULL ? t : lcul_test(L, idx, LCUL_SURFACE);
}

static lcul_texels surface_texels (const lcul_cuda_array *a) {
  return (lcul_texels){ .dtype = a->dtype,
                        .ndim = (uint8_t)a->ndim,
                        .channels = (uint8_t)a->channels,
                        .layered = (a->flags & CU_ARRAY_LAYERED) != 0,
                        .cubemap = (a->flags & CU_ARRAY_CUBEMAP) != 0 };
}

uint64_t lcul_texture_form (const lcul_texture *t, bool surface) {
  const lcul_texels *x = &t->texels;
  return (uint64_t)x->ndim | (uint64_t)x->channels << 2 | (uint64_t)x->linear << 5 |
         (uint64_t)x->layered << 6 | (uint64_t)x->cubemap << 7 | (uint64_t)x->mipmapped << 8 |
         (uint64_t)x->normalized << 9 | (uint64_t)surface << 10;
}

/* core.texture_info(texture or surface) -> a table of its texels: dtype, ndim, channels, linear,
 * layered, cubemap, mipmapped, normalized, surface; nil for other and closed values */
static int core_texture_info (lua_State *L) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(L, 1, &surface);
  if (t == NULL || t->block == NULL) return 0;
  const lcul_texels *x = &t->texels;
  lua_createtable(L, 0, 9);
  lcul_set_string(L, "dtype", x->dtype->name);
  lcul_set_integer(L, "ndim", x->ndim);
  lcul_set_integer(L, "channels", x->channels);
  lcul_set_boolean(L, "linear", x->linear);
  lcul_set_boolean(L, "layered", x->layered);
  lcul_set_boolean(L, "cubemap", x->cubemap);
  lcul_set_boolean(L, "mipmapped", x->mipmapped);
  lcul_set_boolean(L, "normalized", x->normalized);
  lcul_set_boolean(L, "surface", surface);
  return 1;
}

uint64_t lcul_texture_use (lua_State *L, const lcul_texture *t, bool surface, lcul_uses *uses,
                           const char *what) {
  const char *name = surface ? "surface" : "texture";
  if (t->block == NULL)
    lcul_misuse(L, "%s: attempt to use a closed %s", what, surface ? "Surface" : "Texture");
  if (t->block->device != uses->device)
    lcul_misuse(L, "%s: the %s belongs to %s, the launch is on %s", what, name,
                t->block->device->label, uses->device->label);
  if (uses->max - uses->n < 2) lcul_misuse(L, "%s: too many arrays in one launch", what);
  uses->uses[uses->n++] = (lcu_use){ t->block, false };
  uses->uses[uses->n++] = (lcu_use){ lcu_texture_source(t->block), surface };
  return lcu_texture_handle(t->block);
}

uint64_t lcul_texture_field_handle (lua_State *L, int idx, lcul_uses *uses, const char *what) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(L, idx, &surface);
  return lcul_texture_use(L, t, surface, uses, what);
}


/* ---- what Texture and Surface share ---- */

lcul_texture *lcul_texture_check (lua_State *L, lcul_class id) {
  lcul_texture *t = lcul_check(L, 1, id);
  if (lcu_unlikely(t->block == NULL))
    lcul_misuse(L, "attempt to use a closed %s", lcul_class_name(id));
  return t;
}

int lcul_texture_close (lua_State *L, lcul_class id) {
  lcul_texture *t = lcul_check(L, 1, id);
  lcu_block *b = t->block;
  t->block = NULL;
  lcu_unref(b);
  return 0;
}

/* The object that has the field. */
static lcul_texture *field_check (lua_State *L) {
  bool surface;
  (void)lcul_texture_test(L, 1, &surface);
  return lcul_texture_check(L, surface ? LCUL_SURFACE : LCUL_TEXTURE);
}

static int get_source (lua_State *L) {
  (void)field_check(L);
  lua_getiuservalue(L, 1, 1);
  return 1;
}
static int get_surface_device (lua_State *L) {
  lcul_device_push(L, field_check(L)->block->device);
  return 1;
}
static int get_surface_handle (lua_State *L) {
  lua_pushinteger(L, (lua_Integer)lcu_texture_handle(field_check(L)->block));
  return 1;
}

void lcul_texture_add_fields (lua_State *L, lcul_class id) {
  static const luaL_Reg getters[] = { { "source", get_source },
                                      { "device", get_surface_device },
                                      { "handle", get_surface_handle },
                                      { NULL, NULL } };
  lcul_extend(L, id, LCUL_GETTERS, getters);
}


/* ---- class Surface ---- */

/* surface(cuda_array): kernels read and write its texels */
static int core_surface (lua_State *L) {
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  lcul_check_most(L, 1);
  if ((a->flags & CU_ARRAY_SURFACE) == 0)
    return lcul_fail_arg(L, "surface", 1, "cuda_array",
                         "it was not made for surfaces: cuda.cuda_array(shape, dtype, { surface = "
                         "true })");
  lcul_texture *t = lcul_newobject(L, LCUL_SURFACE, sizeof *t, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  a = lcul_cuda_array_check(L, 1); /* checked again: a finalizer may have closed it */
  t->texels = surface_texels(a);
  lcul_status(L, lcu_surface_create(a->block, a->handle, &t->block));
  return 1;
}

static int surface_close (lua_State *L) { return lcul_texture_close(L, LCUL_SURFACE); }

static int surface_tostring (lua_State *L) {
  const lcul_texture *t = lcul_check(L, 1, LCUL_SURFACE);
  if (t->block == NULL) lua_pushliteral(L, "luacuda.Surface (closed)");
  else lua_pushfstring(L, "luacuda.Surface on %s", t->block->device->label);
  return 1;
}

static void describe_surface (lua_State *L, int idx, char *buf, size_t size) {
  (void)L;
  (void)idx;
  snprintf(buf, size, "surface");
}

void lcul_open_surface (lua_State *L) {
  static const luaL_Reg functions[] = { { "surface", core_surface },
                                        { "texture_info", core_texture_info },
                                        { NULL, NULL } };
  static const luaL_Reg methods[] = { { "free", surface_close },
                                      { "close", surface_close },
                                      { NULL, NULL } };
  static const luaL_Reg metamethods[] = { { "__gc", surface_close },
                                          { "__close", surface_close },
                                          { "__tostring", surface_tostring },
                                          { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_SURFACE,
                                     .boxed = true,
                                     .methods = methods,
                                     .metamethods = metamethods,
                                     .describe_type = describe_surface,
                                     .field_handle = lcul_texture_field_handle };
  lcul_newclass(L, &def);
  lcul_texture_add_fields(L, LCUL_SURFACE);
  lcul_setfuncs(L, functions);
}
