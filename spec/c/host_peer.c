/* host_peer.c: a Lua module that calls the functions of luacuda.h; host_spec.lua builds it. */
#include <dlfcn.h>
#include <luacuda.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const luacuda_api *api;
static int released;

static void count_release (void *ud) {
  free(ud);
  __atomic_add_fetch(&released, 1, __ATOMIC_SEQ_CST);
}

static int64_t field (lua_State *L, const char *name, int64_t otherwise) {
  lua_getfield(L, 1, name);
  int64_t n = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return n;
}

/* Reads a list into out; returns its length, -1 where the field is nil. */
static int list (lua_State *L, const char *name, int64_t *out) {
  int n = -1;
  if (lua_getfield(L, 1, name) == LUA_TTABLE) {
    n = (int)lua_rawlen(L, -1);
    for (int i = 0; i < n && i < LUACUDA_MAX_AXES; i++) {
      lua_rawgeti(L, -1, i + 1);
      out[i] = lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return n;
}

/* push{ pointer =, dtype =, device =, shape =, strides =, readonly = } -> Array */
static int peer_push (lua_State *L) {
  luacuda_array a;
  memset(&a, 0, sizeof a);
  a.pointer = (uint64_t)field(L, "pointer", 0);
  a.device = (int)field(L, "device", LUACUDA_CPU);
  a.readonly = (int)field(L, "readonly", 0);
  a.ndim = list(L, "shape", a.shape);
  a.contiguous = list(L, "strides", a.strides) < 0;
  a.ndim = (int)field(L, "ndim", a.ndim);
  lua_getfield(L, 1, "dtype");
  a.dtype = lua_tostring(L, -1);
  api->push_array(L, &a, count_release, malloc(1));
  return 1;
}

static int peer_released (lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&released, __ATOMIC_SEQ_CST));
  return 1;
}

/* check(array) -> pointer, dtype, device, size, ndim, shape[1], strides[1], contiguous, readonly,
 * host address */
static int peer_check (lua_State *L) {
  luacuda_array a;
  luacuda_check_array(api, L, 1, &a);
  lua_pushinteger(L, (lua_Integer)a.pointer);
  lua_pushstring(L, a.dtype);
  lua_pushinteger(L, a.device);
  lua_pushinteger(L, a.size);
  lua_pushinteger(L, a.ndim);
  lua_pushinteger(L, a.shape[0]);
  lua_pushinteger(L, a.strides[0]);
  lua_pushboolean(L, a.contiguous);
  lua_pushboolean(L, a.readonly);
  lua_pushinteger(L, (lua_Integer)(uintptr_t)a.host);
  return 10;
}

static int peer_wait (lua_State *L) {
  api->wait(L, 1, lua_toboolean(L, 2));
  return 0;
}

static int peer_retain (lua_State *L) {
  lua_pushlightuserdata(L, api->retain(L, 1));
  return 1;
}

static int peer_push_handle (lua_State *L) {
  api->push_handle(L, lua_touserdata(L, 1));
  return 1;
}

static void *release_it (void *handle) {
  api->release(handle);
  return NULL;
}

/* release(handle [, thread]) */
static int peer_release (lua_State *L) {
  pthread_t id;
  if (!lua_toboolean(L, 2)) api->release(lua_touserdata(L, 1));
  else if (pthread_create(&id, NULL, release_it, lua_touserdata(L, 1)) == 0) pthread_join(id, NULL);
  return 0;
}

static int peer_stream (lua_State *L) {
  int device = 0;
  void *handle = luacuda_check_stream(api, L, 1, &device);
  lua_pushlightuserdata(L, handle);
  lua_pushinteger(L, device);
  return 2;
}

static int peer_push_stream (lua_State *L) {
  api->push_stream(L, lua_touserdata(L, 1), (int)luaL_checkinteger(L, 2));
  return 1;
}

static int peer_use (lua_State *L) {
  api->use(L, (int)luaL_checkinteger(L, 1), lua_touserdata(L, 2));
  return 0;
}

/* dlpack(array, versioned) -> Array over the same memory, through a tensor in C */
static int peer_dlpack (lua_State *L) {
  int versioned = lua_toboolean(L, 2);
  api->push_dlpack(L, api->to_dlpack(L, 1, versioned), versioned);
  return 1;
}

/* The driver's entry points for contexts; the program's own code uses CUDA. */
static struct {
  int (*retain)(void **ctx, int dev), (*release)(int dev);
  int (*create)(void **ctx, unsigned flags, int dev), (*destroy)(void *ctx);
  int (*push)(void *ctx), (*pop)(void **ctx), (*current)(void **ctx);
} driver;

static void load (lua_State *L) {
  const char *path = getenv("LUACUDA_LIBCUDA");
  void *lib = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) luaL_error(L, "%s", dlerror());
  *(void **)&driver.retain = dlsym(lib, "cuDevicePrimaryCtxRetain");
  *(void **)&driver.release = dlsym(lib, "cuDevicePrimaryCtxRelease_v2");
  *(void **)&driver.create = dlsym(lib, "cuCtxCreate_v2");
  *(void **)&driver.destroy = dlsym(lib, "cuCtxDestroy_v2");
  *(void **)&driver.push = dlsym(lib, "cuCtxPushCurrent_v2");
  *(void **)&driver.pop = dlsym(lib, "cuCtxPopCurrent_v2");
  *(void **)&driver.current = dlsym(lib, "cuCtxGetCurrent");
}

/* with_context(dev, own, fn) -> was the context current after fn(), and none below it? fn is called
 * with a context of the device current: the primary one, or (own) one that the program makes. */
static int peer_with_context (lua_State *L) {
  void *mine = NULL, *after = NULL, *popped = NULL, *below = NULL;
  int dev = (int)luaL_checkinteger(L, 1), own = lua_toboolean(L, 2);
  load(L);
  int begun = own ? driver.create(&mine, 0, dev) : driver.retain(&mine, dev);
  if (begun != 0 || (!own && driver.push(mine) != 0)) luaL_error(L, "no context");
  int status = lua_pcall(L, 0, 0, 0);
  int ok = driver.current(&after) == 0 && after == mine && driver.pop(&popped) == 0 &&
           popped == mine && driver.current(&below) == 0 && below == NULL;
  if (own) driver.destroy(mine);
  else driver.release(dev);
  if (status != LUA_OK) lua_error(L);
  lua_pushboolean(L, ok);
  return 1;
}

int luaopen_host_peer (lua_State *L);

int luaopen_host_peer (lua_State *L) {
  static const luaL_Reg functions[] = { { "push", peer_push },
                                        { "released", peer_released },
                                        { "check", peer_check },
                                        { "wait", peer_wait },
                                        { "retain", peer_retain },
                                        { "push_handle", peer_push_handle },
                                        { "release", peer_release },
                                        { "stream", peer_stream },
                                        { "use", peer_use },
                                        { "push_stream", peer_push_stream },
                                        { "dlpack", peer_dlpack },
                                        { "with_context", peer_with_context },
                                        { NULL, NULL } };
  api = luacuda_open(L);
  luaL_newlib(L, functions);
  return 1;
}
