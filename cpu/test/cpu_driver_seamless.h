/* cpu_driver_seamless.h: tests of seamless cubemaps. The texel beyond an edge is searched for: it
 * is the one whose center is nearest. */
#ifndef CPU_DRIVER_SEAMLESS_H
#define CPU_DRIVER_SEAMLESS_H

#include "cpu_driver_texture.h"

enum { CUBE = 5 }; /* texels of an edge */

/* The direction of a place on a face, given in texels (the table of the guide, backwards). */
static void direction_of (int face, double x, double y, double out[3]) {
  double s = 2 * x / CUBE - 1, t = 2 * y / CUBE - 1;
  const double all[6][3] = { { 1, -t, -s }, { -1, -t, s }, { s, 1, t },
                             { s, -1, -t }, { s, -t, 1 },  { -s, -t, -1 } };
  double length = sqrt(1 + s * s + t * t);
  for (int k = 0; k < 3; k++) out[k] = all[face][k] / length;
}

static double seamless_texel (const subject *s, int face, long x, long y, int channel) {
  double from[3], to[3], best = -2;
  long found[4] = { 0 };
  direction_of(face, (double)x + 0.5, (double)y + 0.5, from);
  for (int i = 0; i < 6 * CUBE * CUBE; i++) {
    long at[4] = { i % CUBE, i / CUBE % CUBE, 0, i / (CUBE * CUBE) };
    direction_of((int)at[3], (double)at[0] + 0.5, (double)at[1] + 0.5, to);
    double near = from[0] * to[0] + from[1] * to[1] + from[2] * to[2];
    if (near <= best) continue;
    best = near;
    memcpy(found, at, sizeof at);
  }
  return texel_at(s, 0, found, channel);
}

static double seamless_value (const subject *s, const sample *p, int channel) {
  double x, y, c[4], sum = 0, value = 0;
  int face = face_of((double)p->x, (double)p->y, (double)p->z, &x, &y), corner = -1;
  x = x * CUBE - 0.5;
  y = y * CUBE - 0.5;
  double wx = round((x - floor(x)) * 256), wy = round((y - floor(y)) * 256);
  double both = floor(wx * wy / 256 + 0.5);
  const double w[4] = { 256 - wx - wy + both, wx - both, wy - both, both };
  for (int k = 0; k < 4; k++) {
    long i = (long)floor(x) + k % 2, j = (long)floor(y) + k / 2;
    bool is_corner = (i < 0 || i >= CUBE) && (j < 0 || j >= CUBE);
    c[k] = is_corner ? 0 : seamless_texel(s, face, i, j, channel);
    sum += c[k];
    if (is_corner) corner = k;
  }
  if (corner >= 0) c[corner] = sum / 3;
  for (int k = 0; k < 4; k++) value += c[k] * w[k] / 256;
  return value;
}

static void test_seamless (cu_module m) {
  subject s = { .shape = { CUBE, CUBE, 6, CU_FORMAT_F32, 2, CU_ARRAY_CUBEMAP } };
  sample at[SAMPLES];
  words4 out[SAMPLES];
  double worst = 0;
  s.how.filter = CU_FILTER_LINEAR;
  s.how.flags = CU_TEXTURE_NORMALIZED_COORDINATES | CU_TEXTURE_SEAMLESS_CUBEMAP;
  subject_open(&s);
  random_samples(&s, at);
  run_samples(m, "tex_cube", s.texture, at, out);
  for (int i = 0; i < SAMPLES; i++)
    for (int c = 0; c < 2; c++)
      worst = fmax(worst, fabs(seamless_value(&s, &at[i], c) - (double)out[i].f[c]));
  CHECK(worst <= tolerance_of(&s.how), "seamless cubemap: error %g", worst);
  subject_close(&s);
}

#endif
