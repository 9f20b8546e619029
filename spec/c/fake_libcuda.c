/* fake_libcuda.c: a libcuda whose GPUs are the CPU device, for tools/test --fake-gpu. It lets the
 * code for GPUs run on machines without one: opening a driver, memory that the host cannot read,
 * spare memory, PTX for an architecture that NVRTC does not support. */
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_driver.h"

/* A compute capability between two that NVRTC supports: the library compiles PTX for the lower one,
 * which the CPU device can run. */
enum { ATTR_CC_MAJOR = 75, ATTR_CC_MINOR = 76, CC_MAJOR = 8, CC_MINOR = 1 };

/* The number of GPUs, from LUACUDA_TEST_FAKE_GPUS (default 1). All are the one CPU device. They
 * differ in number, in context and in which memory they may use, so that code for several GPUs can
 * run. */
enum { MOST = 4 };
static int gpus = 1;

static struct {
  int retained;
  bool reaches[MOST], reaches_pool[MOST];
  char place;
} state[MOST];
static _Thread_local struct {
  int depth;
  cu_context stack[64];
} current;

static cu_context context_of (cu_device dev) { return (cu_context)(void *)&state[dev].place; }

/* Contexts made by the program are contexts of the CPU device, and belong to one of the GPUs. */
enum { MOST_MADE = 256 };
static struct {
  pthread_mutex_t lock;
  struct {
    cu_context ctx;
    cu_device dev;
  } made[MOST_MADE];
} contexts = { .lock = PTHREAD_MUTEX_INITIALIZER };

static cu_device maker_of (cu_context ctx) {
  cu_device dev = -1;
  pthread_mutex_lock(&contexts.lock);
  for (int i = 0; i < MOST_MADE && ctx != NULL; i++)
    if (contexts.made[i].ctx == ctx) dev = contexts.made[i].dev;
  pthread_mutex_unlock(&contexts.lock);
  return dev;
}

static cu_device device_of (cu_context ctx) {
  for (cu_device dev = 0; dev < gpus; dev++)
    if (context_of(dev) == ctx) return dev;
  return maker_of(ctx);
}

static bool is_made (cu_context ctx) { return maker_of(ctx) >= 0; }

/* Replaces the first entry of one context by another one. */
static bool note_context (cu_context from, cu_context to, cu_device dev) {
  bool found = false;
  pthread_mutex_lock(&contexts.lock);
  for (int i = 0; i < MOST_MADE && !found; i++) {
    if (contexts.made[i].ctx != from) continue;
    contexts.made[i].ctx = to;
    contexts.made[i].dev = dev;
    found = true;
  }
  pthread_mutex_unlock(&contexts.lock);
  return found;
}

static bool known (cu_device dev) { return dev >= 0 && dev < gpus; }

static cu_result get_count (int *n) {
  cu_result r = lcu_cpu_driver.cuDeviceGetCount(n);
  if (r == 0) *n = gpus;
  return r;
}

static cu_result get_device (cu_device *dev, int ordinal) {
  if (dev == NULL) return CU_ERR_INVALID_VALUE;
  if (!known(ordinal)) return CU_ERR_INVALID_DEVICE;
  *dev = ordinal;
  return 0;
}

#define DEVICE(dev, call) (known(dev) ? lcu_cpu_driver.call : CU_ERR_INVALID_DEVICE)

static cu_result get_name (char *name, int len, cu_device dev) {
  return DEVICE(dev, cuDeviceGetName(name, len, 0));
}
static cu_result get_memory (size_t *bytes, cu_device dev) {
  return DEVICE(dev, cuDeviceTotalMem(bytes, 0));
}
static cu_result set_flags (cu_device dev, unsigned flags) {
  return DEVICE(dev, cuDevicePrimaryCtxSetFlags(0, flags));
}

static cu_result get_state (cu_device dev, unsigned *flags, int *active) {
  cu_result r = DEVICE(dev, cuDevicePrimaryCtxGetState(0, flags, active));
  if (r == 0) *active = state[dev].retained > 0;
  return r;
}

static cu_result get_api_version (cu_context ctx, unsigned *version) {
  return device_of(ctx) < 0 ? CU_ERR_INVALID_CONTEXT
                            : lcu_cpu_driver.cuCtxGetApiVersion(NULL, version);
}

