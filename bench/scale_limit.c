/* scale_limit.c: measures NCCL and the driver themselves, with the work that bench/scale_rank.lua
 * measures through LuaCUDA, and prints "name value" lines.
 *
 *   scale_limit ranks [small]  one of several processes; rank 0 prints
 *   scale_limit peer [small]   copies from the second GPU to the first
 *
 * Rank and size are read from the environment; the ranks meet at NCCL_COMM_ID. The libraries are
 * those of LUACUDA_LIBCUDA and LUACUDA_LIBNCCL, else the system's. Exit status 77: one of them is
 * missing, or a GPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cu_abi.h"
#include "cu_nccl.h"

/* Name, symbol, parameters. A separate short list, so that no code of the library is measured. */
#define ENTRY_POINTS(X) \
  X(init, "cuInit", (unsigned)) \
  X(device_get, "cuDeviceGet", (cu_device *, int)) \
  X(retain, "cuDevicePrimaryCtxRetain", (cu_context *, cu_device)) \
  X(set_current, "cuCtxSetCurrent", (cu_context)) \
  X(alloc, "cuMemAlloc_v2", (cu_deviceptr *, size_t)) \
  X(clear, "cuMemsetD8Async", (cu_deviceptr, unsigned char, size_t, cu_stream)) \
  X(stream_create, "cuStreamCreateWithPriority", (cu_stream *, unsigned, int)) \
  X(synchronize, "cuStreamSynchronize", (cu_stream)) \
  X(enable_peer, "cuCtxEnablePeerAccess", (cu_context, unsigned)) \
  X(copy_peer, "cuMemcpyPeerAsync", \
    (cu_deviceptr, cu_context, cu_deviceptr, cu_context, size_t, cu_stream))

static struct driver {
#define FIELD(name, symbol, params) cu_result(*name) params;
  ENTRY_POINTS(FIELD)
#undef FIELD
} cu;

static struct nccl {
#define LCU_NCCL(need, name, params) nccl_result(*name) params;
#include "nccl.def"
#undef LCU_NCCL
} nccl;

enum { BATCHES = 51, CALLS = 100, ROUNDS = 7 };

static void check (int r, const char *what) {
  if (r == 0) return;
  fprintf(stderr, "scale_limit: %s: error %d\n", what, r);
  exit(1);
}
#define CHECK(call) check(cu.call, #call)
#define CHECK_NCCL(call) check(nccl.call, #call)

