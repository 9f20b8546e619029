/* cu_open.c: opens libraries that export CUDA's driver API, and fills a table from them. */
#include "cu_open.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cu_search.h"
#include "lcu_file.h"

enum need { NEED_REQ, NEED_OPT, NEED_EXT };

typedef struct entry {
  const char *name, *symbol;
  int since;
  enum need need;
  size_t offset;
} entry;

static const entry entries[] = {
#define LCU_DRV(need, since, name, symbol, params, args) \
  { #name, symbol, since, NEED_##need, offsetof(lcu_driver, name) },
#include "driver.def"
#undef LCU_DRV
};

/* POSIX allows the result of dlsym to be read as a function pointer; ISO C has no cast for it. */
static void set_entry (lcu_driver *d, const entry *e, void *address) {
  memcpy((char *)d + e->offset, &address, sizeof address);
}


/* ---- the entries of a library ---- */

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

static void *ask (const finder *f, const char *name, int since) {
  void *fn = NULL;
  int status = 0;
  cu_result r = CU_ERR_NOT_FOUND;
  if (f->v2 != NULL) r = f->v2(name, &fn, since, GET_PROC_LEGACY_STREAM, &status);
  else if (f->v1 != NULL) r = f->v1(name, &fn, since, GET_PROC_LEGACY_STREAM);
  return r == 0 ? fn : NULL;
}

/* The entry with the ABI of `since`: cuGetProcAddress selects it by version, dlsym by its suffixed
 * symbol. */
static void *find_entry (const finder *f, const entry *e) {
  void *fn = ask(f, e->name, e->since);
  return fn != NULL ? fn : dlsym(f->handle, e->symbol);
}

static lcu_status fill_table (lcu_driver *out, const finder *f, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    const entry *e = &entries[i];
    if (e->need == NEED_EXT) continue;
    void *fn = find_entry(f, e);
    if (fn == NULL && e->need == NEED_REQ)
      return lcu_fail(LCU_E_UNSUPPORTED,
                      "the CUDA driver in %s is too old: it has no %s (CUDA %d.%d)", path, e->name,
                      e->since / 1000, e->since % 1000 / 10);
    set_entry(out, e, fn);
  }
  return LCU_OK;
}

/* A table of another version may be laid out in another way. */
static lcu_status add_extensions (lcu_driver *out, const finder *f, const char *path) {
  cux_get_table get = NULL;
  void *fn = ask(f, CUX_TABLE, CUX_VERSION);
  memcpy(&get, &fn, sizeof fn);
  const cux_table *t = get != NULL ? get(CUX_VERSION) : NULL;
  if (t == NULL || t->size != sizeof *t)
    return lcu_fail(LCU_E_UNSUPPORTED, "%s is not the CPU device of this version of LuaCUDA", path);
#define LCU_DRV(need, since, name, symbol, params, args) out->name = t->name;
#include "extensions.def"
#undef LCU_DRV
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

static bool is_cpu (const lcu_driver *d) { return strcmp(d->kind, "cpu") == 0; }

/* Fills the table of a driver whose kind is set. */
static lcu_status take_library (lcu_driver *out, void *handle, const char *path, int *version) {
  finder f;
  finder_init(&f, handle);
  if (is_cpu(out)) LCU_TRY(add_extensions(out, &f, path));
  LCU_TRY(fill_table(out, &f, path));
  return check_alive(out, path, version);
}

static lcu_status try_place (lcu_driver *out, const char *path, lcu_buf *report) {
  int version = 0;
  char words[64];
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (h == NULL) {
    const char *why = dlerror();
    lcu_report_line(report, path, why != NULL ? why : "cannot be opened");
    return lcu_fail(LCU_E_NOT_FOUND, "%s: %s cannot be opened",
                    is_cpu(out) ? "there is no CPU device" : "no CUDA driver found", path);
  }
  lcu_status st = take_library(out, h, path, &version);
  if (st != LCU_OK) {
    lcu_report_failure(report, path);
    dlclose(h);
    return st;
  }
  snprintf(words, sizeof words, "opened, CUDA %d.%d", version / 1000, version % 1000 / 10);
  lcu_report_line(report, path, words);
  return LCU_OK;
}


/* ---- libcuda ---- */

/* The places of libcuda, best first. The system searches for plain names. */
static const char *const libcuda_places[] = {
  "libcuda.so.1", "libcuda.so",
  "/usr/lib/wsl/lib/libcuda.so.1",        /* WSL 2: outside the search path */
  "/usr/local/nvidia/lib64/libcuda.so.1", /* older container runtimes */
};

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


/* ---- the CPU device's library ---- */

/* Its file beside the one that this code is in; "": not known. */
static char beside[LCU_PATH_SIZE];

__attribute__((constructor)) static void find_beside (void) {
  lcu_file_beside(beside, sizeof beside, &beside, CU_CPU_LIBRARY);
}

static lcu_status no_cpu (lcu_buf *report, const char *line, const char *why) {
  lcu_report_line(report, CU_CPU_LIBRARY, line);
  return lcu_fail(LCU_E_NOT_FOUND, "there is no CPU device: %s", why);
}

static lcu_status open_cpu (lcu_driver *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBCPU");
  if (lcu_search_forbids(given))
    return no_cpu(report, "not searched, LUACUDA_LIBCPU is off", "LUACUDA_LIBCPU forbids it");
  if (given == NULL && access(beside, R_OK) != 0)
    return no_cpu(report, "not installed",
                  CU_CPU_LIBRARY " is not in the folder of luacuda/core.so");
  lcu_status st = try_place(out, given != NULL ? given : beside, report);
  if (st != LCU_E_NOT_FOUND || given != NULL) return st;
  return lcu_fail(LCU_E_UNSUPPORTED,
                  "there is no CPU device: %s is damaged, or was built for another machine",
                  beside);
}

lcu_status lcu_driver_open_cpu (lcu_driver *out, lcu_buf *report) {
  *out = (lcu_driver){ .kind = "cpu" };
  lcu_status st = open_cpu(out, report);
  if (st != LCU_OK) *out = (lcu_driver){ .kind = "cpu" };
  return st;
}
