/* lcul_aux.h: what every binding file uses: the per-state record, classes, checked arguments,
 * options, and the one place where a status becomes a Lua error.
 *
 * Every C function of ours is a closure with the state record as upvalue 1 (lcul_setfuncs sees to
 * it). */
#ifndef LCUL_AUX_H
#define LCUL_AUX_H

#include <lauxlib.h>
#include <lua.h>

#include "lcu_block.h"
#include "lcu_copy.h"
#include "lcu_device_failure.h"
#include "lcu_dtype.h"
#include "lcu_event.h"
#include "lcu_function.h"
#include "lcu_order.h"
#include "lcu_peers.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_stage.h"
#include "lcu_state_hooks.h"
#include "lcu_wait.h"

typedef enum lcul_class {
  LCUL_DEVICE,
  LCUL_STREAM,
  LCUL_EVENT,
  LCUL_ARRAY,
  LCUL_MODULE,
  LCUL_KERNEL,
  LCUL_PREPARED,
  LCUL_SCALAR,
  LCUL_POINTER,
  LCUL_ARGUMENT /* cuda.raw/input/output/inout */,
  LCUL_STRUCT,
  LCUL_COMPLEX,
  LCUL_ELEMENTWISE,
  LCUL_REDUCTION,
  LCUL_FUSED,
  LCUL_SHAPE,
  LCUL_RECORD,
  LCUL_CLASS_COUNT
} lcul_class;

/* One per Lua state: a userdata made before every other of ours, so finalised last. */
typedef struct lcul_hook {
  lua_Hook fn;
  int mask, count;
} lcul_hook;

/* A class in one state. */
typedef struct lcul_class_entry {
  const void *metatable; /* lua_topointer of it, for core.type */
  int ref;               /* its registry key: found faster than by lcul_marks */
  const struct lcul_classdef *def;
} lcul_class_entry;

typedef struct lcul_state {
  uint64_t id;        /* lcu_owner of the state's work; never used again */
  lcu_device *device; /* current device; NULL until chosen */
  /* current stream per device index of lcu_process_device; NULL: the null stream (references) */
  lcu_stream *streams[64];
  lcu_stream *leaving; /* streams that finalizers let go of: see lcul_stream_leave */
  lcul_class_entry classes[LCUL_CLASS_COUNT];
  const lcu_dtype *dtype;
  size_t dtype_len; /* the dtype named last, and how long its name is */
  int no_sync;      /* depth of cuda.no_sync */
  bool closing;
  size_t gc_debt; /* device bytes allocated since the collector was last told */
  size_t gc_step; /* debt at which it is told next */
  bool warned;    /* about falling back to the CPU device */
  /* errors are raised as their text: cuda.debug{ errors = "string" } */
  bool string_errors;
  unsigned errors;     /* remembered so far: see lcul_error.c */
  bool entered;        /* counted by lcu_process_enter */
  lua_State *main;     /* main thread of this state */
  lcul_hook hook;      /* of the main thread, as lcul_wait_stops saw it last */
  lua_Hook debug_hook; /* what debug.sethook sets */
  /* chunk names that begin with this are ours: positions in messages skip them */
  char home[256];
} lcul_state;

#define lcul_getstate(L) ((lcul_state *)lua_touserdata((L), lua_upvalueindex(1)))

/* From now on this thread works for the calling function's state. To be called before work is
 * queued or waited for. */
static inline void lcul_work_for (const lcul_state *st) {
  if (lcu_likely(st != NULL)) lcu_owner = st->id;
}

/* Like luaL_setfuncs, with the state record as upvalue 1 of each function. Table at the top. */
void lcul_setfuncs (lua_State *L, const luaL_Reg *funcs);

/* Fields of the table at the top. A string that is NULL is left out. */
void lcul_set_string (lua_State *L, const char *name, const char *value);
void lcul_set_integer (lua_State *L, const char *name, lua_Integer value);
void lcul_set_boolean (lua_State *L, const char *name, bool value);

