/* lcul_array_text.c: tostring: a bounded preview. It copies only what it shows and never raises. */
#include <stdio.h>
#include <string.h>

#include "lcu_copy.h"
#include "lcu_wait.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_collect.h"
#include "lcul_failure.h"
#include "lcul_scalar.h"
#include "lcul_shape.h"
#include "lcul_state.h"
#include "lcul_stream.h"
#include "lcul_struct.h"

enum { EDGE_FIRST = 3, EDGE_LAST = 2, WHOLE = 8, MOST_AXES = 3, ELEMENT = 64 };

/* Text in a fixed buffer, cut at its end. */
typedef struct preview {
  lua_State *L;
  const lcul_array *a;
  lcu_status status; /* of the first read that failed; nothing is read after it */
  char text[6144];
  size_t len;
} preview;

static void add_preview (preview *v, const char *s) {
  size_t n = strlen(s), room = sizeof v->text - 1 - v->len;
  if (n > room) n = room;
  memcpy(v->text + v->len, s, n);
  v->len += n;
  v->text[v->len] = 0;
}

/* Reads n elements of a row into out. Larger elements than ELEMENT are not read: they print as
 * "{...}". */
static void read_elements (preview *v, int64_t offset, int64_t stride, int n, char *out) {
  const lcul_array *a = v->a;
  size_t size = a->dtype->size;
  const char *host = lcul_block_host(a->block);
  if (size > ELEMENT || v->status != LCU_OK) return;
  for (int i = 0; i < n && host != NULL; i++)
    memcpy(out + (size_t)i * size, host + offset + i * stride, size);
  if (host != NULL) return;
  lcu_stream *s = lcul_stream_current(v->L, a->block->device);
  bool dense = stride == (int64_t)size;
  for (int i = 0; i < (dense ? 1 : n) && v->status == LCU_OK; i++)
    v->status = lcu_copy_out(out + (size_t)i * size, a->block, (size_t)(offset + i * stride),
                             dense ? size * (size_t)n : size, s);
}

/* "{id = 5, mass = 1.5, pos = {...}}" */
static void add_struct (preview *v, const char *p) {
  enum { MOST_FIELDS = 8 };
  const lcul_struct *s = lcul_struct_of(v->a->dtype);
  char text[128];
  add_preview(v, "{");
  for (uint32_t i = 0; i < s->num_fields && i < MOST_FIELDS; i++) {
    const lcul_field *f = &s->fields[i];
    if (f->ndim > 0) snprintf(text, sizeof text, "{...}");
    else lcul_scalar_text(f->dtype, p + f->offset, text, sizeof text);
    if (i > 0) add_preview(v, ", ");
    add_preview(v, f->name);
    add_preview(v, " = ");
    add_preview(v, text);
  }
  add_preview(v, s->num_fields > MOST_FIELDS ? ", ...}" : "}");
}

static void add_element (preview *v, const char *p) {
  const lcu_dtype *t = v->a->dtype;
  char text[128];
  if (t->kind == LCU_KIND_STRUCT && t->size <= ELEMENT) {
    add_struct(v, p);
    return;
  }
  lcul_scalar_text(t, p, text, sizeof text);
  add_preview(v, text);
}

static void add_elements (preview *v, int64_t offset, int64_t stride, int n, bool first) {
  char data[WHOLE * ELEMENT];
  read_elements(v, offset, stride, n, data);
  for (int i = 0; i < n && v->status == LCU_OK; i++) {
    if (!first || i > 0) add_preview(v, " ");
    add_element(v, data + (size_t)i * v->a->dtype->size);
  }
}

/* A short row completely, otherwise its two ends. */
static void add_row (preview *v, int64_t offset, int64_t n, int64_t stride) {
  if (n <= WHOLE) {
    add_elements(v, offset, stride, (int)n, true);
    return;
  }
  add_elements(v, offset, stride, EDGE_FIRST, true);
  add_preview(v, " ...");
  add_elements(v, offset + (n - EDGE_LAST) * stride, stride, EDGE_LAST, false);
}

static void add_axis (preview *v, int axis, int64_t offset);

/* One line of the nested layout: a row in braces, or a group of them. */
static void add_part (preview *v, int axis, int64_t offset) {
  add_preview(v, "\n");
  for (int i = 0; i <= axis; i++) add_preview(v, "  ");
  add_preview(v, "{");
  add_axis(v, axis + 1, offset);
  if (axis + 2 < v->a->ndim) {
    add_preview(v, "\n");
    for (int i = 0; i <= axis; i++) add_preview(v, "  ");
  }
  add_preview(v, "}");
}

