/* lcul_partition.h: class Partition. */
#ifndef LCUL_PARTITION_H
#define LCUL_PARTITION_H

#include "lcu_partition.h"
#include "lcul_state.h"

/* Option `partition` (borrowed); NULL when it is not given. */
lcu_partition *lcul_opt_partition (lua_State *L, int idx);
void lcul_partition_push (lua_State *L, lcu_partition *p); /* a new handle */

#endif
