/* lcul_error.c: class luacuda.Error, and the one place where a failure becomes one. An error is a
 * table: kind, name, code, call, device, message, traceback, where; compile errors add log, source,
 * flags; faults of the CPU device add kernel, called_at, file, line, block, thread, array, address.
 *
 * A host that calls lua_tostring on an error gets NULL for a table or a userdata: Lua asks no
 * metamethod there. For such hosts a state may raise the text instead (lcul_state.string_errors).
 * The latest objects are remembered with their texts, so that is_error and last_error still know
 * them. */
#include "lcul_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cu_failure.h"
#include "lcu_device_failure.h"
#include "lcul_check.h"
#include "lcul_interrupt.h"
#include "lcul_set.h"
#include "lcul_state.h"


#define FILTER_KEY "luacuda.fault_filter"
#define ERROR_NAME "luacuda.Error"
#define RECENT_KEY "luacuda.recent_errors" /* 1 to RECENT: objects; after them their texts */

enum { RECENT = 16 };


/* ---- what kind of failure a code is ---- */

static const char *kind_of_driver (lcu_status s) {
  switch (s) {
    case CU_ERR_OUT_OF_MEMORY: return "memory";
    case CU_ERR_INVALID_IMAGE:
    case CU_ERR_NO_BINARY_FOR_GPU:
    case CU_ERR_INVALID_PTX:
    case CU_ERR_JIT_COMPILER_NOT_FOUND:
    case CU_ERR_UNSUPPORTED_PTX_VERSION:
    case CU_ERR_JIT_COMPILATION_DISABLED:
    case CU_ERR_UNSUPPORTED_DEVSIDE_SYNC:
    case CU_ERR_INVALID_SOURCE: return "compile";
    case CU_ERR_PEER_ACCESS_ALREADY_ENABLED:
    case CU_ERR_PEER_ACCESS_NOT_ENABLED:
    case CU_ERR_PRIMARY_CONTEXT_ACTIVE:
    case CU_ERR_CONTEXT_IS_DESTROYED:
    case CU_ERR_HOST_MEMORY_ALREADY_REGISTERED:
    case CU_ERR_HOST_MEMORY_NOT_REGISTERED:
    case CU_ERR_ILLEGAL_STATE: return "logic";
    case CU_ERR_INVALID_CLUSTER_SIZE: return "launch";
    default: break;
  }
  if (s >= 700 && s < 800) return "launch";
  return s >= CU_ERR_STREAM_CAPTURE_UNSUPPORTED && s <= CU_ERR_STREAM_CAPTURE_WRONG_THREAD
           ? "logic"
           : "runtime";
}

static const char *kind_of_cublas (int r) {
  enum { ALLOC_FAILED = 3, EXECUTION_FAILED = 13 };
  return r == ALLOC_FAILED ? "memory" : r == EXECUTION_FAILED ? "launch" : "runtime";
}

static const char *kind_of (lcu_status s) {
  if (s > 0 && s < LCU_NVRTC) return kind_of_driver(s);
  if (s >= LCU_NVRTC && s < LCU_E_NOMEM) return "compile";
  if (s >= LCU_CUBLAS) return kind_of_cublas(s - LCU_CUBLAS);
  switch (s) {
    case LCU_E_NOMEM: return "memory";
    case LCU_E_SYNTAX:
    case LCU_E_COMPILE: return "compile";
    case LCU_E_FORK:
    case LCU_E_DEAD:
    case LCU_E_STATE: return "logic";
    case LCU_E_FAULT: return "launch";
    default: return "runtime";
  }
}


/* ---- positions ---- */

bool lcul_is_own (const lcul_state *st, const lua_Debug *ar) {
  return st != NULL && st->home[0] != '\0' && strncmp(ar->source, st->home, strlen(st->home)) == 0;
}

/* The innermost level that is the user's own code. */
static bool find_caller (lua_State *L, lua_Debug *ar, int level) {
  const lcul_state *st = lcul_getstate(L);
  for (; lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "Sl", ar);
    if (ar->currentline > 0 && !lcul_is_own(st, ar)) return true;
  }
  return false;
}

static void lcul_where (lua_State *L) {
  lua_Debug ar;
  if (find_caller(L, &ar, 1)) lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
  else lua_pushliteral(L, "");
}

