/* cpu_object.c: the memory of graphs, nodes and executable graphs. */
#include "cpu_capture.h"
#include "cpu_graph.h"
#include "cpu_module.h"

#include <string.h>

pthread_mutex_t cpu_graph_lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
  uint32_t magic;
  size_t size;
} kinds[CPU_OBJECT_KINDS] = {
  [CPU_GRAPH] = { 0x47525048, sizeof(cpu_graph) },
  [CPU_NODE] = { 0x4e4f4445, sizeof(cpu_node) },
  [CPU_EXEC] = { 0x45584543, sizeof(cpu_exec) },
};

static struct {
  cpu_object *free, *all;
} objects[CPU_OBJECT_KINDS];

void *cpu_object_new (cpu_object_kind kind) {
  cpu_object *o = objects[kind].free, *all = NULL;
  if (o != NULL) {
    objects[kind].free = o->next_free;
    all = o->next_all;
    memset(o, 0, kinds[kind].size);
  } else if ((o = lcu_calloc(1, kinds[kind].size)) != NULL) {
    all = objects[kind].all;
    objects[kind].all = o;
  } else {
    return NULL;
  }
  o->next_all = all;
  o->magic = kinds[kind].magic;
  return o;
}

void cpu_object_retire (cpu_object_kind kind, void *object) {
  cpu_object *o = object;
  o->magic = 0;
  o->next_free = objects[kind].free;
  objects[kind].free = o;
}

bool cpu_object_is (cpu_object_kind kind, const void *handle) {
  const cpu_object *o = handle;
  return o != NULL && o->magic == kinds[kind].magic;
}

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

static void forget_in (cpu_object_kind kind, cpu_object *o, const cpu_module *m) {
  if (!cpu_object_is(kind, o)) return;
  if (kind == CPU_NODE) forget(((cpu_node *)o)->op, m);
  if (kind == CPU_EXEC) forget_body(((cpu_exec *)o)->body, m);
}

void cpu_graphs_forget (const cpu_module *m) {
  pthread_mutex_lock(&cpu_graph_lock);
  for (cpu_object_kind kind = CPU_NODE; kind <= CPU_EXEC; kind++)
    for (cpu_object *o = objects[kind].all; o != NULL; o = o->next_all) forget_in(kind, o, m);
  pthread_mutex_unlock(&cpu_graph_lock);
}

static void free_contents (cpu_object_kind kind) {
  for (cpu_object *o = objects[kind].all; o != NULL; o = o->next_all) {
    if (!cpu_object_is(kind, o)) continue;
    if (kind == CPU_GRAPH && ((cpu_graph *)o)->parent == NULL) cpu_graph_free((cpu_graph *)o);
    if (kind == CPU_EXEC) cpu_exec_free((cpu_exec *)o);
  }
}

static void free_objects (cpu_object_kind kind) {
  while (objects[kind].all != NULL) {
    cpu_object *o = objects[kind].all;
    objects[kind].all = o->next_all;
    lcu_free(o);
  }
  objects[kind].free = NULL;
}

void cpu_graphs_free (void) {
  cpu_captures_free();
  free_contents(CPU_EXEC);
  free_contents(CPU_GRAPH);
  for (cpu_object_kind kind = 0; kind < CPU_OBJECT_KINDS; kind++) free_objects(kind);
}
