/* lcu_signature.c: converts type trees to the parameter descriptions that a launch needs. */
#include "lcu_signature.h"

#include <stdlib.h>
#include <string.h>

#include "lcu_demangle.h"

/* ---- element types ---- */

/* Builtin codes (Itanium 5.1.5.2) as element types. NULL: the library has no such element type. */
static const lcu_dtype *builtin_dtype (const char *code) {
  static const struct {
    const char *code;
    lcu_dtype_id id;
  } known[] = {
    { "b", LCU_BOOL },        { "c", LCU_INT8 },        { "a", LCU_INT8 },
    { "h", LCU_UINT8 },       { "s", LCU_INT16 },       { "t", LCU_UINT16 },
    { "i", LCU_INT32 },       { "j", LCU_UINT32 },      { "l", LCU_INT64 },
    { "m", LCU_UINT64 },      { "x", LCU_INT64 },       { "y", LCU_UINT64 },
    { "f", LCU_FLOAT32 },     { "d", LCU_FLOAT64 },     { "w", LCU_INT32 },
    { "Di", LCU_UINT32 },     { "Ds", LCU_UINT16 },     { "Du", LCU_UINT8 },
    { "Dh", LCU_FLOAT16 },    { "DF16_", LCU_FLOAT16 }, { "DF16b", LCU_BFLOAT16 },
    { "DF32_", LCU_FLOAT32 }, { "DF64_", LCU_FLOAT64 },
  };
  for (size_t i = 0; i < lcu_arraylen(known); i++)
    if (strcmp(known[i].code, code) == 0) return &lcu_dtypes[known[i].id];
  return NULL;
}

typedef struct class_row {
  const char *name;
  lcu_dtype_id id;
  uint8_t lanes, align;
} class_row;

/* Other classes that are numbers, and vectors of them; align 0: as the element. */
static const class_row classes[] = {
  { "half", LCU_FLOAT16, 1, 0 },
  { "__bf16", LCU_BFLOAT16, 1, 0 },
  { "__half2", LCU_FLOAT16, 2, 4 },
  { "half2", LCU_FLOAT16, 2, 4 },
  { "__nv_bfloat162", LCU_BFLOAT16, 2, 4 },
  { "dim3", LCU_UINT32, 3, 0 },
};

/* vector_types.h: name without the number of lanes; alignment of 2 and of 4 lanes (3 lanes: as the
 * element). */
static const struct {
  const char *name;
  lcu_dtype_id id;
  uint8_t align2, align4;
} vectors[] = {
  { "char", LCU_INT8, 2, 4 },        { "uchar", LCU_UINT8, 2, 4 },
  { "short", LCU_INT16, 4, 8 },      { "ushort", LCU_UINT16, 4, 8 },
  { "int", LCU_INT32, 8, 16 },       { "uint", LCU_UINT32, 8, 16 },
  { "long", LCU_INT64, 16, 16 },     { "ulong", LCU_UINT64, 16, 16 },
  { "longlong", LCU_INT64, 16, 16 }, { "ulonglong", LCU_UINT64, 16, 16 },
  { "float", LCU_FLOAT32, 8, 16 },   { "double", LCU_FLOAT64, 16, 16 },
};

/* "float4", "uchar1", "double4_16a", "double4_32a". */
static bool vector_class (const char *name, class_row *out) {
  for (size_t i = 0; i < lcu_arraylen(vectors); i++) {
    size_t n = strlen(vectors[i].name);
    if (strncmp(name, vectors[i].name, n) != 0 || name[n] < '1' || name[n] > '4') continue;
    uint8_t lanes = (uint8_t)(name[n] - '0');
    uint8_t align = lanes == 2 ? vectors[i].align2 : lanes == 4 ? vectors[i].align4 : 0;
    const char *tail = name + n + 1;
    if (strcmp(tail, "_32a") == 0) align = 32;
    else if (*tail != '\0' && strcmp(tail, "_16a") != 0) continue;
    *out = (class_row){ name, vectors[i].id, lanes, align };
    return true;
  }
  return false;
}

/* A float of 8 or 16 bits: the class of CUDA's headers, or that of builder/prelude.lua. */
static bool narrow_class (const char *name, class_row *out) {
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    const lcu_dtype *t = &lcu_dtypes[i];
    if (t->kind != LCU_KIND_FLOAT || t->header[0] == '\0') continue;
    if (strcmp(t->cuda, name) != 0 && strcmp(t->name, name) != 0) continue;
    *out = (class_row){ name, t->id, 1, 0 };
    return true;
  }
  return false;
}

/* complex<float> of any library; `last` is the name after the last "::". */
static bool complex_class (const lcu_type *t, const char *last, class_row *out) {
  if (strcmp(last, "complex") != 0 || t->num_args != 1 || t->args[0]->kind != LCU_TYPE_BUILTIN)
    return false;
  char code = t->args[0]->code[0];
  if (code != 'f' && code != 'd') return false;
  *out = (class_row){ t->text, code == 'f' ? LCU_COMPLEX64 : LCU_COMPLEX128, 1, 0 };
  return true;
}

