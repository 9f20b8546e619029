/* cpu_texture.c: entry points for texture and surface objects. */
#include "cpu_texture.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "cpu_array.h"
#include "cpu_enter.h"
#include "cpu_map.h"
#include "cpu_worker.h"
#include "cpu_words.h"
#include "lcu_mem.h"

enum { PITCH_ALIGNMENT = 32, LINEAR_ALIGNMENT = 256 };

/* A texture or surface. Its handle is its index in the table and a serial number, so that the
 * handle of a destroyed object is recognized. An object that the program destroys stays for the
 * work that is queued then, which may be using it; nobody waits for that. */
typedef struct object {
  uint64_t handle; /* 0: destroyed */
  uint64_t latest; /* the handle it had last */
  cu_context context;
  bool surface;
  ptx_texture view;
  const cpu_array_view *array; /* NULL: reads memory */
  uint64_t array_serial;
  cu_resource_desc resource;
  cu_texture_desc texture;
  bool leaving;
  uint64_t last_work;  /* number of the operation queued last before it began to leave */
  struct object *next; /* of the objects that are free, or that are leaving */
} object;

static struct {
  pthread_mutex_t lock;
  object **all;
  size_t num, room;
  object *free;
  object *leaving, **leaving_end; /* the first to leave first */
  uint64_t serial;
} objects = { .lock = PTHREAD_MUTEX_INITIALIZER, .leaving_end = &objects.leaving };

enum { INDEX_BITS = 20 };
static const uint64_t INDEX_MASK = ((uint64_t)1 << INDEX_BITS) - 1;


/* ---- the table; the functions need the lock ---- */

static bool grow (void) {
  size_t room = objects.room != 0 ? 2 * objects.room : 64;
  object **all = lcu_realloc(objects.all, room * sizeof *all);
  if (all == NULL) return false;
  objects.all = all;
  objects.room = room;
  return true;
}

static object *append (void) {
  if (objects.num == INDEX_MASK) return NULL;
  if (objects.num == objects.room && !grow()) return NULL;
  object *o = lcu_calloc(1, sizeof *o);
  if (o == NULL) return NULL;
  objects.all[objects.num++] = o;
  o->latest = objects.num;
  return o;
}

static void retire (object *o) {
  o->handle = 0;
  o->leaving = false;
  o->next = objects.free;
  objects.free = o;
}

/* Retires the first object that is leaving. */
static void retire_first (void) {
  object *o = objects.leaving;
  objects.leaving = o->next;
  if (objects.leaving == NULL) objects.leaving_end = &objects.leaving;
  retire(o);
}

/* Retires the objects whose work is complete. */
static void retire_done (void) {
  while (objects.leaving != NULL && cpu_work_done(objects.leaving->last_work)) retire_first();
}

static object *object_new (void) {
  retire_done();
  object *o = objects.free;
  if (o != NULL) objects.free = o->next;
  else o = append();
  return o;
}

static object *object_at (uint64_t handle) {
  uint64_t index = handle & INDEX_MASK;
  return index != 0 && index <= objects.num ? objects.all[index - 1] : NULL;
}

/* The object for its program. */
static object *object_of (uint64_t handle, bool surface) {
  object *o = object_at(handle);
  bool here = o != NULL && o->handle == handle && !o->leaving;
  return here && o->surface == surface ? o : NULL;
}

/* Enters the object and gives it a handle. */
static uint64_t enter (const object *from) {
  pthread_mutex_lock(&objects.lock);
  object *o = object_new();
  uint64_t handle = 0;
  if (o != NULL) {
    uint64_t index = o->latest & INDEX_MASK;
    *o = *from;
    o->context = cpu_current();
    handle = o->handle = o->latest = ++objects.serial << INDEX_BITS | index;
  }
  pthread_mutex_unlock(&objects.lock);
  return handle;
}

static void start_leaving (object *o) {
  o->leaving = true;
  o->last_work = cpu_work_latest();
  o->next = NULL;
  *objects.leaving_end = o;
  objects.leaving_end = &o->next;
}

static cu_result leave (uint64_t handle, bool surface) {
  pthread_mutex_lock(&objects.lock);
  object *o = object_of(handle, surface);
  if (o != NULL) start_leaving(o);
  pthread_mutex_unlock(&objects.lock);
  return o != NULL ? 0 : CU_ERR_INVALID_HANDLE;
}

