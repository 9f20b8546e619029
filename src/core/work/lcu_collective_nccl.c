/* lcu_collective_nccl.c: operations of communicators of GPUs, by NCCL. */
#include "lcu_collective.h"

#include "cu_dtype.h"
#include "lcu_comm_direct.h"

typedef struct nccl_call {
  const lcu_nccl *lib;
  const lcu_comm *c;
  nccl_comm comm;
  cu_stream s;
  const lcu_collective *op;
  const void *in;
  void *out;
  size_t count;
  nccl_type type;
} nccl_call;

#define NCCL_CALL(x, fn, args) lcu_nccl_status(#fn, settle_later((x)->lib->fn args))

/* Within a group a call may be in progress, which the end of the group waits for. */
static nccl_result settle_later (nccl_result r) { return r == NCCL_IN_PROGRESS ? 0 : r; }

static lcu_status send_part (const nccl_call *x, const void *from, int to) {
  return NCCL_CALL(x, ncclSend, (from, x->count, x->type, to, x->comm, x->s));
}

static lcu_status recv_part (const nccl_call *x, void *to, int from) {
  return NCCL_CALL(x, ncclRecv, (to, x->count, x->type, from, x->comm, x->s));
}

/* The part of a rank in an array that has one for each rank. */
static size_t part_at (const nccl_call *x, int rank) {
  return (size_t)(x->op->count * lcu_dtypes[x->op->dtype].size) * (size_t)rank;
}

static lcu_status send_parts (const nccl_call *x) {
  for (int r = 0; r < x->c->size; r++)
    LCU_TRY(send_part(x, (const char *)x->in + part_at(x, r), r));
  return LCU_OK;
}

static lcu_status recv_parts (const nccl_call *x) {
  for (int r = 0; r < x->c->size; r++) LCU_TRY(recv_part(x, (char *)x->out + part_at(x, r), r));
  return LCU_OK;
}

static lcu_status gather (const nccl_call *x) {
  LCU_TRY(send_part(x, x->in, x->op->peer));
  return x->op->peer == x->c->rank ? recv_parts(x) : LCU_OK;
}

static lcu_status scatter (const nccl_call *x) {
  if (x->op->peer == x->c->rank) LCU_TRY(send_parts(x));
  return recv_part(x, x->out, x->op->peer);
}

static lcu_status all_to_all (const nccl_call *x) {
  LCU_TRY(send_parts(x));
  return recv_parts(x);
}

static lcu_status reduce_in (const nccl_call *x) {
  const lcu_collective *o = x->op;
  nccl_comm comm = x->comm;
  int op = (int)o->op; /* in NCCL's order */
  switch (o->kind) {
    case LCU_COLLECTIVE_ALL_REDUCE:
      return NCCL_CALL(x, ncclAllReduce, (x->in, x->out, x->count, x->type, op, comm, x->s));
    case LCU_COLLECTIVE_REDUCE:
      return NCCL_CALL(x, ncclReduce, (x->in, x->out, x->count, x->type, op, o->peer, comm, x->s));
    default:
      return NCCL_CALL(x, ncclReduceScatter, (x->in, x->out, x->count, x->type, op, comm, x->s));
  }
}

static lcu_status queue_call (const nccl_call *x) {
  const lcu_collective *o = x->op;
  switch (o->kind) {
    case LCU_COLLECTIVE_BROADCAST:
      return NCCL_CALL(x, ncclBroadcast,
                       (x->in, x->out, x->count, x->type, o->peer, x->comm, x->s));
    case LCU_COLLECTIVE_ALL_GATHER:
      return NCCL_CALL(x, ncclAllGather, (x->in, x->out, x->count, x->type, x->comm, x->s));
    case LCU_COLLECTIVE_ALL_TO_ALL: return all_to_all(x);
    case LCU_COLLECTIVE_GATHER: return gather(x);
    case LCU_COLLECTIVE_SCATTER: return scatter(x);
    case LCU_COLLECTIVE_SEND: return send_part(x, x->in, o->peer);
    case LCU_COLLECTIVE_RECV: return recv_part(x, x->out, o->peer);
    default: return reduce_in(x);
  }
}

/* The type of NCCL for elements; returns how many of them one element is. */
static uint64_t parts_of (lcu_dtype_id dtype, nccl_type *type) {
  *type = lcu_codes[dtype].nccl;
  if (*type >= 0) return lcu_dtypes[dtype].kind == LCU_KIND_COMPLEX ? 2 : 1;
  *type = LCU_NCCL_UINT8;
  return lcu_dtypes[dtype].size;
}

static lcu_status queue_one (nccl_call x, const lcu_collective *op) {
  x.op = op;
  x.in = (const void *)(uintptr_t)op->in;
  x.out = (void *)(uintptr_t)op->out;
  x.count = (size_t)(op->count * parts_of(op->dtype, &x.type));
  return queue_call(&x);
}

/* NCCL makes a group of every call. */
static lcu_status queue_alone (lcu_comm *c, nccl_call x, const lcu_collective *op) {
  lcu_status st = queue_one(x, op);
  return lcu_likely(st == LCU_OK) ? LCU_OK : lcu_comm_abort(c, st);
}

static bool can_be_direct (const lcu_stream *s, const lcu_collective *ops, int n) {
  int i = 0;
  while (i < n && lcu_comm_can_be_direct(s, ops[i].kind)) i++;
  return i == n;
}

lcu_status lcu_collective_nccl (lcu_comm *c, lcu_stream *s, const lcu_collective *ops, int n) {
  LCU_TRY(lcu_comm_check(c));
  bool direct = lcu_comm_is_direct(c, can_be_direct(s, ops, n));
  if (s->capture == NULL) LCU_TRY(lcu_comm_queueing(c, s, direct));
  const nccl_call x = {
    .lib = c->lib, .c = c, .comm = direct ? c->direct : c->nccl, .s = s->handle
  };
  if (direct && n == 1) return queue_alone(c, x, ops);
  LCU_TRY(lcu_nccl_status("ncclGroupStart", c->lib->ncclGroupStart()));
  lcu_status st = LCU_OK;
  for (int i = 0; i < n && st == LCU_OK; i++) st = queue_one(x, &ops[i]);
  if (st == LCU_OK) return lcu_comm_settle(c, "ncclGroupEnd", c->lib->ncclGroupEnd());
  lcu_failure kept = *lcu_failure_get();
  (void)c->lib->ncclGroupEnd();
  return lcu_fail_again(&kept);
}
