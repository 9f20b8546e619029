/* lcu_link.c: one run of the driver's linker. */
#include "lcu_link.h"

#include "lcu_device_failure.h"
#include "lcu_locale.h"
#include "lcu_scope.h"

static lcu_status add_link_inputs (const lcu_driver *drv, cu_link l, const lcu_link_input *inputs,
                                   size_t num) {
  for (size_t i = 0; i < num; i++) {
    /* the driver only reads the data */
    void *data = (void *)(uintptr_t)inputs[i].data;
    LCU_TRY(
      LCU_CALL(drv, cuLinkAddData,
               (l, (int)inputs[i].kind, data, inputs[i].size, inputs[i].name, 0, NULL, NULL)));
  }
  return LCU_OK;
}

/* The image belongs to the linker, so it is copied. */
static lcu_status complete (const lcu_driver *drv, cu_link l, lcu_buf *out) {
  void *image = NULL;
  size_t size = 0;
  LCU_TRY(LCU_CALL(drv, cuLinkComplete, (l, &image, &size)));
  lcu_buf_add(out, image, size);
  return out->failed ? lcu_no_memory("%zu bytes of linked code", size) : LCU_OK;
}

/* A failure of cuLinkDestroy counts only where nothing else failed. */
static lcu_status run_link (const lcu_driver *drv, lcu_jit *jit, const lcu_link_input *inputs,
                            size_t num, lcu_buf *out) {
  cu_link l = NULL;
  LCU_TRY(LCU_CALL(drv, cuLinkCreate, (jit->num, jit->ids, jit->values, &l)));
  lcu_status s = add_link_inputs(drv, l, inputs, num);
  if (s == LCU_OK) s = complete(drv, l, out);
  if (s == LCU_OK) return LCU_CALL(drv, cuLinkDestroy, (l));
  lcu_failure first = *lcu_failure_get();
  (void)LCU_CALL(drv, cuLinkDestroy, (l));
  return lcu_fail_again(&first);
}

lcu_status lcu_link (lcu_device *d, const lcu_link_input *inputs, size_t num,
                     const lcu_jit_option *options, size_t num_options, lcu_jit_report *report,
                     lcu_buf *out) {
  lcu_scope scope;
  lcu_jit jit;
  lcu_jit_begin(&jit, options, num_options, true, report);
  LCU_TRY(lcu_device_enter(d, &scope));
  /* NVIDIA's PTX compiler reads numbers according to the locale */
  void *before = lcu_locale_enter();
  lcu_status s = run_link(d->drv, &jit, inputs, num, out);
  lcu_locale_leave(before);
  lcu_jit_end(&jit);
  s = lcu_device_status(d, s);
  lcu_device_leave(&scope);
  return s;
}