static cu_result get_dev_resource (cu_device dev, cu_dev_resource *resource, int type) {
  return DEVICE(dev, cuDeviceGetDevResource(0, resource, type));
}

static cu_result create_green (cu_green_ctx *ctx, cu_dev_resource_desc desc, cu_device dev,
                               unsigned flags) {
  return DEVICE(dev, cuGreenCtxCreate(ctx, desc, 0, flags));
}

static cu_result get_uuid (cu_uuid *uuid, cu_device dev) {
  cu_result r = DEVICE(dev, cuDeviceGetUuid(uuid, 0));
  if (r == 0) memcpy(uuid->bytes, "LuaCUDA fake GPU", sizeof uuid->bytes);
  if (r == 0) uuid->bytes[15] = (unsigned char)(uuid->bytes[15] + dev);
  return r;
}

/* LUACUDA_TEST_MANAGED=exclusive: GPUs that cannot use managed memory while the host does. */
static bool exclusive;

static cu_result get_attribute (int *value, int attr, cu_device dev) {
  if (exclusive && attr == CU_ATTR_concurrent_managed_access && value != NULL && known(dev)) {
    *value = 0;
    return 0;
  }
  if (value == NULL || (attr != ATTR_CC_MAJOR && attr != ATTR_CC_MINOR))
    return DEVICE(dev, cuDeviceGetAttribute(value, attr, 0));
  if (!known(dev)) return CU_ERR_INVALID_DEVICE;
  *value = attr == ATTR_CC_MAJOR ? CC_MAJOR : CC_MINOR;
  return 0;
}

static cu_result get_bus_id (char *id, int len, cu_device dev) {
  if (!known(dev)) return CU_ERR_INVALID_DEVICE;
  snprintf(id, (size_t)len, "0000:f%c:00.0", "abcd"[dev]);
  return 0;
}

static cu_result get_by_bus_id (cu_device *dev, const char *id) {
  char have[16];
  for (*dev = 0; *dev < gpus; (*dev)++) {
    get_bus_id(have, (int)sizeof have, *dev);
    if (strcmp(id, have) == 0) return 0;
  }
  return CU_ERR_INVALID_VALUE;
}


/* ---- contexts ---- */

static cu_result retain (cu_context *ctx, cu_device dev) {
  cu_result r = DEVICE(dev, cuDevicePrimaryCtxRetain(ctx, 0));
  if (r != 0) return r;
  state[dev].retained++;
  *ctx = context_of(dev);
  return 0;
}

static void forget_peers (cu_device dev) {
  for (int i = 0; i < MOST; i++) {
    state[i].reaches[dev] = state[dev].reaches[i] = false;
    state[i].reaches_pool[dev] = state[dev].reaches_pool[i] = false;
  }
}

static cu_result release (cu_device dev) {
  if (!known(dev)) return CU_ERR_INVALID_DEVICE;
  if (state[dev].retained == 0) return CU_ERR_INVALID_CONTEXT;
  if (--state[dev].retained == 0) forget_peers(dev);
  return lcu_cpu_driver.cuDevicePrimaryCtxRelease(0);
}

/* The real context has the objects of all GPUs: it is not reset while another GPU is in use. */
static cu_result reset (cu_device dev) {
  if (!known(dev)) return CU_ERR_INVALID_DEVICE;
  forget_peers(dev);
  for (cu_device i = 0; i < gpus; i++)
    if (i != dev && state[i].retained > 0) return 0;
  return lcu_cpu_driver.cuDevicePrimaryCtxReset(0);
}

static cu_result push_primary (cu_device dev) {
  cu_context real;
  if (dev < 0 || state[dev].retained == 0) return CU_ERR_INVALID_CONTEXT;
  cu_result r = lcu_cpu_driver.cuDevicePrimaryCtxRetain(&real, 0);
  if (r == 0) r = lcu_cpu_driver.cuCtxPushCurrent(real);
  if (r == 0) lcu_cpu_driver.cuDevicePrimaryCtxRelease(0);
  return r;
}

static cu_result push (cu_context ctx) {
  cu_result r = is_made(ctx) ? lcu_cpu_driver.cuCtxPushCurrent(ctx) : push_primary(device_of(ctx));
  if (r == 0) current.stack[current.depth++] = ctx;
  return r;
}

