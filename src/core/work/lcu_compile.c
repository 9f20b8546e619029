/* lcu_compile.c: one NVRTC program, from text to PTX or machine code. */
#include "lcu_compile.h"

#include <string.h>

#include "lcu_locale.h"
#include "lcu_process_open.h"
#include "lcu_signal.h"
#include "lcu_timeline.h"

typedef struct compiler {
  const lcu_nvrtc *rtc;
  cu_nvrtc_program program;
  const lcu_compile_job *job;
  int result;        /* of nvrtcCompileProgram */
  atomic_int signal; /* arrived meanwhile; 0: none */
} compiler;

#define RTC(c, fn, args) lcu_nvrtc_status((c)->rtc, #fn, (c)->rtc->fn args)

static lcu_status create_program (compiler *c, const lcu_compile_job *job) {
  LCU_TRY(RTC(c, nvrtcCreateProgram,
              (&c->program, job->source, job->name, (int)job->num_headers, job->header_texts,
               job->header_names)));
  for (size_t i = 0; i < job->num_expressions; i++)
    LCU_TRY(RTC(c, nvrtcAddNameExpression, (c->program, job->expressions[i])));
  return LCU_OK;
}

/* Appends the `size` bytes that get() delivers. */
static lcu_status fetch_result (compiler *c, const char *call, int (*get)(cu_nvrtc_program, char *),
                                size_t size, lcu_buf *out) {
  if (size == 0) return LCU_OK;
  char *space = lcu_buf_space(out, size);
  if (space == NULL) return lcu_no_memory("%zu bytes of compiler output", size);
  return lcu_nvrtc_status(c->rtc, call, get(c->program, space));
}

static void drop_final_nul (lcu_buf *b) {
  if (b->len > 0 && b->data[b->len - 1] == '\0') b->len--;
}

static lcu_status fetch_log (compiler *c, lcu_buf *out) {
  size_t size = 0;
  LCU_TRY(RTC(c, nvrtcGetProgramLogSize, (c->program, &size)));
  LCU_TRY(fetch_result(c, "nvrtcGetProgramLog", c->rtc->nvrtcGetProgramLog, size, out));
  drop_final_nul(out);
  return LCU_OK;
}

static lcu_status fetch_code (compiler *c, const lcu_compile_job *job, lcu_compile_result *out) {
  size_t size = 0;
  if (job->want_ptx) {
    LCU_TRY(RTC(c, nvrtcGetPTXSize, (c->program, &size)));
    LCU_TRY(fetch_result(c, "nvrtcGetPTX", c->rtc->nvrtcGetPTX, size, &out->ptx));
    drop_final_nul(&out->ptx);
  }
  if (job->want_cubin) {
    if (c->rtc->nvrtcGetCUBIN == NULL || c->rtc->nvrtcGetCUBINSize == NULL)
      return lcu_fail_call(LCU_E_UNSUPPORTED, "nvrtcGetCUBIN", "this NVRTC makes no machine code");
    LCU_TRY(RTC(c, nvrtcGetCUBINSize, (c->program, &size)));
    LCU_TRY(fetch_result(c, "nvrtcGetCUBIN", c->rtc->nvrtcGetCUBIN, size, &out->cubin));
  }
  if (job->want_ltoir) {
    if (c->rtc->nvrtcGetLTOIR == NULL || c->rtc->nvrtcGetLTOIRSize == NULL)
      return lcu_fail_call(LCU_E_UNSUPPORTED, "nvrtcGetLTOIR", "this NVRTC makes no LTO-IR");
    LCU_TRY(RTC(c, nvrtcGetLTOIRSize, (c->program, &size)));
    LCU_TRY(fetch_result(c, "nvrtcGetLTOIR", c->rtc->nvrtcGetLTOIR, size, &out->ltoir));
  }
  return LCU_OK;
}

static lcu_status fetch_names (compiler *c, const lcu_compile_job *job, lcu_compile_result *out) {
  out->lowered = lcu_calloc(job->num_expressions + 1, sizeof *out->lowered);
  if (out->lowered == NULL) return lcu_no_memory("the names of kernels");
  out->num_lowered = job->num_expressions;
  for (size_t i = 0; i < job->num_expressions; i++) {
    const char *name = NULL;
    if (c->rtc->nvrtcGetLoweredName(c->program, job->expressions[i], &name) != 0 || name == NULL)
      continue;
    out->lowered[i] = lcu_strdup(name);
    if (out->lowered[i] == NULL) return lcu_no_memory("the names of kernels");
  }
  return LCU_OK;
}

/* NVRTC calls this between its phases, on its own threads. */
static int is_interrupted (void *ud, void *unused) {
  const compiler *c = ud;
  (void)unused;
  return atomic_load(&c->signal) != 0;
}

/* Without this NVRTC would parse numbers in inline PTX according to the thread's locale. */
static void call_compiler (void *ud) {
  compiler *c = ud;
  void *before = lcu_locale_enter();
  c->result = c->rtc->nvrtcCompileProgram(c->program, (int)c->job->num_options, c->job->options);
  lcu_locale_leave(before);
}

static void call_idle (void *ud) {
  const lcu_compile_job *job = ((const compiler *)ud)->job;
  if (job->idle != NULL) job->idle(job->ud);
}

static lcu_status fail_interrupted (const compiler *c) {
  return lcu_fail_call(LCU_E_INTERRUPTED, "nvrtcCompileProgram",
                       "the compilation was interrupted by signal %d", atomic_load(&c->signal));
}

static lcu_status compile_program (compiler *c, const lcu_compile_job *job,
                                   lcu_compile_result *out) {
  enum {
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 8,
    NVRTC_ERROR_CANCELLED = 16
  };
  LCU_TRY(create_program(c, job));
  if (c->rtc->nvrtcSetFlowCallback != NULL)
    LCU_TRY(RTC(c, nvrtcSetFlowCallback, (c->program, is_interrupted, c)));
  lcu_signal_shield(call_compiler, call_idle, c, &c->signal);
  int r = c->result;
  if (r == NVRTC_ERROR_CANCELLED) return fail_interrupted(c);
  if (r == NVRTC_ERROR_INVALID_OPTION || r == NVRTC_ERROR_COMPILATION ||
      r == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID) {
    LCU_TRY(fetch_log(c, &out->log));
    return lcu_fail_call(LCU_E_COMPILE, "nvrtcCompileProgram", "the compiler refused the source");
  }
  LCU_TRY(lcu_nvrtc_status(c->rtc, "nvrtcCompileProgram", r));
  LCU_TRY(fetch_log(c, &out->log));
  LCU_TRY(fetch_code(c, job, out));
  return fetch_names(c, job, out);
}

lcu_status lcu_compile (const lcu_compile_job *job, lcu_compile_result *out) {
  memset(out, 0, sizeof *out);
  compiler c = { .job = job };
  LCU_TRY(lcu_process_nvrtc(&c.rtc));
  lcu_host_span span = lcu_timeline_host(LCU_SPAN_COMPILE, "compile");
  lcu_status s = compile_program(&c, job, out);
  lcu_timeline_waited(span);
  if (c.program != NULL) c.rtc->nvrtcDestroyProgram(&c.program);
  return s;
}

void lcu_compile_result_free (lcu_compile_result *r) {
  lcu_buf_free(&r->ptx);
  lcu_buf_free(&r->cubin);
  lcu_buf_free(&r->ltoir);
  lcu_buf_free(&r->log);
  for (size_t i = 0; i < r->num_lowered; i++) lcu_free(r->lowered[i]);
  lcu_free(r->lowered);
  memset(r, 0, sizeof *r);
}
