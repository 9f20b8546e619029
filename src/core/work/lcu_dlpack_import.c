/* lcu_dlpack_import.c: arrays over DLPack tensors. */
#include "lcu_dlpack_own.h"
#include "lcu_process_open.h"
#include "lcu_work.h"


/* ---- devices ---- */

static lcu_status check_version (lcu_dl_managed m) {
  const lcu_dl_versioned *v = m.p;
  if (!m.versioned || v->major == LCU_DL_MAJOR) return LCU_OK;
  return lcu_fail(LCU_E_ARGUMENT, "DLPack %u.%u is not known; versions %d.x are", v->major,
                  v->minor, LCU_DL_MAJOR);
}

static bool is_host (int32_t type) {
  return type == LCU_DL_CPU || type == LCU_DL_CUDA_HOST || type == LCU_DL_CUDA_MANAGED;
}

static lcu_device *gpu (int32_t id) {
  return id >= 0 && (size_t)id < lcu_process_gpu_count() ? lcu_process_device((size_t)id) : NULL;
}

lcu_status lcu_dlpack_device (lcu_dl_managed m, lcu_device **out) {
  size_t n;
  const lcu_dl_tensor *t = lcu_dlpack_tensor(m);
  LCU_TRY(check_version(m));
  LCU_TRY(lcu_process_devices(&n));
  if (is_host(t->device_type)) {
    *out = lcu_process_cpu();
    if (*out == NULL) return lcu_fail(LCU_E_NOT_FOUND, "%s", lcu_process_cpu_reason());
  } else if (t->device_type != LCU_DL_CUDA)
    return lcu_fail(LCU_E_ARGUMENT,
                    "the tensor's memory is of device type %d, not CUDA's or the "
                    "host's",
                    t->device_type);
  else *out = gpu(t->device_id);
  if (*out == NULL)
    return lcu_fail(LCU_E_ARGUMENT, "the tensor is on GPU %d, of %zu", t->device_id,
                    lcu_process_gpu_count());
  return lcu_device_open(*out);
}


/* ---- layout ---- */

static lcu_status check_tensor (const lcu_dl_tensor *t) {
  if (t->ndim < 0 || t->ndim > LCU_VIEW_DIMS)
    return lcu_fail(LCU_E_ARGUMENT, "the tensor has %d axes; arrays have up to %d", t->ndim,
                    LCU_VIEW_DIMS);
  if (t->ndim > 0 && t->shape == NULL) return lcu_fail(LCU_E_ARGUMENT, "the tensor has no shape");
  if (lcu_dlpack_dtype(t) == NULL)
    return lcu_fail(LCU_E_ARGUMENT,
                    "no dtype for elements of code %d with %d bits and %d lanes (DLPack)", t->code,
                    t->bits, t->lanes);
  return LCU_OK;
}

/* Sets dtype, shape and strides, and the bytes [*first, *last) that the elements span from the
 * first one; false: more than any memory holds. */
static bool read_layout (const lcu_dl_tensor *t, lcu_view *v, int64_t *first, int64_t *last) {
  int64_t size = (int64_t)v->dtype->size, count = size;
  for (int i = t->ndim - 1; i >= 0; i--) {
    v->shape[i] = t->shape[i];
    v->strides[i] = count;
    if (t->shape[i] < 0 || __builtin_mul_overflow(count, t->shape[i], &count)) return false;
  }
  *first = 0;
  *last = count;
  if (t->strides == NULL || count == 0) return true;
  *last = size;
  for (int i = 0; i < t->ndim; i++) {
    int64_t reach, *end = t->strides[i] < 0 ? first : last;
    if (__builtin_mul_overflow(t->strides[i], size, &v->strides[i]) ||
        __builtin_mul_overflow(v->strides[i], t->shape[i] - 1, &reach) ||
        __builtin_add_overflow(*end, reach, end))
      return false;
  }
  return !__builtin_sub_overflow(*last, *first, &count);
}

