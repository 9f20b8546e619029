/* lcu_condition.c: conditions of a graph, and the kernels that set them. */
#include "lcu_condition.h"

#include <stdio.h>
#include <string.h>

#include "lcu_capture_own.h"
#include "lcu_device_failure.h"
#include "lcu_launch.h"
#include "lcu_scope.h"

/* ---- what the driver has ---- */

enum { SINCE_NODES = 12040, SINCE_SEVERAL = 12080 };

lcu_status lcu_condition_check (const lcu_device *d, int type, size_t bodies, const char *what) {
  int version = 0;
  bool several = type == CU_COND_SWITCH || (type == CU_COND_IF && bodies > 1);
  int since = several ? SINCE_SEVERAL : SINCE_NODES;
  LCU_TRY(LCU_CALL(d->drv, cuDriverGetVersion, (&version)));
  if (version >= since) return LCU_OK;
  return lcu_fail(LCU_E_UNSUPPORTED,
                  "%s%s needs a driver for CUDA 12.%d or newer, and this one is for CUDA %d.%d",
                  what, several && type == CU_COND_IF ? " with two functions" : "",
                  since % 1000 / 10, version / 1000, version % 1000 / 10);
}


/* ---- conditions ---- */

lcu_status lcu_condition_place (const lcu_stream *s, cu_graph *g, const cu_graph_node **nodes,
                                size_t *n) {
  int status = CU_CAPTURE_NONE;
  *g = NULL;
  LCU_TRY(
    LCU_CALL(s->device->drv, cuStreamGetCaptureInfo, (s->handle, &status, NULL, g, nodes, n)));
  if (status == CU_CAPTURE_ACTIVE) return LCU_OK;
  return lcu_fail(LCU_E_STATE, "another user of its stream has ended the recording");
}

static lcu_status create_entered (lcu_stream *s, uint32_t value, cu_graph_condition *out) {
  const lcu_driver *drv = s->device->drv;
  const cu_graph_node *nodes;
  cu_graph g;
  size_t n;
  LCU_TRY(lcu_condition_place(s, &g, &nodes, &n));
  return LCU_CALL(drv, cuGraphConditionalHandleCreate,
                  (out, g, s->device->context, value, CU_COND_ASSIGN_DEFAULT));
}

lcu_status lcu_condition_create (lcu_stream *s, uint32_t value, cu_graph_condition *out) {
  lcu_capture *c = s->capture;
  lcu_scope scope;
  LCU_TRY(lcu_kept_room((void **)(void *)&c->conditions, &c->conditions_room, c->num_conditions,
                        sizeof *c->conditions, "a condition of a graph"));
  LCU_TRY(lcu_device_enter(s->device, &scope));
  lcu_status st = lcu_device_status(s->device, create_entered(s, value, out));
  lcu_device_leave(&scope);
  if (st == LCU_OK) c->conditions[c->num_conditions++] = *out;
  return st;
}

static size_t find_captured_condition (const lcu_capture *c, cu_graph_condition h) {
  size_t i = 0;
  while (i < c->num_conditions && c->conditions[i] != h) i++;
  return i;
}

bool lcu_condition_is_free (const lcu_stream *s, cu_graph_condition h) {
  return find_captured_condition(s->capture, h) < s->capture->num_conditions;
}

void lcu_condition_forget (lcu_capture *c, cu_graph_condition h) {
  c->conditions[find_captured_condition(c, h)] = c->conditions[--c->num_conditions];
}


/* ---- setting them ---- */

/* condition_T(p, h, counts): h = *p != 0, or with `counts` *p - 1, where numbers that are too large
 * become 2^32 - 1, which no body has. Hand-written, because the driver itself knows the function
 * that it calls: neither NVRTC nor a library of the toolkit is needed. Every GPU takes PTX for
 * sm_50. */
#define SETTER(T) \
  ".visible .entry condition_" T "(.param .u64 p, .param .u64 h, .param .u32 counts)\n" \
  "{\n.reg .b64 %d<4>;\n.reg .b32 %r<5>;\n.reg .pred %q<4>;\n" \
  "ld.param.u64 %d0, [p];\nld.param.u64 %d1, [h];\nld.param.u32 %r0, [counts];\n" \
  "cvta.to.global.u64 %d0, %d0;\nld.global." T " %d2, [%d0];\n" \
  "setp.ne.s64 %q0, %d2, 0;\nselp.u32 %r1, 1, 0, %q0;\n" \
  "add.s64 %d3, %d2, -1;\nsetp.lt.u64 %q1, %d3, 4294967295;\n" \
  "cvt.u32.u64 %r2, %d3;\nselp.u32 %r3, %r2, 4294967295, %q1;\n" \
  "setp.ne.u32 %q2, %r0, 0;\nselp.u32 %r4, %r3, %r1, %q2;\n" \
  "{\n.param .b64 x;\nst.param.b64 [x+0], %d1;\n.param .b32 y;\nst.param.b32 [y+0], %r4;\n" \
  "call.uni cudaGraphSetConditional, (x, y);\n}\nret;\n}\n"

static const char setters[] =
  ".version 6.0\n.target sm_50\n.address_size 64\n"
  ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b32 b);\n" SETTER("u8") SETTER("s8")
    SETTER("u16") SETTER("s16") SETTER("u32") SETTER("s32") SETTER("u64") SETTER("s64");

static lcu_status load_setters (lcu_device *d, lcu_object **out) {
  lcu_jit_report *report = lcu_alloc(sizeof *report);
  const lcu_module_code code = { setters, sizeof setters - 1, .report = report };
  lcu_module *m;
  if (report == NULL) return lcu_no_memory("a condition of a graph");
  lcu_status st = lcu_module_load(d, &code, &m);
  lcu_free(report);
  if (st == LCU_OK) *out = &m->base;
  return st;
}

/* The module is loaded once for a graph with all its bodies. */
static lcu_status get_setter (const lcu_stream *s, const lcu_dtype *t, lcu_function **out) {
  lcu_capture *root = lcu_capture_root(s->capture);
  char name[32];
  if (root->setter == NULL) LCU_TRY(load_setters(s->device, &root->setter));
  snprintf(name, sizeof name, "condition_%s", t->ptx);
  return lcu_function_get((lcu_module *)(void *)root->setter, name, "condition", NULL, out);
}

lcu_status lcu_condition_set (lcu_stream *s, cu_graph_condition h, int type,
                              const lcu_condition_source *from) {
  lcu_function *f;
  const lcu_use use = { from->block, false };
  uint64_t address = from->address;
  uint32_t counts = type == CU_COND_SWITCH;
  lcu_config config = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .ordered = true, .stream = s };
  LCU_TRY(get_setter(s, from->dtype, &f));
  lcu_status st = lcu_launch(f, &config, (void *[]){ &address, &h, &counts }, &use, 1);
  lcu_unref(f);
  return st;
}
