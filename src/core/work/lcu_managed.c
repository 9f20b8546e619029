/* lcu_managed.c: where managed memory is, and who uses it. */
#include "lcu_managed.h"

#include "lcu_copy.h"
#include "lcu_device_failure.h"
#include "lcu_wait.h"

bool lcu_managed_place (const lcu_block *b, const lcu_device *d, cu_device *out) {
  bool own = b->pinned_for->drv == d->drv;
  *out = own ? d->handle : CU_DEVICE_HOST;
  return own || d->host_memory;
}

lcu_status lcu_managed_advise (lcu_block *b, size_t offset, size_t n, int advice, cu_device place) {
  lcu_scope scope;
  lcu_device *d = b->pinned_for;
  if (n == 0) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = LCU_CALL(d->drv, cuMemAdvise, (b->address + offset, n, advice, place));
  lcu_device_leave(&scope);
  return lcu_device_status(d, st);
}

lcu_status lcu_managed_prefetch (lcu_block *b, size_t offset, size_t n, cu_device place,
                                 lcu_stream *s) {
  const lcu_use use = { b, false };
  lcu_scope scope;
  if (n == 0) return LCU_OK;
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  lcu_status st =
    LCU_CALL(s->device->drv, cuMemPrefetchAsync, (b->address + offset, n, place, s->handle));
  return lcu_copy_end(s, &scope, &use, 1, lcu_device_status(s->device, st));
}

static void note_attachment (lcu_block *b, unsigned flags, lcu_stream *s) {
  lcu_unref(b->attached);
  b->attached = flags == CU_MEM_ATTACH_SINGLE_ ? lcu_ref(s) : NULL;
  b->attach = flags;
}

/* The memory changes hands in the order of `s`. The next access of the host relies on it, so it has
 * to be complete. */
lcu_status lcu_managed_attach (lcu_block *b, unsigned flags, lcu_stream *s) {
  const lcu_use use = { b, true };
  lcu_scope scope;
  if (b->size == 0) return LCU_OK;
  LCU_TRY(lcu_copy_begin(s, &scope, &use, 1));
  lcu_status st =
    LCU_CALL(s->device->drv, cuStreamAttachMemAsync, (s->handle, b->address, 0, flags));
  LCU_TRY(lcu_copy_end(s, &scope, &use, 1, lcu_device_status(s->device, st)));
  LCU_TRY(lcu_stream_synchronize(s));
  note_attachment(b, flags, s);
  return LCU_OK;
}