/* Those that are leaving a context that ends may wait for the work of another. */
void cpu_textures_end (cu_context ctx) {
  pthread_mutex_lock(&objects.lock);
  for (size_t i = 0; i < objects.num; i++) {
    object *o = objects.all[i];
    if (o->handle != 0 && o->context == ctx && !o->leaving) retire(o);
  }
  pthread_mutex_unlock(&objects.lock);
}

void cpu_textures_free (void) {
  pthread_mutex_lock(&objects.lock);
  for (size_t i = 0; i < objects.num; i++) lcu_free(objects.all[i]);
  lcu_free(objects.all);
  objects.all = NULL;
  objects.free = objects.leaving = NULL;
  objects.leaving_end = &objects.leaving;
  objects.num = objects.room = 0;
  pthread_mutex_unlock(&objects.lock);
}

static const char *reason (const object *o, uint64_t handle, bool surface) {
  if (o == NULL || o->latest != handle)
    return surface ? "is not a surface object" : "is not a texture object";
  if (o->surface != surface)
    return surface ? "is a texture object, not a surface" : "is a surface object, not a texture";
  if (o->handle == 0) return surface ? "is a destroyed surface" : "is a destroyed texture";
  return surface ? "is a surface of a destroyed array" : "is a texture of a destroyed array";
}

const ptx_texture *cpu_texture_find (void *ud, uint64_t handle, bool surface, const char **why) {
  (void)ud;
  pthread_mutex_lock(&objects.lock);
  object *o = object_at(handle);
  if (o != NULL && o->leaving) retire_done();
  bool ok = o != NULL && o->handle == handle && o->surface == surface &&
            (o->array == NULL || cpu_array_serial(o->array) == o->array_serial);
  if (!ok) *why = reason(o, handle, surface);
  pthread_mutex_unlock(&objects.lock);
  return ok ? &o->view : NULL;
}


/* ---- resources ---- */

static void view_array (object *o, const cpu_array_view *a, bool mipmapped) {
  ptx_texture *t = &o->view;
  o->array = a;
  o->array_serial = cpu_array_serial(a);
  t->geometry = a->geometry;
  t->texel = cpu_format_texel(a->desc.format);
  t->channels = a->desc.channels;
  t->texel_bytes = a->texel_bytes;
  t->layers = a->layers;
  t->num_levels = a->num_levels;
  t->mipmapped = mipmapped;
  memcpy(t->levels, a->levels, sizeof t->levels);
}

/* Memory of `height` rows that are `pitch` apart. */
static cu_result view_memory (const char *call, object *o, cu_deviceptr address, int format,
                              unsigned channels, size_t width, size_t height, size_t pitch) {
  ptx_texture *t = &o->view;
  uint32_t bytes = cpu_format_bytes(format) * channels;
  if (bytes == 0 || channels == 3 || channels > 4) return cpu_fail_invalid(call, "no such format");
  if (address % LINEAR_ALIGNMENT != 0)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "the address 0x%llx is not a multiple of %d (texture_alignment)",
                    (unsigned long long)address, LINEAR_ALIGNMENT);
  t->texel = cpu_format_texel(format);
  t->channels = channels;
  t->texel_bytes = bytes;
  t->layers = t->num_levels = 1;
  t->in_memory = true;
  t->levels[0] = (ptx_image){ .texels = (uint8_t *)(uintptr_t)address,
                              .extent = { (uint32_t)width, (uint32_t)height, 1 },
                              .pitch = pitch };
  return cpu_check_range(call, address, (height - 1) * pitch + width * bytes);
}

static cu_result view_linear (const char *call, object *o, const cu_resource_desc *r) {
  size_t bytes = (size_t)cpu_format_bytes(r->linear.format) * r->linear.channels;
  size_t width = bytes != 0 ? r->linear.bytes / bytes : 0;
  if (width == 0 || width > (size_t)1 << 28) return cpu_fail_invalid(call, "size of linear memory");
  o->view.geometry = PTX_GEO_1D;
  return view_memory(call, o, r->linear.address, r->linear.format, r->linear.channels, width, 1,
                     r->linear.bytes);
}

static cu_result view_pitch2d (const char *call, object *o, const cu_resource_desc *r) {
  size_t bytes = (size_t)cpu_format_bytes(r->pitch2d.format) * r->pitch2d.channels;
  if (r->pitch2d.width == 0 || r->pitch2d.height == 0 || r->pitch2d.width > 131072 ||
      r->pitch2d.height > 65536)
    return cpu_fail_invalid(call, "size of pitched memory");
  if (r->pitch2d.pitch % PITCH_ALIGNMENT != 0 || r->pitch2d.pitch < r->pitch2d.width * bytes)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "the pitch %zu is not a multiple of %d (texture_pitch_alignment) "
                    "that holds a row",
                    r->pitch2d.pitch, PITCH_ALIGNMENT);
  o->view.geometry = PTX_GEO_2D;
  return view_memory(call, o, r->pitch2d.address, r->pitch2d.format, r->pitch2d.channels,
                     r->pitch2d.width, r->pitch2d.height, r->pitch2d.pitch);
}

