/* lcu_compiler.c: libLLVM, with which the CPU device compiles kernels. */
#include "lcu_module.h"

#include <stdlib.h>

lcu_status lcu_compiler_find (const lcu_driver *drv, cux_compiler *out) {
  LCU_TRY(LCU_CALL(drv, cuxCompiler, (out)));
  return out->status == LCU_OK ? LCU_OK : lcu_fail(out->status, "%s", out->why);
}

lcu_status lcu_compiler_check (const lcu_driver *drv) {
  cux_compiler found;
  const char *given = getenv("LUACUDA_LLVM");
  bool named = given != NULL && given[0] != '\0';
  return named && drv->cuxCompiler != NULL ? lcu_compiler_find(drv, &found) : LCU_OK;
}
