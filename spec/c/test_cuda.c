/* test_cuda.c: tests the names of statuses and attributes, and the messages of the loaders about
 * libraries that are missing, of another kind, or stubs. Real libraries are opened if installed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cu_blas.h"
#include "cu_failure.h"
#include "cu_nvrtc.h"
#include "cu_open.h"
#include "cu_search.h"

static bool is (const char *got, const char *want) { return got != NULL && strcmp(got, want) == 0; }

static void test_statuses (void) {
  CHECK(is(lcu_status_name(0), "CUDA_SUCCESS") &&
        is(lcu_status_name(2), "CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(is(lcu_status_name(LCU_NVRTC + 6), "NVRTC_ERROR_COMPILATION") &&
        is(lcu_status_name(LCU_NVRTC), "NVRTC_SUCCESS"));
  CHECK(is(lcu_status_name(LCU_CUBLAS + 13), "CUBLAS_STATUS_EXECUTION_FAILED") &&
        is(lcu_status_name(LCU_CUBLAS + 99), "CUBLAS_STATUS_UNKNOWN"));
  CHECK(is(lcu_status_name(LCU_E_FORK), "LUACUDA_ERROR_FORK"));
  CHECK(is(lcu_status_name(998), "CUDA_ERROR_UNKNOWN") &&
        is(lcu_status_name(LCU_NVRTC + 900), "NVRTC_ERROR_UNKNOWN"));
  int silent = 0;
  for (int code = -5; code < LCU_E_END_ + 5; code++)
    silent += lcu_status_name(code)[0] == '\0' || lcu_status_text(code)[0] == '\0';
  CHECK(silent == 0);
  int foreign = 0; /* codes of the library with the text of an unknown code of another */
  for (int code = LCU_E_NOMEM; code < LCU_E_END_; code++)
    foreign += is(lcu_status_text(code), lcu_status_text(LCU_E_END_));
  CHECK(foreign == 0);
  CHECK(lcu_status_is_fatal(700) && lcu_status_is_fatal(719) && !lcu_status_is_fatal(2) &&
        !lcu_status_is_fatal(LCU_E_FAULT));
}

static void test_failures (void) {
  lcu_driver none = { .kind = "gpu" };
  CHECK(LCU_CALL(&none, cuInit, (0)) == LCU_E_UNSUPPORTED &&
        strstr(lcu_failure_get()->message, "cuInit") != NULL);
  CHECK(lcu_driver_fail(&none, "cuMemAlloc", 2) == 2 && is(lcu_failure_get()->call, "cuMemAlloc"));
  CHECK(is(lcu_failure_name(lcu_failure_get()), "CUDA_ERROR_OUT_OF_MEMORY"));
  CHECK(lcu_driver_fail(&none, "cuMemAlloc", 998) == 998 &&
        strstr(lcu_failure_get()->message, "998") != NULL);
}

static void test_attributes (void) {
  const char *name;
  int number = 0, wrong = 0, n = 0;
  for (size_t i = 0; (name = lcu_attr_at(i, &number)) != NULL; i++, n++)
    wrong += lcu_attr_find(name, strlen(name)) != number;
  CHECK(wrong == 0 && n > 140);
  CHECK(lcu_attr_find("warp_size", 9) == 10 && lcu_attr_find("warp_sizes", 9) == 10);
  CHECK(lcu_attr_find("warp_siz", 8) == 0 && lcu_attr_find("", 0) == 0 &&
        lcu_attr_find("WARP_SIZE", 9) == 0);
  CHECK(lcu_attr_find("registers_per_block", 19) == CU_ATTR_max_registers_per_block);
}

static lcu_status open_driver (const char *path, lcu_buf *report) {
  lcu_driver d;
  setenv("LUACUDA_LIBCUDA", path, 1);
  lcu_status st = lcu_driver_open(&d, report);
  unsetenv("LUACUDA_LIBCUDA");
  CHECK(is(d.kind, "gpu"));
  if (st != LCU_OK) CHECK(d.cuInit == NULL);
  return st;
}

