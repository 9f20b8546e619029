/* cpu_fault.c: faults of kernels, kept until a call reports them.
 *
 * A fault ends its grid and nothing else: work queued after it is carried out, in the same stream
 * too, arrays keep their contents, and the device goes on. The fault is reported once, by the next
 * synchronizing call or query that comes after the kernel: on its stream, on a stream that waited
 * for it, on the null stream if its stream is blocking, on a blocking stream if it happened in the
 * null stream, or on its context. Lua states share streams, so only a thread of the work's owner
 * (lcu_status.h) may report it. Until then a stream keeps its first fault for each owner and only
 * counts later ones, which mostly result from the first. At most 64 faults are kept; further ones
 * are dropped. */
#include "cpu_caller.h"
#include "cpu_fault.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cpu_enter.h"
#include "cpu_map.h"

enum { MAX_STREAMS = 8, MAX_FAULTS = 64 };

typedef struct fault {
  struct fault *next;
  cu_result code;
  uint64_t seq;
  cu_context context;               /* it happened there */
  cpu_stream *streams[MAX_STREAMS]; /* that may report it; it happened in [0] */
  int num_streams;
  bool any_stream; /* of the context may report it: its stream has ended, or there are too many */
  cux_fault details;
} fault;

static struct {
  pthread_mutex_t lock;
  fault *first;
  atomic_int count;
  fault spare; /* used when out of memory, so that a fault is not lost */
  bool spare_used;
} faults = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The fault that the latest call on this thread reported, for cuxTakeFault. */
static _Thread_local bool have_taken;
static _Thread_local cux_fault taken;


/* ---- converting the machine's faults ---- */

static cu_result code_of (ptx_fault_kind kind) {
  switch (kind) {
    case PTX_FAULT_OUT_OF_BOUNDS:
    case PTX_FAULT_NULL_POINTER:
    case PTX_FAULT_FREE:
    case PTX_FAULT_OVERFLOW:
    case PTX_FAULT_USE_AFTER_FREE: return CU_ERR_ILLEGAL_ADDRESS;
    case PTX_FAULT_MISALIGNED: return CU_ERR_MISALIGNED_ADDRESS;
    case PTX_FAULT_ASSERT: return CU_ERR_ASSERT;
    case PTX_FAULT_DEADLOCK:
    case PTX_FAULT_LIVELOCK:
    case PTX_FAULT_TIMEOUT:
    case PTX_FAULT_INTERRUPTED: return CU_ERR_LAUNCH_TIMEOUT;
    case PTX_FAULT_STACK_OVERFLOW: return CU_ERR_HARDWARE_STACK_ERROR;
    case PTX_FAULT_UNSUPPORTED: return CU_ERR_ILLEGAL_INSTRUCTION;
    default: return CU_ERR_LAUNCH_FAILED;
  }
}

static void copy_text (char *out, size_t size, const char *text) {
  snprintf(out, size, "%s", text);
}

static void describe_other (lcu_fault_other *out, const ptx_other *o) {
  copy_text(out->access, sizeof out->access, o->access);
  copy_text(out->file, sizeof out->file, o->file);
  out->line = o->line;
  memcpy(out->block, o->block, sizeof out->block);
  memcpy(out->thread, o->thread, sizeof out->thread);
}

_Static_assert((int)LCU_FAULT_CALLERS == (int)PTX_CALLERS, "as many are kept");

static void describe_callers (cux_fault *out, const ptx_fault *f) {
  for (int n = 0; n < LCU_FAULT_CALLERS; n++) {
    copy_text(out->callers[n].file, sizeof out->callers[n].file, f->callers[n].file);
    out->callers[n].line = f->callers[n].line;
  }
}

_Static_assert((int)LCU_FAULT_WAITING == (int)PTX_WAITING, "as many are kept");

static void describe_waiting (lcu_fault_waiting *out, const ptx_waiting *w) {
  for (int n = 0; n < LCU_FAULT_WAITING; n++, out++, w++) {
    memcpy(out->block, w->block, sizeof out->block);
    out->count = w->count;
    copy_text(out->threads, sizeof out->threads, w->threads);
    copy_text(out->state, sizeof out->state, w->state);
    copy_text(out->file, sizeof out->file, w->file);
    out->line = w->line;
  }
}

