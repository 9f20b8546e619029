/* lcul_matmul.c: the usual matrix products in one call (core.matmul): operands of one dtype on one
 * device, and no option `backend`. lua/luacuda/linalg/products.lua has all others and the
 * errors. */
#include <string.h>

#include "lcu_routine.h"
#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_class.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_stream.h"

/* ---- operands ---- */

enum { AXES = LCUL_MAX_DIMS };

/* A factor as batch axes and a matrix. */
typedef struct factor {
  lcul_array *array;
  int64_t rows, columns, row, column; /* extents; steps in bytes */
  int batch;                          /* axes before the matrix */
} factor;

typedef struct product {
  factor a, b;
  int batch; /* axes */
  /* of the batch axes, then of rows and columns */
  int64_t shape[AXES], a_strides[AXES], b_strides[AXES], c_strides[AXES];
  int64_t a_shape[AXES], b_shape[AXES];
} product;

static bool is_numbers (const lcul_array *x) {
  return x != NULL && x->block != NULL && x->dtype->kind != LCU_KIND_STRUCT && x->ndim > 0 &&
         x->ndim < AXES && x->size > 0;
}

/* A vector is a row on the left and a column on the right. */
static factor left_factor (lcul_array *x) {
  int last = x->ndim - 1;
  if (last == 0) return (factor){ x, 1, x->shape[0], 0, x->strides[0], 0 };
  return (factor){
    x, x->shape[last - 1], x->shape[last], x->strides[last - 1], x->strides[last], last - 1
  };
}

static factor right_factor (lcul_array *x, bool transposed) {
  int row = x->ndim - 2, column = x->ndim - 1;
  if (column == 0) return (factor){ x, x->shape[0], 1, x->strides[0], 0, 0 };
  if (transposed) row++, column--;
  return (factor){ x,          x->shape[row], x->shape[column], x->strides[row], x->strides[column],
                   x->ndim - 2 };
}

/* The step of a factor along batch axis `i`: 0 where it is repeated; *extent becomes the greater
 * one. */
static bool batch_step (const factor *f, const product *p, int i, int64_t *extent, int64_t *step) {
  int own = i - (p->batch - f->batch);
  int64_t n = own < 0 ? 1 : f->array->shape[own];
  *step = n == 1 ? 0 : f->array->strides[own];
  if (n != 1 && *extent != 1 && n != *extent) return false;
  if (n != 1) *extent = n;
  return true;
}

/* False: the shapes do not fit. */
static bool match (product *p) {
  int m, n;
  if (p->a.columns != p->b.rows) return false;
  p->batch = p->a.batch > p->b.batch ? p->a.batch : p->b.batch;
  if (p->batch + 2 > AXES) return false;
  for (int i = 0; i < p->batch; i++) {
    p->shape[i] = 1;
    if (!batch_step(&p->a, p, i, &p->shape[i], &p->a_strides[i]) ||
        !batch_step(&p->b, p, i, &p->shape[i], &p->b_strides[i]))
      return false;
  }
  m = p->batch, n = p->batch + 1;
  memcpy(p->a_shape, p->shape, sizeof p->shape);
  memcpy(p->b_shape, p->shape, sizeof p->shape);
  p->shape[m] = p->a_shape[m] = p->a.rows;
  p->shape[n] = p->b_shape[n] = p->b.columns;
  p->a_shape[n] = p->b_shape[m] = p->b.rows;
  p->a_strides[m] = p->a.row;
  p->a_strides[n] = p->a.column;
  p->b_strides[m] = p->b.row;
  p->b_strides[n] = p->b.column;
  return true;
}

/* [1] a, [2] b; `kind`: NULL, or "dot" or "inner", which differ for more than two axes. */
static bool read_factors (lua_State *L, product *p, const char *kind) {
  lcul_array *a = lcul_array_test(L, 1), *b = lcul_array_test(L, 2);
  if (!is_numbers(a) || !is_numbers(b) || a->dtype != b->dtype ||
      a->block->device != b->block->device)
    return false;
  if (kind != NULL && (a->ndim > 2 || b->ndim > 2)) return false;
  p->a = left_factor(a);
  p->b = right_factor(b, kind != NULL && strcmp(kind, "inner") == 0);
  return match(p);
}


/* ---- options ---- */

typedef struct matmul_options {
  lcu_stream *stream; /* NULL: the device's current one */
  bool tf32;
} matmul_options;

/* The key is under the value at the top. */
static bool read_option (lua_State *L, const lcu_device *d, matmul_options *o, int out) {
  const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
  if (strcmp(key, "out") == 0) lua_copy(L, -1, out);
  else if (strcmp(key, "tf32") == 0 && lua_isboolean(L, -1)) o->tf32 = lua_toboolean(L, -1);
  else if (strcmp(key, "stream") == 0 && lcul_test(L, -1, LCUL_STREAM) != NULL)
    o->stream = lcul_stream_check(L, -1);
  else return false;
  return o->stream == NULL || o->stream->device == d;
}

/* Pushes option `out` of the table at idx; nil without it. False: they are not usual. */
static bool read_options (lua_State *L, int idx, const lcu_device *d, matmul_options *o) {
  *o = (matmul_options){ NULL, false };
  lua_pushnil(L);
  int out = lua_gettop(L);
  if (lua_isnoneornil(L, idx)) return true;
  if (!lua_istable(L, idx) || lua_getmetatable(L, idx)) return false;
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    if (!read_option(L, d, o, out)) return false;
    lua_pop(L, 1);
  }
  return true;
}


