/* lcu_demangle.h: reads the types in mangled names (Itanium C++ ABI, chapter 5.1) into trees, and
 * prints them as C++ source. Of expressions in template arguments it reads those that occur in
 * types of kernels. */
#ifndef LCU_DEMANGLE_H
#define LCU_DEMANGLE_H

#include "lcu_mem.h"

typedef enum lcu_type_kind {
  LCU_TYPE_BUILTIN, /* code, text */
  LCU_TYPE_NAMED,   /* text, base; args: template arguments of the last component */
  LCU_TYPE_POINTER,
  LCU_TYPE_REFERENCE,
  LCU_TYPE_RVALUE,    /* inner */
  LCU_TYPE_QUALIFIED, /* quals, inner */
  LCU_TYPE_ARRAY,     /* extent (-1: unknown), inner */
  LCU_TYPE_VECTOR,    /* extent, inner: the compiler's vector extension */
  LCU_TYPE_FUNCTION,  /* inner: result; args: parameters */
  /* pointer to member: args[0] of class, inner the member's type */
  LCU_TYPE_MEMBER,
  LCU_TYPE_LITERAL, /* a value among template arguments: text */
  LCU_TYPE_PACK     /* args */
} lcu_type_kind;

enum { LCU_QUAL_CONST = 1, LCU_QUAL_VOLATILE = 2, LCU_QUAL_RESTRICT = 4 };

typedef struct lcu_type {
  lcu_type_kind kind;
  const char *code;        /* builtin: "f", "Dh" */
  const char *text, *base; /* full name; the name without its last template arguments */
  unsigned quals;
  bool internal; /* named: in an unnamed namespace or a function */
  int64_t extent;
  const struct lcu_type *inner;
  const struct lcu_type **args;
  size_t num_args;
} lcu_type;

/* A whole name: the entity, and its parameters if it is a function. */
typedef struct lcu_encoding {
  const lcu_type *name; /* NAMED */
  const lcu_type **params;
  size_t num_params;
  bool is_function;
} lcu_encoding;

/* Reads `mangled`, which starts with "_Z". A suffix added by the linker (".1") is ignored. All
 * nodes are in the arena. LCU_E_SYNTAX: the name could not be read. */
lcu_status lcu_demangle (lcu_arena *a, const char *mangled, lcu_encoding *out);

/* "const float *", "int (*)(int)", "float (*)[4]". */
void lcu_type_print (const lcu_type *t, lcu_buf *out);

/* The type without its outermost const, volatile and restrict; adds them to *quals (may be
 * NULL). */
const lcu_type *lcu_type_bare (const lcu_type *t, unsigned *quals);

#endif
