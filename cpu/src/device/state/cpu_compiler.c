/* cpu_compiler.c: the library that compiles kernels. */
#include <stdio.h>

#include "cpu_config.h"
#include "cpu_driver.h"
#include "cpu_enter.h"

cu_result cpu_cuxCompiler (cux_compiler *out) {
  ptx_jit_library found = { 0 };
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  *out = (cux_compiler){ .on = cpu_configuration.compile != PTX_JIT_OFF };
  if (out->on) out->status = ptx_jit_library_open(&found);
  if (out->status != LCU_OK)
    snprintf(out->why, sizeof out->why, "%.1000s", lcu_failure_get()->message);
  snprintf(out->file, sizeof out->file, "%s", found.file);
  snprintf(out->version, sizeof out->version, "%s", found.version);
  return 0;
}
