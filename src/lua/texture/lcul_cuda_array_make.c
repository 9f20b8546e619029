/* lcul_cuda_array_make.c: cuda.cuda_array. */
#include <inttypes.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_collect.h"
#include "lcul_cuda_array.h"
#include "lcul_device.h"
#include "lcul_dtype.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_set.h"

/* What a call asks for. */
typedef struct request {
  lcul_cuda_array a; /* without block and handle */
  lcu_device *device;
  int opts;    /* stack index of the options, or 0 */
  bool filled; /* argument 1 is an array to copy */
} request;


/* ---- the limits of the device ---- */

typedef struct limits {
  int width, height, depth; /* device attributes; 0: none */
} limits;

typedef enum kind {
  KIND_1D,
  KIND_2D,
  KIND_3D,
  KIND_1D_LAYERED,
  KIND_2D_LAYERED,
  KIND_CUBE,
  KIND_CUBE_LAYERED,
  KIND_GATHER,
  KIND_1D_MIPMAPPED,
  KIND_2D_MIPMAPPED,
  KIND_COUNT
} kind;

#define ATTR(name) CU_ATTR_maximum_##name
static const limits texture_limits[KIND_COUNT] = {
  [KIND_1D] = { ATTR(texture1d_width), 0, 0 },
  [KIND_2D] = { ATTR(texture2d_width), ATTR(texture2d_height), 0 },
  [KIND_3D] = { ATTR(texture3d_width), ATTR(texture3d_height), ATTR(texture3d_depth) },
  [KIND_1D_LAYERED] = { ATTR(texture1d_layered_width), 0, ATTR(texture1d_layered_layers) },
  [KIND_2D_LAYERED] = { ATTR(texture2d_layered_width), ATTR(texture2d_layered_height),
                        ATTR(texture2d_layered_layers) },
  [KIND_CUBE] = { ATTR(texturecubemap_width), ATTR(texturecubemap_width), 0 },
  [KIND_CUBE_LAYERED] = { ATTR(texturecubemap_layered_width), ATTR(texturecubemap_layered_width),
                          ATTR(texturecubemap_layered_layers) },
  [KIND_GATHER] = { ATTR(texture2d_gather_width), ATTR(texture2d_gather_height), 0 },
  [KIND_1D_MIPMAPPED] = { ATTR(texture1d_mipmapped_width), 0, 0 },
  [KIND_2D_MIPMAPPED] = { ATTR(texture2d_mipmapped_width), ATTR(texture2d_mipmapped_height), 0 },
};

static const limits surface_limits[KIND_COUNT] = {
  [KIND_1D] = { ATTR(surface1d_width), 0, 0 },
  [KIND_2D] = { ATTR(surface2d_width), ATTR(surface2d_height), 0 },
  [KIND_3D] = { ATTR(surface3d_width), ATTR(surface3d_height), ATTR(surface3d_depth) },
  [KIND_1D_LAYERED] = { ATTR(surface1d_layered_width), 0, ATTR(surface1d_layered_layers) },
  [KIND_2D_LAYERED] = { ATTR(surface2d_layered_width), ATTR(surface2d_layered_height),
                        ATTR(surface2d_layered_layers) },
  [KIND_CUBE] = { ATTR(surfacecubemap_width), ATTR(surfacecubemap_width), 0 },
  [KIND_CUBE_LAYERED] = { ATTR(surfacecubemap_layered_width), ATTR(surfacecubemap_layered_width),
                          ATTR(surfacecubemap_layered_layers) },
  [KIND_GATHER] = { ATTR(surface2d_width), ATTR(surface2d_height), 0 },
  [KIND_1D_MIPMAPPED] = { ATTR(surface1d_width), 0, 0 },
  [KIND_2D_MIPMAPPED] = { ATTR(surface2d_width), ATTR(surface2d_height), 0 },
};

