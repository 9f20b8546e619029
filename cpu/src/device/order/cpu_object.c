/* cpu_object.c: the memory of graphs, nodes and executable graphs. */
#include "cpu_enter.h"
#include "cpu_graph.h"

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

void cpu_objects_each (cpu_object_kind kind, void (*f)(void *object, const void *ud),
                       const void *ud) {
  for (cpu_object *o = objects[kind].all; o != NULL; o = o->next_all)
    if (cpu_object_is(kind, o)) f(o, ud);
}

void cpu_objects_free (cpu_object_kind kind) {
  while (objects[kind].all != NULL) {
    cpu_object *o = objects[kind].all;
    objects[kind].all = o->next_all;
    lcu_free(o);
  }
  objects[kind].free = NULL;
}

cu_result cpu_graph_enter (cpu_object_kind kind, const void *handle) {
  cu_result r = cpu_enter_device();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  return cpu_object_is(kind, handle) ? 0 : cpu_graph_leave(CU_ERR_INVALID_VALUE);
}
