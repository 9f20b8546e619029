/* dlpack_peer.c: a Lua module that stands for another library with DLPack tensors; dlpack_spec.lua
 * builds it. Its structs are those of the specification, declared again. */
#include <lauxlib.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct tensor {
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} tensor;

typedef struct managed {
  tensor t;
  void *context;
  void (*deleter)(struct managed *);
} managed;

typedef struct versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct versioned *);
  uint64_t flags;
  tensor t;
} versioned;

static int alive, deleted; /* tensors */

static void free_tensor (tensor *t, void *context) {
  free(t->shape);
  free(t->strides);
  free(context);
  __atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&deleted, 1, __ATOMIC_SEQ_CST);
}

static void delete_managed (managed *m) {
  free_tensor(&m->t, m->context);
  free(m);
}

static void delete_versioned (versioned *v) {
  free_tensor(&v->t, v->context);
  free(v);
}

static int64_t field (lua_State *L, const char *name, int64_t otherwise) {
  lua_getfield(L, 1, name);
  int64_t n = luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return n;
}

static int64_t *list (lua_State *L, const char *name, int *n) {
  int64_t *numbers = NULL;
  if (lua_getfield(L, 1, name) == LUA_TTABLE) {
    *n = (int)lua_rawlen(L, -1);
    numbers = malloc(((size_t)*n + 1) * sizeof *numbers);
    for (int i = 0; i < *n; i++) {
      lua_rawgeti(L, -1, i + 1);
      numbers[i] = lua_tointeger(L, -1);
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return numbers;
}

/* The bytes of field `bytes`, in memory of 64 bytes more, aligned to 64. */
static void *memory (lua_State *L) {
  size_t n;
  lua_getfield(L, 1, "bytes");
  const char *bytes = lua_tolstring(L, -1, &n);
  void *p = bytes != NULL ? aligned_alloc(64, (n + 127) / 64 * 64) : NULL;
  if (p != NULL) memcpy(p, bytes, n);
  lua_pop(L, 1);
  return p;
}

static void fill (lua_State *L, tensor *t, void *context) {
  int n = 0;
  t->data = context;
  if (context == NULL) t->data = (void *)(uintptr_t)field(L, "pointer", 0);
  t->device_type = (int32_t)field(L, "device_type", 1);
  t->device_id = (int32_t)field(L, "device_id", 0);
  t->shape = list(L, "shape", &n);
  t->ndim = (int32_t)field(L, "ndim", n);
  t->strides = list(L, "strides", &n);
  t->code = (uint8_t)field(L, "code", 2);
  t->bits = (uint8_t)field(L, "bits", 32);
  t->lanes = (uint16_t)field(L, "lanes", 1);
  t->byte_offset = (uint64_t)field(L, "byte_offset", 0);
}

/* make{ bytes = | pointer =, shape =, ... } -> pointer, name; `version`: 0 for the old form */
static int peer_make (lua_State *L) {
  uint32_t major = (uint32_t)field(L, "version", 1);
  void *context = memory(L);
  __atomic_add_fetch(&alive, 1, __ATOMIC_SEQ_CST);
  if (major == 0) {
    managed *m = calloc(1, sizeof *m);
    m->context = context;
    m->deleter = delete_managed;
    fill(L, &m->t, context);
    lua_pushlightuserdata(L, m);
    lua_pushliteral(L, "dltensor");
  } else {
    versioned *v = calloc(1, sizeof *v);
    v->major = major;
    v->context = context;
    v->deleter = delete_versioned;
    v->flags = (uint64_t)field(L, "flags", 0);
    fill(L, &v->t, context);
    lua_pushlightuserdata(L, v);
    lua_pushliteral(L, "dltensor_versioned");
  }
  return 2;
}

static int peer_counts (lua_State *L) {
  lua_pushinteger(L, __atomic_load_n(&alive, __ATOMIC_SEQ_CST));
  lua_pushinteger(L, __atomic_load_n(&deleted, __ATOMIC_SEQ_CST));
  return 2;
}

static tensor *tensor_at (lua_State *L) {
  void *p = lua_touserdata(L, 1);
  return strcmp(luaL_checkstring(L, 2), "dltensor") == 0 ? &((managed *)p)->t
                                                         : &((versioned *)p)->t;
}

static void push_list (lua_State *L, const char *name, const int64_t *numbers, int n) {
  if (numbers == NULL) return;
  lua_newtable(L);
  for (int i = 0; i < n; i++) {
    lua_pushinteger(L, numbers[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

static void push_number (lua_State *L, const char *name, int64_t n) {
  lua_pushinteger(L, n);
  lua_setfield(L, -2, name);
}

/* read(pointer, name) -> a table of its fields */
static int peer_read (lua_State *L) {
  const tensor *t = tensor_at(L);
  lua_newtable(L);
  push_number(L, "pointer", (int64_t)(uintptr_t)t->data);
  push_number(L, "device_type", t->device_type);
  push_number(L, "device_id", t->device_id);
  push_number(L, "code", t->code);
  push_number(L, "bits", t->bits);
  push_number(L, "lanes", t->lanes);
  push_number(L, "ndim", t->ndim);
  push_number(L, "byte_offset", (int64_t)t->byte_offset);
  push_list(L, "shape", t->shape, t->ndim);
  push_list(L, "strides", t->strides, t->ndim);
  if (strcmp(lua_tostring(L, 2), "dltensor") == 0) return 1;
  const versioned *v = lua_touserdata(L, 1);
  push_number(L, "major", v->major);
  push_number(L, "minor", v->minor);
  push_number(L, "flags", (int64_t)v->flags);
  return 1;
}

/* change(pointer, name, offset, length, stride): the tensor of one axis becomes another part, whose
 * first element is `offset` bytes after its address */
static int peer_change (lua_State *L) {
  tensor *t = tensor_at(L);
  t->byte_offset = (uint64_t)luaL_checkinteger(L, 3);
  t->shape[0] = luaL_checkinteger(L, 4);
  t->strides[0] = luaL_checkinteger(L, 5);
  return 0;
}

typedef struct doomed {
  void *p;
  int old;
} doomed;

static void *delete_it (void *arg) {
  const doomed *d = arg;
  managed *m = d->p;
  versioned *v = d->p;
  if (d->old) m->deleter(m);
  else v->deleter(v);
  return NULL;
}

/* delete(pointer, name [, thread]): calls the deleter, in another thread if `thread` */
static int peer_delete (lua_State *L) {
  doomed d = { lua_touserdata(L, 1), strcmp(luaL_checkstring(L, 2), "dltensor") == 0 };
  pthread_t id;
  if (!lua_toboolean(L, 3)) delete_it(&d);
  else if (pthread_create(&id, NULL, delete_it, &d) == 0) pthread_join(id, NULL);
  return 0;
}

int luaopen_dlpack_peer (lua_State *L);

int luaopen_dlpack_peer (lua_State *L) {
  static const luaL_Reg functions[] = { { "make", peer_make },     { "counts", peer_counts },
                                        { "read", peer_read },     { "change", peer_change },
                                        { "delete", peer_delete }, { NULL, NULL } };
  luaL_newlib(L, functions);
  return 1;
}
