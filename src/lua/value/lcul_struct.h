/* lcul_struct.h: struct types: names, types and offsets of the fields, as C lays them out. Declared
 * with cuda.struct or reported by the compiler; used as dtypes of arrays and for structs passed by
 * value. */
#ifndef LCUL_STRUCT_H
#define LCUL_STRUCT_H

#include "lcu_dtype.h"
#include "lcul_class.h"

#define LCUL_FIELD_DIMS 4

struct lcul_field {
  const char *name; /* valid as long as the struct's userdata */
  /* of one element; dtype->id == LCU_STRUCT: see lcul_struct_of */
  const lcu_dtype *dtype;
  uint32_t offset; /* bytes from the start of the struct */
  /* elements: 1, the lanes of a vector, or the product of the extents */
  uint32_t count;
  /* 0: a plain value; otherwise a (nested) list of dims[0] x ... */
  uint8_t ndim;
  /* 2, 3, 4: a vector type, {x, y, z, w} or a list; also dims[ndim - 1] */
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

/* The struct type at idx; otherwise NULL, or an error. */
static inline const lcul_struct *lcul_struct_test (lua_State *L, int idx) {
  return lcul_test(L, idx, LCUL_STRUCT);
}

const lcul_struct *lcul_struct_check (lua_State *L, int idx);

/* Describes how two layouts differ; NULL when all fields and the sizes agree. */
const char *lcul_struct_difference (const lcul_struct *declared, const lcul_struct *compiled,
                                    char *buf, size_t size);

/* The field of that name; raises "<what>: ..." with near names. */
const lcul_field *lcul_struct_field (lua_State *L, const lcul_struct *s, const char *name,
                                     const char *what);

#endif