static cu_result get_current (cu_context *ctx) {
  cu_result r = lcu_cpu_driver.cuCtxGetCurrent(ctx);
  if (r != 0) return r;
  if (*ctx == NULL) current.depth = 0;
  else *ctx = current.stack[current.depth - 1];
  return 0;
}

static cu_result pop (cu_context *ctx) {
  cu_context real;
  cu_result r = lcu_cpu_driver.cuCtxPopCurrent(&real);
  if (r != 0) return r;
  current.depth--;
  if (ctx != NULL) *ctx = current.stack[current.depth];
  return 0;
}

static cu_result create_context (cu_context *ctx, unsigned flags, cu_device dev) {
  cu_result r = DEVICE(dev, cuCtxCreate(ctx, flags, 0));
  if (r != 0) return r;
  if (!note_context(NULL, *ctx, dev)) abort();
  current.stack[current.depth++] = *ctx;
  return 0;
}

static cu_result destroy_context (cu_context ctx) {
  if (!is_made(ctx)) return CU_ERR_INVALID_CONTEXT;
  bool on_top = current.depth > 0 && current.stack[current.depth - 1] == ctx;
  cu_result r = lcu_cpu_driver.cuCtxDestroy(ctx);
  if (r != 0) return r;
  note_context(ctx, NULL, 0);
  if (on_top) current.depth--;
  return 0;
}

static cu_result set_current (cu_context ctx) {
  cu_context before;
  cu_result r = get_current(&before);
  if (r == 0 && before != NULL) r = pop(NULL);
  return r == 0 && ctx != NULL ? push(ctx) : r;
}


/* ---- peers ---- */

static cu_result can_access (int *can, cu_device dev, cu_device peer) {
  if (!known(dev) || !known(peer)) return CU_ERR_INVALID_DEVICE;
  *can = dev != peer;
  return 0;
}

static cu_result switch_access (cu_context peer, bool on, cu_result already) {
  cu_context ctx;
  cu_result r = get_current(&ctx);
  if (r != 0) return r;
  cu_device dev = device_of(ctx), other = device_of(peer);
  if (dev < 0 || other < 0 || dev == other) return CU_ERR_INVALID_CONTEXT;
  if (state[dev].reaches[other] == on) return already;
  state[dev].reaches[other] = on;
  return 0;
}

static cu_result enable_access (cu_context peer, unsigned flags) {
  return flags != 0 ? CU_ERR_INVALID_VALUE
                    : switch_access(peer, true, CU_ERR_PEER_ACCESS_ALREADY_ENABLED);
}

static cu_result disable_access (cu_context peer) {
  return switch_access(peer, false, CU_ERR_PEER_ACCESS_NOT_ENABLED);
}

static cu_result copy_peer (cu_deviceptr dst, cu_context to, cu_deviceptr src, cu_context from,
                            size_t n, cu_stream s) {
  cu_context real;
  if (device_of(to) < 0 || device_of(from) < 0) return CU_ERR_INVALID_CONTEXT;
  cu_result r = lcu_cpu_driver.cuCtxGetCurrent(&real);
  return r != 0 ? r : lcu_cpu_driver.cuMemcpyPeerAsync(dst, real, src, real, n, s);
}


/* ---- nodes of graphs, with a context ---- */

static cu_result set_copy (cu_graph_exec e, cu_graph_node node, const cu_copy3d *p,
                           cu_context ctx) {
  return device_of(ctx) < 0 ? CU_ERR_INVALID_CONTEXT
                            : lcu_cpu_driver.cuGraphExecMemcpyNodeSetParams(e, node, p, NULL);
}

static cu_result set_fill (cu_graph_exec e, cu_graph_node node, const cu_memset_node *p,
                           cu_context ctx) {
  return device_of(ctx) < 0 ? CU_ERR_INVALID_CONTEXT
                            : lcu_cpu_driver.cuGraphExecMemsetNodeSetParams(e, node, p, NULL);
}

static cu_result create_condition (cu_graph_condition *h, cu_graph g, cu_context ctx,
                                   unsigned value, unsigned flags) {
  return device_of(ctx) < 0
           ? CU_ERR_INVALID_CONTEXT
           : lcu_cpu_driver.cuGraphConditionalHandleCreate(h, g, NULL, value, flags);
}


