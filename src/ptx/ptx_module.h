/* ptx_module.h: what is behind ptx_module and ptx_kernel, for the files of this folder. */
#ifndef PTX_MODULE_H
#define PTX_MODULE_H

#include <pthread.h>

#include "ptx.h"
#include "ptx_ast.h"

struct ptx_kernel {
  ptx_module *module;
  ptx_function *function;
  ptx_kernel_info info;
  bool prepared;                    /* the answer below is final */
  lcu_status status;
  char *message;                    /* why status is not LCU_OK, or NULL */
};

struct ptx_module {
  struct ptx_module_ast ast;        /* its arena also holds what preparing makes */
  const ptx_host *host;
  pthread_mutex_t lock;             /* preparing and placing */
  ptx_kernel *kernels; uint32_t num_kernels;
  uint32_t const_bytes;
  struct ptx_placed *placed;        /* variables given storage by the host */
};

/* The function a code address stands for (mov of a function name, function tables): only a function of this module with a
 * body and prepared code is a legal target. NULL for anything else. */
ptx_function *ptx_module_function_at (const ptx_module *m, uint64_t address);
ptx_function *ptx_module_function (const ptx_module *m, const char *name);

#endif
