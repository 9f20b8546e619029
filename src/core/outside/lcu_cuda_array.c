/* lcu_cuda_array.c: CUDA arrays, textures and surfaces as blocks. */
#include "lcu_cuda_array.h"

#include "lcu_device_failure.h"
#include "lcu_pool.h"
#include "lcu_scope.h"
#include "lcu_wait.h"

/* What the driver made; of each kind of block one member. */
typedef struct record {
  lcu_device *device; /* that of the block */
  cu_array array;
  cu_mipmapped_array mipmapped;
  cu_texture texture;
  cu_surface surface;
  lcu_block *source; /* of a texture or surface; a reference */
} record;

static lcu_status destroy (const record *r) {
  const lcu_driver *drv = r->device->drv;
  if (r->array != NULL) return LCU_CALL(drv, cuArrayDestroy, (r->array));
  if (r->mipmapped != NULL) return LCU_CALL(drv, cuMipmappedArrayDestroy, (r->mipmapped));
  if (r->texture != 0) return LCU_CALL(drv, cuTexObjectDestroy, (r->texture));
  return r->surface != 0 ? LCU_CALL(drv, cuSurfObjectDestroy, (r->surface)) : LCU_OK;
}

/* lcu_block.release */
static void release_record (void *ud) {
  record *r = ud;
  lcu_scope scope;
  if (lcu_device_enter_quiet(r->device, &scope)) {
    lcu_device_defer(r->device, destroy(r));
    lcu_device_leave(&scope);
  }
  lcu_unref(r->source);
  lcu_free(r);
}

/* A block for what the driver is about to make. */
static lcu_status new_record_block (lcu_device *d, record **r, lcu_block **out) {
  *r = lcu_calloc(1, sizeof **r);
  if (*r == NULL) return lcu_no_memory("the record of a CUDA array");
  (*r)->device = d;
  lcu_status st = lcu_block_wrap(d, LCU_MEM_FOREIGN, 0, NULL, 0, release_record, *r, out);
  if (st != LCU_OK) lcu_free(*r);
  return st;
}

/* The block is not needed after a failure. */
static lcu_status keep (lcu_status st, lcu_block *b, lcu_block **out) {
  *out = st == LCU_OK ? b : NULL;
  if (st != LCU_OK) lcu_unref(b);
  return st;
}


/* ---- CUDA arrays ---- */

static lcu_status try_create (lcu_device *d, record *r, const cu_array_desc *desc, unsigned levels,
                              bool *full) {
  lcu_scope scope;
  *full = false;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = levels == 0
                    ? LCU_CALL(d->drv, cuArray3DCreate, (&r->array, desc))
                    : LCU_CALL(d->drv, cuMipmappedArrayCreate, (&r->mipmapped, desc, levels));
  *full = st == CU_ERR_OUT_OF_MEMORY;
  st = lcu_device_status(d, st);
  lcu_device_leave(&scope);
  return st;
}

/* CUDA arrays do not come from the pool, which may hold the memory that they need. */
static lcu_status create (lcu_device *d, record *r, const cu_array_desc *desc, unsigned levels,
                          size_t bytes) {
  bool full;
  lcu_status st = try_create(d, r, desc, levels, &full);
  if (lcu_likely(!full)) return st;
  LCU_TRY(lcu_device_make_room(d, true));
  st = try_create(d, r, desc, levels, &full);
  if (!full) return st;
  lcu_fail_call(CU_ERR_OUT_OF_MEMORY, levels == 0 ? "cuArray3DCreate" : "cuMipmappedArrayCreate",
                "not enough memory for a CUDA array of %zu bytes", bytes);
  return lcu_fail_device(CU_ERR_OUT_OF_MEMORY, d->label);
}

lcu_status lcu_cuda_array_create (lcu_device *d, const cu_array_desc *desc, unsigned levels,
                                  size_t bytes, lcu_block **out) {
  record *r;
  lcu_block *b = NULL;
  LCU_TRY(new_record_block(d, &r, &b));
  return keep(create(d, r, desc, levels, bytes), b, out);
}

static const record *record_of (const lcu_block *b) { return b->release_ud; }

lcu_status lcu_cuda_array_level (lcu_block *b, unsigned level, cu_array *out) {
  const record *r = record_of(b);
  lcu_device *d = b->device;
  lcu_scope scope;
  *out = r->array;
  if (r->mipmapped == NULL) return LCU_OK;
  LCU_TRY(lcu_device_enter(d, &scope));
  lcu_status st = LCU_CALL(d->drv, cuMipmappedArrayGetLevel, (out, r->mipmapped, level));
  st = lcu_device_status(d, st);
  lcu_device_leave(&scope);
  return st;
}

void lcu_cuda_array_resource (const lcu_block *b, cu_resource_desc *out) {
  const record *r = record_of(b);
  *out = (cu_resource_desc){ .type = CU_RESOURCE_ARRAY };
  if (r->mipmapped == NULL) out->array.handle = r->array;
  else {
    out->type = CU_RESOURCE_MIPMAPPED;
    out->mipmapped.handle = r->mipmapped;
  }
}


/* ---- textures and surfaces ---- */

/* A texture without a description is a surface. */
static lcu_status make_object (lcu_device *d, lcu_block *source, const cu_resource_desc *resource,
                               const cu_texture_desc *desc, lcu_block **out) {
  record *r;
  lcu_block *b = NULL;
  lcu_scope scope;
  LCU_TRY(new_record_block(d, &r, &b));
  r->source = lcu_ref(source);
  lcu_status st = lcu_device_enter(d, &scope);
  if (st != LCU_OK) return keep(st, b, out);
  st = desc != NULL ? LCU_CALL(d->drv, cuTexObjectCreate, (&r->texture, resource, desc, NULL))
                    : LCU_CALL(d->drv, cuSurfObjectCreate, (&r->surface, resource));
  st = lcu_device_status(d, st);
  lcu_device_leave(&scope);
  return keep(st, b, out);
}

lcu_status lcu_texture_create (lcu_device *d, lcu_block *source, const cu_resource_desc *resource,
                               const cu_texture_desc *desc, lcu_block **out) {
  return make_object(d, source, resource, desc, out);
}

lcu_status lcu_surface_create (lcu_block *source, cu_array array, lcu_block **out) {
  cu_resource_desc resource = { .type = CU_RESOURCE_ARRAY };
  resource.array.handle = array;
  return make_object(source->device, source, &resource, NULL, out);
}

uint64_t lcu_texture_handle (const lcu_block *b) {
  const record *r = record_of(b);
  return r->texture != 0 ? r->texture : r->surface;
}

lcu_block *lcu_texture_source (const lcu_block *b) { return record_of(b)->source; }
