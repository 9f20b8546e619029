/* ptx_profile.h: counting what kernels cost, by source line (cpu/docs/machine.md, 3.11). */
#ifndef PTX_PROFILE_H
#define PTX_PROFILE_H

#include "lcu_costs.h"
#include "lcu_status.h"

typedef struct ptx_profile ptx_profile;

/* Launches with this profile add to `costs`. One launch at a time may have it. NULL: out of
 * memory. */
ptx_profile *ptx_profile_new (lcu_costs *costs);
void ptx_profile_free (ptx_profile *p);

#endif
