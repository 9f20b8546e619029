/* ptx_cube.c: the faces of cubemaps, as in the table of the CUDA C++ Programming Guide. */
#include "ptx_cube.h"

#include <math.h>

/* The axis that is largest, then those of s and t and their signs. */
typedef struct face {
  int s, t;
  float s_sign, t_sign;
} face;

static const face faces[6] = {
  { 2, 1, -1, -1 }, { 2, 1, 1, -1 }, { 0, 2, 1, 1 }, { 0, 2, 1, -1 }, { 0, 1, 1, -1 },
  { 0, 1, -1, -1 },
};

uint32_t ptx_cube_face (const float direction[3], float at[3]) {
  const float d[3] = { direction[0], direction[1], direction[2] };
  const float x = fabsf(d[0]), y = fabsf(d[1]), z = fabsf(d[2]);
  uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  uint32_t number = 2 * axis + (d[axis] < 0 ? 1 : 0);
  const face *f = &faces[number];
  float m = fabsf(d[axis]);
  at[0] = (f->s_sign * d[f->s] / m + 1) / 2;
  at[1] = (f->t_sign * d[f->t] / m + 1) / 2;
  at[2] = 0;
  return number;
}