/* A volume may also have these extents. */
static const limits volume_limits = { ATTR(texture3d_width_alternate),
                                      ATTR(texture3d_height_alternate),
                                      ATTR(texture3d_depth_alternate) };
#undef ATTR

static kind kind_of (const lcul_cuda_array *a) {
  bool layered = (a->flags & CU_ARRAY_LAYERED) != 0;
  if (a->flags & CU_ARRAY_CUBEMAP) return layered ? KIND_CUBE_LAYERED : KIND_CUBE;
  if (layered) return a->ndim == 2 ? KIND_1D_LAYERED : KIND_2D_LAYERED;
  if (a->ndim == 3) return KIND_3D;
  if (a->flags & CU_ARRAY_GATHER) return KIND_GATHER;
  if (a->mipmapped) return a->ndim == 1 ? KIND_1D_MIPMAPPED : KIND_2D_MIPMAPPED;
  return a->ndim == 1 ? KIND_1D : KIND_2D;
}

/* The attribute that an extent exceeds, with both numbers; 0: it fits. */
static int exceeded (lua_State *L, lcu_device *d, int attr, size_t extent, int *most) {
  *most = 0;
  if (attr != 0) lcul_status(L, lcu_device_attribute(d, attr, most));
  return *most > 0 && extent > (size_t)*most ? attr : 0;
}

static int exceeded_by (lua_State *L, lcu_device *d, const limits *l, const lcul_extent *e,
                        size_t *have, int *most) {
  const int attr[] = { l->width, l->height, l->depth };
  const size_t extent[] = { e->width, e->height, e->depth };
  for (int i = 0; i < 3; i++) {
    *have = extent[i];
    if (exceeded(L, d, attr[i], extent[i], most)) return attr[i];
  }
  return 0;
}

static const char *attr_name (int attr) {
  const char *name;
  int number;
  for (size_t i = 0; (name = lcu_attr_at(i, &number)) != NULL; i++)
    if (number == attr) return name;
  return "?";
}

static void check_limits (lua_State *L, const request *r, const limits *l, bool volume) {
  lcul_extent e = lcul_cuda_array_extent(&r->a);
  size_t have, other;
  int most, unused, attr = exceeded_by(L, r->device, l, &e, &have, &most);
  if (attr == 0 || (volume && !exceeded_by(L, r->device, &volume_limits, &e, &other, &unused)))
    return;
  lcul_misuse(L, "cuda_array: an extent of %zu is more than the %d that %s has as %s", have, most,
              r->device->label, attr_name(attr));
}


/* ---- options ---- */

static int fail_shape (lua_State *L, const request *r, const char *why) {
  char shape[96];
  return lcul_fail_arg(L, "cuda_array", 1, "shape", "%s %s",
                       lcul_shape_text(r->a.shape, r->a.ndim, shape, sizeof shape), why);
}

static void check_cubemap (lua_State *L, const request *r) {
  const int64_t *s = r->a.shape;
  bool layered = (r->a.flags & CU_ARRAY_LAYERED) != 0;
  if (r->a.ndim != 3 || s[1] != s[2] || (layered ? s[0] % 6 != 0 : s[0] != 6))
    fail_shape(L, r,
               layered ? "is not {6 * layers, n, n}, the six faces of cubemaps"
                       : "is not {6, n, n}, the six faces of a cubemap");
}

static void check_kind (lua_State *L, const request *r) {
  const lcul_cuda_array *a = &r->a;
  for (int i = 0; i < a->ndim; i++)
    if (a->shape[i] < 1) fail_shape(L, r, "has an extent below 1");
  if (a->flags & CU_ARRAY_CUBEMAP) check_cubemap(L, r);
  else if ((a->flags & CU_ARRAY_LAYERED) && a->ndim == 1)
    fail_shape(L, r, "has no layers: expected {layers, width} or {layers, height, width}");
  if ((a->flags & CU_ARRAY_GATHER) && (a->ndim != 2 || (a->flags & CU_ARRAY_LAYERED)))
    lcul_misuse(L, "cuda_array: option 'gather' is for CUDA arrays of two axes without layers");
  check_limits(L, r, &texture_limits[kind_of(a)], a->ndim == 3);
  if (a->flags & CU_ARRAY_SURFACE) check_limits(L, r, &surface_limits[kind_of(a)], false);
}