static double now_us (void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_value (const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median (double *values, size_t n) {
  qsort(values, n, sizeof *values, by_value);
  return values[n / 2];
}


/* ---- libraries ---- */

static void *open_library (const char *variable, const char *usual) {
  const char *given = getenv(variable);
  void *lib = dlopen(given != NULL && given[0] != '\0' ? given : usual, RTLD_NOW);
  if (lib != NULL) return lib;
  fprintf(stderr, "scale_limit: %s\n", dlerror());
  exit(77);
}

static void load (void *lib, const char *symbol, void *to) {
  void *fn = dlsym(lib, symbol);
  if (fn == NULL) {
    fprintf(stderr, "scale_limit: no %s\n", symbol);
    exit(77);
  }
  memcpy(to, &fn, sizeof fn);
}

static void open_driver (void) {
  void *lib = open_library("LUACUDA_LIBCUDA", "libcuda.so.1");
#define LOAD(name, symbol, params) load(lib, symbol, &cu.name);
  ENTRY_POINTS(LOAD)
#undef LOAD
  if (cu.init(0) != 0) exit(77);
}

static void open_nccl (void) {
  void *lib = open_library("LUACUDA_LIBNCCL", "libnccl.so.2");
#define LCU_NCCL(need, name, params) load(lib, #name, &nccl.name);
#include "nccl.def"
#undef LCU_NCCL
}

static cu_context make_context (int ordinal) {
  cu_device device;
  cu_context context;
  if (cu.device_get(&device, ordinal) != 0) exit(77);
  CHECK(retain(&context, device));
  CHECK(set_current(context));
  return context;
}

static cu_deviceptr zeros (size_t bytes) {
  cu_deviceptr p;
  CHECK(alloc(&p, bytes));
  CHECK(clear(p, 0, bytes, NULL));
  CHECK(synchronize(NULL));
  return p;
}


/* ---- ranks ---- */

typedef struct place {
  int rank, size;
  nccl_comm comm;
  cu_stream stream;
} place;

static int number_of (const char *variable, const char *other) {
  const char *text = getenv(variable);
  if (text == NULL) text = getenv(other);
  return text != NULL ? atoi(text) : 0;
}

/* The defaults of NCCL, so calls block where NCCL lets them. */
static void join (place *p) {
  nccl_config config = { .size = sizeof config,
                         .magic = NCCL_CONFIG_MAGIC_,
                         .version = NCCL_CONFIG_VERSION,
                         .blocking = NCCL_UNDEFINED_INT,
                         .cga_cluster_size = NCCL_UNDEFINED_INT,
                         .min_ctas = NCCL_UNDEFINED_INT,
                         .max_ctas = NCCL_UNDEFINED_INT,
                         .split_share = NCCL_UNDEFINED_INT };
  nccl_id id;
  p->rank = number_of("RANK", "OMPI_COMM_WORLD_RANK");
  p->size = number_of("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE");
  make_context(number_of("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"));
  CHECK(stream_create(&p->stream, CU_STREAM_NON_BLOCKING_, 0));
  CHECK_NCCL(ncclGetUniqueId(&id));
  CHECK_NCCL(ncclCommInitRankConfig(&p->comm, p->size, id, p->rank, &config));
}

static void all_reduce (const place *p, cu_deviceptr x, size_t count) {
  enum { SUM = 0 };
  void *memory = (void *)(uintptr_t)x;
  CHECK_NCCL(ncclAllReduce(memory, memory, count, LCU_NCCL_FLOAT32, SUM, p->comm, p->stream));
}

/* Microseconds of one all_reduce among `times` in a row; the best of several rounds. */
static double all_reduce_us (const place *p, size_t count, int times) {
  cu_deviceptr x = zeros(count * sizeof(float));
  double best = 1e300;
  for (int round = 0; round <= ROUNDS; round++) {
    double start = now_us();
    for (int i = 0; i < times; i++) all_reduce(p, x, count);
    CHECK(synchronize(p->stream));
    double us = (now_us() - start) / times;
    if (round > 0 && us < best) best = us; /* the first one warms up */
  }
  return best;
}

/* Microseconds of a call on the host. */
static double call_us (const place *p) {
  double us[BATCHES];
  cu_deviceptr x = zeros(sizeof(float));
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    for (int i = 0; i < CALLS; i++) all_reduce(p, x, 1);
    us[b] = (now_us() - start) / CALLS;
    CHECK(synchronize(p->stream));
  }
  return median(us, BATCHES);
}

static void report (const place *p, const char *name, double value) {
  if (p->rank == 0) printf("%s %.4f\n", name, value);
}

static void measure_ranks (bool small) {
  place p;
  size_t large = small ? 1 << 16 : 1 << 28, medium = small ? 1 << 10 : 1 << 18;
  open_nccl();
  join(&p);
  double us = all_reduce_us(&p, large, small ? 2 : 20);
  double bytes = 2.0 * (p.size - 1) / p.size * (double)large * sizeof(float);
  report(&p, "all_reduce_1GiB", bytes * 1e-3 / us);
  report(&p, "all_reduce_1MiB", all_reduce_us(&p, medium, small ? 2 : 200));
  report(&p, "all_reduce_call", call_us(&p));
  CHECK_NCCL(ncclCommFinalize(p.comm));
  CHECK_NCCL(ncclCommDestroy(p.comm));
}


/* ---- two GPUs of one process ---- */

static void measure_peer (bool small) {
  size_t bytes = small ? 1 << 16 : 1 << 30;
  cu_context contexts[2];
  cu_deviceptr memory[2];
  double us[11];
  for (int i = 1; i >= 0; i--) {
    contexts[i] = make_context(i);
    memory[i] = zeros(bytes);
  }
  (void)cu.enable_peer(contexts[1], 0);
  CHECK(set_current(contexts[1]));
  (void)cu.enable_peer(contexts[0], 0);
  CHECK(set_current(contexts[0]));
  for (int i = 0; i < 11; i++) {
    double start = now_us();
    CHECK(copy_peer(memory[0], contexts[0], memory[1], contexts[1], bytes, NULL));
    CHECK(synchronize(NULL));
    us[i] = now_us() - start;
  }
  printf("peer_copy %.4f\n", (double)bytes * 1e-3 / median(us, 11));
}

int main (int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  bool small = argc > 2 && strcmp(argv[2], "small") == 0;
  if (strcmp(what, "ranks") != 0 && strcmp(what, "peer") != 0) {
    fprintf(stderr, "usage: scale_limit ranks|peer [small]\n");
    return 2;
  }
  open_driver();
  if (strcmp(what, "ranks") == 0) measure_ranks(small);
  else measure_peer(small);
  return 0;
}
