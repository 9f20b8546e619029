/* lcul_array_impl.h: what the lcul_array*.c files tell each other and nobody else. */
#ifndef LCUL_ARRAY_IMPL_H
#define LCUL_ARRAY_IMPL_H

#include "lcul_array.h"
#include "lcul_scalar.h"

/* user values of an Array that has `anchors` */
enum { LCUL_UV_DTYPE = 1, LCUL_UV_OWNER, LCUL_UV_COUNT = 2 };

/* Raises "<fn>: argument <arg> '<param>': <words>". */
int lcul_fail_arg (lua_State *L, const char *fn, int arg, const char *param, const char *fmt, ...)
  LCU_PRINTF(5, 6);


/* Shapes (lcul_array_shape.c). */

typedef struct lcul_shape {
  int ndim;
  int64_t size, dims[LCUL_MAX_DIMS];
} lcul_shape;

/* An integer or a list of integers at idx; argument number `arg` of `fn`. `allow_rest`: one -1 is
 * allowed (kept). */
void lcul_shape_check (lua_State *L, int idx, const char *fn, int arg, bool allow_rest,
                       lcul_shape *out);
/* Sets size from dims; false when shape or bytes do not fit 63 bits. */
bool lcul_shape_measure (lcul_shape *s, uint32_t element_size);
void lcul_shape_measure_arg (lua_State *L, lcul_shape *s, const lcu_dtype *t, const char *fn,
                             int arg);
/* "{2, 3}"; cut short with "...". */
const char *lcul_shape_text (const int64_t *dims, int ndim, char *buf, size_t size);
bool lcul_shape_same (const lcul_array *a, const lcul_array *b);
/* An integer at idx (integral floats too, no strings), or an error. */
lua_Integer lcul_integer_arg (lua_State *L, int idx, const char *fn, int arg, const char *param);
/* Index from 1, negative from the end, to 0 .. n-1; -1 when outside. */
int64_t lcul_index_norm (lua_Integer i, int64_t n);


/* Layout of the header (lcul_array_shape.c). No block is touched. */

/* C-order strides; returns the number of elements. */
int64_t lcul_row_strides (const lcu_dtype *t, int ndim, const int64_t *shape, int64_t *strides);
/* C-order strides, size and contiguous from shape and dtype */
void lcul_layout_rows (lcul_array *a);
void lcul_layout_update (lcul_array *a); /* size and contiguous from shape and strides */
/* Bytes from the block's start that the elements lie in: [*first, *last). Empty arrays: both 0. */
void lcul_layout_extent (const lcul_array *a, int64_t *first, int64_t *last);
bool lcul_layout_broadcasts (const lcul_array *a); /* some element has several positions */
/* Strides of `a` for `shape`, or false when it does not broadcast to it. */
bool lcul_layout_broadcast (const lcul_array *a, int ndim, const int64_t *shape, int64_t *strides);


/* Boxes (lcul_array.c). */

/* Pushes a contiguous array without a block ("closed"), dtype and its anchor set from stack index
 * dtype_idx (0: none). `anchors`: with user values, whatever the dtype. */
lcul_array *lcul_array_box (lua_State *L, const lcu_dtype *t, int dtype_idx, bool anchors, int ndim,
                            const int64_t *shape);
/* Pushes a second handle of the same memory and layout, for the caller to change; it has room for
 * `ndim` axes, or for as many as there are. The second sets another dtype, whose anchor is at
 * dtype_idx. */
lcul_array *lcul_array_alias (lua_State *L, int idx, int ndim);
lcul_array *lcul_array_alias_as (lua_State *L, int idx, int ndim, const lcu_dtype *t,
                                 int dtype_idx);
/* Pushes a contiguous array on the device; `like`: stack index of an array whose dtype anchor is
 * shared, or 0. */
lcul_array *lcul_array_make (lua_State *L, lcu_device *d, lcu_stream *home, const lcu_dtype *t,
                             int dtype_idx, const lcul_shape *s);
void lcul_array_label (lcu_block *b, const lcul_array *a);
/* Ends a temporary handle at once; the stack stays. */
void lcul_array_drop (lua_State *L, int idx);
void lcul_array_shape_of (const lcul_array *a, lcul_shape *out);


/* Memory (lcul_array_memory.c). */

/* Host address of the element at offset 0 of the block, or NULL when the host cannot read it in
 * place. */
char *lcul_block_host (const lcu_block *b);
static inline bool lcul_array_is_host (const lcul_array *a) {
  return a->block->size == 0 || lcul_block_host(a->block) != NULL;
}
/* Before the host reads (write = false) or writes array memory in place. */
void lcul_array_wait (lua_State *L, const lcul_array *a, bool write, const char *what);
/* raises for broadcast views */
void lcul_array_writable (lua_State *L, const lcul_array *a, const char *fn);
/* Do the elements of the two reach into the same bytes, whichever blocks these belong to? By the
 * ranges that they span. */