/* ---- memory and its owners ---- */

/* A piece of memory. A launch fails if an argument points to a piece that the current device may
 * not access. (On a GPU the kernel would fault.) */
typedef struct piece {
  cu_deviceptr first;
  size_t size;
  cu_device owner;
  cu_mempool pool;
  bool managed; /* every device may access it */
} piece;

static struct {
  pthread_mutex_t lock;
  piece *pieces;
  size_t n, room;
  long of[MOST]; /* number of pieces of each device */
  struct {
    cu_mempool pool;
    cu_device owner;
  } pools[64];
  unsigned num_pools;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static cu_device current_device (void) {
  return current.depth > 0 ? device_of(current.stack[current.depth - 1]) : 0;
}

static void add_piece (const piece *p) {
  pthread_mutex_lock(&memory.lock);
  if (memory.n == memory.room) {
    memory.room = 2 * memory.room + 64;
    memory.pieces = realloc(memory.pieces, memory.room * sizeof *memory.pieces);
    if (memory.pieces == NULL) abort();
  }
  memory.pieces[memory.n++] = *p;
  memory.of[p->owner]++;
  pthread_mutex_unlock(&memory.lock);
}

static void remove_piece (size_t i) {
  memory.of[memory.pieces[i].owner]--;
  memory.pieces[i] = memory.pieces[--memory.n];
}

/* Searches from the end: recent pieces are mostly freed first. */
static void forget_piece (cu_deviceptr p) {
  pthread_mutex_lock(&memory.lock);
  for (size_t i = memory.n; i-- > 0;)
    if (memory.pieces[i].first == p) {
      remove_piece(i);
      break;
    }
  pthread_mutex_unlock(&memory.lock);
}

static const piece *find_piece (cu_deviceptr p) {
  for (size_t i = 0; i < memory.n; i++)
    if (p >= memory.pieces[i].first && p - memory.pieces[i].first < memory.pieces[i].size)
      return &memory.pieces[i];
  return NULL;
}

/* The CPU device is one device: it takes all memory for its own. */
static cu_result describe_pointer (unsigned n, int *attrs, void **data, cu_deviceptr p) {
  cu_result r = lcu_cpu_driver.cuPointerGetAttributes(n, attrs, data, p);
  pthread_mutex_lock(&memory.lock);
  const piece *m = r == 0 ? find_piece(p) : NULL;
  for (unsigned i = 0; m != NULL && i < n; i++)
    if (attrs[i] == CU_POINTER_DEVICE_ORDINAL) *(int *)data[i] = m->owner;
  pthread_mutex_unlock(&memory.lock);
  return r;
}

static bool may_use (const piece *m, cu_device dev) {
  return m->owner == dev || m->managed ||
         (m->pool != NULL ? state[dev].reaches_pool[m->owner] : state[dev].reaches[m->owner]);
}

static bool may_use_address (cu_deviceptr p, cu_device dev) {
  const piece *m = find_piece(p);
  return m == NULL || may_use(m, dev);
}

static bool have_others (cu_device dev) {
  for (cu_device i = 0; i < gpus; i++)
    if (i != dev && memory.of[i] > 0) return true;
  return false;
}

/* Treats every aligned 8 bytes of an argument as a possible address. */
static bool may_use_argument (const char *argument, size_t size, cu_device dev) {
  cu_deviceptr p;
  for (size_t at = 0; at + sizeof p <= size; at += sizeof p) {
    memcpy(&p, argument + at, sizeof p);
    if (!may_use_address(p, dev)) return false;
  }
  return true;
}

static cu_result check_arguments (cu_function f, void **params) {
  size_t offset, size;
  cu_device dev = current_device();
  bool may = true;
  pthread_mutex_lock(&memory.lock);
  for (size_t i = 0; may && params != NULL && have_others(dev) &&
                     lcu_cpu_driver.cuFuncGetParamInfo(f, i, &offset, &size) == 0;
       i++)
    may = may_use_argument(params[i], size, dev);
  pthread_mutex_unlock(&memory.lock);
  return may ? 0 : CU_ERR_PEER_ACCESS_NOT_ENABLED;
}

static cu_result launch (cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned shared, cu_stream s, void **params,
                         void **extra) {
  cu_result r = check_arguments(f, params);
  return r != 0
           ? r
           : lcu_cpu_driver.cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, s, params, extra);
}

