/* lcul_struct.h: struct types: names, types and offsets of the fields, as C lays them out. Declared
 * by cuda.struct or told by the compiler; used as a dtype of arrays and for structs passed by
 * value. */
#ifndef LCUL_STRUCT_H
#define LCUL_STRUCT_H

#include "lcul_aux.h"

#define LCUL_FIELD_DIMS 4

typedef struct lcul_struct lcul_struct;

typedef struct lcul_field lcul_field;
struct lcul_field {
  const char *name; /* lives as long as the struct's userdata */
  /* of one element; dtype->id == LCU_STRUCT: see lcul_struct_of */
  const lcu_dtype *dtype;
  uint32_t offset; /* bytes from the start of the struct */
  /* elements in a row: 1, the lanes of a vector, the product of the extents */
  uint32_t count;
  /* 0: a plain value; otherwise a (nested) list of dims[0] x ... */
  uint8_t ndim;
  /* 2, 3, 4: a vector type: {x, y, z, w} or a list; it is dims[ndim - 1] too */
  uint8_t lanes;
  bool is_pointer;          /* dtype is uint64; takes arrays, cuda.ptr, cuda.null */
  bool to_const;            /* pointer to const */
  const lcu_dtype *pointee; /* of a pointer; NULL: any */
  uint32_t dims[LCUL_FIELD_DIMS];
};

/* The userdata of class LCUL_STRUCT. Its user value 1 anchors the types of its fields. */
struct lcul_struct {
  lcu_dtype dtype; /* id LCU_STRUCT, kind LCU_KIND_STRUCT, size, align, name */
  uint32_t num_fields;
  lcul_field fields[]; /* by offset */
};

static inline const lcul_struct *lcul_struct_of (const lcu_dtype *t) {
  return (const lcul_struct *)(const void *)t;
}

/* The struct type at idx, or NULL / an error. */
const lcul_struct *lcul_struct_test (lua_State *L, int idx);
const lcul_struct *lcul_struct_check (lua_State *L, int idx);

/* How two layouts differ, in words; NULL when every field and the whole are at the same bytes. */
const char *lcul_struct_difference (const lcul_struct *declared, const lcul_struct *compiled,
                                    char *buf, size_t size);

/* Blocks met in pointer fields (lcul_uses.h). NULL where pointers to arrays are refused. */
typedef struct lcul_uses lcul_uses;

/* Writes the value at idx (a table by field name or by position, or a string of exactly dtype.size
 * bytes) to p, any alignment; padding becomes zero, fields that a table by name leaves out raise.
 * Raises "<what>: ..." before p is touched beyond repair: callers give scratch memory. */
void lcul_struct_store (lua_State *L, const lcul_struct *s, int idx, void *p, const char *what,
                        lcul_uses *uses);
/* Pushes t[name], raw, of the table at an absolute index. No finalizer runs: arrays that were met
 * before stay open. */
void lcul_raw_field (lua_State *L, int idx, const char *name);
/* The field of that name; raises "<what>: ..." with near names. */
const lcul_field *lcul_struct_field (lua_State *L, const lcul_struct *s, const char *name,
                                     const char *what);
/* One field of a struct, from the value at idx and to Lua. */
void lcul_field_store (lua_State *L, const lcul_field *f, int idx, void *p, const char *what);
void lcul_field_load (lua_State *L, const lcul_field *f, const void *p);
/* Pushes a table by field name. */
void lcul_struct_load (lua_State *L, const lcul_struct *s, const void *p);

/* The same for one element of any dtype: numbers, booleans, complex values, typed scalars, tables
 * for structs. Range rules of API.md 6. */
void lcul_element_store (lua_State *L, const lcu_dtype *t, int idx, void *p, const char *what,
                         lcul_uses *uses);
void lcul_element_load (lua_State *L, const lcu_dtype *t, const void *p);

#endif