bool lcul_array_overlap (const lcul_array *a, const lcul_array *b);

/* Scratch memory left on the stack as a userdata: freed by lcul_scratch_free, at the latest by the
 * collector. */
void *lcul_scratch (lua_State *L, size_t size);
void lcul_scratch_free (lua_State *L, int idx);

/* The elements of the array at idx for the host to read, with strides; pushes one value that keeps
 * them until lcul_host_done. Waits. */
typedef struct lcul_host {
  const char *data;
  int64_t strides[LCUL_MAX_DIMS];
  int keep;
  bool scratch;
} lcul_host;
void lcul_host_read (lua_State *L, int idx, const char *what, lcul_host *out);
void lcul_host_done (lua_State *L, lcul_host *h); /* removes the kept value from the stack */

/* The same for who goes through the elements in order: large arrays without gaps that the host
 * cannot read in place come piece by piece through one small buffer, since fresh memory for all of
 * them costs as much as the copy. Pushes one or two values that lcul_pieces_done removes. */
typedef struct lcul_pieces {
  lcul_host host;
  bool whole; /* host.data is all of it */
  /* a handle of our own; its bytes from..until are in the buffer, host.data */
  lcul_array *a;
  char *buffer;
  int64_t from, until;
} lcul_pieces;
void lcul_pieces_open (lua_State *L, int idx, const char *what, lcul_pieces *p);
/* The element `offset` bytes from the first. *n: how many are wanted that follow it along an axis
 * -> how many are there. */
const char *lcul_pieces_at (lua_State *L, lcul_pieces *p, int64_t offset, int64_t *n);
void lcul_pieces_done (lua_State *L, lcul_pieces *p);

/* The stream work on these arrays runs on: option `stream` of the table at opts (0: none), else the
 * device's current. */
lcu_device *lcul_work_device (const lcul_array *dst, const lcul_array *src);
lcu_stream *lcul_work_stream (lua_State *L, int opts, lcu_device *d);


/* Copies and conversions (lcul_array_copy.c). */

/* dst[...] = src[...] with conversion and broadcasting of src; both at stack indices. Any memories,
 * any strides. */
void lcul_array_assign (lua_State *L, int dst, int src, lcu_stream *s, const char *fn);
/* dst[...] = one element already in dst's dtype. */
void lcul_array_fill_element (lua_State *L, int dst, const void *element, lcu_stream *s,
                              const char *fn);
/* Contiguous dst from host memory in dst's dtype and C order. */
void lcul_array_store (lua_State *L, int dst, const void *data, lcu_stream *s, const char *fn);
/* Pushes a contiguous array of dtype t (anchored from array dtype_idx when it is a struct) on
 * device d with the elements of src. */
lcul_array *lcul_array_converted (lua_State *L, int src, const lcu_dtype *t, int dtype_idx,
                                  lcu_device *d, lcu_stream *s, const char *fn);
/* Nested loops over host memory: dst and src have the same shape. */
void lcul_convert_host (const lcu_dtype *dt, char *dst, const int64_t *ds, const lcu_dtype *st,
                        const char *src, const int64_t *ss, int ndim, const int64_t *shape);


/* Tables (lcul_array_table.c). */

/* What nested tables look like: shape, and the dtype their first leaf suggests (bool, float32,
 * ...). */
void lcul_table_shape (lua_State *L, int idx, const lcu_dtype *t, const char *fn, int arg,
                       lcul_shape *out, const lcu_dtype **guess);
/* The leaves of the table at idx as contiguous elements of t at data. `guessed`: the user gave no
 * dtype. */
void lcul_table_store (lua_State *L, int idx, const lcul_shape *s, const lcu_dtype *t, char *data,
                       const char *fn, int arg, bool guessed);
/* Nested tables of a's elements, read through `p`; `reuse`: stack index of a table to fill, or 0.
 * Pushes the table. */
void lcul_table_push (lua_State *L, const lcul_array *a, lcul_pieces *p, int reuse);
/* One element of any dtype. */
void lcul_element_get (lua_State *L, int idx, const lcu_dtype *t, void *p, const char *fn, int arg,
                       const char *param);
void lcul_element_put (lua_State *L, const lcu_dtype *t, const void *p);


/* Methods by file, for the class table (lcul_array.c). */

extern const luaL_Reg lcul_view_methods[], lcul_access_methods[], lcul_copy_methods[];
extern const luaL_Reg lcul_make_functions[], lcul_copy_functions[], lcul_host_functions[];
int lcul_array_index (lua_State *L);    /* a[i] */
int lcul_array_newindex (lua_State *L); /* a[i] = v */
int lcul_array_tostring (lua_State *L);

#endif
