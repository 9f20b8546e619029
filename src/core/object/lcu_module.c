/* lcu_module.c: loading code, finding its symbols. */
#include "lcu_module.h"

#include <stdio.h>
#include <string.h>

#include "lcu_device_failure.h"
#include "lcu_image.h"
#include "lcu_locale.h"
#include "lcu_scope.h"

typedef struct jit_logs {
  char info[LCU_JIT_LOG], error[LCU_JIT_LOG];
} jit_logs;

/* Kernels of the module may still be running, so their code may not be unloaded yet. The CPU device
 * waits when it unloads. It reports each fault once, so a wait here could take faults away from the
 * threads that should report them. */
static lcu_status unload (lcu_module *m) {
  bool waits = m->device->drv->cuxTakeFault != NULL;
  lcu_status waited = waits ? LCU_OK : LCU_CALL(m->device->drv, cuCtxSynchronize, ());
  lcu_status unloaded = LCU_CALL(m->device->drv, cuModuleUnload, (m->handle));
  return waited != LCU_OK ? waited : unloaded;
}

static void module_destroy (lcu_object *o) {
  lcu_module *m = (lcu_module *)o;
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

static void take_log (const char *text, char *log) {
  size_t n = strnlen(text, LCU_JIT_LOG - 1);
  while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' ')) n--;
  memcpy(log, text, n);
  log[n] = '\0';
}

/* NVIDIA's PTX compiler parses numbers according to the locale: with a decimal comma "1.5" would be
 * 1. */
static lcu_status load_data (lcu_module *m, const void *image, unsigned n, int *options,
                             void **values) {
  void *before = lcu_locale_enter();
  lcu_status s =
    LCU_CALL(m->device->drv, cuModuleLoadDataEx, (&m->handle, image, n, options, values));
  lcu_locale_leave(before);
  if (s != LCU_OK) m->handle = NULL; /* some drivers leave a value there */
  return s;
}

static lcu_status load_ptx (lcu_module *m, const void *image, jit_logs *logs, char *log) {
  int options[] = { CU_JIT_INFO_LOG_BUFFER_, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES_,
                    CU_JIT_ERROR_LOG_BUFFER_, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_ };
  void *values[] = { logs->info, (void *)(uintptr_t)LCU_JIT_LOG, logs->error,
                     (void *)(uintptr_t)LCU_JIT_LOG };
  lcu_status s = load_data(m, image, lcu_arraylen(options), options, values);
  take_log(s == LCU_OK ? logs->info : logs->error, log);
  return s;
}

static lcu_status load_image (lcu_module *m, const void *image, size_t size, char *log) {
  if (lcu_image_kind_of(image, size) != LCU_IMAGE_PTX) return load_data(m, image, 0, NULL, NULL);
  jit_logs *logs = lcu_calloc(1, sizeof *logs);
  if (logs == NULL) return lcu_no_memory("the log of the driver's PTX compiler");
  lcu_status s = load_ptx(m, image, logs, log);
  lcu_free(logs);
  if (s == LCU_OK) s = lcu_entries_read(image, &m->entries);
  return s;
}

static lcu_status load_entered (lcu_module *m, const void *image, size_t size, char *log) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(m->device, &scope));
  lcu_status s = load_image(m, image, size, log);
  s = lcu_device_status(m->device, s);
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_module_load (lcu_device *d, const void *image, size_t size, char log[LCU_JIT_LOG],
                            lcu_module **out) {
  log[0] = '\0';
  LCU_TRY(lcu_image_check(image, size));
  lcu_module *m = lcu_calloc(1, sizeof *m);
  if (m == NULL) return lcu_no_memory("a module");
  lcu_object_init(&m->base, LCU_OBJ_MODULE, module_destroy);
  m->device = lcu_ref(d);
  lcu_status s = load_entered(m, image, size, log);
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
