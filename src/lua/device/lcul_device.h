/* lcul_device.h: class Device, and the selection of a device. */
#ifndef LCUL_DEVICE_H
#define LCUL_DEVICE_H

#include "lcul_state.h"

/* The object of class Device. */
typedef struct lcul_device_box {
  lcu_device *device;
} lcul_device_box;

lcu_device *lcul_device_check (lua_State *L, int idx);  /* a Device object, opened */
lcu_device *lcul_device_handle (lua_State *L, int idx); /* a Device object */
/* The same userdata for the same device. */
void lcul_device_push (lua_State *L, lcu_device *d);
int lcul_device_index (lcu_device *d); /* position in lcu_process_device */
/* Makes the object at the top the one that lcul_device_push finds for its context. */
void lcul_device_keep (lua_State *L, lcu_device *c);


/* ---- lcul_device_select.c ---- */

/* The current device, opened; raises when no device can be used. */
lcu_device *lcul_device_current (lua_State *L);
lcu_device *lcul_device_chosen (lua_State *L); /* the same, not opened */
/* The device named by a Device object, an ordinal, "cpu", "gpu" or a PCI id, opened. */
lcu_device *lcul_device_arg (lua_State *L, int idx);
lcu_device *lcul_device_select (lua_State *L, int idx); /* the same, not opened */
/* The same, opened; nil or none: the current device. */
lcu_device *lcul_device_optarg (lua_State *L, int idx);
/* Option `device`, else the current device; opened. */
lcu_device *lcul_opt_device (lua_State *L, int idx);
size_t lcul_device_count (lua_State *L); /* finds the devices at the first call */

/* ---- lcul_device_attribute.c ---- */

/* Did the driver answer? False: it does not support the request. Raises for other failures. */
bool lcul_device_answered (lua_State *L, lcu_device *d, const char *call, cu_result r);
int lcul_device_fallback (lua_State *L); /* d.warp_size */
size_t lcul_attribute_names (const char *list[], size_t max);
extern const luaL_Reg lcul_attribute_methods[];


/* ---- lcul_device_setting.c ---- */

extern const luaL_Reg lcul_setting_methods[];
/* The flags of a context with those changed that the options at index 2 give. */
unsigned lcul_changed_flags (lua_State *L, const char *what, unsigned flags);


/* ---- lcul_pool.c ---- */

int lcul_push_memory (lua_State *L, lcu_device *d); /* free, total bytes */
size_t lcul_check_bytes (lua_State *L, int arg);    /* bytes or a count */

#endif
