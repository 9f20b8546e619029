/* cu_nvrtc.c: finds and opens NVRTC, and finds CUDA's headers. The tables below list the places
 * searched. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* realpath */
#endif
#include "cu_nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_driver.h"
#include "cu_search.h"

enum { MAJOR_MIN = 12 };

/* ---- the places searched, best first ---- */

static const char *const sonames[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                       "libnvrtc.so" };

/* Folders of a root that may contain CUDA's headers, and folders that may contain CCCL's
 * (<cuda/std/...>). */
static const char *const include_folders[] = {
  "include",
  "targets/x86_64-linux/include",
  "targets/sbsa-linux/include",
  "nvidia/cu13/include",
  "nvidia/cuda_runtime/include",
  "cu13/include",
  "cuda_runtime/include",
};
static const char *const cccl_folders[] = {
  "include/cccl",
  "targets/x86_64-linux/include/cccl",
  "targets/sbsa-linux/include/cccl",
  "nvidia/cu13/include/cccl",
  "nvidia/cuda_cccl/include",
  "cu13/include/cccl",
  "cuda_cccl/include",
};

/* The same, relative to the library's folder: two levels up covers every layout above. */
static const char *const roots_of_library[] = { "..", "../..", "../../.." };

/* A header that identifies the folder. */
#define CUDA_MARKER "cuda_fp16.h"
#define CCCL_MARKER "cuda/std/type_traits"

static const lcu_symbol symbols[] = {
#define LCU_RTC(need, result, name, params, args) \
  { #need[0] == 'R', #name, offsetof(lcu_nvrtc, name) },
#include "nvrtc.def"
#undef LCU_RTC
};


/* ---- the library ---- */

static int by_number (const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Leaves num_archs 0 where the library cannot report them (before 11.1). */
static void read_archs (lcu_nvrtc *out) {
  int n = 0;
  if (out->nvrtcGetNumSupportedArchs == NULL || out->nvrtcGetSupportedArchs == NULL) return;
  if (out->nvrtcGetNumSupportedArchs(&n) != 0 || n <= 0 || (size_t)n > lcu_arraylen(out->archs))
    return;
  if (out->nvrtcGetSupportedArchs(out->archs) != 0) return;
  qsort(out->archs, (size_t)n, sizeof out->archs[0], by_number);
  out->num_archs = n;
}

/* NVRTC opens its second library by its bare name, which is searched in the system's folders only.
 * Opened first by path from NVRTC's folder, the bare name finds it, because a loaded soname needs
 * no search. It stays open. */
static void open_builtins (const lcu_nvrtc *out) {
  char name[64], folder[LCU_PATH_SIZE], path[LCU_PATH_SIZE];
  snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", out->major, out->minor);
  if (lcu_path_folder(folder, out->path) && lcu_path_join(path, folder, name))
    (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static lcu_status check (void *table, void *handle, const char *path) {
  lcu_nvrtc *out = table;
  int r = out->nvrtcVersion(&out->major, &out->minor);
  (void)handle;
  if (r != 0) return lcu_nvrtc_status(out, "nvrtcVersion", r);
  if (out->major < MAJOR_MIN)
    return lcu_fail(LCU_E_UNSUPPORTED, "the NVRTC in %s is of CUDA %d.%d: %d.0 or later is needed",
                    path, out->major, out->minor, MAJOR_MIN);
  read_archs(out);
  open_builtins(out);
  return LCU_OK;
}

static void version (const void *table, char *out, size_t size) {
  const lcu_nvrtc *n = table;
  snprintf(out, size, "NVRTC %d.%d", n->major, n->minor);
}


/* ---- the headers ---- */

/* The first folder of `root` that contains the marker; `out` stays "" where none does. */
static bool find_folder (char out[LCU_PATH_SIZE], const char *root, const char *const *folders,
                         size_t n, const char *marker) {
  char path[LCU_PATH_SIZE], full[LCU_PATH_SIZE];
  for (size_t i = 0; i < n; i++) {
    if (!lcu_path_join(path, root, folders[i]) || !lcu_path_readable(path, marker)) continue;
    char *plain = realpath(path, NULL);
    bool fits = lcu_path_join(full, plain != NULL ? plain : path, "");
    free(plain);
    if (!fits) continue;
    memcpy(out, full, strlen(full) + 1);
    return true;
  }
  return false;
}

static void find_headers_in (lcu_nvrtc *out, const char *root) {
  if (out->include_dir[0] == '\0')
    find_folder(out->include_dir, root, include_folders, lcu_arraylen(include_folders),
                CUDA_MARKER);
  if (out->cccl_dir[0] == '\0')
    find_folder(out->cccl_dir, root, cccl_folders, lcu_arraylen(cccl_folders), CCCL_MARKER);
}

/* `file`: the library as opened, or with its links resolved; the headers may be near either. */
static void find_headers_beside (lcu_nvrtc *out, const char *file) {
  char folder[LCU_PATH_SIZE], root[LCU_PATH_SIZE];
  if (!lcu_path_folder(folder, file)) return;
  for (size_t i = 0; i < lcu_arraylen(roots_of_library); i++)
    if (lcu_path_join(root, folder, roots_of_library[i])) find_headers_in(out, root);
}

static void find_headers (lcu_nvrtc *out, const lcu_roots *first, const lcu_roots *last,
                          lcu_buf *report) {
  char *plain = realpath(out->path, NULL);
  find_headers_beside(out, out->path);
  if (plain != NULL) find_headers_beside(out, plain);
  free(plain);
  for (int i = 0; i < first->n; i++) find_headers_in(out, first->path[i]);
  for (int i = 0; i < last->n; i++) find_headers_in(out, last->path[i]);
  if (out->include_dir[0] != '\0' && lcu_path_readable(out->include_dir, CCCL_MARKER))
    out->cccl_dir[0] = '\0';
  if (out->include_dir[0] == '\0') lcu_report_line(report, "CUDA headers", "not found");
  else lcu_report_line(report, out->include_dir, "CUDA headers");
  if (out->cccl_dir[0] != '\0') lcu_report_line(report, out->cccl_dir, "CCCL headers");
}


/* Without memory for the roots, only the headers next to the library are found. */
static void finish (void *table, lcu_buf *report) {
  lcu_roots none = { 0 }, *roots = lcu_calloc(2, sizeof *roots);
  if (roots != NULL) {
    lcu_roots_first(&roots[0]);
    lcu_roots_last(&roots[1]);
  }
  find_headers(table, roots != NULL ? &roots[0] : &none, roots != NULL ? &roots[1] : &none, report);
  lcu_free(roots);
}

const lcu_library lcu_nvrtc_library = {
  .name = "NVRTC",
  .variable = "LUACUDA_NVRTC",
  .missing = "the CUDA compiler library (libnvrtc) was not found; set LUACUDA_NVRTC to the file or "
             "LUACUDA_CUDA_HOME to the toolkit, or install it with pip: pip install "
             "nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl",
  .package = "cuda_nvrtc",
  LCU_LIBRARY_TABLE(lcu_nvrtc, sonames, symbols),
  .check = check,
  .finish = finish,
  .version = version,
};

lcu_status lcu_nvrtc_status (const lcu_nvrtc *n, const char *call, int r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  lcu_status st = LCU_NVRTC + r;
  if (strcmp(lcu_status_name(st), "NVRTC_ERROR_UNKNOWN") != 0 || n->nvrtcGetErrorString == NULL)
    return lcu_fail_code(st, call);
  return lcu_fail_call(st, call, "%s", n->nvrtcGetErrorString(r));
}
