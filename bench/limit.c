/* limit.c: measures the driver itself, with the work that bench/gpu.lua measures through LuaCUDA.
 *
 *   limit all CUBIN     prints "name value" lines
 *   limit launch CUBIN  only those of launches
 *   limit first CUBIN   runs one saxpy and reads its result; the caller times the whole process
 *
 * CUBIN holds the kernels saxpy and fetch of bench/kernels.lua. Exit status 77: no driver or no
 * GPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cu_abi.h"

/* Name, symbol, parameters. A separate short list, so that no code of the library is measured. */
#define ENTRY_POINTS(X) \
  X(init, "cuInit", (unsigned)) \
  X(device_get, "cuDeviceGet", (cu_device *, int)) \
  X(retain, "cuDevicePrimaryCtxRetain", (cu_context *, cu_device)) \
  X(set_current, "cuCtxSetCurrent", (cu_context)) \
  X(load, "cuModuleLoadData", (cu_module *, const void *)) \
  X(get_function, "cuModuleGetFunction", (cu_function *, cu_module, const char *)) \
  X(alloc, "cuMemAlloc_v2", (cu_deviceptr *, size_t)) \
  X(pool_create, "cuMemPoolCreate", (cu_mempool *, const cu_pool_props *)) \
  X(pool_set, "cuMemPoolSetAttribute", (cu_mempool, int, void *)) \
  X(pool_alloc, "cuMemAllocFromPoolAsync", (cu_deviceptr *, size_t, cu_mempool, cu_stream)) \
  X(pool_free, "cuMemFreeAsync", (cu_deviceptr, cu_stream)) \
  X(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned)) \
  X(to_device, "cuMemcpyHtoDAsync_v2", (cu_deviceptr, const void *, size_t, cu_stream)) \
  X(to_host, "cuMemcpyDtoHAsync_v2", (void *, cu_deviceptr, size_t, cu_stream)) \
  X(launch, "cuLaunchKernel", \
    (cu_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cu_stream, \
     void **, void **)) \
  X(stream_create, "cuStreamCreate", (cu_stream *, unsigned)) \
  X(begin_capture, "cuStreamBeginCapture_v2", (cu_stream, int)) \
  X(end_capture, "cuStreamEndCapture", (cu_stream, cu_graph *)) \
  X(instantiate, "cuGraphInstantiateWithFlags", (cu_graph_exec *, cu_graph, unsigned long long)) \
  X(graph_launch, "cuGraphLaunch", (cu_graph_exec, cu_stream)) \
  X(synchronize, "cuStreamSynchronize", (cu_stream)) \
  X(enable_peer, "cuCtxEnablePeerAccess", (cu_context, unsigned)) \
  X(array_create, "cuArray3DCreate_v2", (cu_array *, const cu_array_desc *)) \
  X(copy_3d, "cuMemcpy3DAsync_v2", (const cu_copy3d *, cu_stream)) \
  X(texture_create, "cuTexObjectCreate", \
    (cu_texture *, const cu_resource_desc *, const cu_texture_desc *, const cu_view_desc *)) \
  X(copy_peer, "cuMemcpyPeerAsync", \
    (cu_deviceptr, cu_context, cu_deviceptr, cu_context, size_t, cu_stream))

static struct driver {
#define FIELD(name, symbol, params) cu_result(*name) params;
  ENTRY_POINTS(FIELD)
#undef FIELD
} cu;

enum { BATCHES = 101, LAUNCHES = 200, GRAPH = 1000, COPY_BYTES = 256 << 20 };

static void check (cu_result r, const char *what) {
  if (r == 0) return;
  fprintf(stderr, "limit: %s: CUDA error %d\n", what, r);
  exit(1);
}
#define CHECK(call) check(cu.call, #call)

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

static int open_driver (void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (!lib) return 0;
#define LOAD(name, symbol, params) *(void **)&cu.name = dlsym(lib, symbol);
  ENTRY_POINTS(LOAD)
#undef LOAD
  return cu.init && cu.init(0) == 0;
}

static void make_context (void) {
  cu_device device;
  cu_context context;
  CHECK(device_get(&device, 0));
  CHECK(retain(&context, device));
  CHECK(set_current(context));
}

static cu_module load_cubin (const char *path) {
  static char image[1 << 20];
  cu_module module;
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  size_t bytes = fread(image, 1, sizeof image - 1, file);
  fclose(file);
  image[bytes] = 0;
  CHECK(load(&module, image));
  return module;
}

static cu_function kernel_of (cu_module module, const char *name) {
  cu_function function;
  CHECK(get_function(&function, module, name));
  return function;
}

static void launch_on (cu_stream s, cu_function f, unsigned grid, float a, cu_deviceptr x,
                       cu_deviceptr y, int n) {
  void *params[] = { &a, &x, &y, &n };
  CHECK(launch(f, grid, 1, 1, 256, 1, 1, 0, s, params, NULL));
}

