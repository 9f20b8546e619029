/* cpu_array.h: CUDA arrays: memory for textures and surfaces, which kernels cannot address. */
#ifndef CPU_ARRAY_H
#define CPU_ARRAY_H

#include "cpu_driver.h"
#include "ptx_texture.h"

/* What copies, textures and surfaces need to know of an array. */
typedef struct cpu_array_view {
  cu_array_desc desc;
  ptx_geometry geometry;
  uint32_t texel_bytes;
  uint32_t layers; /* or faces; 1 when it has none */
  uint32_t num_levels;
  ptx_image levels[PTX_MAX_LEVELS];
} cpu_array_view;

/* An array, or one level of a mipmapped array; NULL when the handle is invalid. */
const cpu_array_view *cpu_array_view_of (cu_array a);
/* A mipmapped array; NULL when the handle is invalid. */
const cpu_array_view *cpu_mipmapped_view_of (cu_mipmapped_array m);
/* A number that no other array has had, for a view of these two functions: 0 once it was
 * destroyed. */
uint64_t cpu_array_serial (const cpu_array_view *v);

/* Bytes of a channel; 0: not a format. */
uint32_t cpu_format_bytes (int format);
/* The format must be valid. */
ptx_texel cpu_format_texel (int format);

/* Forgets all arrays. The memory goes with that of the context. */
void cpu_arrays_free (void);
/* Destroys the arrays of a context, whose work must be complete. */
void cpu_arrays_end (cu_context ctx);

#endif
