/* lcul_event.h: class Event. */
#ifndef LCUL_EVENT_H
#define LCUL_EVENT_H

#include <lua.h>

#include "lcu_event.h"

lcu_event *lcul_event_check (lua_State *L, int idx); /* an open Event; raises otherwise */
/* Pushes the event of another process. */
void lcul_event_open (lua_State *L, lcu_device *d, const cu_ipc_event *h);

#endif
