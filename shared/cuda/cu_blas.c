/* cu_blas.c: finds and opens cuBLAS. The table below lists the names searched. */
#include "cu_blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_driver.h"
#include "cu_search.h"

static const char *const sonames[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                       "libcublas.so" };

static const struct {
  const char *name;
  size_t offset;
} entries[] = {
#define LCU_BLAS(name, params) { #name, offsetof(lcu_cublas, name) },
#include "cublas.def"
#undef LCU_BLAS
};

static lcu_status fill_table (lcu_cublas *out, void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    if (fn == NULL)
      return lcu_fail(LCU_E_UNSUPPORTED, "the cuBLAS in %s cannot be used: it has no %s", path,
                      entries[i].name);
    memcpy((char *)out + entries[i].offset, &fn, sizeof fn);
  }
  return LCU_OK;
}

static lcu_status adopt (lcu_cublas *out, void *handle, const char *path) {
  *out = (lcu_cublas){ 0 };
  LCU_TRY(fill_table(out, handle, path));
  for (int i = 0; i < 3; i++)
    LCU_TRY(lcu_cublas_status("cublasGetProperty", out->cublasGetProperty(i, &out->version[i])));
  lcu_path_of_symbol(out->path, dlsym(handle, "cublasCreate_v2"), path);
  return LCU_OK;
}

/* libcublas opens libcublasLt by its bare name, which is not always searched in libcublas's own
 * folder. Once libcublasLt is opened by path the bare name finds it, because a loaded soname needs
 * no search. */
static void *open_with_companion (const char *path) {
  char folder[LCU_PATH_SIZE], name[64], companion[LCU_PATH_SIZE];
  const char *suffix = strrchr(path, '/');
  if (suffix == NULL || !lcu_path_folder(folder, path) || strncmp(suffix, "/libcublas.", 11) != 0)
    return NULL;
  int n = snprintf(name, sizeof name, "libcublasLt.%s", suffix + 11);
  if (n < 0 || (size_t)n >= sizeof name || !lcu_path_join(companion, folder, name)) return NULL;
  return dlopen(companion, RTLD_NOW | RTLD_LOCAL) != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                                                          : NULL;
}

/* The reason is the first attempt's: the second attempt may not give one. */
static void *open_file (const char *path, char *why, size_t size) {
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *words = h == NULL ? dlerror() : NULL;
  snprintf(why, size, "%s", words != NULL ? words : "cannot be opened");
  return h != NULL ? h : open_with_companion(path);
}

static bool try_library (void *ud, const char *path, lcu_buf *report, bool *found) {
  lcu_cublas *out = ud;
  char words[LCU_PATH_SIZE + 256];
  void *h = open_file(path, words, sizeof words);
  if (h == NULL) {
    lcu_report_line(report, path, words);
    return false;
  }
  *found = true;
  if (adopt(out, h, path) != LCU_OK) {
    lcu_report_failure(report, path);
    *out = (lcu_cublas){ 0 };
    dlclose(h);
    return false;
  }
  snprintf(words, sizeof words, "opened %s, cuBLAS %d.%d.%d", out->path, out->version[0],
           out->version[1], out->version[2]);
  lcu_report_line(report, path, words);
  return true;
}

static bool search_everywhere (lcu_cublas *out, lcu_buf *report, bool *found) {
  const lcu_search search = { "libcublas", sonames,     lcu_arraylen(sonames),
                              "cublas",    try_library, out };
  return lcu_search_everywhere(&search, report, found);
}

lcu_status lcu_cublas_open (lcu_cublas *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBCUBLAS");
  bool found = false;
  *out = (lcu_cublas){ 0 };
  if (lcu_search_forbids(given)) {
    lcu_report_line(report, "cuBLAS", "not searched, LUACUDA_LIBCUBLAS is off");
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBCUBLAS forbids cuBLAS");
  }
  if (given != NULL ? try_library(out, given, report, &found)
                    : search_everywhere(out, report, &found))
    return LCU_OK;
  /* the record has the reason why the last one found is not usable */
  if (found) return lcu_failure_get()->code;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBCUBLAS names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND,
                  "cuBLAS (libcublas) was not found; "
                  "set LUACUDA_LIBCUBLAS to the file or LUACUDA_CUDA_HOME to the toolkit");
}

lcu_status lcu_cublas_status (const char *call, int r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  lcu_status st = LCU_CUBLAS + r;
  return lcu_fail_code(st, call);
}
