/* test_cuda.c: tests the names of statuses and attributes, and the messages of the loaders about
 * libraries that are missing, of another kind, or stubs. Real libraries are opened if installed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cu_blas.h"
#include "cu_driver.h"
#include "cu_failure.h"
#include "cu_nvrtc.h"

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
  CHECK(lcu_driver_detail("cuMemAlloc", 1, "%d is odd", 3) == 1);
  lcu_driver_fail(&none, "cuMemAlloc", 1);
  CHECK(is(lcu_failure_get()->message, "3 is odd"));
  lcu_driver_fail(&none, "cuMemAlloc", 1); /* the detail is used once */
  CHECK(strstr(lcu_failure_get()->message, "odd") == NULL);
  lcu_driver_detail("cuMemAlloc", 1, "of another call");
  lcu_driver_fail(&none, "cuMemFree", 1);
  CHECK(strstr(lcu_failure_get()->message, "another") == NULL);
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

static lcu_status open_nvrtc (const char *path, lcu_nvrtc *n, lcu_buf *report) {
  if (path != NULL) setenv("LUACUDA_NVRTC", path, 1);
  lcu_status st = lcu_nvrtc_open(n, report);
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

static lcu_status open_cublas (const char *path, lcu_cublas *n, lcu_buf *report) {
  setenv("LUACUDA_LIBCUBLAS", path, 1);
  lcu_status st = lcu_cublas_open(n, report);
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
  test_nvrtc_open();
  test_cublas_open();
  return check_result();
}
