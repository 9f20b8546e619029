/* ptx_device_runtime.c: the functions of CUDA's device runtime (CDP2): launches, copies and fills
 * by kernels, streams, events, memory. All errors are cudaError_t. */
#include <string.h>

#include "ptx_call.h"
#include "ptx_children.h"
#include "ptx_grid.h"
#include "ptx_memory.h"

/* ---- launches */

/* The shape that is in arguments grid, block (dim3) and shared bytes from `index` on. */
static void read_shape (const ptx_call *c, uint32_t index, uint32_t lane, ptx_child *out) {
  ptx_call_struct(c, index, lane, out->grid, sizeof out->grid);
  ptx_call_struct(c, index + 1, lane, out->block, sizeof out->block);
  out->shared = (uint32_t)ptx_call_value(c, index + 2, lane);
}

/* (function, grid, block, shared bytes) -> memory for the parameters */
static bool call_reserve (const ptx_call *c) {
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    ptx_child child = { .kernel = ptx_child_kernel(c->x, ptx_call_value(c, 0, lane)) };
    read_shape(c, 1, lane, &child);
    ptx_child_reserve(c->x, lane, &child);
    ptx_call_return(c, lane, child.params);
  }
  return true;
}

/* (alignment, size) -> memory for parameters */
static bool call_reserve_bytes (const ptx_call *c) {
  for (uint32_t m = c->mask; m != 0; m &= m - 1) {
    uint32_t lane = ptx_first_lane(m);
    uint64_t params;
    ptx_child_reserve_bytes(c->x, lane, ptx_call_value(c, 1, lane), &params);
    ptx_call_return(c, lane, params);
  }
  return true;
}

/* (parameters, stream) */
static int launch_reserved (const ptx_call *c, uint32_t lane) {
  return (int)ptx_child_launch(c->x, lane, ptx_call_value(c, 0, lane), NULL,
                               ptx_call_value(c, 1, lane));
}

/* (function, parameters, grid, block, shared bytes, stream) */
static int launch_called (const ptx_call *c, uint32_t lane) {
  ptx_child as = { .kernel = ptx_child_kernel(c->x, ptx_call_value(c, 0, lane)) };
  read_shape(c, 2, lane, &as);
  return (int)ptx_child_launch(c->x, lane, ptx_call_value(c, 1, lane), &as,
                               ptx_call_value(c, 5, lane));
}

static bool call_launch_reserved (const ptx_call *c) { return ptx_call_each(c, launch_reserved); }
static bool call_launch (const ptx_call *c) { return ptx_call_each(c, launch_called); }

/* ---- copies and fills */

static int transfer (const ptx_call *c, uint32_t lane, const ptx_transfer *t, uint32_t stream) {
  if (!ptx_transfer_check(c->x, lane, t)) return -1;
  return (int)ptx_child_transfer(c->x, lane, t, ptx_call_value(c, stream, lane));
}

static ptx_bytes flat (const ptx_call *c, uint32_t index, uint32_t lane) {
  return (ptx_bytes){ .address = ptx_call_value(c, index, lane) };
}

static ptx_bytes pitched (const ptx_call *c, uint32_t index, uint32_t lane) {
  return (ptx_bytes){ .address = ptx_call_value(c, index, lane),
                      .pitch = ptx_call_value(c, index + 1, lane) };
}

static int refuse (const ptx_call *c, uint32_t lane) {
  return (int)ptx_device_error_set(c->x, lane, PTX_DEVICE_INVALID_VALUE);
}

/* (to, from, bytes, kind, stream) */
static int copy (const ptx_call *c, uint32_t lane) {
  ptx_transfer t = { .to = flat(c, 0, lane),
                     .from = flat(c, 1, lane),
                     .width = ptx_call_value(c, 2, lane),
                     .height = 1,
                     .depth = 1 };
  return transfer(c, lane, &t, 4);
}

/* (to, pitch, from, pitch, width, height, kind, stream) */
static int copy_2d (const ptx_call *c, uint32_t lane) {
  ptx_transfer t = { .to = pitched(c, 0, lane),
                     .from = pitched(c, 2, lane),
                     .width = ptx_call_value(c, 4, lane),
                     .height = ptx_call_value(c, 5, lane),
                     .depth = 1 };
  if (t.width > t.to.pitch || t.width > t.from.pitch) return refuse(c, lane);
  return transfer(c, lane, &t, 7);
}

