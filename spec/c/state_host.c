/* state_host.c: a host program with several Lua states in one or more threads; states_spec.lua
 * builds and runs it. Usage:
 *
 *   state_host threads T N SCRIPT ARGS...
 *     T threads, each of which N times makes a state, runs the script in it and closes it.
 *   state_host memory PART SCRIPT ARGS...
 *     Runs the script while the n-th allocation of Lua fails, until it succeeds. n = 1 to 200, then
 *     7 + n / PART more each time.
 *   state_host ended SCRIPT ARGS...
 *     Runs the script in a state, closes it, and prints the objects that another state still sees.
 *   state_host errors SCRIPT ARGS...
 *     Prints the script's error as lua_tostring and luaL_tolstring return it.
 *   state_host turns SCRIPT ARGS...
 *     Runs the script in two states of one thread, then calls its global function turn(n) in each
 *     by turns (1 2 1 2 ...) until both have returned nil. Closes the first state first.
 *
 * The exit status is 0 if every run succeeded; with "memory", "not enough memory" is a success. */
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
  int rounds, index;
  char **script;
  bool failed;
} job;

static void set_arguments (lua_State *L, char **script, int index) {
  lua_newtable(L);
  for (int i = 1; script[i] != NULL; i++) {
    lua_pushstring(L, script[i]);
    lua_rawseti(L, -2, i);
  }
  lua_pushinteger(L, index);
  lua_setfield(L, -2, "thread");
  lua_setglobal(L, "arg");
}

static bool run_state (char **script, int index) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return false;
  luaL_openlibs(L);
  set_arguments(L, script, index);
  bool ok = luaL_dofile(L, script[0]) == LUA_OK;
  if (!ok) fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
  lua_close(L);
  return ok;
}

static void *thread_main (void *arg) {
  job *j = arg;
  for (int i = 0; i < j->rounds && !j->failed; i++) j->failed = !run_state(j->script, j->index);
  return NULL;
}

static int run_threads (int threads, int rounds, char **script) {
  enum { THREADS_MAX = 64 };
  pthread_t id[THREADS_MAX];
  job jobs[THREADS_MAX];
  int failed = 0;
  if (threads > THREADS_MAX) threads = THREADS_MAX;
  for (int i = 0; i < threads; i++) {
    jobs[i] = (job){ .rounds = rounds, .index = i + 1, .script = script };
    if (pthread_create(&id[i], NULL, thread_main, &jobs[i]) != 0) return 1;
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(id[i], NULL);
    failed |= jobs[i].failed;
  }
  return failed;
}

/* Makes one allocation fail: the one at which `countdown` reaches 0. */
typedef struct budget {
  long countdown;
  bool hit;
} budget;

static void *limited (void *ud, void *p, size_t old, size_t size) {
  budget *b = ud;
  if (size == 0) {
    free(p);
    return NULL;
  }
  bool grows = p == NULL || size > old;
  if (grows && b->countdown > 0 && --b->countdown == 0) {
    b->hit = true;
    b->countdown = -1; /* Lua collects garbage and tries again: that fails too */
    return NULL;
  }
  if (grows && b->countdown == -1) {
    b->countdown = 0;
    return NULL;
  }
  return realloc(p, size);
}

static int run_protected (lua_State *L) {
  char **script = lua_touserdata(L, 1);
  luaL_openlibs(L);
  set_arguments(L, script, 0);
  budget *b = lua_touserdata(L, 2);
  lua_Integer n = lua_tointeger(L, 3);
  if (luaL_loadfile(L, script[0]) != LUA_OK) return lua_error(L);
  /* Allocations before this point, for the libraries and the script's text, do not fail. */
  b->countdown = (long)n;
  lua_call(L, 0, 0);
  b->countdown = 0;
  return 0;
}

static bool acceptable (lua_State *L, int status) {
  if (status == LUA_OK || status == LUA_ERRMEM) return true;
  const char *text = luaL_tolstring(L, -1, NULL);
  if (strstr(text, "memory") != NULL) return true;
  fprintf(stderr, "%s\n", text);
  return false;
}