void lcul_note_caller (lua_State *L, const lcu_device *d, bool builder) {
  lua_Debug ar;
  if (lcu_likely(d->drv->cuxTakeFault == NULL)) return;
  lcu_caller[0] = '\0';
  if (!builder && (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "S", &ar) ||
                   !lcul_is_own(lcul_getstate(L), &ar)))
    return;
  if (find_caller(L, &ar, 1))
    snprintf(lcu_caller, sizeof lcu_caller, "%s:%d", ar.short_src, ar.currentline);
}

static int misuse_text (lua_State *L, const char *text) {
  lcul_where(L);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  return lua_error(L);
}

int lcul_misuse (lua_State *L, const char *fmt, ...) {
  char text[LCU_MESSAGE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return misuse_text(L, text);
}


/* ---- making error objects; the table is at the top ---- */

static void set_known (lua_State *L, const char *name, const char *value) {
  if (value != NULL && value[0] != '\0') lcul_set_string(L, name, value);
}

static void set_triple (lua_State *L, const char *name, const uint32_t v[3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

/* The traceback and position of where it is made, for objects from Lua and from C alike. */
static void finish (lua_State *L) {
  lcul_where(L);
  lua_setfield(L, -2, "where");
  luaL_traceback(L, L, NULL, 1);
  lua_setfield(L, -2, "traceback");
  luaL_setmetatable(L, ERROR_NAME);
}

static void set_fault (lua_State *L, const lcu_failure *failure) {
  const lcu_fault *f = &failure->fault;
  set_known(L, "fault", f->kind);
  set_known(L, "kernel", f->kernel);
  set_known(L, "called_at", f->caller);
  set_known(L, "file", f->file);
  if (f->line != 0) lcul_set_integer(L, "line", f->line);
  set_triple(L, "block", f->block);
  set_triple(L, "thread", f->thread);
  if (f->address != 0) lcul_set_integer(L, "address", (lua_Integer)f->address);
  set_known(L, "array", failure->array);
}

/* What the compiler, or the driver, said of code it refused. */
static void set_log (lua_State *L, const lcu_failure *f, const char *log) {
  bool is_driver = f->call != NULL && f->code < LCU_NVRTC;
  if (log[0] != '\0') lcul_set_string(L, "log", log);
  else if (is_driver) set_known(L, "log", f->message);
}

static void set_message (lua_State *L, const lcu_failure *f, const char *log) {
  char text[LCU_MESSAGE_SIZE];
  lua_pushstring(L, lcu_failure_text(f, text));
  if (log[0] != '\0') lua_pushfstring(L, "\n%s", log);
  else lua_pushliteral(L, "");
  lua_concat(L, 2);
  lua_setfield(L, -2, "message");
}

/* Lets the Lua layer put its names into the texts of a fault, or of code the driver refused: it
 * knows what the user called a source and a kernel. */
static void filter_fault (lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, FILTER_KEY) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return;
  }
  lua_pushvalue(L, -2);
  /* the error as it stands is better than another one */
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
}

/* Pushes the failure as an object; log: of a compiler, or "". */
static void push_failure (lua_State *L, lcu_status s, const char *log) {
  lcu_failure f = *lcu_failure_get(); /* before any call that could fail on its own */
  if (f.code != s) f = (lcu_failure){ .code = s };
  bool is_compile = strcmp(kind_of(s), "compile") == 0;
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, 0, 10);
  lcul_set_integer(L, "code", s);
  set_known(L, "kind", kind_of(s));
  set_known(L, "name", lcu_failure_name(&f));
  set_known(L, "call", f.call);
  set_known(L, "device", f.device);
  set_message(L, &f, log);
  if (is_compile) set_log(L, &f, log);
  if (f.has_fault) set_fault(L, &f);
  finish(L);
  if (f.has_fault || is_compile) filter_fault(L);
}

void lcul_push_failure_text (lua_State *L) {
  char text[LCU_MESSAGE_SIZE];
  lua_pushstring(L, lcu_failure_text(lcu_failure_get(), text));
}

void lcul_push_failure (lua_State *L, lcu_status s) { push_failure(L, s, ""); }


/* ---- what is raised: the object or its text ---- */

/* Functions called in protected mode have no state record. */
static lcul_state *state_of (lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LCUL_STATE);
  lcul_state *st = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return st;
}

