/* lcul_handle.c: arrays of the host program. Both kinds are DLPack tensors underneath, which keep
 * everything alive that the memory needs, on any thread. */
#include "lcul_handle.h"
#include "lcu_process_open.h"

#include <string.h>

#include "lcul_dlpack.h"
#include "lcul_error.h"
#include "lcul_position.h"


/* ---- handles ---- */

struct luacuda_handle {
  lcu_view view;
};

/* A view whose block also keeps the owner of wrapped memory alive. */
static void make_view (lua_State *L, int idx, lcu_view *out) {
  lua_getfield(L, idx, "dlpack");
  lua_pushvalue(L, idx);
  lua_call(L, 1, 1);
  lcul_capsule *c = lcul_capsule_check(L, -1);
  lcul_status(L, lcu_dlpack_import(c->tensor, NULL, out));
  c->tensor.p = NULL;
}

static lcu_status new_handle (const lcu_view *v, luacuda_handle **out) {
  luacuda_handle *h = *out = lcu_alloc(sizeof *h);
  if (h == NULL) return lcu_no_memory("a handle of an array");
  h->view = *v;
  lcu_status st = lcu_process_enter(); /* the devices stay open */
  if (st != LCU_OK) lcu_free(h);
  return st;
}

luacuda_handle *lcul_handle_new (lua_State *L, int idx) {
  luacuda_handle *h = NULL;
  lcu_view v;
  if (lcul_array_test(L, idx) == NULL) lcul_misuse(L, "retain: expected an Array");
  make_view(L, idx, &v);
  lcu_status st = new_handle(&v, &h);
  if (st != LCU_OK) lcu_unref(v.block);
  lcul_status(L, st);
  return h;
}

void lcul_handle_push (lua_State *L, const luacuda_handle *h) {
  lcu_view v = h->view;
  v.block = lcu_ref(h->view.block);
  lcul_array_push_view(L, &v);
}

void lcul_handle_free (luacuda_handle *h) {
  if (h == NULL) return;
  lcu_unref(h->view.block);
  (void)lcu_process_leave();
  lcu_free(h);
}


/* ---- memory of the host program ---- */

typedef struct owned {
  lcu_dl_versioned tensor;
  int64_t shape[LUACUDA_MAX_AXES], strides[LUACUDA_MAX_AXES];
  void (*release)(void *ud);
  void *ud;
} owned;

static void end_owned (lcu_dl_versioned *self) {
  owned *o = self->context;
  if (o->release != NULL) o->release(o->ud);
  lcu_free(o);
}

static lcu_status fill_layout (owned *o, const luacuda_array *a, const lcu_dtype *t) {
  lcu_dl_tensor *d = &o->tensor.tensor;
  if (a->ndim < 0 || a->ndim > LUACUDA_MAX_AXES)
    return lcu_fail(LCU_E_ARGUMENT, "%d axes, not 0 to %d", a->ndim, LUACUDA_MAX_AXES);
  d->ndim = a->ndim;
  d->shape = o->shape;
  d->strides = a->contiguous ? NULL : o->strides;
  for (int i = 0; i < a->ndim; i++) {
    o->shape[i] = a->shape[i];
    o->strides[i] = a->strides[i] / (int64_t)t->size;
    if (!a->contiguous && a->strides[i] % (int64_t)t->size != 0)
      return lcu_fail(LCU_E_ARGUMENT, "a stride of %lld bytes for elements of %u",
                      (long long)a->strides[i], t->size);
  }
  return LCU_OK;
}

static lcu_status fill_owned (owned *o, const luacuda_array *a) {
  const lcu_dtype *t = a->dtype != NULL ? lcu_dtype_find(a->dtype, strlen(a->dtype)) : NULL;
  if (t == NULL)
    return lcu_fail(LCU_E_ARGUMENT, "no dtype '%s'", a->dtype != NULL ? a->dtype : "NULL");
  o->tensor = (lcu_dl_versioned){ .major = LCU_DL_MAJOR, .context = o, .deleter = end_owned };
  o->tensor.flags = a->readonly ? LCU_DL_READ_ONLY : 0;
  lcu_dl_tensor *d = &o->tensor.tensor;
  d->data = (void *)(uintptr_t)a->pointer;
  d->device_type = a->device == LUACUDA_CPU ? LCU_DL_CPU : LCU_DL_CUDA;
  d->device_id = a->device == LUACUDA_CPU ? 0 : a->device;
  lcu_dlpack_describe(t, d);
  return fill_layout(o, a, t);
}

lcu_status lcul_memory_tensor (const luacuda_array *a, void (*release)(void *ud), void *ud,
                               lcu_dl_managed *out) {
  owned *o = lcu_calloc(1, sizeof *o);
  lcu_status st = o != NULL ? fill_owned(o, a) : lcu_no_memory("an array of the host program");
  if (st != LCU_OK) {
    if (release != NULL) release(ud);
    lcu_free(o);
    return st;
  }
  o->release = release;
  o->ud = ud;
  *out = (lcu_dl_managed){ &o->tensor, true };
  return LCU_OK;
}
