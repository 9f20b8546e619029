/* cpu_face.h: entry points of the library that the device's table lacks. */
#ifndef CPU_FACE_H
#define CPU_FACE_H

#include "cpu_enter.h"

/* What the library's symbols call: the functions of the device, or of the GPUs that it plays
 * (gpus.h). */
extern lcu_driver face;

/* Functions for the rows of face.def. */

/* A copy that was queued on the null stream, and is complete when the call returns. */
cu_result face_wait (cu_result queued);
cu_result face_current_device (cu_device *dev);
/* The same of a context. */
cu_result face_device_of (cu_device *dev, cu_context ctx);
cu_result face_synchronize (cu_context ctx);
/* The number of the device at a location; CU_DEVICE_HOST for the host. */
cu_device face_device_at (cu_mem_location at);
/* Memory that cuMemFreeAsync may free. New memory has no work before it, so the order of the stream
 * does not matter. */
cu_result face_alloc_async (cu_deviceptr *p, size_t n, cu_stream s);
/* Rows of a width in bytes, each at a multiple of 512 bytes. */
cu_result face_alloc_rows (cu_deviceptr *p, size_t *pitch, size_t width, size_t height,
                           unsigned element);
cu_result face_load_file (cu_module *m, const char *path);
/* With the data of the edges, which are all plain. */
cu_result face_capture_info (cu_stream s, int *status, uint64_t *id, cu_graph *g,
                             const cu_graph_node **deps, const cu_edge_data **data, size_t *n);
/* The block that contains p. Either result may be NULL. */
cu_result face_range_of (cu_deviceptr *base, size_t *size, cu_deviceptr p);

#endif
