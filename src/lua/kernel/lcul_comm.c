/* lcul_comm.c: class Communicator: its fields and its end. lua/luacuda/nccl adds the operations,
 * which core.comm_run queues (core.comm_join, core.comm_split, core.comm_run: not for users). */
#include <string.h>
#include <time.h>

#include "lcu_collective.h"
#include "lcu_comm_direct.h"
#include "lcul_array.h"
#include "lcul_box.h"
#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_position.h"
#include "lcul_set.h"
#include "lcul_stream.h"

typedef struct comm_box {
  lcu_comm *comm;
} comm_box;

static lcu_comm *comm_check (lua_State *L, int idx) {
  comm_box *box = lcul_check(L, idx, LCUL_COMM);
  if (lcu_unlikely(box->comm == NULL)) lcul_misuse(L, "attempt to use a closed Communicator");
  lcul_work_for(lcul_getstate(L));
  return box->comm;
}


/* ---- making ---- */

/* comm_join(device, alone, timeout_ms) -> a Communicator of the CPU device */
static int core_comm_join (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  bool alone = lua_toboolean(L, 2);
  double timeout = luaL_checknumber(L, 3);
  comm_box *box = lcul_newobject(L, LCUL_COMM, sizeof *box, 0);
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_comm_join(d, alone, timeout, &box->comm));
  return 1;
}

/* comm_meeting() -> the name of a meeting of ranks, for comm_meet */
static int core_comm_meeting (lua_State *L) {
  nccl_id id;
  lcul_status(L, lcu_comm_meeting(&id));
  lua_pushlstring(L, id.bytes, sizeof id.bytes);
  return 1;
}

/* comm_pause(ms): for a rank that waits for a file */
static int core_comm_pause (lua_State *L) {
  lua_Integer ms = luaL_checkinteger(L, 1);
  luaL_argcheck(L, ms >= 0 && ms <= 60000, 1, "out of range");
  const struct timespec t = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };
  nanosleep(&t, NULL);
  return 0;
}

/* comm_meet(device, meeting, rank, size, timeout_ms) -> a Communicator of a GPU */
static int core_comm_meet (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  size_t len;
  nccl_id id;
  const char *meeting = luaL_checklstring(L, 2, &len);
  int rank = (int)luaL_checkinteger(L, 3), size = (int)luaL_checkinteger(L, 4);
  double timeout = luaL_checknumber(L, 5);
  if (len != sizeof id.bytes) lcul_misuse(L, "nccl: %d bytes are expected", (int)sizeof id.bytes);
  memcpy(id.bytes, meeting, sizeof id.bytes);
  comm_box *box = lcul_newobject(L, LCUL_COMM, sizeof *box, 0);
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_comm_meet(d, &id, rank, size, timeout, &box->comm));
  return 1;
}

/* comm_meet_at(device, address, rank, size, timeout_ms) -> a Communicator of a GPU */
static int core_comm_meet_at (lua_State *L) {
  lcu_device *d = lcul_device_check(L, 1);
  const char *address = luaL_checkstring(L, 2);
  int rank = (int)luaL_checkinteger(L, 3), size = (int)luaL_checkinteger(L, 4);
  double timeout = luaL_checknumber(L, 5);
  comm_box *box = lcul_newobject(L, LCUL_COMM, sizeof *box, 0);
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_comm_meet_at(d, address, rank, size, timeout, &box->comm));
  return 1;
}

/* comm_meet_all(timeout_ms, device...) -> a list of Communicators, one for each GPU */
static int core_comm_meet_all (lua_State *L) {
  lcu_device *d[LCU_MAX_DEVICES];
  lcu_comm *made[LCU_MAX_DEVICES];
  comm_box *boxes[LCU_MAX_DEVICES];
  double timeout = luaL_checknumber(L, 1);
  int n = lua_gettop(L) - 1;
  if (n < 1 || n > LCU_MAX_DEVICES) lcul_misuse(L, "nccl.init_all: devices are expected");
  for (int i = 0; i < n; i++) d[i] = lcul_device_check(L, 2 + i);
  for (int i = 0; i < n; i++) lcul_status(L, lcu_device_open(d[i]));
  luaL_checkstack(L, 4, NULL);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    boxes[i] = lcul_newobject(L, LCUL_COMM, sizeof *boxes[i], 0);
    lua_rawseti(L, -2, i + 1);
  }
  lcul_status(L, lcu_comm_meet_all(d, n, timeout, made));
  for (int i = 0; i < n; i++) boxes[i]->comm = made[i];
  return 1;
}

