/* cpu_array.c: entry points for CUDA arrays and mipmapped arrays. */
#include "cpu_array.h"

#include <pthread.h>
#include <stddef.h>

#include "cpu_enter.h"
#include "cpu_memory.h"
#include "cpu_worker.h"
#include "cpu_words.h"

typedef enum array_kind { ARRAY_DESTROYED, ARRAY_PLAIN, ARRAY_MIPMAPPED, ARRAY_LEVEL } array_kind;

/* The levels of a mipmapped array are arrays in its memory. Objects stay allocated until the
 * primary context ends, since programs may keep the handles of destroyed ones. */
struct cu_array_ {
  array_kind kind;
  uint64_t serial;
  cu_context context;
  cpu_array_view view;
  cu_array levels[PTX_MAX_LEVELS]; /* of a mipmapped array */
  cu_array next_free, next_all;
};

static struct {
  pthread_mutex_t lock;
  cu_array free, all;
  uint64_t serial;
} arrays = { .lock = PTHREAD_MUTEX_INITIALIZER };


/* ---- objects ---- */

static cu_array array_new (array_kind kind) {
  pthread_mutex_lock(&arrays.lock);
  cu_array a = arrays.free;
  if (a != NULL) arrays.free = a->next_free;
  else if ((a = lcu_calloc(1, sizeof *a)) != NULL) {
    a->next_all = arrays.all;
    arrays.all = a;
  }
  if (a != NULL) {
    a->kind = kind;
    a->context = cpu_current();
    a->serial = ++arrays.serial;
  }
  pthread_mutex_unlock(&arrays.lock);
  return a;
}

static void array_forget (cu_array a) {
  pthread_mutex_lock(&arrays.lock);
  for (uint32_t i = 0; a->kind == ARRAY_MIPMAPPED && i < a->view.num_levels; i++) {
    cu_array level = a->levels[i];
    if (level == NULL) continue;
    level->kind = ARRAY_DESTROYED;
    level->serial = 0;
    level->next_free = arrays.free;
    arrays.free = level;
    a->levels[i] = NULL;
  }
  a->kind = ARRAY_DESTROYED;
  a->serial = 0;
  a->next_free = arrays.free;
  arrays.free = a;
  pthread_mutex_unlock(&arrays.lock);
}

static cu_array from_mipmapped (cu_mipmapped_array m) { return (cu_array)(void *)m; }

const cpu_array_view *cpu_array_view_of (cu_array a) {
  return a != NULL && (a->kind == ARRAY_PLAIN || a->kind == ARRAY_LEVEL) ? &a->view : NULL;
}

const cpu_array_view *cpu_mipmapped_view_of (cu_mipmapped_array m) {
  cu_array a = from_mipmapped(m);
  return a != NULL && a->kind == ARRAY_MIPMAPPED ? &a->view : NULL;
}

uint64_t cpu_array_serial (const cpu_array_view *v) {
  const char *a = (const char *)v - offsetof(struct cu_array_, view);
  return ((const struct cu_array_ *)(const void *)a)->serial;
}

void cpu_arrays_free (void) {
  pthread_mutex_lock(&arrays.lock);
  for (cu_array a = arrays.all, next; a != NULL; a = next) {
    next = a->next_all;
    lcu_free(a);
  }
  arrays.all = arrays.free = NULL;
  pthread_mutex_unlock(&arrays.lock);
}


/* ---- formats and shapes ---- */

uint32_t cpu_format_bytes (int format) {
  switch (format) {
    case CU_FORMAT_U8:
    case CU_FORMAT_S8: return 1;
    case CU_FORMAT_U16:
    case CU_FORMAT_S16:
    case CU_FORMAT_F16: return 2;
    case CU_FORMAT_U32:
    case CU_FORMAT_S32:
    case CU_FORMAT_F32: return 4;
    default: return 0;
  }
}

ptx_texel cpu_format_texel (int format) {
  switch (format) {
    case CU_FORMAT_U8: return PTX_TEXEL_U8;
    case CU_FORMAT_S8: return PTX_TEXEL_S8;
    case CU_FORMAT_U16: return PTX_TEXEL_U16;
    case CU_FORMAT_S16: return PTX_TEXEL_S16;
    case CU_FORMAT_U32: return PTX_TEXEL_U32;
    case CU_FORMAT_S32: return PTX_TEXEL_S32;
    case CU_FORMAT_F16: return PTX_TEXEL_F16;
    default: return PTX_TEXEL_F32;
  }
}

