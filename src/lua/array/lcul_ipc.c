/* lcul_ipc.c: arrays that several processes use: option `ipc`, array:ipc_handle, core.open_ipc. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_ipc_format.h"
#include "lcul_array.h"
#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_collect.h"
#include "lcul_describe.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_event.h"
#include "lcul_maker.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_scope.h"
#include "lcul_set.h"
#include "lcul_shape.h"
#include "lcul_strides.h"

_Static_assert((int)LCU_IPC_DIMS == LCUL_MAX_DIMS, "handles have room for all axes");

/* The shape was measured. */
lcul_array *lcul_array_make_ipc (lua_State *L, const lcul_maker *m, lcul_shape *s) {
  lcul_not_recorded(L, "option 'ipc'");
  lcul_array *a = lcul_array_box(L, m->dtype, m->dtype_idx, false, s->ndim, s->dims);
  size_t bytes = (size_t)a->size * m->dtype->size;
  lcul_status(L, lcu_ipc_alloc(m->device, bytes, &a->block));
  lcul_array_label(a->block, a);
  lcul_gc_account(L, bytes);
  return a;
}


/* ---- giving away ---- */

static void describe_handle (lua_State *L, const lcul_array *a, lcu_ipc_handle *h) {
  if (strlen(a->dtype->name) > LCU_IPC_NAME)
    lcul_misuse(L, "array:ipc_handle: the name of the struct is longer than %d bytes",
                (int)LCU_IPC_NAME);
  h->memory = a->block->size;
  h->offset = a->offset;
  h->element = a->dtype->size;
  h->ndim = a->ndim;
  memcpy(h->shape, a->shape, (size_t)a->ndim * sizeof a->shape[0]);
  memcpy(h->strides, a->strides, (size_t)a->ndim * sizeof a->strides[0]);
  strcpy(h->dtype, a->dtype->name);
}

/* array:ipc_handle() -> a string that core.open_ipc of another process takes */
static int array_ipc_handle (lua_State *L) {
  lcul_check_most(L, 1);
  const lcul_array *a = lcul_array_check(L, 1);
  lcu_device *d = a->block->device;
  unsigned char text[LCU_IPC_LONGEST];
  lcu_ipc_handle h = { .kind = LCU_IPC_ARRAY };
  cu_ipc_memory handle;
  if (a->block->ipc == NULL)
    lcul_misuse(L, "array:ipc_handle: other processes can open only arrays made with "
                   "{ ipc = true }, outside the pool; copy this one: "
                   "cuda.array(a, { ipc = true })");
  describe_handle(L, a, &h);
  lcul_status(L, lcu_device_status(d, lcu_ipc_uuid(d, &h.uuid)));
  lcul_status(L, lcu_ipc_handle_of(a->block, &handle, &h.process));
  memcpy(h.bytes, handle.bytes, sizeof h.bytes);
  lua_pushlstring(L, (const char *)text, lcu_ipc_write(&h, text));
  return 1;
}


/* ---- opening ---- */

static int refuse_handle (lua_State *L, const char *why) {
  return lcul_fail_arg(L, "open_ipc", 1, "handle", "%s", why);
}

/* Structs are declared in each process. */
static const lcu_dtype *dtype_of (lua_State *L, const lcu_ipc_handle *h, int *idx) {
  const lcu_dtype *t;
  *idx = 0;
  if (lua_istable(L, 2) && lcul_opt_push(L, 2, "dtype")) {
    *idx = lua_gettop(L);
    t = lcul_dtype_check(L, -1);
  } else {
    t = lcu_dtype_find(h->dtype, strlen(h->dtype));
    if (t == NULL)
      lcul_fail_arg(L, "open_ipc", 1, "handle",
                    "the elements are structs '%s' of %" PRIu32 " bytes: declare the struct with "
                    "cuda.struct and give it as option 'dtype'",
                    h->dtype, h->element);
  }
  if (strcmp(t->name, h->dtype) != 0 || t->size != h->element)
    lcul_fail_arg(L, "open_ipc", 1, "handle",
                  "the elements are %s of %" PRIu32 " bytes, not %s of %" PRIu32, h->dtype,
                  h->element, t->name, t->size);
  return t;
}

