/* cpu_graph_dot.c: the entry point that writes a graph as a DOT file. */
#include <inttypes.h>
#include <stdio.h>

#include "cpu_driver.h"
#include "cpu_enter.h"
#include "cpu_graph.h"
#include "cpu_map.h"
#include "cpu_words.h"
#include "ptx.h"

static const char *const type_names[] = {
  [CU_NODE_KERNEL] = "kernel",
  [CU_NODE_MEMCPY] = "memcpy",
  [CU_NODE_MEMSET] = "memset",
  [CU_NODE_HOST] = "host",
  [CU_NODE_GRAPH] = "graph",
  [CU_NODE_EMPTY] = "empty",
  [CU_NODE_WAIT_EVENT] = "wait event",
  [CU_NODE_EVENT_RECORD] = "event record",
  [CU_NODE_MEM_ALLOC] = "mem alloc",
  [CU_NODE_MEM_FREE] = "mem free",
  [CU_NODE_CONDITIONAL] = "conditional",
};

static void print_kernel (FILE *f, const cpu_grid *g, bool verbose) {
  const char *name =
    g->function != NULL ? ptx_kernel_get_info(g->function->kernel)->name : "(unloaded)";
  fprintf(f, "\\n%s\\n<<<(%u,%u,%u), (%u,%u,%u), %u>>>", name, g->grid[0], g->grid[1], g->grid[2],
          g->block[0], g->block[1], g->block[2], g->shared);
  if (verbose && g->cooperative) fprintf(f, "\\ncooperative");
}

static void print_copy (FILE *f, const cu_copy3d *c, bool verbose) {
  fprintf(f, "\\n%zu x %zu x %zu bytes", c->width, c->height, c->depth);
  if (verbose)
    fprintf(f, "\\n0x%" PRIx64 " to 0x%" PRIx64,
            c->src_type == CU_MEMTYPE_HOST ? (uintptr_t)c->src_host : c->src_device,
            c->dst_type == CU_MEMTYPE_HOST ? (uintptr_t)c->dst_host : c->dst_device);
}

static void print_fill (FILE *f, const cpu_fill *m, bool verbose) {
  fprintf(f, "\\n%zu x %zu of %u bytes = 0x%x", m->count, m->height, m->bytes, m->value);
  if (verbose) fprintf(f, "\\nat 0x%" PRIxPTR, (uintptr_t)m->dst);
}

static void print_memory (FILE *f, const cpu_block *b, bool verbose) {
  fprintf(f, "\\n%zu bytes", b->size);
  if (verbose) fprintf(f, "\\nat 0x%" PRIx64, b->base);
}

static void print_node (FILE *f, const cpu_node *n, bool verbose) {
  fprintf(f, "  node_%" PRIu64 " [label=\"%zu: %s", n->id, n->index, type_names[n->type]);
  if (n->type == CU_NODE_KERNEL && n->op->kind == CPU_OP_KERNEL)
    print_kernel(f, &n->op->grid, verbose);
  if (n->type == CU_NODE_MEMCPY) print_copy(f, &n->copy, verbose);
  if (n->type == CU_NODE_MEMSET) print_fill(f, &n->op->fill, verbose);
  if (n->memory != NULL) print_memory(f, n->memory, verbose);
  fprintf(f, "\"];\n");
  for (size_t i = 0; i < n->num_deps; i++)
    fprintf(f, "  node_%" PRIu64 " -> node_%" PRIu64 ";\n", n->deps[i]->id, n->id);
}

static void print_nodes (FILE *f, const cpu_graph *g, bool verbose);

/* The bodies of a conditional node, each with an edge to its first node. */
static void print_bodies (FILE *f, const cpu_node *n, bool verbose) {
  for (unsigned i = 0; i < n->num_bodies; i++) {
    const cpu_graph *g = n->bodies[i];
    fprintf(f, "  subgraph cluster_%" PRIu64 "_%u {\n  label=\"body %u of %zu\";\n", n->id, i, i,
            n->index);
    print_nodes(f, g, verbose);
    fprintf(f, "  }\n");
    if (g->count > 0)
      fprintf(f, "  node_%" PRIu64 " -> node_%" PRIu64 " [style=dashed];\n", n->id,
              g->nodes[0]->id);
  }
}

static void print_nodes (FILE *f, const cpu_graph *g, bool verbose) {
  for (size_t i = 0; i < g->count; i++) {
    print_node(f, g->nodes[i], verbose);
    print_bodies(f, g->nodes[i], verbose);
  }
}

static cu_result print_graph (const cpu_graph *g, const char *path, unsigned flags) {
  FILE *f = fopen(path, "w");
  if (f == NULL)
    return cpu_fail("cuGraphDebugDotPrint", CU_ERR_OPERATING_SYSTEM, "%s cannot be written", path);
  fprintf(f, "digraph {\n  node [shape=box];\n");
  print_nodes(f, g, (flags & CU_DOT_VERBOSE) != 0);
  fprintf(f, "}\n");
  return fclose(f) == 0 ? 0 : CU_ERR_OPERATING_SYSTEM;
}

cu_result cpu_cuGraphDebugDotPrint (cu_graph g, const char *path, unsigned flags) {
  cu_result r = cpu_enter();
  if (r != 0) return r;
  pthread_mutex_lock(&cpu_graph_lock);
  r = cpu_object_is(CPU_GRAPH, g) && path != NULL ? print_graph(g, path, flags)
                                                  : CU_ERR_INVALID_VALUE;
  pthread_mutex_unlock(&cpu_graph_lock);
  return r;
}
