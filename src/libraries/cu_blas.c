/* cu_blas.c: finds and opens cuBLAS. The table below lists the names searched. */
#include "cu_blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cu_driver.h"
#include "cu_search.h"

static const char *const blas_sonames[] = { "libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                            "libcublas.so" };

static const lcu_symbol blas_symbols[] = {
#define LCU_BLAS(name, params) { true, #name, offsetof(lcu_cublas, name) },
#include "cublas.def"
#undef LCU_BLAS
};

/* libcublas opens libcublasLt by its bare name, which is not always searched in libcublas's own
 * folder. Once libcublasLt is opened by path the bare name finds it, because a loaded soname needs
 * no search. */
static bool open_companion (const char *path) {
  char folder[LCU_PATH_SIZE], name[64], companion[LCU_PATH_SIZE];
  const char *suffix = strrchr(path, '/');
  if (suffix == NULL || !lcu_path_folder(folder, path) || strncmp(suffix, "/libcublas.", 11) != 0)
    return false;
  int n = snprintf(name, sizeof name, "libcublasLt.%s", suffix + 11);
  return n >= 0 && (size_t)n < sizeof name && lcu_path_join(companion, folder, name) &&
         dlopen(companion, RTLD_NOW | RTLD_LOCAL) != NULL;
}

static void *open_with_companion (const char *path) {
  void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return h == NULL && open_companion(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : h;
}

static lcu_status check_blas (void *table, void *handle, const char *path) {
  lcu_cublas *out = table;
  (void)handle;
  (void)path;
  for (int i = 0; i < 3; i++)
    LCU_TRY(lcu_cublas_status("cublasGetProperty", out->cublasGetProperty(i, &out->version[i])));
  return LCU_OK;
}

static void blas_version (const void *table, char *out, size_t size) {
  const int *v = ((const lcu_cublas *)table)->version;
  snprintf(out, size, "cuBLAS %d.%d.%d", v[0], v[1], v[2]);
}

const lcu_library lcu_cublas_library = {
  .name = "cuBLAS",
  .variable = "LUACUDA_LIBCUBLAS",
  .dispensable = true,
  .missing = "cuBLAS (libcublas) was not found; set LUACUDA_LIBCUBLAS to the file or "
             "LUACUDA_CUDA_HOME to the toolkit",
  .package = "cublas",
  LCU_LIBRARY_TABLE(lcu_cublas, blas_sonames, blas_symbols),
  .open = open_with_companion,
  .check = check_blas,
  .version = blas_version,
};

lcu_status lcu_cublas_status (const char *call, int r) {
  if (lcu_likely(r == 0)) return LCU_OK;
  lcu_status st = LCU_CUBLAS + r;
  return lcu_fail_code(st, call);
}
