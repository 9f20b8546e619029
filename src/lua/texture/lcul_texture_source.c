/* lcul_texture_source.c: what a texture reads. */
#include "lcul_texture_source.h"

#include <inttypes.h>

#include "lcul_check.h"
#include "lcul_device.h"
#include "lcul_error.h"
#include "lcul_option.h"
#include "lcul_position.h"
#include "lcul_uses.h"


/* ---- CUDA arrays ---- */

static void read_cuda_array (lua_State *L, int opts, lcul_texture_source *s) {
  if (opts && lcul_opt_push(L, opts, "channels"))
    lcul_misuse(L, "texture: option 'channels' is for arrays; the CUDA array has %d channels",
                lcul_cuda_array_check(L, 1)->channels);
  const lcul_cuda_array *a = lcul_cuda_array_check(L, 1);
  s->device = a->block->device;
  s->block = a->block;
  s->dtype = a->dtype;
  s->texel = a->texel;
  s->cubemap = (a->flags & CU_ARRAY_CUBEMAP) != 0;
  s->levels = a->mipmapped ? a->levels : 0;
  s->row = a->ndim == 1;
  s->layered = (a->flags & CU_ARRAY_LAYERED) != 0;
  s->ndim = a->ndim;
  s->channels = a->channels;
  s->resource = (cu_resource_desc){ .type = CU_RESOURCE_ARRAY };
  s->resource.array.handle = a->handle;
  if (a->mipmapped) lcu_cuda_array_resource(a->block, &s->resource);
}


/* ---- arrays ---- */

static int attribute (lua_State *L, lcu_device *d, int attr) {
  int value = 0;
  lcul_status(L, lcu_device_attribute(d, attr, &value));
  return value;
}

static void check_most (lua_State *L, lcu_device *d, int attr, const char *name, int64_t have) {
  int most = attribute(L, d, attr);
  if (most > 0 && have > most)
    lcul_misuse(L, "texture: an extent of %" PRId64 " is more than the %d that %s has as %s", have,
                most, d->label, name);
}

/* The channels are the last axis. Returns the number of axes without them. */
static int check_channels (lua_State *L, const lcul_array *a, int64_t channels,
                           lcul_texture_source *s) {
  if (!lcul_texel_of(a->dtype, &s->texel))
    lcul_misuse(L, "texture: textures have no elements of %s", a->dtype->name);
  if ((channels != 1 && channels != 2 && channels != 4) || channels * s->texel.lanes > 4)
    lcul_misuse(L,
                "texture: %" PRId64
                " channels of %s; textures have 1, 2 or 4 channels of at most 16 "
                "bytes together",
                channels, a->dtype->name);
  if (channels == 1) return a->ndim;
  int last = a->ndim - 1;
  if (last < 0 || a->shape[last] != channels || a->strides[last] != a->dtype->size)
    lcul_fail_arg(L, "texture", 1, "source",
                  "the last axis does not hold %" PRId64 " channels without gaps", channels);
  return last;
}

static cu_deviceptr address_of (lua_State *L, const lcul_array *a, lcu_device *d) {
  cu_deviceptr base;
  int align = attribute(L, d, CU_ATTR_texture_alignment);
  if (!lcul_uses_reach(L, a->block, d, &base))
    lcul_fail_arg(L, "texture", 1, "source", "%s memory on %s cannot be reached from %s",
                  lcu_memory_name(a->block->memory), a->block->device->label, d->label);
  base += (uint64_t)a->offset;
  if (align > 0 && base % (unsigned)align != 0)
    lcul_fail_arg(L, "texture", 1, "source",
                  "the first element is %d bytes past a multiple of the %d that textures need; "
                  "a:copy() is aligned",
                  (int)(base % (unsigned)align), align);
  return base;
}

static void read_linear (lua_State *L, const lcul_array *a, unsigned lanes,
                         lcul_texture_source *s) {
  cu_resource_desc *r = &s->resource;
  int64_t texels = a->size / (lanes / s->texel.lanes);
  if (!a->contiguous)
    lcul_fail_arg(L, "texture", 1, "source", "the array is not contiguous; pass a:contiguous()");
  check_most(L, s->device, CU_ATTR_maximum_texture1d_linear_width, "maximum_texture1d_linear_width",
             texels);
  s->linear = true;
  r->type = CU_RESOURCE_LINEAR;
  r->linear.address = address_of(L, a, s->device);
  r->linear.format = s->texel.format;
  r->linear.channels = lanes;
  r->linear.bytes = (size_t)a->size * a->dtype->size;
}

