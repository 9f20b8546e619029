/* lcul_blas.c: matrix products for lua/luacuda/linalg (core.cublas, core.gemm, core.gemm_plan,
 * core.host_gemm). Not for users: operands are arrays of one dtype and device with the same number
 * of axes, already broadcast. */
#include <string.h>

#include "cu_search.h"
#include "lcu_process_open.h"
#include "lcu_routine.h"
#include "lcul_array.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_failure.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_stream.h"


/* ---- operands ---- */

typedef struct operands {
  lcul_array *a, *b, *c;
  lcu_gemm gemm;
  bool planned;
} operands;

static lcu_gemm_array operand (const lcul_array *x) {
  return (lcu_gemm_array){ x->shape, x->strides };
}

static void check_batch (lua_State *L, const lcul_array *x, const lcul_array *c) {
  if (x->dtype != c->dtype || x->ndim != c->ndim || x->block->device != c->block->device)
    lcul_misuse(L, "gemm: operands of one dtype, device and number of axes are expected");
  for (int i = 0; i < c->ndim - 2; i++)
    if (x->shape[i] != c->shape[i])
      lcul_misuse(L, "gemm: operands of the same batch axes are expected");
}

/* [1] a {..., m, k}, [2] b {..., k, n}, [3] c {..., m, n} */
static void read_operands (lua_State *L, operands *o) {
  o->a = lcul_array_check(L, 1);
  o->b = lcul_array_check(L, 2);
  o->c = lcul_array_check(L, 3);
  int row = o->c->ndim - 2, col = o->c->ndim - 1;
  if (row < 0) lcul_misuse(L, "gemm: matrices are expected");
  check_batch(L, o->a, o->c);
  check_batch(L, o->b, o->c);
  if (o->a->shape[row] != o->c->shape[row] || o->b->shape[col] != o->c->shape[col] ||
      o->a->shape[col] != o->b->shape[row])
    lcul_misuse(L, "gemm: the shapes do not match");
  o->planned = lcu_gemm_plan(&o->gemm, o->c->ndim, o->c->dtype->size, operand(o->a), operand(o->b),
                             operand(o->c));
}


/* ---- functions ---- */

static int no_cublas (lua_State *L) {
  lua_pushnil(L);
  lcul_push_failure_text(L);
  return 2;
}

static int missing_cublas (lua_State *L, lcu_status st) {
  if (lcu_search_names("LUACUDA_LIBCUBLAS")) lcul_status(L, st);
  return no_cublas(L);
}

/* cublas([device]) -> { version = { 13, 0, 2 }, path = }, or nil and the reason: it was not found,
 * or cannot be initialized on the device, for example because the driver is too old. Raises an
 * error if LUACUDA_LIBCUBLAS names a library that cannot be used. The first call opens the
 * library. */
static int core_cublas (lua_State *L) {
  enum { NOT_INITIALIZED = 1 };
  const lcu_cublas *lib;
  lcu_status found = lcu_process_cublas(&lib);
  if (found != LCU_OK) return missing_cublas(L, found);
  if (!lua_isnoneornil(L, 1)) {
    lcu_status st = lcu_blas_ready(lcul_device_check(L, 1));
    if (st == LCU_CUBLAS + NOT_INITIALIZED) return no_cublas(L);
    lcul_status(L, st);
  }
  lua_createtable(L, 0, 2);
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, lib->version[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "version");
  lcul_set_string(L, "path", lib->path);
  return 1;
}

static void set_step (lua_State *L, const char *name, int64_t step) {
  lcul_set_integer(L, name, (lua_Integer)step);
}

/* gemm_plan(a, b, c) -> { m, n, k, count, a_row, a_col, b_row, b_col, bytes = the lcu_gemm of
 * lcu_gemm.h }, or nil when the strides cannot be counted in elements */
