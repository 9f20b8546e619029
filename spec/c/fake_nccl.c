/* fake_nccl.c: a library with NCCL's entry points for specs, on GPUs that are the CPU device. Ranks
 * of several processes exchange data over MPI, as the CPU device's do (src/mpi); ranks of one
 * process, made in one group, are computed when the group ends. FAKE_NCCL_FAIL="ncclAllReduce 3"
 * makes the call of that name return 3;
 * FAKE_NCCL_TIMEOUT_MS is how long a rank waits for others. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cu_collective.h"
#include "cu_nccl.h"
#include "mpi_comm.h"

#define LCU_NCCL(need, name, params) LCU_EXPORT int name params;
#include "nccl.def"
#undef LCU_NCCL

enum { SYSTEM = 2, INVALID = 4, REMOTE = 6, MOST = 64 };

struct nccl_comm_ {
  mpi_comm *mpi; /* NULL: the ranks are in this process */
  char meeting[128];
  int rank, size;
  bool blocks;
  atomic_int failure;
  atomic_int queued;    /* jobs */
  atomic_bool is_split; /* now: a call of ncclCommSplit goes on */
};

typedef struct entry {
  nccl_comm comm;
  cu_context context;
  cu_stream stream;
  lcu_collective op;
} entry;

static _Thread_local int depth;
static _Thread_local entry group[MOST];
static _Thread_local int grouped;

static int failure (const char *call) {
  const char *e = getenv("FAKE_NCCL_FAIL");
  char name[64];
  int code;
  return e != NULL && sscanf(e, "%63s %d", name, &code) == 2 && strcmp(name, call) == 0 ? code : 0;
}

static void *driver (const char *name) {
  static void *handle;
  if (handle == NULL) handle = dlopen(getenv("LUACUDA_LIBCUDA"), RTLD_NOW);
  return handle != NULL ? dlsym(handle, name) : NULL;
}

static cu_context current (void) {
  int (*fn)(cu_context *);
  cu_context c = NULL;
  void *p = driver("cuCtxGetCurrent");
  memcpy(&fn, &p, sizeof fn);
  return p != NULL && fn(&c) == 0 ? c : NULL;
}

typedef int context_call (cu_stream s, void (*job)(void *ud), void *ud);

/* Calls fn with the context as the current one, as NCCL does when a group ends. */
static int in_context (cu_context c, context_call *fn, cu_stream s, void (*job)(void *ud),
                       void *ud) {
  int (*push)(cu_context), (*pop)(cu_context *), r;
  void *p[] = { driver("cuCtxPushCurrent_v2"), driver("cuCtxPopCurrent_v2") };
  memcpy(&push, &p[0], sizeof push);
  memcpy(&pop, &p[1], sizeof pop);
  if (push(c) != 0) return SYSTEM;
  r = fn(s, job, ud);
  (void)pop(&c);
  return r != 0 ? SYSTEM : 0;
}

static int wait_for (cu_stream s, void (*job)(void *ud), void *ud) {
  int (*fn)(cu_stream);
  void *p = driver("cuStreamSynchronize");
  (void)job;
  (void)ud;
  memcpy(&fn, &p, sizeof fn);
  return fn(s);
}

static int call_host (cu_stream s, void (*job)(void *ud), void *ud) {
  int (*fn)(cu_stream, void (*)(void *), void *);
  void *p = driver("cuLaunchHostFunc");
  memcpy(&fn, &p, sizeof fn);
  return fn(s, job, ud);
}

static bool is_captured (cu_stream s) {
  int (*fn)(cu_stream, int *), status = 0;
  void *p = driver("cuStreamIsCapturing");
  memcpy(&fn, &p, sizeof fn);
  return p != NULL && fn(s, &status) == 0 && status != 0;
}


/* ---- communicators ---- */

int ncclGetVersion (int *version) {
  *version = 22809;
  return failure("ncclGetVersion");
}

/* The address, or a number. */
int ncclGetUniqueId (nccl_id *id) {
  static int made;
  const char *address = getenv("NCCL_COMM_ID");
  memset(id, 0, sizeof *id);
  if (address != NULL) snprintf(id->bytes, sizeof id->bytes, "%s", address);
  else snprintf(id->bytes, sizeof id->bytes, "meeting %d", ++made);
  return failure("ncclGetUniqueId");
}

static int join (nccl_comm c) {
  static lcu_mpi lib;
  const char *limit = getenv("FAKE_NCCL_TIMEOUT_MS");
  double timeout_ms = limit != NULL ? atof(limit) : 30000;
  if (c->size == 1) return mpi_comm_alone(timeout_ms, &c->mpi) == LCU_OK ? 0 : SYSTEM;
  if (depth > 0) return 0; /* of this process */
  if (lib.world == NULL && lcu_library_open(&lcu_mpi_library, &lib, NULL) != LCU_OK) return SYSTEM;
  if (mpi_comm_join(&lib, timeout_ms, &c->mpi) != LCU_OK) return REMOTE;
  return mpi_comm_size(c->mpi) == c->size && mpi_comm_rank(c->mpi) == c->rank ? 0 : INVALID;
}