/* A GPU lays open all memory that shares a piece of 2 MB with memory for other processes: here only
 * whole pieces can be opened. */
enum { IPC_UNIT = 2 << 20 };

static cu_result allocate (cu_deviceptr *p, size_t n) {
  cu_result r =
    n % IPC_UNIT == 0 ? lcu_cpu_driver.cuxMemAllocShared(p, n) : lcu_cpu_driver.cuMemAlloc(p, n);
  if (r == 0) add_piece(&(piece){ .first = *p, .size = n, .owner = current_device() });
  return r;
}

static cu_result allocate_managed (cu_deviceptr *p, size_t n, unsigned flags) {
  cu_result r = lcu_cpu_driver.cuMemAllocManaged(p, n, flags);
  if (r == 0)
    add_piece(&(piece){ .first = *p, .size = n, .owner = current_device(), .managed = true });
  return r;
}

static cu_result give_back (cu_deviceptr p) {
  forget_piece(p);
  return lcu_cpu_driver.cuMemFree(p);
}

static cu_result open_memory (cu_deviceptr *p, cu_ipc_memory h, unsigned flags) {
  size_t size = 0;
  cu_result r = lcu_cpu_driver.cuIpcOpenMemHandle(p, h, flags);
  if (r != 0) return r;
  forget_piece(*p); /* opened once more, it stays one piece */
  lcu_cpu_driver.cuPointerGetAttribute(&size, CU_POINTER_RANGE_SIZE, *p);
  add_piece(&(piece){ .first = *p, .size = size, .owner = current_device() });
  return 0;
}

/* Closed for the last time, it is no piece any more. */
static cu_result close_memory (cu_deviceptr p) {
  cu_result r = lcu_cpu_driver.cuIpcCloseMemHandle(p);
  unsigned type;
  if (r == 0 && lcu_cpu_driver.cuPointerGetAttribute(&type, CU_POINTER_MEMORY_TYPE, p) != 0)
    forget_piece(p);
  return r;
}

static cu_device owner_of (cu_mempool pool) {
  for (unsigned i = 0; i < memory.num_pools; i++)
    if (memory.pools[i].pool == pool) return memory.pools[i].owner;
  return 0;
}

static cu_result allocate_async (cu_deviceptr *p, size_t n, cu_mempool pool, cu_stream s) {
  cu_result r = lcu_cpu_driver.cuMemAllocFromPoolAsync(p, n, pool, s);
  if (r == 0) add_piece(&(piece){ .first = *p, .size = n, .owner = owner_of(pool), .pool = pool });
  return r;
}

static cu_result give_back_async (cu_deviceptr p, cu_stream s) {
  forget_piece(p);
  return lcu_cpu_driver.cuMemFreeAsync(p, s);
}

static cu_result create_pool (cu_mempool *pool, const cu_pool_props *props) {
  cu_pool_props real = *props;
  if (!known(props->location.id)) return CU_ERR_INVALID_VALUE;
  real.location.id = 0;
  cu_result r = lcu_cpu_driver.cuMemPoolCreate(pool, &real);
  if (r != 0) return r;
  pthread_mutex_lock(&memory.lock);
  if (memory.num_pools == lcu_arraylen(memory.pools)) abort();
  memory.pools[memory.num_pools].pool = *pool;
  memory.pools[memory.num_pools++].owner = props->location.id;
  pthread_mutex_unlock(&memory.lock);
  return 0;
}

static cu_result destroy_pool (cu_mempool pool) {
  pthread_mutex_lock(&memory.lock);
  for (size_t i = memory.n; i-- > 0;)
    if (memory.pieces[i].pool == pool) remove_piece(i);
  for (unsigned i = memory.num_pools; i-- > 0;)
    if (memory.pools[i].pool == pool) memory.pools[i] = memory.pools[--memory.num_pools];
  pthread_mutex_unlock(&memory.lock);
  return lcu_cpu_driver.cuMemPoolDestroy(pool);
}

