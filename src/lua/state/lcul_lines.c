/* lcul_lines.c: queues of lines that wait for functions of their states. */
#include "lcul_lines.h"

#include <pthread.h>
#include <string.h>

#include "lcu_caller.h"
#include "lcul_collect.h"
#include "lcul_error.h"
#include "lcul_mail.h"

typedef struct line {
  struct line *next;
  lcul_line_kind kind;
  char text[];
} line;

/* More lines than this do not wait: a long recording of a graph runs no function. */
enum { MOST_LINES = 10000 };

struct lcul_lines {
  struct lcul_lines *next; /* of another state */
  uint64_t state;
  bool wants[LCUL_LINE_COUNT], running; /* running: one of its functions */
  line *first, **end;
  long waiting, lost;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list and what is in it */
static lcul_lines *all_lines;
static atomic_int wanted[LCUL_LINE_COUNT];
atomic_int lcul_lines_functions;
static const char keys[LCUL_LINE_COUNT]; /* registry: the functions, by address */

int lcul_lines_wanted (lcul_line_kind kind) { return atomic_load(&wanted[kind]); }

static lcul_lines *lines_of (lua_State *L, lcul_state *st) {
  if (st->lines != NULL) return st->lines;
  lcul_lines *q = lcu_calloc(1, sizeof *q);
  if (q == NULL) lcul_status(L, lcu_no_memory("the lines of a Lua state"));
  q->state = st->id;
  q->end = &q->first;
  pthread_mutex_lock(&lock);
  q->next = all_lines;
  all_lines = q;
  pthread_mutex_unlock(&lock);
  return st->lines = q;
}

static void want (lcul_lines *q, lcul_line_kind kind, bool wants) {
  pthread_mutex_lock(&lock);
  int change = (int)wants - (int)q->wants[kind];
  q->wants[kind] = wants;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&wanted[kind], change);
  atomic_fetch_add(&lcul_lines_functions, change);
}

void lcul_lines_set (lua_State *L, lcul_line_kind kind) {
  lcul_state *st = lcul_getstate(L);
  bool wants = !lua_isnil(L, -1);
  if (wants) (void)lines_of(L, st);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &keys[kind]);
  if (st->lines != NULL) want(st->lines, kind, wants);
}

void lcul_lines_push (lua_State *L, lcul_line_kind kind) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[kind]);
}


/* ---- the queue ---- */

static void append (lcul_lines *q, lcul_line_kind kind, const char *text) {
  size_t len = strlen(text);
  line *l = q->waiting < MOST_LINES ? lcu_alloc(sizeof *l + len + 1) : NULL;
  if (l == NULL) {
    q->lost++;
    return;
  }
  l->next = NULL;
  l->kind = kind;
  memcpy(l->text, text, len + 1);
  *q->end = l;
  q->end = &l->next;
  q->waiting++;
}

bool lcul_lines_add (lcul_line_kind kind, const char *text) {
  pthread_mutex_lock(&lock);
  lcul_lines *q = all_lines;
  while (q != NULL && q->state != lcu_caller.owner) q = q->next;
  bool mine = q != NULL && q->wants[kind];
  if (mine && !q->running) append(q, kind, text);
  pthread_mutex_unlock(&lock);
  return mine;
}

/* Is there something to deliver? Threads of the driver may add lines. */
static bool is_waiting (lcul_lines *q) {
  pthread_mutex_lock(&lock);
  bool waiting = !q->running && (q->first != NULL || q->lost != 0);
  pthread_mutex_unlock(&lock);
  return waiting;
}

static line *take (lcul_lines *q) {
  pthread_mutex_lock(&lock);
  line *l = q->first;
  if (l != NULL) {
    q->first = l->next;
    if (q->first == NULL) q->end = &q->first;
    q->waiting--;
  }
  pthread_mutex_unlock(&lock);
  return l;
}

static long take_lost (lcul_lines *q) {
  pthread_mutex_lock(&lock);
  long n = q->lost;
  q->lost = 0;
  pthread_mutex_unlock(&lock);
  return n;
}

static void set_running (lcul_lines *q, bool running) {
  pthread_mutex_lock(&lock);
  q->running = running;
  pthread_mutex_unlock(&lock);
}


/* ---- the functions ---- */

/* [function, line] -> [] */
static void call (lua_State *L, lcul_lines *q) {
  set_running(q, true);
  int result = lcul_mail_call(L, 1);
  set_running(q, false);
  if (result != LUA_OK) lcul_mail_raise(L, "debug: call");
}

/* Lines whose function is gone are dropped. */
static void deliver (lua_State *L, lcul_lines *q, line *l) {
  lcul_lines_push(L, l->kind);
  const char *pushed = lua_isnil(L, -1) ? NULL : lua_pushstring(L, l->text);
  lcu_free(l);
  if (pushed != NULL) call(L, q);
  else lua_pop(L, 1);
}

static void deliver_lost (lua_State *L, lcul_lines *q, lcul_line_kind kind, long lost) {
  lcul_lines_push(L, kind);
  lua_pushfstring(L, "%d lines are missing", (int)lost);
  call(L, q);
}

void lcul_lines_deliver (lua_State *L) {
  const lcul_state *st = lcul_getstate(L);
  lcul_lines *q = st->lines;
  if (q == NULL || !is_waiting(q)) return;
  if (st->closing || st->capture != NULL || lcul_in_finalizer(L)) return;
  luaL_checkstack(L, 8, NULL);
  for (line *l; (l = take(q)) != NULL;) deliver(L, q, l);
  long lost = take_lost(q);
  for (int kind = 0; lost > 0 && kind < LCUL_LINE_COUNT; kind++)
    if (q->wants[kind]) deliver_lost(L, q, (lcul_line_kind)kind, lost);
}

int lcul_callbacks_run (lua_State *L) {
  int n = lcul_mail_run(L);
  lcul_lines_run(L);
  return n;
}

void lcul_lines_close (lcul_state *st) {
  lcul_lines *q = st->lines;
  if (q == NULL) return;
  for (int kind = 0; kind < LCUL_LINE_COUNT; kind++) want(q, (lcul_line_kind)kind, false);
  pthread_mutex_lock(&lock);
  lcul_lines **p = &all_lines;
  while (*p != q) p = &(*p)->next;
  *p = q->next;
  pthread_mutex_unlock(&lock);
  for (line *l; (l = take(q)) != NULL;) lcu_free(l);
  st->lines = NULL;
  lcu_free(q);
}
