/* cu_hostblas.c: finds and opens a BLAS. The tables below list the names searched. */
#include "cu_hostblas.h"

#include <dlfcn.h>
#include <glob.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_search.h"

/* Not libblas.so.3, which may be the reference implementation: that is slower than our own
 * kernels. */
static const char *const sonames[] = {
  "libopenblas.so.0",
  "libmkl_rt.so.2",
  "libmkl_rt.so.1",
  "libblis.so.4",
  "libflexiblas.so.3",
  "libopenblas.so",
  "libmkl_rt.so",
  "libblis.so",
#ifdef __APPLE__
  "/System/Library/Frameworks/Accelerate.framework/Accelerate",
  "libopenblas.dylib",
#endif
};

/* What stands before and behind the name of a function: plain, with 64-bit integers, and both as in
 * the OpenBLAS of NumPy and SciPy. */
static const struct {
  const char *before, *behind;
} spellings[] = { { "", "_" }, { "", "_64_" }, { "scipy_", "_" }, { "scipy_", "_64_" } };

static const char letters[LCU_HOSTBLAS_TYPES] = { 's', 'd', 'c', 'z' };

static const char *const thread_setters[] = { "openblas_set_num_threads",
                                              "openblas_set_num_threads64_",
                                              "scipy_openblas_set_num_threads",
                                              "scipy_openblas_set_num_threads64_",
                                              "MKL_Set_Num_Threads",
                                              "flexiblas_set_num_threads" };


/* ---- one library ---- */

static void *find (void *handle, size_t spelling, char letter, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "%s%c%s%s", spellings[spelling].before, letter, name,
           spellings[spelling].behind);
  return dlsym(handle, full);
}

/* ISO C has no conversion from an object pointer to a function pointer. */
static bool keep (void *entry, void *fn) {
  memcpy(entry, &fn, sizeof fn);
  return fn != NULL;
}

static bool fill_sets (lcu_hostblas *out, void *handle, size_t spelling) {
  for (int i = 0; i < LCU_HOSTBLAS_TYPES; i++)
    if (!keep(&out->sets[i].gemm, find(handle, spelling, letters[i], "gemm")) ||
        !keep(&out->sets[i].gemv, find(handle, spelling, letters[i], "gemv")))
      return false;
  lcu_path_of_symbol(out->path, find(handle, spelling, 's', "gemm"), out->path);
  return true;
}

static bool adopt (lcu_hostblas *out, void *handle, const char *path) {
  snprintf(out->path, sizeof out->path, "%s", path);
  bool ok = false;
  for (size_t i = 0; !ok && i < lcu_arraylen(spellings); i++) ok = fill_sets(out, handle, i);
  bool found = false;
  for (size_t i = 0; !found && i < lcu_arraylen(thread_setters); i++)
    found = keep(&out->set_threads, dlsym(handle, thread_setters[i]));
  return ok;
}

/* The threads that the library starts get no signals: those are for the program's own. */
static void *open_file (const char *path, char *why, size_t size) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const char *words = h == NULL ? dlerror() : NULL;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  snprintf(why, size, "%s", words != NULL ? words : "cannot be opened");
  return h;
}

static bool try_library (void *ud, const char *path, lcu_buf *report, bool *found) {
  lcu_hostblas *out = ud;
  char words[LCU_PATH_SIZE + 256];
  void *h = open_file(path, words, sizeof words);
  *found = *found || h != NULL;
  if (h != NULL && adopt(out, h, path)) {
    snprintf(words, sizeof words, "opened %s", out->path);
    lcu_report_line(report, path, words);
    return true;
  }
  lcu_report_line(report, path, h != NULL ? "has no sgemm_, dgemm_, cgemm_ and zgemm_" : words);
  *out = (lcu_hostblas){ 0 };
  if (h != NULL) dlclose(h);
  return false;
}


/* ---- the search ---- */

static bool try_pattern (lcu_hostblas *out, const char *root, lcu_buf *report, bool *found) {
  char pattern[LCU_PATH_SIZE];
  glob_t files;
  if (!lcu_path_join(pattern, root, "numpy.libs/libscipy_openblas*.so") ||
      glob(pattern, 0, NULL, &files) != 0)
    return false;
  bool ok = false;
  for (size_t i = 0; !ok && i < files.gl_pathc; i++)
    ok = try_library(out, files.gl_pathv[i], report, found);
  globfree(&files);
  return ok;
}

static bool search_numpy (lcu_hostblas *out, const lcu_roots *roots, lcu_buf *report, bool *found) {
  for (int i = 0; i < roots->n; i++)
    if (try_pattern(out, roots->path[i], report, found)) return true;
  return false;
}

static bool search_everywhere (lcu_hostblas *out, lcu_buf *report, bool *found) {
  const lcu_search search = { "BLAS", sonames, lcu_arraylen(sonames), "blas", try_library, out };
  lcu_roots *roots = lcu_calloc(2, sizeof *roots); /* the first stays empty */
  if (roots == NULL) return false;
  lcu_roots_last(&roots[1]);
  bool ok = lcu_search_run(&search, &roots[0], &roots[1], report, found) ||
            search_numpy(out, &roots[1], report, found);
  lcu_free(roots);
  return ok;
}

lcu_status lcu_hostblas_open (lcu_hostblas *out, lcu_buf *report) {
  const char *given = getenv("LUACUDA_LIBBLAS");
  bool found = false;
  *out = (lcu_hostblas){ 0 };
  if (lcu_search_forbids(given)) {
    lcu_report_line(report, "BLAS", "not searched, LUACUDA_LIBBLAS is off");
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBBLAS forbids a BLAS");
  }
  if (given != NULL ? try_library(out, given, report, &found)
                    : search_everywhere(out, report, &found))
    return LCU_OK;
  if (given != NULL)
    return lcu_fail(LCU_E_NOT_FOUND, "LUACUDA_LIBBLAS names %s, which %s", given,
                    found ? "is not a BLAS" : "cannot be opened");
  return lcu_fail(LCU_E_NOT_FOUND, "no BLAS was found");
}


/* ---- use ---- */

const lcu_hostblas_set *lcu_hostblas_for (const lcu_hostblas *lib, lcu_dtype_id dtype) {
  switch (dtype) {
    case LCU_FLOAT32: return &lib->sets[0];
    case LCU_FLOAT64: return &lib->sets[1];
    case LCU_COMPLEX64: return &lib->sets[2];
    case LCU_COMPLEX128: return &lib->sets[3];
    default: return NULL;
  }
}

void lcu_hostblas_use_threads (const lcu_hostblas *lib, int n) {
  static atomic_int current;
  if (lib->set_threads != NULL && atomic_exchange(&current, n) != n) lib->set_threads(n);
}
