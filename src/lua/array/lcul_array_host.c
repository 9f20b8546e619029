/* lcul_array_host.c: arrays in host memory and over memory of others; work on plain bytes: alloc,
 * memset, copy2d. */
#include "lcul_array_impl.h"

#include <inttypes.h>
#include <string.h>

/* Option dtype of the table at idx; what it holds stays on the stack. */
static void option_dtype (lua_State *L, const char *fn, int idx, const lcu_dtype **t,
                          int *dtype_idx) {
  if (lua_getfield(L, idx, "dtype") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  if (*dtype_idx) lcul_misuse(L, "%s: the dtype is given twice", fn);
  *dtype_idx = lua_gettop(L);
  *t = lcul_dtype_check(L, *dtype_idx);
}

/* [dtype] from argument 2 and [options] from 2 or 3; returns the index of the options or 0. */
static int host_args (lua_State *L, const char *fn, int idx, const char *const names[],
                      const lcu_dtype **t, int *dtype_idx) {
  char got[96];
  *t = &lcu_dtypes[LCU_FLOAT32];
  *dtype_idx = 0;
  if (lua_type(L, idx) == LUA_TSTRING || lcul_test(L, idx, LCUL_STRUCT)) {
    *t = lcul_dtype_check(L, idx);
    *dtype_idx = idx++;
  } else if (lua_isnil(L, idx) && lua_gettop(L) > idx) idx++;
  if (lua_isnoneornil(L, idx)) return 0;
  if (lua_type(L, idx) != LUA_TTABLE || lua_gettop(L) > idx)
    lcul_fail_arg(L, fn, idx, "options", "expected a table of options at the end, got %s",
                  lcul_describe(L, idx, got, sizeof got));
  lcul_options(L, idx, fn, names);
  option_dtype(L, fn, idx, t, dtype_idx);
  return idx;
}

/* The device whose driver pins memory: the option's, else the current one. */
static lcu_device *pinning_device (lua_State *L, int opts) {
  return lcul_opt_device(L, opts ? opts : lua_gettop(L) + 1);
}

static int host_array (lua_State *L, const char *fn, lcu_memory kind, lcu_device *pin_for,
                       size_t align, unsigned flags, const lcu_dtype *t, int dtype_idx,
                       lcul_shape *s, bool zeros) {
  lcul_shape_measure_arg(L, s, t, fn, 1);
  lcul_array *a = lcul_array_box(L, t, dtype_idx, false, s->ndim, s->dims);
  size_t bytes = (size_t)a->size * t->size;
  lcul_status(L, lcu_block_alloc_host(kind, pin_for, bytes, align, flags, &a->block));
  lcul_array_label(a->block, a);
  lcul_gc_account(L, bytes);
  if (zeros && bytes > 0) memset(lcul_block_host(a->block), 0, bytes);
  return 1;
}

static bool opt_flag (lua_State *L, int opts, const char *name) {
  return opts && lcul_opt_bool(L, opts, name, false);
}

/* pinned(shape [, dtype] [, { zeros =, write_combined =, device = }]) */
static int core_pinned (lua_State *L) {
  static const char *const names[] = { "zeros", "write_combined", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "pinned", 1, false, &s);
  int opts = host_args(L, "pinned", 2, names, &t, &dtype_idx);
  unsigned flags = opt_flag(L, opts, "write_combined") ? CU_HOSTALLOC_WRITECOMBINED : 0;
  return host_array(L, "pinned", LCU_MEM_PINNED, pinning_device(L, opts), 0, flags, t, dtype_idx,
                    &s, opt_flag(L, opts, "zeros"));
}

/* managed(shape [, dtype] [, { zeros =, attach = "global" | "host", device = }]) */
static int core_managed (lua_State *L) {
  static const char *const names[] = { "zeros", "attach", "device", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "managed", 1, false, &s);
  int opts = host_args(L, "managed", 2, names, &t, &dtype_idx);
  const char *attach = opts ? lcul_opt_string(L, opts, "attach", "global") : "global";
  bool global = strcmp(attach, "global") == 0;
  if (!global && strcmp(attach, "host") != 0)
    return lcul_misuse(L, "managed: option 'attach': expected \"global\" or \"host\", got \"%s\"",
                       attach);
  unsigned flags = global ? CU_MEM_ATTACH_GLOBAL_ : CU_MEM_ATTACH_HOST_;
  return host_array(L, "managed", LCU_MEM_MANAGED, pinning_device(L, opts), 0, flags, t, dtype_idx,
                    &s, opt_flag(L, opts, "zeros"));
}

/* host(shape [, dtype] [, { zeros =, align = }]): plain memory, aligned to `align` bytes (64) */
static int core_host (lua_State *L) {
  static const char *const names[] = { "zeros", "align", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  lcul_shape_check(L, 1, "host", 1, false, &s);
  int opts = host_args(L, "host", 2, names, &t, &dtype_idx);
  lua_Integer align = opts ? lcul_opt_integer(L, opts, "align", 64, 1, 1 << 30) : 64;
  if ((align & (align - 1)) != 0)
    return lcul_misuse(L, "host: option 'align': %lld is not a power of two", (long long)align);
  size_t least = align < 16 ? 16 : (size_t)align;
  return host_array(L, "host", LCU_MEM_HOST, NULL, least, 0, t, dtype_idx, &s,
                    opt_flag(L, opts, "zeros"));
}

/* The memory itself goes after its registration. */
static void release_block (void *ud) {
  lcu_block *b = ud;
  lcu_unref(b);
}

/* The CPU device knows the memory already, and has nothing to lock. */
static void register_memory (lua_State *L, const lcul_array *a, lcu_device *d, lcu_block **out) {
  /* again: a metamethod of the options may have closed it */
  (void)lcul_array_check(L, 1);
  char *p = lcul_block_host(a->block) + a->offset;
  size_t size = (size_t)a->size * a->dtype->size;
  if (d != a->block->device) lcul_status(L, lcu_block_register(p, size, d, 0, out));
  else
    lcul_status(L, lcu_block_wrap(d, LCU_MEM_REGISTERED, (cu_deviceptr)(uintptr_t)p, p, size, NULL,
                                  NULL, out));
}

/* register(a [, { device = }]): the same memory, page-locked for the device while the new array
 * lives */
static int core_register (lua_State *L) {
  static const char *const names[] = { "device", NULL };
  const lcul_array *a = lcul_array_check(L, 1);
  int opts = lcul_options(L, 2, "register", names) ? 2 : 0;
  char got[96];
  if (a->block->memory != LCU_MEM_HOST || !a->contiguous)
    return lcul_fail_arg(
      L, "register", 1, "array",
      "expected a contiguous array of host memory (cuda.host), got %s in %s memory",
      lcul_describe(L, 1, got, sizeof got), lcu_memory_name(a->block->memory));
  lcu_device *d = pinning_device(L, opts);
  lcul_array *r = lcul_array_box(L, a->dtype, 1, false, a->ndim, a->shape);
  register_memory(L, a, d, &r->block);
  r->block->release = release_block;
  r->block->release_ud = lcu_ref(a->block);
  lcul_array_label(r->block, r);
  return 1;
}


/* wrap(address, shape [, dtype] [, { owner =, device =, memory = "device" | "host" }]) */

static uint64_t address_arg (lua_State *L, int idx, const char *fn) {
  const lcul_pointer *p = lcul_test(L, idx, LCUL_POINTER);
  return p ? p->address : (uint64_t)lcul_integer_arg(L, idx, fn, idx, "address");
}

static bool wants_host (lua_State *L, int opts) {
  const char *memory = opts ? lcul_opt_string(L, opts, "memory", "device") : "device";
  bool host = strcmp(memory, "host") == 0;
  if (!host && strcmp(memory, "device") != 0)
    lcul_misuse(L, "wrap: option 'memory': expected \"device\" or \"host\", got \"%s\"", memory);
  return host;
}

/* Host memory is worked on by the CPU device, the last of the list. */
static lcu_device *cpu_device (lua_State *L) {
  lua_pushliteral(L, "cpu");
  lcu_device *d = lcul_device_arg(L, -1);
  lua_pop(L, 1);
  return d;
}

/* Device memory is known to its driver: both ends must be. */
static lcu_status ask_driver (lcu_device *d, cu_deviceptr first, cu_deviceptr last) {
  unsigned type = 0;
  LCU_TRY(LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, first)));
  return LCU_CALL(d->drv, cuPointerGetAttribute, (&type, CU_POINTER_MEMORY_TYPE, last));
}