static int core_gemm_plan (lua_State *L) {
  operands o;
  read_operands(L, &o);
  if (!o.planned) return 0;
  lua_createtable(L, 0, 9);
  set_step(L, "m", o.gemm.m);
  set_step(L, "n", o.gemm.n);
  set_step(L, "k", o.gemm.k);
  set_step(L, "count", lcu_gemm_count(&o.gemm));
  set_step(L, "a_row", o.gemm.a_row);
  set_step(L, "a_col", o.gemm.a_col);
  set_step(L, "b_row", o.gemm.b_row);
  set_step(L, "b_col", o.gemm.b_col);
  lua_pushlstring(L, (const char *)&o.gemm, sizeof o.gemm);
  lua_setfield(L, -2, "bytes");
  return 1;
}

/* The product of the operands on the stream at index 4. */
static lcu_stream *read_job (lua_State *L, const operands *o, lcu_blas_job *job) {
  lcu_stream *s = lcul_stream_check(L, 4);
  lcu_device *d = o->c->block->device;
  if (s->device != d)
    lcul_misuse(L, "gemm: the stream belongs to %s, the arrays are on %s", s->device->label,
                d->label);
  if (o->gemm.k == 0 || o->c->size == 0) lcul_misuse(L, "gemm: empty matrices");
  *job =
    (lcu_blas_job){ &o->gemm,
                    o->c->dtype->id,
                    lua_toboolean(L, 5),
                    lcul_array_address(L, o->a, d),
                    lcul_array_address(L, o->b, d),
                    lcul_array_address(L, o->c, d),
                    { { o->a->block, false }, { o->b->block, false }, { o->c->block, true } } };
  return s;
}

/* gemm(a, b, c, stream, tf32) -> true, or false and the operand to copy first ("a", "b", "c";
 * "size": too large). Uses cuBLAS, which must support the dtype; no extent may be 0. */
static int core_gemm (lua_State *L) {
  static const char *const fits[] = { [LCU_GEMM_COPY_A] = "a",
                                      [LCU_GEMM_COPY_B] = "b",
                                      [LCU_GEMM_COPY_C] = "c",
                                      [LCU_GEMM_TOO_LARGE] = "size" };
  operands o;
  lcu_blas_job job;
  lcu_gemm_fit fit = LCU_GEMM_TOO_LARGE;
  read_operands(L, &o);
  if (!lcu_blas_has(o.c->dtype->id)) lcul_misuse(L, "gemm: cuBLAS has no %s", o.c->dtype->name);
  lcu_stream *s = read_job(L, &o, &job);
  if (o.planned) lcul_status(L, lcu_blas_gemm(s, &job, &fit));
  lua_pushboolean(L, fit == LCU_GEMM_FITS);
  if (fit == LCU_GEMM_FITS) return 1;
  lua_pushstring(L, fits[fit]);
  return 2;
}

/* host_gemm(a, b, c, stream) -> true, or false when the strides cannot be counted in elements. For
 * arrays of numbers on the CPU device, which multiplies itself; no extent may be 0. */
static int core_host_gemm (lua_State *L) {
  operands o;
  lcu_blas_job job;
  read_operands(L, &o);
  if (!lcu_hostgemm_has(o.c->block->device) || o.c->dtype->kind == LCU_KIND_STRUCT)
    lcul_misuse(L, "gemm: numbers on the CPU device are expected");
  lcu_stream *s = read_job(L, &o, &job);
  lcul_note_caller(L, s->device, true);
  if (o.planned) lcul_status(L, lcu_hostgemm(s, &job));
  lua_pushboolean(L, o.planned);
  return 1;
}

static const luaL_Reg blas_functions[] = { { "cublas", core_cublas },
                                           { "gemm_plan", core_gemm_plan },
                                           { "gemm", core_gemm },
                                           { "host_gemm", core_host_gemm },
                                           { NULL, NULL } };

void lcul_open_blas (lua_State *L) { lcul_setfuncs(L, blas_functions); }
