/* luacuda.h: LuaCUDA for programs and libraries in C and C++ that share a Lua state with it.
 *
 * Nothing is linked: luacuda_open loads the module "luacuda.core" into the state and returns a
 * table of functions. The table is the same for all states of the process and stays valid.
 *
 * LuaCUDA works in the primary context of each device, as the CUDA runtime does. A call leaves the
 * context current that it found, so a program that uses CUDA itself need not restore its own.
 * Memory and streams of the program must belong to the primary context. A `release` function may be
 * called while any context is current, or none: if it needs one, it makes it current and restores
 * the one that it found.
 *
 * The functions raise Lua errors, as Lua's own do, so call them from a function that Lua called, or
 * through lua_pcall. An error is a string, or an object whose text luaL_tolstring gives. Functions
 * marked "any thread" raise nothing and may be called without a Lua state. */
#ifndef LUACUDA_H
#define LUACUDA_H

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LUACUDA_ABI 1
#define LUACUDA_MAX_AXES 16
#define LUACUDA_CPU (-1) /* the number of the CPU device; GPUs have their ordinals */

/* What an array is. */
typedef struct luacuda_array {
  uint64_t pointer;  /* address of the first element, as the device sees it */
  void *host;        /* the same address where the host can use it, else NULL */
  const char *dtype; /* "float32", or the name of a struct; valid as long as the array */
  int device;        /* a GPU's ordinal, or LUACUDA_CPU, which also has pinned and managed memory */
  int ndim;
  int contiguous; /* C order without gaps */
  int readonly;
  int64_t size;                      /* elements */
  int64_t shape[LUACUDA_MAX_AXES];   /* elements */
  int64_t strides[LUACUDA_MAX_AXES]; /* bytes */
} luacuda_array;

/* An array outside of any Lua state. */
typedef struct luacuda_handle luacuda_handle;

typedef struct luacuda_api {
  uint32_t abi;  /* LUACUDA_ABI */
  uint32_t size; /* bytes of this table; later versions may add functions at its end */

  /* 1 and the array's description if the value at idx is an open array, else 0. */
  int (*test_array)(lua_State *L, int idx, luacuda_array *out);
  /* Pushes an array over memory that the caller owns. `host` and `size` of the description are not
   * read, nor are `strides` where `contiguous` is set. When the array and its views are gone and no
   * queued work uses the memory, release(ud) is called once, on any thread; also if this function
   * raises. `release` may be NULL. */
  void (*push_array)(lua_State *L, const luacuda_array *a, void (*release)(void *ud), void *ud);
  /* Waits until the host may read the array's memory or, with `write`, write it. */
  void (*wait)(lua_State *L, int idx, int write);

  /* A handle of the array at idx. It may be pushed into any Lua state of the process, as often as
   * needed; all arrays share the memory, and their work is ordered. Raises for structs. */
  luacuda_handle *(*retain)(lua_State *L, int idx);
  void (*push_handle)(lua_State *L, const luacuda_handle *h);
  /* Any thread, also after the state of the array was closed. */
  void (*release)(luacuda_handle *h);

  /* 1 and the CUstream and its device if the value at idx is an open stream, else 0. */
  int (*test_stream)(lua_State *L, int idx, void **handle, int *device);
  /* Pushes a Stream for a CUstream of the program, which LuaCUDA uses but does not destroy; NULL:
   * the null stream. */
  void (*push_stream)(lua_State *L, void *handle, int device);
  /* Makes the device, and the stream on it (NULL: the null stream), current for the Lua state. */
  void (*use)(lua_State *L, int device, void *stream);

  /* DLPack: a DLManagedTensorVersioned (versioned = 1) or DLManagedTensor of the array at idx; the
   * caller has to call its deleter. */
  void *(*to_dlpack)(lua_State *L, int idx, int versioned);
  /* Pushes an array over such a tensor, which is taken over; its deleter is called also if this
   * function raises. */
  void (*push_dlpack)(lua_State *L, void *tensor, int versioned);
} luacuda_api;

/* Loads LuaCUDA into the state; raises if it cannot be loaded, or is older than this header. */
static inline const luacuda_api *luacuda_open (lua_State *L) {
  const luacuda_api *api = NULL;
  luaL_checkstack(L, 4, "luacuda");
  lua_getglobal(L, "require");
  lua_pushliteral(L, "luacuda.core");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "_api");
  if (lua_type(L, -1) == LUA_TUSERDATA && lua_rawlen(L, -1) == sizeof api)
    api = *(const luacuda_api *const *)lua_touserdata(L, -1);
  if (api == NULL || api->abi != LUACUDA_ABI || api->size < sizeof *api)
    luaL_error(L, "luacuda: the installed library does not have version %d of luacuda.h",
               LUACUDA_ABI);
  lua_pop(L, 2);
  return api;
}

/* Argument `arg` of a C function: an array, or a stream; raises for anything else. */
static inline void luacuda_check_array (const luacuda_api *api, lua_State *L, int arg,
                                        luacuda_array *out) {
  if (!api->test_array(L, arg, out)) luaL_typeerror(L, arg, "luacuda.Array");
}

static inline void *luacuda_check_stream (const luacuda_api *api, lua_State *L, int arg,
                                          int *device) {
  void *handle = NULL;
  if (!api->test_stream(L, arg, &handle, device)) luaL_typeerror(L, arg, "luacuda.Stream");
  return handle;
}

#ifdef __cplusplus
}
#endif

#endif
