/* lcul_class.h: classes of userdata: their metatables, their objects, and tests for them. */
#ifndef LCUL_CLASS_H
#define LCUL_CLASS_H

#include <lua.h>
#include <lauxlib.h>

#include "lcu_base.h"

typedef enum lcul_class {
#define LCUL_CLASS(ID, name) LCUL_##ID,
#include "lcul_class.def"
#undef LCUL_CLASS
  LCUL_CLASS_COUNT
} lcul_class;

#define LCUL_CLASSES "luacuda.classes" /* registry: what core.class returns, by name */

typedef struct lcul_struct lcul_struct;
typedef struct lcul_field lcul_field;
typedef struct lcul_uses lcul_uses;

typedef struct lcul_classdef {
  lcul_class id;
  const luaL_Reg *methods, *getters, *setters, *metamethods;
  /* All members from here on may be NULL. */
  /* Tried first for keys that are not strings: a[i], a[i] = v. */
  lua_CFunction index, newindex;
  /* Tried last for strings that are neither methods nor getters (device attributes): pushes one
   * value and returns 1, or returns 0. `names` lists the strings it recognizes, for messages.
   * new_fallback is the same for assignments: it stores and returns 1, or returns 0. */
  lua_CFunction fallback, new_fallback;
  size_t (*names)(const char *list[], size_t max);
  /* Objects begin with a pointer that is NULL once they are closed. Other classes may have a
   * metafield __closed, a function of the object. */
  bool boxed;
  /* "Array float32 {2, 3}" for lcul_describe, "float32 array" for lcul_describe_type. */
  void (*describe)(lua_State *L, int idx, char *buf, size_t size);
  void (*describe_type)(lua_State *L, int idx, char *buf, size_t size);
  /* What the object at idx is inside a struct. struct_bytes writes the bytes of a struct with the
   * layout of s to p, or returns false; field_address returns the address that a pointer field
   * takes, field_handle the handle that an integer field takes. All may raise "<what>: ...". */
  bool (*struct_bytes)(lua_State *L, int idx, const lcul_struct *s, void *p);
  uint64_t (*field_address)(lua_State *L, int idx, const lcul_field *f, lcul_uses *uses,
                            const char *what);
  uint64_t (*field_handle)(lua_State *L, int idx, lcul_uses *uses, const char *what);
} lcul_classdef;

/* A class in one state. */
typedef struct lcul_class_entry {
  const void *metatable; /* its lua_topointer, for core.type */
  int ref;               /* its registry key: faster than the lookup by lcul_marks */
  bool later;            /* there are methods to add: lcul_later.h */
  lcul_classdef def;
} lcul_class_entry;

/* Makes a class: a metatable with `metamethods`, __name "luacuda.<name>", and an __index that looks
 * up `methods`, then calls the getter of that name with the object. An unknown name raises an error
 * that lists near ones. __complete lists all names for consoles. Leaves nothing on
 * the stack. */
void lcul_newclass (lua_State *L, const lcul_classdef *def);
/* The tables of a class, in the order in which core.class returns them. */
typedef enum lcul_part { LCUL_METHODS = 1, LCUL_GETTERS, LCUL_METATABLE, LCUL_SETTERS } lcul_part;
/* Adds functions to one of them. */
void lcul_extend (lua_State *L, lcul_class id, lcul_part part, const luaL_Reg *funcs);
const char *lcul_class_name (lcul_class id); /* "Array" */
/* Makes a userdata of the class with `nuv` user values; all bytes are zero, which means closed.
 * Make the object first, then acquire what it holds. */
void *lcul_newobject (lua_State *L, lcul_class id, size_t size, int nuv);
/* Runs the finalizers of objects made while the state was being closed. */
void lcul_end_late (lua_State *L);

/* Precedes every object: its class, as an address that no other userdata begins with. The test
 * costs less than reading the metatable, which debug.setmetatable may also change. */
typedef struct lcul_header {
  const char *mark;
} lcul_header;
extern const char lcul_marks[LCUL_CLASS_COUNT];

/* The object in the userdata at idx, which must be an object of this library. */
static inline void *lcul_toobject (lua_State *L, int idx) {
  return (lcul_header *)lua_touserdata(L, idx) + 1;
}

/* The object at idx if it is of the class, else NULL. */
static inline void *lcul_test (lua_State *L, int idx, lcul_class id) {
  /* light userdata have no length */
  if (lua_rawlen(L, idx) < sizeof(lcul_header)) return NULL;
  lcul_header *h = lua_touserdata(L, idx);
  return h != NULL && h->mark == &lcul_marks[id] ? h + 1 : NULL;
}

/* The class of the object at idx; NULL: the value is not an object of this library. */
const lcul_classdef *lcul_classdef_of (lua_State *L, int idx);


/* ---- methods that Lua files add when one of them may first be needed ---- */

/* Lets the function that core.methods registered for the class add its methods to the table at
 * index `methods`, once. Returns whether there was one. */
bool lcul_add_methods (lua_State *L, lcul_class_entry *entry, int methods);
/* The same for the class of that name, whose table of methods is at the top; nothing for a class
 * without entry. */
void lcul_add_methods_of (lua_State *L, const char *name);

#endif