static bool class_element (const lcu_type *t, class_row *out) {
  const char *last = t->base;
  for (const char *s = t->base; (s = strstr(s, "::")) != NULL;) last = s += 2;
  if (complex_class(t, last, out)) return true;
  if (last != t->base || t->num_args > 0) return false;
  for (size_t i = 0; i < lcu_arraylen(classes); i++)
    if (strcmp(classes[i].name, last) == 0) {
      *out = classes[i];
      return true;
    }
  return narrow_class(last, out) || vector_class(last, out);
}

static char *print_name (const lcu_type *t) {
  lcu_buf b = { 0 };
  lcu_type_print(t, &b);
  char *s = b.failed ? NULL : lcu_strndup(b.data != NULL ? b.data : "", b.len);
  lcu_buf_free(&b);
  return s;
}

/* Describes an element, which is a value or a pointee: dtype, lanes, class_name. False: out of
 * memory. */
static bool describe_element (const lcu_type *t, lcu_param *out, uint32_t *align) {
  class_row row;
  *align = 0;
  if (t->kind == LCU_TYPE_BUILTIN) {
    out->dtype = builtin_dtype(t->code);
    out->is_bool = strcmp(t->code, "b") == 0;
    out->is_char = strcmp(t->code, "c") == 0;
    if (out->dtype != NULL || strcmp(t->code, "v") == 0) return true;
    return (out->class_name = lcu_strdup(t->text)) != NULL; /* __int128, long double */
  }
  if (t->kind != LCU_TYPE_NAMED) return true;
  if (class_element(t, &row)) {
    out->dtype = &lcu_dtypes[row.id];
    out->vector = row.lanes;
    *align = row.align;
  }
  return (out->class_name = lcu_strdup(t->text)) != NULL;
}


/* ---- parameters ---- */

static void set_size (lcu_param *out, uint32_t size, uint32_t align) {
  out->size = size;
  out->align = align;
}

/* The pointee of a pointer to an array is the array's element. */
static const lcu_type *element_of (const lcu_type *t, unsigned *quals) {
  t = lcu_type_bare(t, quals);
  while (t->kind == LCU_TYPE_ARRAY) t = lcu_type_bare(t->inner, quals);
  return t;
}

static bool describe_pointer (const lcu_type *t, lcu_param *out) {
  unsigned quals = 0;
  uint32_t align = 0;
  out->kind = LCU_PARAM_POINTER;
  out->is_reference = t->kind != LCU_TYPE_POINTER;
  out->indirections = 1;
  set_size(out, 8, 8);
  t = element_of(t->inner, &quals);
  out->is_const = (quals & LCU_QUAL_CONST) != 0;
  if (t->kind == LCU_TYPE_FUNCTION) {
    out->is_function = true;
    out->class_name = print_name(t);
    return out->class_name != NULL;
  }
  while (t->kind == LCU_TYPE_POINTER) {
    if (out->indirections < UINT8_MAX) out->indirections++;
    t = element_of(t->inner, NULL);
  }
  if (out->indirections > 1) out->dtype = &lcu_dtypes[LCU_UINT64];
  else if (!describe_element(t, out, &align)) return false;
  else if (align) out->element_align = align;
  if (out->dtype != NULL && !out->element_align) out->element_align = out->dtype->align;
  return true;
}

static bool describe_value (const lcu_type *t, lcu_param *out) {
  uint32_t align;
  if (!describe_element(t, out, &align)) return false;
  /* halves */
  bool plain = t->kind == LCU_TYPE_BUILTIN ||
               (out->dtype != NULL && out->vector == 1 && out->dtype->size == 2);
  out->kind = plain && out->dtype != NULL ? LCU_PARAM_SCALAR : LCU_PARAM_CLASS;
  if (out->dtype != NULL)
    set_size(out, out->dtype->size * out->vector, align ? align : out->dtype->align);
  else if (t->kind == LCU_TYPE_BUILTIN && strchr("noeg", t->code[0]) != NULL) set_size(out, 16, 16);
  else if (t->kind == LCU_TYPE_BUILTIN && strcmp(t->code, "Dn") == 0) set_size(out, 8, 8);
  if (out->kind != LCU_PARAM_CLASS || out->class_name != NULL) return true;
  return (out->class_name = print_name(t)) != NULL;
}

