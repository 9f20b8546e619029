/* lcul_jit.h: options and reports of the driver's PTX compiler and linker, as Lua sees them. */
#ifndef LCUL_JIT_H
#define LCUL_JIT_H

#include <lua.h>

#include "lcu_jit.h"

/* Pushes an empty report. */
lcu_jit_report *lcul_jit_newreport (lua_State *L);
/* Reads the list { id, value, id, value, ... } at idx, or nil; returns their number. */
size_t lcul_jit_options (lua_State *L, int idx, lcu_jit_option options[LCU_JIT_MAX]);
/* Pushes { info_log, error_log [, wall_ms] [, threads_per_block] }. */
void lcul_jit_push (lua_State *L, const lcu_jit_report *report);

#endif
