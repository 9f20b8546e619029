/* lcul_texture.c: class Texture: how it reads, and its fields. */
#include "lcul_texture.h"

#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_error.h"
#include "lcul_list.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_texture_source.h"


/* ---- options with words ---- */

static const char *const filters[] = { "point", "linear", NULL };
static const char *const addresses[] = { "wrap", "clamp", "mirror", "border", NULL };
static const char *const reads[] = { "element", "normalized", NULL };

/* The index of the word at the top of the stack. */
static int word_at (lua_State *L, const char *option, const char *const words[]) {
  char text[96] = "";
  size_t n = 0;
  for (int i = 0; words[i] != NULL; i++) {
    if (lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), words[i]) == 0) return i;
    n += (size_t)snprintf(text + n, sizeof text - n, "%s\"%s\"", i == 0 ? "" : " or ", words[i]);
  }
  if (lua_type(L, -1) == LUA_TSTRING)
    return lcul_misuse(L, "texture: option '%s': expected %s, got \"%s\"", option, text,
                       lua_tostring(L, -1));
  return lcul_wrong_option(L, option, text);
}

static int word_option (lua_State *L, int opts, const char *option, const char *const words[],
                        int def) {
  if (!opts || !lcul_opt_push(L, opts, option)) return def;
  int i = word_at(L, option, words);
  lua_pop(L, 1);
  return i;
}

