/* gpus_module.c: loading modules, where NVIDIA's driver differs from the CPU device. */
#include "gpus_parts.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>


typedef struct error_log {
  char *text;
  size_t size;
} error_log;

/* To be called before the CPU device, which overwrites the sizes. */
static error_log find_log (unsigned n, const int *options, void *const *values) {
  error_log log = { 0 };
  for (unsigned i = 0; i < n; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_) log.text = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_) log.size = (size_t)(uintptr_t)values[i];
  }
  return log;
}

/* Writes words into the log, in the form of NVIDIA's PTX compiler. */
static void write_log (error_log log, const char *words) {
  unsigned line = 0;
  const char *at = strstr(words, ", line ");
  if (at != NULL) sscanf(at, ", line %u of the PTX", &line);
  if (log.text != NULL)
    snprintf(log.text, log.size, "application ptx input, line %u; error   : %s", line, words);
}

/* Writes the message of a failed call into the log. */
static void log_failure (error_log log, cu_result r, const char *call) {
  lcu_driver_fail(&lcu_cpu_driver, call, r);
  write_log(log, lcu_failure_get()->message);
}

/* NVIDIA's driver compiles all kernels when it loads PTX. */
static cu_result compile_all (cu_module m, error_log log) {
  cu_function list[256], f;
  const char *name;
  unsigned count = 0;
  cu_result r = cpu_cuModuleGetFunctionCount(&count, m);
  if (count > lcu_arraylen(list)) count = lcu_arraylen(list);
  if (r == 0) r = cpu_cuModuleEnumerateFunctions(list, count, m);
  for (unsigned i = 0; r == 0 && i < count; i++) {
    r = cpu_cuFuncGetName(&name, list[i]);
    if (r == 0) r = cpu_cuModuleGetFunction(&f, m, name);
    if (r != 0) log_failure(log, r, "cuModuleGetFunction");
  }
  return r;
}

/* NVIDIA's driver reads numbers with the decimal point of the locale. This one fails unless that is
 * a point. */
static cu_result check_locale (error_log log) {
  char words[80];
  const char *point = localeconv()->decimal_point;
  if (strcmp(point, ".") == 0) return 0;
  snprintf(words, sizeof words, "the locale's decimal point is '%s'", point);
  write_log(log, words);
  return CU_ERR_INVALID_PTX;
}

static cu_result load (cu_module *m, const void *image, unsigned n, int *options, void **values) {
  error_log log = find_log(n, options, values);
  cu_result r = check_locale(log);
  if (r == 0) r = cpu_cuModuleLoadDataEx(m, image, n, options, values);
  if (r != 0) return r;
  r = compile_all(*m, log);
  if (r != 0) cpu_cuModuleUnload(*m);
  return r;
}

void gpus_fill_modules (lcu_driver *table) { table->cuModuleLoadDataEx = load; }
