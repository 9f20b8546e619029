/* lcul_context.h: contexts of a device besides its primary one, and the stack of current
 * devices. */
#ifndef LCUL_CONTEXT_H
#define LCUL_CONTEXT_H

#include "lcul_state.h"

/* Makes the device current. */
void lcul_make_current (lua_State *L, lcu_device *d);

/* What keeps records by device index lets go of a context that was closed: end(object, d). */
typedef struct lcul_context_user {
  void (*end)(void *object, lcu_device *d);
} lcul_context_user;
/* Notes the object at idx as such a user; nothing to do for a device that is no context. Raises
 * when out of memory, so it is called before the record is made. */
void lcul_context_note (lua_State *L, int idx, lcu_device *d, const lcul_context_user *user);

/* The handle of a context is collected. Kernels that the context has no use for let go of it, so
 * that it can be closed once its objects have ended (lcu_context_sweep); others bind again. */
void lcul_context_collected (lua_State *L, lcu_device *d);

#endif