static void test_driver_open (void) {
  static const char stub[] = "/usr/local/cuda/lib64/stubs/libcuda.so";
  lcu_buf report = { 0 };
  CHECK(open_driver("/nowhere/libcuda.so", &report) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "/nowhere/libcuda.so") != NULL);
  CHECK(report.data != NULL && strncmp(report.data, "/nowhere/libcuda.so: ", 21) == 0 &&
        strchr(report.data, '\n') == report.data + report.len - 1);
  CHECK(open_driver("libm.so.6", NULL) == LCU_E_UNSUPPORTED &&
        strstr(lcu_failure_get()->message, "cuInit") != NULL);
  if (access(stub, R_OK) == 0)
    CHECK(open_driver(stub, &report) == CU_ERR_STUB_LIBRARY && strstr(report.data, "stub") != NULL);
  lcu_buf_free(&report);
}

/* How many rows the table of the opened library lacks. */
static int count_missing (const lcu_driver *opened) {
  int n = 0;
#define LCU_DRV(need, since, name, symbol, params, args) n += opened->name == NULL;
#include "driver.def"
#undef LCU_DRV
  return n;
}

typedef cu_result get_proc (const char *name, void **fn, int version, uint64_t flags, int *status);

static int ask (get_proc *get, const char *name, int version, void **fn) {
  int status = -1;
  CHECK(get(name, fn, version, 0, &status) == 0);
  CHECK((*fn != NULL) == (status == 0));
  return status;
}

static void test_cpu_proc_address (void) {
  void *lib = dlopen(FAKE_LIBRARIES "/" CU_CPU_LIBRARY, RTLD_NOW | RTLD_LOCAL), *fn, *symbol;
  get_proc *get = NULL;
  CHECK(lib != NULL, "%s", dlerror());
  if (lib == NULL) return;
  symbol = dlsym(lib, "cuGetProcAddress_v2");
  memcpy(&get, &symbol, sizeof get);
  CHECK(ask(get, "cuMemAlloc", 12000, &fn) == 0 && fn == dlsym(lib, "cuMemAlloc_v2"));
  CHECK(ask(get, "cuCtxSetFlags", 12000, &fn) == 2); /* since 12.1 */
  CHECK(ask(get, "cuCtxSetFlags", 12010, &fn) == 0);
  CHECK(ask(get, "cuMemAllocate", 13000, &fn) == 1);
  CHECK(ask(get, "cuGetProcAddress", 11040, &fn) == 0 && fn == dlsym(lib, "cuGetProcAddress"));
  CHECK(ask(get, "cuGetProcAddress", 12000, &fn) == 0 && fn == symbol);
  CHECK(ask(get, "cuEventElapsedTime", 12000, &fn) == 0 && fn == dlsym(lib, "cuEventElapsedTime"));
  CHECK(ask(get, "cuEventElapsedTime", 13000, &fn) == 0 &&
        fn == dlsym(lib, "cuEventElapsedTime_v2"));
  CHECK(get("cuMemAllocate", &fn, 13000, 0, NULL) == CU_ERR_NOT_FOUND && fn == NULL);
  CHECK(get("cuInit", &fn, 13000, 0, NULL) == 0 && fn != NULL);
  CHECK(get(NULL, &fn, 13000, 0, NULL) == CU_ERR_INVALID_VALUE);
  CHECK(get("cuInit", NULL, 13000, 0, NULL) == CU_ERR_INVALID_VALUE);
  CHECK(ask(get, CUX_TABLE, CUX_VERSION, &fn) == 0);
  cux_get_table table;
  memcpy(&table, &fn, sizeof table);
  CHECK(table(CUX_VERSION)->size == sizeof(cux_table) && table(CUX_VERSION + 1) == NULL);
}

