/* lcul_hash.c: core.sha256 and core.crc32. */
#include "lcu_crc32.h"
#include "lcu_sha256.h"
#include "lcul_set.h"

/* core.sha256(...) -> hex digest of the strings, each preceded by its length. A single string is
 * hashed without its length. */
static int core_sha256 (lua_State *L) {
  static const char hex[] = "0123456789abcdef";
  lcu_sha256 h;
  uint8_t digest[32];
  char text[64];
  int n = lua_gettop(L);
  lcu_sha256_init(&h);
  for (int i = 1; i <= n; i++) {
    size_t len;
    const char *s = luaL_checklstring(L, i, &len);
    uint64_t prefix = len;
    if (n > 1) lcu_sha256_add(&h, &prefix, sizeof prefix);
    lcu_sha256_add(&h, s, len);
  }
  lcu_sha256_final(&h, digest);
  for (int i = 0; i < 32; i++) {
    text[2 * i] = hex[digest[i] >> 4];
    text[2 * i + 1] = hex[digest[i] & 15];
  }
  lua_pushlstring(L, text, sizeof text);
  return 1;
}

/* core.crc32(bytes [, crc of the preceding bytes]) -> integer */
static int core_crc32 (lua_State *L) {
  size_t len;
  const char *s = luaL_checklstring(L, 1, &len);
  lua_pushinteger(L, (lua_Integer)lcu_crc32((uint32_t)luaL_optinteger(L, 2, 0), s, len));
  return 1;
}

void lcul_open_hash (lua_State *L) {
  static const luaL_Reg functions[] = { { "sha256", core_sha256 },
                                        { "crc32", core_crc32 },
                                        { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
