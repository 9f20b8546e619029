/* ptx_device_info.c: functions of CUDA's device runtime that ask for properties of the device, of
 * functions and of errors. */
#include <string.h>

#include "ptx_call.h"
#include "ptx_children.h"
#include "ptx_module.h"

static const ptx_host *host_of (const ptx_call *c) { return c->x->w.host; }

static bool ask (const ptx_call *c, ptx_question question, int id, uint64_t *out) {
  return host_of(c)->ask != NULL && host_of(c)->ask(host_of(c)->ud, question, id, out);
}

static int fail (const ptx_call *c, uint32_t lane, ptx_device_error error) {
  return (int)ptx_device_error_set(c->x, lane, error);
}

static int give_int (const ptx_call *c, uint32_t lane, int value) {
  return ptx_call_store(c, 0, lane, &value, sizeof value);
}

/* ---- the device */

/* (int *value, attribute, device) */
static int attribute (const ptx_call *c, uint32_t lane) {
  uint64_t value;
  if ((int)ptx_call_value(c, 2, lane) != 0) return fail(c, lane, PTX_DEVICE_INVALID_DEVICE);
  if (!ask(c, PTX_ASK_ATTRIBUTE, (int)ptx_call_value(c, 1, lane), &value))
    return fail(c, lane, PTX_DEVICE_INVALID_VALUE);
  return give_int(c, lane, (int)value);
}

/* (size_t *value, limit) */
static int limit (const ptx_call *c, uint32_t lane) {
  uint64_t value;
  if (!ask(c, PTX_ASK_LIMIT, (int)ptx_call_value(c, 1, lane), &value))
    return fail(c, lane, PTX_DEVICE_INVALID_VALUE);
  return ptx_call_store(c, 0, lane, &value, sizeof value);
}

/* Kernels know only the device that they run on. */
static int device (const ptx_call *c, uint32_t lane) { return give_int(c, lane, 0); }
static int device_count (const ptx_call *c, uint32_t lane) { return give_int(c, lane, 1); }

static int version (const ptx_call *c, uint32_t lane) {
  uint64_t value;
  if (!ask(c, PTX_ASK_VERSION, 0, &value)) return fail(c, lane, PTX_DEVICE_NOT_SUPPORTED);
  return give_int(c, lane, (int)value);
}

/* cudaFuncCachePreferNone */
static int cache_config (const ptx_call *c, uint32_t lane) { return give_int(c, lane, 0); }
/* cudaSharedMemBankSizeFourByte */
static int bank_config (const ptx_call *c, uint32_t lane) { return give_int(c, lane, 1); }

/* ---- functions */

/* cudaFuncAttributes of CUDA 12 and 13 */
typedef struct func_attributes {
  uint64_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic, carveout;
  int cluster_must_be_set, cluster[3], cluster_policy, any_cluster_size, reserved[16];
} func_attributes;

static int number (const ptx_call *c, ptx_question question, int id) {
  uint64_t value;
  return ask(c, question, id, &value) ? (int)value : 0;
}

static func_attributes attributes_of (const ptx_call *c, const ptx_kernel *k) {
  enum { MAJOR = 75, MINOR = 76, SHARED_PER_BLOCK = 8 }; /* CUdevice_attribute */
  const ptx_kernel_info *info = &k->info;
  int shared = number(c, PTX_ASK_ATTRIBUTE, SHARED_PER_BLOCK);
  func_attributes a = { .shared_bytes = info->shared_bytes,
                        .const_bytes = info->const_bytes,
                        .local_bytes = info->local_bytes,
                        .max_threads = (int)info->max_threads,
                        .registers = (int)info->registers,
                        .ptx_version = ptx_module_target(k->module),
                        .binary_version = number(c, PTX_ASK_ATTRIBUTE, MAJOR) * 10 +
                                          number(c, PTX_ASK_ATTRIBUTE, MINOR),
                        .max_dynamic = shared - (int)info->shared_bytes,
                        .carveout = -1,
                        .cluster_must_be_set = info->explicit_cluster };
  for (int i = 0; i < 3; i++) a.cluster[i] = (int)info->req_cluster[i];
  return a;
}

