/* lcul_dlpack.h: class Capsule, which owns a DLPack tensor until it is consumed. */
#ifndef LCUL_DLPACK_H
#define LCUL_DLPACK_H

#include "lcu_dlpack.h"
#include "lcul_array.h"

/* The tensor is NULL once it is consumed. */
typedef struct lcul_capsule {
  lcu_dl_managed tensor;
} lcul_capsule;

/* "dltensor_versioned" or "dltensor": the name of a pointer to a tensor, as in Python. */
const char *lcul_dlpack_name (bool versioned);

/* Pushes a capsule that owns nothing yet. */
lcul_capsule *lcul_capsule_new (lua_State *L);
/* The capsule at idx, not consumed; raises otherwise. */
lcul_capsule *lcul_capsule_check (lua_State *L, int idx);

void lcul_array_view_of (const lcul_array *a, lcu_view *out);
/* Pushes an array of the view; takes over its reference, also when it raises. */
void lcul_array_push_view (lua_State *L, const lcu_view *v);

#endif
