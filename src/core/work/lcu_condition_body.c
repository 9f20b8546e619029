/* lcu_condition_body.c: conditional nodes, and recording the work in them. */
#include <string.h>

#include "lcu_capture_own.h"
#include "lcu_condition.h"
#include "lcu_device_failure.h"
#include "lcu_device.h"
#include "lcu_scope.h"
#include "lcu_work.h"

/* ---- nodes ---- */

static lcu_status keep_node (lcu_kept *k, const cu_conditional_node *p, cu_graph_node node) {
  lcu_kept_condition *to = &k->conditions[k->num_conditions];
  *to = (lcu_kept_condition){ .node = node, .type = p->type, .num_bodies = p->size };
  to->bodies = lcu_calloc(p->size, sizeof *to->bodies);
  if (to->bodies == NULL) return lcu_no_memory("a condition of a graph");
  memcpy(to->bodies, p->bodies, p->size * sizeof *to->bodies);
  k->num_conditions++;
  return LCU_OK;
}

static lcu_status add_entered (lcu_stream *s, cu_node_params *p) {
  const lcu_driver *drv = s->device->drv;
  const cu_graph_node *nodes;
  cu_graph_node node = NULL;
  cu_graph g;
  size_t n;
  LCU_TRY(lcu_condition_place(s, &g, &nodes, &n));
  LCU_TRY(LCU_CALL(drv, cuGraphAddNode, (&node, g, nodes, NULL, n, p)));
  LCU_TRY(LCU_CALL(drv, cuStreamUpdateCaptureDependencies,
                   (s->handle, &node, 1, CU_CAPTURE_SET_DEPENDENCIES)));
  return keep_node(&s->capture->kept, &p->conditional, node);
}

lcu_status lcu_condition_add (lcu_stream *s, cu_graph_condition h, int type, unsigned size,
                              cu_graph **bodies) {
  lcu_capture *c = s->capture;
  lcu_kept *k = &c->kept;
  lcu_scope scope;
  cu_node_params p = { .type = CU_NODE_CONDITIONAL };
  p.conditional =
    (cu_conditional_node){ .handle = h, .type = type, .size = size, .ctx = s->device->context };
  LCU_TRY(lcu_kept_room((void **)(void *)&k->conditions, &k->conditions_room, k->num_conditions,
                        sizeof *k->conditions, "a condition of a graph"));
  LCU_TRY(lcu_capture_join(c, s));
  c->incomplete++; /* until its bodies are recorded */
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_device_status(s->device, add_entered(s, &p));
  lcu_device_leave(&scope);
  if (st != LCU_OK) return st;
  lcu_condition_forget(c, h);
  *bodies = k->conditions[k->num_conditions - 1].bodies;
  return LCU_OK;
}


/* ---- bodies ---- */

lcu_status lcu_condition_body_begin (lcu_stream *s, cu_graph body, lcu_capture **out) {
  lcu_capture *c = lcu_calloc(1, sizeof *c), *parent = s->capture;
  if (c == NULL) return lcu_no_memory("a graph");
  c->device = c->kept.device = lcu_ref(s->device);
  c->parent = parent;
  c->body = body;
  lcu_recording_begin(c->device);
  lcu_status st = lcu_capture_start(c, lcu_capture_stands_for(s));
  if (st != LCU_OK) {
    lcu_capture_abandon(c);
    return st;
  }
  c->origin->stands_for = s;
  *out = c;
  return LCU_OK;
}

lcu_status lcu_condition_set_last (lcu_capture *c, cu_graph_condition h, int type,
                                   const lcu_condition_source *from) {
  LCU_TRY(lcu_capture_join(c, c->origin));
  return lcu_condition_set(c->origin, h, type, from);
}

/* The body is work of the stream that has the node. */
static lcu_status use_memory (lcu_stream *s, const lcu_kept *body) {
  lcu_scope scope;
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_work_begin(s, body->uses, body->num_uses);
  if (st == LCU_OK) lcu_work_end(s, body->uses, body->num_uses);
  lcu_device_leave(&scope);
  return st;
}

lcu_status lcu_condition_body_end (lcu_capture *c, lcu_stream *s) {
  cu_graph graph;
  lcu_status st = lcu_capture_finish(c, &graph);
  if (st == LCU_OK) st = use_memory(s, &c->kept);
  if (st == LCU_OK) st = lcu_kept_take(&s->capture->kept, &c->kept);
  if (st != LCU_OK) lcu_capture_abandon(c);
  else lcu_capture_free(c);
  return st;
}

void lcu_condition_complete (lcu_stream *s) { s->capture->incomplete--; }
