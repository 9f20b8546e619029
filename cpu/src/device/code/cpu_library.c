/* cpu_library.c: entry points for libraries and their kernels. */
#include "cpu_library.h"

#include <pthread.h>
#include <string.h>

#include "cpu_enter.h"
#include "cpu_worker.h"
#include "cpu_words.h"

enum { LIBRARY_MAGIC = 0x4c494252 };

/* A kernel; its handle points to the function, which has no code. */
typedef struct kernel {
  cpu_function handle;
  char *name;
} kernel;

struct cu_library_ {
  uint32_t magic;
  char *text;
  struct cu_module_ sign; /* the module of the handles: tells the library */
  unsigned num_kernels;
  kernel *kernels; /* in the order of the functions of its modules */
  cu_library next;
};

/* Held while a library is loaded into a context. */
static struct {
  pthread_mutex_t lock;
  cu_library all;
} libraries = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_library (cu_library l) { return l != NULL && l->magic == LIBRARY_MAGIC; }

/* The library of a kernel, or NULL. */
static cu_library library_of (const cpu_function *f) {
  bool is = f != NULL && f->module != NULL && f->kernel == NULL &&
            f->module->magic == CPU_MODULE_MAGIC && is_library(f->module->library);
  return is ? f->module->library : NULL;
}


/* ---- loading ---- */

static void library_free (cu_library l) {
  for (unsigned i = 0; i < l->num_kernels; i++) lcu_free(l->kernels[i].name);
  lcu_free(l->kernels);
  lcu_free(l->text);
  l->magic = l->sign.magic = 0;
  lcu_free(l);
}

void cpu_libraries_free (void) {
  while (libraries.all != NULL) {
    cu_library l = libraries.all;
    libraries.all = l->next;
    library_free(l);
  }
}

/* The functions of the module share the settings of the kernels. */
static void share_settings (cu_library l, const cpu_module *m) {
  for (unsigned i = 0; i < l->num_kernels; i++) m->functions[i].set = &l->kernels[i].handle.own;
}

static cu_result add_kernels (cu_library l, const cpu_module *m) {
  l->sign = (struct cu_module_){ .magic = CPU_MODULE_MAGIC, .library = l };
  l->kernels = lcu_calloc(m->num_functions, sizeof *l->kernels);
  if (l->kernels == NULL) return CU_ERR_OUT_OF_MEMORY;
  for (; l->num_kernels < m->num_functions; l->num_kernels++) {
    kernel *k = &l->kernels[l->num_kernels];
    const cpu_function *f = &m->functions[l->num_kernels];
    k->handle = (cpu_function){ .module = &l->sign, .own = f->own };
    k->name = lcu_strdup(ptx_kernel_get_info(f->kernel)->name);
    if (k->name == NULL) return CU_ERR_OUT_OF_MEMORY;
  }
  return 0;
}

/* The module of the library in the current context. */
static cu_result module_here (const char *call, cu_library l, cpu_module **m) {
  static const cpu_jit none;
  cu_result r = 0;
  pthread_mutex_lock(&libraries.lock);
  *m = cpu_module_for(l, cpu_current());
  if (*m == NULL) {
    r = cpu_module_load(call, l->text, &none, l, m);
    if (r == 0) share_settings(l, *m);
  }
  pthread_mutex_unlock(&libraries.lock);
  return r;
}

cpu_function *cpu_kernel_function (const cpu_function *f) {
  cpu_module *m;
  cu_library l = library_of(f);
  if (l == NULL || module_here("cuKernelGetFunction", l, &m) != 0) return NULL;
  return &m->functions[(const kernel *)(const void *)f - l->kernels];
}

static cu_result load_library (cu_library l, const char *text, const cpu_jit *jit) {
  cpu_module *m;
  l->text = lcu_strdup(text);
  if (l->text == NULL) return CU_ERR_OUT_OF_MEMORY;
  cu_result r = cpu_module_load("cuLibraryLoadData", text, jit, l, &m);
  if (r == 0) r = add_kernels(l, m);
  if (r == 0) share_settings(l, m);
  return r;
}

static cu_result check_options (const int *options, void *const *values, unsigned n) {
  if (n > 0 && (options == NULL || values == NULL)) return CU_ERR_INVALID_VALUE;
  for (unsigned i = 0; i < n; i++)
    if (options[i] != CU_LIBRARY_BINARY_IS_PRESERVED_) return CU_ERR_NOT_SUPPORTED;
  return 0;
}

/* The library is loaded into the current context at once, so that what is wrong with the code is
 * told here. */
cu_result cpu_cuLibraryLoadData (cu_library *out, const void *code, int *jit_options,
                                 void **jit_values, unsigned jit_n, int *options, void **values,
                                 unsigned n) {
  cpu_jit jit;
  cu_result r = cpu_enter();
  if (r == 0 && (out == NULL || code == NULL)) r = CU_ERR_INVALID_VALUE;
  if (r == 0) r = cpu_jit_read(jit_n, jit_options, jit_values, &jit);
  if (r == 0) r = check_options(options, values, n);
  if (r != 0) return r;
  cu_library l = lcu_calloc(1, sizeof *l);
  if (l == NULL) return CU_ERR_OUT_OF_MEMORY;
  r = load_library(l, code, &jit);
  if (r != 0) {
    cpu_modules_end(l);
    library_free(l);
    return r;
  }
  l->magic = LIBRARY_MAGIC;
  pthread_mutex_lock(&libraries.lock);
  l->next = libraries.all;
  libraries.all = l;
  pthread_mutex_unlock(&libraries.lock);
  *out = l;
  return 0;
}

