/* cpu_module.c: modules: loads PTX text and looks up functions and variables in it. */
#include "cpu_module.h"

#include <pthread.h>
#include <string.h>

#include "cpu_config.h"
#include "cpu_enter.h"
#include "cpu_graph_exec.h"
#include "cpu_library.h"
#include "cpu_worker.h"
#include "cpu_words.h"

static struct {
  pthread_mutex_t lock;
  cpu_module *all;
} modules = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_module (cu_module m) { return m != NULL && m->magic == CPU_MODULE_MAGIC; }

int cpu_module_target (const cpu_module *m) { return ptx_module_target(m->ptx); }

cu_context cpu_module_context (const cpu_module *m) { return m->context; }

cpu_function *cpu_function_of (cu_function f) {
  if (f == NULL || !is_module(f->module)) return NULL;
  return lcu_likely(f->kernel != NULL) ? f : cpu_kernel_function(f);
}


/* ---- loading ---- */

static bool looks_like_ptx (const char *text) { return strstr(text, ".version") != NULL; }

static unsigned count_kernels (ptx_module *m) {
  unsigned n = 0;
  while (ptx_module_kernel_at(m, n) != NULL) n++;
  return n;
}

static cu_result make_functions (cpu_module *m) {
  m->num_functions = count_kernels(m->ptx);
  m->functions = lcu_calloc(m->num_functions, sizeof *m->functions);
  if (m->functions == NULL) return CU_ERR_OUT_OF_MEMORY;
  for (unsigned i = 0; i < m->num_functions; i++) {
    ptx_kernel *k = ptx_module_kernel_at(m->ptx, i);
    int shared = (int)ptx_kernel_get_info(k)->shared_bytes;
    cpu_function *f = &m->functions[i];
    *f = (cpu_function){ .module = m, .kernel = k, .set = &f->own };
    atomic_init(&f->own.max_dynamic, shared < CPU_SHARED_DEFAULT ? CPU_SHARED_DEFAULT - shared : 0);
    atomic_init(&f->own.carveout, -1);
  }
  return 0;
}

static void module_free (cpu_module *m) {
  m->magic = 0;
  ptx_module_free(m->ptx);
  lcu_free(m->functions);
  lcu_free(m);
}

/* Reports why the text was refused: in the error log, in the form of NVIDIA's PTX compiler, or else
 * in the failure record. */
static cu_result refuse_module (const char *call, const cpu_jit *jit, cu_result r,
                                const char *message) {
  char text[LCU_MESSAGE_SIZE];
  if (r != CU_ERR_INVALID_PTX || jit->error.text == NULL) return cpu_fail(call, r, "%s", message);
  cpu_jit_complain(text, sizeof text, "application ptx input", message);
  cpu_jit_write(&jit->error, text);
  return r;
}

static cu_result load_module (const char *call, const char *text, const cpu_jit *jit,
                              cpu_module **out) {
  double began = lcu_now_ms();
  cpu_module *m = lcu_calloc(1, sizeof *m);
  if (m == NULL) return CU_ERR_OUT_OF_MEMORY;
  lcu_status st = ptx_module_load(text, strlen(text), &cpu_ptx_host, &m->ptx);
  if (st == LCU_OK) st = cpu_jit_check_target(m->ptx);
  if (st == LCU_OK) st = ptx_module_check(m->ptx);
  if (st != LCU_OK) {
    ptx_module_free(m->ptx);
    lcu_free(m);
    return refuse_module(call, jit, cpu_jit_result(st), lcu_failure_get()->message);
  }
  cu_result r = make_functions(m);
  if (r != 0) {
    module_free(m);
    return r;
  }
  m->magic = CPU_MODULE_MAGIC;
  m->context = cpu_current();
  cpu_jit_write(&jit->info, "");
  cpu_jit_write(&jit->error, "");
  cpu_jit_time(jit, lcu_now_ms() - began);
  *out = m;
  return 0;
}

cu_result cpu_module_load (const char *call, const void *image, const cpu_jit *jit, cu_library l,
                           cpu_module **m) {
  if (cpu_jit_is_binary(image))
    return cpu_fail(call, CU_ERR_NO_BINARY_FOR_GPU,
                    "the CPU device runs PTX, not GPU machine code");
  if (!looks_like_ptx(image))
    return cpu_fail(call, CU_ERR_INVALID_IMAGE,
                    "the image is not PTX: it has no .version directive");
  cu_result r = load_module(call, image, jit, m);
  if (r != 0) return r;
  (*m)->library = l;
  pthread_mutex_lock(&modules.lock);
  (*m)->next = modules.all;
  modules.all = *m;
  pthread_mutex_unlock(&modules.lock);
  return 0;
}

