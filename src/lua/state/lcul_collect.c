/* lcul_collect.c: Lua's collector and memory that it does not see. */
#include "lcul_collect.h"

#include "lcu_block.h"
#include "lcul_mail.h"

enum { BLOCK_WEIGHT = 16 * 1024, STEPS = 16, PIECE = 64 * 1024 };
#define BUDGET_MIN ((size_t)64 << 20)

/* Bytes that may be allocated during one cycle of the collector: more when much memory is in use
 * anyway, and more when a large Lua heap makes a cycle expensive. */
static size_t budget (size_t heap) {
  size_t b = BUDGET_MIN, live = lcu_block_live_bytes();
  if (b < live / 2) b = live / 2;
  return b < heap * 8 ? heap * 8 : b;
}

/* Since Lua 5.5 a call does one basic step at most, however many bytes it is given. */
static void collector_step (lua_State *L, size_t bytes) {
#if LUA_VERSION_NUM >= 505
  for (size_t done = 0; done <= bytes; done += PIECE)
    if (lua_gc(L, LUA_GCSTEP, (size_t)PIECE) == 1) return;
#else
  lua_gc(L, LUA_GCSTEP, (int)(bytes / 1024 + 1 < INT32_MAX ? bytes / 1024 + 1 : INT32_MAX));
#endif
}

/* A cycle begins once the heap has doubled (the default pause) and then needs little debt, so
 * slightly more debt than the heap makes one cycle. */
void lcul_gc_account (lua_State *L, size_t bytes) {
  lcul_state *st = lcul_getstate(L);
  if (bytes > SIZE_MAX / 2 - BLOCK_WEIGHT - st->gc_debt)
    bytes = SIZE_MAX / 2 - BLOCK_WEIGHT - st->gc_debt;
  st->gc_debt += bytes + BLOCK_WEIGHT;
  if (lcu_likely(st->gc_debt < st->gc_step)) return;
  size_t heap = (size_t)lua_gc(L, LUA_GCCOUNT) * 1024, limit = budget(heap), debt = st->gc_debt;
  st->gc_debt = 0;
  st->gc_step = limit / STEPS;
  lcul_mail_settle(L, st);
  if (!lua_gc(L, LUA_GCISRUNNING)) return;
  double part = (double)debt / (double)limit;
  collector_step(L, (size_t)(1.2 * (double)heap * (part < 1 ? part : 1)));
}

void lcul_gc_repay (lua_State *L, size_t bytes) {
  lcul_state *st = lcul_getstate(L);
  bytes += BLOCK_WEIGHT;
  st->gc_debt -= bytes < st->gc_debt ? bytes : st->gc_debt;
}

/* While the collector runs a finalizer, lua_gc does nothing and returns -1. */
bool lcul_in_finalizer (lua_State *L) { return lua_gc(L, LUA_GCISRUNNING) < 0; }

bool lcul_is_recording (lua_State *L) {
  return lcul_getstate(L)->capture != NULL && !lcul_in_finalizer(L);
}
