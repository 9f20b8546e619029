/* cu_driver.c: opens libcuda, fills the table, and converts results to statuses. */
#include "cu_driver.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

/* The places of libcuda, best first. The system searches for plain names. */
static const char *const libcuda_places[] = {
  "libcuda.so.1", "libcuda.so",
  "/usr/lib/wsl/lib/libcuda.so.1",        /* WSL 2: outside the search path */
  "/usr/local/nvidia/lib64/libcuda.so.1", /* older container runtimes */
};

enum need { NEED_REQ, NEED_OPT, NEED_EXT };

typedef struct entry {
  const char *name, *symbol;
  int since;
  enum need need;
  size_t offset;
} entry;

static const entry entries[] = {
#define LCU_DRV(need, cpu, since, name, symbol, params, args) \
  { #name, symbol, since, NEED_##need, offsetof(lcu_driver, name) },
#include "driver.def"
#undef LCU_DRV
};

/* POSIX allows the result of dlsym to be read as a function pointer; ISO C has no cast for it. */
static void set_entry (lcu_driver *d, const entry *e, void *address) {
  memcpy((char *)d + e->offset, &address, sizeof address);
}


/* ---- results ---- */

static _Thread_local struct {
  const char *call;
  cu_result code;
  char text[512];
} detail;

cu_result lcu_driver_detail (const char *call, cu_result r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  vsnprintf(detail.text, sizeof detail.text, fmt, args);
  va_end(args);
  detail.call = call;
  detail.code = r;
  return r;
}

/* The details left for this failure, or NULL. */
static const char *take_detail (const char *call, cu_result r) {
  bool ours = detail.call != NULL && detail.code == r && strcmp(detail.call, call) == 0;
  detail.call = NULL;
  return ours ? detail.text : NULL;
}

/* The driver names codes that are newer than the tables. */
static void name_code (const lcu_driver *d, cu_result r, lcu_failure *f) {
  const char *name = NULL, *text = NULL;
  if (d->cuGetErrorName == NULL || d->cuGetErrorString == NULL ||
      d->cuGetErrorName(r, &name) != 0 || d->cuGetErrorString(r, &text) != 0 || name == NULL ||
      text == NULL)
    return;
  f->code_name = name;
  f->code_text = text;
}

lcu_status lcu_driver_fail (const lcu_driver *d, const char *call, cu_result r) {
  const char *words = take_detail(call, r);
  if (words != NULL) return lcu_fail_call(r, call, "%s", words);
  lcu_fail_code(r, call);
  if (r == CU_ERR_UNKNOWN || strcmp(lcu_status_name(r), "CUDA_ERROR_UNKNOWN") != 0) return r;
  name_code(d, r, lcu_failure_get());
  return lcu_failure_get()->code_name != NULL ? r
                                              : lcu_fail_call(r, call, "the driver returned %d", r);
}

lcu_status lcu_driver_missing (const lcu_driver *d, const char *call) {
  return lcu_fail_call(LCU_E_UNSUPPORTED, call, "this %s has no %s",
                       strcmp(d->kind, "cpu") == 0 ? "device" : "driver", call);
}


/* ---- loading ---- */

typedef cu_result (*get_proc_v2)(const char *symbol, void **fn, int version, uint64_t flags,
                                 int *status);
typedef cu_result (*get_proc_v1)(const char *symbol, void **fn, int version, uint64_t flags);
typedef struct finder {
  void *handle;
  get_proc_v2 v2;
  get_proc_v1 v1;
} finder;
enum { GET_PROC_LEGACY_STREAM = 1 };

static void finder_init (finder *f, void *handle) {
  void *v2 = dlsym(handle, "cuGetProcAddress_v2"), *v1 = dlsym(handle, "cuGetProcAddress");
  f->handle = handle;
  memcpy(&f->v2, &v2, sizeof v2);
  memcpy(&f->v1, &v1, sizeof v1);
}

/* The entry with the ABI of `since`: cuGetProcAddress selects it by version, dlsym by its suffixed
 * symbol. */
static void *finder_find (const finder *f, const entry *e) {
  void *fn = NULL;
  int status = 0;
  cu_result r = CU_ERR_NOT_FOUND;
  if (f->v2 != NULL) r = f->v2(e->name, &fn, e->since, GET_PROC_LEGACY_STREAM, &status);
  else if (f->v1 != NULL) r = f->v1(e->name, &fn, e->since, GET_PROC_LEGACY_STREAM);
  return r == 0 && fn != NULL ? fn : dlsym(f->handle, e->symbol);
}

static lcu_status fill_table (lcu_driver *out, void *handle, const char *path) {
  finder f;
  finder_init(&f, handle);
  *out = (lcu_driver){ .kind = "gpu" };
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    const entry *e = &entries[i];
    if (e->need == NEED_EXT) continue;
    void *fn = finder_find(&f, e);
    if (fn == NULL && e->need == NEED_REQ)
      return lcu_fail(LCU_E_UNSUPPORTED,
                      "the CUDA driver in %s is too old: it has no %s (CUDA %d.%d)", path, e->name,
                      e->since / 1000, e->since % 1000 / 10);
    set_entry(out, e, fn);
  }
  return LCU_OK;
}