cu_result cpu_cuModuleLoadDataEx (cu_module *m, const void *image, unsigned n, int *options,
                                  void **values) {
  cpu_jit jit;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (m == NULL || image == NULL) return CU_ERR_INVALID_VALUE;
  r = cpu_jit_read(n, options, values, &jit);
  return r != 0 ? r : cpu_module_load("cuModuleLoadDataEx", image, &jit, NULL, m);
}

cpu_module *cpu_module_for (cu_library l, cu_context ctx) {
  pthread_mutex_lock(&modules.lock);
  cpu_module *m = modules.all;
  while (m != NULL && (m->library != l || m->context != ctx)) m = m->next;
  pthread_mutex_unlock(&modules.lock);
  return m;
}


/* ---- unloading ---- */

/* Which modules; NULL: of all. */
typedef struct chosen {
  const cpu_module *module;
  cu_context context;
  cu_library library;
} chosen;

static bool is_chosen (const cpu_module *m, chosen c) {
  return (c.module == NULL || m == c.module) && (c.context == NULL || m->context == c.context) &&
         (c.library == NULL || m->library == c.library);
}

/* Takes them out of the list. */
static cpu_module *take_modules (chosen c) {
  cpu_module *taken = NULL;
  pthread_mutex_lock(&modules.lock);
  for (cpu_module **at = &modules.all; *at != NULL;) {
    cpu_module *m = *at;
    if (!is_chosen(m, c)) {
      at = &m->next;
      continue;
    }
    *at = m->next;
    m->next = taken;
    taken = m;
  }
  pthread_mutex_unlock(&modules.lock);
  return taken;
}

static void unload (chosen c) {
  for (cpu_module *m = take_modules(c), *next; m != NULL; m = next) {
    next = m->next;
    cpu_graphs_forget(m);
    module_free(m);
  }
}

/* Completes all queued kernels first, since they may use the module. */
cu_result cpu_cuModuleUnload (cu_module m) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_module(m) || m->library != NULL) return CU_ERR_INVALID_HANDLE;
  cpu_wait_all();
  unload((chosen){ .module = m });
  return 0;
}

void cpu_modules_free (cu_context ctx) { unload((chosen){ .context = ctx }); }

void cpu_modules_end (cu_library l) { unload((chosen){ .library = l }); }


/* ---- functions and variables ---- */

cu_result cpu_function_prepare (const char *call, cpu_function *f) {
  lcu_status st = ptx_kernel_prepare(f->kernel);
  if (lcu_likely(st == LCU_OK)) return 0;
  cu_result r = st == LCU_E_NOMEM ? CU_ERR_OUT_OF_MEMORY : CU_ERR_INVALID_PTX;
  return cpu_fail(call, r, "%s", lcu_failure_get()->message);
}

static cpu_function *function_named (cpu_module *m, const char *name) {
  ptx_kernel *k = ptx_module_kernel(m->ptx, name);
  for (unsigned i = 0; k != NULL && i < m->num_functions; i++)
    if (m->functions[i].kernel == k) return &m->functions[i];
  return NULL;
}

/* If the kernel contains an unsupported instruction, this call reports it. */
cu_result cpu_cuModuleGetFunction (cu_function *f, cu_module m, const char *name) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_module(m)) return CU_ERR_INVALID_HANDLE;
  if (f == NULL || name == NULL) return CU_ERR_INVALID_VALUE;
  cpu_function *found = function_named(m, name);
  if (found == NULL)
    return cpu_fail("cuModuleGetFunction", CU_ERR_NOT_FOUND,
                    "the module has no kernel named '%.200s'", name);
  r = cpu_function_prepare("cuModuleGetFunction", found);
  if (r == 0) *f = found;
  return r;
}

cu_result cpu_cuModuleGetFunctionCount (unsigned *count, cu_module m) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_module(m)) return CU_ERR_INVALID_HANDLE;
  if (count == NULL) return CU_ERR_INVALID_VALUE;
  *count = m->num_functions;
  return 0;
}

cu_result cpu_cuModuleEnumerateFunctions (cu_function *fs, unsigned count, cu_module m) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_module(m)) return CU_ERR_INVALID_HANDLE;
  if (fs == NULL && count != 0) return CU_ERR_INVALID_VALUE;
  for (unsigned i = 0; i < count && i < m->num_functions; i++) fs[i] = &m->functions[i];
  return 0;
}

cu_result cpu_cuModuleGetGlobal (cu_deviceptr *p, size_t *bytes, cu_module m, const char *name) {
  uint64_t address, size;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (!is_module(m)) return CU_ERR_INVALID_HANDLE;
  if (name == NULL) return CU_ERR_INVALID_VALUE;
  lcu_status st = ptx_module_variable(m->ptx, name, &address, &size);
  if (st != LCU_OK)
    return cpu_fail("cuModuleGetGlobal", cpu_status_result(st), "%s", lcu_failure_get()->message);
  if (p != NULL) *p = address;
  if (bytes != NULL) *bytes = (size_t)size;
  return 0;
}
