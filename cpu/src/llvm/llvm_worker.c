/* llvm_worker.c: the program luacuda-llvm. When LLVM fails, it ends its process, so a program that
 * uses LuaCUDA starts this one to compile. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* syscall */
#endif
#include "llvm_worker.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lcu_frame.h"
#include "llvm_compile.h"
#include "llvm_library.h"

#ifdef __linux__
#include <sys/syscall.h>
#endif

enum { WIRE = STDIN_FILENO, STACK_BYTES = 8 << 20 };

/* ---- fatal errors */

static void end_with (const char *what, const char *why) {
  char words[512];
  size_t n = strlen(what), more = strlen(why);
  if (more > sizeof words - n) more = sizeof words - n;
  memcpy(words, what, n);
  memcpy(words + n, why, more);
  (void)lcu_frame_send(WIRE, LCU_E_STATE, words, n + more, NULL, 0);
  _exit(1);
}

static void fatal (const char *reason) { end_with("LLVM failed: ", reason); }

static const struct {
  int number;
  const char *name;
} signals[] = { { SIGABRT, "SIGABRT" }, { SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },
                { SIGILL, "SIGILL" },   { SIGFPE, "SIGFPE" },   { SIGTRAP, "SIGTRAP" } };

static void crashed (int number) {
  for (size_t i = 0; i < lcu_arraylen(signals); i++)
    if (signals[i].number == number) end_with("LLVM crashed with ", signals[i].name);
  _exit(1);
}

/* The handlers need a stack of their own, because the thread's may be full. The process that
 * started this one blocked all signals. */
static void watch_signals (void) {
  static char stack[64 << 10];
  const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction how = { .sa_handler = crashed, .sa_flags = SA_ONSTACK };
  sigset_t those;
  sigemptyset(&those);
  (void)sigaltstack(&other, NULL);
  for (size_t i = 0; i < lcu_arraylen(signals); i++) {
    (void)sigaction(signals[i].number, &how, NULL);
    (void)sigaddset(&those, signals[i].number);
  }
  (void)pthread_sigmask(SIG_UNBLOCK, &those, NULL);
}

/* ---- compiling */

static bool say (lcu_status status, const void *data, size_t len) {
  const char *message = status == LCU_OK ? "" : lcu_failure_get()->message;
  return lcu_frame_send(WIRE, status, message, strlen(message), data, status == LCU_OK ? len : 0);
}

static bool begin (void) {
  char version[64];
  lcu_status s = llvm_library_open();
  if (s != LCU_OK) return say(s, NULL, 0) && false;
  if (llvm.LLVMInstallFatalErrorHandler != NULL) llvm.LLVMInstallFatalErrorHandler(fatal);
  const unsigned *v = llvm.version;
  int n = snprintf(version, sizeof version, "%u.%u.%u", v[0], v[1], v[2]);
  return lcu_frame_send(WIRE, LCU_OK, llvm.file, strlen(llvm.file), version, (size_t)n);
}

static bool answer (const lcu_frame *asked) {
  const lcu_buf *cpu = &asked->parts[0], *text = &asked->parts[1];
  lcu_buf object = { 0 };
  lcu_status s = llvm_compile(&(llvm_source){ text->data, text->len, cpu->data }, &object);
  bool ok = say(s, object.data, object.len);
  lcu_buf_free(&object);
  return ok;
}

/* The thread in which LLVM runs. */
static void *serve (void *unused) {
  watch_signals();
  for (bool ok = begin(); ok;) {
    lcu_frame asked = { 0 };
    ok = lcu_frame_receive(WIRE, LLVM_WORKER_IDLE_MS, &asked) && answer(&asked);
    lcu_frame_free(&asked);
  }
  _exit(0);
  return unused;
}

/* ---- the process */

/* Closes the files that this process inherited. */
static void close_others (void) {
#if defined(__linux__) && defined(SYS_close_range)
  if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return;
#endif
  enum { MOST = 4096 };
  long n = sysconf(_SC_OPEN_MAX);
  for (int fd = 3; fd < MOST && (n < 0 || fd < n); fd++) (void)close(fd);
}

static bool is_asked (void) {
  int kind = 0;
  socklen_t size = sizeof kind;
  return getsockopt(WIRE, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_STREAM;
}

static bool start_thread (void) {
  pthread_attr_t attributes;
  pthread_t thread;
  return pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
         pthread_create(&thread, &attributes, serve, NULL) == 0;
}

static void wait_for_the_end (void) {
  struct pollfd p = { .fd = WIRE };
  while ((p.revents & (POLLHUP | POLLERR)) == 0) (void)poll(&p, 1, -1);
}

/* A program may wait for its children, and this process must not be one of them. So it is the child
 * of a process that ends at once. */
int main (void) {
  if (!is_asked()) {
    fprintf(stderr, LLVM_WORKER_PROGRAM ": started by LuaCUDA where it is needed\n");
    return 2;
  }
  pid_t pid = fork();
  if (pid != 0) _exit(pid < 0);
  close_others();
  (void)setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
  if (start_thread()) wait_for_the_end();
  _exit(0);
}
