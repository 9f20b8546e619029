/* lcul_host.c: the elements of an array as the host reads them. */
#include "lcul_host.h"

#include "lcu_copy.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_assign.h"
#include "lcul_box.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_scope.h"
#include "lcul_stream.h"
#include "lcul_strides.h"


/* ---- all at once ---- */

/* Copying a few gaps along is cheaper than running a kernel. */
static bool worth_copying_gaps (int64_t extent, int64_t nbytes) {
  return extent <= 4 * nbytes + 65536;
}

static void read_in_place (lua_State *L, int idx, const char *what, lcul_host *out) {
  /* an own handle, so that the memory is not freed during the read */
  lcul_array *a = lcul_array_alias(L, idx, 0);
  lcul_array_wait(L, a, false, what);
  out->data = lcul_block_host(a->block) + a->offset;
  out->scratch = false;
}

/* From the device: the bytes between the first and the last element of the array at idx. */
static void read_extent (lua_State *L, int idx, const char *what, lcul_host *out) {
  int64_t first, last;
  lcul_array_extent(lcul_toobject(L, idx), &first, &last);
  char *data = lcul_scratch(L, (size_t)(last - first));
  const lcul_array *a = lcul_array_check(L, idx); /* a finalizer may have closed it */
  lcul_sync_allowed(L, what);
  lcul_status(L, lcu_copy_out(data, a->block, (size_t)first, (size_t)(last - first),
                              lcul_stream_current(L, a->block->device)));
  out->data = data + (a->offset - first);
  out->scratch = true;
}

void lcul_host_read (lua_State *L, int idx, const char *what, lcul_host *out) {
  idx = lua_absindex(L, idx);
  const lcul_array *a = lcul_array_check(L, idx);
  int64_t first, last;
  for (int i = 0; i < a->ndim; i++) out->strides[i] = a->strides[i];
  lcul_array_extent(a, &first, &last);
  if (a->size == 0) {
    out->data = lcul_scratch(L, 1);
    out->scratch = true;
  } else if (lcul_array_is_host(a)) {
    read_in_place(L, idx, what, out);
  } else if (worth_copying_gaps(last - first, a->size * a->dtype->size)) {
    read_extent(L, idx, what, out);
  } else {
    lcu_stream *s = lcul_stream_current(L, a->block->device);
    lcul_array *dense = lcul_array_converted(L, idx, a->dtype, idx, a->block->device, s, what);
    for (int i = 0; i < a->ndim; i++) out->strides[i] = dense->strides[i];
    read_extent(L, lua_gettop(L), what, out);
    lua_remove(L, -2);
  }
  out->keep = lua_gettop(L);
}

void lcul_host_done (lua_State *L, lcul_host *h) {
  if (h->scratch) lcul_scratch_free(L, h->keep);
  else lcul_array_drop(L, h->keep);
  lua_remove(L, h->keep);
}


/* ---- piece by piece ---- */

/* bytes: small enough for the cache, large enough to be worth a wait */
enum { HOST_PIECE = 256 * 1024 };

static int64_t content_bytes (const lcul_array *a) { return a->size * a->dtype->size; }

void lcul_pieces_open (lua_State *L, int idx, const char *what, lcul_pieces *p) {
  const lcul_array *a = lcul_array_check(L, idx);
  p->whole = !a->contiguous || lcul_array_is_host(a) || content_bytes(a) <= HOST_PIECE ||
             a->dtype->size > HOST_PIECE;
  if (p->whole) {
    lcul_host_read(L, idx, what, &p->host);
    return;
  }
  lcul_sync_allowed(L, what);
  p->a = lcul_array_alias(L, idx, 0);
  p->host.data = p->buffer = lcul_scratch(L, HOST_PIECE);
  p->host.keep = lua_gettop(L);
  for (int i = 0; i < a->ndim; i++) p->host.strides[i] = a->strides[i];
  p->from = p->until = 0;
}

static void load_piece (lua_State *L, lcul_pieces *p, int64_t offset) {
  const lcul_array *a = p->a;
  int64_t most = HOST_PIECE / a->dtype->size * a->dtype->size, rest = content_bytes(a) - offset,
          n = rest < most ? rest : most;
  p->until = p->from; /* empty if the copy fails */
  lcul_status(L, lcu_copy_out(p->buffer, a->block, (size_t)(a->offset + offset), (size_t)n,
                              lcul_stream_current(L, a->block->device)));
  p->from = offset;
  p->until = offset + n;
}

const char *lcul_pieces_at (lua_State *L, lcul_pieces *p, int64_t offset, int64_t *n) {
  if (p->whole) return p->host.data + offset;
  if (offset < p->from || offset >= p->until) load_piece(L, p, offset);
  int64_t there = (p->until - offset) / p->a->dtype->size;
  if (*n > there) *n = there;
  return p->host.data + (offset - p->from);
}

void lcul_pieces_done (lua_State *L, lcul_pieces *p) {
  if (p->whole) {
    lcul_host_done(L, &p->host);
    return;
  }
  lcul_scratch_free(L, p->host.keep);
  lua_remove(L, p->host.keep);
  lcul_array_drop(L, p->host.keep - 1);
  lua_remove(L, p->host.keep - 1);
}