static void describe (cux_fault *out, const ptx_fault *f) {
  copy_text(out->kind, sizeof out->kind, ptx_fault_kind_name(f->kind));
  out->interrupted = f->kind == PTX_FAULT_INTERRUPTED;
  copy_text(out->kernel, sizeof out->kernel, f->kernel);
  copy_text(out->file, sizeof out->file, f->file);
  copy_text(out->space, sizeof out->space, f->space);
  copy_text(out->message, sizeof out->message, f->message);
  out->line = f->line;
  memcpy(out->block, f->block, sizeof out->block);
  memcpy(out->thread, f->thread, sizeof out->thread);
  out->address = f->address;
  out->bytes = f->bytes;
  out->write = f->write;
  out->atomic = f->atomic;
  copy_text(out->variable, sizeof out->variable, f->variable);
  out->range_base = f->nearest.base;
  out->range_size = f->nearest.size;
  out->range_live = f->nearest.live;
  describe_other(&out->other, &f->other);
  describe_callers(out, f);
  describe_waiting(out->waiting, f->waiting);
}

/* The machine does not distinguish module variables from other memory; the map has their names. */
static void name_variable (cux_fault *out) {
  size_t n = strlen(out->message);
  if (out->range_size == 0) return;
  cpu_block_name(out->range_base, out->variable, sizeof out->variable);
  if (out->variable[0] != '\0')
    snprintf(out->message + n, sizeof out->message - n, " (variable `%s`)", out->variable);
}

/* The words of this thread's failure record are the whole message. */
static void describe_communication (cux_fault *out, const char *kernel) {
  out->communication = true;
  copy_text(out->kind, sizeof out->kind, "communication");
  copy_text(out->kernel, sizeof out->kernel, kernel);
  snprintf(out->message, sizeof out->message, "%.1500s", lcu_failure_get()->message);
}

/* The machine could not run the kernel. The reason is in this thread's failure record. */
static void describe_failure (cux_fault *out, const char *kernel) {
  copy_text(out->kind, sizeof out->kind, ptx_fault_kind_name(PTX_FAULT_LAUNCH));
  copy_text(out->kernel, sizeof out->kernel, kernel);
  snprintf(out->message, sizeof out->message, "kernel `%.200s` could not be run: %.1000s", kernel,
           lcu_failure_get()->message);
}


/* ---- the list ---- */

static fault *fault_new (void) {
  fault *f = lcu_calloc(1, sizeof *f);
  if (f != NULL) return f;
  pthread_mutex_lock(&faults.lock);
  if (!faults.spare_used) {
    f = &faults.spare;
    *f = (fault){ 0 };
    faults.spare_used = true;
  }
  pthread_mutex_unlock(&faults.lock);
  return f;
}

static void fault_free (fault *f) {
  if (f != &faults.spare) {
    lcu_free(f);
    return;
  }
  pthread_mutex_lock(&faults.lock);
  faults.spare_used = false;
  pthread_mutex_unlock(&faults.lock);
}

static fault *unreported_of (const cpu_stream *s, uint64_t owner) {
  for (fault *f = faults.first; f != NULL; f = f->next)
    if (f->num_streams > 0 && f->streams[0] == s && f->details.owner == owner) return f;
  return NULL;
}

static void append (fault *f) {
  fault **at = &faults.first;
  while (*at != NULL) at = &(*at)->next;
  f->next = NULL;
  *at = f;
  atomic_fetch_add(&faults.count, 1);
}

/* Keeps `f`, or only counts it if an earlier fault of its stream is kept. */
static void keep (cpu_stream *s, fault *f) {
  pthread_mutex_lock(&faults.lock);
  fault *earlier = unreported_of(s, f->details.owner);
  bool room = atomic_load(&faults.count) < MAX_FAULTS;
  if (earlier != NULL) earlier->details.followers++;
  else if (room) append(f);
  pthread_mutex_unlock(&faults.lock);
  if (earlier != NULL || !room) fault_free(f);
}

void cpu_fault_add (cpu_stream *s, const cpu_op *op, lcu_status status, const char *kernel,
                    const ptx_fault *details) {
  fault *f = fault_new();
  if (f == NULL) return; /* the spare one is in use, and will be reported */
  f->seq = op->seq;
  f->details.owner = op->owner;
  copy_text(f->details.caller, sizeof f->details.caller, op->grid.caller);
  f->context = s->context;
  f->streams[f->num_streams++] = s;
  if (status == LCU_E_FAULT) {
    f->code = code_of(details->kind);
    describe(&f->details, details);
    name_variable(&f->details);
  } else {
    f->code = cpu_status_result(status);
    if (status == LCU_E_COMM) describe_communication(&f->details, kernel);
    else describe_failure(&f->details, kernel);
  }
  keep(s, f);
}