/* [object] -> [object, text or false]; both are remembered. */
static void remember (lua_State *L, lcul_state *st) {
  int slot = (int)(st->errors++ % RECENT) + 1;
  if (st->string_errors) luaL_tolstring(L, -1, NULL);
  else lua_pushboolean(L, false);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, slot);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, slot + RECENT);
  lua_pop(L, 1);
}

/* [object] -> [what is to be raised] */
static void present (lua_State *L) {
  lcul_state *st = state_of(L);
  if (st == NULL) return;
  remember(L, st);
  if (st->string_errors) lua_remove(L, -2);
  else lua_pop(L, 1);
}

/* Does the text end as that of an error does? In front may stand the position that error() adds. */
static bool ends_with (lua_State *L, int idx, int end) {
  size_t n = 0, m = 0;
  const char *text = lua_tolstring(L, idx, &n), *tail = lua_tolstring(L, end, &m);
  return m > 0 && n >= m && memcmp(text + (n - m), tail, m) == 0;
}

/* Pushes the object that was raised as the string at idx, the latest that fits, and returns true;
 * else pushes nothing. */
static bool push_remembered (lua_State *L, int idx) {
  const lcul_state *st = state_of(L);
  unsigned known = st == NULL ? 0 : st->errors < RECENT ? st->errors : RECENT;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
  for (unsigned i = 1; i <= known; i++) {
    int slot = (int)((st->errors - i) % RECENT) + 1;
    lua_rawgeti(L, -1, slot + RECENT);
    bool fits = ends_with(L, idx, -1);
    lua_pop(L, 1);
    if (!fits) continue;
    lua_rawgeti(L, -1, slot);
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

/* A hook that a signal's handler has set raises here, and then the failure has been heard of. */
static void run_hook (lua_State *L, lcu_status s) {
  lcu_failure f = *lcu_failure_get();
  lcu_device_raised(s, f.code == s ? f.pending : 0);
  lcul_run_hook(L);
  *lcu_failure_get() = f;
}

void lcul_status (lua_State *L, lcu_status s) { lcul_status_log(L, s, ""); }

void lcul_status_log (lua_State *L, lcu_status s, const char *log) {
  if (lcu_likely(s == LCU_OK)) return;
  if (s == LCU_E_INTERRUPTED) run_hook(L, s);
  const lcu_failure *f = lcu_failure_get();
  uint64_t key = f->code == s ? f->pending : 0;
  push_failure(L, s, log);
  present(L);
  lcu_device_raised(s, key);
  lua_error(L);
}

int lcul_raise (lua_State *L, const char *kind, const char *fmt, ...) {
  char text[LCU_MESSAGE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  lua_createtable(L, 0, 6);
  set_known(L, "kind", kind);
  set_known(L, "message", text);
  finish(L);
  present(L);
  return lua_error(L);
}


/* ---- the end of a state ---- */

static void say (const char *text) {
  lua_writestringerror("luacuda: an error that no call raised: %s\n", text);
}

static void say_record (const lcu_failure *f) {
  char text[LCU_MESSAGE_SIZE];
  say(lcu_failure_text(f, text));
}

/* failure_text(status) -> message of the thread's failure */
static int failure_text (lua_State *L) {
  lcul_push_failure(L, (lcu_status)lua_tointeger(L, 1));
  lua_getfield(L, -1, "message");
  return 1;
}

/* Memory may be out: then the words are the core's. */
static void say_failure (lua_State *L, lcu_status s) {
  lcu_failure f = *lcu_failure_get();
  luaL_checkstack(L, 4, NULL);
  lua_pushcfunction(L, failure_text);
  lua_pushinteger(L, s);
  bool made = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING;
  if (made) say(lua_tostring(L, -1));
  else say_record(&f);
  lua_pop(L, 1);
  lcu_device_raised(s, f.pending);
}

void lcul_say_unheard (lua_State *L) {
  lcu_status s;
  for (size_t i = 0; lcu_process_device(i) != NULL; i++)
    while ((s = lcu_device_next_unraised(lcu_process_device(i))) != LCU_OK)
      if (s != LCU_E_INTERRUPTED) say_failure(L, s); /* that is what was asked for */
}

void lcul_say_lost (void) {
  lcu_failure f;
  if (lcu_device_take_lost(&f)) say_record(&f);
}


/* ---- the class ---- */

/* Fields may be anything (they are a table's), and tostring must not raise. */
static void push_text (lua_State *L, int idx, const char *field) {
  if (lua_getfield(L, idx, field) == LUA_TSTRING) return;
  lua_pop(L, 1);
  lua_pushliteral(L, "");
}

static int error_tostring (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  push_text(L, 1, "where");
  push_text(L, 1, "message");
  lua_concat(L, 2);
  return 1;
}

static int error_concat (lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

static bool is_error (lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TTABLE || !lua_getmetatable(L, idx)) return false;
  luaL_getmetatable(L, ERROR_NAME);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

/* [...] -> [..., the object of the error at idx, as it was raised]; pushes nothing for any other
 * value. */
static bool push_object (lua_State *L, int idx) {
  if (lua_type(L, idx) == LUA_TSTRING) return push_remembered(L, idx);
  if (!is_error(L, idx)) return false;
  lua_pushvalue(L, idx);
  return true;
}

static const char *const kinds[] = { "compile", "memory", "launch", "logic", "runtime", NULL };

static void check_kind (lua_State *L, int arg) {
  const char *kind = lcul_check_string(L, arg);
  for (size_t i = 0; kinds[i] != NULL; i++)
    if (strcmp(kinds[i], kind) == 0) return;
  lcul_misuse(L, "is_error: unknown kind '%s'; kinds are compile, memory, launch, logic, runtime",
              kind);
}

/* is_error(value [, kind]) -> boolean */
static int core_is_error (lua_State *L) {
  lua_settop(L, 2);
  if (!lua_isnil(L, 2)) check_kind(L, 2);
  bool ok = push_object(L, 1);
  if (ok && !lua_isnil(L, 2)) {
    push_text(L, 3, "kind");
    ok = lua_rawequal(L, 2, 4);
  }
  lua_pushboolean(L, ok);
  return 1;
}

/* last_error([error]) -> the object of that error, of the latest one; nil when there is none */
static int core_last_error (lua_State *L) {
  const lcul_state *st = lcul_getstate(L);
  bool any = lua_isnone(L, 1);
  lua_settop(L, 1);
  if (any && st->errors > 0) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, RECENT_KEY);
    lua_rawgeti(L, -1, (int)((st->errors - 1) % RECENT) + 1);
  } else if (any || !push_object(L, 1)) lua_pushnil(L);
  return 1;
}

/* _string_errors(on) -> what it was: errors are raised as their text */
static int core_string_errors (lua_State *L) {
  lcul_state *st = lcul_getstate(L);
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  lua_pushboolean(L, st->string_errors);
  st->string_errors = lua_toboolean(L, 1);
  return 1;
}

/* error(fields) -> the error with those fields, to be raised: that table, or its text. kind is
 * "runtime" unless given. */
static int core_error (lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  if (lua_getfield(L, 1, "kind") == LUA_TNIL) {
    lua_pushliteral(L, "runtime");
    lua_setfield(L, 1, "kind");
  }
  lua_settop(L, 1);
  finish(L);
  present(L);
  return 1;
}

/* misuse(text): raises a string that begins with the position of the user's own code. */
static int core_misuse (lua_State *L) { return misuse_text(L, luaL_checkstring(L, 1)); }

/* fault_filter(fn): fn(error) may change a fault's fields before it is raised. */
static int core_fault_filter (lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, FILTER_KEY);
  return 0;
}

/* where() -> "file:line: " of the user's own code, or "" */
static int core_where (lua_State *L) {
  lcul_where(L);
  return 1;
}

static const luaL_Reg metamethods[] = { { "__tostring", error_tostring },
                                        { "__concat", error_concat },
                                        { NULL, NULL } };

static const luaL_Reg functions[] = { { "error", core_error },
                                      { "is_error", core_is_error },
                                      { "last_error", core_last_error },
                                      { "_string_errors", core_string_errors },
                                      { "misuse", core_misuse },
                                      { "where", core_where },
                                      { "fault_filter", core_fault_filter },
                                      { NULL, NULL } };

void lcul_open_error (lua_State *L) {
  luaL_newmetatable(L, ERROR_NAME);
  lcul_setfuncs(L, metamethods);
  lua_pop(L, 1);
  lcul_setfuncs(L, functions);
}
