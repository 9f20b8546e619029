/* lcul_kernel.h: class Kernel: a function of a module, bound to each device at its first use
 * there. */
#ifndef LCUL_KERNEL_H
#define LCUL_KERNEL_H

#include "lcul_module.h"
#include "lcul_plan.h"

/* A kernel on one device. */
typedef struct lcul_binding {
  lcu_function *function;
  lcul_plan *plan;
  lcul_loaded *home;
  struct lcul_binding *next_old;
} lcul_binding;

/* User value 1: the table of kernel.lua; 2: struct types by class name. */
typedef struct lcul_kernel {
  bool open;
  /* a launch of it is being prepared, which may run Lua code, or that code raised: free() leaves
   * the bindings to __gc */
  bool busy;
  /* of a kernel written in Lua: the lcul_scale that it was made for, plus 1; 0: it fits all */
  uint8_t scale;
  lcul_binding *last; /* the binding used last */
  lcul_binding *bindings[LCU_MAX_DEVICES];
  lcul_binding *old; /* to contexts that were closed while the kernel was busy */
} lcul_kernel;

lcul_kernel *lcul_kernel_check (lua_State *L, int idx);
/* The kernel on `d`; compiles and loads it first if necessary (hooks.resolve). */
lcul_binding *lcul_kernel_bind (lua_State *L, int idx, lcul_kernel *k, lcu_device *d);

/* The binding of the kernel at 1 on the current device, for fields. */
lcul_binding *lcul_kernel_current (lua_State *L);

#endif
