/* lcu_device_failure.c: what becomes of a failed driver call. */
#include "lcu_device_failure.h"

#include <stdio.h>
#include <string.h>

#include "lcu_block.h"
#include "lcu_recent.h"

/* Turns "cuMemAlloc: not enough memory (CUDA_ERROR_OUT_OF_MEMORY)" into words that begin with what
 * failed where. */
static void reword (const lcu_device *d, lcu_status s) {
  lcu_failure *f = lcu_failure_get();
  char plain[256], text[LCU_MESSAGE_SIZE];
  const char *call = f->call, *name = lcu_status_name(s), *words = f->message;
  if (f->code != s || call == NULL || strncmp(words, call, strlen(call)) != 0 ||
      words[strlen(call)] != ':')
    return;
  words += strlen(call) + 2;
  snprintf(plain, sizeof plain, "%s (%s)", lcu_status_text(s), name);
  snprintf(text, sizeof text, "%s", words);
  if (strcmp(text, plain) == 0)
    lcu_fail_call(s, call, "%s failed on %s: %s (%s)", call, d->label, name, lcu_status_text(s));
  else lcu_fail_call(s, call, "%s failed on %s: %s: %s", call, d->label, name, text);
}

static void append (lcu_failure *f, const char *text) {
  size_t len = strlen(f->message);
  snprintf(f->message + len, sizeof f->message - len, "%s", text);
}

/* At the end of the first line; the others are about other launches. */
static void append_to_line (lcu_failure *f, const char *text) {
  char rest[LCU_MESSAGE_SIZE];
  size_t len = strcspn(f->message, "\n");
  snprintf(rest, sizeof rest, "%s", f->message + len);
  snprintf(f->message + len, sizeof f->message - len, "%s%s", text, rest);
}

/* How far from the block an access was: "4 bytes past the end of array float32 {1000}". */
static void describe_place (const cux_fault *fault, const char *label, cu_deviceptr base,
                            size_t size, char *out, size_t max) {
  uint64_t end = base + size;
  if (fault->address == end) snprintf(out, max, "; directly past the end of array %s", label);
  else if (fault->address > end)
    snprintf(out, max, "; %llu bytes past the end of array %s",
             (unsigned long long)(fault->address - end), label);
  else if (fault->address < base)
    snprintf(out, max, "; %llu bytes before array %s", (unsigned long long)(base - fault->address),
             label);
  else
    snprintf(out, max, "; at byte %llu of array %s", (unsigned long long)(fault->address - base),
             label);
}

static void name_array (lcu_device *d, const cux_fault *fault) {
  char label[96], text[192];
  cu_deviceptr base;
  size_t size;
  if (fault->address == 0) return;
  bool found = lcu_block_find(d, fault->address, label, sizeof label, &base, &size) ||
               (fault->range_size != 0 &&
                lcu_block_find(d, fault->range_base, label, sizeof label, &base, &size));
  if (!found || label[0] == '\0') return;
  describe_place(fault, label, base, size, text, sizeof text);
  append_to_line(lcu_failure_get(), text);
}

/* The CPU device knows what happened; its words replace the code's. Returns the status that says it
 * best. */
static lcu_status take_fault (lcu_device *d, lcu_status s) {
  cux_fault fault;
  bool known = d->drv->cuxTakeFault(&fault) == 0;
  if (known) {
    if (strcmp(fault.kind, "interrupted") == 0) s = LCU_E_INTERRUPTED;
    lcu_fail_call(s, lcu_failure_get()->call, "%s", fault.message);
    name_array(d, &fault);
  }
  if (known || lcu_status_is_fatal(s)) lcu_pending_fault(d, s, known ? &fault : NULL);
  return s;
}

lcu_status lcu_device_fail_dead (const lcu_device *d) {
  lcu_fail(LCU_E_DEAD, "%s", d->dead_message);
  return lcu_fail_device(LCU_E_DEAD, d->label);
}

static void mark_dead (lcu_device *d, lcu_status s, const char *message) {
  pthread_mutex_lock(&d->lock);
  if (!atomic_load(&d->dead)) {
    snprintf(d->dead_message, sizeof d->dead_message,
             "%s cannot be used any more in this process: %.1700s. "
             "The driver knows no way back from this; start a new process (the CPU device goes on)",
             d->label, message);
    d->dead_code = s;
    atomic_store(&d->dead, true);
  }
  pthread_mutex_unlock(&d->lock);
}

/* What ended CUDA for this process, and whether any call has raised it. */
static struct {
  pthread_mutex_t lock;
  bool unheard;
  char message[LCU_MESSAGE_SIZE];
} lost = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_lost (const char *message) {
  pthread_mutex_lock(&lost.lock);
  lost.unheard = true;
  snprintf(lost.message, sizeof lost.message, "%s", message);
  pthread_mutex_unlock(&lost.lock);
}

bool lcu_device_take_lost (char *out, size_t size) {
  pthread_mutex_lock(&lost.lock);
  bool unheard = lost.unheard;
  lost.unheard = false;
  if (unheard && out != NULL) snprintf(out, size, "%s", lost.message);
  pthread_mutex_unlock(&lost.lock);
  return unheard;
}

/* A fatal fault ends CUDA for the whole process, whichever GPU it happened on. */
static void all_dead (lcu_device *d, lcu_status s) {
  char kernels[LCU_RECENT * 68], message[LCU_MESSAGE_SIZE];
  lcu_recent_list(d, kernels, sizeof kernels);
  append(lcu_failure_get(), kernels);
  snprintf(message, sizeof message, "%s", lcu_failure_get()->message);
  if (!atomic_load(&d->dead)) note_lost(message);
  mark_dead(d, s, message);
  for (size_t i = 0; lcu_process_device(i) != NULL; i++)
    if (lcu_process_device(i)->drv == d->drv) mark_dead(lcu_process_device(i), s, message);
}

static LCU_COLD lcu_status failed (lcu_device *d, lcu_status s) {
  /* has been here */
  if (lcu_failure_get()->code == s && lcu_failure_get()->pending != 0) return s;
  lcu_device_no_fault();
  reword(d, s);
  if (d->drv->cuxTakeFault != NULL) s = take_fault(d, s);
  else if (lcu_status_is_fatal(s)) all_dead(d, s);
  return lcu_fail_device(s, d->label);
}

lcu_status lcu_device_status (lcu_device *d, lcu_status s) {
  return lcu_likely(s == LCU_OK) ? LCU_OK : failed(d, s);
}

void lcu_device_raised (lcu_status s, uint64_t key) {
  if (key != 0) lcu_pending_raised(key);
  else if (s == LCU_E_DEAD || lcu_status_is_fatal(s)) (void)lcu_device_take_lost(NULL, 0);
}

/* Faults that the driver keeps come with what calls have found and nobody raised. */
lcu_status lcu_device_next_unraised (lcu_device *d) {
  cu_result r;
  if (lcu_process_forked() || !atomic_load(&d->opened) || atomic_load(&d->dead)) return LCU_OK;
  while (d->drv->cuxNextFault != NULL && (r = d->drv->cuxNextFault()) != 0)
    (void)lcu_device_status(d, lcu_driver_status(d->drv, "cuxNextFault", r));
  return lcu_pending_report(d);
}

lcu_status lcu_device_query_status (lcu_device *d, const char *call, cu_result r, bool *done) {
  *done = r == 0;
  if (r == 0 || r == CU_ERR_NOT_READY) return LCU_OK;
  lcu_status st = lcu_device_status(d, lcu_driver_status(d->drv, call, r));
  *done = lcu_status_is_fatal(st);
  return *done ? LCU_OK : st;
}