/* Makes a class: a metatable with __name "luacuda.<name>", `metamethods`, and an __index that looks
 * up `methods`, then calls the getter of that name with the object; an unknown name raises and
 * lists near ones. `index` (may be NULL) is tried first for keys that are not strings (a[i]);
 * `fallback` (may be NULL) for string keys nothing else knows (device attributes): it pushes one
 * value and returns 1, or returns 0. `__complete` lists all names for consoles. Leaves nothing on
 * the stack; the metatable is kept in the registry under its __name. */
struct lcul_struct;
struct lcul_field;
struct lcul_uses;
typedef struct lcul_classdef {
  lcul_class id;
  const char *name; /* "Array" */
  const luaL_Reg *methods, *getters, *setters, *metamethods;
  lua_CFunction index, newindex;
  lua_CFunction fallback;
  /* (may be NULL) names the fallback knows, for messages */
  size_t (*names)(const char *list[], size_t max);
  /* Objects begin with a pointer that is NULL once they are closed. Other classes may have a
   * metafield __closed, a function of the object. */
  bool boxed;
  /* (may be NULL) "Array float32 {2, 3}", for lcul_describe; "float32 array", for
   * lcul_describe_type */
  void (*describe)(lua_State *L, int idx, char *buf, size_t size);
  void (*describe_type)(lua_State *L, int idx, char *buf, size_t size);
  /* (may be NULL) What the object at idx is inside a struct: the bytes of a struct of layout s,
   * written to p, or false; the address that a pointer field takes. Both may raise "<what>:
   * ...". */
  bool (*struct_bytes)(lua_State *L, int idx, const struct lcul_struct *s, void *p);
  uint64_t (*field_address)(lua_State *L, int idx, const struct lcul_field *f,
                            struct lcul_uses *uses, const char *what);
} lcul_classdef;
/* The class of the object at idx; NULL: the value is not an object of this library. */
const lcul_classdef *lcul_classdef_of (lua_State *L, int idx);
void lcul_newclass (lua_State *L, const lcul_classdef *def);
#define LCUL_LATE "luacuda.late" /* registry: objects that Lua may not finalise (keys) */
/* Pushes what a Lua file of the library ("luacuda.array.convert") returned, loaded once per
 * state. */
void lcul_push_library (lua_State *L, const char *name);
/* Pushes function `name` of the table that a Lua file gave for `which` ("kernel", "fuse"):
 * core.hooks(which, table). */
void lcul_push_hook (lua_State *L, const char *which, const char *name);
#define LCUL_HOOKS "luacuda.hooks" /* registry: these tables */
/* Makes a userdata of the class (all bytes zero: closed), metatable set, `nuv` user values. Box
 * first, then acquire. */
void *lcul_newobject (lua_State *L, lcul_class id, size_t size, int nuv);
/* Before every object lies its class, as an address of ours that no other userdata begins with: a
 * test that costs less than asking for a metatable, which debug.setmetatable may change besides. */
typedef struct lcul_header {
  const char *mark;
} lcul_header;
extern const char lcul_marks[LCUL_CLASS_COUNT];
/* The object in the userdata at idx, which is known to be one of ours. */
static inline void *lcul_toobject (lua_State *L, int idx) {
  return (lcul_header *)lua_touserdata(L, idx) + 1;
}
/* The object at idx if it is of the class, else NULL. */
static inline void *lcul_test (lua_State *L, int idx, lcul_class id) {
  /* light userdata have no length */
  if (lua_rawlen(L, idx) < sizeof(lcul_header)) return NULL;
  lcul_header *h = lua_touserdata(L, idx);
  return h != NULL && h->mark == &lcul_marks[id] ? h + 1 : NULL;
}
/* The same, or raises "expected Array, got number". A closed object is the class's own check's
 * business. */