static void check_known (lua_State *L, lcu_device *d, uint64_t address, const lcul_shape *s,
                         const lcu_dtype *t) {
  lcu_scope scope;
  uint64_t last = address + (uint64_t)s->size * t->size - 1;
  lcul_status(L, lcu_device_open(d));
  lcul_status(L, lcu_device_enter(d, &scope));
  lcu_status st = ask_driver(d, address, last);
  lcu_device_leave(&scope);
  if (st == CU_ERR_INVALID_VALUE)
    lcul_fail_arg(L, "wrap", 1, "address",
                  "0x%" PRIx64 " to 0x%" PRIx64 " is no memory that %s knows", address, last,
                  d->label);
  lcul_status(L, lcu_device_status(d, st));
}

static int core_wrap (lua_State *L) {
  static const char *const names[] = { "owner", "device", "memory", "dtype", NULL };
  const lcu_dtype *t;
  lcul_shape s;
  int dtype_idx;
  uint64_t address = address_arg(L, 1, "wrap");
  lcul_shape_check(L, 2, "wrap", 2, false, &s);
  int opts = host_args(L, "wrap", 3, names, &t, &dtype_idx);
  lcul_shape_measure_arg(L, &s, t, "wrap", 2);
  bool host = wants_host(L, opts);
  lcu_device *d = host ? cpu_device(L) : pinning_device(L, opts);
  if (address == 0 && s.size > 0)
    return lcul_fail_arg(L, "wrap", 1, "address", "NULL is no memory");
  if (address % t->align != 0)
    return lcul_fail_arg(L, "wrap", 1, "address", "0x%" PRIx64 " is not aligned for %s", address,
                         t->name);
  if (!host && s.size > 0) check_known(L, d, address, &s, t);
  lcul_array *a = lcul_array_box(L, t, dtype_idx, opts != 0, s.ndim, s.dims);
  void *p = host ? (void *)(uintptr_t)address : NULL;
  lcul_status(L, lcu_block_wrap(d, LCU_MEM_FOREIGN, address, p, (size_t)s.size * t->size, NULL,
                                NULL, &a->block));
  lcul_array_label(a->block, a);
  if (opts && lua_getfield(L, opts, "owner") != LUA_TNIL) lua_setiuservalue(L, -2, LCUL_UV_OWNER);
  else if (opts) lua_pop(L, 1);
  return 1;
}