cu_result cpu_cuLibraryUnload (cu_library l) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (!is_library(l)) return CU_ERR_INVALID_HANDLE;
  cpu_wait_all();
  cpu_modules_end(l);
  pthread_mutex_lock(&libraries.lock);
  cu_library *at = &libraries.all;
  while (*at != l) at = &(*at)->next;
  *at = l->next;
  pthread_mutex_unlock(&libraries.lock);
  library_free(l);
  return 0;
}


/* ---- what libraries contain ---- */

static cu_result enter (cu_library l, const void *out) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (!is_library(l)) return CU_ERR_INVALID_HANDLE;
  return out != NULL ? 0 : CU_ERR_INVALID_VALUE;
}

cu_result cpu_cuLibraryGetKernel (cu_function *k, cu_library l, const char *name) {
  cu_result r = enter(l, k);
  if (r != 0) return r;
  if (name == NULL) return CU_ERR_INVALID_VALUE;
  for (unsigned i = 0; i < l->num_kernels; i++) {
    if (strcmp(l->kernels[i].name, name) != 0) continue;
    *k = &l->kernels[i].handle;
    return 0;
  }
  return cpu_fail("cuLibraryGetKernel", CU_ERR_NOT_FOUND,
                  "the library has no kernel named '%.200s'", name);
}

cu_result cpu_cuLibraryGetKernelCount (unsigned *count, cu_library l) {
  cu_result r = enter(l, count);
  if (r == 0) *count = l->num_kernels;
  return r;
}

cu_result cpu_cuLibraryEnumerateKernels (cu_function *ks, unsigned count, cu_library l) {
  cu_result r = enter(l, ks);
  for (unsigned i = 0; r == 0 && i < count && i < l->num_kernels; i++)
    ks[i] = &l->kernels[i].handle;
  return r;
}

cu_result cpu_cuLibraryGetModule (cu_module *m, cu_library l) {
  cu_result r = cpu_enter();
  if (r == 0) r = enter(l, m);
  return r == 0 ? module_here("cuLibraryGetModule", l, m) : r;
}

cu_result cpu_cuLibraryGetGlobal (cu_deviceptr *p, size_t *bytes, cu_library l, const char *name) {
  cu_module m;
  cu_result r = cpu_cuLibraryGetModule(&m, l);
  return r == 0 ? cpu_cuModuleGetGlobal(p, bytes, m, name) : r;
}

cu_result cpu_cuLibraryGetManaged (cu_deviceptr *p, size_t *bytes, cu_library l, const char *name) {
  cu_module m;
  cu_result r = cpu_cuLibraryGetModule(&m, l);
  if (r == 0 && name != NULL && !ptx_module_managed(m->ptx, name)) r = CU_ERR_NOT_FOUND;
  return r == 0 ? cpu_cuModuleGetGlobal(p, bytes, m, name) : r;
}


/* ---- kernels ---- */

static cu_result enter_kernel (cu_function k, const void *out) {
  cu_result r = cpu_enter_driver();
  if (r != 0) return r;
  if (k == NULL || out == NULL) return CU_ERR_INVALID_VALUE;
  return library_of(k) != NULL ? 0 : CU_ERR_INVALID_HANDLE;
}

cu_result cpu_cuKernelGetFunction (cu_function *f, cu_function k) {
  cu_result r = cpu_enter();
  if (r == 0) r = enter_kernel(k, f);
  if (r != 0) return r;
  cpu_function *found = cpu_function_of(k);
  if (found == NULL) return CU_ERR_OUT_OF_MEMORY;
  *f = found;
  return cpu_function_prepare("cuKernelGetFunction", found);
}

cu_result cpu_cuKernelGetLibrary (cu_library *l, cu_function k) {
  cu_result r = enter_kernel(k, l);
  if (r == 0) *l = library_of(k);
  return r;
}

cu_result cpu_cuKernelGetName (const char **name, cu_function k) {
  cu_result r = enter_kernel(k, name);
  if (r == 0) *name = ((const kernel *)(const void *)k)->name;
  return r;
}

cu_result cpu_cuKernelGetParamInfo (cu_function k, size_t index, size_t *offset, size_t *size) {
  cu_result r = enter_kernel(k, offset);
  return r == 0 ? cpu_cuFuncGetParamInfo(k, index, offset, size) : r;
}

cu_result cpu_cuFuncGetModule (cu_module *m, cu_function f) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (m == NULL || f == NULL) return CU_ERR_INVALID_VALUE;
  const cpu_function *found = cpu_function_of(f);
  if (found == NULL) return CU_ERR_INVALID_HANDLE;
  *m = found->module;
  return 0;
}