void *lcul_check (lua_State *L, int idx, lcul_class id);
const char *lcul_class_name (lcul_class id); /* "Array" */
/* "number", "table", "Array float32 {2, 3}": what a value is, for messages. Pushes nothing; text
 * lives in `buf`. */
const char *lcul_describe (lua_State *L, int idx, char *buf, size_t size);
/* The same where only the type matters: "float32 array". */
const char *lcul_describe_type (lua_State *L, int idx, char *buf, size_t size);

/* Raises the error object for a failed status (from the thread's failure record); returns normally
 * for LCU_OK. */
void lcul_status (lua_State *L, lcu_status s);
/* The same with the field `log`, unless it is empty. */
void lcul_status_log (lua_State *L, lcu_status s, const char *log);
/* Calls the hook of L, if any, as running Lua code would. It may raise, which is what hooks set by
 * handlers of signals do. */
void lcul_run_hook (lua_State *L);
/* lcu_state_hooks.stop of a state. */
bool lcul_wait_stops (void *ud, bool begin);
void lcul_open_interrupt (lua_State *L, lcul_state *st);
/* Raises an error object of the given kind ("logic", "compile", ...) with a formatted message. */
int lcul_raise (lua_State *L, const char *kind, const char *fmt, ...) LCU_PRINTF(3, 4);
/* Pushes this thread's latest failure as a sentence. */
void lcul_push_failure_text (lua_State *L);
/* Pushes an error object for the failure record, which counts as not raised. */
void lcul_push_failure (lua_State *L, lcu_status s);
/* The end of a state: what failed for it and was never raised goes to stderr. */
void lcul_say_unheard (lua_State *L);
/* the same for what ended CUDA for the process */
void lcul_say_lost (void);
/* Pushes "file:line: " of the innermost level that is the user's own code, or "". */
void lcul_where (lua_State *L);
/* To be called before each launch: notes where the user's own code called for it, for faults that
 * the device tells of later. Not for launches that the user's code makes itself, unless `builder`:
 * their kernels are the user's text. */
void lcul_note_caller (lua_State *L, const lcu_device *d, bool builder);
/* A wrong argument: raises a string that begins with that position. */
int lcul_misuse (lua_State *L, const char *fmt, ...) LCU_PRINTF(2, 3);
/* Does this activation (of which "S" is known) run a chunk of this library's own? */
bool lcul_is_own (const lcul_state *st, const lua_Debug *ar);

/* The public name of the function that user code called ("zeros", "fill"), for messages; slow. */
const char *lcul_callee (lua_State *L);
/* Arguments that raise "fill: argument 1: expected a string, got nil". Strings are never numbers
 * nor numbers strings. */
int lcul_wrong_type (lua_State *L, int arg, const char *expected);
const char *lcul_check_string (lua_State *L, int arg);
/* The string at idx; raises when it holds a zero byte, which would end it early in C. */
const char *lcul_whole_string (lua_State *L, int idx);
void lcul_check_table (lua_State *L, int arg);
void lcul_check_any (lua_State *L, int arg);
/* Raises when there are more than n arguments, the object of a method counted in. */
void lcul_check_most (lua_State *L, int n);

/* Options: a trailing table. lcul_options raises for a key that is not in `names`
 * (NULL-terminated), listing near ones; `what` is the function's name. idx may hold nil or none.
 * Getters take the table's absolute index. */
bool lcul_options (lua_State *L, int idx, const char *what, const char *const names[]);
bool lcul_opt_bool (lua_State *L, int idx, const char *name, bool def);
lua_Integer lcul_opt_integer (lua_State *L, int idx, const char *name, lua_Integer def,
                              lua_Integer lo, lua_Integer hi);
/* stays valid while the table does */
const char *lcul_opt_string (lua_State *L, int idx, const char *name, const char *def);
/* `stream =`, else the device's current stream (borrowed) */
lcu_stream *lcul_opt_stream (lua_State *L, int idx, lcu_device *d);
/* `device =`, else the current device, opened */
lcu_device *lcul_opt_device (lua_State *L, int idx);