/* Bytes. */

/* alloc(bytes [, { device =, stream = }]): an array of uint8 */
static int core_alloc (lua_State *L) {
  static const char *const names[] = { "device", "stream", NULL };
  lua_Integer n = lcul_integer_arg(L, 1, "alloc", 1, "bytes");
  if (n < 0)
    return lcul_fail_arg(L, "alloc", 1, "bytes", "expected 0 or more, got %lld", (long long)n);
  int opts = lcul_options(L, 2, "alloc", names) ? 2 : 0;
  lcu_device *d = pinning_device(L, opts);
  lcul_shape s = { .ndim = 1, .size = n, .dims = { n } };
  (void)lcul_array_make(L, d, lcul_work_stream(L, opts, d), &lcu_dtypes[LCU_UINT8], 0, &s);
  return 1;
}

enum { PITCH = 512 }; /* the texture alignment of every device */

/* alloc_pitch{ width =, height =, device =, stream = } -> array {height, width} of bytes with
 * aligned rows, pitch */
static int core_alloc_pitch (lua_State *L) {
  static const char *const names[] = { "width", "height", "device", "stream", NULL };
  lcul_check_table(L, 1);
  lua_settop(L, 1);
  lcul_options(L, 1, "alloc_pitch", names);
  int64_t width = lcul_opt_integer(L, 1, "width", 0, 1, INT64_MAX / 4),
          height = lcul_opt_integer(L, 1, "height", 1, 1, INT64_MAX / 4);
  if (width == 0) return lcul_misuse(L, "alloc_pitch: option 'width' is missing");
  int64_t pitch = (width + PITCH - 1) / PITCH * PITCH;
  lcul_shape s = { .ndim = 2, .dims = { height, pitch } };
  lcul_shape_measure_arg(L, &s, &lcu_dtypes[LCU_UINT8], "alloc_pitch", 1);
  lcu_device *d = lcul_opt_device(L, 1);
  lcul_array *a = lcul_array_make(L, d, lcul_work_stream(L, 1, d), &lcu_dtypes[LCU_UINT8], 0, &s);
  a->shape[1] = width;
  lcul_layout_update(a);
  lua_pushinteger(L, pitch);
  return 2;
}

