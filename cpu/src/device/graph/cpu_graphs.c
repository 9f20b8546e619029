/* cpu_graphs.c: what concerns all graphs: modules that go, and the end. */
#include "cpu_capture.h"
#include "cpu_graph_exec.h"

static void forget (cpu_op *op, const cpu_module *m) {
  if (op == NULL || op->kind != CPU_OP_KERNEL) return;
  if (op->grid.function != NULL && op->grid.function->module == m) op->grid.function = NULL;
}

static void forget_body (cpu_body *b, const cpu_module *m) {
  for (size_t i = 0; i < b->count; i++) {
    forget(b->steps[i].op, m);
    for (unsigned k = 0; k < b->steps[i].num_bodies; k++) forget_body(b->steps[i].bodies[k], m);
  }
}

static void forget_node (void *node, const void *m) { forget(((cpu_node *)node)->op, m); }

static void forget_exec (void *exec, const void *m) { forget_body(((cpu_exec *)exec)->body, m); }

void cpu_graphs_forget (const cpu_module *m) {
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_objects_each(CPU_NODE, forget_node, m);
  cpu_objects_each(CPU_EXEC, forget_exec, m);
  pthread_mutex_unlock(&cpu_graph_lock);
}

static void free_exec (void *exec, const void *unused) {
  (void)unused;
  cpu_exec_free(exec);
}

/* Bodies are freed with the graph around them. */
static void free_graph (void *graph, const void *unused) {
  cpu_graph *g = graph;
  (void)unused;
  if (g->parent == NULL) cpu_graph_free(g);
}

void cpu_graphs_free (void) {
  cpu_captures_free();
  cpu_objects_each(CPU_EXEC, free_exec, NULL);
  cpu_objects_each(CPU_GRAPH, free_graph, NULL);
  for (cpu_object_kind kind = 0; kind < CPU_OBJECT_KINDS; kind++) cpu_objects_free(kind);
}