static lcu_status open_cpu (const char *path, lcu_driver *d, lcu_buf *report) {
  if (path != NULL) setenv("LUACUDA_LIBCPU", path, 1);
  lcu_status st = lcu_driver_open_cpu(d, report);
  unsetenv("LUACUDA_LIBCPU");
  CHECK(is(d->kind, "cpu"));
  if (st != LCU_OK) CHECK(d->cuInit == NULL && d->cuxTakeWords == NULL);
  return st;
}

static void test_cpu_open (void) {
  lcu_driver d;
  lcu_buf report = { 0 };
  CHECK(open_cpu("/nowhere/cpu.so", &d, NULL) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "/nowhere/cpu.so") != NULL);
  CHECK(open_cpu("off", &d, &report) == LCU_E_NOT_FOUND && strstr(report.data, "is off") != NULL);
  CHECK(open_cpu("libm.so.6", &d, NULL) == LCU_E_UNSUPPORTED);
  CHECK(open_cpu(NULL, &d, &report) == LCU_OK && strstr(report.data, "opened, CUDA 1") != NULL);
  CHECK(count_missing(&d) == 0);
  lcu_buf_free(&report);
  test_cpu_proc_address();
}

static lcu_status open_nvrtc (const char *path, lcu_nvrtc *n, lcu_buf *report) {
  if (path != NULL) setenv("LUACUDA_NVRTC", path, 1);
  lcu_status st = lcu_library_open(&lcu_nvrtc_library, n, report);
  unsetenv("LUACUDA_NVRTC");
  return st;
}

static void test_nvrtc_open (void) {
  lcu_nvrtc n;
  lcu_buf report = { 0 };
  CHECK(open_nvrtc("/nowhere/libnvrtc.so", &n, &report) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "/nowhere") != NULL);
  CHECK(n.nvrtcVersion == NULL && n.path[0] == '\0');
  CHECK(open_nvrtc("libm.so.6", &n, NULL) == LCU_E_UNSUPPORTED &&
        strstr(lcu_failure_get()->message, "nvrtcVersion") != NULL);
  if (open_nvrtc(NULL, &n, &report) == LCU_OK) {
    CHECK(n.major >= 12 && n.path[0] != '\0' && strstr(report.data, n.path) != NULL);
    for (int i = 1; i < n.num_archs; i++) CHECK(n.archs[i - 1] < n.archs[i]);
    CHECK(lcu_nvrtc_status(&n, "nvrtcCompileProgram", 0) == LCU_OK);
    CHECK(lcu_nvrtc_status(&n, "nvrtcCompileProgram", 6) == LCU_NVRTC + 6 &&
          is(lcu_failure_get()->call, "nvrtcCompileProgram"));
  } else
    CHECK(lcu_failure_get()->code == LCU_E_NOT_FOUND ||
          lcu_failure_get()->code == LCU_E_UNSUPPORTED);
  lcu_buf_free(&report);
}

static char tried[LCU_PATH_SIZE]; /* the first file with a folder */
static void *note_path (const char *path) {
  if (strchr(path, '/') != NULL && tried[0] == '\0') snprintf(tried, sizeof tried, "%s", path);
  return NULL;
}

/* Makes root/place/libluacuda_none.so, which a search below `root` with the variable set to it must
 * find. */
static bool finds (const char *variable, const char *root, const char *place) {
  static const char *const sonames[] = { "libluacuda_none.so" };
  char command[3 * LCU_PATH_SIZE], lib[LCU_PATH_SIZE], want[LCU_PATH_SIZE];
  const lcu_library library = {
    .name = "none", .sonames = sonames, .num_sonames = 1, .package = "cuda_none", .open = note_path
  };
  lcu_opening o = { .library = &library };
  if (!lcu_path_join(lib, root, place) || !lcu_path_join(want, lib, sonames[0])) return false;
  snprintf(command, sizeof command, "mkdir -p '%s' && : >'%s'", lib, want);
  if (system(command) != 0) return false;
  lcu_roots *roots = lcu_calloc(2, sizeof *roots);
  tried[0] = '\0';
  bool before = lcu_search_run(&o, &roots[0], &roots[1]) || o.found;
  setenv(variable, root, 1);
  lcu_roots_last(&roots[1]);
  (void)lcu_search_run(&o, &roots[0], &roots[1]);
  unsetenv(variable);
  lcu_free(roots);
  return !before && o.found && is(tried, want);
}

