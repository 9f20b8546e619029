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


/* A program that runs, or one that does not (in < 0). */
typedef struct child {
  pid_t pid;
  int in; /* its output */
} child;

static lcu_status start (const char *const *argv, child *c) {
  int ends[2];
  if (!open_pipe(ends)) return fail_start(argv[0], errno);
  int e = spawn(argv, ends[1], &c->pid);
  close(ends[1]);
  if (e == 0) {
    c->in = ends[0];
    return LCU_OK;
  }
  close(ends[0]);
  return fail_start(argv[0], e);
}


/* ---- to its end ---- */

static lcu_status take (lcu_buf *out, const char *data, size_t n) {
  if (out->len >= LCU_CHILD_MOST) return LCU_OK;
  lcu_buf_add(out, data, n);
  return out->failed ? lcu_no_memory("the output of a program") : LCU_OK;
}

static void await_end (child *c, lcu_child_end *end) {
  int status = 0;
  pid_t r;
  close(c->in);
  c->in = -1;
  do r = waitpid(c->pid, &status, 0);
  while (r < 0 && errno == EINTR);
  end->known = r == c->pid;
  if (!end->known) return;
  if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  else end->code = WEXITSTATUS(status);
}

/* The output ends when the last process that has it open ends. */
static lcu_status read_some (child *c, lcu_child_end *end) {
  char chunk[4096];
  ssize_t n = read(c->in, chunk, sizeof chunk);
  if (n > 0) return take(&end->output, chunk, (size_t)n);
  if (n == 0 || (errno != EINTR && errno != EAGAIN)) await_end(c, end);
  return LCU_OK;
}


/* ---- several ---- */

typedef struct crew {
  const char *const *const *argvs;
  size_t num, most, started, ended;
  const lcu_child_watch *watch;
  lcu_child_end *ends;
  child *list;
  struct pollfd *polls;
} crew;

static lcu_status start_more (crew *w) {
  while (w->started < w->num && w->started - w->ended < w->most) {
    LCU_TRY(start(w->argvs[w->started], &w->list[w->started]));
    w->started++;
  }
  return LCU_OK;
}

/* Entries of programs that do not run have no descriptor, which poll skips. */
static lcu_status wait_some (crew *w) {
  for (size_t i = 0; i < w->started; i++)
    w->polls[i] = (struct pollfd){ .fd = w->list[i].in, .events = POLLIN };
  if (poll(w->polls, (nfds_t)w->started, POLL_MS) <= 0) return LCU_OK;
  for (size_t i = 0; i < w->started; i++) {
    if (w->list[i].in < 0 || w->polls[i].revents == 0) continue;
    LCU_TRY(read_some(&w->list[i], &w->ends[i]));
    if (w->list[i].in >= 0) continue;
    w->ended++;
  }
  return LCU_OK;
}

static lcu_status run_crew (crew *w) {
  for (bool begin = true; w->ended < w->num; begin = false) {
    LCU_TRY(start_more(w));
    if (w->watch->stop != NULL && w->watch->stop(begin))
      return lcu_fail(LCU_E_INTERRUPTED, "%s was interrupted", w->argvs[0][0]);
    LCU_TRY(wait_some(w));
    if (w->watch->progress != NULL) w->watch->progress(w->watch->ud, w->ended, w->num);
  }
  return LCU_OK;
}

static void end_crew (crew *w) {
  for (size_t i = 0; i < w->started; i++) {
    if (w->list[i].in < 0) continue;
    kill(-w->list[i].pid, SIGKILL);
    await_end(&w->list[i], &w->ends[i]);
  }
}

lcu_status lcu_child_run (const char *const *const *argvs, size_t num, size_t most,
                          const lcu_child_watch *watch, lcu_child_end *ends) {
  crew w = { .argvs = argvs, .num = num, .most = most, .watch = watch, .ends = ends };
  w.list = lcu_calloc(num, sizeof *w.list);
  w.polls = lcu_calloc(num, sizeof *w.polls);
  lcu_status s = w.list == NULL || w.polls == NULL ? lcu_no_memory("programs") : run_crew(&w);
  if (s != LCU_OK) end_crew(&w);
  lcu_free(w.list);
  lcu_free(w.polls);
  return s;
}
