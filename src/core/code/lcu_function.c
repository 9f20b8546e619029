/* lcu_function.c: a kernel of a loaded module: its attributes, and its parameters as far as the
 * compiler, the PTX text and the driver describe them. */
#include "lcu_function.h"

#include <string.h>

#include "lcu_comm_guard.h"
#include "lcu_device_failure.h"
#include "lcu_scope.h"

static atomic_uint_fast64_t next_id = 1;

static void function_destroy (lcu_object *o) {
  lcu_function *f = (lcu_function *)o;
  lcu_signature_free(&f->signature);
  lcu_free(f->name);
  lcu_unref(f->module);
  lcu_free(f);
}

/* ---- parameters ---- */

/* Parameter i as the driver describes it. *reported: false after the last one, or where the driver
 * cannot report them. */
static lcu_status driver_param (const lcu_function *f, size_t i, size_t *offset, size_t *size,
                                bool *reported) {
  const lcu_driver *drv = f->device->drv;
  *reported = false;
  if (drv->cuFuncGetParamInfo == NULL) return LCU_OK;
  cu_result r = drv->cuFuncGetParamInfo(f->handle, i, offset, size);
  *reported = r == 0;
  if (r == CU_ERR_INVALID_VALUE || r == CU_ERR_NOT_SUPPORTED) return LCU_OK;
  return lcu_driver_status(drv, "cuFuncGetParamInfo", r);
}

static lcu_status driver_param_count (const lcu_function *f, size_t *n) {
  size_t offset, size;
  bool reported = true;
  for (*n = 0; reported && *n < 32768; *n += reported)
    LCU_TRY(driver_param(f, *n, &offset, &size, &reported));
  return LCU_OK;
}

static lcu_status opaque_params (lcu_signature *s, size_t n) {
  lcu_signature_free(s);
  s->params = lcu_calloc(n + 1, sizeof *s->params);
  if (s->params == NULL) return lcu_no_memory("the parameters of a kernel");
  s->num_params = n;
  for (size_t i = 0; i < n; i++)
    s->params[i] = (lcu_param){ .kind = LCU_PARAM_OPAQUE, .vector = 1 };
  return LCU_OK;
}

static const char *opaque_type (const lcu_entry_param *q) {
  if (q->pointer) return "pointer to an unknown type";
  if (q->dtype == NULL) return "bytes of an unknown type";
  if (q->dtype->kind == LCU_KIND_FLOAT) return q->dtype->cuda;
  if (q->size == 8) return "64-bit integer or pointer to an unknown type";
  return q->size == 4 ? "32-bit integer" : q->size == 2 ? "16-bit integer" : "8-bit integer";
}

/* PTX distinguishes floats from integers and may mark pointers, but does not give the type they
 * point to. */
static void take_opaque (lcu_param *p, const lcu_entry_param *q) {
  p->type_name = lcu_strdup(opaque_type(q)); /* may be NULL */
  p->dtype = q->pointer ? NULL : q->dtype;
  p->indirections = q->pointer;
  if (p->dtype != NULL && p->dtype->kind == LCU_KIND_FLOAT) p->kind = LCU_PARAM_SCALAR;
}

/* Takes sizes and kinds from PTX. A class that PTX passes as a plain number is an enumeration. */
static void take_entry (lcu_signature *s, const lcu_entry *e) {
  for (size_t i = 0; i < s->num_params; i++) {
    lcu_param *p = &s->params[i];
    const lcu_entry_param *q = &e->params[i];
    p->size = q->size;
    p->align = q->align;
    if (p->kind == LCU_PARAM_CLASS && q->dtype != NULL && p->dtype == NULL) p->is_enum = true;
    if (p->kind == LCU_PARAM_OPAQUE) take_opaque(p, q);
  }
}

static void natural_offsets (lcu_signature *s) {
  uint32_t at = 0;
  for (size_t i = 0; i < s->num_params && s->params[i].size > 0; i++) {
    uint32_t align = s->params[i].align ? s->params[i].align : 1;
    at = (at + align - 1) / align * align;
    s->params[i].offset = at;
    at += s->params[i].size;
  }
}

static lcu_status take_driver (lcu_function *f) {
  for (size_t i = 0; i < f->signature.num_params; i++) {
    size_t offset, size;
    bool reported;
    LCU_TRY(driver_param(f, i, &offset, &size, &reported));
    if (!reported) return LCU_OK;
    f->signature.params[i].offset = (uint32_t)offset;
    f->signature.params[i].size = (uint32_t)size;
  }
  return LCU_OK;
}

/* Reads the signature the compiler gave, or else the kernel's own C++ name. */
static void compiler_signature (lcu_function *f, const char *lowered, const char *signature) {
  if (signature != NULL && lcu_signature_parse(signature, &f->signature) == LCU_OK) return;
  if (strncmp(lowered, "_Z", 2) == 0 && lcu_signature_parse(lowered, &f->signature) == LCU_OK)
    return;
  memset(&f->signature, 0, sizeof f->signature);
}

