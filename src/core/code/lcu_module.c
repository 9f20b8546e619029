/* lcu_module.c: loading code, finding its symbols. */
#include "lcu_module.h"

#include <string.h>

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_image.h"
#include "lcu_locale.h"
#include "lcu_device.h"
#include "lcu_scope.h"
#include "lcu_timeline.h"

/* Kernels of the module may still be running, so their code may not be unloaded yet. The CPU device
 * waits when it unloads. It reports each fault once, so a wait here could take faults away from the
 * threads that should report them. */
static lcu_status unload (lcu_module *m) {
  bool waits = m->device->drv->cuxTakeFault != NULL;
  lcu_device_defer(m->device, lcu_comm_guard_device(m->device));
  lcu_status waited = waits ? LCU_OK : LCU_CALL(m->device->drv, cuCtxSynchronize, ());
  lcu_status unloaded = LCU_CALL(m->device->drv, cuModuleUnload, (m->handle));
  return waited != LCU_OK ? waited : unloaded;
}

static void end_module (lcu_module *m) {
  lcu_scope scope;
  if (m->handle != NULL && lcu_device_enter_quiet(m->device, &scope)) {
    lcu_status s = unload(m);
    if (s != LCU_OK) lcu_device_defer(m->device, lcu_device_status(m->device, s));
    lcu_device_leave(&scope);
  }
  lcu_entries_free(&m->entries);
  lcu_unref(m->device);
  lcu_free(m);
}

static void hold (lcu_module *m) {
  lcu_device *d = m->device;
  pthread_mutex_lock(&d->lock);
  m->next_held = d->recordings.held_modules;
  d->recordings.held_modules = m;
  pthread_mutex_unlock(&d->lock);
}

static void module_destroy (lcu_object *o) {
  lcu_module *m = (lcu_module *)o;
  lcu_device *d = lcu_ref(m->device);
  if (lcu_recording_forbid(d)) {
    end_module(m);
    lcu_recording_allow(d);
  } else {
    hold(m);
    lcu_module_end_held(d); /* the last recording may have ended before */
  }
  lcu_unref(d);
}

static lcu_module *take_held (lcu_device *d) {
  pthread_mutex_lock(&d->lock);
  lcu_module *list = d->recordings.held_modules;
  d->recordings.held_modules = NULL;
  pthread_mutex_unlock(&d->lock);
  return list;
}

void lcu_module_end_held (lcu_device *d) {
  lcu_module *next;
  if (!lcu_recording_forbid(d)) return;
  for (lcu_module *m = take_held(d); m != NULL; m = next) {
    next = m->next_held;
    end_module(m);
  }
  lcu_recording_allow(d);
}

/* NVIDIA's PTX compiler parses numbers according to the locale: with a decimal comma "1.5" would be
 * 1. */
static lcu_status load_data (lcu_module *m, const void *image, unsigned n, int *options,
                             void **values) {
  lcu_host_span span = lcu_timeline_host(LCU_SPAN_COMPILE, "load");
  void *before = lcu_locale_enter();
  lcu_status s =
    LCU_CALL(m->device->drv, cuModuleLoadDataEx, (&m->handle, image, n, options, values));
  lcu_timeline_waited(span);
  lcu_locale_leave(before);
  if (s != LCU_OK) m->handle = NULL; /* some drivers leave a value there */
  return s;
}

static lcu_status load_ptx (lcu_module *m, const lcu_module_code *code) {
  lcu_jit jit;
  LCU_TRY(lcu_compiler_check(m->device->drv));
  lcu_jit_begin(&jit, code->options, code->num_options, code->num_options > 0, code->report);
  lcu_status s = load_data(m, code->image, jit.num, jit.ids, jit.values);
  lcu_jit_end(&jit);
  if (s == LCU_OK) s = lcu_entries_read(code->image, &m->entries);
  return s;
}

static lcu_status load_entered (lcu_module *m, const lcu_module_code *code) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(m->device, &scope));
  lcu_status s = lcu_comm_guard_device(m->device);
  if (s == LCU_OK)
    s = lcu_image_kind_of(code->image, code->size) == LCU_IMAGE_PTX
          ? load_ptx(m, code)
          : load_data(m, code->image, 0, NULL, NULL);
  s = lcu_device_status(m->device, s);
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_module_load (lcu_device *d, const lcu_module_code *code, lcu_module **out) {
  LCU_TRY(lcu_image_check(code->image, code->size));
  lcu_module *m = lcu_calloc(1, sizeof *m);
  if (m == NULL) return lcu_no_memory("a module");
  lcu_object_init(&m->base, LCU_OBJ_MODULE, module_destroy);
  m->device = lcu_ref(d);
  lcu_status s = load_entered(m, code);
  if (s == LCU_OK) *out = m;
  else lcu_unref(m);
  return s;
}

lcu_status lcu_module_global (lcu_module *m, const char *symbol, cu_deviceptr *address,
                              size_t *bytes) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(m->device, &scope));
  lcu_status s = LCU_CALL(m->device->drv, cuModuleGetGlobal, (address, bytes, m->handle, symbol));
  if (s != LCU_OK) s = lcu_device_status(m->device, s);
  lcu_device_leave(&scope);
  return s;
}

static lcu_status name_functions (lcu_module *m, cu_function *list, unsigned count,
                                  lcu_buf *names) {
  LCU_TRY(LCU_CALL(m->device->drv, cuModuleEnumerateFunctions, (list, count, m->handle)));
  for (unsigned i = 0; i < count; i++) {
    const char *name = NULL;
    LCU_TRY(LCU_CALL(m->device->drv, cuFuncGetName, (&name, list[i])));
    lcu_buf_add(names, name, strlen(name) + 1);
  }
  return LCU_OK;
}

static lcu_status enumerate (lcu_module *m, lcu_buf *names) {
  unsigned count = 0;
  LCU_TRY(LCU_CALL(m->device->drv, cuModuleGetFunctionCount, (&count, m->handle)));
  cu_function *list = lcu_calloc(count + 1, sizeof *list);
  if (list == NULL) return lcu_no_memory("the names of kernels");
  lcu_status s = count > 0 ? name_functions(m, list, count, names) : LCU_OK;
  lcu_free(list);
  return s;
}

lcu_status lcu_module_kernels (lcu_module *m, lcu_buf *names) {
  lcu_scope scope;
  lcu_status s = LCU_OK;
  if (m->entries.num > 0) {
    for (size_t i = 0; i < m->entries.num; i++)
      lcu_buf_add(names, m->entries.list[i].name, strlen(m->entries.list[i].name) + 1);
  } else {
    LCU_TRY(lcu_device_enter(m->device, &scope));
    s = enumerate(m, names);
    if (s != LCU_OK && s != LCU_E_UNSUPPORTED) s = lcu_device_status(m->device, s);
    lcu_device_leave(&scope);
  }
  return s == LCU_OK && names->failed ? lcu_no_memory("the names of kernels") : s;
}