static const lcu_dtype *width_dtype (lua_State *L, int opts, const char *fn) {
  lua_Integer w = opts ? lcul_opt_integer(L, opts, "width", 1, 1, 8) : 1;
  switch (w) {
    case 1: return &lcu_dtypes[LCU_UINT8];
    case 2: return &lcu_dtypes[LCU_UINT16];
    case 4: return &lcu_dtypes[LCU_UINT32];
    case 8: return &lcu_dtypes[LCU_UINT64];
    default:
      lcul_misuse(L, "%s: option 'width': expected 1, 2, 4 or 8 bytes, got %lld", fn, (long long)w);
  }
  return NULL;
}

/* Pushes the bytes of the contiguous array at idx, from `offset` on, as rows of t: shape {rows,
 * columns}, `pitch` bytes between rows. Raises when they reach beyond the array. */
static lcul_array *push_bytes (lua_State *L, int idx, const char *fn, const lcu_dtype *t,
                               int64_t offset, int64_t rows, int64_t columns, int64_t pitch) {
  lcul_array *v = lcul_array_alias(L, idx, 2);
  int64_t first, last, have, end = offset;
  lcul_layout_extent(v, &first, &last);
  have = last - first;
  bool fits =
    columns <= have / t->size && offset <= have && (rows <= 1 || pitch <= have / (rows - 1));
  if (fits && rows > 0 && columns > 0) end += (rows - 1) * pitch + columns * t->size;
  if (!fits || end > have)
    lcul_misuse(L,
                "%s: rows of %" PRId64 " words of %u bytes reach beyond the %" PRId64
                " bytes of the array",
                fn, columns, t->size, have);
  if (((int64_t)v->block->address + first + offset) % t->size != 0 ||
      (rows > 1 && pitch % t->size != 0))
    lcul_misuse(L, "%s: the memory is not aligned for words of %u bytes", fn, t->size);
  v->dtype = t;
  v->offset = first + offset;
  v->ndim = 2;
  v->shape[0] = rows;
  v->shape[1] = columns;
  v->strides[0] = pitch;
  v->strides[1] = t->size;
  lcul_layout_update(v);
  return v;
}

static void check_dense (lua_State *L, int idx, const char *fn) {
  const lcul_array *a = lcul_array_check(L, idx);
  if (!a->contiguous)
    lcul_fail_arg(L, fn, idx, "array",
                  "expected a contiguous array; see a:fill and cuda.copy for views");
}