/* The library that toolkits ship for linking returns STUB_LIBRARY from every call. */
static lcu_status check_alive (const lcu_driver *d, const char *path, int *version) {
  cu_result r = d->cuDriverGetVersion(version);
  if (r == CU_ERR_STUB_LIBRARY)
    return lcu_fail(r, "%s is a stub for linking, not the CUDA driver", path);
  if (r != 0) return lcu_fail(r, "%s does not report its version: %s", path, lcu_status_name(r));
  return LCU_OK;
}

static lcu_status try_place (lcu_driver *out, const char *path, lcu_buf *report) {
  int version = 0;
  char words[64];
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (h == NULL) {
    const char *why = dlerror();
    lcu_report_line(report, path, why != NULL ? why : "cannot be opened");
    return lcu_fail(LCU_E_NOT_FOUND, "no CUDA driver found: %s cannot be opened", path);
  }
  lcu_status st = fill_table(out, h, path);
  if (st == LCU_OK) st = check_alive(out, path, &version);
  if (st != LCU_OK) {
    lcu_report_failure(report, path);
    dlclose(h);
    return st;
  }
  snprintf(words, sizeof words, "opened, CUDA %d.%d", version / 1000, version % 1000 / 10);
  lcu_report_line(report, path, words);
  return LCU_OK;
}

/* Tries the places in order. A library that was found but is not usable gives a better reason than
 * a missing one. */
static lcu_status try_places (lcu_driver *out, lcu_buf *report) {
  lcu_failure found = { .code = LCU_OK };
  for (size_t i = 0; i < lcu_arraylen(libcuda_places); i++) {
    lcu_status st = try_place(out, libcuda_places[i], report);
    if (st == LCU_OK) return LCU_OK;
    if (st != LCU_E_NOT_FOUND && found.code == LCU_OK) found = *lcu_failure_get();
  }
  if (found.code != LCU_OK) return lcu_fail_again(&found);
  return lcu_fail(LCU_E_NOT_FOUND, "no CUDA driver found (libcuda.so.1 is not on this machine)");
}

lcu_status lcu_driver_open (lcu_driver *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBCUDA");
  *out = (lcu_driver){ .kind = "gpu" };
  if (given != NULL && strcmp(given, "off") == 0) {
    lcu_report_line(report, "CUDA driver", "not searched, LUACUDA_LIBCUDA is off");
    return lcu_fail(LCU_E_NOT_FOUND, "no CUDA driver found: LUACUDA_LIBCUDA forbids it");
  }
  lcu_status st =
    given != NULL && given[0] != '\0' ? try_place(out, given, report) : try_places(out, report);
  if (st != LCU_OK) *out = (lcu_driver){ .kind = "gpu" };
  return st;
}