static cu_result view_resource (const char *call, object *o, const cu_resource_desc *r) {
  const cpu_array_view *a;
  if (r->flags != 0) return cpu_fail_invalid(call, "flags of the resource");
  o->resource = *r;
  switch (r->type) {
    case CU_RESOURCE_ARRAY:
      if ((a = cpu_array_view_of(r->array.handle)) == NULL) return CU_ERR_INVALID_HANDLE;
      view_array(o, a, false);
      return 0;
    case CU_RESOURCE_MIPMAPPED:
      if ((a = cpu_mipmapped_view_of(r->mipmapped.handle)) == NULL) return CU_ERR_INVALID_HANDLE;
      view_array(o, a, true);
      return 0;
    case CU_RESOURCE_LINEAR: return view_linear(call, o, r);
    case CU_RESOURCE_PITCH2D: return view_pitch2d(call, o, r);
    default: return cpu_fail_invalid(call, "type of the resource");
  }
}


/* ---- textures ---- */

static bool is_cubemap (const ptx_texture *t) {
  return t->geometry == PTX_GEO_CUBE || t->geometry == PTX_GEO_ACUBE;
}

static bool reads_integers (const ptx_texture *t) {
  if (t->texel == PTX_TEXEL_F16 || t->texel == PTX_TEXEL_F32) return false;
  return !t->as_float || t->texel == PTX_TEXEL_U32 || t->texel == PTX_TEXEL_S32;
}

static cu_result check_sampling (const char *call, const object *o, const cu_texture_desc *d) {
  const unsigned known = CU_TEXTURE_READ_AS_INTEGER | CU_TEXTURE_NORMALIZED_COORDINATES |
                         CU_TEXTURE_SRGB | CU_TEXTURE_EXACT_TRILINEAR | CU_TEXTURE_SEAMLESS_CUBEMAP;
  for (int k = 0; k < 3; k++)
    if (d->address[k] < CU_ADDRESS_WRAP || d->address[k] > CU_ADDRESS_BORDER)
      return cpu_fail_invalid(call, "unknown address mode");
  if (d->filter < CU_FILTER_POINT || d->filter > CU_FILTER_LINEAR ||
      d->mipmap_filter < CU_FILTER_POINT || d->mipmap_filter > CU_FILTER_LINEAR)
    return cpu_fail_invalid(call, "unknown filter");
  if ((d->flags & ~known) != 0) return cpu_fail_invalid(call, "unknown flags");
  if (o->view.mipmapped && !(d->flags & CU_TEXTURE_NORMALIZED_COORDINATES))
    return cpu_fail_invalid(call, "mipmapped arrays need normalized coordinates");
  if ((d->flags & CU_TEXTURE_SEAMLESS_CUBEMAP) != 0 && !is_cubemap(&o->view))
    return cpu_fail_invalid(call, "seamless filtering is for cubemaps");
  if (d->filter == CU_FILTER_LINEAR && o->resource.type != CU_RESOURCE_LINEAR &&
      reads_integers(&o->view))
    return cpu_fail_invalid(call, "a linear filter needs texels that are read as floats");
  return 0;
}

/* Linear memory has neither filter nor address mode: outside of it texels are 0. */
static void set_linear (ptx_texture *t) {
  t->linear = t->unit = false;
  memset(t->border, 0, sizeof t->border);
  memset(t->address, PTX_ADDRESS_BORDER, sizeof t->address);
}

/* Numbers from 0 or -1 to 1 have the precision of the texels. */
static float stored_border (const ptx_texture *t, float v) {
  static const float most[] = { [PTX_TEXEL_U8] = UINT8_MAX,
                                [PTX_TEXEL_S8] = INT8_MAX,
                                [PTX_TEXEL_U16] = UINT16_MAX,
                                [PTX_TEXEL_S16] = INT16_MAX };
  bool is_signed = t->texel == PTX_TEXEL_S8 || t->texel == PTX_TEXEL_S16;
  if (t->texel > PTX_TEXEL_S16 || !t->as_float) return v;
  v = fminf(fmaxf(v, is_signed ? -1 : 0), 1);
  return roundf(v * most[t->texel]) / most[t->texel];
}