/* memset(a, value [, count] [, { width = bytes of one word, offset =, stream = }]) */
static int core_memset (lua_State *L) {
  static const char *const names[] = { "width", "offset", "stream", NULL };
  bool counted = lua_type(L, 3) == LUA_TNUMBER;
  check_dense(L, 1, "memset");
  const lcul_array *a = lcul_array_check(L, 1);
  lcul_check_any(L, 2);
  int at = counted ? 4 : 3, opts = lcul_options(L, at, "memset", names) ? at : 0;
  const lcu_dtype *t = width_dtype(L, opts, "memset");
  int64_t offset = opts ? lcul_opt_integer(L, opts, "offset", 0, 0, INT64_MAX) : 0,
          bytes = a->size * a->dtype->size;
  if (offset > bytes)
    return lcul_misuse(
      L, "memset: option 'offset': %" PRId64 " lies beyond the %" PRId64 " bytes of the array",
      offset, bytes);
  int64_t count =
    counted ? lcul_integer_arg(L, 3, "memset", 3, "count") : (bytes - offset) / t->size;
  if (count < 0)
    return lcul_fail_arg(L, "memset", 3, "count", "expected 0 or more, got %" PRId64, count);
  _Alignas(8) char word[8];
  lcul_element_get(L, 2, t, word, "memset", 2, "value");
  lcul_array *v = push_bytes(L, 1, "memset", t, offset, 1, count, 0);
  lcul_array_fill_element(L, -1, word, lcul_work_stream(L, opts, v->block->device), "memset");
  lua_settop(L, 1);
  return 1;
}

static int64_t size_option (lua_State *L, int opts, const char *name, int64_t def) {
  return lcul_opt_integer(L, opts, name, def, 0, INT64_MAX / 4);
}

static int64_t needed_option (lua_State *L, int opts, const char *fn, const char *name) {
  if (lua_getfield(L, opts, name) == LUA_TNIL)
    lcul_misuse(L, "%s: option '%s' is missing", fn, name);
  lua_pop(L, 1);
  return lcul_opt_integer(L, opts, name, 0, 0, INT64_MAX / 4);
}

/* Two axes, the second without gaps: what alloc_pitch makes. */
static bool has_rows (const lcul_array *a) {
  return a->ndim == 2 && a->strides[0] > 0 && (a->shape[1] <= 1 || a->strides[1] == a->dtype->size);
}

/* memset2d(a, value, { columns = words in a row, height =, pitch = bytes between rows, width =
 * bytes of one word, offset =, stream = }) */
static int core_memset2d (lua_State *L) {
  static const char *const names[] = { "columns", "height", "pitch", "width",
                                       "offset",  "stream", NULL };
  const lcul_array *a = lcul_array_check(L, 1);
  if (!a->contiguous && !has_rows(a))
    return lcul_fail_arg(L, "memset2d", 1, "array",
                         "expected a contiguous array or one of whole rows");
  lcul_check_table(L, 3);
  lcul_options(L, 3, "memset2d", names);
  const lcu_dtype *t = width_dtype(L, 3, "memset2d");
  int64_t columns = needed_option(L, 3, "memset2d", "columns"),
          height = needed_option(L, 3, "memset2d", "height");
  if (columns > a->size * a->dtype->size)
    return lcul_misuse(L, "memset2d: a row of %" PRId64 " words reaches beyond the array", columns);
  int64_t pitch = size_option(L, 3, "pitch", has_rows(a) ? a->strides[0] : columns * t->size),
          offset = size_option(L, 3, "offset", 0);
  if (pitch < columns * t->size)
    return lcul_misuse(L, "memset2d: option 'pitch' is less than a row");
  _Alignas(8) char word[8];
  lcul_element_get(L, 2, t, word, "memset2d", 2, "value");
  lcul_array *v = push_bytes(L, 1, "memset2d", t, offset, height, columns, pitch);
  lcul_array_fill_element(L, -1, word, lcul_work_stream(L, 3, v->block->device), "memset2d");
  lua_settop(L, 1);
  return 1;
}

