/* cpu_face.h: entry points of the library that the device's table lacks. */
#ifndef CPU_FACE_H
#define CPU_FACE_H

#include "cpu_enter.h"

/* What the library's symbols call: the functions of the device, or of the GPUs that it plays
 * (gpus.h). */
extern lcu_driver face;

/* Functions for the rows of face.def. */

/* A copy of n bytes in one row, from `src` to `dst`: the kinds of memory, the names of their fields
 * and the offsets. */
#define FACE_ROW(n, to, to_field, to_x, from, from_field, from_x) \
  &(cu_copy2d){ .dst_type = CU_MEMTYPE_##to, \
                .dst_##to_field = dst, \
                .dst_x = to_x, \
                .src_type = CU_MEMTYPE_##from, \
                .src_##from_field = src, \
                .src_x = from_x, \
                .width = n, \
                .height = 1 }
/* Adding a node of a graph, in a context if one is named; changing one, or a step made from it. */
#define FACE_ADD(name, type, p) cpu_node_add(#name, n, g, deps, num, CU_NODE_##type, p)
#define FACE_ADD_IN(ctx, name, type, p) \
  ((ctx) != NULL && !cpu_context_is(ctx) ? CU_ERR_INVALID_CONTEXT : FACE_ADD(name, type, p))
#define FACE_SET(name, type, p) cpu_node_set(#name, node, CU_NODE_##type, p)
#define FACE_SET_STEP(name, type, p) cpu_step_set(#name, x, node, CU_NODE_##type, p, NULL)

/* A copy that was queued on the null stream, and is complete when the call returns. */
cu_result face_wait (cu_result queued);
/* Tables that CUDA's libraries share are not public. NVRTC asks for one, and needs an answer. */
cu_result face_no_table (const void **table, const cu_uuid *id);
cu_result face_current_device (cu_device *dev);
/* The same of a context. */
cu_result face_device_of (cu_device *dev, cu_context ctx);
/* One more use of the current context, and one less of a context, which ends with the last. */
cu_result face_attach (cu_context *ctx);
cu_result face_detach (cu_context ctx);
/* The shape of blocks for cuLaunch, which the library lacks: PyCUDA sets it before each launch. */
cu_result face_block_shape (cu_function f, int x, int y, int z);
cu_result face_synchronize (cu_context ctx);
/* The number of the device at a location; CU_DEVICE_HOST for the host. */
cu_device face_device_at (cu_mem_location at);
cu_result face_capability (int *major, int *minor, cu_device dev);
cu_result face_peer_attribute (int *value, int attr, cu_device dev, cu_device peer);
cu_result face_stream_context (cu_stream s, cu_context *ctx, cu_green_ctx *green);
cu_result face_stream_device (cu_stream s, cu_device *dev);
cu_result face_add_callback (cu_stream s, cu_stream_callback fn, void *ud);

/* Not 0: it is no kernel of a library, or no device. */
cu_result face_kernel (cu_kernel k, cu_device dev);
cu_result face_loading_mode (int *mode);
cu_result face_library_file (cu_library *l, const char *path, int *jit_options, void **jit_values,
                             unsigned jit_n, int *options, void **values, unsigned n);
cu_result face_link_file (cu_link l, int kind, const char *path, unsigned n, int *options,
                          void **values);

/* The pool of a device that `of` gives. */
cu_result face_pool (cu_mempool *pool, cu_device dev, cpu_pool *(*of)(cu_device dev));
cu_result face_set_pool (cu_device dev, cu_mempool pool);
/* Not 0: no pool has memory of this type there. */
cu_result face_pool_place (const cu_mem_location *at, int type);
cu_result face_pool_access (int *flags, cu_mempool pool, const cu_mem_location *at);
/* From the current pool of the current device. */
cu_result face_alloc_async (cu_deviceptr *p, size_t n, cu_stream s);
/* Advice given for a range of managed memory, and where the range was last prefetched to. From
 * face_advice_begin on, the entries for both take note. */
void face_advice_begin (void);
cu_result face_range_attribute (void *out, size_t size, int attr, cu_deviceptr p, size_t n);
cu_result face_range_attributes (void **out, size_t *sizes, int *attrs, size_t count,
                                 cu_deviceptr p, size_t n);
cu_result face_copy_peer (const cu_copy3d_peer *c, cu_stream s);
/* Rows of a width in bytes, each at a multiple of 512 bytes. */
cu_result face_alloc_rows (cu_deviceptr *p, size_t *pitch, size_t width, size_t height,
                           unsigned element);
cu_result face_create_array (cu_array *a, const cu_array_desc2 *d);
cu_result face_describe_array (cu_array_desc2 *d, cu_array a);
cu_result face_load_file (cu_module *m, const char *path);
/* With the data of the edges, which are all plain. */
cu_result face_capture_info (cu_stream s, int *status, uint64_t *id, cu_graph *g,
                             const cu_graph_node **deps, const cu_edge_data **data, size_t *n);
/* The block that contains p. Either result may be NULL. */
cu_result face_range_of (cu_deviceptr *base, size_t *size, cu_deviceptr p);

#endif
