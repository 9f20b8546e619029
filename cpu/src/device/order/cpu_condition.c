/* cpu_condition.c: conditions, which kernels set.
 *
 * A condition belongs to the graph that it was created for and to the executable graphs made from
 * it. Kernels name it by its number. */
#include "cpu_condition.h"

static struct {
  cpu_condition *first;
  uint64_t last;
} conditions;

cpu_condition *cpu_condition_new (cpu_graph *g, uint32_t initial, bool assign) {
  cpu_condition *c = lcu_calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  *c = (cpu_condition){ .handle = ++conditions.last,
                        .initial = initial,
                        .assign = assign,
                        .refs = 1,
                        .next = conditions.first,
                        .next_of_graph = g->conditions };
  atomic_init(&c->value, initial);
  return conditions.first = g->conditions = c;
}

static cpu_condition *find_condition (uint64_t handle) {
  cpu_condition *c = conditions.first;
  while (c != NULL && c->handle != handle) c = c->next;
  return c;
}

void cpu_condition_drop (cpu_condition *c) {
  if (--c->refs > 0) return;
  cpu_condition **at = &conditions.first;
  while (*at != c) at = &(*at)->next;
  *at = c->next;
  lcu_free(c);
}

bool cpu_condition_set (uint64_t handle, uint32_t value) {
  pthread_mutex_lock(&cpu_graph_lock);
  cpu_condition *c = find_condition(handle);
  if (c != NULL) atomic_store_explicit(&c->value, value, memory_order_relaxed);
  pthread_mutex_unlock(&cpu_graph_lock);
  return c != NULL;
}

void cpu_conditions_free (cpu_graph *g) {
  while (g->conditions != NULL) {
    cpu_condition *c = g->conditions;
    g->conditions = c->next_of_graph;
    cpu_condition_drop(c);
  }
}
