/* lcul_partition.c: class Partition, and device:partition. */
#include "lcul_partition.h"

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"

typedef struct partition_box {
  lcu_partition *partition;
} partition_box;

static lcu_partition *check_partition (lua_State *L, int idx) {
  const partition_box *box = lcul_check(L, idx, LCUL_PARTITION);
  if (box->partition == NULL) lcul_misuse(L, "attempt to use a closed Partition");
  lcul_work_for(lcul_getstate(L));
  return box->partition;
}

void lcul_partition_push (lua_State *L, lcu_partition *p) {
  partition_box *box = lcul_newobject(L, LCUL_PARTITION, sizeof *box, 0);
  box->partition = lcu_ref(p);
}

lcu_partition *lcul_opt_partition (lua_State *L, int idx) {
  if (!lcul_opt_push(L, idx, "partition")) return NULL;
  if (lcul_test(L, -1, LCUL_PARTITION) == NULL) lcul_wrong_option(L, "partition", "a Partition");
  lcu_partition *p = check_partition(L, -1);
  lua_pop(L, 1);
  return p;
}


/* ---- dividing a device ---- */

static void push_partition (lua_State *L, lcu_device *d, cu_dev_resource *group) {
  partition_box *box = lcul_newobject(L, LCUL_PARTITION, sizeof *box, 0);
  lcul_status(L, lcu_partition_create(d, group, &box->partition));
}

static unsigned room_for (lua_State *L, lcu_device *d, unsigned sms) {
  unsigned room;
  lcul_status(L, lcu_partition_room(d, sms, &room));
  return room;
}

/* The largest size of which there are `count` groups: the driver rounds sizes up. */
static unsigned equal_share (lua_State *L, lcu_device *d, unsigned count) {
  unsigned sms = (unsigned)d->limits.sm_count / count;
  while (sms > 0 && room_for(L, d, sms) < count) sms--;
  if (sms == 0)
    lcul_misuse(L, "partition: %s has %d multiprocessors, too few for %d partitions", d->label,
                d->limits.sm_count, (int)count);
  return sms;
}

/* Multiprocessors of one group: option `sms`, else an equal share. */
static unsigned group_size (lua_State *L, lcu_device *d, unsigned count) {
  unsigned sms = (unsigned)lcul_opt_integer(L, 2, "sms", 0, 1, d->limits.sm_count);
  if (sms == 0) return equal_share(L, d, count);
  unsigned room = room_for(L, d, sms);
  if (count > room)
    lcul_misuse(L, "partition: %s has room for %d partitions of %d multiprocessors, not for %d",
                d->label, (int)room, (int)sms, (int)count);
  return sms;
}

/* device:partition{ sms =, count = } -> list of Partitions, the rest as a Partition or nil */
static int device_partition (lua_State *L) {
  static const char *const names[] = { "sms", "count", NULL };
  lcu_device *d = lcul_device_check(L, 1);
  lcul_check_most(L, 2);
  lua_settop(L, 2);
  lcul_options(L, 2, "partition", names);
  if (d->parent != NULL)
    lcul_raise(L, "logic", "partition: %s is a context: only a device is divided, here %s",
               d->label, d->parent->label);
  unsigned count = (unsigned)lcul_opt_integer(L, 2, "count", 1, 1, 1024);
  unsigned sms = group_size(L, d, count);
  cu_dev_resource *groups = lua_newuserdatauv(L, (count + 1) * sizeof *groups, 0);
  lcul_status(L, lcu_partition_divide(d, sms, count, groups));
  lua_createtable(L, (int)count, 0);
  for (unsigned i = 0; i < count; i++) {
    push_partition(L, d, &groups[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  if (groups[count].type == CU_DEV_RESOURCE_SM_ && groups[count].sm_count > 0)
    push_partition(L, d, &groups[count]);
  else lua_pushnil(L);
  return 2;
}


/* ---- the class ---- */

/* Streams of the partition keep it. */
static int partition_close (lua_State *L) {
  partition_box *box = lcul_check(L, 1, LCUL_PARTITION);
  lcu_partition *p = box->partition;
  box->partition = NULL;
  lcu_unref(p);
  return 0;
}

static int partition_tostring (lua_State *L) {
  const partition_box *box = lcul_check(L, 1, LCUL_PARTITION);
  const lcu_partition *p = box->partition;
  if (p == NULL) lua_pushliteral(L, "luacuda.Partition (closed)");
  else
    lua_pushfstring(L, "luacuda.Partition %d of %d multiprocessors of %s", p->sm_count,
                    p->device->limits.sm_count, p->device->label);
  return 1;
}

static int get_sm_count (lua_State *L) {
  lua_pushinteger(L, check_partition(L, 1)->sm_count);
  return 1;
}

static int get_partition_device (lua_State *L) {
  lcul_device_push(L, check_partition(L, 1)->device);
  return 1;
}

static const luaL_Reg device_partition_methods[] = { { "partition", device_partition },
                                                     { NULL, NULL } };

static const luaL_Reg partition_methods[] = { { "close", partition_close },
                                              { "free", partition_close },
                                              { NULL, NULL } };

static const luaL_Reg partition_getters[] = { { "sm_count", get_sm_count },
                                              { "device", get_partition_device },
                                              { NULL, NULL } };

static const luaL_Reg partition_metamethods[] = { { "__gc", partition_close },
                                                  { "__close", partition_close },
                                                  { "__tostring", partition_tostring },
                                                  { NULL, NULL } };

void lcul_open_partition (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_PARTITION,
    .boxed = true,
    .methods = partition_methods,
    .getters = partition_getters,
    .metamethods = partition_metamethods,
  };
  lcul_newclass(L, &def);
  lcul_extend(L, LCUL_DEVICE, LCUL_METHODS, device_partition_methods);
}
