/* lcul_handle.h: arrays of the host program: handles outside of Lua, and memory that it owns. */
#ifndef LCUL_HANDLE_H
#define LCUL_HANDLE_H

#include "lcu_dlpack.h"
#include "luacuda.h"

/* A handle of the array at idx; raises "retain: ...". */
luacuda_handle *lcul_handle_new (lua_State *L, int idx);
void lcul_handle_push (lua_State *L, const luacuda_handle *h);
/* On any thread. */
void lcul_handle_free (luacuda_handle *h);

/* Memory of the host program as a tensor, whose deleter calls release(ud). It is called immediately
 * if this fails. */
lcu_status lcul_memory_tensor (const luacuda_array *a, void (*release)(void *ud), void *ud,
                               lcu_dl_managed *out);

#endif
