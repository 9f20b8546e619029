/* fuzz_reader.c: fuzzes a reader written in Lua. It runs spec/fuzz/FUZZ_READER.lua in an embedded
 * Lua state that uses the sources of this repository. The file returns a table { seeds = list of
 * strings, read = function(bytes) }. An error from `read` is a finding, since `read` itself catches
 * the errors that users are meant to see (spec/support/fuzz.lua). The memory of the state and the
 * number of instructions for one input are limited. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int luaopen_luacuda_core (lua_State *L);
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Garbage that one input leaves to Lua's collector is not a leak. */
const char *__asan_default_options (void);
const char *__asan_default_options (void) { return "detect_leaks=0"; }

enum { MEMORY = 256 << 20, STEPS = 10000000 };

static lua_State *state;
static size_t used;

static void *limited (void *ud, void *p, size_t old, size_t size) {
  (void)ud;
  if (p == NULL) old = 0;
  if (size == 0) {
    used -= old;
    free(p);
    return NULL;
  }
  if (size > old && used + (size - old) > MEMORY) return NULL;
  void *grown = realloc(p, size);
  if (grown != NULL) used += size - old;
  return grown;
}

static void too_long (lua_State *L, lua_Debug *ar) {
  (void)ar;
  luaL_error(L, "too many instructions");
}

static void die (const char *what) {
  fprintf(stderr, "%s: %s\n", what, luaL_tolstring(state, -1, NULL));
  abort();
}

static void write_seed (const char *folder, lua_Integer i) {
  char path[4096];
  size_t n;
  const char *bytes = lua_tolstring(state, -1, &n);
  snprintf(path, sizeof path, "%s/seed%03d", folder, (int)i);
  FILE *f = bytes != NULL ? fopen(path, "wb") : NULL;
  if (f == NULL) return;
  fwrite(bytes, 1, n, f);
  fclose(f);
}

/* Writes the reader's seeds into the folder. */
static void write_seeds (const char *folder) {
  lua_getfield(state, -1, "seeds");
  for (lua_Integer i = 1; lua_rawgeti(state, -1, i) != LUA_TNIL; i++) {
    write_seed(folder, i);
    lua_pop(state, 1);
  }
  lua_pop(state, 2);
}

static const char *first_folder (int argc, char **argv) {
  struct stat info;
  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-' && stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) return argv[i];
  return NULL;
}

int LLVMFuzzerInitialize (int *argc, char ***argv) {
  static const char paths[] =
    "package.path = '" FUZZ_ROOT "/lua/?.lua;" FUZZ_ROOT "/lua/?/init.lua;" FUZZ_ROOT "/?.lua'";
  const char *folder = first_folder(*argc, *argv);
  state = lua_newstate(limited, NULL);
  luaL_openlibs(state);
  luaL_getsubtable(state, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(state, luaopen_luacuda_core);
  lua_setfield(state, -2, "luacuda.core");
  if (luaL_dostring(state, paths) != LUA_OK) die("paths");
  if (luaL_dofile(state, FUZZ_ROOT "/spec/fuzz/" FUZZ_READER ".lua") != LUA_OK) die("reader");
  lua_setglobal(state, "reader");
  lua_getglobal(state, "reader");
  if (folder != NULL) write_seeds(folder);
  lua_settop(state, 0);
  return 0;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size) {
  lua_getglobal(state, "reader");
  lua_getfield(state, -1, "read");
  lua_pushlstring(state, (const char *)data, size);
  lua_sethook(state, too_long, LUA_MASKCOUNT, STEPS);
  if (lua_pcall(state, 1, 0, 0) != LUA_OK) die(FUZZ_READER);
  lua_sethook(state, NULL, 0, 0);
  lua_settop(state, 0);
  return 0;
}