/* Pushes a userdata with an empty buffer, which the collector frees: what uses it may raise. */
lcu_buf *lcul_newbuffer (lua_State *L);
/* Pushes a list of the strings that a buffer holds, each with its zero byte. */
void lcul_push_names (lua_State *L, const lcu_buf *names);

/* Near names: appends "; did you mean 'x' or 'y'?" for up to three candidates close to `name`. */
void lcul_near (lcu_buf *out, const char *name, const char *const candidates[], size_t n);

/* opened; raises when there is none */
lcu_device *lcul_device_current (lua_State *L);
/* device object, ordinal, "cpu", "gpu", PCI id; opened */
lcu_device *lcul_device_arg (lua_State *L, int idx);
lcu_device *lcul_device_check (lua_State *L, int idx); /* a Device object */
/* same userdata for the same device */
void lcul_device_push (lua_State *L, lcu_device *d);
/* position in lcu_process_device */
int lcul_device_index (lcu_device *d);
/* open Stream; raises otherwise */
lcu_stream *lcul_stream_check (lua_State *L, int idx);
lcu_stream *lcul_stream_current (lua_State *L, lcu_device *d); /* borrowed */
void lcul_stream_push (lua_State *L, lcu_stream *s);
/* Drops a reference (NULL is fine). Finalizers run inside whatever allocates, and C functions use
 * streams that they found before: what a finalizer lets go of stays until lcul_stream_settle, which
 * is for calls from elsewhere. Whoever runs other Lua code looks for its stream again afterwards,
 * or holds it. */
void lcul_stream_leave (lua_State *L, lcu_stream *s);
void lcul_stream_settle (lua_State *L, lcul_state *st);
/* Pushes one value that keeps the stream until lcul_stream_release, at the latest until it is
 * collected. */
void lcul_stream_hold (lua_State *L, lcu_stream *s);
void lcul_stream_release (lua_State *L, int idx);
/* open Event; raises otherwise */
lcu_event *lcul_event_check (lua_State *L, int idx);

/* dtype from a name or a struct type at idx; raises with near names. Anchor: struct dtypes live as
 * long as their userdata: store the value at idx where the dtype is kept. */
const lcu_dtype *lcul_dtype_check (lua_State *L, int idx);

/* To be called after device memory was allocated for this state: tells the collector (not while it
 * is stopped). */
void lcul_gc_account (lua_State *L, size_t bytes);
/* The program itself gave an allocation of so many bytes back: the collector need not look for
 * it. */
void lcul_gc_repay (lua_State *L, size_t bytes);
/* Is this code that a finalizer runs? (Lua 5.4.3 and older do not tell.) */
bool lcul_in_finalizer (lua_State *L);
/* Called before every host wait: raises inside cuda.no_sync. `what` names the operation. */
void lcul_sync_allowed (lua_State *L, const char *what);

/* Openers of the other files; each gets the core table at the top of the stack and adds its
 * functions and classes. */
void lcul_open_error (lua_State *L);
void lcul_open_device (lua_State *L);
void lcul_open_stream (lua_State *L);
void lcul_open_event (lua_State *L);
void lcul_open_list (lua_State *L);
void lcul_open_record (lua_State *L);
void lcul_open_array (lua_State *L);
void lcul_open_scalar (lua_State *L);
void lcul_open_struct (lua_State *L);
void lcul_open_compile (lua_State *L);
void lcul_open_module (lua_State *L);
void lcul_open_kernel (lua_State *L);
void lcul_open_blas (lua_State *L);
void lcul_open_builder (lua_State *L);
void lcul_open_elementwise (lua_State *L);
void lcul_open_reduction (lua_State *L);
void lcul_open_fuse (lua_State *L);
/* _live, _fail_at, _cpu_counters: for specs and benchmarks */
void lcul_open_debug (lua_State *L);

#endif