static int run_memory (long part, char **script) {
  for (long n = 1; n < 100000; n += n < 200 ? 1 : 7 + n / part) {
    budget b = { 0, false };
    lua_State *L = lua_newstate(limited, &b);
    if (L == NULL) return 1;
    lua_pushcfunction(L, run_protected);
    lua_pushlightuserdata(L, script);
    lua_pushlightuserdata(L, &b);
    lua_pushinteger(L, n);
    int status = lua_pcall(L, 3, 0, 0);
    b.countdown = 0;
    bool ok = acceptable(L, status);
    lua_close(L);
    if (!ok) return 1;
    if (!b.hit) {
      printf("ran through at allocation %ld\n", n);
      return 0;
    }
  }
  return 1;
}

static int run_ended (char **script) {
  static const char watch[] = "local live = require 'luacuda.core'._live()\n"
                              "for kind, n in pairs(live) do if kind ~= 'device' and n > 0 then "
                              "print(n .. ' ' .. kind .. ' left') end end";
  lua_State *L = luaL_newstate();
  if (L == NULL) return 1;
  luaL_openlibs(L);
  bool ok = luaL_dostring(L, "require 'luacuda.core'") == LUA_OK && run_state(script, 0) &&
            luaL_dostring(L, watch) == LUA_OK;
  lua_close(L);
  return !ok;
}

static int run_errors (char **script) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return 1;
  luaL_openlibs(L);
  set_arguments(L, script, 0);
  bool failed = luaL_dofile(L, script[0]) != LUA_OK;
  const char *plain = failed ? lua_tostring(L, -1) : "no error";
  printf("lua_tostring: %s\n", plain != NULL ? plain : "NULL");
  if (failed) printf("luaL_tolstring: %s\n", luaL_tolstring(L, -1, NULL));
  lua_close(L);
  return !failed;
}

/* Calls turn(n); true if it may be called again. */
static bool take_turn (lua_State *L, int n, bool *failed) {
  lua_settop(L, 0);
  lua_getglobal(L, "turn");
  lua_pushinteger(L, n);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return lua_toboolean(L, -1);
  fprintf(stderr, "%s\n", luaL_tolstring(L, -1, NULL));
  *failed = true;
  return false;
}

static int run_turns (char **script) {
  lua_State *states[2];
  bool failed = false;
  for (int i = 0; i < 2; i++) {
    states[i] = luaL_newstate();
    luaL_openlibs(states[i]);
    set_arguments(states[i], script, i + 1);
    if (luaL_dofile(states[i], script[0]) == LUA_OK) continue;
    fprintf(stderr, "%s\n", luaL_tolstring(states[i], -1, NULL));
    return 1;
  }
  for (int n = 1, more = 3; more != 0; n++)
    for (int i = 0; i < 2; i++)
      if ((more & 1 << i) != 0 && !take_turn(states[i], n, &failed)) more &= ~(1 << i);
  for (int i = 0; i < 2; i++) {
    lua_close(states[i]);
    fprintf(stderr, "state %d closed\n", i + 1);
  }
  return failed;
}

int main (int argc, char **argv) {
  if (argc >= 5 && strcmp(argv[1], "threads") == 0)
    return run_threads(atoi(argv[2]), atoi(argv[3]), argv + 4);
  if (argc >= 4 && strcmp(argv[1], "memory") == 0) return run_memory(atol(argv[2]), argv + 3);
  if (argc >= 3 && strcmp(argv[1], "ended") == 0) return run_ended(argv + 2);
  if (argc >= 3 && strcmp(argv[1], "errors") == 0) return run_errors(argv + 2);
  if (argc >= 3 && strcmp(argv[1], "turns") == 0) return run_turns(argv + 2);
  fprintf(stderr,
          "usage: state_host threads T N script | memory PART script | ended script | errors "
          "script | turns script\n");
  return 2;
}