static lcu_status check_address (const lcu_dl_tensor *t, const lcu_view *v, uint64_t address) {
  if (t->data == NULL) return lcu_fail(LCU_E_ARGUMENT, "the tensor has no memory");
  if (address % v->dtype->align != 0)
    return lcu_fail(LCU_E_ARGUMENT, "the tensor's memory 0x%llx is not aligned for %s",
                    (unsigned long long)address, v->dtype->name);
  return LCU_OK;
}


/* ---- a tensor of this library ---- */

static lcu_dl_exported *own_context (lcu_dl_managed m) {
  const lcu_dl_versioned *v = m.p;
  const lcu_dl_old *o = m.p;
  if (m.versioned) return v->deleter == lcu_dlpack_delete_versioned ? v->context : NULL;
  return o->deleter == lcu_dlpack_delete_old ? o->context : NULL;
}

/* The consumer may have changed which part the tensor describes, but not the memory. */
static lcu_block *own_block (lcu_dl_managed m, uint64_t first, uint64_t last) {
  const lcu_dl_exported *e = own_context(m);
  if (e == NULL || e->keep.release != NULL) return NULL;
  const lcu_block *b = e->block;
  return first >= b->address && last <= b->address + b->size ? lcu_ref(e->block) : NULL;
}


/* ---- a tensor of another library ---- */

static void release_old (void *ud) { lcu_dlpack_drop((lcu_dl_managed){ ud, false }); }
static void release_versioned (void *ud) { lcu_dlpack_drop((lcu_dl_managed){ ud, true }); }

/* Host memory that a GPU can use: as if its driver had pinned it for us. */
static void note_pinned (const lcu_dl_tensor *t, lcu_block *b) {
  lcu_device *d = gpu(t->device_id);
  if (t->device_type == LCU_DL_CPU || d == NULL) return;
  b->pinned_for = lcu_ref(d);
  b->managed = t->device_type == LCU_DL_CUDA_MANAGED;
}

static lcu_status wrap (lcu_dl_managed m, lcu_device *d, uint64_t address, size_t size,
                        lcu_block **out) {
  const lcu_dl_tensor *t = lcu_dlpack_tensor(m);
  void *host = is_host(t->device_type) && size > 0 ? (void *)(uintptr_t)address : NULL;
  LCU_TRY(lcu_block_wrap(d, LCU_MEM_FOREIGN, size > 0 ? address : 0, host, size,
                         m.versioned ? release_versioned : release_old, m.p, out));
  (*out)->readonly = m.versioned && (((lcu_dl_versioned *)m.p)->flags & LCU_DL_READ_ONLY) != 0;
  note_pinned(t, *out);
  return LCU_OK;
}

/* Every use of the memory follows the present work of the stream. */
static void follow (lcu_block *b, lcu_stream *s) {
  lcu_use use = { b, true };
  if (s != NULL && s->device == b->device && !b->device->host_memory) lcu_work_end(s, &use, 1);
}

lcu_status lcu_dlpack_import (lcu_dl_managed m, lcu_stream *s, lcu_view *out) {
  const lcu_dl_tensor *t = lcu_dlpack_tensor(m);
  int64_t first, last;
  lcu_device *d;
  *out = (lcu_view){ .block = NULL };
  LCU_TRY(lcu_dlpack_device(m, &d));
  LCU_TRY(check_tensor(t));
  out->dtype = lcu_dlpack_dtype(t);
  out->ndim = t->ndim;
  if (!read_layout(t, out, &first, &last))
    return lcu_fail(LCU_E_ARGUMENT, "the tensor's shape and strides are more than any memory");
  uint64_t address = (uint64_t)(uintptr_t)t->data + t->byte_offset,
           start = address + (uint64_t)first;
  if (last > first) LCU_TRY(check_address(t, out, address));
  out->block = last > first ? own_block(m, start, address + (uint64_t)last) : NULL;
  bool own = out->block != NULL;
  if (own) lcu_dlpack_drop(m);
  else {
    LCU_TRY(wrap(m, d, start, (size_t)(last - first), &out->block));
    follow(out->block, s);
  }
  out->offset = out->block->size > 0 ? (int64_t)(address - out->block->address) : 0;
  return LCU_OK;
}