static lcu_status describe (const lcu_type *t, lcu_param *out) {
  memset(out, 0, sizeof *out);
  out->vector = 1;
  out->known = true;
  out->type_name = print_name(t = lcu_type_bare(t, NULL));
  bool ok = out->type_name != NULL;
  if (ok) {
    bool indirect =
      t->kind == LCU_TYPE_POINTER || t->kind == LCU_TYPE_REFERENCE || t->kind == LCU_TYPE_RVALUE;
    ok = indirect ? describe_pointer(t, out) : describe_value(t, out);
  }
  if (ok) return LCU_OK;
  lcu_param_free(out);
  return lcu_no_memory("the parameters of a kernel");
}

/* Sets offsets as a C compiler does, up to the first parameter of unknown size. */
static void natural_layout (lcu_signature *s) {
  uint32_t at = 0;
  for (size_t i = 0; i < s->num_params; i++) {
    lcu_param *p = &s->params[i];
    if (p->size == 0) return;
    at = (at + p->align - 1) / p->align * p->align;
    p->offset = at;
    at += p->size;
  }
}

static lcu_status describe_all (const lcu_type *const *types, size_t n, lcu_signature *out) {
  out->params = lcu_calloc(n + 1, sizeof *out->params);
  if (out->params == NULL) return lcu_no_memory("the parameters of a kernel");
  out->known = true;
  for (size_t i = 0; i < n; i++) {
    lcu_status s = describe(types[i], &out->params[i]);
    if (s != LCU_OK) {
      lcu_signature_free(out);
      return s;
    }
    out->num_params++;
  }
  natural_layout(out);
  return LCU_OK;
}

static const lcu_type *function_of_pointer (const lcu_type *t) {
  t = lcu_type_bare(t, NULL);
  while (t->kind == LCU_TYPE_POINTER || t->kind == LCU_TYPE_REFERENCE)
    t = lcu_type_bare(t->inner, NULL);
  return t->kind == LCU_TYPE_FUNCTION ? t : NULL;
}

/* luacuda_sig<void (*)(int)>() and luacuda_lay<float, 0, 4>() (lua/luacuda/compile) carry a type as
 * their first template argument. NULL for other names. The type must be read with the carrier's
 * name, because substitutions in the type count it. */
static const lcu_type *carried (const lcu_encoding *e) {
  const char *name = e->name->base;
  bool is_carrier = strcmp(name, "luacuda_sig") == 0 || strcmp(name, "luacuda_lay") == 0;
  return is_carrier && e->name->num_args > 0 ? e->name->args[0] : NULL;
}

static lcu_status parse_name (lcu_arena *a, const char *mangled, lcu_signature *out) {
  lcu_encoding e;
  LCU_TRY(lcu_demangle(a, mangled, &e));
  const lcu_type *t = carried(&e), *f = t != NULL ? function_of_pointer(t) : NULL;
  if (f != NULL) return describe_all(f->args, f->num_args, out);
  if (t != NULL || !e.is_function)
    return lcu_fail(LCU_E_SYNTAX, "'%s' is not the name of a function", mangled);
  return describe_all(e.params, e.num_params, out);
}

lcu_status lcu_signature_parse (const char *mangled, lcu_signature *out) {
  lcu_arena a = { 0 };
  memset(out, 0, sizeof *out);
  lcu_status s = parse_name(&a, mangled, out);
  lcu_arena_free(&a);
  return s;
}

static lcu_status carried_type (lcu_arena *a, const char *mangled, const lcu_type **out) {
  lcu_encoding e;
  LCU_TRY(lcu_demangle(a, mangled, &e));
  *out = carried(&e);
  return *out != NULL ? LCU_OK : lcu_fail(LCU_E_SYNTAX, "'%s' does not carry a type", mangled);
}

lcu_status lcu_type_parse (const char *mangled, lcu_param *out, int64_t dims[8], int *num_dims) {
  lcu_arena a = { 0 };
  const lcu_type *t;
  unsigned quals = 0;
  *num_dims = 0;
  memset(out, 0, sizeof *out);
  lcu_status s = carried_type(&a, mangled, &t);
  for (; s == LCU_OK && (t = lcu_type_bare(t, &quals))->kind == LCU_TYPE_ARRAY; t = t->inner) {
    if (*num_dims == 8) s = lcu_fail(LCU_E_SYNTAX, "'%s' has more than 8 dimensions", mangled);
    else dims[(*num_dims)++] = t->extent;
  }
  if (s == LCU_OK) s = describe(t, out);
  if (s == LCU_OK && (quals & LCU_QUAL_CONST) && out->kind != LCU_PARAM_POINTER)
    out->is_const = true;
  lcu_arena_free(&a);
  return s;
}

void lcu_param_free (lcu_param *p) {
  lcu_free(p->type_name);
  lcu_free(p->class_name);
  memset(p, 0, sizeof *p);
}

void lcu_signature_free (lcu_signature *s) {
  for (size_t i = 0; i < s->num_params; i++) lcu_param_free(&s->params[i]);
  lcu_free(s->params);
  memset(s, 0, sizeof *s);
}