/* As in NCCL, rank 0 of a meeting at an address reads the address again. */
static bool is_reachable (const nccl_id *id) {
  const char *address = getenv("NCCL_COMM_ID");
  return strncmp(id->bytes, "meeting ", 8) == 0 ||
         (address != NULL && strcmp(address, id->bytes) == 0);
}

int ncclCommInitRankConfig (nccl_comm *comm, int size, nccl_id id, int rank, nccl_config *config) {
  int r = failure("ncclCommInitRankConfig");
  if (r != 0) return r;
  bool known = config->blocking == 0 || config->blocking == NCCL_UNDEFINED_INT;
  if (config->magic != NCCL_CONFIG_MAGIC_ || !known || rank >= size) return INVALID;
  if (rank == 0 && !is_reachable(&id)) return INVALID;
  nccl_comm c = *comm = calloc(1, sizeof *c);
  memcpy(c->meeting, id.bytes, sizeof c->meeting);
  c->rank = rank;
  c->size = size;
  return join(c);
}

typedef struct splitting {
  nccl_comm comm, *out;
  int color, key;
  bool blocks;
} splitting;

static void *split (void *ud) {
  splitting *s = ud;
  mpi_comm *mpi = NULL;
  if (mpi_comm_split(s->comm->mpi, s->color, s->key, &mpi) != LCU_OK)
    atomic_store(&s->comm->failure, REMOTE);
  if (mpi != NULL) {
    nccl_comm part = calloc(1, sizeof *part);
    part->mpi = mpi;
    part->rank = mpi_comm_rank(mpi);
    part->size = mpi_comm_size(mpi);
    part->blocks = s->blocks;
    *s->out = part;
  }
  atomic_store(&s->comm->is_split, false);
  free(s);
  return NULL;
}

/* All ranks of this process, in a group. */
static int split_local (nccl_comm comm, int color, nccl_comm *out, bool blocks) {
  if (depth == 0 || color != 0) return INVALID;
  nccl_comm part = *out = calloc(1, sizeof *part);
  part->rank = comm->rank;
  part->size = comm->size;
  part->blocks = blocks;
  snprintf(part->meeting, sizeof part->meeting, "part of %.100s", comm->meeting);
  return 0;
}

/* As in NCCL, it answers with success, and goes on in a thread. */
int ncclCommSplit (nccl_comm comm, int color, int key, nccl_comm *out, nccl_config *config) {
  pthread_t thread;
  int r = failure("ncclCommSplit");
  bool blocks = config->blocking == 1;
  *out = NULL;
  if (r != 0) return r;
  if (comm->mpi == NULL) return split_local(comm, color, out, blocks);
  if (atomic_load(&comm->is_split)) return INVALID;
  splitting *s = malloc(sizeof *s);
  *s = (splitting){ comm, out, color, key, blocks };
  atomic_store(&comm->is_split, true);
  if (pthread_create(&thread, NULL, split, s) != 0) return SYSTEM;
  pthread_detach(thread);
  return 0;
}

int ncclCommUserRank (nccl_comm comm, int *rank) {
  *rank = comm->rank;
  return 0;
}

int ncclCommCount (nccl_comm comm, int *size) {
  *size = comm->size;
  return 0;
}

int ncclCommFinalize (nccl_comm comm) { return atomic_load(&comm->failure); }

int ncclCommDestroy (nccl_comm comm) {
  mpi_comm_close(comm->mpi);
  if (atomic_load(&comm->queued) == 0) free(comm);
  return 0;
}

/* The memory stays: a job may still use it. */
int ncclCommAbort (nccl_comm comm) {
  atomic_store(&comm->failure, REMOTE);
  return 0;
}

int ncclCommGetAsyncError (nccl_comm comm, int *result) {
  if (comm == NULL) return INVALID;
  *result = atomic_load(&comm->is_split) ? NCCL_IN_PROGRESS : atomic_load(&comm->failure);
  return 0;
}


/* ---- operations over MPI ---- */

typedef struct job {
  nccl_comm comm;
  cux_collective_job job;
} job;

static void run_job (void *ud) {
  job *j = ud;
  char why[CUX_WHY_SIZE];
  if (mpi_comm_run(&j->job, NULL, NULL, why) != LCU_OK) atomic_store(&j->comm->failure, REMOTE);
  atomic_fetch_sub(&j->comm->queued, 1);
}

