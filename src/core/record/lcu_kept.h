/* lcu_kept.h: what recorded work keeps alive: the memory it uses, with the kind of use, the objects
 * that it needs, and host memory with bytes that it reads. */
#ifndef LCU_KEPT_H
#define LCU_KEPT_H

#include "lcu_block.h"
#include "lcu_event.h"

/* A piece of pinned host memory. */
typedef struct lcu_kept_bytes {
  struct lcu_kept_bytes *next;
  char *memory;
  size_t size, used;
} lcu_kept_bytes;

/* A kernel among recorded work. */
typedef struct lcu_kept_kernel {
  cu_graph_node node;
  struct lcu_function *function; /* its reference is in `objects` */
  uint32_t grid[3], block[3], shared;
  bool settable; /* its arguments may be changed */
  lcu_use *uses; /* what its arguments use: counted in `uses` of the record */
  size_t num_uses;
} lcu_kept_kernel;

/* A conditional node and the graphs in it. */
typedef struct lcu_kept_condition {
  cu_graph_node node;
  int type; /* CU_COND_ */
  unsigned num_bodies;
  cu_graph *bodies;
} lcu_kept_condition;

typedef struct lcu_kept {
  lcu_device *device;
  lcu_use *uses;    /* each block once, with a reference */
  uint32_t *counts; /* how many pieces of work use it */
  size_t num_uses, uses_room, counts_room;
  lcu_kept_kernel *kernels; /* in the order in which they were recorded */
  size_t num_kernels, kernels_room;
  lcu_kept_condition *conditions;
  size_t num_conditions, conditions_room;
  lcu_object **objects; /* references; an object may be there several times */
  size_t num_objects, objects_room;
  lcu_event **events; /* recorded by the work; their references are in `objects` */
  size_t num_events, events_room;
  struct lcu_comm **comms; /* each communicator once; their references are in `objects` */
  size_t num_comms, comms_room;
  lcu_kept_bytes *bytes;
} lcu_kept;

/* Each function may fail for lack of memory, and then has changed nothing. */
lcu_status lcu_kept_use (lcu_kept *k, lcu_block *b, bool write);
/* The uses are copied; they are counted already. */
lcu_status lcu_kept_add_kernel (lcu_kept *k, const lcu_kept_kernel *kernel, const lcu_use *uses,
                                size_t n);
/* Keeps other memory for kernel number i as well; *own is a copy of the uses. lcu_kept_changed then
 * forgets the kernel's memory before (done), or this one. */
lcu_status lcu_kept_change (lcu_kept *k, const lcu_use *uses, size_t n, lcu_use **own);
void lcu_kept_changed (lcu_kept *k, size_t i, lcu_use *own, size_t n, bool done);
lcu_status lcu_kept_object (lcu_kept *k, lcu_object *o);
lcu_status lcu_kept_event (lcu_kept *k, lcu_event *e);
lcu_status lcu_kept_comm (lcu_kept *k, struct lcu_comm *c);
/* Copies bytes into host memory that lives as long as the record. The device is entered. */
lcu_status lcu_kept_copy (lcu_kept *k, const void *src, size_t n, const void **out);
/* Moves everything from one record to another, which has its uses already, each counted once. */
lcu_status lcu_kept_take (lcu_kept *to, lcu_kept *from);
/* Drops everything. */
void lcu_kept_free (lcu_kept *k);

/* Makes room for one more element: doubles the array. */
lcu_status lcu_kept_room (void **list, size_t *room, size_t n, size_t element, const char *what);

#endif
