/* lcul_failure.c: the failure record as an error object. An object is a table: kind, name, code,
 * call, device, message, traceback, where; compile errors add log, source, flags; faults of the CPU
 * device add kernel, called_at, file, line, block, thread, array, address, report. */
#include "lcul_failure.h"

#include <string.h>

#include "cu_failure.h"
#include "lcul_position.h"
#include "lcul_set.h"

#define FILTER_KEY "luacuda.fault_filter"


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
  const char *own = lcu_status_own_kind(s);
  if (own != NULL) return own;
  if (s > 0 && s < LCU_NVRTC) return kind_of_driver(s);
  if (s >= LCU_NVRTC && s < LCU_E_FIRST_) return "compile";
  return s >= LCU_CUBLAS ? kind_of_cublas(s - LCU_CUBLAS) : "runtime";
}


/* ---- fields of the table at the top ---- */

static void set_known (lua_State *L, const char *name, const char *value) {
  if (value != NULL && value[0] != '\0') lcul_set_string(L, name, value);
}

static void set_place (lua_State *L, const char *file, int line, const uint32_t *block,
                       const uint32_t *thread) {
  set_known(L, "file", file);
  if (line != 0) lcul_set_integer(L, "line", line);
  lcul_set_triple(L, "block", block);
  lcul_set_triple(L, "thread", thread);
}

static void set_other (lua_State *L, const lcu_fault_other *o) {
  if (o->access[0] == '\0') return;
  lua_createtable(L, 0, 5);
  lcul_set_string(L, "access", o->access);
  set_place(L, o->file, o->line, o->block, o->thread);
  lua_setfield(L, -2, "other");
}

static void set_callers (lua_State *L, const lcu_fault_caller *c) {
  if (c[0].line == 0) return;
  lua_newtable(L);
  for (int n = 0; n < LCU_FAULT_CALLERS && c[n].line != 0; n++) {
    lua_createtable(L, 0, 2);
    lcul_set_string(L, "file", c[n].file);
    lcul_set_integer(L, "line", c[n].line);
    lua_rawseti(L, -2, n + 1);
  }
  lua_setfield(L, -2, "callers");
}

static void set_waiting (lua_State *L, const lcu_fault_waiting *w) {
  if (w[0].count == 0) return;
  lua_newtable(L);
  for (int n = 0; n < LCU_FAULT_WAITING && w[n].count != 0; n++) {
    lua_createtable(L, 0, 6);
    lcul_set_triple(L, "block", w[n].block);
    lcul_set_string(L, "threads", w[n].threads);
    lcul_set_integer(L, "count", w[n].count);
    lcul_set_string(L, "state", w[n].state);
    set_known(L, "file", w[n].file);
    if (w[n].line != 0) lcul_set_integer(L, "line", w[n].line);
    lua_rawseti(L, -2, n + 1);
  }
  lua_setfield(L, -2, "waiting");
}

/* The memory of the array, else the allocation that the device found. */
static void set_memory (lua_State *L, const lcu_failure *failure) {
  const lcu_fault *f = &failure->fault;
  bool known = failure->array[0] != '\0';
  uint64_t base = known ? failure->array_base : f->range_base,
           size = known ? failure->array_size : f->range_size;
  if (size == 0) return;
  lua_createtable(L, 0, 5);
  set_known(L, "label", failure->array);
  lcul_set_integer(L, "address", (lua_Integer)base);
  lcul_set_integer(L, "bytes", (lua_Integer)size);
  lcul_set_integer(L, "offset", (lua_Integer)(f->address - base));
  lua_setfield(L, -2, "array");
}

/* Whether it is about memory, perhaps at a null pointer. */
static bool has_address (const lcu_fault *f) { return f->address != 0 || f->bytes != 0; }

/* Kernel, file and line are added in Lua, under the user's names. */
static void set_report (lua_State *L, const lcu_failure *failure) {
  const lcu_fault *f = &failure->fault;
  lua_createtable(L, 0, 12);
  lcul_set_string(L, "fault", f->kind);
  lcul_set_triple(L, "block", f->block);
  lcul_set_triple(L, "thread", f->thread);
  if (f->bytes != 0) {
    lcul_set_string(L, "access", f->atomic ? "atomic" : f->write ? "write" : "read");
    lcul_set_integer(L, "bytes", f->bytes);
  }
  set_known(L, "space", f->space);
  set_known(L, "variable", f->variable);
  if (has_address(f)) {
    lcul_set_integer(L, "address", (lua_Integer)f->address);
    set_memory(L, failure);
  }
  set_other(L, &f->other);
  set_callers(L, f->callers);
  set_waiting(L, f->waiting);
  lua_setfield(L, -2, "report");
}

static void set_fault (lua_State *L, const lcu_failure *failure) {
  const lcu_fault *f = &failure->fault;
  set_known(L, "fault", f->kind);
  set_known(L, "kernel", f->kernel);
  set_known(L, "called_at", f->caller);
  set_place(L, f->file, f->line, f->block, f->thread);
  if (has_address(f)) lcul_set_integer(L, "address", (lua_Integer)f->address);
  set_known(L, "array", failure->array);
  set_report(L, failure);
}

/* The log of the compiler, or the driver's, for code that it refused. */
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


/* ---- objects ---- */

/* Lets the Lua layer replace names in the texts of a fault, or of code that the driver refused,
 * with those that the user gave sources and kernels. */
static void filter_fault (lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, FILTER_KEY) != LUA_TFUNCTION) {
    lua_pop(L, 1);
    return;
  }
  lua_pushvalue(L, -2);
  /* the unchanged error is better than a new one */
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
}

void lcul_error_finish (lua_State *L) {
  lcul_where(L);
  lua_setfield(L, -2, "where");
  luaL_traceback(L, L, NULL, 1);
  lua_setfield(L, -2, "traceback");
  luaL_setmetatable(L, LCUL_ERROR);
}

void lcul_push_failure_log (lua_State *L, lcu_status s, const char *log) {
  lcu_failure f = *lcu_failure_get(); /* before any call that could fail itself */
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
  if (is_compile || log[0] != '\0') set_log(L, &f, log);
  if (f.has_fault) set_fault(L, &f);
  lcul_error_finish(L);
  if (f.has_fault || is_compile) filter_fault(L);
}

void lcul_push_failure_text (lua_State *L) {
  char text[LCU_MESSAGE_SIZE];
  lua_pushstring(L, lcu_failure_text(lcu_failure_get(), text));
}

void lcul_push_failure (lua_State *L, lcu_status s) { lcul_push_failure_log(L, s, ""); }

/* fault_filter(fn): fn(error) may change a fault's fields before it is raised. */
static int core_fault_filter (lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, FILTER_KEY);
  return 0;
}

void lcul_open_failure (lua_State *L) {
  static const luaL_Reg functions[] = { { "fault_filter", core_fault_filter }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