/* Jobs are never freed: a graph repeats them. */
static int queue_job (const entry *e, int n) {
  nccl_comm c = e->comm;
  job *j = calloc(1, sizeof *j + (size_t)n * sizeof(lcu_collective));
  j->comm = c;
  j->job.comm = mpi_comm_id(c->mpi);
  j->job.rank = c->rank;
  j->job.size = c->size;
  j->job.n = n;
  for (int i = 0; i < n; i++) j->job.ops[i] = e[i].op;
  atomic_fetch_add(&c->queued, 1);
  return in_context(e->context, call_host, e->stream, run_job, j);
}


/* ---- operations within the process ---- */

static unsigned char *at (cu_deviceptr p, const lcu_collective *o, uint64_t part) {
  return (unsigned char *)(uintptr_t)p + part * o->count * lcu_dtypes[o->dtype].size;
}

static lcu_scalar combine (lcu_reduce_op op, lcu_scalar a, lcu_scalar b, bool real) {
  bool less = real ? b.d < a.d : b.i < a.i;
  switch (op) {
    case LCU_REDUCE_PROD: a.d *= b.d, a.i *= b.i; break;
    case LCU_REDUCE_MIN: a = less ? b : a; break;
    case LCU_REDUCE_MAX: a = less ? a : b; break;
    default: a.d += b.d, a.i += b.i; break;
  }
  return a;
}

/* Element i of part `part` of all inputs, combined. */
static lcu_scalar combined (const entry *const peers[], int n, uint64_t part, uint64_t i) {
  const lcu_collective *o = &peers[0]->op;
  const lcu_dtype *t = &lcu_dtypes[o->dtype];
  bool real = t->kind == LCU_KIND_FLOAT;
  lcu_scalar sum = { 0 }, v = { 0 };
  lcu_dtype_load(t, at(o->in, o, part) + i * t->size, &sum);
  for (int r = 1; r < n; r++) {
    lcu_dtype_load(t, at(peers[r]->op.in, o, part) + i * t->size, &v);
    sum = combine(o->op, sum, v, real);
  }
  if (o->op == LCU_REDUCE_AVG) sum.d /= n;
  return sum;
}

static void reduce_all (const entry *const peers[], int n) {
  const lcu_collective *o = &peers[0]->op;
  const lcu_dtype *t = &lcu_dtypes[o->dtype];
  bool parts = o->kind == LCU_COLLECTIVE_REDUCE_SCATTER;
  for (uint64_t i = 0; i < o->count; i++) {
    lcu_scalar v[MOST];
    for (int r = 0; r < n; r++) v[r] = combined(peers, n, parts ? (uint64_t)r : 0, i);
    for (int r = 0; r < n; r++)
      if (o->kind != LCU_COLLECTIVE_REDUCE || r == o->peer)
        lcu_dtype_store(t, at(peers[r]->op.out, o, 0) + i * t->size, &v[r]);
  }
}

static void move_all (const entry *const peers[], int n) {
  const lcu_collective *o = &peers[0]->op;
  size_t bytes = (size_t)(o->count * lcu_dtypes[o->dtype].size);
  for (int r = 0; r < n; r++) {
    if (o->kind == LCU_COLLECTIVE_BROADCAST)
      memmove(at(peers[r]->op.out, o, 0), at(peers[o->peer]->op.in, o, 0), bytes);
    else
      for (int q = 0; q < n; q++)
        memmove(at(peers[r]->op.out, o, (uint64_t)q), at(peers[q]->op.in, o, 0), bytes);
  }
}

/* The entry of each rank that comes together with entry `first`; false: one is missing. */
static bool find_peers (const entry *all, int n, int first, bool used[], const entry *peers[]) {
  const entry *e = &all[first];
  for (int r = 0; r < e->comm->size; r++) {
    int i = first;
    while (i < n && (used[i] || all[i].comm->rank != r || all[i].op.kind != e->op.kind ||
                     strcmp(all[i].comm->meeting, e->comm->meeting) != 0))
      i++;
    for (int k = 0; i == n && k < first; k++)
      if (!used[k] && all[k].comm->rank == r && all[k].op.kind == e->op.kind) i = k;
    if (i == n || all[i].op.count != e->op.count || all[i].op.dtype != e->op.dtype) return false;
    used[i] = true;
    peers[r] = &all[i];
  }
  return true;
}

/* The n-th send to a rank meets its n-th receive from the sender. */
static int run_pairs (const entry *all, int n, bool used[]) {
  for (int i = 0; i < n; i++) {
    const entry *e = &all[i];
    if (used[i] || e->op.kind != LCU_COLLECTIVE_SEND) continue;
    int k = 0;
    while (k < n && (used[k] || all[k].op.kind != LCU_COLLECTIVE_RECV ||
                     all[k].comm->rank != e->op.peer || all[k].op.peer != e->comm->rank))
      k++;
    if (k == n || all[k].op.count != e->op.count) return INVALID;
    used[i] = used[k] = true;
    memmove(at(all[k].op.out, &e->op, 0), at(e->op.in, &e->op, 0),
            (size_t)(e->op.count * lcu_dtypes[e->op.dtype].size));
  }
  return 0;
}