/* The bytes of all elements; false: no memory has them. */
static bool measure_handle (const lcu_ipc_handle *h, const lcu_dtype *t) {
  lcul_shape s = { .ndim = h->ndim };
  int64_t first = h->offset, last, reach;
  memcpy(s.dims, h->shape, sizeof h->shape[0] * (size_t)h->ndim);
  for (int i = 0; i < h->ndim; i++)
    if (h->shape[i] < 0 || h->strides[i] % (int64_t)t->align != 0) return false;
  if (h->memory > INT64_MAX || h->offset < 0 || h->offset % (int64_t)t->align != 0 ||
      !lcul_shape_measure(&s, t->size))
    return false;
  if (s.size == 0) return true;
  if (__builtin_add_overflow(first, (int64_t)t->size, &last)) return false;
  for (int i = 0; i < h->ndim; i++) {
    int64_t *end = h->strides[i] < 0 ? &first : &last;
    if (__builtin_mul_overflow(h->shape[i] - 1, h->strides[i], &reach) ||
        __builtin_add_overflow(*end, reach, end))
      return false;
  }
  return first >= 0 && last <= (int64_t)h->memory;
}

static lcu_device *device_of (lua_State *L, const lcu_ipc_handle *h) {
  const unsigned char *b = h->uuid.bytes;
  lcu_device *d;
  char text[40];
  lcul_status(L, lcu_ipc_device(&h->uuid, &d));
  if (d != NULL) return d;
  snprintf(text, sizeof text,
           "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  lcul_status(L, lcu_fail(LCU_E_NOT_FOUND,
                          "open_ipc: the handle is of device GPU-%s, which this process does not "
                          "see (CUDA_VISIBLE_DEVICES, another machine)",
                          text));
  return NULL;
}

static bool is_own (lua_State *L, const lcu_ipc_handle *h) {
  lcu_ipc_process self;
  lcul_status(L, lcu_ipc_self(&self));
  return self.pid == h->process.pid && memcmp(self.nonce, h->process.nonce, sizeof self.nonce) == 0;
}

/* Memory of this process is found, not opened. */
static lcu_status open_block (lcu_device *d, const lcu_ipc_handle *h, bool own, lcu_block **out) {
  cu_ipc_memory handle;
  memcpy(handle.bytes, h->bytes, sizeof handle.bytes);
  if (!own) return lcu_ipc_open(d, &handle, &h->process, (size_t)h->memory, out);
  LCU_TRY(lcu_device_open(d));
  *out = lcu_ipc_find(d, &handle);
  if (*out != NULL) return LCU_OK;
  return lcu_fail(LCU_E_STATE, "open_ipc: this process made the handle, and has closed its array");
}

static int open_array (lua_State *L, const lcu_ipc_handle *h, lcu_device *d) {
  int dtype_idx;
  const lcu_dtype *t = dtype_of(L, h, &dtype_idx);
  if (!measure_handle(h, t)) return refuse_handle(L, "its elements lie outside its memory");
  bool own = is_own(L, h);
  lcul_array *a = lcul_array_box(L, t, dtype_idx, false, h->ndim, h->shape);
  for (int i = 0; i < h->ndim; i++) a->strides[i] = h->strides[i];
  a->offset = h->offset;
  lcul_array_measure(a);
  lcul_status(L, open_block(d, h, own, &a->block));
  if (h->memory > a->block->size) return refuse_handle(L, "its elements lie outside its memory");
  if (!atomic_load(&a->block->labeled)) lcul_array_label(a->block, a);
  return 1;
}

static int open_event (lua_State *L, const lcu_ipc_handle *h, lcu_device *d) {
  cu_ipc_event handle;
  memcpy(handle.bytes, h->bytes, sizeof handle.bytes);
  if (is_own(L, h)) return refuse_handle(L, "this process made the event: use the event itself");
  lcul_event_open(L, d, &handle);
  return 1;
}

/* open_ipc(handle [, { dtype = }]) -> Array or Event */
static int core_open_ipc (lua_State *L) {
  static const char *const names[] = { "dtype", NULL };
  lcu_ipc_handle h;
  char got[96];
  size_t len;
  lcul_check_most(L, 2);
  if (lua_type(L, 1) != LUA_TSTRING)
    return lcul_fail_arg(L, "open_ipc", 1, "handle",
                         "expected a string from array:ipc_handle or event:ipc_handle, got %s",
                         lcul_describe(L, 1, got, sizeof got));
  lcul_options(L, 2, "open_ipc", names);
  const char *text = lua_tolstring(L, 1, &len);
  if (lcu_ipc_read(text, len, &h) != LCU_OK) return refuse_handle(L, lcu_failure_get()->message);
  lcul_status(L, lcu_process_check());
  lcul_not_recorded(L, "open_ipc");
  lcu_device *d = device_of(L, &h);
  return h.kind == LCU_IPC_EVENT ? open_event(L, &h, d) : open_array(L, &h, d);
}

void lcul_open_ipc (lua_State *L) {
  static const luaL_Reg functions[] = { { "open_ipc", core_open_ipc }, { NULL, NULL } };
  static const luaL_Reg methods[] = { { "ipc_handle", array_ipc_handle }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
  lcul_extend(L, LCUL_ARRAY, LCUL_METHODS, methods);
}