/* One side of copy2d: "dst" or "src", with its _x (bytes), _y (rows) and _pitch. Pushes the rows.
 * Arrays with gaps are taken as the bytes they lie in, with the stride of their rows as pitch. */
static void push_side (lua_State *L, const char *side, const char *px, const char *py,
                       const char *pp, int64_t width, int64_t height) {
  char got[96];
  if (lua_getfield(L, 1, side) == LUA_TNIL || !lcul_array_test(L, -1))
    lcul_misuse(L, "copy2d: option '%s': expected Array, got %s", side,
                lcul_describe(L, -1, got, sizeof got));
  const lcul_array *a = lcul_array_check(L, -1);
  bool rows = has_rows(a);
  if (!a->contiguous && !rows)
    lcul_misuse(L, "copy2d: option '%s': expected a contiguous array or one of whole rows", side);
  int64_t pitch = size_option(L, 1, pp, rows ? a->strides[0] : width), x = size_option(L, 1, px, 0),
          y = size_option(L, 1, py, 0);
  if (pitch < width) lcul_misuse(L, "copy2d: option '%s' is less than 'width'", pp);
  if (x > pitch || y > (INT64_MAX / 4) / (pitch > 0 ? pitch : 1))
    lcul_misuse(L, "copy2d: options '%s' and '%s' lie outside the array", px, py);
  (void)push_bytes(L, lua_gettop(L), "copy2d", &lcu_dtypes[LCU_UINT8], y * pitch + x, height, width,
                   pitch);
}

/* copy2d{ dst =, src =, width = bytes, height =, dst_pitch =, src_pitch =, dst_x =, dst_y =, src_x
 * =, src_y =, stream = } */
static int core_copy2d (lua_State *L) {
  static const char *const names[] = { "dst",       "src",       "width",  "height",
                                       "dst_pitch", "src_pitch", "dst_x",  "dst_y",
                                       "src_x",     "src_y",     "stream", NULL };
  lcul_check_table(L, 1);
  lua_settop(L, 1);
  lcul_options(L, 1, "copy2d", names);
  int64_t width = needed_option(L, 1, "copy2d", "width"),
          height = needed_option(L, 1, "copy2d", "height");
  push_side(L, "dst", "dst_x", "dst_y", "dst_pitch", width, height);
  int dst = lua_gettop(L);
  push_side(L, "src", "src_x", "src_y", "src_pitch", width, height);
  lcu_stream *s =
    lcul_work_stream(L, 1, lcul_work_device(lcul_toobject(L, dst), lcul_toobject(L, -1)));
  lcul_array_assign(L, dst, -1, s, "copy2d");
  return 0;
}

/* swap_bytes(bytes, width) -> bytes: the byte order of each word reversed (for files of other
 * machines) */
static int core_swap_bytes (lua_State *L) {
  size_t len;
  luaL_Buffer b;
  const char *in = luaL_checklstring(L, 1, &len);
  lua_Integer width = luaL_checkinteger(L, 2);
  luaL_argcheck(L, width >= 1 && width <= 16 && len % (size_t)width == 0, 2, "not whole words");
  char *out = luaL_buffinitsize(L, &b, len);
  for (size_t at = 0; at < len; at += (size_t)width)
    for (size_t i = 0; i < (size_t)width; i++) out[at + i] = in[at + (size_t)width - 1 - i];
  luaL_pushresultsize(&b, len);
  return 1;
}

const luaL_Reg lcul_host_functions[] = { { "pinned", core_pinned },
                                         { "managed", core_managed },
                                         { "host", core_host },
                                         { "register", core_register },
                                         { "wrap", core_wrap },
                                         { "alloc", core_alloc },
                                         { "alloc_pitch", core_alloc_pitch },
                                         { "memset", core_memset },
                                         { "memset2d", core_memset2d },
                                         { "copy2d", core_copy2d },
                                         { "swap_bytes", core_swap_bytes },
                                         { NULL, NULL } };
