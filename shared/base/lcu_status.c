/* lcu_status.c: the thread-local record of the latest failure. */
#include "lcu_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local lcu_failure latest;

/* Arguments may point into the record itself ("x: %s" around the old message), so the text is
 * formatted into a separate buffer. */
static void record (lcu_status code, const char *call, const char *fmt, va_list args) {
  char text[LCU_MESSAGE_SIZE];
  int n = vsnprintf(text, sizeof text, fmt, args);
  if (n < 0) text[0] = '\0';
  size_t len = strlen(text);
  while (len > 0 && text[len - 1] == '\n') text[--len] = '\0';
  latest.code = code;
  latest.call = call;
  latest.code_name = latest.code_text = NULL;
  latest.device[0] = latest.array[0] = latest.running[0] = '\0';
  latest.pending = 0;
  latest.late = latest.has_fault = latest.has_launch = false;
  latest.cause = NULL;
  memcpy(latest.message, text, len + 1);
}

lcu_status lcu_fail (lcu_status code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(code, NULL, fmt, args);
  va_end(args);
  return code;
}

lcu_status lcu_fail_code (lcu_status code, const char *call) {
  return lcu_fail_call(code, call, "%s", "");
}

lcu_status lcu_fail_call (lcu_status code, const char *call, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  record(code, call, fmt, args);
  va_end(args);
  return code;
}

lcu_status lcu_no_memory (const char *what, ...) {
  char text[LCU_MESSAGE_SIZE / 2];
  va_list args;
  va_start(args, what);
  vsnprintf(text, sizeof text, what, args);
  va_end(args);
  return lcu_fail(LCU_E_NOMEM, "not enough host memory for %s", text);
}

lcu_status lcu_fail_device (lcu_status code, const char *device) {
  snprintf(latest.device, sizeof latest.device, "%s", device);
  return code;
}

lcu_status lcu_fail_again (const lcu_failure *f) {
  if (f != &latest) latest = *f;
  return latest.code;
}

lcu_failure *lcu_failure_get (void) { return &latest; }

static const struct own {
  const char *name, *kind, *text;
} own[] = {
#define LCU_STATUS(ID, name, kind, text) { name, kind, text },
#include "lcu_status.def"
#undef LCU_STATUS
};

static const struct own *own_of (lcu_status code) {
  return code > LCU_E_FIRST_ && code < LCU_E_END_ ? &own[code - LCU_E_FIRST_ - 1] : NULL;
}

const char *lcu_status_own_name (lcu_status code) {
  return own_of(code) != NULL ? own_of(code)->name : NULL;
}

const char *lcu_status_own_kind (lcu_status code) {
  return own_of(code) != NULL ? own_of(code)->kind : NULL;
}

const char *lcu_status_own_text (lcu_status code) {
  return own_of(code) != NULL ? own_of(code)->text : NULL;
}
