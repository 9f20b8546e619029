/* lcul_packed.c: compressed data for files: core.inflate, core.png_unpack, core.png_pack and
 * core.zlib. */
#include "cu_zlib.h"
#include "lcu_deflate.h"
#include "lcu_png.h"
#include "lcul_box.h"
#include "lcul_error.h"
#include "lcul_set.h"

/* Pushes nil and what is wrong with the data; raises other failures. */
static int refuse_packed (lua_State *L, lcu_status st) {
  if (st != LCU_E_SYNTAX) lcul_status(L, st);
  luaL_pushfail(L);
  lua_pushstring(L, lcu_failure_get()->message);
  return 2;
}

/* core.inflate(bytes, size) -> the `size` bytes that a deflate stream holds; nil and why. */
static int core_inflate (lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *in = luaL_checklstring(L, 1, &len);
  lua_Integer size = luaL_checkinteger(L, 2);
  bool part = lua_toboolean(L, 3);
  lcu_status st = lcu_inflate_check(len, (uint64_t)size);
  if (st != LCU_OK) return refuse_packed(L, st);
  char *out = luaL_buffinitsize(L, &b, (size_t)size);
  st = (part ? lcu_inflate_part : lcu_inflate)(in, len, out, (size_t)size);
  if (st != LCU_OK) return refuse_packed(L, st);
  luaL_pushresultsize(&b, (size_t)size);
  return 1;
}

/* Arguments from 2 on: width, height, depth, channels and interlaced. */
static lcu_png picture_arg (lua_State *L) {
  return (lcu_png){ .width = (uint32_t)luaL_checkinteger(L, 2),
                    .height = (uint32_t)luaL_checkinteger(L, 3),
                    .depth = (unsigned)luaL_checkinteger(L, 4),
                    .channels = (unsigned)luaL_checkinteger(L, 5),
                    .interlaced = lua_toboolean(L, 6) };
}

/* core.png_unpack(zlib stream, width, height, depth, channels, interlaced) -> samples; nil and
 * why. */
static int core_png_unpack (lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *in = luaL_checklstring(L, 1, &len);
  lcu_png p = picture_arg(L);
  uint64_t packed = lcu_png_packed_size(&p), size = lcu_png_sample_size(&p);
  lcu_status st = lcu_inflate_check(len, packed);
  if (st != LCU_OK) return refuse_packed(L, st);
  uint8_t *rows = lcul_scratch(L, (size_t)packed);
  int rows_at = lua_gettop(L);
  st = lcu_inflate_zlib(in, len, rows, (size_t)packed);
  if (st != LCU_OK) return refuse_packed(L, st);
  char *out = luaL_buffinitsize(L, &b, (size_t)size);
  uint64_t wrong = lcu_png_unpack(&p, rows, (uint8_t *)out);
  lcul_scratch_free(L, rows_at);
  if (wrong > 0) {
    luaL_pushfail(L);
    lua_pushfstring(L, "row %I has a filter that does not exist", (LUAI_UACINT)wrong);
    return 2;
  }
  luaL_pushresultsize(&b, (size_t)size);
  return 1;
}

/* core.png_pack(samples, width, height, depth, channels) -> zlib stream */
static int core_png_pack (lua_State *L) {
  size_t len;
  const char *samples = luaL_checklstring(L, 1, &len);
  lcu_png p = picture_arg(L);
  luaL_argcheck(L, lcu_png_sample_size(&p) == len, 1, "wrong number of bytes");
  uint64_t size = lcu_png_packed_size(&p);
  uint8_t *rows = lcul_scratch(L, (size_t)size);
  int rows_at = lua_gettop(L);
  lcu_buf *packed = lcul_newbuffer(L);
  lcu_png_pack(&p, (const uint8_t *)samples, rows);
  lcul_status(L, lcu_deflate_zlib(rows, (size_t)size, packed));
  lcul_scratch_free(L, rows_at);
  lua_pushlstring(L, packed->data, packed->len);
  lcu_buf_free(packed);
  return 1;
}

/* core.zlib() -> the version of zlib; nil and why there is none */
static int core_zlib (lua_State *L) {
  const lcu_zlib *zlib = lcu_zlib_open();
  lua_pushstring(L, zlib != NULL ? zlib->zlibVersion() : NULL);
  lua_pushstring(L, zlib == NULL ? lcu_zlib_missing() : NULL);
  return 2;
}

void lcul_open_packed (lua_State *L) {
  static const luaL_Reg functions[] = { { "inflate", core_inflate },
                                        { "png_unpack", core_png_unpack },
                                        { "png_pack", core_png_pack },
                                        { "zlib", core_zlib },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