/* (to, value, bytes, stream) */
static int fill (const ptx_call *c, uint32_t lane) {
  ptx_transfer t = { .to = flat(c, 0, lane),
                     .width = ptx_call_value(c, 2, lane),
                     .height = 1,
                     .depth = 1,
                     .fills = true,
                     .value = (uint8_t)ptx_call_value(c, 1, lane) };
  return transfer(c, lane, &t, 3);
}

/* (to, pitch, value, width, height, stream) */
static int fill_2d (const ptx_call *c, uint32_t lane) {
  ptx_transfer t = { .to = pitched(c, 0, lane),
                     .width = ptx_call_value(c, 3, lane),
                     .height = ptx_call_value(c, 4, lane),
                     .depth = 1,
                     .fills = true,
                     .value = (uint8_t)ptx_call_value(c, 2, lane) };
  if (t.width > t.to.pitch) return refuse(c, lane);
  return transfer(c, lane, &t, 5);
}

typedef struct pitched_pointer {
  uint64_t address, pitch, width, height;
} pitched_pointer; /* cudaPitchedPtr */

typedef struct extent {
  uint64_t width, height, depth;
} extent; /* cudaExtent; the same as cudaPos */

static ptx_bytes box (const pitched_pointer *p, const extent *at) {
  uint64_t slice = p->pitch * p->height;
  return (ptx_bytes){ p->address + at->width + at->height * p->pitch + at->depth * slice, p->pitch,
                      slice };
}

/* (to, value, extent, stream) */
static int fill_3d (const ptx_call *c, uint32_t lane) {
  static const extent start;
  pitched_pointer to;
  extent size;
  ptx_call_struct(c, 0, lane, &to, sizeof to);
  ptx_call_struct(c, 2, lane, &size, sizeof size);
  ptx_transfer t = { .to = box(&to, &start),
                     .width = size.width,
                     .height = size.height,
                     .depth = size.depth,
                     .fills = true,
                     .value = (uint8_t)ptx_call_value(c, 1, lane) };
  if (t.width > to.pitch || (t.depth > 1 && t.height > to.height)) return refuse(c, lane);
  return transfer(c, lane, &t, 3);
}

/* cudaMemcpy3DParms */
typedef struct copy_params {
  uint64_t from_array;
  extent from_at;
  pitched_pointer from;
  uint64_t to_array;
  extent to_at;
  pitched_pointer to;
  extent size;
} copy_params;

/* (parameters, stream). CUDA arrays take no part in copies by kernels. */
static int copy_3d (const ptx_call *c, uint32_t lane) {
  copy_params p;
  uint64_t at = ptx_call_value(c, 0, lane);
  /* local memory is contiguous only by the word */
  for (uint32_t k = 0; k < sizeof p; k += 4)
    if (!ptx_memory_read(&c->x->w, PTX_GENERIC, lane, at + k, (uint8_t *)&p + k, 4)) return -1;
  if (p.from_array != 0 || p.to_array != 0) return refuse(c, lane);
  ptx_transfer t = { .to = box(&p.to, &p.to_at),
                     .from = box(&p.from, &p.from_at),
                     .width = p.size.width,
                     .height = p.size.height,
                     .depth = p.size.depth };
  if (t.width > p.to.pitch || t.width > p.from.pitch) return refuse(c, lane);
  return transfer(c, lane, &t, 1);
}

static bool call_copy (const ptx_call *c) { return ptx_call_each(c, copy); }
static bool call_copy_2d (const ptx_call *c) { return ptx_call_each(c, copy_2d); }
static bool call_copy_3d (const ptx_call *c) { return ptx_call_each(c, copy_3d); }
static bool call_fill (const ptx_call *c) { return ptx_call_each(c, fill); }
static bool call_fill_2d (const ptx_call *c) { return ptx_call_each(c, fill_2d); }
static bool call_fill_3d (const ptx_call *c) { return ptx_call_each(c, fill_3d); }

/* ---- memory: the heap of malloc */

/* (void **out, bytes) */
static int allocate (const ptx_call *c, uint32_t lane) {
  const ptx_host *host = c->x->w.host;
  uint64_t at = (uint64_t)(uintptr_t)host->heap_alloc(host->ud, ptx_call_value(c, 1, lane));
  if (at == 0) return (int)ptx_device_error_set(c->x, lane, PTX_DEVICE_MEMORY_ALLOCATION);
  return ptx_call_store(c, 0, lane, &at, sizeof at);
}

