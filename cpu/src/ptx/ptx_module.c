/* ptx_module.c: loading a module, and what it contains. */
#include "lcu_sha256.h"
#include "ptx_cta_run.h"
#include "ptx_jit.h"
#include "ptx_module.h"
#include "ptx_refs.h"
#include "ptx_window.h"

#include <stdatomic.h>
#include <string.h>

enum { MAX_THREADS = 1024 };

static uint32_t count_params (const ptx_function *f) {
  uint32_t n = 0;
  for (const ptx_variable *v = f->params; v != NULL; v = v->next) n++;
  return n;
}

static lcu_status fill_params (ptx_module *m, ptx_kernel *k) {
  const ptx_function *f = k->function;
  uint32_t n = count_params(f), i = 0;
  ptx_param *params = lcu_arena_alloc(&m->ast.arena, n * sizeof *params);
  if (params == NULL) return lcu_no_memory("a PTX module");
  for (const ptx_variable *v = f->params; v != NULL; v = v->next)
    params[i++] =
      (ptx_param){ .offset = (uint32_t)v->offset, .size = (uint32_t)v->size, .align = v->align };
  k->info.params = params;
  k->info.num_params = n;
  k->info.param_bytes = f->param_bytes;
  return LCU_OK;
}

/* Product of an extent; MAX_THREADS when it is absent or larger. */
static uint32_t threads_of (const uint32_t extent[3]) {
  uint64_t n = 1;
  if (extent[0] == 0) return MAX_THREADS;
  for (int k = 0; k < 3; k++) n = n * extent[k] > MAX_THREADS ? MAX_THREADS : n * extent[k];
  return n != 0 ? (uint32_t)n : MAX_THREADS;
}

static void fill_limits (ptx_kernel *k) {
  const ptx_function *f = k->function;
  uint32_t most = threads_of(f->maxntid), exact = threads_of(f->reqntid);
  k->info.max_threads = most < exact ? most : exact;
  memcpy(k->info.req_block, f->reqntid, sizeof k->info.req_block);
  memcpy(k->info.req_cluster, f->reqcluster, sizeof k->info.req_cluster);
  k->info.explicit_cluster = f->explicit_cluster;
  k->info.local_bytes = f->local_bytes;
}

static bool is_kernel (const ptx_function *f) { return f->is_entry && f->has_body; }

static lcu_status list_kernels (ptx_module *m) {
  for (const ptx_function *f = m->ast.functions; f != NULL; f = f->next)
    m->num_kernels += is_kernel(f);
  m->kernels = lcu_arena_alloc(&m->ast.arena, m->num_kernels * sizeof *m->kernels);
  if (m->kernels == NULL) return lcu_no_memory("a PTX module");
  ptx_kernel *k = m->kernels;
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next) {
    f->module = m;
    if (!is_kernel(f)) continue;
    *k = (ptx_kernel){ .module = m, .function = f, .info = { .name = f->name } };
    LCU_TRY(fill_params(m, k));
    fill_limits(k++);
  }
  return LCU_OK;
}

/* In the order of the text, as ptxas counts it. */
static lcu_status measure_const (ptx_module *m) {
  uint64_t bytes = 0;
  for (const ptx_variable *v = m->ast.variables; v != NULL; v = v->next)
    if (v->space == PTX_CONST) bytes = (bytes + v->align - 1) / v->align * v->align + v->size;
  if (bytes > PTX_CONST_MAX)
    return lcu_fail(LCU_E_SYNTAX,
                    "the module has %llu bytes of .const variables, at most %u are allowed: make "
                    "some .global (__device__ const)",
                    (unsigned long long)bytes, PTX_CONST_MAX);
  m->const_bytes = (uint32_t)bytes;
  return LCU_OK;
}

static lcu_status measure_kernel (const ptx_module *m, ptx_kernel *k) {
  uint32_t shared = k->function->shared_bytes;
  if (shared > PTX_SHARED_MAX)
    return lcu_fail(
      LCU_E_SYNTAX,
      "line %u: kernel '%s' has %u bytes of static shared memory, at most %u are "
      "allowed: more has to be dynamic (extern __shared__, and `shared` of the launch)",
      (unsigned)k->function->text_line, k->info.name, shared, PTX_SHARED_MAX);
  k->info.shared_bytes = shared;
  k->info.const_bytes = m->const_bytes;
  return LCU_OK;
}

