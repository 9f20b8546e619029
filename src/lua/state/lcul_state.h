/* lcul_state.h: the record of one Lua state. Every C function of the library is a closure with this
 * record as upvalue 1 (lcul_setfuncs). */
#ifndef LCUL_STATE_H
#define LCUL_STATE_H

#include "lcu_caller.h"
#include "lcu_capture.h"
#include "lcu_dtype.h"
#include "lcu_object.h"
#include "lcu_process.h"
#include "lcu_stream.h"
#include "lcul_class.h"

#define LCUL_STATE "luacuda.state" /* registry: the record */
#define LCUL_CORE "luacuda.core"   /* registry: the core table */

typedef struct lcul_mailbox lcul_mailbox;
typedef struct lcul_lines lcul_lines;

typedef struct lcul_hook {
  lua_Hook fn;
  int mask, count;
} lcul_hook;

/* A userdata made before all other objects of the state, so finalized last. */
typedef struct lcul_state {
  uint64_t id;        /* the owner of the state's work (lcu_caller.h); never reused */
  lcu_device *device; /* current device; NULL until chosen */
  /* current stream per device index of lcu_process_device; NULL: the null stream (references) */
  lcu_stream *streams[LCU_MAX_DEVICES];
  lcu_stream *leaving; /* streams that finalizers released: see lcul_stream_leave */
  lcul_class_entry classes[LCUL_CLASS_COUNT];
  const lcu_dtype *dtype; /* the dtype named last, and the length of its name */
  size_t dtype_len;
  int no_sync;          /* depth of cuda.no_sync */
  lcu_capture *capture; /* work is recorded in it (cuda.graph); NULL: work runs */
  bool closing;
  size_t gc_debt;      /* device bytes allocated since the last step of the collector */
  size_t gc_step;      /* debt at which the next step runs */
  bool warned;         /* about falling back to the CPU device */
  bool traces_arrays;  /* cuda.debug{ allocations = true } */
  bool string_errors;  /* errors are raised as their text: cuda.debug{ errors = "string" } */
  unsigned errors;     /* remembered so far: see lcul_error.c */
  bool entered;        /* counted by lcu_process_enter */
  lua_State *main;     /* main thread of this state */
  lcul_mailbox *mail;  /* lcul_mail.h; NULL until its first use */
  lcul_lines *lines;   /* lcul_lines.h; NULL until its first use */
  lcul_hook hook;      /* of the main thread, as lcul_wait_stops last saw it */
  lua_Hook debug_hook; /* the C function that debug.sethook installs */
  /* Chunk names with this prefix belong to the library: positions in messages skip them. */
  char home[256];
} lcul_state;

#define lcul_getstate(L) ((lcul_state *)lua_touserdata((L), lua_upvalueindex(1)))

/* From now on this thread works for the calling function's state. Call it before queuing work and
 * before waiting. */
static inline void lcul_work_for (const lcul_state *st) {
  if (lcu_likely(st != NULL)) lcu_caller.owner = st->id;
}

#endif