/* The number of parameters according to PTX or the driver; 0 also where neither reports it. The
 * driver can only be asked for one parameter after the other until a call fails, which tools that
 * watch for failing calls report. A number known from the compiler is checked without a failing
 * call. */
static lcu_status reported_params (const lcu_function *f, const lcu_entry *e, size_t *n) {
  size_t offset, size;
  bool reported = f->signature.known;
  *n = e != NULL ? e->num_params : f->signature.num_params;
  if (e != NULL) return LCU_OK;
  if (reported && *n > 0) LCU_TRY(driver_param(f, *n - 1, &offset, &size, &reported));
  return reported ? LCU_OK : driver_param_count(f, n);
}

/* Compiler, PTX and driver must agree on the number of parameters; otherwise PTX and driver
 * decide. */
static lcu_status read_signature (lcu_function *f, const char *lowered, const char *signature) {
  const lcu_entry *e = lcu_entries_find(&f->module->entries, lowered);
  compiler_signature(f, lowered, signature);
  size_t n;
  LCU_TRY(reported_params(f, e, &n));
  if ((e != NULL || n > 0) && (!f->signature.known || f->signature.num_params != n)) {
    LCU_TRY(opaque_params(&f->signature, n));
    f->signature.known = true;
  }
  if (e != NULL && e->num_params == f->signature.num_params) {
    take_entry(&f->signature, e);
    natural_offsets(&f->signature);
  }
  LCU_TRY(take_driver(f));
  for (size_t i = 0; i < f->signature.num_params; i++) {
    const lcu_param *p = &f->signature.params[i];
    if (p->offset + p->size > f->param_bytes) f->param_bytes = p->offset + p->size;
  }
  return LCU_OK;
}


/* ---- creation ---- */

static lcu_status read_cluster (lcu_function *f) {
  for (int k = 0; k < 3; k++) {
    int n = 0;
    LCU_TRY(LCU_CALL(f->device->drv, cuFuncGetAttribute,
                     (&n, CU_FUNC_REQUIRED_CLUSTER_WIDTH + k, f->handle)));
    f->cluster[k] = (uint32_t)n;
  }
  return LCU_OK;
}

static lcu_status read_limits (lcu_function *f) {
  const lcu_driver *drv = f->device->drv;
  LCU_TRY(
    LCU_CALL(drv, cuFuncGetAttribute, (&f->max_threads, CU_FUNC_MAX_THREADS_PER_BLOCK, f->handle)));
  LCU_TRY(
    LCU_CALL(drv, cuFuncGetAttribute, (&f->static_shared, CU_FUNC_SHARED_SIZE_BYTES, f->handle)));
  f->dynamic_limit = f->device->limits.shared_default - f->static_shared;
  int limit = 0;
  LCU_TRY(
    LCU_CALL(drv, cuFuncGetAttribute, (&limit, CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES, f->handle)));
  if (limit > 0 && limit < f->dynamic_limit) f->dynamic_limit = limit;
  return f->device->limits.cluster ? read_cluster(f) : LCU_OK;
}

static lcu_status get_entered (lcu_function *f, const char *lowered, const char *signature) {
  const lcu_driver *drv = f->device->drv;
  LCU_TRY(lcu_comm_guard_device(f->device)); /* the driver may load its code now */
  LCU_TRY(LCU_CALL(drv, cuModuleGetFunction, (&f->handle, f->module->handle, lowered)));
  LCU_TRY(read_limits(f));
  return read_signature(f, lowered, signature);
}

static lcu_status get (lcu_function *f, const char *lowered, const char *name,
                       const char *signature) {
  lcu_scope scope;
  f->name = lcu_strdup(name);
  if (f->name == NULL) return lcu_no_memory("a kernel");
  LCU_TRY(lcu_device_enter(f->device, &scope));
  lcu_status s = get_entered(f, lowered, signature);
  if (s != LCU_OK && s < LCU_E_NOMEM) s = lcu_device_status(f->device, s);
  lcu_device_leave(&scope);
  return s;
}

lcu_status lcu_function_get (lcu_module *m, const char *lowered, const char *name,
                             const char *signature, lcu_function **out) {
  lcu_function *f = lcu_calloc(1, sizeof *f);
  if (f == NULL) return lcu_no_memory("a kernel");
  lcu_object_init(&f->base, LCU_OBJ_FUNCTION, function_destroy);
  f->module = lcu_ref(m);
  f->device = m->device;
  f->id = atomic_fetch_add(&next_id, 1);
  lcu_status s = get(f, lowered, name, signature);
  if (s == LCU_OK) *out = f;
  else lcu_unref(f);
  return s;
}