/* comm_split(comm, color, key) -> a Communicator, or nil for a color below 0 */
static int core_comm_split (lua_State *L) {
  lcu_comm *c = comm_check(L, 1);
  int color = (int)luaL_checkinteger(L, 2), key = (int)luaL_checkinteger(L, 3);
  comm_box *box = lcul_newobject(L, LCUL_COMM, sizeof *box, 0);
  lcul_status(L, lcu_comm_split(c, color, key, &box->comm));
  return box->comm != NULL ? 1 : 0;
}


/* ---- operations ---- */

enum { FIRST = 3, FIELDS = 5 }; /* arguments of comm_run */

static const lcul_array *read_array (lua_State *L, int idx, const lcu_comm *c) {
  if (lua_isnoneornil(L, idx)) return NULL;
  const lcul_array *a = lcul_array_check(L, idx);
  if (a->block->device != c->device || !a->contiguous)
    lcul_misuse(L, "a contiguous array on %s is expected", c->device->label);
  return a;
}

/* The elements of one rank, of an array that holds those of `extent`. */
static int64_t count_of (const lcul_array *a, lcu_collective_extent extent, int size) {
  return extent == LCU_EXTENT_ALL ? a->size / size : a->size;
}

static bool holds (const lcul_array *a, lcu_collective_extent extent, int size, int64_t count) {
  if (a == NULL) return true;
  if (extent == LCU_EXTENT_NONE) return false;
  return a->size == (extent == LCU_EXTENT_ALL ? count * size : count);
}

static cu_deviceptr address_or_zero (lua_State *L, const lcul_array *a) {
  return a == NULL || a->size == 0 ? 0 : lcul_array_address(L, a, a->block->device);
}

/* Elements of a struct, and those that are only moved and that NCCL does not know, are bytes. */
static void set_elements (lcu_collective *op, const lcu_dtype *t, int64_t count) {
  bool bytes = t->kind == LCU_KIND_STRUCT;
  op->dtype = bytes ? LCU_UINT8 : t->id;
  op->count = (uint64_t)count * (bytes ? t->size : 1);
}

/* Memory may be input and output where both are the same elements. */
static void check_apart (lua_State *L, const lcu_collective *op, int size) {
  const lcu_collective_row *row = &lcu_collectives[op->kind];
  uint64_t in = lcu_collective_bytes(op, size, false), out = lcu_collective_bytes(op, size, true);
  if (in == 0 || out == 0 || op->in >= op->out + out || op->out >= op->in + in) return;
  if (op->in == op->out && row->in == row->out && row->in == LCU_EXTENT_ONE) return;
  lcul_misuse(L, "%s: the output overlaps the input", row->name);
}

static void check_reduces (lua_State *L, const lcu_collective *op, const lcu_dtype *t) {
  const char *why = lcu_collective_reduces(op->kind) ? lcu_reduce_refuses(t, op->op) : NULL;
  if (why != NULL)
    lcul_misuse(L, "%s: %s of %s: %s", lcu_collectives[op->kind].name, lcu_reduce_ops[op->op],
                t->name, why);
}

static lcu_collective_kind check_kind (lua_State *L, int idx) {
  const char *name = luaL_checkstring(L, idx);
  for (int i = 0; i < LCU_COLLECTIVE_COUNT; i++)
    if (strcmp(lcu_collectives[i].name, name) == 0) return (lcu_collective_kind)i;
  lcul_misuse(L, "%s is not an operation", name);
  return LCU_COLLECTIVE_COUNT;
}

/* [idx] kind, operator, peer, input, output */
static void read_op (lua_State *L, int idx, const lcu_comm *c, lcu_collective *op,
                     lcu_use uses[2]) {
  *op = (lcu_collective){ .kind = check_kind(L, idx) };
  op->op = (lcu_reduce_op)luaL_checkoption(L, idx + 1, "sum", lcu_reduce_ops);
  op->peer = (int)luaL_optinteger(L, idx + 2, 0);
  const lcu_collective_row *row = &lcu_collectives[op->kind];
  const lcul_array *in = read_array(L, idx + 3, c), *out = read_array(L, idx + 4, c);
  const lcul_array *any = in != NULL ? in : out;
  if (any == NULL || op->peer < 0 || op->peer >= c->size)
    lcul_misuse(L, "%s: an array and a rank are expected", row->name);
  int64_t count = count_of(any, in != NULL ? row->in : row->out, c->size);
  if (!holds(in, row->in, c->size, count) || !holds(out, row->out, c->size, count) ||
      (in != NULL && out != NULL && in->dtype != out->dtype))
    lcul_misuse(L, "%s: input and output do not match", row->name);
  check_reduces(L, op, any->dtype);
  set_elements(op, any->dtype, count);
  op->in = address_or_zero(L, in);
  op->out = address_or_zero(L, out);
  check_apart(L, op, c->size);
  uses[0] = (lcu_use){ in != NULL ? in->block : NULL, false };
  uses[1] = (lcu_use){ out != NULL ? out->block : NULL, true };
}