static cu_result share_pool (cu_mempool pool, const cu_pool_access *map, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (map[i].location.type != 1 || !known(map[i].location.id) ||
        (map[i].flags != 0 && map[i].flags != 3))
      return CU_ERR_INVALID_VALUE;
  cu_result r = lcu_cpu_driver.cuMemPoolSetAccess(pool, NULL, 0);
  for (size_t i = 0; r == 0 && i < count; i++)
    state[map[i].location.id].reaches_pool[owner_of(pool)] = map[i].flags != 0;
  return r;
}


/* ---- managed memory ---- */

static cu_result advise (cu_deviceptr p, size_t n, int advice, cu_device dev) {
  if (dev == CU_DEVICE_HOST) return lcu_cpu_driver.cuMemAdvise(p, n, advice, dev);
  return DEVICE(dev, cuMemAdvise(p, n, advice, 0));
}

static cu_result prefetch (cu_deviceptr p, size_t n, cu_device dev, cu_stream s) {
  if (dev == CU_DEVICE_HOST) return lcu_cpu_driver.cuMemPrefetchAsync(p, n, dev, s);
  return DEVICE(dev, cuMemPrefetchAsync(p, n, 0, s));
}


/* ---- virtual memory ---- */

static cu_result create (cu_mem_handle *h, size_t n, const cu_mem_prop *prop,
                         unsigned long long flags) {
  cu_mem_prop real = *prop;
  if (!known(prop->location.id)) return CU_ERR_INVALID_DEVICE;
  real.location.id = 0;
  return lcu_cpu_driver.cuMemCreate(h, n, &real, flags);
}

static cu_result set_access (cu_deviceptr p, size_t n, const cu_pool_access *map, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!known(map[i].location.id) || map[i].flags != CU_ACCESS_BOTH) return CU_ERR_INVALID_VALUE;
  return lcu_cpu_driver.cuMemSetAccess(p, n, NULL, 0);
}

/* As large pieces as some GPU has. */
static cu_result granularity (size_t *n, const cu_mem_prop *prop, int option) {
  cu_result r = lcu_cpu_driver.cuMemGetAllocationGranularity(n, prop, option);
  if (r == 0) *n = 64 * 1024;
  return r;
}


/* ---- loading, where NVIDIA's driver differs from the CPU device ---- */

typedef struct error_log {
  char *text;
  size_t size;
} error_log;

/* To be called before the CPU device, which overwrites the sizes. */
static error_log find_log (unsigned n, const int *options, void *const *values) {
  error_log log = { 0 };
  for (unsigned i = 0; i < n; i++) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_) log.text = values[i];
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_) log.size = (size_t)(uintptr_t)values[i];
  }
  return log;
}

/* Writes words into the log, in the form of NVIDIA's PTX compiler. */
static void write_log (error_log log, const char *words) {
  unsigned line = 0;
  const char *at = strstr(words, ", line ");
  if (at != NULL) sscanf(at, ", line %u of the PTX", &line);
  if (log.text != NULL)
    snprintf(log.text, log.size, "application ptx input, line %u; error   : %s", line, words);
}

/* Writes the message of a failed call into the log. */
static void log_failure (error_log log, cu_result r, const char *call) {
  lcu_driver_fail(&lcu_cpu_driver, call, r);
  write_log(log, lcu_failure_get()->message);
}

/* NVIDIA's driver compiles all kernels when it loads PTX. */
static cu_result compile_all (cu_module m, error_log log) {
  cu_function list[256], f;
  const char *name;
  unsigned count = 0;
  cu_result r = lcu_cpu_driver.cuModuleGetFunctionCount(&count, m);
  if (count > lcu_arraylen(list)) count = lcu_arraylen(list);
  if (r == 0) r = lcu_cpu_driver.cuModuleEnumerateFunctions(list, count, m);
  for (unsigned i = 0; r == 0 && i < count; i++) {
    r = lcu_cpu_driver.cuFuncGetName(&name, list[i]);
    if (r == 0) r = lcu_cpu_driver.cuModuleGetFunction(&f, m, name);
    if (r != 0) log_failure(log, r, "cuModuleGetFunction");
  }
  return r;
}

/* NVIDIA's driver reads numbers with the decimal point of the locale. This one fails unless that is
 * a point. */