static void launch (cu_function f, unsigned grid, float a, cu_deviceptr x, cu_deviceptr y, int n) {
  launch_on(NULL, f, grid, a, x, y, n);
}

static void first_result (cu_function f) {
  enum { N = 1000 };
  float host[N];
  cu_deviceptr x, y;
  for (int i = 0; i < N; i++) host[i] = (float)i;
  CHECK(alloc(&x, sizeof host));
  CHECK(alloc(&y, sizeof host));
  CHECK(to_device(x, host, sizeof host, NULL));
  CHECK(to_device(y, host, sizeof host, NULL));
  launch(f, 4, 2, x, y, N);
  CHECK(to_host(host, y, sizeof host, NULL));
  CHECK(synchronize(NULL));
  if (host[999] != 2997.0f) {
    fprintf(stderr, "limit: wrong result %g\n", (double)host[999]);
    exit(1);
  }
}

static void measure_launch (cu_function f) {
  double us[BATCHES];
  cu_deviceptr x;
  CHECK(alloc(&x, 1024));
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) launch(f, 1, 2, x, x, 0);
    us[b] = (now_us() - start) / LAUNCHES;
    CHECK(synchronize(NULL));
  }
  double value = median(us, BATCHES);
  printf("launch_prepared %.4f\nlaunch_table %.4f\n", value, value);
}

static cu_graph_exec record_graph (cu_function f) {
  cu_stream s;
  cu_graph g;
  cu_graph_exec exec;
  cu_deviceptr x;
  CHECK(alloc(&x, 1024));
  CHECK(stream_create(&s, CU_STREAM_NON_BLOCKING_));
  CHECK(begin_capture(s, CU_CAPTURE_RELAXED));
  for (int i = 0; i < GRAPH; i++) launch_on(s, f, 1, 2, x, x, 0);
  CHECK(end_capture(s, &g));
  CHECK(instantiate(&exec, g, 0));
  return exec;
}

static void measure_graph (cu_function f) {
  double us[BATCHES];
  cu_graph_exec exec = record_graph(f);
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    CHECK(graph_launch(exec, NULL));
    CHECK(synchronize(NULL));
    us[b] = (now_us() - start) / GRAPH;
  }
  printf("graph_replay %.4f\n", median(us, BATCHES));
}

static void measure_alloc (void) {
  cu_pool_props props;
  uint64_t keep = UINT64_MAX;
  cu_mempool pool;
  double us[BATCHES];
  memset(&props, 0, sizeof props);
  props.alloc_type = 1;
  props.location.type = 1;
  CHECK(pool_create(&pool, &props));
  CHECK(pool_set(pool, CU_POOL_RELEASE_THRESHOLD, &keep));
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
      cu_deviceptr p;
      CHECK(pool_alloc(&p, 1 << 20, pool, NULL));
      CHECK(pool_free(p, NULL));
    }
    us[b] = (now_us() - start) / LAUNCHES;
    CHECK(synchronize(NULL));
  }
  printf("alloc_free_1MiB %.4f\n", median(us, BATCHES));
}

/* What a producer and a consumer of DLPack tensors in C do: a record each, and no driver call. */
typedef struct tensor {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct tensor *self);
  uint64_t flags;
  void *data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
  int64_t numbers[2];
} tensor;

static void delete_tensor (tensor *t) { free(t); }

static tensor *make_tensor (cu_deviceptr p, int64_t n) {
  tensor *t = malloc(sizeof *t);
  *t = (tensor){ .major = 1, .deleter = delete_tensor, .data = (void *)(uintptr_t)p };
  t->device_type = 2;
  t->ndim = 1;
  t->code = 2;
  t->bits = 32;
  t->lanes = 1;
  t->shape = t->numbers;
  t->strides = t->numbers + 1;
  t->numbers[0] = n;
  t->numbers[1] = 1;
  return t;
}

static void measure_dlpack (void) {
  double us[BATCHES];
  int64_t bytes = 0;
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
      tensor *volatile t = make_tensor(256, 256);
      tensor *copy = malloc(sizeof *copy);
      *copy = *t;
      bytes += copy->shape[0] * copy->bits / 8;
      t->deleter(t);
      free(copy);
    }
    us[b] = (now_us() - start) / LAUNCHES;
  }
  if (bytes > 0) printf("from_dlpack %.4f\n", median(us, BATCHES));
}

/* Between plain host memory and the device, each copy waited for. */
static void measure_small (const char *name, size_t bytes) {
  double in[BATCHES], out[BATCHES];
  cu_deviceptr device;
  void *host = calloc(1, bytes);
  CHECK(alloc(&device, bytes));
  for (int b = 0; b < BATCHES; b++) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
      CHECK(to_device(device, host, bytes, NULL));
      CHECK(synchronize(NULL));
    }
    in[b] = (now_us() - start) / LAUNCHES;
    start = now_us();
    for (int i = 0; i < LAUNCHES; i++) {
      CHECK(to_host(host, device, bytes, NULL));
      CHECK(synchronize(NULL));
    }
    out[b] = (now_us() - start) / LAUNCHES;
  }
  printf("h2d_%s %.4f\nd2h_%s %.4f\n", name, median(in, BATCHES), name, median(out, BATCHES));
  free(host);
}

