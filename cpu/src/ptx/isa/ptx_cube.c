/* ptx_cube.c: the faces of cubemaps, as in the table of the CUDA C++ Programming Guide. */
#include "ptx_cube.h"

#include <math.h>

/* The axes of s and t and their signs. */
typedef struct face {
  int s, t, s_sign, t_sign;
} face;

static const face cube_faces[6] = {
  { 2, 1, -1, -1 }, { 2, 1, 1, -1 }, { 0, 2, 1, 1 },
  { 0, 2, 1, -1 },  { 0, 1, 1, -1 }, { 0, 1, -1, -1 },
};

static uint32_t major_axis (const double d[3]) {
  double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  return x > y && x > z ? 0 : y > z ? 1 : 2;
}

static uint32_t face_of (const double d[3], uint32_t axis) {
  return 2 * axis + (d[axis] < 0 ? 1 : 0);
}

uint32_t ptx_cube_face (const double direction[3], double at[3]) {
  uint32_t axis = major_axis(direction), number = face_of(direction, axis);
  const face *f = &cube_faces[number];
  double m = fabs(direction[axis]), s = direction[f->s], t = direction[f->t];
  at[0] = (f->s_sign * s / m + 1) / 2;
  at[1] = (f->t_sign * t / m + 1) / 2;
  at[2] = 0;
  return number;
}

/* The derivative of s / m. */
static double quotient (double s, double ds, double m, double dm) {
  return (ds * m - s * dm) / (m * m);
}

void ptx_cube_slope (const double direction[3], const float change[3], double slope[3]) {
  uint32_t axis = major_axis(direction);
  const face *f = &cube_faces[face_of(direction, axis)];
  double m = fabs(direction[axis]), dm = (double)change[axis];
  if (direction[axis] < 0) dm = -dm;
  slope[0] = quotient(direction[f->s], (double)change[f->s], m, dm) / 2;
  slope[1] = quotient(direction[f->t], (double)change[f->t], m, dm) / 2;
  slope[2] = 0;
}

/* The center of a texel, from -1 to 1 within the face. */
static double center (int32_t texel, int32_t n) { return (2 * texel + 1) / (double)n - 1; }

/* The direction of its center meets the texel: it is less than half a texel beside the center. */
uint32_t ptx_cube_beyond (uint32_t face_number, int32_t n, const int32_t beyond[2], int32_t at[2]) {
  const face *f = &cube_faces[face_number];
  double direction[3], place[3];
  direction[face_number / 2] = face_number % 2 == 0 ? 1 : -1;
  direction[f->s] = f->s_sign * center(beyond[0], n);
  direction[f->t] = f->t_sign * center(beyond[1], n);
  uint32_t number = ptx_cube_face(direction, place);
  for (int k = 0; k < 2; k++) {
    at[k] = (int32_t)(place[k] * n);
    if (at[k] >= n) at[k] = n - 1;
  }
  return number;
}
