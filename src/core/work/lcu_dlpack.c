/* lcu_dlpack.c: DLPack tensors: their dtypes and devices, and making them. */
#include "lcu_dlpack.h"

#include "cu_dtype.h"
#include "lcu_dlpack_own.h"
#include "lcu_process_open.h"
#include "lcu_scope.h"
#include "lcu_wait.h"
#include "lcu_work.h"


/* ---- dtypes ---- */

const lcu_dtype *lcu_dlpack_dtype (const lcu_dl_tensor *t) {
  for (int i = 0; i < LCU_DTYPE_COUNT && t->lanes == 1; i++) {
    const lcu_dtype *d = &lcu_dtypes[i];
    if (lcu_codes[i].dlpack == t->code && d->size * 8 == t->bits) return d;
  }
  return NULL;
}

void lcu_dlpack_describe (const lcu_dtype *t, lcu_dl_tensor *out) {
  out->code = (uint8_t)lcu_codes[t->id].dlpack;
  out->bits = (uint8_t)(t->size * 8);
  out->lanes = 1;
}

const lcu_dl_tensor *lcu_dlpack_tensor (lcu_dl_managed m) {
  return m.versioned ? &((lcu_dl_versioned *)m.p)->tensor : &((lcu_dl_old *)m.p)->tensor;
}

void lcu_dlpack_drop (lcu_dl_managed m) {
  lcu_dl_versioned *v = m.p;
  lcu_dl_old *o = m.p;
  if (m.p == NULL) return;
  if (m.versioned && v->deleter != NULL) v->deleter(v);
  if (!m.versioned && o->deleter != NULL) o->deleter(o);
}


/* ---- the end of an exported tensor ---- */

/* The consumer's work on the stream may still use the memory. */
static void leave_export_mark (const lcu_dl_exported *e) {
  lcu_use use = { e->block, !e->block->readonly };
  lcu_scope scope;
  if (e->stream == NULL || e->stream->gone || !lcu_device_enter_quiet(e->stream->device, &scope))
    return;
  lcu_work_end(e->stream, &use, 1);
  lcu_device_leave(&scope);
}

static void end_exported (lcu_dl_exported *e) {
  leave_export_mark(e);
  if (e->keep.release != NULL) e->keep.release(e->keep.ud);
  lcu_unref(e->block);
  lcu_unref(e->stream);
  (void)lcu_process_leave();
  lcu_free(e);
}

void lcu_dlpack_delete_old (lcu_dl_old *self) { end_exported(self->context); }
void lcu_dlpack_delete_versioned (lcu_dl_versioned *self) { end_exported(self->context); }


/* ---- making one ---- */

static bool is_pinned_for_gpu (const lcu_block *b) {
  return b->pinned_for != NULL && !b->pinned_for->host_memory;
}

static void set_device (lcu_dl_tensor *t, const lcu_block *b) {
  t->device_type = LCU_DL_CPU;
  t->device_id = 0;
  if (!b->device->host_memory) {
    t->device_type = LCU_DL_CUDA;
    t->device_id = b->device->ordinal;
  } else if (is_pinned_for_gpu(b)) {
    t->device_type =
      b->memory == LCU_MEM_MANAGED || b->managed ? LCU_DL_CUDA_MANAGED : LCU_DL_CUDA_HOST;
    t->device_id = b->pinned_for->ordinal;
  }
}

static lcu_status check_view (const lcu_view *v, bool versioned) {
  if (v->dtype->kind == LCU_KIND_STRUCT)
    return lcu_fail(LCU_E_ARGUMENT,
                    "DLPack has no structs such as %s; a:view \"uint8\" shares the bytes",
                    v->dtype->name);
  if (v->block->readonly && !versioned)
    return lcu_fail(LCU_E_ARGUMENT, "a tensor without a version cannot say that it is read-only");
  return LCU_OK;
}

static void fill_tensor (lcu_dl_exported *e, const lcu_view *v, lcu_dl_tensor *t) {
  char *data = (char *)(uintptr_t)v->block->address;
  *t = (lcu_dl_tensor){ .ndim = v->ndim };
  lcu_dlpack_describe(v->dtype, t);
  t->data = v->block->size > 0 ? data + v->offset : NULL;
  t->shape = e->numbers;
  t->strides = e->numbers + LCU_VIEW_DIMS;
  for (int i = 0; i < v->ndim; i++) {
    t->shape[i] = v->shape[i]; /* strides are whole elements, since views are aligned */
    t->strides[i] = v->strides[i] / (int64_t)v->dtype->size;
  }
  set_device(t, v->block);
}

static void fill (lcu_dl_exported *e, const lcu_view *v, bool versioned) {
  if (versioned) {
    e->tensor.versioned = (lcu_dl_versioned){ .major = LCU_DL_MAJOR,
                                              .minor = LCU_DL_MINOR,
                                              .context = e,
                                              .deleter = lcu_dlpack_delete_versioned };
    e->tensor.versioned.flags = v->block->readonly ? LCU_DL_READ_ONLY : 0;
    fill_tensor(e, v, &e->tensor.versioned.tensor);
  } else {
    e->tensor.old = (lcu_dl_old){ .context = e, .deleter = lcu_dlpack_delete_old };
    fill_tensor(e, v, &e->tensor.old.tensor);
  }
}

/* Makes earlier work on the block precede the consumer's. */
static lcu_status hand_over (lcu_block *b, lcu_stream *s) {
  lcu_use use = { b, !b->readonly };
  lcu_scope scope;
  if (b->device->host_memory) return lcu_block_wait(b, s, use.write);
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_work_begin(s, &use, 1);
  if (st == LCU_OK) lcu_work_end(s, &use, 1);
  lcu_device_leave(&scope);
  return st;
}

static lcu_status new_exported (const lcu_view *v, lcu_stream *s, lcu_dl_keep keep,
                                lcu_dl_exported **out) {
  lcu_dl_exported *e = *out = lcu_alloc(sizeof *e);
  if (e == NULL) return lcu_no_memory("a DLPack tensor");
  lcu_status st = lcu_process_enter();
  if (st != LCU_OK) {
    lcu_free(e);
    return st;
  }
  e->block = lcu_ref(v->block);
  e->stream = v->block->device->host_memory ? NULL : lcu_ref(s);
  e->keep = keep;
  return LCU_OK;
}

static lcu_status try_export (const lcu_view *v, lcu_stream *s, bool versioned, lcu_dl_keep keep,
                              lcu_dl_managed *out) {
  lcu_dl_exported *e = NULL;
  LCU_TRY(check_view(v, versioned));
  LCU_TRY(hand_over(v->block, s));
  LCU_TRY(new_exported(v, s, keep, &e));
  fill(e, v, versioned);
  *out = (lcu_dl_managed){ &e->tensor, versioned };
  return LCU_OK;
}

lcu_status lcu_dlpack_export (const lcu_view *v, lcu_stream *s, bool versioned, lcu_dl_keep keep,
                              lcu_dl_managed *out) {
  lcu_status st = try_export(v, s, versioned, keep, out);
  if (st != LCU_OK && keep.release != NULL) keep.release(keep.ud);
  return st;
}
