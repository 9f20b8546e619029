/* test_condition.c: tests conditional nodes: which drivers have them, and what their nodes come
 * after. */
#include <string.h>

#include "check.h"
#include "lcu_condition.h"
#include "lcu_graph.h"
#include "lcu_process_open.h"
#include "lcu_scope.h"

static lcu_device *cpu;

/* ---- drivers ---- */

static int version;
static cu_result get_version (int *out) {
  *out = version;
  return 0;
}

static void check_version (int v, int type, size_t bodies, const char *why) {
  lcu_driver drv = { .cuDriverGetVersion = get_version };
  const lcu_device old = { .drv = &drv };
  version = v;
  lcu_status st = lcu_condition_check(&old, type, bodies, "when");
  CHECK(st == (why == NULL ? LCU_OK : LCU_E_UNSUPPORTED), "%d %d: %d", v, type, (int)st);
  const char *got = lcu_failure_get()->message;
  if (why != NULL) CHECK(strcmp(got, why) == 0, "%s", got);
}

static void test_versions (void) {
  check_version(12040, CU_COND_IF, 1, NULL);
  check_version(12040, CU_COND_WHILE, 1, NULL);
  check_version(12080, CU_COND_IF, 2, NULL);
  check_version(13000, CU_COND_SWITCH, 9, NULL);
  check_version(12030, CU_COND_IF, 1,
                "when needs a driver for CUDA 12.4 or newer, and this one is for CUDA 12.3");
  check_version(11080, CU_COND_WHILE, 1,
                "when needs a driver for CUDA 12.4 or newer, and this one is for CUDA 11.8");
  check_version(12070, CU_COND_SWITCH, 1,
                "when needs a driver for CUDA 12.8 or newer, and this one is for CUDA 12.7");
  check_version(12040, CU_COND_IF, 2,
                "when with two functions needs a driver for CUDA 12.8 or newer, and this one is "
                "for CUDA 12.4");
}


/* ---- nodes ---- */

enum { MOST = 8 };

/* Does node `to` come after node `from`, directly or not? */
static bool follows (cu_graph_node to, cu_graph_node from) {
  cu_graph_node deps[MOST];
  size_t n = MOST;
  bool found = to == from;
  if (cpu->drv->cuGraphNodeGetDependencies(to, deps, NULL, &n) != 0) return false;
  for (size_t i = 0; i < n && !found; i++) found = follows(deps[i], from);
  return found;
}

static void fill (lcu_stream *s, lcu_block *b) {
  CHECK(cpu->drv->cuMemsetD32Async(b->address, 1, 1, s->handle) == 0, "a fill");
}

/* A node comes after work of all streams. Work on what the body writes comes after the node, on
 * whatever stream. */
static void test_order (lcu_stream *side, lcu_block *b) {
  lcu_capture *c, *body;
  lcu_stream *s, *branch, *inner;
  lcu_graph *g = NULL;
  cu_graph_condition h;
  cu_graph *bodies;
  cu_graph_node nodes[MOST];
  size_t n = MOST;
  const lcu_use use = { b, true };
  CHECK(lcu_capture_begin(cpu, &c) == LCU_OK, "%s", lcu_failure_get()->message);
  s = lcu_capture_origin(c);
  CHECK(lcu_capture_branch(c, side, &branch) == LCU_OK, "%s", lcu_failure_get()->message);
  fill(s, b);
  fill(branch, b);
  CHECK(lcu_condition_create(s, 1, &h) == LCU_OK && lcu_condition_is_free(s, h), "a condition");
  CHECK(lcu_condition_add(s, h, CU_COND_IF, 1, &bodies) == LCU_OK && !lcu_condition_is_free(s, h),
        "%s", lcu_failure_get()->message);
  CHECK(lcu_condition_body_begin(s, bodies[0], &body) == LCU_OK && lcu_capture_is_body(body), "%s",
        lcu_failure_get()->message);
  CHECK(lcu_capture_branch(body, branch, &inner) == LCU_OK && inner->capture == body &&
          lcu_capture_stands_for(inner) == side,
        "a branch of the body for one of the capture around it");
  CHECK(lcu_capture_branch(body, s, &s) == LCU_OK && s == lcu_capture_origin(body), "the origin");
  CHECK(lcu_work_begin(inner, &use, 1) == LCU_OK, "%s", lcu_failure_get()->message);
  fill(inner, b);
  lcu_work_end(inner, &use, 1);
  s = lcu_capture_origin(c);
  CHECK(lcu_condition_body_end(body, s) == LCU_OK, "%s", lcu_failure_get()->message);
  lcu_condition_complete(s);
  CHECK(lcu_work_begin(branch, &use, 1) == LCU_OK, "%s", lcu_failure_get()->message);
  fill(branch, b);
  lcu_work_end(branch, &use, 1);
  CHECK(lcu_graph_create(c, &g) == LCU_OK, "%s", lcu_failure_get()->message);
  CHECK(cpu->drv->cuGraphGetNodes(g->recording->graph, nodes, &n) == 0 && n == 4, "%zu", n);
  CHECK(follows(nodes[2], nodes[0]) && follows(nodes[2], nodes[1]), "after all streams");
  CHECK(!follows(nodes[1], nodes[0]), "which were independent");
  CHECK(follows(nodes[3], nodes[2]), "before work on what the body writes");
  CHECK(g->recording->kept.num_uses == 1 && g->recording->kept.counts[0] == 2 &&
          g->recording->kept.uses[0].write,
        "the memory is counted for each piece of work");
  lcu_unref(g);
}

int main (void) {
  size_t n;
  lcu_scope scope;
  lcu_stream *side = NULL;
  lcu_block *b = NULL;
  bool ok = lcu_process_enter() == LCU_OK && lcu_process_devices(&n) == LCU_OK;
  cpu = lcu_process_cpu();
  ok = ok && lcu_device_open(cpu) == LCU_OK && lcu_stream_create(cpu, 0, false, &side) == LCU_OK &&
       lcu_block_alloc(cpu, 64, NULL, &b) == LCU_OK;
  CHECK(ok, "%s", lcu_failure_get()->message);
  if (!ok) return 1;
  test_versions();
  CHECK(lcu_device_enter(cpu, &scope) == LCU_OK, "%s", lcu_failure_get()->message);
  test_order(side, b);
  lcu_device_leave(&scope);
  lcu_unref(b);
  lcu_unref(side);
  lcu_process_leave();
  return check_result();
}
