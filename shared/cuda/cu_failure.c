/* cu_failure.c: the sentence of a failure, from the fields of its record. */
#include "cu_failure.h"

#include <inttypes.h>
#include <string.h>

#include "cu_driver.h"
#include "lcu_text.h"

/* The position of the access: "; 4 bytes past the end of array float32 {1000}". */
static void add_array (lcu_text *t, const lcu_failure *f) {
  uint64_t at = f->fault.address, base = f->array_base, end = base + f->array_size;
  if (f->array[0] == '\0') return;
  if (at == end) lcu_text_add(t, "; just past the end of array %s", f->array);
  else if (at > end)
    lcu_text_add(t, "; %" PRIu64 " bytes past the end of array %s", at - end, f->array);
  else if (at < base) lcu_text_add(t, "; %" PRIu64 " bytes before array %s", base - at, f->array);
  else lcu_text_add(t, "; at byte %" PRIu64 " of array %s", at - base, f->array);
}

static void add_fault (lcu_text *t, const lcu_failure *f) {
  unsigned n = f->fault.followers;
  lcu_text_add(t, "%s", f->fault.message);
  add_array(t, f);
  if (n > 0)
    lcu_text_add(t, "\n(%u more launch%s on this stream failed before this was reported)", n,
                 n == 1 ? "" : "es");
}

static bool is_foreign (lcu_status code) { return lcu_status_own_name(code) == NULL; }

static void add_call (lcu_text *t, const lcu_failure *f) {
  lcu_text_add(t, "%s failed", f->call);
  if (f->device[0] != '\0') lcu_text_add(t, " on %s", f->device);
  lcu_text_add(t, ": %s", lcu_failure_name(f));
  if (f->message[0] != '\0') lcu_text_add(t, ": %s", f->message);
  else lcu_text_add(t, " (%s)", f->code_text != NULL ? f->code_text : lcu_status_text(f->code));
}

static void add_launch (lcu_text *t, const lcu_launch_shape *l) {
  const uint32_t *g = l->grid, *b = l->block;
  lcu_text_add(t,
               " (grid %u x %u x %u, block %u x %u x %u = %" PRIu64 " threads of %d registers, "
               "shared %u + %d bytes)",
               g[0], g[1], g[2], b[0], b[1], b[2], (uint64_t)b[0] * b[1] * b[2], l->registers,
               l->shared, l->static_shared);
}

static void add_death (lcu_text *t, const lcu_failure *f) {
  char cause[LCU_MESSAGE_SIZE];
  lcu_text_add(
    t,
    "%s cannot be used any more in this process: %.1700s. The driver cannot recover from this; "
    "start a new process (the CPU device goes on)",
    f->device, lcu_failure_text(f->cause, cause));
}

static void add_words (lcu_text *t, const lcu_failure *f) {
  if (f->cause != NULL) add_death(t, f);
  else if (f->has_fault) add_fault(t, f);
  else if (f->call != NULL && is_foreign(f->code)) add_call(t, f);
  else lcu_text_add(t, "%s", f->message[0] != '\0' ? f->message : lcu_status_text(f->code));
}

const char *lcu_failure_text (const lcu_failure *f, char out[LCU_MESSAGE_SIZE]) {
  lcu_text t = lcu_text_in(out, LCU_MESSAGE_SIZE);
  if (f->has_launch) lcu_text_add(&t, "%s: ", f->launch.kernel);
  add_words(&t, f);
  if (f->has_launch) add_launch(&t, &f->launch);
  if (f->running[0] != '\0')
    lcu_text_add(&t, "; kernels not known to be complete, latest first: %s", f->running);
  if (f->late) lcu_text_add(&t, " (this happened earlier, where it could not be reported)");
  return out;
}

const char *lcu_failure_name (const lcu_failure *f) {
  return f->code_name != NULL ? f->code_name : lcu_status_name(f->code);
}