/* The number of levels down to one texel. */
static unsigned all_levels (const lcul_cuda_array *a) {
  bool layered = (a->flags & (CU_ARRAY_LAYERED | CU_ARRAY_CUBEMAP)) != 0;
  int64_t most = 1;
  unsigned n = 1;
  for (int i = layered ? 1 : 0; i < a->ndim; i++) most = a->shape[i] > most ? a->shape[i] : most;
  for (; most > 1; most >>= 1) n++;
  return n;
}

/* mipmaps = true, or the number of levels */
static void read_levels (lua_State *L, request *r) {
  lcul_cuda_array *a = &r->a;
  a->levels = 1;
  if (!lcul_opt_push(L, r->opts, "mipmaps")) return;
  bool is_boolean = lua_isboolean(L, -1);
  a->mipmapped = !is_boolean || lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (!a->mipmapped) return;
  unsigned all = all_levels(a);
  a->levels = is_boolean ? all : (unsigned)lcul_opt_integer(L, r->opts, "mipmaps", 1, 1, all);
}

static void read_flags (lua_State *L, request *r) {
  static const struct {
    const char *name;
    unsigned flag;
  } rows[] = { { "layered", CU_ARRAY_LAYERED },
               { "surface", CU_ARRAY_SURFACE },
               { "cubemap", CU_ARRAY_CUBEMAP },
               { "gather", CU_ARRAY_GATHER } };
  for (size_t i = 0; i < lcu_arraylen(rows); i++)
    if (lcul_opt_bool(L, r->opts, rows[i].name, false)) r->a.flags |= rows[i].flag;
}

/* [dtype] [, options] from argument 2 on */
static void read_arguments (lua_State *L, request *r) {
  static const char *const names[] = { "channels", "surface", "layered", "cubemap", "gather",
                                       "mipmaps",  "device",  "stream",  "dtype",   NULL };
  int idx = 2;
  r->a.dtype = NULL;
  if (lua_type(L, idx) == LUA_TSTRING || lcul_test(L, idx, LCUL_STRUCT) != NULL)
    r->a.dtype = lcul_dtype_check(L, idx++);
  else if (lua_isnil(L, idx)) idx++;
  lcul_check_most(L, idx);
  lua_settop(L, idx);
  r->opts = lcul_options(L, idx, "cuda_array", names) ? idx : 0;
  if (r->opts && lcul_opt_push(L, r->opts, "dtype")) {
    if (r->a.dtype != NULL) lcul_misuse(L, "cuda_array: the dtype is given twice");
    r->a.dtype = lcul_dtype_check(L, -1);
    lua_pop(L, 1);
  }
}

static void check_dtype (lua_State *L, request *r, int64_t channels) {
  lcul_cuda_array *a = &r->a;
  if (!lcul_texel_of(a->dtype, &a->texel))
    lcul_misuse(L, "cuda_array: CUDA arrays have no elements of %s", a->dtype->name);
  if ((channels != 1 && channels != 2 && channels != 4) || channels * a->texel.lanes > 4)
    lcul_misuse(L,
                "cuda_array: %" PRId64 " channels of %s; CUDA arrays have 1, 2 or 4 channels of at "
                "most 16 bytes together",
                channels, a->dtype->name);
  a->channels = (int)channels;
}

/* The shape of the array at 1; its last axis holds the channels where option `channels` is
 * given. */