/* PTX_GEO_NONE: no array has these extents. */
static ptx_geometry geometry_of (const cu_array_desc *d) {
  bool layered = (d->flags & CU_ARRAY_LAYERED) != 0;
  if (d->width == 0) return PTX_GEO_NONE;
  if (d->flags & CU_ARRAY_CUBEMAP) {
    bool faces = layered ? d->depth != 0 && d->depth % 6 == 0 : d->depth == 6;
    if (d->height != d->width || !faces) return PTX_GEO_NONE;
    return layered ? PTX_GEO_ACUBE : PTX_GEO_CUBE;
  }
  if (layered) return d->depth == 0 ? PTX_GEO_NONE : d->height == 0 ? PTX_GEO_A1D : PTX_GEO_A2D;
  if (d->depth != 0) return d->height != 0 ? PTX_GEO_3D : PTX_GEO_NONE;
  return d->height != 0 ? PTX_GEO_2D : PTX_GEO_1D;
}

/* The largest width, height and depth of each geometry, as on GPUs of compute capability 8.0. */
static const size_t most_extents[PTX_GEO_COUNT][3] = {
  [PTX_GEO_1D] = { 131072, 0, 0 },          [PTX_GEO_2D] = { 131072, 65536, 0 },
  [PTX_GEO_3D] = { 16384, 16384, 16384 },   [PTX_GEO_A1D] = { 32768, 0, 2048 },
  [PTX_GEO_A2D] = { 32768, 32768, 2048 },   [PTX_GEO_CUBE] = { 32768, 32768, 6 },
  [PTX_GEO_ACUBE] = { 32768, 32768, 2046 },
};

static cu_result check_desc (const char *call, const cu_array_desc *d) {
  const unsigned known = CU_ARRAY_LAYERED | CU_ARRAY_SURFACE | CU_ARRAY_CUBEMAP | CU_ARRAY_GATHER;
  if (cpu_format_bytes(d->format) == 0) return cpu_fail_invalid(call, "unknown format");
  if (d->channels != 1 && d->channels != 2 && d->channels != 4)
    return cpu_fail_invalid(call, "an array has 1, 2 or 4 channels");
  if ((d->flags & ~known) != 0) return cpu_fail_invalid(call, "unknown flags");
  ptx_geometry g = geometry_of(d);
  if (g == PTX_GEO_NONE) return cpu_fail_invalid(call, "no array has these extents and flags");
  if ((d->flags & CU_ARRAY_GATHER) != 0 && g != PTX_GEO_2D)
    return cpu_fail_invalid(call, "texture gather is for 2D arrays");
  if (d->width > most_extents[g][0] || d->height > most_extents[g][1] ||
      d->depth > most_extents[g][2])
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "%zu x %zu x %zu is larger than the largest array, %zu x %zu x %zu", d->width,
                    d->height, d->depth, most_extents[g][0], most_extents[g][1],
                    most_extents[g][2]);
  return 0;
}

static uint32_t at_least_1 (size_t n) { return n != 0 ? (uint32_t)n : 1; }

static uint32_t halved (size_t n, uint32_t times) { return at_least_1(n >> times); }

static void describe (cpu_array_view *v, const cu_array_desc *d, uint32_t levels) {
  *v = (cpu_array_view){ .desc = *d,
                         .geometry = geometry_of(d),
                         .texel_bytes = cpu_format_bytes(d->format) * d->channels,
                         .num_levels = levels };
  bool is_3d = v->geometry == PTX_GEO_3D;
  v->layers = is_3d ? 1 : at_least_1(d->depth);
  for (uint32_t i = 0; i < levels; i++) {
    ptx_image *m = &v->levels[i];
    m->extent[0] = halved(d->width, i);
    m->extent[1] = halved(d->height, i);
    m->extent[2] = is_3d ? halved(d->depth, i) : 1;
    m->pitch = (size_t)m->extent[0] * v->texel_bytes;
    m->slice = m->pitch * m->extent[1];
  }
}

static size_t level_bytes (const cpu_array_view *v, uint32_t level) {
  const ptx_image *m = &v->levels[level];
  size_t bytes = m->slice * m->extent[2] * v->layers;
  return (bytes + 15) / 16 * 16;
}

/* Within the limits of extents the product cannot overflow. */
static cu_result allocate_array (const char *call, cpu_array_view *v) {
  size_t bytes = 0;
  cpu_block *b;
  for (uint32_t i = 0; i < v->num_levels; i++) bytes += level_bytes(v, i);
  cu_result r = cpu_block_alloc(call, bytes, 0, CPU_MEM_ARRAY, NULL, &b);
  if (r != 0) return r;
  uint8_t *p = (uint8_t *)(uintptr_t)b->base;
  for (uint32_t i = 0; i < v->num_levels; i++) {
    v->levels[i].texels = p;
    p += level_bytes(v, i);
  }
  return 0;
}

static cu_result create (const char *call, cu_array *out, const cu_array_desc *d, array_kind kind,
                         uint32_t levels) {
  cpu_array_view v;
  cu_result r = check_desc(call, d);
  if (r != 0) return r;
  describe(&v, d, levels);
  r = allocate_array(call, &v);
  if (r == CU_ERR_OUT_OF_MEMORY) {
    cpu_wait_all(); /* queued frees may make room */
    r = allocate_array(call, &v);
  }
  if (r != 0) return r;
  *out = array_new(kind);
  if (*out != NULL) (*out)->view = v;
  return *out != NULL ? 0 : CU_ERR_OUT_OF_MEMORY;
}