static int run_local (const entry *all, int n) {
  const entry *peers[MOST];
  bool used[MOST] = { false };
  for (int i = 0; i < n; i++)
    if (in_context(all[i].context, wait_for, all[i].stream, NULL, NULL) != 0) return SYSTEM;
  for (int i = 0; i < n; i++) {
    if (used[i] || all[i].op.kind == LCU_COLLECTIVE_SEND || all[i].op.kind == LCU_COLLECTIVE_RECV)
      continue;
    if (!find_peers(all, n, i, used, peers)) return INVALID;
    if (lcu_collective_reduces(all[i].op.kind)) reduce_all(peers, all[i].comm->size);
    else move_all(peers, all[i].comm->size);
  }
  return run_pairs(all, n, used);
}


/* ---- the calls ---- */

int ncclGroupStart (void) {
  depth++;
  return failure("ncclGroupStart");
}

/* NCCL restores the device that was current, and so makes device 0 current where none was. */
static void restore_device (void) {
  int (*fn)(cu_context);
  void *p = driver("cuCtxSetCurrent");
  memcpy(&fn, &p, sizeof fn);
  if (p != NULL && current() == NULL) (void)fn(group[0].context);
}

int ncclGroupEnd (void) {
  int n = grouped, r = failure("ncclGroupEnd");
  if (--depth > 0 || n == 0) return r;
  grouped = 0;
  if (group[0].comm->blocks) restore_device();
  if (r != 0) return r;
  return group[0].comm->mpi == NULL ? run_local(group, n) : queue_job(group, n);
}

/* NCCL does not take both kinds of communicators in a group. One whose calls block would wait for
 * other ranks in these operations, without a limit. */
static bool is_misused (nccl_comm c, cu_stream s, const lcu_collective *op) {
  if (grouped > 0 && group[0].comm->blocks != c->blocks) return true;
  return c->blocks && (lcu_collective_is_paired(op->kind) || is_captured(s));
}

static int add (const char *call, nccl_comm c, cu_stream s, lcu_collective op) {
  int r = failure(call);
  if (r != 0 || grouped == MOST) return r != 0 ? r : INVALID;
  if (is_misused(c, s, &op)) return INVALID;
  entry e = { c, current(), s, op };
  if (depth == 0) return c->mpi != NULL ? queue_job(&e, 1) : INVALID; /* of one: waits for others */
  group[grouped++] = e;
  return 0;
}

static lcu_dtype_id dtype_of (int type) {
  static const lcu_dtype_id types[] = { LCU_INT8,    LCU_UINT8,   LCU_INT32,   LCU_UINT32,
                                        LCU_INT64,   LCU_UINT64,  LCU_FLOAT16, LCU_FLOAT32,
                                        LCU_FLOAT64, LCU_BFLOAT16 };
  return types[type];
}

static cu_deviceptr address (const void *p) { return (cu_deviceptr)(uintptr_t)p; }

#define OP(k, o, p, i, w) \
  (lcu_collective) { \
    LCU_COLLECTIVE_##k, (lcu_reduce_op)(o), dtype_of(type), (p), count, address(i), address(w) \
  }

int ncclAllReduce (const void *in, void *out, size_t count, int type, int op, nccl_comm c,
                   cu_stream s) {
  return add("ncclAllReduce", c, s, OP(ALL_REDUCE, op, 0, in, out));
}

int ncclBroadcast (const void *in, void *out, size_t count, int type, int root, nccl_comm c,
                   cu_stream s) {
  return add("ncclBroadcast", c, s, OP(BROADCAST, 0, root, in, out));
}

int ncclReduce (const void *in, void *out, size_t count, int type, int op, int root, nccl_comm c,
                cu_stream s) {
  return add("ncclReduce", c, s, OP(REDUCE, op, root, in, out));
}

int ncclAllGather (const void *in, void *out, size_t count, int type, nccl_comm c, cu_stream s) {
  return add("ncclAllGather", c, s, OP(ALL_GATHER, 0, 0, in, out));
}

int ncclReduceScatter (const void *in, void *out, size_t count, int type, int op, nccl_comm c,
                       cu_stream s) {
  return add("ncclReduceScatter", c, s, OP(REDUCE_SCATTER, op, 0, in, out));
}

int ncclSend (const void *in, size_t count, int type, int peer, nccl_comm c, cu_stream s) {
  return add("ncclSend", c, s, OP(SEND, 0, peer, in, NULL));
}

int ncclRecv (void *out, size_t count, int type, int peer, nccl_comm c, cu_stream s) {
  return add("ncclRecv", c, s, OP(RECV, 0, peer, NULL, out));
}
