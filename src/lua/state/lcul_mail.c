/* lcul_mail.c: the mailbox of a state. */
#include "lcul_mail.h"

#include <pthread.h>

#include "lcul_collect.h"
#include "lcul_error.h"

struct lcul_mail {
  struct lcul_mail *next;
  lcul_mailbox *box;
  int ref; /* key of the value in the registry */
  bool call;
};

typedef struct mail_list {
  lcul_mail *first, **end; /* end: where the next one goes */
} mail_list;

/* Owned by the state and by every mail that was not posted yet. */
struct lcul_mailbox {
  atomic_int refs;
  pthread_mutex_t lock;
  bool closed;
  atomic_bool waiting[2]; /* is there a mail to drop, a call? */
  mail_list lists[2];     /* the mails to drop, the calls */
};

static void box_unref (lcul_mailbox *box) {
  if (atomic_fetch_sub(&box->refs, 1) != 1) return;
  pthread_mutex_destroy(&box->lock);
  lcu_free(box);
}

static lcul_mailbox *box_of (lua_State *L, lcul_state *st) {
  if (st->mail != NULL) return st->mail;
  lcul_mailbox *box = lcu_calloc(1, sizeof *box);
  if (box == NULL) lcul_status(L, lcu_no_memory("the mailbox of a Lua state"));
  atomic_init(&box->refs, 1);
  pthread_mutex_init(&box->lock, NULL);
  for (int i = 0; i < 2; i++) box->lists[i].end = &box->lists[i].first;
  st->mail = box;
  return box;
}

static lcul_mail *new_mail (lua_State *L, bool call) {
  lcul_mailbox *box = box_of(L, lcul_getstate(L));
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lcul_mail *m = lcu_alloc(sizeof *m);
  if (m == NULL) {
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    lcul_status(L, lcu_no_memory("a reference to a Lua value"));
  }
  *m = (lcul_mail){ .box = box, .ref = ref, .call = call };
  atomic_fetch_add(&box->refs, 1);
  return m;
}

lcul_mail *lcul_mail_new (lua_State *L) { return new_mail(L, false); }
lcul_mail *lcul_mail_new_call (lua_State *L) { return new_mail(L, true); }

void lcul_mail_cancel (lcul_mail *m) {
  m->call = false;
  lcul_mail_post(m);
}

void lcul_mail_post (void *mail) {
  lcul_mail *m = mail;
  lcul_mailbox *box = m->box;
  pthread_mutex_lock(&box->lock);
  bool closed = box->closed;
  if (!closed) {
    mail_list *list = &box->lists[m->call];
    m->next = NULL;
    *list->end = m;
    list->end = &m->next;
    atomic_store(&box->waiting[m->call], true);
  }
  pthread_mutex_unlock(&box->lock);
  if (closed) lcu_free(m);
  box_unref(box);
}

static lcul_mail *take_all (lcul_mailbox *box, bool calls) {
  mail_list *list = &box->lists[calls];
  pthread_mutex_lock(&box->lock);
  lcul_mail *first = list->first;
  list->first = NULL;
  list->end = &list->first;
  atomic_store(&box->waiting[calls], false);
  pthread_mutex_unlock(&box->lock);
  return first;
}

void lcul_mail_settle (lua_State *L, lcul_state *st) {
  lcul_mailbox *box = st->mail;
  if (box == NULL || !atomic_load(&box->waiting[0])) return;
  for (lcul_mail *m = take_all(box, false), *next; m != NULL; m = next) {
    next = m->next;
    luaL_unref(L, LUA_REGISTRYINDEX, m->ref);
    lcu_free(m);
  }
}

static lcul_mail *take_call (lcul_mailbox *box) {
  mail_list *list = &box->lists[1];
  pthread_mutex_lock(&box->lock);
  lcul_mail *m = list->first;
  if (m != NULL) list->first = m->next;
  if (list->first == NULL) {
    list->end = &list->first;
    atomic_store(&box->waiting[1], false);
  }
  pthread_mutex_unlock(&box->lock);
  return m;
}

int lcul_mail_call (lua_State *L, int nargs) {
  lua_pushvalue(L, -nargs - 1);
  lua_insert(L, -nargs - 1);
  int result = lua_pcall(L, nargs, 0, 0);
  if (result == LUA_OK) lua_pop(L, 1);
  return result;
}

void lcul_mail_raise (lua_State *L, const char *what) {
  lua_Debug ar;
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_pushvalue(L, -2);
    lua_getinfo(L, ">S", &ar);
    lua_pushfstring(L, "%s of the function at %s:%d: %s", what, ar.short_src, ar.linedefined,
                    lua_tostring(L, -1));
  }
  lua_error(L);
}

static void run_call (lua_State *L, lcul_mail *m) {
  luaL_checkstack(L, 4, NULL);
  lua_rawgeti(L, LUA_REGISTRYINDEX, m->ref);
  luaL_unref(L, LUA_REGISTRYINDEX, m->ref);
  lcu_free(m);
  if (lcul_mail_call(L, 0) != LUA_OK) lcul_mail_raise(L, "stream:call");
}

int lcul_mail_run (lua_State *L) {
  const lcul_state *st = lcul_getstate(L);
  lcul_mailbox *box = st->mail;
  int n = 0;
  if (lcu_likely(box == NULL || !atomic_load(&box->waiting[1]))) return 0;
  if (st->closing || lcul_in_finalizer(L)) return 0;
  if (st->capture != NULL) return 0; /* what they queue is no part of the graph */
  for (lcul_mail *m; (m = take_call(box)) != NULL; n++) run_call(L, m);
  return n;
}

void lcul_mail_close (lcul_state *st) {
  lcul_mailbox *box = st->mail;
  if (box == NULL) return;
  pthread_mutex_lock(&box->lock);
  box->closed = true;
  pthread_mutex_unlock(&box->lock);
  for (int calls = 0; calls < 2; calls++)
    for (lcul_mail *m = take_all(box, calls), *next; m != NULL; m = next) {
      next = m->next;
      lcu_free(m);
    }
  st->mail = NULL;
  box_unref(box);
}
