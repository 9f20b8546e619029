/* ptx_texture_ops.h: the operands of instructions about textures and surfaces. I->a is the handle;
 * the other operands are in I->extra->slots, where -1 means absent. */
#ifndef PTX_TEXTURE_OPS_H
#define PTX_TEXTURE_OPS_H

#include "ptx_warp.h"

enum {
  PTX_TEX_VALUE = 0,    /* up to 4: the result, or what sust writes */
  PTX_TEX_RESIDENT = 4, /* the predicate that tells whether the texels are in memory */
  PTX_TEX_LAYER = 5,
  PTX_TEX_AT = 6,      /* up to 3 coordinates */
  PTX_TEX_LOD = 9,     /* of tex.level, txq.level */
  PTX_TEX_DX = 9,      /* up to 3 of tex.grad: the change from one pixel to the next */
  PTX_TEX_DY = 12,     /* up to 3 of tex.grad */
  PTX_TEX_OFFSET = 15, /* up to 3: added to the coordinates, in texels */
  PTX_TEX_SLOTS = 18
};

/* Coordinates besides the layer. */
static inline uint32_t ptx_geometry_axes (ptx_geometry g) {
  static const uint8_t axes[PTX_GEO_COUNT] = {
    [PTX_GEO_1D] = 1,  [PTX_GEO_2D] = 2,   [PTX_GEO_3D] = 3,    [PTX_GEO_A1D] = 1,
    [PTX_GEO_A2D] = 2, [PTX_GEO_CUBE] = 3, [PTX_GEO_ACUBE] = 3,
  };
  return axes[g];
}

static inline bool ptx_geometry_layered (ptx_geometry g) {
  return g == PTX_GEO_A1D || g == PTX_GEO_A2D || g == PTX_GEO_ACUBE;
}

/* The texture or surface of a handle, for one lane; NULL after a fault. */
const ptx_texture *ptx_texture_bind (ptx_warp *w, uint32_t lane, uint64_t handle, bool surface);

/* Sets the fault of a texture or surface instruction. */
void ptx_texture_fault (ptx_warp *w, uint32_t lane, ptx_fault_kind kind, const char *fmt, ...)
  LCU_PRINTF(4, 5);

#endif
