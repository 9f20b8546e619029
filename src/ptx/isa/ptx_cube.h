/* ptx_cube.h: the faces of cubemaps. */
#ifndef PTX_CUBE_H
#define PTX_CUBE_H

#include "lcu_status.h"

/* The face that a direction meets (+x, -x, +y, -y, +z, -z) and where, from 0 to 1, in at[0] and
 * at[1]. `at` may be `direction`. */
uint32_t ptx_cube_face (const float direction[3], float at[3]);

#endif
