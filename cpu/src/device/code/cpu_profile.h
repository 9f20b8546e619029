/* cpu_profile.h: counting what the kernels of an owner (a Lua state) cost. */
#ifndef CPU_PROFILE_H
#define CPU_PROFILE_H

#include "cpu_op.h"
#include "ptx.h"

/* The profile that a grid queued by this owner adds to, or NULL. Until cpu_profile_leave no other
 * grid has it and it does not end. */
ptx_profile *cpu_profile_enter (uint64_t owner);
void cpu_profile_leave (ptx_profile *p); /* may be NULL */

#endif