static void shape_of_array (lua_State *L, lcul_shape *s, int64_t channels) {
  lcul_array_shape_of(lcul_array_check(L, 1), s);
  if (channels <= 1) return;
  if (s->ndim == 0 || s->dims[s->ndim - 1] != channels)
    lcul_fail_arg(L, "cuda_array", 1, "array", "the last axis does not hold %" PRId64 " channels",
                  channels);
  s->ndim--;
}

static void read_shape (lua_State *L, request *r) {
  lcul_shape s;
  int64_t channels = r->opts ? lcul_opt_integer(L, r->opts, "channels", 1, 1, INT32_MAX) : 1;
  r->filled = lcul_array_test(L, 1) != NULL;
  if (r->filled) shape_of_array(L, &s, channels);
  else lcul_shape_check(L, 1, "cuda_array", 1, false, &s);
  if (r->a.dtype == NULL)
    r->a.dtype = r->filled ? lcul_array_check(L, 1)->dtype : &lcu_dtypes[LCU_FLOAT32];
  check_dtype(L, r, channels);
  if (s.ndim < 1 || s.ndim > LCUL_TEXEL_DIMS)
    lcul_fail_arg(L, "cuda_array", 1, "shape", "expected 1 to 3 axes%s, got %d",
                  channels > 1 ? " besides the channels" : "", s.ndim);
  lcul_shape_measure_arg(L, &s, r->a.dtype, "cuda_array", 1);
  r->a.ndim = s.ndim;
  memcpy(r->a.shape, s.dims, (size_t)s.ndim * sizeof s.dims[0]);
}

static lcu_device *find_device (lua_State *L, const request *r) {
  if (r->opts && lcul_opt_push(L, r->opts, "device")) {
    lua_pop(L, 1);
    return lcul_opt_device(L, r->opts);
  }
  lcul_array *a = r->filled ? lcul_array_check(L, 1) : NULL;
  bool decides = a != NULL && a->block->memory == LCU_MEM_DEVICE;
  return decides ? a->block->device : lcul_device_current(L);
}


/* ---- making it ---- */

/* Extents that the array does not have are 0 for the driver. */
static cu_array_desc descriptor (const lcul_cuda_array *a) {
  lcul_extent e = lcul_cuda_array_extent(a);
  bool deep = a->ndim == 3 || (a->flags & CU_ARRAY_LAYERED) != 0;
  return (cu_array_desc){ .width = e.width,
                          .height = a->ndim == 1 || (a->ndim == 2 && deep) ? 0 : e.height,
                          .depth = deep ? e.depth : 0,
                          .format = a->texel.format,
                          .channels = (unsigned)a->channels * a->texel.lanes,
                          .flags = a->flags };
}

/* cuda_array(shape or array [, dtype] [, { channels =, surface =, layered =, cubemap =, gather =,
 * mipmaps =, device =, stream = }]) */
static int core_cuda_array (lua_State *L) {
  request r = { .opts = 0 };
  read_arguments(L, &r);
  read_shape(L, &r);
  if (r.opts) {
    read_flags(L, &r);
    read_levels(L, &r);
  } else r.a.levels = 1;
  r.device = find_device(L, &r);
  check_kind(L, &r);
  cu_array_desc desc = descriptor(&r.a);
  size_t bytes = (size_t)lcul_cuda_array_total(&r.a);
  lcul_cuda_array *a = lcul_newobject(L, LCUL_CUDA_ARRAY, sizeof *a, 0);
  *a = r.a;
  lcul_status(
    L, lcu_cuda_array_create(r.device, &desc, a->mipmapped ? a->levels : 0, bytes, &a->block));
  lcul_status(L, lcu_cuda_array_level(a->block, 0, &a->handle));
  lcul_gc_account(L, bytes);
  if (r.filled) lcul_cuda_array_set(L, lua_gettop(L), 1, r.opts, "cuda_array");
  return 1;
}

void lcul_open_cuda_array_make (lua_State *L) {
  static const luaL_Reg functions[] = { { "cuda_array", core_cuda_array }, { NULL, NULL } };
  lcul_setfuncs(L, functions);
}
