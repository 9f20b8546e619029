/* lcu_capture.h: recording work for a graph.
 *
 * A capture never touches the streams of the program. It makes streams of its own: the origin,
 * which stands for the null stream, and a branch for every other stream that the recorded work
 * names. Branches begin where the capture began and are joined at its end. So other work on the
 * program's streams, allocations and frees go on as usual meanwhile, and are not recorded.
 *
 * Within the capture, the order of lcu_work.c holds between its streams: every block has a record
 * with marks of their own. The marks of the block itself do not change, because nothing runs; a
 * launch of the graph uses all blocks at once (lcu_graph.h). */
#ifndef LCU_CAPTURE_H
#define LCU_CAPTURE_H

#include "lcu_kept.h"

typedef struct lcu_capture lcu_capture;

/* Begins a capture of work for the device. It belongs to the calling thread. */
lcu_status lcu_capture_begin (lcu_device *d, lcu_capture **out);
lcu_device *lcu_capture_device (const lcu_capture *c);
lcu_stream *lcu_capture_origin (const lcu_capture *c); /* borrowed */
/* The stream of the capture that stands for `s` (borrowed); LCU_E_STATE for a stream of another
 * driver. */
lcu_status lcu_capture_branch (lcu_capture *c, lcu_stream *s, lcu_stream **out);
/* The stream of the program that a stream of a capture stands for; any other stream itself. */
lcu_stream *lcu_capture_stands_for (lcu_stream *s);
/* Ends recording; its streams are ordinary streams from then on. The graph and what it keeps belong
 * to the caller. After a failure there is nothing of either. The capture itself is freed. */
lcu_status lcu_capture_end (lcu_capture *c, cu_graph *graph, lcu_kept *kept);
/* Ends recording and throws everything away. */
void lcu_capture_abandon (lcu_capture *c);
/* Is this the body of a conditional node? */
bool lcu_capture_is_body (const lcu_capture *c);


/* ---- for what queues work on its streams; the device is entered ---- */

/* The records that stand for the blocks: *out has n uses, valid until the next call. `begin`: the
 * memory is kept from now on, and the work counted. `end`, after it, cannot fail. */
lcu_status lcu_capture_begin_use (lcu_capture *c, const lcu_use *uses, size_t n,
                                  const lcu_use **out);
lcu_status lcu_capture_end_use (lcu_capture *c, const lcu_use *uses, size_t n, const lcu_use **out);
/* Notes the kernel that was just queued on `s`, with what its arguments use. */
lcu_status lcu_capture_kernel (lcu_stream *s, lcu_kept_kernel *kernel, const lcu_use *uses,
                               size_t n);
/* Operations of a communicator are queued on `s`: the graph keeps it. */
lcu_status lcu_capture_comm (lcu_stream *s, struct lcu_comm *comm);
/* Queues a copy of bytes that are read now. */
lcu_status lcu_capture_store (lcu_stream *s, cu_deviceptr dst, const void *src, size_t n);
/* Memory of the graph for library calls on `s`, which use it one after another (borrowed). All of
 * them give the same size. */
lcu_status lcu_capture_workspace (lcu_stream *s, size_t size, lcu_block **out);
/* The event is recorded at every launch of the graph, and marks this point within the capture. */
lcu_status lcu_capture_record (lcu_stream *s, lcu_event *e);
/* Waits for the event as recorded in the capture, else as recorded last at the time of a launch. */
lcu_status lcu_capture_wait (lcu_stream *s, lcu_event *e);

#endif
