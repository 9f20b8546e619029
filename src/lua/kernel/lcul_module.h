/* lcul_module.h: class Module: code loaded on devices. */
#ifndef LCUL_MODULE_H
#define LCUL_MODULE_H

#include "lcu_module.h"
#include "lcu_work.h"
#include "lcul_state.h"

/* A module on one device. `globals` are the blocks of variables that were returned as arrays: every
 * launch of its kernels uses them. */
typedef struct lcul_loaded {
  lcu_module *module; /* NULL: not loaded there */
  bool launched; /* one of its kernels was, possibly before a global's block recorded its uses */
  lcu_use *globals;
  char **symbols; /* of the globals */
  size_t num_globals;
} lcul_loaded;

/* User value 1: the table of kernel/loading.lua. */
typedef struct lcul_module {
  bool open;
  lcul_loaded loaded[LCU_MAX_DEVICES];
} lcul_module;

lcul_module *lcul_module_check (lua_State *L, int idx);

/* The module at 1 on the device at 2; raises when it is not loaded there. */
lcul_loaded *lcul_loaded_check (lua_State *L);

#endif
