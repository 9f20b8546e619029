/* lcul_launch.h: launches of kernels, shared by calls, prepared launches and timing. */
#ifndef LCUL_LAUNCH_H
#define LCUL_LAUNCH_H

#include "lcul_args.h"
#include "lcul_error.h"
#include "lcul_lines.h"
#include "lcul_request.h"

enum {
  LCUL_SMALL_PARAMS = 32,
  LCUL_SMALL_BYTES = 1024,
  LCUL_SPARE_USES = 64 /* for arrays and textures in structs */
};

/* Room for one launch on the C stack; larger kernels get a userdata. */
typedef struct lcul_small_room {
  void *params[LCUL_SMALL_PARAMS];
  lcu_use uses[LCUL_SMALL_PARAMS + LCUL_SPARE_USES];
  _Alignas(16) unsigned char bytes[LCUL_SMALL_BYTES];
} lcul_small_room;

/* kernel(launch, ...): [1] kernel, [2] launch table, [3..] arguments. */
int lcul_launch_call (lua_State *L);
/* The same for a launch table that was read into r, and arguments of which none is foreign. */
void lcul_launch_request (lua_State *L, lcul_kernel *k, const char *name, const lcul_request *r);
/* Arguments are mostly on the same device as in the last call: if all are plain there and an array
 * decides the device, there is no need to search for it. False: nothing was done. */
bool lcul_launch_again (lua_State *L, lcul_kernel *k, const lcul_request *r, int first, int nargs);
/* [1] kernel, [2] launch table (read into r), [3..] arguments -> a call ready to run; false when
 * there is nothing to launch. */
bool lcul_launch_begin (lua_State *L, lcul_kernel *k, const char *name, const lcul_request *r,
                        lcul_call *c);
/* Converts the arguments, into `small` if they fit, which completes the call. */
void lcul_launch_convert (lcul_call *c, lcul_kernel *k, int nargs, lcul_small_room *small);
/* After the launch: copies results back (cuda.output, cuda.inout) and releases the stream. */
void lcul_launch_finish (lcul_call *c);
/* Converts, launches, finishes. */
void lcul_launch_run (lcul_call *c, lcul_kernel *k, int nargs);
/* Converts, launches, waits, finishes; returns the milliseconds that the launch took on the device.
 * `what` names the call where waiting is not allowed. */
float lcul_launch_time (lcul_call *c, lcul_kernel *k, int nargs, const char *what);
/* Checks argument i alone (lcul_args_check). */
void lcul_launch_check_argument (lcul_call *c, lcul_kernel *k, size_t i);
/* Checks arguments although nothing will run. */
void lcul_launch_nothing (lcul_call *c, lcul_kernel *k, int nargs);

/* The kernel's name for messages, before its device is known; the string stays in its table. */
const char *lcul_kernel_known_name (lua_State *L, int idx, const lcul_kernel *k);
/* The stream of the launch table at idx again, after Lua code ran that may have closed it; raises
 * then. */
lcu_stream *lcul_launch_stream_again (lua_State *L, int idx);

/* The number of uses of plain arguments; -1: not all are plain, or variables of the module are in
 * use. */
static inline int lcul_launch_plain_uses (lua_State *L, const lcul_binding *b, int first,
                                          int nargs) {
  return lcu_likely(b->home->num_globals == 0)
           ? lcul_args_plain(L, b->plan, b->function->device, first, nargs)
           : -1;
}

static inline void lcul_launch_plain (lua_State *L, const lcul_binding *b, const lcu_config *config,
                                      int uses) {
  b->home->launched = true;
  lcul_note_caller(L, b->function->device, false);
  lcu_status s = lcu_launch(b->function, config, b->plan->params, b->plan->uses, (size_t)uses);
  if (lcu_unlikely(s != LCU_OK)) lcul_status(L, s);
  lcul_lines_run(L);
}

#endif
