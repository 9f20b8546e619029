/* ptx_jit_process.c: starts the program that compiles. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#elif defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE
#endif
#include "ptx_jit_llvm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lcu_file.h"
#include "llvm_worker.h"

extern char **environ;

/* ---- its file: in the folder of the one that this code is in */

static char program[PATH_MAX]; /* "": not known */

__attribute__((constructor)) static void find_program (void) {
  lcu_file_beside(program, sizeof program, &program, LLVM_WORKER_PROGRAM);
}

/* ---- the socket */

static bool open_socket (int ends[2]) {
#ifdef SOCK_CLOEXEC
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
#else
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  for (int k = 0; k < 2; k++) {
    (void)fcntl(ends[k], F_SETFD, FD_CLOEXEC);
    (void)setsockopt(ends[k], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
  }
  return true;
#endif
}

/* Not a number of the standard files, which may be closed: the new process needs those for its
 * own. */
static int away_from_standard_files (int fd) {
  if (fd > STDERR_FILENO) return fd;
  int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return other;
}

/* ---- the process */

static int add_files (posix_spawn_file_actions_t *files, int wire) {
  int e = posix_spawn_file_actions_adddup2(files, wire, STDIN_FILENO);
  if (e == 0) e = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (e == 0) e = posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
  return e;
}

/* Signals are for the program. The new process blocks them all and ends with the program. */
static int set_attributes (posix_spawnattr_t *attributes) {
  sigset_t all;
  sigfillset(&all);
  int e = posix_spawnattr_setsigmask(attributes, &all);
  return e == 0 ? posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK) : e;
}

static int spawn (int wire, pid_t *pid) {
  static char name[] = LLVM_WORKER_PROGRAM;
  char *const argv[] = { name, NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int e = posix_spawn_file_actions_init(&files);
  if (e != 0) return e;
  e = posix_spawnattr_init(&attributes);
  if (e == 0) {
    e = add_files(&files, wire);
    if (e == 0) e = set_attributes(&attributes);
    if (e == 0) e = posix_spawn(pid, program, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return e;
}

/* The child ends at once. A program that waits for its children may get its status first. */
static void forget (pid_t pid) {
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

static lcu_status start (int wire) {
  pid_t pid;
  int e = spawn(wire, &pid);
  bool missing = e == ENOENT || e == EACCES || e == ENOEXEC;
  if (e == 0) forget(pid);
  return e == 0 ? LCU_OK
                : lcu_fail(missing ? LCU_E_NOT_FOUND : LCU_E_IO,
                           "the compiler program %s cannot be run", program);
}

lcu_status ptx_jit_process_start (int *fd) {
  int ends[2];
  if (program[0] == '\0')
    return lcu_fail(LCU_E_NOT_FOUND, "the folder of " LLVM_WORKER_PROGRAM " is not known");
  if (!open_socket(ends)) return lcu_fail(LCU_E_IO, "no socket for " LLVM_WORKER_PROGRAM);
  for (int k = 0; k < 2; k++) ends[k] = away_from_standard_files(ends[k]);
  lcu_status s = start(ends[1]);
  close(ends[1]);
  if (s == LCU_OK) *fd = ends[0];
  else close(ends[0]);
  return s;
}