static size_t pitch_of (lua_State *L, const lcul_array *a, const lcul_texture_source *s,
                        int64_t row) {
  int align = attribute(L, s->device, CU_ATTR_texture_pitch_alignment);
  int64_t unit = align > 0 ? align : 1, pitch = a->strides[0];
  if (a->shape[0] == 1) return (size_t)((row + unit - 1) / unit * unit);
  if (pitch < row || pitch % unit != 0)
    lcul_fail_arg(L, "texture", 1, "source",
                  "rows %" PRId64 " bytes apart; a texture needs a multiple of %" PRId64
                  " (cuda.alloc_pitch), or copy it to a CUDA array (cuda.cuda_array)",
                  pitch, unit);
  check_most(L, s->device, CU_ATTR_maximum_texture2d_linear_pitch, "maximum_texture2d_linear_pitch",
             pitch);
  return (size_t)pitch;
}

static void read_pitched (lua_State *L, const lcul_array *a, unsigned lanes,
                          lcul_texture_source *s) {
  cu_resource_desc *r = &s->resource;
  int64_t texel = (int64_t)(lanes / s->texel.lanes) * a->dtype->size;
  if (a->shape[1] > 1 && a->strides[1] != texel)
    lcul_fail_arg(L, "texture", 1, "source", "the elements of a row have gaps; pass a:copy()");
  check_most(L, s->device, CU_ATTR_maximum_texture2d_linear_width, "maximum_texture2d_linear_width",
             a->shape[1]);
  check_most(L, s->device, CU_ATTR_maximum_texture2d_linear_height,
             "maximum_texture2d_linear_height", a->shape[0]);
  r->type = CU_RESOURCE_PITCH2D;
  r->pitch2d.address = address_of(L, a, s->device);
  r->pitch2d.format = s->texel.format;
  r->pitch2d.channels = lanes;
  r->pitch2d.width = (size_t)a->shape[1];
  r->pitch2d.height = (size_t)a->shape[0];
  r->pitch2d.pitch = pitch_of(L, a, s, a->shape[1] * texel);
}

static lcu_device *device_of (lua_State *L, const lcul_array *a) {
  bool decides = a->block->memory == LCU_MEM_DEVICE || a->block->memory == LCU_MEM_FOREIGN ||
                 a->block->memory == LCU_MEM_MODULE;
  return decides ? a->block->device : lcul_device_current(L);
}

static void read_source_array (lua_State *L, int opts, lcul_texture_source *s) {
  int64_t channels = opts ? lcul_opt_integer(L, opts, "channels", 1, 1, INT32_MAX) : 1;
  const lcul_array *a = lcul_array_check(L, 1);
  int ndim = check_channels(L, a, channels, s);
  unsigned lanes = (unsigned)channels * s->texel.lanes;
  if (a->size == 0) lcul_fail_arg(L, "texture", 1, "source", "the array has no elements");
  s->device = device_of(L, a);
  s->dtype = a->dtype;
  s->ndim = ndim;
  s->channels = (int)channels;
  if (ndim == 1) read_linear(L, a, lanes, s);
  else if (ndim == 2) read_pitched(L, a, lanes, s);
  else
    lcul_fail_arg(L, "texture", 1, "source",
                  "expected an array of 1 or 2 axes%s, got %d; a CUDA array (cuda.cuda_array) may "
                  "have 3",
                  channels > 1 ? " besides the channels" : "", ndim);
  s->block = a->block;
}

void lcul_texture_source_read (lua_State *L, int opts, lcul_texture_source *out) {
  *out = (lcul_texture_source){ .levels = 0 };
  if (lcul_cuda_array_test(L, 1) != NULL) read_cuda_array(L, opts, out);
  else if (lcul_array_test(L, 1) != NULL) read_source_array(L, opts, out);
  else lcul_wrong_type(L, 1, "CuArray or Array");
}
