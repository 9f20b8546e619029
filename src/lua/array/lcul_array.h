/* lcul_array.h: class Array: shape, strides and a reference to a block of memory. */
#ifndef LCUL_ARRAY_H
#define LCUL_ARRAY_H

#include "lcu_block.h"
#include "lcul_shape.h"
#include "lcul_state.h"
#include "lcul_struct.h"

/* Only the axes in use are stored, so that collecting an array costs no more than its size. */
typedef struct lcul_array {
  lcu_block *block;       /* NULL: closed */
  const lcu_dtype *dtype; /* struct dtypes: anchored as user value 1 */
  int64_t offset;         /* bytes from the block's start to element {1, 1, ...} */
  int64_t size;           /* elements */
  int ndim;
  bool contiguous;  /* C order without gaps */
  bool anchors;     /* it has user values */
  uint8_t lanes;    /* extent of the last axis if that is a vector, x to w; else 0 */
  int64_t *strides; /* bytes; stored after the shape */
  int64_t shape[];  /* elements */
} lcul_array;

/* User values of an Array that has `anchors`. */
enum { LCUL_UV_DTYPE = 1, LCUL_UV_OWNER, LCUL_UV_COUNT = 2 };

/* Open array at idx; raises for anything else ("attempt to use a closed Array"). */
lcul_array *lcul_array_check (lua_State *L, int idx);

/* Bytes of cuda.alloc or cuda.alloc_pitch, which fit any pointer parameter. */
static inline bool lcul_array_is_untyped (const lcul_array *a) {
  return a->dtype->id == LCU_UINT8 && a->block != NULL && a->block->untyped;
}

/* Has it two axes, the second without gaps, as arrays of cuda.alloc_pitch have? */
static inline bool lcul_array_has_rows (const lcul_array *a) {
  return a->ndim == 2 && a->strides[0] > 0 && (a->shape[1] <= 1 || a->strides[1] == a->dtype->size);
}

/* NULL for anything but an Array; closed arrays are returned. */
lcul_array *lcul_array_test (lua_State *L, int idx);

/* Pushes a new contiguous array over `block` (takes over the reference, also when it raises).
 * dtype_idx: stack index of a struct type to anchor, or 0. */
lcul_array *lcul_array_push (lua_State *L, lcu_block *block, const lcu_dtype *t, int dtype_idx,
                             int64_t offset, int ndim, const int64_t *shape);

/* New device array of the given shape, uninitialized. */
lcul_array *lcul_array_new (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                            int ndim, const int64_t *shape);

/* Pushes a contiguous array without a block ("closed"), with its dtype anchored from stack index
 * dtype_idx (0: none). `anchors`: with user values, whatever the dtype. */
lcul_array *lcul_array_box (lua_State *L, const lcu_dtype *t, int dtype_idx, bool anchors, int ndim,
                            const int64_t *shape);

/* Pushes a second handle of the same memory and layout, which the caller may change; it has room
 * for `ndim` axes, and for at least those of the array. lcul_array_alias_as sets another dtype,
 * whose anchor is at dtype_idx. */
lcul_array *lcul_array_alias (lua_State *L, int idx, int ndim);

lcul_array *lcul_array_alias_as (lua_State *L, int idx, int ndim, const lcu_dtype *t,
                                 int dtype_idx);

/* Pushes a contiguous array on the device; `like`: stack index of an array whose dtype anchor is
 * shared, or 0. */
lcul_array *lcul_array_make (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                             int dtype_idx, const lcul_shape *s);

/* Its address for a device. Raises when the driver fails to report it. */
cu_deviceptr lcul_array_address (lua_State *L, const lcul_array *a, lcu_device *d);

void lcul_array_label (lcu_block *b, const lcul_array *a);

/* cuda.debug{ allocations = true }: notes where the array at the top was made. */
void lcul_array_trace (lua_State *L);
/* The same for a second handle of the array at idx. */
void lcul_array_trace_alias (lua_State *L, int idx);
/* The array at idx, whose memory is there, ends: the position is kept for its address. */
void lcul_array_trace_end (lua_State *L, int idx, uint64_t address);
void lcul_open_array_trace (lua_State *L);

/* Closes a temporary handle immediately; the stack does not change. */
void lcul_array_drop (lua_State *L, int idx);

void lcul_array_shape_of (const lcul_array *a, lcul_shape *out);

bool lcul_array_same_shape (const lcul_array *a, const lcul_array *b);

/* Methods and functions by file. */
extern const luaL_Reg lcul_index_methods[], lcul_content_methods[], lcul_view_methods[];
extern const luaL_Reg lcul_copy_methods[], lcul_field_methods[];
int lcul_array_index (lua_State *L);    /* a[i] */
int lcul_array_newindex (lua_State *L); /* a[i] = v */
/* v.x and v.x = 1 of a vector in a struct; 0: it is not a vector */
int lcul_array_lane (lua_State *L);
int lcul_array_new_lane (lua_State *L);
int lcul_array_tostring (lua_State *L);
/* Waits until a preview may read the contents. True: it must not, because waiting is forbidden or
 * another call has to raise a failure; then pushes the text to show instead. */
bool lcul_array_push_unread (lua_State *L, const lcul_array *a);
/* cuda.copy of arrays; lua/texture adds CUDA arrays */
int lcul_array_copy (lua_State *L);

/* Pushes the view of a field of the struct that is the dtype of the array at idx. The extents of
 * the field follow the axes of the array; there is room for them. */
lcul_array *lcul_array_push_field (lua_State *L, int idx, const lcul_field *f);

#endif
