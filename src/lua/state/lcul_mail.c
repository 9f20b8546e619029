/* lcul_mail.c: the mailbox of a state. */
#include "lcul_mail.h"

#include <pthread.h>

#include "lcul_error.h"

struct lcul_mail {
  struct lcul_mail *next;
  lcul_mailbox *box;
  int ref; /* key of the value in the registry */
};

/* Owned by the state and by every mail that was not posted yet. */
struct lcul_mailbox {
  atomic_int refs;
  atomic_bool waiting; /* is there a mail? */
  pthread_mutex_t lock;
  bool closed;
  lcul_mail *first;
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
  st->mail = box;
  return box;
}

lcul_mail *lcul_mail_new (lua_State *L) {
  lcul_mailbox *box = box_of(L, lcul_getstate(L));
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lcul_mail *m = lcu_alloc(sizeof *m);
  if (m == NULL) {
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    lcul_status(L, lcu_no_memory("a reference to a Lua value"));
  }
  *m = (lcul_mail){ .box = box, .ref = ref };
  atomic_fetch_add(&box->refs, 1);
  return m;
}

void lcul_mail_post (void *mail) {
  lcul_mail *m = mail;
  lcul_mailbox *box = m->box;
  pthread_mutex_lock(&box->lock);
  bool closed = box->closed;
  if (!closed) {
    m->next = box->first;
    box->first = m;
    atomic_store(&box->waiting, true);
  }
  pthread_mutex_unlock(&box->lock);
  if (closed) lcu_free(m);
  box_unref(box);
}

static lcul_mail *take_all (lcul_mailbox *box) {
  pthread_mutex_lock(&box->lock);
  lcul_mail *list = box->first;
  box->first = NULL;
  atomic_store(&box->waiting, false);
  pthread_mutex_unlock(&box->lock);
  return list;
}

void lcul_mail_settle (lua_State *L, lcul_state *st) {
  lcul_mailbox *box = st->mail;
  if (box == NULL || !atomic_load(&box->waiting)) return;
  for (lcul_mail *m = take_all(box), *next; m != NULL; m = next) {
    next = m->next;
    luaL_unref(L, LUA_REGISTRYINDEX, m->ref);
    lcu_free(m);
  }
}

void lcul_mail_close (lcul_state *st) {
  lcul_mailbox *box = st->mail;
  if (box == NULL) return;
  pthread_mutex_lock(&box->lock);
  box->closed = true;
  pthread_mutex_unlock(&box->lock);
  for (lcul_mail *m = take_all(box), *next; m != NULL; m = next) {
    next = m->next;
    lcu_free(m);
  }
  st->mail = NULL;
  box_unref(box);
}
