/* host.c: a program that embeds Lua and shares arrays with it. Usage: host [DEVICE]
 *
 * It gives a buffer of its own to a script as an array, reads an array that the script returns,
 * hands that array to a second Lua state, and shows the error of a wrong call. */
#include <luacuda.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const luacuda_api *cuda;

static const char script[] = "local x, device = ...\n"
                             "local cuda = require 'luacuda'\n"
                             "if device then cuda.use(device) end\n"
                             "local y = x:to(cuda.device()) * 2 + 1\n"
                             "x:fill(0)\n"
                             "return y:to 'cpu'";

static void free_buffer (void *buffer) {
  puts("the buffer is free again");
  free(buffer);
}

/* Pushes an array of n numbers in memory of this program. */
static void push_numbers (lua_State *L, int n) {
  luacuda_array a;
  float *buffer = malloc((size_t)n * sizeof *buffer);
  if (buffer == NULL) luaL_error(L, "not enough memory");
  for (int i = 0; i < n; i++) buffer[i] = (float)i;
  memset(&a, 0, sizeof a);
  a.pointer = (uint64_t)(uintptr_t)buffer;
  a.dtype = "float32";
  a.device = LUACUDA_CPU;
  a.ndim = 1;
  a.shape[0] = n;
  a.contiguous = 1;
  cuda->push_array(L, &a, free_buffer, buffer);
}

/* Prints the array at idx, in the host's memory. */
static void print_array (lua_State *L, int idx) {
  luacuda_array a;
  luacuda_check_array(cuda, L, idx, &a);
  cuda->wait(L, idx, 0);
  printf("%s:", a.dtype);
  const float *p = a.host;
  for (int64_t i = 0; i < a.size; i++) printf(" %g", (double)p[i]);
  putchar('\n');
}

/* [device or nil] -> []; leaves a handle of the script's array in *handle. */
static int work (lua_State *L) {
  luacuda_handle **handle = lua_touserdata(L, 1);
  cuda = luacuda_open(L);
  if (luaL_loadstring(L, script) != LUA_OK) return lua_error(L);
  push_numbers(L, 5);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  print_array(L, -1);
  *handle = cuda->retain(L, -1);
  return 0;
}

/* In another Lua state: the same memory. */
static int work_again (lua_State *L) {
  luacuda_handle **handle = lua_touserdata(L, 1);
  cuda = luacuda_open(L);
  cuda->push_handle(L, *handle);
  print_array(L, -1);
  return luaL_error(L, "and this is an error of the program");
}

/* A mistake in a script: the text of its error. */
static int fail (lua_State *L) {
  return luaL_dostring(L, "return require 'luacuda'.zeros(3):reshape(4)") == LUA_OK ? 0
                                                                                    : lua_error(L);
}

static int run (lua_State *L, lua_CFunction fn, luacuda_handle **handle, const char *device) {
  lua_pushcfunction(L, fn);
  lua_pushlightuserdata(L, handle);
  if (device != NULL) lua_pushstring(L, device);
  else lua_pushnil(L);
  if (lua_pcall(L, 2, 0, 0) == LUA_OK) return 1;
  printf("error: %s\n", luaL_tolstring(L, -1, NULL)); /* strings, and error objects */
  lua_settop(L, 0);
  return 0;
}

int main (int argc, char **argv) {
  luacuda_handle *handle = NULL;
  const char *device = argc > 1 ? argv[1] : NULL;
  lua_State *first = luaL_newstate();
  luaL_openlibs(first);
  int ok = run(first, work, &handle, device);
  run(first, fail, NULL, NULL);
  lua_close(first);
  if (!ok) return 1;

  lua_State *second = luaL_newstate();
  luaL_openlibs(second);
  run(second, work_again, &handle, NULL);
  cuda->release(handle); /* before or after the state is closed */
  lua_close(second);
  return 0;
}