static void add_dots (preview *v, int axis) {
  add_preview(v, "\n");
  for (int i = 0; i <= axis; i++) add_preview(v, "  ");
  add_preview(v, "...");
}

/* Leading axes beyond the third from the last show their first part only. */
static void add_axis (preview *v, int axis, int64_t offset) {
  const lcul_array *a = v->a;
  int64_t n = a->shape[axis], stride = a->strides[axis];
  if (axis + 1 == a->ndim) {
    add_row(v, offset, n, stride);
    return;
  }
  bool outer = a->ndim - axis > MOST_AXES,
       whole = !outer && n <= (axis + 2 == a->ndim ? WHOLE : EDGE_FIRST);
  int64_t first = whole ? n : (outer ? 1 : EDGE_FIRST - (axis + 2 < a->ndim)),
          last = whole || outer ? 0 : 1;
  if (first > n) first = n;
  for (int64_t i = 0; i < first && v->status == LCU_OK; i++) add_part(v, axis, offset + i * stride);
  if (first + last < n) add_dots(v, axis);
  for (int64_t i = n - last; i < n && i >= first && v->status == LCU_OK; i++)
    add_part(v, axis, offset + i * stride);
}

static void add_header (preview *v) {
  const lcul_array *a = v->a;
  char shape[192];
  const lcu_block *b = a->block;
  add_preview(v, "luacuda.Array ");
  add_preview(v, a->dtype->name);
  add_preview(v, " ");
  add_preview(v, lcul_shape_text(a->shape, a->ndim, shape, sizeof shape));
  add_preview(v, " on ");
  add_preview(v, b->device->label);
  if (b->memory == LCU_MEM_DEVICE || b->memory == LCU_MEM_MODULE) return;
  add_preview(v, " (");
  add_preview(v, lcu_memory_name(b->memory));
  add_preview(v, ")");
}

/* Pushes the message with the user's names. The next call that can raise the failure still raises
 * it. */
static void push_failure_text (lua_State *L, lcu_status status) {
  lcul_push_failure(L, status);
  if (lua_getfield(L, -1, "message") == LUA_TSTRING)
    lua_pushfstring(L, " (contents cannot be read: %s)", lua_tostring(L, -1));
  else lua_pushliteral(L, "");
  lua_replace(L, -3);
  lua_pop(L, 1);
}

bool lcul_array_push_unread (lua_State *L, const lcul_array *a) {
  const lcul_state *st = lcul_getstate(L);
  if (st->no_sync > 0 || lcul_is_recording(L)) {
    lua_pushliteral(L, "");
    return true;
  }
  lcul_work_for(st);
  if (lcu_pending_waits(a->block->device)) {
    lua_pushliteral(L, " (contents not read: an earlier failure has not been raised yet)");
    return true;
  }
  if (lcul_block_host(a->block) == NULL) return false;
  lcu_status s = lcu_block_wait(a->block, lcul_stream_current(L, a->block->device), false);
  if (s == LCU_OK) return false;
  push_failure_text(L, s);
  return true;
}

static void add_pushed (preview *v) {
  add_preview(v, lua_tostring(v->L, -1));
  lua_pop(v->L, 1);
}

static void add_contents (preview *v) {
  const lcul_array *a = v->a;
  size_t before = v->len;
  if (lcul_array_push_unread(v->L, a)) {
    add_pushed(v);
    return;
  }
  add_preview(v, ":");
  if (a->ndim <= 1) add_preview(v, " ");
  if (a->ndim == 0) add_elements(v, a->offset, 0, 1, true);
  else add_axis(v, 0, a->offset);
  if (v->status == LCU_OK) return;
  v->len = before;
  v->text[before] = 0;
  push_failure_text(v->L, v->status);
  add_pushed(v);
}

int lcul_array_tostring (lua_State *L) {
  const lcul_array *a = lcul_array_test(L, 1);
  preview v = { .L = L, .a = a };
  if (a == NULL) return luaL_argerror(L, 1, "expected Array");
  if (a->block == NULL) {
    lua_pushliteral(L, "luacuda.Array (closed)");
    return 1;
  }
  add_header(&v);
  if (a->size > 0) add_contents(&v);
  lua_pushlstring(L, v.text, v.len);
  return 1;
}