/* The packages of pip and conda in the environments that are active. */
static void test_python_folders (void) {
  char folder[] = "/tmp/luacuda_pythonXXXXXX", root[LCU_PATH_SIZE], command[64];
  if (mkdtemp(folder) == NULL) return;
  const char *home = getenv("HOME");
  char *old = home != NULL ? strdup(home) : NULL;
  setenv("HOME", folder, 1);
  static const struct {
    const char *variable, *root, *place;
  } cases[] = {
    { "VIRTUAL_ENV", "venv", "lib/python3.12/site-packages/nvidia/cu13/lib" },
    { "VIRTUAL_ENV", "venv12", "lib/python3.9/site-packages/nvidia/cuda_none/lib" },
    { "CONDA_PREFIX", "conda", "lib" },
    { "CONDA_PREFIX", "conda12", "lib/python3.11/site-packages/nvidia/cuda_none/lib" },
    { "PYTHONUSERBASE", "base", "lib/python3.13/site-packages/nvidia/cu13/lib" },
    { "HOME", "home", ".local/lib/python3.13/site-packages/nvidia/cu13/lib" },
  };
  for (size_t i = 0; i < lcu_arraylen(cases); i++) {
    CHECK(lcu_path_join(root, folder, cases[i].root) &&
          finds(cases[i].variable, root, cases[i].place));
  }
  if (old != NULL) setenv("HOME", old, 1);
  free(old);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK(system(command) == 0);
}

static lcu_status open_cublas (const char *path, lcu_cublas *n, lcu_buf *report) {
  setenv("LUACUDA_LIBCUBLAS", path, 1);
  lcu_status st = lcu_library_open(&lcu_cublas_library, n, report);
  unsetenv("LUACUDA_LIBCUBLAS");
  return st;
}

static void test_cublas_open (void) {
  lcu_cublas n;
  lcu_buf report = { 0 };
  CHECK(open_cublas("off", &n, &report) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "forbids") != NULL);
  CHECK(open_cublas("", &n, NULL) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "forbids") != NULL);
  CHECK(open_cublas("/nowhere/libcublas.so", &n, &report) == LCU_E_NOT_FOUND &&
        strstr(lcu_failure_get()->message, "/nowhere") != NULL);
  CHECK(open_cublas("libm.so.6", &n, NULL) == LCU_E_UNSUPPORTED &&
        strstr(lcu_failure_get()->message, "cublasGetProperty") != NULL);
  CHECK(n.cublasCreate_v2 == NULL && n.path[0] == '\0');
  CHECK(open_cublas(FAKE_LIBRARIES "/fake_cublas.so", &n, &report) == LCU_OK &&
        n.version[0] == 90 && strstr(n.path, "fake_cublas.so") != NULL);
  CHECK(strstr(report.data, "off") != NULL && strstr(report.data, "cuBLAS 90.91.92") != NULL);
  CHECK(lcu_cublas_status("cublasGemmEx", 0) == LCU_OK);
  CHECK(lcu_cublas_status("cublasGemmEx", 7) == LCU_CUBLAS + 7 &&
        is(lcu_failure_get()->call, "cublasGemmEx"));
  lcu_buf_free(&report);
}

int main (void) {
  test_statuses();
  test_failures();
  test_attributes();
  test_driver_open();
  test_cpu_open();
  test_nvrtc_open();
  test_python_folders();
  test_cublas_open();
  return check_result();
}
