/* lcu_child.c: child processes over posix_spawn. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* pipe2 */
#endif
#include "lcu_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const int POLL_MS = 50;

/* ---- start ---- */

static lcu_status fail_start (const char *path, int e) {
  return lcu_fail(e == ENOENT ? LCU_E_NOT_FOUND : LCU_E_IO, "cannot run '%s': %s", path,
                  e == ENOENT    ? "there is no such program"
                  : e == EACCES  ? "it may not be executed"
                  : e == ENOEXEC ? "it is not a program"
                  : e == ENOMEM  ? "out of memory"
                                 : "the system refused it");
}

/* Both ends are closed in programs that other threads start. */
static bool open_pipe (int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) == 0;
#else
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
#endif
}

static int add_files (posix_spawn_file_actions_t *files, int out) {
  int e = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (e == 0) e = posix_spawn_file_actions_adddup2(files, out, 1);
  if (e == 0) e = posix_spawn_file_actions_adddup2(files, out, 2);
  return e;
}

/* A group of its own, so that its children can be killed with it. The host program's handlers and
 * masks are not for it. */
static int set_attributes (posix_spawnattr_t *attr) {
  static const int usual[] = { SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGCHLD, SIGHUP };
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (size_t i = 0; i < lcu_arraylen(usual); i++) sigaddset(&defaults, usual[i]);
  int e = posix_spawnattr_setsigmask(attr, &none);
  if (e == 0) e = posix_spawnattr_setsigdefault(attr, &defaults);
  if (e == 0) e = posix_spawnattr_setpgroup(attr, 0);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
  return e == 0 ? posix_spawnattr_setflags(attr, flags) : e;
}

/* posix_spawn does not change the strings. */
typedef union strings {
  const char *const *given;
  char *const *wanted;
} strings;

static int spawn (const char *const *argv, int out, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  int e = posix_spawn_file_actions_init(&files);
  if (e != 0) return e;
  e = posix_spawnattr_init(&attr);
  if (e == 0) {
    e = add_files(&files, out);
    if (e == 0) e = set_attributes(&attr);
    if (e == 0)
      e = posix_spawn(pid, argv[0], &files, &attr, (strings){ .given = argv }.wanted, environ);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&files);
  return e;
}


/* ---- to its end ---- */

static lcu_status take (lcu_buf *out, const char *data, size_t n) {
  if (out->len >= LCU_CHILD_MOST) return LCU_OK;
  lcu_buf_add(out, data, n);
  return out->failed ? lcu_no_memory("the output of a program") : LCU_OK;
}

/* Reads to the end of the output, which comes when the last process that has it open ends. */
static lcu_status read_output (const lcu_child_job *job, int in, lcu_buf *out) {
  bool begin = true;
  for (;;) {
    char chunk[4096];
    struct pollfd p = { .fd = in, .events = POLLIN };
    if (job->stop != NULL && job->stop(begin))
      return lcu_fail_call(LCU_E_INTERRUPTED, "nvcc", "the compilation was interrupted");
    begin = false;
    if (poll(&p, 1, POLL_MS) <= 0) continue;
    ssize_t n = read(in, chunk, sizeof chunk);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) return LCU_OK;
    if (n > 0) LCU_TRY(take(out, chunk, (size_t)n));
  }
}

static void await_end (pid_t pid, lcu_child_end *end) {
  int status = 0;
  pid_t r;
  do r = waitpid(pid, &status, 0);
  while (r < 0 && errno == EINTR);
  end->known = r == pid;
  if (!end->known) return;
  if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  else end->code = WEXITSTATUS(status);
}

lcu_status lcu_child_run (const lcu_child_job *job, lcu_child_end *end) {
  int ends[2];
  pid_t pid = 0;
  *end = (lcu_child_end){ .known = false };
  if (!open_pipe(ends)) return fail_start(job->argv[0], errno);
  int e = spawn(job->argv, ends[1], &pid);
  close(ends[1]);
  lcu_status s = e != 0 ? fail_start(job->argv[0], e) : read_output(job, ends[0], &end->output);
  close(ends[0]);
  if (e != 0) return s;
  if (s != LCU_OK) kill(-pid, SIGKILL);
  await_end(pid, end);
  return s;
}
