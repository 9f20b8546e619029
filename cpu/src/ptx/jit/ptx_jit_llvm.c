/* ptx_jit_llvm.c: sends modules to another process to be compiled. */
#include "ptx_jit_llvm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lcu_frame.h"
#include "lcu_room.h"

double ptx_jit_llvm_most_ms = 120000;

static struct {
  pthread_mutex_t use;  /* one exchange at a time */
  pthread_mutex_t lock; /* of the next two */
  int fd;               /* -1: there is no process */
  bool stopped;         /* after the exchange began */
  atomic_int owner;     /* the process that started it; 0: nobody did */
} worker = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, -1, false, 0 };

enum { UNTRIED, OPEN, MISSING };
static atomic_int library_state;
static lcu_failure why_missing;
static ptx_jit_library library;

/* ---- the process, with `use` */

static void set_fd (int fd) {
  pthread_mutex_lock(&worker.lock);
  int old = worker.fd;
  worker.fd = fd;
  pthread_mutex_unlock(&worker.lock);
  if (old >= 0) close(old);
}

static bool is_stopped (void) {
  pthread_mutex_lock(&worker.lock);
  bool stopped = worker.stopped;
  pthread_mutex_unlock(&worker.lock);
  return stopped;
}

static void begin_exchange (void) {
  pthread_mutex_lock(&worker.use);
  pthread_mutex_lock(&worker.lock);
  worker.stopped = false;
  pthread_mutex_unlock(&worker.lock);
}

static lcu_status end_exchange (lcu_status s) {
  if (s != LCU_OK) set_fd(-1);
  pthread_mutex_unlock(&worker.use);
  return s;
}

static lcu_status no_answer (void) {
  return lcu_fail(LCU_E_STATE, is_stopped() ? "the compiler was stopped"
                                            : "the compiler's process ended without an answer");
}

/* Replaces `said` by the next message. */
static lcu_status hear (lcu_frame *said) {
  lcu_frame_free(said);
  if (!lcu_frame_receive(worker.fd, ptx_jit_llvm_most_ms, said)) return no_answer();
  return said->code == LCU_OK ? LCU_OK : lcu_fail(said->code, "%s", said->parts[0].data);
}

static void keep_library (const lcu_frame *said) {
  snprintf(library.file, sizeof library.file, "%s", said->parts[0].data);
  snprintf(library.version, sizeof library.version, "%s", said->parts[1].data);
  atomic_store(&library_state, OPEN);
}

/* A library that ends the process while it is opened cannot be used either. */
static lcu_status keep_failure (lcu_status s) {
  if (s == LCU_E_IO || is_stopped() || atomic_load(&library_state) != UNTRIED) return s;
  why_missing = *lcu_failure_get();
  if (s == LCU_E_STATE) why_missing.code = LCU_E_UNSUPPORTED;
  atomic_store(&library_state, MISSING);
  return lcu_fail_again(&why_missing);
}

static lcu_status start (void) {
  int fd;
  lcu_frame said = { 0 };
  LCU_TRY(ptx_jit_process_start(&fd));
  atomic_store(&worker.owner, (int)getpid());
  set_fd(fd);
  lcu_status s = hear(&said);
  if (s == LCU_OK && atomic_load(&library_state) == UNTRIED) keep_library(&said);
  lcu_frame_free(&said);
  return s;
}

/* A child of fork() must not use the process, nor wait for a thread that it does not have. */
static lcu_status check_owner (void) {
  int owner = atomic_load(&worker.owner);
  return owner == 0 || owner == (int)getpid()
           ? LCU_OK
           : lcu_fail(LCU_E_FORK, "the compiler was in use before this process was forked");
}

static lcu_status missing (void) { return lcu_fail_again(&why_missing); }

lcu_status ptx_jit_llvm_open (void) {
  LCU_TRY(check_owner());
  if (atomic_load(&library_state) == MISSING) return missing();
  if (atomic_load(&library_state) == OPEN) return LCU_OK;
  begin_exchange();
  lcu_status s = worker.fd < 0 ? start() : LCU_OK;
  return end_exchange(s == LCU_OK ? LCU_OK : keep_failure(s));
}

bool ptx_jit_llvm_is_missing (void) { return atomic_load(&library_state) == MISSING; }

const ptx_jit_library *ptx_jit_llvm_library (void) {
  return atomic_load(&library_state) == OPEN ? &library : NULL;
}

void ptx_jit_llvm_stop (void) {
  if (atomic_load(&worker.owner) != (int)getpid()) return;
  pthread_mutex_lock(&worker.lock);
  worker.stopped = true;
  if (worker.fd >= 0) (void)shutdown(worker.fd, SHUT_RDWR);
  pthread_mutex_unlock(&worker.lock);
}

/* ---- compiling */

/* If memory runs out, LLVM's process may end, or this one instead. One of the longest kernels took
 * 130 MiB. */
static lcu_status check_room (void) {
  return lcu_room_has((uint64_t)160 << 20, 0) ? LCU_OK : lcu_no_memory("LLVM");
}

/* The instruction set is the one of the interpreter, so LUACUDA_CPU_ISA holds here too. */
static const char *cpu_name (void) {
  return strncmp(ptx_isa_name(), "x86-64", 6) == 0 ? ptx_isa_name() : "generic";
}

static lcu_status ask (const lcu_buf *text, lcu_frame *said) {
  const char *cpu = cpu_name();
  if (!lcu_frame_send(worker.fd, 0, cpu, strlen(cpu), text->data, text->len)) return no_answer();
  return hear(said);
}

/* A process that was waiting for a request may have ended by now. */
static lcu_status compile_text (const lcu_buf *text, lcu_frame *said) {
  bool waited = worker.fd >= 0;
  if (!waited) LCU_TRY(start());
  lcu_status s = ask(text, said);
  if (s != LCU_E_STATE || !waited || said->parts[0].len > 0 || is_stopped()) return s;
  LCU_TRY(start());
  return ask(text, said);
}

lcu_status ptx_jit_llvm_compile (const lcu_buf *text, lcu_buf *out) {
  lcu_frame said = { 0 };
  LCU_TRY(check_room());
  LCU_TRY(ptx_jit_llvm_open());
  begin_exchange();
  lcu_status s = compile_text(text, &said);
  if (s == LCU_OK) lcu_buf_add(out, said.parts[1].data, said.parts[1].len);
  if (s == LCU_OK && out->failed) s = lcu_no_memory("compiled code");
  lcu_frame_free(&said);
  return end_exchange(s);
}