static cu_result load_data (cu_module *m, const void *image, unsigned n, int *options,
                            void **values) {
  const char *point = localeconv()->decimal_point;
  error_log log = find_log(n, options, values);
  if (strcmp(point, ".") != 0) {
    char words[80];
    snprintf(words, sizeof words, "the locale's decimal point is '%s'", point);
    write_log(log, words);
    return CU_ERR_INVALID_PTX;
  }
  cu_result r = lcu_cpu_driver.cuModuleLoadDataEx(m, image, n, options, values);
  if (r != 0) return r;
  r = compile_all(*m, log);
  if (r != 0) lcu_cpu_driver.cuModuleUnload(*m);
  return r;
}


static lcu_driver table;

__attribute__((constructor)) static void fill (void) {
  const char *given = getenv("LUACUDA_TEST_FAKE_GPUS");
  if (given != NULL && given[0] >= '1' && given[0] <= '0' + MOST) gpus = given[0] - '0';
  const char *managed = getenv("LUACUDA_TEST_MANAGED");
  exclusive = managed != NULL && strcmp(managed, "exclusive") == 0;
  table = lcu_cpu_driver;
  table.cuDeviceGetCount = get_count;
  table.cuDeviceGet = get_device;
  table.cuDeviceGetName = get_name;
  table.cuDeviceTotalMem = get_memory;
  table.cuDeviceGetUuid = get_uuid;
  table.cuDeviceGetAttribute = get_attribute;
  table.cuDeviceGetPCIBusId = get_bus_id;
  table.cuDeviceGetByPCIBusId = get_by_bus_id;
  table.cuModuleLoadDataEx = load_data;
  table.cuDevicePrimaryCtxRetain = retain;
  table.cuDevicePrimaryCtxRelease = release;
  table.cuDevicePrimaryCtxReset = reset;
  table.cuDevicePrimaryCtxGetState = get_state;
  table.cuDevicePrimaryCtxSetFlags = set_flags;
  table.cuDeviceGetDevResource = get_dev_resource;
  table.cuGreenCtxCreate = create_green;
  table.cuCtxGetApiVersion = get_api_version;
  table.cuCtxCreate = create_context;
  table.cuCtxDestroy = destroy_context;
  table.cuCtxPushCurrent = push;
  table.cuCtxPopCurrent = pop;
  table.cuCtxGetCurrent = get_current;
  table.cuCtxSetCurrent = set_current;
  table.cuDeviceCanAccessPeer = can_access;
  table.cuCtxEnablePeerAccess = enable_access;
  table.cuCtxDisablePeerAccess = disable_access;
  table.cuMemcpyPeerAsync = copy_peer;
  table.cuMemPoolCreate = create_pool;
  table.cuMemPoolDestroy = destroy_pool;
  table.cuMemPoolSetAccess = share_pool;
  table.cuMemAlloc = allocate;
  table.cuMemAllocManaged = allocate_managed;
  table.cuMemFree = give_back;
  table.cuIpcOpenMemHandle = open_memory;
  table.cuIpcCloseMemHandle = close_memory;
  table.cuMemAllocFromPoolAsync = allocate_async;
  table.cuMemFreeAsync = give_back_async;
  table.cuPointerGetAttributes = describe_pointer;
  table.cuMemAdvise = advise;
  table.cuMemPrefetchAsync = prefetch;
  table.cuMemGetAllocationGranularity = granularity;
  table.cuMemCreate = create;
  table.cuMemSetAccess = set_access;
  table.cuLaunchKernel = launch;
  table.cuGraphExecMemcpyNodeSetParams = set_copy;
  table.cuGraphExecMemsetNodeSetParams = set_fill;
  table.cuGraphConditionalHandleCreate = create_condition;
}

/* Exports the entry points of the CPU device under libcuda's symbols. */
#define ENTRY_REQ_CPU(name, symbol, params, args) \
  LCU_EXPORT cu_result fake_##name params __asm__(symbol); \
  cu_result fake_##name params { return table.name args; }
#define ENTRY_OPT_CPU ENTRY_REQ_CPU
#define ENTRY_OPT_NOCPU(name, symbol, params, args)
#define ENTRY_EXT_CPU(name, symbol, params, args)
#define ENTRY_EXT_NOCPU(name, symbol, params, args)
#define LCU_DRV(need, cpu, since, name, symbol, params, args) \
  ENTRY_##need##_##cpu(name, symbol, params, args)
#include "driver.def"
#undef LCU_DRV