static int release (const ptx_call *c, uint32_t lane) {
  const ptx_host *host = c->x->w.host;
  uint64_t at = ptx_call_value(c, 0, lane);
  memset(c->x->w.last, 0, sizeof c->x->w.last); /* one of them may be the freed one */
  return at == 0 || host->heap_free(host->ud, at) ? 0 : refuse(c, lane);
}

static bool call_allocate (const ptx_call *c) { return ptx_call_each(c, allocate); }
static bool call_release (const ptx_call *c) { return ptx_call_each(c, release); }

/* ---- errors, streams, events */

static int peek_error (const ptx_call *c, uint32_t lane) {
  return (c->x->failed >> lane & 1) != 0 ? c->x->errors[lane] : 0;
}

static int last_error (const ptx_call *c, uint32_t lane) {
  int error = peek_error(c, lane);
  c->x->failed &= ~(1u << lane);
  return error;
}

/* Work runs in the order of its launches, which satisfies every order of streams and events. Makes
 * one: its handle goes to the address that is the first argument. */
static int create (const ptx_call *c, uint32_t lane) {
  static const uint64_t handle = 16; /* not one of the named streams */
  return ptx_call_store(c, 0, lane, &handle, sizeof handle);
}

static int nothing (const ptx_call *c, uint32_t lane) {
  (void)c, (void)lane;
  return 0;
}

static bool call_peek_error (const ptx_call *c) { return ptx_call_each(c, peek_error); }
static bool call_last_error (const ptx_call *c) { return ptx_call_each(c, last_error); }
static bool call_create (const ptx_call *c) { return ptx_call_each(c, create); }
static bool call_nothing (const ptx_call *c) { return ptx_call_each(c, nothing); }

/* ---- the table */

/* Names after "cuda" or "__cudaCDP2", and before "_ptsz". */
static const struct {
  const char *name;
  ptx_call_fn run;
} functions[] = {
  { "GetParameterBufferV2", call_reserve },
  { "LaunchDeviceV2", call_launch_reserved },
  { "GetParameterBuffer", call_reserve_bytes },
  { "LaunchDevice", call_launch },
  { "MemcpyAsync", call_copy },
  { "Memcpy2DAsync", call_copy_2d },
  { "Memcpy3DAsync", call_copy_3d },
  { "MemsetAsync", call_fill },
  { "Memset2DAsync", call_fill_2d },
  { "Memset3DAsync", call_fill_3d },
  { "Malloc", call_allocate },
  { "Free", call_release },
  { "GetLastError", call_last_error },
  { "PeekAtLastError", call_peek_error },
  { "GetErrorName", ptx_call_error_name },
  { "GetErrorString", ptx_call_error_words },
  { "StreamCreateWithFlags", call_create },
  { "StreamDestroy", call_nothing },
  { "StreamWaitEvent", call_nothing },
  { "EventCreateWithFlags", call_create },
  { "EventRecord", call_nothing },
  { "EventRecordWithFlags", call_nothing },
  { "EventDestroy", call_nothing },
  { "DeviceGetAttribute", ptx_call_attribute },
  { "DeviceGetLimit", ptx_call_limit },
  { "DeviceGetCacheConfig", ptx_call_cache_config },
  { "DeviceGetSharedMemConfig", ptx_call_bank_config },
  { "GetDevice", ptx_call_device },
  { "GetDeviceCount", ptx_call_device_count },
  { "RuntimeGetVersion", ptx_call_version },
  { "FuncGetAttributes", ptx_call_func_attributes },
  { "OccupancyMaxActiveBlocksPerMultiprocessor", ptx_call_occupancy },
  { "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", ptx_call_occupancy },
};

static bool skip (const char **name, const char *prefix) {
  size_t n = strlen(prefix);
  bool has = strncmp(*name, prefix, n) == 0;
  if (has) *name += n;
  return has;
}

static size_t without_suffix (const char *name) {
  static const char suffix[] = "_ptsz";
  size_t n = strlen(name), cut = sizeof suffix - 1;
  return n > cut && strcmp(name + n - cut, suffix) == 0 ? n - cut : n;
}

ptx_call_fn ptx_device_runtime_find (const char *name) {
  if (!skip(&name, "__cudaCDP2") && !skip(&name, "cuda")) return NULL;
  size_t n = without_suffix(name);
  for (size_t k = 0; k < lcu_arraylen(functions); k++)
    if (strlen(functions[k].name) == n && memcmp(functions[k].name, name, n) == 0)
      return functions[k].run;
  return NULL;
}
