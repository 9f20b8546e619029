/* cu_nvrtc.c: finds and opens NVRTC and CUDA's headers. What is searched stands in the tables below. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE                   /* dladdr */
#endif
#include "cu_nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cu_driver.h"

/* ---- what is searched, best first ---- */

/* Environment variables that name a toolkit (or a pip folder): searched before the system's own libraries. */
static const char *const root_variables[] = { "LUACUDA_CUDA_HOME", "CUDA_HOME", "CUDA_PATH" };

static const char *const sonames[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so" };

/* Where toolkits are by custom: searched after the system's own libraries. */
static const char *const usual_roots[] = { "/usr/local/cuda", "/opt/cuda" };

/* Folders of a root that may hold the library: toolkit, conda, pip (a site-packages folder itself, or the
 * nvidia folder in it). */
static const char *const library_folders[] = {
  "lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib/x86_64-linux-gnu", "",
  "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "cu13/lib", "cuda_nvrtc/lib",
};

/* Folders of a root that may hold CUDA's headers, and folders that may hold CCCL's (<cuda/std/...>). */
static const char *const include_folders[] = {
  "include", "targets/x86_64-linux/include", "targets/sbsa-linux/include",
  "nvidia/cu13/include", "nvidia/cuda_runtime/include", "cu13/include", "cuda_runtime/include",
};
static const char *const cccl_folders[] = {
  "include/cccl", "targets/x86_64-linux/include/cccl", "targets/sbsa-linux/include/cccl",
  "nvidia/cu13/include/cccl", "nvidia/cuda_cccl/include", "cu13/include/cccl", "cuda_cccl/include",
};

/* The same as seen from the folder of the library: two levels up covers every layout above. */
static const char *const roots_of_library[] = { "..", "../..", "../../.." };

/* A header that only the right folder has. */
#define CUDA_MARKER "cuda_fp16.h"
#define CCCL_MARKER "cuda/std/type_traits"

static const struct { const char *name; bool required; size_t offset; } entries[] = {
#define LCU_RTC(need, result, name, params, args) { #name, #need[0] == 'R', offsetof(lcu_nvrtc, name) },
#include "nvrtc.def"
#undef LCU_RTC
};


/* ---- roots ---- */

enum { PATH_SIZE = 512, ROOTS_MAX = 64 };
typedef struct root_list { int n; char path[ROOTS_MAX][PATH_SIZE]; } root_list;

static void root_add (root_list *l, const char *path, size_t len) {
  if (l->n == ROOTS_MAX || len == 0 || len >= PATH_SIZE) return;
  memcpy(l->path[l->n], path, len);
  l->path[l->n++][len] = '\0';
}

static void root_add_variable (root_list *l, const char *variable) {
  const char *v = getenv(variable);
  if (v != NULL) root_add(l, v, strlen(v));
}

/* LUACUDA_SITE_PACKAGES: folders with colons between. */
static void root_add_site_packages (root_list *l) {
  const char *p = getenv("LUACUDA_SITE_PACKAGES");
  while (p != NULL && *p != '\0') {
    size_t n = strcspn(p, ":");
    root_add(l, p, n);
    p += p[n] == ':' ? n + 1 : n;
  }
}

static void roots_first (root_list *l) {
  for (size_t i = 0; i < lcu_arraylen(root_variables); i++) root_add_variable(l, root_variables[i]);
}

static void roots_last (root_list *l) {
  for (size_t i = 0; i < lcu_arraylen(usual_roots); i++) root_add(l, usual_roots[i], strlen(usual_roots[i]));
  root_add_site_packages(l);
}

/* a/b, or a where b is empty; false when it does not fit. */
static bool join (char out[PATH_SIZE], const char *a, const char *b) {
  int n = snprintf(out, PATH_SIZE, b[0] != '\0' ? "%s/%s" : "%s%s", a, b);
  return n >= 0 && n < PATH_SIZE;
}

static bool readable (const char *folder, const char *file) {
  char path[PATH_SIZE];
  return join(path, folder, file) && access(path, R_OK) == 0;
}

static void report_line (lcu_buf *report, const char *path, const char *what) {
  size_t n = strlen(path);
  if (report == NULL) return;
  if (strncmp(what, path, n) == 0 && strncmp(what + n, ": ", 2) == 0) what += n + 2;   /* dlerror repeats it */
  lcu_buf_addf(report, "%s: %s\n", path, what);
}


/* ---- the library ---- */

static lcu_status fill_table (lcu_nvrtc *out, void *handle, const char *path) {
  for (size_t i = 0; i < lcu_arraylen(entries); i++) {
    void *fn = dlsym(handle, entries[i].name);
    if (fn == NULL && entries[i].required)
      return lcu_fail(LCU_E_UNSUPPORTED, "the NVRTC in %s is too old: it has no %s", path, entries[i].name);
    memcpy((char *)out + entries[i].offset, &fn, sizeof fn);
  }
  return LCU_OK;
}

static int by_number (const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Leaves num_archs 0 where the library cannot say (before 11.1). */
static void read_archs (lcu_nvrtc *out) {
  int n = 0;
  if (out->nvrtcGetNumSupportedArchs == NULL || out->nvrtcGetSupportedArchs == NULL) return;
  if (out->nvrtcGetNumSupportedArchs(&n) != 0 || n <= 0 || (size_t)n > lcu_arraylen(out->archs)) return;
  if (out->nvrtcGetSupportedArchs(out->archs) != 0) return;
  qsort(out->archs, (size_t)n, sizeof out->archs[0], by_number);
  out->num_archs = n;
}

/* The file behind a handle: a soname says nothing about where the headers may be. */
static void read_path (lcu_nvrtc *out, void *handle, const char *opened) {
  Dl_info info;
  void *fn = dlsym(handle, "nvrtcVersion");
  bool known = fn != NULL && dladdr(fn, &info) != 0 && info.dli_fname != NULL;
  snprintf(out->path, sizeof out->path, "%s", known ? info.dli_fname : opened);
}

/* NVRTC opens its second library by bare name, which only the system's own folders answer. Opened first by path from
 * beside the library, it is found by that name (a loaded soname needs no search). It stays open. */
static void open_builtins (const lcu_nvrtc *out) {
  char name[64], path[PATH_SIZE];
  const char *slash = strrchr(out->path, '/');
  if (slash == NULL) return;
  snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", out->major, out->minor);
  int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - out->path), out->path, name);
  if (n >= 0 && n < PATH_SIZE) (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static lcu_status adopt (lcu_nvrtc *out, void *handle, const char *path) {
  *out = (lcu_nvrtc){0};
  LCU_TRY(fill_table(out, handle, path));
  int r = out->nvrtcVersion(&out->major, &out->minor);
  if (r != 0) return lcu_nvrtc_status(out, "nvrtcVersion", r);
  read_archs(out);
  read_path(out, handle, path);
  open_builtins(out);
  return LCU_OK;
}

/* *found tells a library that cannot serve from one that is not there. */
static bool try_library (lcu_nvrtc *out, const char *path, lcu_buf *report, bool *found) {
  char words[PATH_SIZE + 64];
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (h == NULL) {
    const char *why = dlerror();
    report_line(report, path, why != NULL ? why : "cannot be opened");
    return false;
  }
  *found = true;
  if (adopt(out, h, path) != LCU_OK) {
    report_line(report, path, lcu_failure_get()->message);
    *out = (lcu_nvrtc){0};
    dlclose(h);
    return false;
  }
  snprintf(words, sizeof words, "opened %s, NVRTC %d.%d", out->path, out->major, out->minor);
  report_line(report, path, words);
  return true;
}

/* Files that are not there are passed over in silence: the report names each folder once. */
static bool try_folder (lcu_nvrtc *out, const char *folder, lcu_buf *report, bool *found) {
  char path[PATH_SIZE];
  for (size_t i = 0; i < lcu_arraylen(sonames); i++)
    if (readable(folder, sonames[i]) && join(path, folder, sonames[i]) && try_library(out, path, report, found))
      return true;
  return false;
}

static bool try_root (lcu_nvrtc *out, const char *root, lcu_buf *report, bool *found) {
  char folder[PATH_SIZE];
  for (size_t i = 0; i < lcu_arraylen(library_folders); i++)
    if (join(folder, root, library_folders[i]) && try_folder(out, folder, report, found)) return true;
  report_line(report, root, "no libnvrtc that can be used");
  return false;
}

static bool try_roots (lcu_nvrtc *out, const root_list *l, lcu_buf *report, bool *found) {
  for (int i = 0; i < l->n; i++)
    if (try_root(out, l->path[i], report, found)) return true;
  return false;
}

static bool try_sonames (lcu_nvrtc *out, lcu_buf *report, bool *found) {
  for (size_t i = 0; i < lcu_arraylen(sonames); i++)
    if (try_library(out, sonames[i], report, found)) return true;
  return false;
}


/* ---- the headers ---- */

/* The first of the folders of `root` that has the marker; `out` stays "" when none has. */
static bool find_folder (char out[PATH_SIZE], const char *root, const char *const *folders, size_t n, const char *marker) {
  char path[PATH_SIZE], full[PATH_SIZE];
  for (size_t i = 0; i < n; i++) {
    if (!join(path, root, folders[i]) || !readable(path, marker)) continue;
    char *plain = realpath(path, NULL);
    bool fits = join(full, plain != NULL ? plain : path, "");
    free(plain);
    if (!fits) continue;
    memcpy(out, full, strlen(full) + 1);
    return true;
  }
  return false;
}

static void find_headers_in (lcu_nvrtc *out, const char *root) {
  if (out->include_dir[0] == '\0')
    find_folder(out->include_dir, root, include_folders, lcu_arraylen(include_folders), CUDA_MARKER);
  if (out->cccl_dir[0] == '\0')
    find_folder(out->cccl_dir, root, cccl_folders, lcu_arraylen(cccl_folders), CCCL_MARKER);
}

/* `file`: the library as opened, or with its links resolved: either place may have the headers beside it. */
static void find_headers_beside (lcu_nvrtc *out, const char *file) {
  char folder[PATH_SIZE], root[PATH_SIZE];
  const char *slash = strrchr(file, '/');
  size_t n = slash != NULL ? (size_t)(slash - file) : 0;
  if (n == 0 || n >= PATH_SIZE) return;
  memcpy(folder, file, n);
  folder[n] = '\0';
  for (size_t i = 0; i < lcu_arraylen(roots_of_library); i++)
    if (join(root, folder, roots_of_library[i])) find_headers_in(out, root);
}

static void find_headers (lcu_nvrtc *out, const root_list *first, const root_list *last, lcu_buf *report) {
  char *plain = realpath(out->path, NULL);
  find_headers_beside(out, out->path);
  if (plain != NULL) find_headers_beside(out, plain);
  free(plain);
  for (int i = 0; i < first->n; i++) find_headers_in(out, first->path[i]);
  for (int i = 0; i < last->n; i++) find_headers_in(out, last->path[i]);
  if (out->include_dir[0] != '\0' && readable(out->include_dir, CCCL_MARKER)) out->cccl_dir[0] = '\0';
  if (out->include_dir[0] == '\0') report_line(report, "CUDA headers", "not found");
  else report_line(report, out->include_dir, "CUDA headers");
  if (out->cccl_dir[0] != '\0') report_line(report, out->cccl_dir, "CCCL headers");
}


static bool open_library (lcu_nvrtc *out, const root_list *first, const root_list *last, lcu_buf *report, bool *found) {
  const char *given = getenv("LUACUDA_NVRTC");
  if (given != NULL && given[0] != '\0') return try_library(out, given, report, found);
  return try_roots(out, first, report, found) || try_sonames(out, report, found) || try_roots(out, last, report, found);
}

lcu_status lcu_nvrtc_open (lcu_nvrtc *out, lcu_buf *report) {
  bool found = false;
  *out = (lcu_nvrtc){0};
  root_list *roots = lcu_calloc(2, sizeof *roots);
  if (roots == NULL) return lcu_fail(LCU_E_NOMEM, "no memory to look for NVRTC");
  roots_first(&roots[0]);
  roots_last(&roots[1]);
  bool ok = open_library(out, &roots[0], &roots[1], report, &found);
  if (ok) find_headers(out, &roots[0], &roots[1], report);
  lcu_free(roots);
  if (ok) return LCU_OK;
  if (found) return lcu_failure_get()->code;            /* the last one says why it cannot serve */
  const char *given = getenv("LUACUDA_NVRTC");
  if (given != NULL && given[0] != '\0')
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_NVRTC names %s, which cannot be opened", given);
  return lcu_fail(LCU_E_NOT_FOUND, "the CUDA compiler library (libnvrtc) was not found; "
                  "set LUACUDA_NVRTC to the file or LUACUDA_CUDA_HOME to the toolkit");
}

lcu_status lcu_nvrtc_status (const lcu_nvrtc *n, const char *call, int r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  lcu_status st = LCU_NVRTC + r;
  const char *name = lcu_status_name(st), *words = lcu_status_text(st);
  if (strcmp(name, "NVRTC_ERROR_UNKNOWN") == 0 && n->nvrtcGetErrorString != NULL)
    return lcu_fail_call(st, call, "%s: %s", call, n->nvrtcGetErrorString(r));
  return lcu_fail_call(st, call, "%s: %s (%s)", call, words, name);
}
