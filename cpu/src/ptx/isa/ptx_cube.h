/* ptx_cube.h: the faces of cubemaps. */
#ifndef PTX_CUBE_H
#define PTX_CUBE_H

#include "lcu_status.h"

/* The face that a direction meets (+x, -x, +y, -y, +z, -z) and where, from 0 to 1, in at[0] and
 * at[1]. `at` may be `direction`. */
uint32_t ptx_cube_face (const double direction[3], double at[3]);

/* How at[0] and at[1] change when the direction changes by `change`. */
void ptx_cube_slope (const double direction[3], const float change[3], double slope[3]);

/* The texel that follows after the edge of a face of n x n texels, for numbers of which one is -1
 * or n. Returns its face. */
uint32_t ptx_cube_beyond (uint32_t face, int32_t n, const int32_t beyond[2], int32_t at[2]);

#endif
