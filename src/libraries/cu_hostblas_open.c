/* cu_hostblas_open.c: finds and opens a BLAS. The tables below list the names searched. */
#include "cu_hostblas_open.h"

#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cu_search.h"

/* Not libblas.so.3, which may be the reference implementation: that is slower than our own
 * kernels. */
static const char *const hostblas_sonames[] = {
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

/* Prefix and suffix of the names of functions: plain, with 64-bit integers, and both as in
 * the OpenBLAS of NumPy and SciPy. */
static const struct {
  const char *prefix, *suffix;
} spellings[] = { { "", "_" }, { "", "_64_" }, { "scipy_", "_" }, { "scipy_", "_64_" } };

static const char letters[LCU_HOSTBLAS_TYPES] = { 's', 'd', 'c', 'z' };

static const char *const thread_setters[] = { "openblas_set_num_threads",
                                              "openblas_set_num_threads64_",
                                              "scipy_openblas_set_num_threads",
                                              "scipy_openblas_set_num_threads64_",
                                              "MKL_Set_Num_Threads",
                                              "flexiblas_set_num_threads" };


/* ---- one library ---- */

static void *find_spelling (void *handle, size_t spelling, char letter, const char *name) {
  char full[64];
  snprintf(full, sizeof full, "%s%c%s%s", spellings[spelling].prefix, letter, name,
           spellings[spelling].suffix);
  return dlsym(handle, full);
}

/* ISO C has no conversion from an object pointer to a function pointer. */
static bool keep (void *entry, void *fn) {
  memcpy(entry, &fn, sizeof fn);
  return fn != NULL;
}

static bool fill_sets (lcu_hostblas *out, void *handle, size_t spelling) {
  for (int i = 0; i < LCU_HOSTBLAS_TYPES; i++)
    if (!keep(&out->sets[i].gemm, find_spelling(handle, spelling, letters[i], "gemm")) ||
        !keep(&out->sets[i].gemv, find_spelling(handle, spelling, letters[i], "gemv")))
      return false;
  lcu_path_of_symbol(out->path, find_spelling(handle, spelling, 's', "gemm"), out->path);
  return true;
}

static lcu_status check_hostblas (void *table, void *handle, const char *path) {
  lcu_hostblas *out = table;
  bool ok = false, found = false;
  snprintf(out->path, sizeof out->path, "%s", path);
  for (size_t i = 0; !ok && i < lcu_arraylen(spellings); i++) ok = fill_sets(out, handle, i);
  for (size_t i = 0; !found && i < lcu_arraylen(thread_setters); i++)
    found = keep(&out->set_threads, dlsym(handle, thread_setters[i]));
  return ok ? LCU_OK
            : lcu_fail(LCU_E_UNSUPPORTED,
                       "%s is not a BLAS: it has no sgemm_, dgemm_, cgemm_ and zgemm_", path);
}

/* The threads that the library starts get no signals: those are for the program's own. */
static void *open_without_signals (const char *path) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return h;
}


/* ---- the search ---- */

static bool try_pattern (lcu_opening *o, const char *root) {
  char pattern[LCU_PATH_SIZE];
  glob_t files;
  if (!lcu_path_join(pattern, root, "numpy.libs/libscipy_openblas*.so") ||
      glob(pattern, 0, NULL, &files) != 0)
    return false;
  bool ok = false;
  for (size_t i = 0; !ok && i < files.gl_pathc; i++) ok = lcu_library_try(o, files.gl_pathv[i]);
  globfree(&files);
  return ok;
}

static bool search_numpy (lcu_opening *o, const lcu_roots *roots) {
  for (int i = 0; i < roots->n; i++)
    if (try_pattern(o, roots->path[i])) return true;
  return false;
}

static bool search_hostblas (lcu_opening *o) {
  lcu_roots *roots = lcu_roots_new(o); /* the first stays empty */
  if (roots == NULL) return false;
  lcu_roots_last(&roots[1]);
  bool ok = lcu_search_run(o, &roots[0], &roots[1]) || search_numpy(o, &roots[1]);
  lcu_free(roots);
  return ok;
}

const lcu_library lcu_hostblas_library = {
  .name = "BLAS",
  .variable = "LUACUDA_LIBBLAS",
  .dispensable = true,
  .missing = "no BLAS was found",
  .package = "blas",
  .sonames = hostblas_sonames,
  .num_sonames = lcu_arraylen(hostblas_sonames),
  .size = sizeof(lcu_hostblas),
  .path_offset = offsetof(lcu_hostblas, path),
  .open = open_without_signals,
  .search = search_hostblas,
  .check = check_hostblas,
};