static cu_result set_sampling (const char *call, object *o, const cu_texture_desc *d) {
  ptx_texture *t = &o->view;
  o->texture = *d;
  t->as_float = !(d->flags & CU_TEXTURE_READ_AS_INTEGER);
  cu_result r = check_sampling(call, o, d);
  if (r != 0) return r;
  for (int k = 0; k < 3; k++) t->address[k] = (uint8_t)d->address[k];
  for (int k = 0; k < 4; k++) t->border[k] = stored_border(t, d->border[k]);
  t->linear = d->filter == CU_FILTER_LINEAR;
  t->unit = is_cubemap(t) || (d->flags & CU_TEXTURE_NORMALIZED_COORDINATES) != 0;
  t->srgb = (d->flags & CU_TEXTURE_SRGB) != 0 && t->texel == PTX_TEXEL_U8;
  t->seamless = (d->flags & CU_TEXTURE_SEAMLESS_CUBEMAP) != 0;
  t->mip_linear = d->mipmap_filter == CU_FILTER_LINEAR;
  t->bias = d->mipmap_bias;
  t->least = d->mipmap_min;
  t->most = d->mipmap_max;
  if (t->seamless) memset(t->address, PTX_ADDRESS_CLAMP, sizeof t->address);
  if (o->resource.type == CU_RESOURCE_LINEAR) set_linear(t);
  return 0;
}

cu_result cpu_cuTexObjectCreate (cu_texture *t, const cu_resource_desc *r, const cu_texture_desc *d,
                                 const cu_view_desc *v) {
  object o = { .surface = false };
  cu_result result = cpu_enter();
  if (result != 0) return result;
  if (t == NULL || r == NULL || d == NULL) return CU_ERR_INVALID_VALUE;
  if (v != NULL)
    return cpu_fail("cuTexObjectCreate", CU_ERR_NOT_SUPPORTED,
                    "the CPU device has no resource views");
  result = view_resource("cuTexObjectCreate", &o, r);
  if (result == 0) result = set_sampling("cuTexObjectCreate", &o, d);
  if (result != 0) return result;
  *t = enter(&o);
  return *t != 0 ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_cuTexObjectDestroy (cu_texture t) {
  cu_result r = cpu_enter();
  return r != 0 ? r : leave(t, false);
}

/* A copy of the object; false when the handle is invalid. */
static bool read_object (cu_texture t, object *out) {
  pthread_mutex_lock(&objects.lock);
  const object *o = object_of(t, false);
  if (o != NULL) *out = *o;
  pthread_mutex_unlock(&objects.lock);
  return o != NULL;
}

cu_result cpu_cuTexObjectGetResourceDesc (cu_resource_desc *r, cu_texture t) {
  object o;
  cu_result result = cpu_enter();
  if (result != 0) return result;
  if (r == NULL) return CU_ERR_INVALID_VALUE;
  if (!read_object(t, &o)) return CU_ERR_INVALID_HANDLE;
  *r = o.resource;
  return 0;
}

cu_result cpu_cuTexObjectGetTextureDesc (cu_texture_desc *d, cu_texture t) {
  object o;
  cu_result result = cpu_enter();
  if (result != 0) return result;
  if (d == NULL) return CU_ERR_INVALID_VALUE;
  if (!read_object(t, &o)) return CU_ERR_INVALID_HANDLE;
  *d = o.texture;
  return 0;
}


/* ---- surfaces ---- */

cu_result cpu_cuSurfObjectCreate (cu_surface *s, const cu_resource_desc *r) {
  object o = { .surface = true };
  cu_result result = cpu_enter();
  if (result != 0) return result;
  if (s == NULL || r == NULL) return CU_ERR_INVALID_VALUE;
  if (r->type != CU_RESOURCE_ARRAY)
    return cpu_fail_invalid("cuSurfObjectCreate", "a surface needs a CUDA array");
  result = view_resource("cuSurfObjectCreate", &o, r);
  if (result != 0) return result;
  if ((o.array->desc.flags & CU_ARRAY_SURFACE) == 0)
    return cpu_fail_invalid("cuSurfObjectCreate",
                            "the array was created without the flag for surfaces");
  *s = enter(&o);
  return *s != 0 ? 0 : CU_ERR_OUT_OF_MEMORY;
}

cu_result cpu_cuSurfObjectDestroy (cu_surface s) {
  cu_result r = cpu_enter();
  return r != 0 ? r : leave(s, true);
}