/* ---- the result ---- */

/* The shape of the result: vectors have no axis in it. */
static int result_shape (const product *p, int64_t *out) {
  int n = p->batch;
  memcpy(out, p->shape, (size_t)n * sizeof out[0]);
  if (p->a.array->ndim > 1) out[n++] = p->a.rows;
  if (p->b.array->ndim > 1) out[n++] = p->b.columns;
  return n;
}

static void set_c_strides (product *p, const lcul_array *c) {
  int n = p->batch;
  memcpy(p->c_strides, c->strides, (size_t)n * sizeof c->strides[0]);
  p->c_strides[p->batch] = p->a.array->ndim > 1 ? c->strides[n++] : 0;
  p->c_strides[p->batch + 1] = p->b.array->ndim > 1 ? c->strides[n] : 0;
}

/* Can it be written as it is? */
static bool can_write (const product *p, const lcul_array *c, int ndim, const int64_t *shape) {
  if (c == NULL || c->block == NULL || c->dtype != p->a.array->dtype || c->ndim != ndim ||
      c->block->device != p->a.array->block->device || c->block->readonly)
    return false;
  for (int i = 0; i < ndim; i++)
    if (c->shape[i] != shape[i] || (c->strides[i] == 0 && shape[i] > 1)) return false;
  return !lcul_array_overlap(c, p->a.array) && !lcul_array_overlap(c, p->b.array);
}

/* Pushes the array to write to: `out`, which is at the top, or a new one. NULL: it is not usable as
 * it is. */
static lcul_array *result_array (lua_State *L, product *p, lcu_stream *s) {
  int64_t shape[AXES];
  int ndim = result_shape(p, shape);
  if (lua_isnil(L, -1)) return lcul_array_new(L, s->device, s, p->a.array->dtype, ndim, shape);
  lcul_array *c = lcul_array_test(L, -1);
  return can_write(p, c, ndim, shape) ? c : NULL;
}


/* ---- the call ---- */

/* Queues the product; false: copies have to be made first. */
static bool multiply (lua_State *L, const product *p, const lcul_array *c, lcu_stream *s,
                      bool tf32) {
  const lcul_array *a = p->a.array, *b = p->b.array;
  lcu_device *d = s->device;
  lcu_gemm g;
  lcu_gemm_fit fit = LCU_GEMM_FITS;
  if (!lcu_gemm_plan(&g, p->batch + 2, c->dtype->size, (lcu_gemm_array){ p->a_shape, p->a_strides },
                     (lcu_gemm_array){ p->b_shape, p->b_strides },
                     (lcu_gemm_array){ p->shape, p->c_strides }))
    return false;
  lcu_blas_job job = { &g,
                       c->dtype->id,
                       tf32,
                       lcul_array_address(L, a, d),
                       lcul_array_address(L, b, d),
                       lcul_array_address(L, c, d),
                       { { a->block, false }, { b->block, false }, { c->block, true } } };
  lcul_note_caller(L, d, true);
  if (lcu_hostgemm_has(d)) lcul_status(L, lcu_hostgemm(s, &job));
  else lcul_status(L, lcu_blas_gemm(s, &job, &fit));
  return fit == LCU_GEMM_FITS;
}

/* The first product with cuBLAS finds out whether the device has it, in Lua. */
static bool is_ready (const lcu_device *d, lcu_dtype_id dtype) {
  return lcu_hostgemm_has(d) || (lcu_blas_has(dtype) && lcu_blas_is_ready(d));
}

/* Of two vectors, which are a reduction on a GPU. */
static bool is_reduction (const product *p, const lcu_device *d) {
  return p->a.array->ndim == 1 && p->b.array->ndim == 1 && !lcu_hostgemm_has(d);
}

/* matmul(a, b [, options [, kind]]) -> the product, or nil where this is not a usual one. kind:
 * "dot", "inner". Of two vectors: an array without axes, or false where it is the sum of a * b,
 * without further checks. */
static int core_matmul (lua_State *L) {
  product p;
  matmul_options o;
  const char *kind = lua_tostring(L, 4);
  lua_settop(L, 4);
  if (!read_factors(L, &p, kind)) return 0;
  lcu_device *d = p.a.array->block->device;
  if (!read_options(L, 3, d, &o)) return 0;
  if (is_reduction(&p, d)) {
    if (!lua_isnil(L, -1) && !can_write(&p, lcul_array_test(L, -1), 0, NULL)) return 0;
    lua_pushboolean(L, false);
    return 1;
  }
  if (!is_ready(d, p.a.array->dtype->id)) return 0;
  if (o.stream == NULL) o.stream = lcul_stream_current(L, d);
  lcul_array *c = result_array(L, &p, o.stream);
  /* a finalizer may have run and freed an operand */
  if (c == NULL || p.a.array->block == NULL || p.b.array->block == NULL) return 0;
  set_c_strides(&p, c);
  return multiply(L, &p, c, o.stream, o.tf32) ? 1 : 0;
}

void lcul_open_matmul (lua_State *L) {
  static const luaL_Reg functions[] = { { "matmul", core_matmul }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