/* A texture with linear filter over 1024 x 1024 floats. */
static cu_texture make_texture (void) {
  static float ones[1024 * 1024];
  cu_array_desc desc = { .width = 1024, .height = 1024, .format = CU_FORMAT_F32, .channels = 1 };
  cu_resource_desc resource = { .type = CU_RESOURCE_ARRAY };
  cu_texture_desc how = { .address = { CU_ADDRESS_CLAMP, CU_ADDRESS_CLAMP, CU_ADDRESS_CLAMP },
                          .filter = CU_FILTER_LINEAR };
  cu_copy3d copy = { .src_type = CU_MEMTYPE_HOST,
                     .src_host = ones,
                     .src_pitch = 4096,
                     .src_height = 1024,
                     .dst_type = CU_MEMTYPE_ARRAY,
                     .width = 4096,
                     .height = 1024,
                     .depth = 1 };
  cu_texture texture;
  for (int i = 0; i < 1024 * 1024; i++) ones[i] = 1;
  CHECK(array_create(&resource.array.handle, &desc));
  copy.dst_array = resource.array.handle;
  CHECK(copy_3d(&copy, NULL));
  CHECK(texture_create(&texture, &resource, &how, NULL));
  return texture;
}

static void measure_fetch (cu_function f) {
  cu_texture texture = make_texture();
  cu_deviceptr sums;
  double us[11];
  CHECK(alloc(&sums, 1024 * 1024 * sizeof(float)));
  void *params[] = { &sums, &texture };
  for (int b = 0; b < 11; b++) {
    double start = now_us();
    for (int i = 0; i < LAUNCHES; i++)
      CHECK(launch(f, 64, 64, 1, 16, 16, 1, 0, NULL, params, NULL));
    CHECK(synchronize(NULL));
    us[b] = (now_us() - start) / LAUNCHES;
  }
  printf("texture_fetch %.4f\n", median(us, 11));
}

static double gigabytes_per_second (cu_result (*copy)(void *, cu_deviceptr), void *host,
                                    cu_deviceptr device) {
  double us[11];
  for (int i = 0; i < 11; i++) {
    double start = now_us();
    check(copy(host, device), "copy");
    CHECK(synchronize(NULL));
    us[i] = now_us() - start;
  }
  return COPY_BYTES * 1e-3 / median(us, 11);
}

static cu_result copy_in (void *host, cu_deviceptr device) {
  return cu.to_device(device, host, COPY_BYTES, NULL);
}
static cu_result copy_out (void *host, cu_deviceptr device) {
  return cu.to_host(host, device, COPY_BYTES, NULL);
}

static void measure_copies (void) {
  void *host;
  cu_deviceptr device;
  CHECK(host_alloc(&host, COPY_BYTES, 0));
  CHECK(alloc(&device, COPY_BYTES));
  memset(host, 1, COPY_BYTES);
  printf("pinned_to_device %.3f\n", gigabytes_per_second(copy_in, host, device));
  printf("device_to_pinned %.3f\n", gigabytes_per_second(copy_out, host, device));
}

/* Between two GPUs, where there are two that may use each other's memory. */
static void measure_peer (void) {
  cu_device devices[2];
  cu_context contexts[2];
  cu_deviceptr memory[2];
  double us[11];
  for (int i = 1; i >= 0; i--) {
    if (cu.device_get(&devices[i], i) != 0) return;
    CHECK(retain(&contexts[i], devices[i]));
    CHECK(set_current(contexts[i]));
    CHECK(alloc(&memory[i], COPY_BYTES));
  }
  if (cu.enable_peer(contexts[1], 0) != 0) return;
  CHECK(set_current(contexts[1]));
  CHECK(enable_peer(contexts[0], 0));
  CHECK(set_current(contexts[0]));
  for (int i = 0; i < 11; i++) {
    double start = now_us();
    CHECK(copy_peer(memory[1], contexts[1], memory[0], contexts[0], COPY_BYTES, NULL));
    CHECK(synchronize(NULL));
    us[i] = now_us() - start;
  }
  printf("gpu_to_gpu %.3f\n", COPY_BYTES * 1e-3 / median(us, 11));
}

int main (int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: limit all|launch|first CUBIN\n");
    return 2;
  }
  if (!open_driver()) return 77;
  make_context();
  cu_module module = load_cubin(argv[2]);
  cu_function saxpy = kernel_of(module, "saxpy");
  first_result(saxpy);
  if (strcmp(argv[1], "first") == 0) return 0;
  measure_launch(saxpy);
  if (strcmp(argv[1], "launch") == 0) return 0;
  measure_graph(saxpy);
  measure_alloc();
  measure_dlpack();
  measure_small("4B", 4);
  measure_small("4KiB", 4096);
  measure_fetch(kernel_of(module, "fetch"));
  measure_copies();
  measure_peer();
  return 0;
}
