/* lcul_family.h: the kernels that were made of one Lua function: each for the types of its
 * arguments, as a key of bytes, and for the values that it depends on.
 *
 * A family is a userdata in the table of the object that is called (a Jit, a Vectorized). */
#ifndef LCUL_FAMILY_H
#define LCUL_FAMILY_H

#include <lua.h>

#include "lcu_base.h"

enum { LCUL_FAMILY_PARAMS = 250 }; /* more than a Lua function can have */

/* User value 1: the table of the Lua file; 2: key -> list of members; 3: the latest member. */
typedef struct lcul_family {
  int count;        /* parameters of the function */
  const char *name; /* for messages; a string in the table of the Lua file */
  size_t bytes;     /* of a key */
  bool packed;      /* the key says which arrays are packed (lcul_jit_call.c) */
  void *device;     /* of the latest call, in lcul_tiled_call.c; its multiprocessors, and what the
                     * text of a kernel depends on, which is in the key */
  lua_Integer multiprocessors, device_kind;
  bool called;         /* there is a latest member */
  unsigned char key[]; /* the latest */
} lcul_family;

enum { LCUL_FAMILY_STATE = 1, LCUL_FAMILY_MEMBERS, LCUL_FAMILY_LATEST };

/* One kernel, or two. A userdata that begins with this. User value 1: the table of the Lua file,
 * 2: its guards. */
typedef struct lcul_member {
  int guards;
} lcul_member;

enum { LCUL_MEMBER_TABLE = 1, LCUL_MEMBER_GUARDS, LCUL_MEMBER_OWN };

/* [1] the object, [2] the table of its Lua file, which has `count` and `name`: makes its family,
 * which the object keeps. A key has `bytes` for each parameter, and `more`. */
lcul_family *lcul_family_new (lua_State *L, const void *mark, size_t bytes, size_t more);
/* The family of the object at idx, which is left on the stack; raises for other values. */
lcul_family *lcul_family_push (lua_State *L, int idx, const void *mark, const char *class_name);

/* Pushes the table of the Lua file of the object at 1, nil for other values; returns 1. */
int lcul_family_state (lua_State *L, const void *mark);

/* Pushes a new member of `size` bytes with `own` user values besides the two, for the table at the
 * top, which has a list `guards` of `n` guards (lcul_guards.h) and is replaced. */
void *lcul_member_new (lua_State *L, size_t size, int own);

typedef struct lcul_family_ops {
  /* Makes a member for the arguments from `first` on and pushes it. */
  void (*make)(lua_State *L, int family, int first, const unsigned char *key);
  /* Does the member at the top, whose guards hold, fit? NULL: yes */
  bool (*fits)(lua_State *L);
} lcul_family_ops;

/* Pushes the member for a key whose guards hold, made if there is none. May run Lua code. */
void *lcul_family_find (lua_State *L, int family, int first, const unsigned char *key,
                        const lcul_family_ops *ops);

#endif