/* One word for all axes, or a list of one for each: that of x first. */
static void read_address (lua_State *L, int opts, cu_texture_desc *d) {
  for (int i = 0; i < 3; i++) d->address[i] = CU_ADDRESS_CLAMP;
  if (!opts || !lcul_opt_push(L, opts, "address")) return;
  bool list = lua_istable(L, -1);
  lua_Integer n = list ? lcul_list_raw_length(L, -1) : 3;
  if (n < 1 || n > 3)
    lcul_misuse(L, "texture: option 'address': expected 1 to 3 words, got %d", (int)n);
  for (int i = 0; i < 3; i++) {
    if (!list) lua_pushvalue(L, -1);
    else lua_rawgeti(L, -1, i < n ? i + 1 : n);
    d->address[i] = word_at(L, "address", addresses);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}


/* ---- other options ---- */

static float float_option (lua_State *L, int opts, const char *option, float def) {
  if (!opts || !lcul_opt_push(L, opts, option)) return def;
  if (lua_type(L, -1) != LUA_TNUMBER) lcul_wrong_option(L, option, "a number");
  float v = (float)lua_tonumber(L, -1);
  lua_pop(L, 1);
  return v;
}

static void read_mipmap_options (lua_State *L, int opts, const lcul_texture_source *s,
                                 cu_texture_desc *d) {
  float last = s->levels > 0 ? (float)(s->levels - 1) : 0;
  d->mipmap_filter = word_option(L, opts, "mipmap_filter", filters, d->filter);
  d->mipmap_bias = float_option(L, opts, "mipmap_bias", 0);
  d->mipmap_min = float_option(L, opts, "min_level", 0);
  d->mipmap_max = float_option(L, opts, "max_level", last);
}

static bool flag_option (lua_State *L, int opts, const char *name, bool def) {
  return opts ? lcul_opt_bool(L, opts, name, def) : def;
}

static void read_texture_options (lua_State *L, int opts, const lcul_texture_source *s,
                                  cu_texture_desc *d) {
  *d = (cu_texture_desc){ .filter = word_option(L, opts, "filter", filters, CU_FILTER_POINT) };
  read_address(L, opts, d);
  if (word_option(L, opts, "read", reads, 0) == 0) d->flags |= CU_TEXTURE_READ_AS_INTEGER;
  lcul_texture_border_read(L, opts, s, (d->flags & CU_TEXTURE_READ_AS_INTEGER) == 0, d->border);
  if (flag_option(L, opts, "normalized", s->levels > 0 || s->cubemap))
    d->flags |= CU_TEXTURE_NORMALIZED_COORDINATES;
  if (flag_option(L, opts, "srgb", false)) d->flags |= CU_TEXTURE_SRGB;
  if (flag_option(L, opts, "seamless", false)) d->flags |= CU_TEXTURE_SEAMLESS_CUBEMAP;
  if (opts) d->anisotropy = (unsigned)lcul_opt_integer(L, opts, "anisotropy", 0, 0, 16);
  read_mipmap_options(L, opts, s, d);
}


/* ---- what the hardware can do ---- */

static bool is_float (const lcul_texture_source *s) {
  return s->texel.format == CU_FORMAT_F16 || s->texel.format == CU_FORMAT_F32;
}
/* Can an integer be read as a float from 0 or -1 to 1? */
static bool can_normalize (const lcu_dtype *t) {
  return (t->kind == LCU_KIND_INT || t->kind == LCU_KIND_UINT) && t->size <= 2;
}

static void check_values (lua_State *L, const lcul_texture_source *s, const cu_texture_desc *d) {
  bool element = (d->flags & CU_TEXTURE_READ_AS_INTEGER) != 0;
  const char *type = s->dtype->name;
  if (!element && !can_normalize(s->dtype))
    lcul_misuse(L,
                "texture: option 'read': only integers of 8 and 16 bits are read as normalized "
                "floats, not %s",
                type);
  if ((d->filter == CU_FILTER_LINEAR || (s->levels > 0 && d->mipmap_filter == CU_FILTER_LINEAR)) &&
      element && !is_float(s))
    lcul_misuse(L, "texture: option 'filter': texels of %s cannot be filtered%s", type,
                can_normalize(s->dtype) ? " as integers; read = \"normalized\" gives floats" : "");
  if ((d->flags & CU_TEXTURE_SRGB) && (element || s->dtype->id != LCU_UINT8))
    lcul_misuse(L, "texture: option 'srgb': needs texels of uint8 and read = \"normalized\"");
}

static void check_coordinates (lua_State *L, const lcul_texture_source *s,
                               const cu_texture_desc *d) {
  bool normalized = (d->flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0;
  for (int i = 0; i < 3 && !normalized; i++)
    if (d->address[i] == CU_ADDRESS_WRAP || d->address[i] == CU_ADDRESS_MIRROR)
      lcul_misuse(L,
                  "texture: option 'address': \"%s\" needs normalized coordinates: normalized = "
                  "true",
                  addresses[d->address[i]]);
  if (s->levels > 0 && !normalized)
    lcul_misuse(L, "texture: option 'normalized': mipmaps are read at normalized coordinates");
}

/* tex1Dfetch reads linear memory by integer index. */
static void check_linear (lua_State *L, const lcul_texture_source *s, const cu_texture_desc *d) {
  if (!s->linear) return;
  if (d->filter != CU_FILTER_POINT || (d->flags & CU_TEXTURE_NORMALIZED_COORDINATES))
    lcul_misuse(L, "texture: an array of one axis is read by index, without filter and normalized "
                   "coordinates; a CUDA array (cuda.cuda_array) has both");
}


/* ---- making it ---- */

/* A filter blends a CUDA array of one axis half with what lies beyond it on the y axis. Without a
 * border there it is the same row. */
static cu_texture_desc for_driver (const lcul_texture_source *s, const cu_texture_desc *d) {
  cu_texture_desc out = *d;
  if (s->row) out.address[1] = out.address[2] = CU_ADDRESS_CLAMP;
  return out;
}

static lcul_texels texture_texels (const lcul_texture_source *s, const cu_texture_desc *d) {
  return (lcul_texels){ .dtype = s->dtype,
                        .ndim = (uint8_t)s->ndim,
                        .channels = (uint8_t)s->channels,
                        .linear = s->linear,
                        .layered = s->layered,
                        .cubemap = s->cubemap,
                        .mipmapped = s->levels > 0,
                        .normalized = (d->flags & CU_TEXTURE_READ_AS_INTEGER) == 0 };
}

/* texture(source [, { filter =, address =, read =, normalized =, border =, srgb =, anisotropy =,
 * mipmap_filter =, mipmap_bias =, min_level =, max_level =, seamless =, channels = }]) */
static int core_texture (lua_State *L) {
  static const char *const names[] = { "filter",      "address",   "read",       "normalized",
                                       "border",      "srgb",      "anisotropy", "mipmap_filter",
                                       "mipmap_bias", "min_level", "max_level",  "seamless",
                                       "channels",    NULL };
  lcul_texture_source s;
  cu_texture_desc desc;
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  int opts = lcul_options(L, 2, "texture", names) ? 2 : 0;
  lcul_texture *t = lcul_newobject(L, LCUL_TEXTURE, sizeof *t, 1);
  lcul_texture_source_read(L, opts, &s);
  read_texture_options(L, opts, &s, &desc);
  check_values(L, &s, &desc);
  check_coordinates(L, &s, &desc);
  check_linear(L, &s, &desc);
  /* read again: a metamethod of the options may have closed it */
  lcul_texture_source_read(L, opts, &s);
  t->desc = desc;
  t->texels = texture_texels(&s, &desc);
  desc = for_driver(&s, &desc);
  lcul_status(L, lcu_texture_create(s.device, s.block, &s.resource, &desc, &t->block));
  lua_settop(L, 3);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 3, 1);
  return 1;
}

static lcul_texture *texture_check (lua_State *L) { return lcul_texture_check(L, LCUL_TEXTURE); }

static int texture_close (lua_State *L) { return lcul_texture_close(L, LCUL_TEXTURE); }


/* ---- fields ---- */

static int get_filter (lua_State *L) {
  lua_pushstring(L, filters[texture_check(L)->desc.filter]);
  return 1;
}
static int get_read (lua_State *L) {
  bool element = (texture_check(L)->desc.flags & CU_TEXTURE_READ_AS_INTEGER) != 0;
  lua_pushstring(L, reads[element ? 0 : 1]);
  return 1;
}
static int get_normalized (lua_State *L) {
  lua_pushboolean(L, (texture_check(L)->desc.flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0);
  return 1;
}
static int get_address (lua_State *L) {
  const lcul_texture *t = texture_check(L);
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushstring(L, addresses[t->desc.address[i]]);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int texture_tostring (lua_State *L) {
  const lcul_texture *t = lcul_check(L, 1, LCUL_TEXTURE);
  if (t->block == NULL) lua_pushliteral(L, "luacuda.Texture (closed)");
  else
    lua_pushfstring(L, "luacuda.Texture %s on %s", filters[t->desc.filter],
                    t->block->device->label);
  return 1;
}

static void describe_texture (lua_State *L, int idx, char *buf, size_t size) {
  (void)L;
  (void)idx;
  snprintf(buf, size, "texture");
}

void lcul_open_texture (lua_State *L) {
  static const luaL_Reg functions[] = { { "texture", core_texture }, { NULL, NULL } };
  static const luaL_Reg methods[] = { { "free", texture_close },
                                      { "close", texture_close },
                                      { NULL, NULL } };
  static const luaL_Reg getters[] = { { "filter", get_filter },
                                      { "address", get_address },
                                      { "read", get_read },
                                      { "normalized", get_normalized },
                                      { NULL, NULL } };
  static const luaL_Reg metamethods[] = { { "__gc", texture_close },
                                          { "__close", texture_close },
                                          { "__tostring", texture_tostring },
                                          { NULL, NULL } };
  static const lcul_classdef def = { .id = LCUL_TEXTURE,
                                     .boxed = true,
                                     .methods = methods,
                                     .getters = getters,
                                     .metamethods = metamethods,
                                     .describe_type = describe_texture,
                                     .field_handle = lcul_texture_field_handle };
  lcul_newclass(L, &def);
  lcul_texture_add_fields(L, LCUL_TEXTURE);
  lcul_setfuncs(L, functions);
}