/* (attributes, function) */
static int func_attributes_of (const ptx_call *c, uint32_t lane) {
  ptx_kernel *k = ptx_child_kernel(c->x, ptx_call_value(c, 1, lane));
  if (k == NULL || ptx_kernel_prepare(k) != LCU_OK)
    return fail(c, lane, PTX_DEVICE_INVALID_FUNCTION);
  func_attributes a = attributes_of(c, k);
  return ptx_call_store(c, 0, lane, &a, sizeof a);
}

/* (int *blocks, function, threads, bytes of dynamic shared memory) */
static int occupancy (const ptx_call *c, uint32_t lane) {
  const ptx_kernel *k = ptx_child_kernel(c->x, ptx_call_value(c, 1, lane));
  int threads = (int)ptx_call_value(c, 2, lane);
  if (k == NULL) return fail(c, lane, PTX_DEVICE_INVALID_FUNCTION);
  if (threads <= 0) return fail(c, lane, PTX_DEVICE_INVALID_VALUE);
  if (host_of(c)->occupancy == NULL) return fail(c, lane, PTX_DEVICE_NOT_SUPPORTED);
  return give_int(
    c, lane,
    host_of(c)->occupancy(host_of(c)->ud, k, (uint64_t)threads, ptx_call_value(c, 3, lane)));
}

/* ---- errors */

/* Name and words of each error, one after the other. */
static const struct {
  int error;
  char name[48], words[64];
} texts[] = {
#define PTX_DEVICE_ERROR(id, value, name, words) { value, name, words },
#include "ptx_device_errors.def"
#undef PTX_DEVICE_ERROR
  { -1, "unrecognized error code", "unrecognized error code" }
};

/* The copy of `texts` that kernels can read; NULL: out of memory. */
static const char *texts_of (ptx_module *m) {
  pthread_mutex_lock(&m->lock);
  if (m->error_texts == NULL) {
    m->error_texts = m->host->variable_alloc(m->host->ud, "error texts", sizeof texts, 8, false);
    if (m->error_texts != NULL) memcpy(m->error_texts, texts, sizeof texts);
  }
  pthread_mutex_unlock(&m->lock);
  return m->error_texts;
}

/* `member`: where the text is in an element of `texts`. */
static bool give_texts (const ptx_call *c, size_t member) {
  const char *base = texts_of(c->x->cta->grid->function->module);
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    int error = (int)ptx_call_value(c, 0, lane);
    size_t k = 0;
    while (k + 1 < lcu_arraylen(texts) && texts[k].error != error) k++;
    const char *text = base != NULL ? base + k * sizeof texts[0] + member : NULL;
    ptx_call_return(c, lane, (uint64_t)(uintptr_t)text);
  }
  return true;
}

/* ---- calls */

bool ptx_call_attribute (const ptx_call *c) { return ptx_call_each(c, attribute); }
bool ptx_call_limit (const ptx_call *c) { return ptx_call_each(c, limit); }
bool ptx_call_device (const ptx_call *c) { return ptx_call_each(c, device); }
bool ptx_call_device_count (const ptx_call *c) { return ptx_call_each(c, device_count); }
bool ptx_call_version (const ptx_call *c) { return ptx_call_each(c, version); }
bool ptx_call_cache_config (const ptx_call *c) { return ptx_call_each(c, cache_config); }
bool ptx_call_bank_config (const ptx_call *c) { return ptx_call_each(c, bank_config); }
bool ptx_call_func_attributes (const ptx_call *c) { return ptx_call_each(c, func_attributes_of); }
bool ptx_call_occupancy (const ptx_call *c) { return ptx_call_each(c, occupancy); }

bool ptx_call_error_name (const ptx_call *c) {
  return give_texts(c, (size_t)((const char *)texts[0].name - (const char *)&texts[0]));
}

bool ptx_call_error_words (const ptx_call *c) {
  return give_texts(c, (size_t)((const char *)texts[0].words - (const char *)&texts[0]));
}