bool cpu_faults_none (void) {
  return atomic_load_explicit(&faults.count, memory_order_acquire) == 0;
}

static bool may_report (const fault *f, const cpu_stream *s) {
  for (int i = 0; i < f->num_streams; i++) {
    const cpu_stream *t = f->streams[i];
    if (t == s || (s == t->null && t->blocking) || (t == s->null && s->blocking)) return true;
  }
  return f->any_stream && f->context == s->context;
}

static void add_faulted_stream (fault *f, cpu_stream *s) {
  if (f->num_streams < MAX_STREAMS) f->streams[f->num_streams++] = s;
  else f->any_stream = true;
}

void cpu_fault_inherit (cpu_stream *from, uint64_t seq, cpu_stream *to) {
  if (cpu_faults_none()) return;
  pthread_mutex_lock(&faults.lock);
  for (fault *f = faults.first; f != NULL; f = f->next)
    if (f->seq < seq && may_report(f, from) && !may_report(f, to)) add_faulted_stream(f, to);
  pthread_mutex_unlock(&faults.lock);
}

void cpu_fault_orphan (cpu_stream *s) {
  if (cpu_faults_none()) return;
  pthread_mutex_lock(&faults.lock);
  for (fault *f = faults.first; f != NULL; f = f->next) {
    for (int i = 0; i < f->num_streams; i++) {
      if (f->streams[i] != s) continue;
      f->streams[i--] = f->streams[--f->num_streams];
      f->any_stream = true;
    }
  }
  pthread_mutex_unlock(&faults.lock);
}

static atomic_bool writes;

void cpu_fault_write (bool on) { atomic_store(&writes, on); }

static void write_fault (const cux_fault *f) {
  if (f->interrupted || !atomic_load(&writes)) return;
  fprintf(stderr, "libluacuda_cpu: %s\n", f->message);
}

/* Takes the first fault that the stream, or without a stream the context, may report. */
static fault *unlink_reportable (const cpu_stream *s, uint64_t seq, cu_context ctx) {
  for (fault **at = &faults.first; *at != NULL; at = &(*at)->next) {
    fault *f = *at;
    if (f->seq >= seq || !cux_owner_accepts(cpu_caller()->owner, f->details.owner)) continue;
    if (s != NULL ? !may_report(f, s) : ctx != NULL && f->context != ctx) continue;
    *at = f->next;
    atomic_fetch_sub(&faults.count, 1);
    return f;
  }
  return NULL;
}

static cu_result take_fault (const cpu_stream *s, uint64_t seq, cu_context ctx) {
  if (lcu_likely(cpu_faults_none())) return 0;
  pthread_mutex_lock(&faults.lock);
  fault *f = unlink_reportable(s, seq, ctx);
  pthread_mutex_unlock(&faults.lock);
  if (f == NULL) return 0;
  cu_result r = f->code;
  taken = f->details;
  have_taken = true;
  write_fault(&f->details);
  fault_free(f);
  return r;
}

cu_result cpu_fault_take (cpu_stream *s, uint64_t seq) { return take_fault(s, seq, NULL); }

cu_result cpu_fault_take_in (cu_context ctx) { return take_fault(NULL, UINT64_MAX, ctx); }

void cpu_faults_free (cu_context ctx) {
  fault *freed = NULL;
  pthread_mutex_lock(&faults.lock);
  for (fault **at = &faults.first; *at != NULL;) {
    fault *f = *at;
    if (ctx != NULL && f->context != ctx) {
      at = &f->next;
      continue;
    }
    *at = f->next;
    f->next = freed;
    freed = f;
    atomic_fetch_sub(&faults.count, 1);
  }
  pthread_mutex_unlock(&faults.lock);
  while (freed != NULL) {
    fault *next = freed->next;
    fault_free(freed);
    freed = next;
  }
}

/* Reports the caller's next fault in the current context, or without one in any context, and does
 * not wait: returns its code, or 0 when none is left. */
cu_result cpu_cuxNextFault (void) {
  return cpu_fault_take_in(cpu_enter() == 0 ? cpu_current() : NULL);
}

/* Details of the fault that the latest call on this thread reported; NOT_FOUND when there is
 * none. */
cu_result cpu_cuxTakeFault (cux_fault *out) {
  if (out == NULL) return CU_ERR_INVALID_VALUE;
  if (!have_taken) return CU_ERR_NOT_FOUND;
  *out = taken;
  have_taken = false;
  return 0;
}
