/* lcul_array_memory.c: array memory as the host sees it: in place where it can, through scratch memory where not. */
#include "lcul_array_impl.h"

char *lcul_block_host (const lcu_block *b) {
  if (b->host) return b->host;
  return b->device->host_memory ? (char *)(uintptr_t)b->address : NULL;
}

void lcul_array_wait (lua_State *L, const lcul_array *a, bool write, const char *what) {
  lcul_sync_allowed(L, what);
  lcul_status(L, lcu_block_wait(a->block, write));
}

void lcul_array_writable (lua_State *L, const lcul_array *a, const char *fn) {
  if (lcul_layout_broadcasts(a))
    lcul_misuse(L, "%s: a broadcast view cannot be written: several of its elements are one; a:copy() makes an array of its own", fn);
}


/* Scratch memory. */

typedef struct scratch { void *p; } scratch;

static int scratch_gc (lua_State *L) {
  scratch *s = lua_touserdata(L, 1);
  lcu_free(s->p);
  s->p = NULL;
  return 0;
}

void *lcul_scratch (lua_State *L, size_t size) {
  luaL_checkstack(L, 4, "scratch memory");
  scratch *s = lua_newuserdatauv(L, sizeof *s, 0);
  s->p = NULL;
  if (luaL_newmetatable(L, "luacuda.Scratch")) {
    lua_pushcfunction(L, scratch_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  s->p = lcu_alloc_aligned(size ? size : 1, 64);
  if (s->p == NULL) lcul_status(L, lcu_fail(LCU_E_NOMEM, "out of memory: %zu bytes of host memory", size));
  return s->p;
}

void lcul_scratch_free (lua_State *L, int idx) {
  scratch *s = lua_touserdata(L, idx);
  lcu_free(s->p);
  s->p = NULL;
}


/* Streams. */

lcu_device *lcul_work_device (const lcul_array *dst, const lcul_array *src) {
  if (src == NULL || !dst->block->device->host_memory) return dst->block->device;
  return src->block->device;
}

lcu_stream *lcul_work_stream (lua_State *L, int opts, lcu_device *d) {
  return opts ? lcul_opt_stream(L, opts, d) : lcul_stream_current(L, d);
}


/* Reading. */

/* Copying the gaps too is cheaper than a kernel while they are few. */
static bool worth_copying_gaps (int64_t extent, int64_t nbytes) { return extent <= 4 * nbytes + 65536; }

static void read_in_place (lua_State *L, int idx, const char *what, lcul_host *out) {
  lcul_array *a = lcul_array_alias(L, idx, 0);         /* a handle of our own: nobody frees it while we read */
  lcul_array_wait(L, a, false, what);
  out->data = lcul_block_host(a->block) + a->offset;
  out->scratch = false;
}

/* From the device: the bytes between the first and the last element. */
static void read_extent (lua_State *L, const lcul_array *a, const char *what, lcul_host *out) {
  int64_t first, last;
  lcul_layout_extent(a, &first, &last);
  char *data = lcul_scratch(L, (size_t)(last - first));
  lcul_sync_allowed(L, what);
  lcul_status(L, lcu_copy_out(data, a->block, (size_t)first, (size_t)(last - first), lcul_stream_current(L, a->block->device)));
  out->data = data + (a->offset - first);
  out->scratch = true;
}

void lcul_host_read (lua_State *L, int idx, const char *what, lcul_host *out) {
  idx = lua_absindex(L, idx);
  const lcul_array *a = lcul_array_check(L, idx);
  int64_t first, last;
  for (int i = 0; i < a->ndim; i++) out->strides[i] = a->strides[i];
  lcul_layout_extent(a, &first, &last);
  if (a->size == 0) {
    out->data = lcul_scratch(L, 1);
    out->scratch = true;
  } else if (lcul_array_is_host(a)) {
    read_in_place(L, idx, what, out);
  } else if (worth_copying_gaps(last - first, a->size * a->dtype->size)) {
    read_extent(L, a, what, out);
  } else {
    lcu_stream *s = lcul_stream_current(L, a->block->device);
    lcul_array *dense = lcul_array_converted(L, idx, a->dtype, idx, a->block->device, s, what);
    for (int i = 0; i < a->ndim; i++) out->strides[i] = dense->strides[i];
    read_extent(L, dense, what, out);
    lua_remove(L, -2);
  }
  out->keep = lua_gettop(L);
}

void lcul_host_done (lua_State *L, lcul_host *h) {
  if (h->scratch) lcul_scratch_free(L, h->keep);
  else lcul_array_drop(L, h->keep);
  lua_remove(L, h->keep);
}