static void run_collectives (lua_State *L, lcu_comm *c, lcu_stream *s, lcu_collective ops[],
                             lcu_use uses[], int n) {
  for (int i = 0; i < n; i++) read_op(L, FIRST + i * FIELDS, c, &ops[i], &uses[2 * i]);
  lcul_note_caller(L, c->device, true);
  lcul_status(L, lcu_collective_queue(c, s, ops, uses, n));
}

static void run_many (lua_State *L, lcu_comm *c, lcu_stream *s, int n) {
  lcu_collective *ops = lcul_scratch(L, (size_t)n * sizeof *ops);
  lcu_use *uses = lcul_scratch(L, 2 * (size_t)n * sizeof *uses);
  run_collectives(L, c, s, ops, uses, n);
  lcul_scratch_free(L, -1);
  lcul_scratch_free(L, -2);
}

/* Argument 2; nil: the current stream. */
static lcu_stream *stream_of (lua_State *L, const lcu_comm *c) {
  if (lua_isnoneornil(L, 2)) return lcul_stream_current(L, c->device);
  return lcul_stream_for(L, 2, c->device);
}

/* comm_run(comm, stream, kind, operator, peer, input, output, ...): operations that are carried out
 * together. stream nil: the current one; peer: the root or the other rank, from 0. */
static int core_comm_run (lua_State *L) {
  enum { FEW = 4 };
  lcu_collective ops[FEW];
  lcu_use uses[2 * FEW];
  lcu_comm *c = comm_check(L, 1);
  lcu_stream *s = stream_of(L, c);
  int n = (lua_gettop(L) - FIRST + 1) / FIELDS;
  if (n > FEW) run_many(L, c, s, n);
  else if (n > 0) run_collectives(L, c, s, ops, uses, n);
  return 0;
}

/* Argument 2, if it is an open array that operations of the communicator can take; else NULL. */
static const lcul_array *fitting (lua_State *L, const lcu_comm *c) {
  const lcul_array *a = lcul_array_test(L, 2);
  bool fits = a != NULL && a->block != NULL && a->block->device == c->device && a->contiguous;
  return fits ? a : NULL;
}

/* comm_fits(comm, value) -> is it an open array that operations of the communicator can take? */
static int core_comm_fits (lua_State *L) {
  lua_pushboolean(L, fitting(L, comm_check(L, 1)) != NULL);
  return 1;
}

/* Is the table at idx { out = argument 2 }, and nothing else? */
static bool is_only_out (lua_State *L, int idx) {
  if (!lua_istable(L, idx) || lua_getmetatable(L, idx)) return false;
  lua_pushnil(L);
  if (!lua_next(L, idx)) return false;
  if (!lua_rawequal(L, -1, 2) || lua_type(L, -2) != LUA_TSTRING ||
      strcmp(lua_tostring(L, -2), "out") != 0)
    return false;
  lua_pop(L, 1);
  return !lua_next(L, idx);
}

/* comm_sum(comm, x, options) -> whether it has queued all_reduce: only the sum in place without
 * other options, what programs call most. Otherwise it has done nothing. */
static int core_comm_sum (lua_State *L) {
  lcu_comm *c = comm_check(L, 1);
  const lcul_array *x = fitting(L, c);
  if (x == NULL || lua_gettop(L) != 3 || !is_only_out(L, 3) ||
      lcu_reduce_refuses(x->dtype, LCU_REDUCE_SUM) != NULL)
    return 0;
  lcu_collective op = { .kind = LCU_COLLECTIVE_ALL_REDUCE, .op = LCU_REDUCE_SUM };
  set_elements(&op, x->dtype, x->size);
  op.in = op.out = address_or_zero(L, x);
  const lcu_use uses[2] = { { x->block, false }, { x->block, true } };
  lcu_stream *s = lcul_stream_current(L, c->device);
  lcul_note_caller(L, c->device, true);
  lcul_status(L, lcu_collective_queue(c, s, &op, uses, 1));
  lua_pushboolean(L, true);
  return 1;
}

/* comm_can_be_direct(comm, stream, kind, operator, peer, input, output, ...), for operations of
 * comm_run -> a boolean for comm_groups_start */
static int core_comm_can_be_direct (lua_State *L) {
  const lcu_stream *s = stream_of(L, comm_check(L, 1));
  bool can = true;
  for (int i = FIRST; i <= lua_gettop(L) && can; i += FIELDS)
    can = lcu_comm_can_be_direct(s, check_kind(L, i));
  lua_pushboolean(L, can);
  return 1;
}