static lcu_status lay_out (ptx_module *m) {
  LCU_TRY(list_kernels(m));
  LCU_TRY(ptx_refs_collect(m));
  LCU_TRY(ptx_shared_place(m));
  LCU_TRY(measure_const(m));
  for (uint32_t k = 0; k < m->num_kernels; k++) LCU_TRY(measure_kernel(m, &m->kernels[k]));
  return LCU_OK;
}

static atomic_uint_fast64_t serials;

static void digest (const char *text, size_t len, uint8_t out[32]) {
  lcu_sha256 s;
  lcu_sha256_init(&s);
  lcu_sha256_add(&s, text, len);
  lcu_sha256_final(&s, out);
}

lcu_status ptx_module_load (const char *text, size_t len, const ptx_host *host, ptx_module **out) {
  *out = NULL;
  LCU_TRY(ptx_window_reserve());
  ptx_module *m = lcu_calloc(1, sizeof *m);
  if (m == NULL) return lcu_no_memory("a PTX module");
  pthread_mutex_init(&m->lock, NULL);
  m->host = host;
  m->serial = atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed) + 1;
  digest(text, len, m->text_digest);
  lcu_status status = ptx_parse(text, len, &m->ast);
  if (status == LCU_OK) status = lay_out(m);
  if (status != LCU_OK) {
    ptx_module_free(m);
    return status;
  }
  *out = m;
  return LCU_OK;
}

void ptx_module_free (ptx_module *m) {
  if (m == NULL) return;
  for (ptx_function *f = m->ast.functions; f != NULL; f = f->next) {
    ptx_cta_pool_free(f->code);
    ptx_jit_free(f->code);
  }
  ptx_variables_free(m);
  if (m->error_texts != NULL) m->host->variable_free(m->host->ud, m->error_texts);
  lcu_arena_free(&m->ast.arena);
  pthread_mutex_destroy(&m->lock);
  lcu_free(m);
}

int ptx_module_target (const ptx_module *m) { return m->ast.target; }

char ptx_module_variant (const ptx_module *m) { return m->ast.variant; }

ptx_kernel *ptx_module_kernel_at (ptx_module *m, size_t index) {
  return index < m->num_kernels ? &m->kernels[index] : NULL;
}

ptx_kernel *ptx_module_kernel (ptx_module *m, const char *name) {
  for (uint32_t k = 0; k < m->num_kernels; k++)
    if (strcmp(m->kernels[k].info.name, name) == 0) return &m->kernels[k];
  return NULL;
}

const ptx_kernel_info *ptx_kernel_get_info (const ptx_kernel *k) { return &k->info; }

/* The variable that others can use, or the only one of those that modules have for themselves. */
static lcu_status find_variable (const ptx_module *m, const char *name, ptx_variable **out) {
  uint32_t found = 0;
  for (ptx_variable *v = m->ast.variables; v != NULL; v = v->next) {
    if ((v->space != PTX_GLOBAL && v->space != PTX_CONST) || strcmp(v->name, name) != 0) continue;
    *out = v;
    if (v->is_visible || v->is_weak || v->is_extern) return LCU_OK;
    found++;
  }
  if (found > 1)
    return lcu_fail(LCU_E_NOT_FOUND, "several sources have a static variable '%s'", name);
  return found == 1 ? LCU_OK : lcu_fail(LCU_E_NOT_FOUND, "the module has no variable '%s'", name);
}

bool ptx_module_managed (const ptx_module *m, const char *name) {
  ptx_variable *v = NULL;
  return find_variable(m, name, &v) == LCU_OK && v->managed;
}

lcu_status ptx_module_variable (ptx_module *m, const char *name, uint64_t *address,
                                uint64_t *size) {
  ptx_variable *v = NULL;
  LCU_TRY(find_variable(m, name, &v));
  pthread_mutex_lock(&m->lock);
  lcu_status status = ptx_variable_place(m, v);
  pthread_mutex_unlock(&m->lock);
  if (status != LCU_OK) return status;
  *address = v->address;
  *size = v->size;
  return LCU_OK;
}
