/* lcu_jit.c: options and results of the driver's PTX compiler. */
#include "lcu_jit.h"

#include <string.h>

static unsigned add (lcu_jit *j, cu_jit_option id, void *value) {
  j->ids[j->num] = (int)id;
  j->values[j->num] = value;
  return j->num++;
}

static void *number (unsigned value) { return (void *)(uintptr_t)value; }

void lcu_jit_begin (lcu_jit *j, const lcu_jit_option *options, size_t num, bool timed,
                    lcu_jit_report *report) {
  *j = (lcu_jit){ .report = report };
  report->info[0] = report->error[0] = '\0';
  report->wall_ms = 0;
  report->threads_per_block = 0;
  add(j, CU_JIT_INFO_LOG_BUFFER_, report->info);
  add(j, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES_, number(LCU_JIT_LOG));
  add(j, CU_JIT_ERROR_LOG_BUFFER_, report->error);
  add(j, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_, number(LCU_JIT_LOG));
  if (timed) j->wall = add(j, CU_JIT_WALL_TIME_, NULL);
  for (size_t i = 0; i < num && j->num < LCU_JIT_MAX; i++) {
    unsigned at = add(j, options[i].id, number(options[i].value));
    if (options[i].id == CU_JIT_THREADS_PER_BLOCK_) j->threads = at;
  }
}

static void trim (char *log) {
  size_t n = strnlen(log, LCU_JIT_LOG - 1);
  while (n > 0 && (log[n - 1] == '\n' || log[n - 1] == ' ')) n--;
  log[n] = '\0';
}

void lcu_jit_end (lcu_jit *j) {
  float ms = 0;
  trim(j->report->info);
  trim(j->report->error);
  if (j->wall != 0) memcpy(&ms, &j->values[j->wall], sizeof ms);
  j->report->wall_ms = (double)ms;
  if (j->threads != 0) j->report->threads_per_block = (unsigned)(uintptr_t)j->values[j->threads];
}