/* The communicators from argument `first` on; returns their number. */
static int check_all (lua_State *L, int first, lcu_comm *c[LCU_MAX_DEVICES]) {
  int n = lua_gettop(L) < first ? 0 : lua_gettop(L) - first + 1;
  if (n > LCU_MAX_DEVICES)
    lcul_misuse(L, "nccl.group: at most %d communicators", (int)LCU_MAX_DEVICES);
  for (int i = 0; i < n; i++) c[i] = comm_check(L, first + i);
  return n;
}

/* comm_groups_start(direct, comm...): operations of several communicators of this process follow,
 * and comm_groups_end. direct: comm_can_be_direct holds for all. */
static int core_comm_groups_start (lua_State *L) {
  lcu_comm *c[LCU_MAX_DEVICES];
  int n = check_all(L, 2, c);
  lcul_status(L, lcu_comm_groups_start(c, n, lua_toboolean(L, 1)));
  return 0;
}

/* comm_groups_end(comm...) */
static int core_comm_groups_end (lua_State *L) {
  lcu_comm *c[LCU_MAX_DEVICES];
  int n = check_all(L, 1, c);
  lcul_status(L, lcu_comm_groups_end(c, n));
  return 0;
}


/* ---- the class ---- */

static int comm_close (lua_State *L) {
  comm_box *box = lcul_check(L, 1, LCUL_COMM);
  lcu_comm *c = box->comm;
  box->comm = NULL;
  if (c != NULL) atomic_store(&c->closed, true);
  lcu_unref(c);
  return 0;
}

/* Operations that were queued are carried out first. */
static int comm_close_after (lua_State *L) {
  const comm_box *box = lcul_check(L, 1, LCUL_COMM);
  lcu_status st = box->comm != NULL ? lcu_comm_wait(box->comm) : LCU_OK;
  comm_close(L);
  lcul_status(L, st);
  return 0;
}

static int comm_tostring (lua_State *L) {
  const comm_box *box = lcul_check(L, 1, LCUL_COMM);
  const lcu_comm *c = box->comm;
  if (c == NULL) lua_pushliteral(L, "luacuda.Communicator (closed)");
  else
    lua_pushfstring(L, "luacuda.Communicator: rank %d of %d on %s", c->rank, c->size,
                    c->device->label);
  return 1;
}

static int get_rank (lua_State *L) {
  lua_pushinteger(L, comm_check(L, 1)->rank);
  return 1;
}
static int get_size (lua_State *L) {
  lua_pushinteger(L, comm_check(L, 1)->size);
  return 1;
}
static int get_timeout_ms (lua_State *L) {
  lua_pushnumber(L, comm_check(L, 1)->timeout_ms);
  return 1;
}
static int get_device (lua_State *L) {
  lcul_device_push(L, comm_check(L, 1)->device);
  return 1;
}

static const luaL_Reg comm_functions[] = { { "comm_join", core_comm_join },
                                           { "comm_meeting", core_comm_meeting },
                                           { "comm_pause", core_comm_pause },
                                           { "comm_meet", core_comm_meet },
                                           { "comm_meet_at", core_comm_meet_at },
                                           { "comm_meet_all", core_comm_meet_all },
                                           { "comm_split", core_comm_split },
                                           { "comm_run", core_comm_run },
                                           { "comm_fits", core_comm_fits },
                                           { "comm_sum", core_comm_sum },
                                           { "comm_can_be_direct", core_comm_can_be_direct },
                                           { "comm_groups_start", core_comm_groups_start },
                                           { "comm_groups_end", core_comm_groups_end },
                                           { NULL, NULL } };

static const luaL_Reg comm_methods[] = { { "close", comm_close_after }, { NULL, NULL } };

static const luaL_Reg comm_getters[] = { { "rank", get_rank },
                                         { "size", get_size },
                                         { "timeout_ms", get_timeout_ms },
                                         { "device", get_device },
                                         { NULL, NULL } };

static const luaL_Reg comm_metamethods[] = { { "__gc", comm_close },
                                             { "__close", comm_close_after },
                                             { "__tostring", comm_tostring },
                                             { NULL, NULL } };

void lcul_open_comm (lua_State *L) {
  static const lcul_classdef def = {
    .id = LCUL_COMM,
    .boxed = true,
    .methods = comm_methods,
    .getters = comm_getters,
    .metamethods = comm_metamethods,
  };
  lcul_newclass(L, &def);
  lcul_setfuncs(L, comm_functions);
}
