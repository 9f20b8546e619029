/* lcu_signature.h: the parameters of a kernel, read from its mangled type (Itanium C++ ABI, 5.1.5),
 * from its own mangled name, or from a loaded binary. */
#ifndef LCU_SIGNATURE_H
#define LCU_SIGNATURE_H

#include "lcu_dtype.h"
#include "lcu_mem.h"

typedef enum lcu_param_kind {
  LCU_PARAM_SCALAR,  /* a number or bool: `dtype` */
  LCU_PARAM_POINTER, /* `dtype` of the pointee, NULL for void, unknown or a class */
  LCU_PARAM_CLASS,   /* struct, vector type, complex by value: `type_name` */
  /* only size known (loaded binaries); texture objects are scalars of type uint64 */
  LCU_PARAM_OPAQUE
} lcu_param_kind;

typedef struct lcu_param {
  lcu_param_kind kind;
  const lcu_dtype *dtype; /* of the value or the pointee */
  /* lanes: 2, 3, 4 for float2..4 and similar, as value or pointee; else 1 */
  uint8_t vector;
  bool is_const; /* pointer to const: the kernel only reads */
  bool is_reference, is_bool, is_char, is_enum;
  bool is_function; /* pointer to a function */
  /* 1 for T *, 2 for T **, 0 for values; opaque: 1 where PTX marks a pointer */
  uint8_t indirections;
  /* the type comes from the compiler; false: from a binary, and arguments cannot be checked */
  bool known;
  /* bytes in the parameter block; size 0: not known until the module is loaded */
  uint32_t offset, size, align;
  /* alignment of the address in a pointer; 0: not known */
  uint32_t element_align;
  char *type_name;  /* "const float *", "ns::P": for messages */
  char *class_name; /* "ns::P" of a class value or pointee, else NULL */
} lcu_param;

typedef struct lcu_signature {
  lcu_param *params;
  size_t num_params;
  bool known;
} lcu_signature;

/* `mangled` is a function's name ("_Z5saxpyfPKfPfi"), or the whole name of a carrier of its type:
 * an instance of luacuda_sig or luacuda_lay whose first argument is that type
 * ("_Z11luacuda_sigIPFvfPKfPfiEEvv"). LCU_E_SYNTAX: it could not be read. */
lcu_status lcu_signature_parse (const char *mangled, lcu_signature *out);
/* Reads the type of such a carrier ("_Z11luacuda_sigIA16_fEvv"): its element type, and the extents
 * of its arrays in dims. */
lcu_status lcu_type_parse (const char *mangled, lcu_param *out, int64_t dims[8], int *num_dims);
void lcu_signature_free (lcu_signature *s);
void lcu_param_free (lcu_param *p);

#endif
