/* lcu_lto.c: one run of nvJitLink. */
#include "lcu_link.h"

#include <stdio.h>
#include <string.h>

#include "lcu_locale.h"
#include "lcu_process_open.h"
#include "lcu_thread.h"

typedef struct linker {
  const lcu_jitlink *lib;
  cu_jitlink link;
} linker;

static lcu_status check (const char *call, int r) {
  if (r == 0) return LCU_OK;
  return lcu_fail_call(LCU_E_COMPILE, call, "nvJitLink refused the code (error %d)", r);
}

#define JITLINK(l, fn, args) check(#fn, (l)->lib->fn args)

static lcu_status add_lto_inputs (linker *l, const lcu_lto_job *job) {
  for (size_t i = 0; i < job->num_inputs; i++) {
    const lcu_lto_input *in = &job->inputs[i];
    LCU_TRY(JITLINK(l, nvJitLinkAddData, (l->link, in->kind, in->data, in->size, in->name)));
  }
  return LCU_OK;
}

static lcu_status fetch_linked (linker *l, bool want_ptx, lcu_buf *out) {
  size_t size = 0;
  if (want_ptx) LCU_TRY(JITLINK(l, nvJitLinkGetLinkedPtxSize, (l->link, &size)));
  else LCU_TRY(JITLINK(l, nvJitLinkGetLinkedCubinSize, (l->link, &size)));
  char *space = lcu_buf_space(out, size);
  if (space == NULL) return lcu_no_memory("%zu bytes of linked code", size);
  if (!want_ptx) return JITLINK(l, nvJitLinkGetLinkedCubin, (l->link, space));
  LCU_TRY(JITLINK(l, nvJitLinkGetLinkedPtx, (l->link, space)));
  out->len = strnlen(out->data, out->len);
  return LCU_OK;
}

/* Copies a log that get() delivers, or its beginning. */
static void read_log (cu_jitlink link, int (*get_size)(cu_jitlink, size_t *),
                      int (*get)(cu_jitlink, char *), char log[LCU_JIT_LOG]) {
  size_t size = 0;
  char *text;
  if (get_size(link, &size) != 0 || size == 0 || (text = lcu_calloc(size + 1, 1)) == NULL) return;
  if (get(link, text) == 0) snprintf(log, LCU_JIT_LOG, "%s", text);
  lcu_free(text);
}

static lcu_status run_lto (linker *l, const lcu_lto_job *job, lcu_jit_report *report,
                           lcu_buf *out) {
  LCU_TRY(JITLINK(l, nvJitLinkCreate, (&l->link, (uint32_t)job->num_options, job->options)));
  lcu_status s = add_lto_inputs(l, job);
  if (s == LCU_OK) s = JITLINK(l, nvJitLinkComplete, (l->link));
  if (s == LCU_OK) s = fetch_linked(l, job->want_ptx, out);
  lcu_failure first = *lcu_failure_get();
  read_log(l->link, l->lib->nvJitLinkGetErrorLogSize, l->lib->nvJitLinkGetErrorLog, report->error);
  read_log(l->link, l->lib->nvJitLinkGetInfoLogSize, l->lib->nvJitLinkGetInfoLog, report->info);
  l->lib->nvJitLinkDestroy(&l->link);
  return s == LCU_OK ? LCU_OK : lcu_fail_again(&first);
}

lcu_status lcu_lto (const lcu_lto_job *job, lcu_jit_report *report, lcu_buf *out) {
  linker l = { 0 };
  double began = lcu_now_ms();
  LCU_TRY(lcu_process_jitlink(&l.lib));
  void *before = lcu_locale_enter();
  lcu_status s = run_lto(&l, job, report, out);
  lcu_locale_leave(before);
  report->wall_ms = lcu_now_ms() - began;
  return s;
}