static void end (const char *call, cu_array a) {
  cpu_block *b;
  uint64_t memory = (uintptr_t)a->view.levels[0].texels;
  array_forget(a);
  if (cpu_block_claim(call, memory, 1u << CPU_MEM_ARRAY, &b) == 0) cpu_block_free(b);
}

/* After all work that may still use it, as libcuda does. */
static void destroy (const char *call, cu_array a) {
  cpu_wait_all();
  end(call, a);
}


/* ---- arrays ---- */

cu_result cpu_cuArray3DCreate (cu_array *a, const cu_array_desc *d) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (a == NULL || d == NULL) return CU_ERR_INVALID_VALUE;
  return create("cuArray3DCreate", a, d, ARRAY_PLAIN, 1);
}

cu_result cpu_cuArray3DGetDescriptor (cu_array_desc *d, cu_array a) {
  cu_result r = cpu_enter();
  const cpu_array_view *v = cpu_array_view_of(a);
  if (r != 0) return r;
  if (v == NULL) return CU_ERR_INVALID_HANDLE;
  if (d == NULL) return CU_ERR_INVALID_VALUE;
  *d = v->desc;
  return 0;
}

cu_result cpu_cuArrayDestroy (cu_array a) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (a == NULL || a->kind != ARRAY_PLAIN) return CU_ERR_INVALID_HANDLE;
  destroy("cuArrayDestroy", a);
  return 0;
}


/* ---- mipmapped arrays ---- */

static uint32_t levels_of (const cu_array_desc *d) {
  size_t n = d->width > d->height ? d->width : d->height;
  uint32_t levels = 0;
  if (geometry_of(d) == PTX_GEO_3D && d->depth > n) n = d->depth;
  while (levels < PTX_MAX_LEVELS && n >> levels != 0) levels++;
  return levels;
}

/* The array of one level. */
static cu_array level_new (const cpu_array_view *v, uint32_t level) {
  cu_array a = array_new(ARRAY_LEVEL);
  cu_array_desc d = v->desc;
  if (a == NULL) return NULL;
  d.width = v->levels[level].extent[0];
  if (d.height != 0) d.height = v->levels[level].extent[1];
  if (v->geometry == PTX_GEO_3D) d.depth = v->levels[level].extent[2];
  describe(&a->view, &d, 1);
  a->view.levels[0] = v->levels[level];
  return a;
}

cu_result cpu_cuMipmappedArrayCreate (cu_mipmapped_array *m, const cu_array_desc *d,
                                      unsigned levels) {
  cu_array a;
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (m == NULL || d == NULL) return CU_ERR_INVALID_VALUE;
  unsigned all = levels_of(d);
  r = create("cuMipmappedArrayCreate", &a, d, ARRAY_MIPMAPPED,
             levels == 0    ? 1
             : levels < all ? levels
                            : all);
  for (uint32_t i = 0; r == 0 && i < a->view.num_levels; i++)
    if ((a->levels[i] = level_new(&a->view, i)) == NULL) {
      destroy("cuMipmappedArrayCreate", a);
      r = CU_ERR_OUT_OF_MEMORY;
    }
  if (r == 0) *m = (cu_mipmapped_array)(void *)a;
  return r;
}

cu_result cpu_cuMipmappedArrayGetLevel (cu_array *a, cu_mipmapped_array m, unsigned level) {
  cu_result r = cpu_enter();
  const cpu_array_view *v = cpu_mipmapped_view_of(m);
  if (r != 0) return r;
  if (v == NULL) return CU_ERR_INVALID_HANDLE;
  if (a == NULL || level >= v->num_levels) return CU_ERR_INVALID_VALUE;
  *a = from_mipmapped(m)->levels[level];
  return 0;
}

cu_result cpu_cuMipmappedArrayDestroy (cu_mipmapped_array m) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  if (cpu_mipmapped_view_of(m) == NULL) return CU_ERR_INVALID_HANDLE;
  destroy("cuMipmappedArrayDestroy", from_mipmapped(m));
  return 0;
}


/* ---- the end of a context ---- */

static cu_array first_of (cu_context ctx) {
  pthread_mutex_lock(&arrays.lock);
  cu_array a = arrays.all;
  while (a != NULL &&
         !(a->context == ctx && (a->kind == ARRAY_PLAIN || a->kind == ARRAY_MIPMAPPED)))
    a = a->next_all;
  pthread_mutex_unlock(&arrays.lock);
  return a;
}

void cpu_arrays_end (cu_context ctx) {
  for (cu_array a; (a = first_of(ctx)) != NULL;) end("cuCtxDestroy", a);
}
