/* cpu_launch_read.c: launches as configurations. */
#include "cpu_launch.h"

/* Kernels of a stream run one after the other, in blocks of their own and with the memory order of
 * the host: priorities and domains of synchronization change nothing. Overlap is for the checks. */
static cu_result read_attr (const cu_launch_attr *a, cpu_grid *g) {
  const cu_launch_attr_value *v = &a->value;
  switch (a->id) {
    case CU_LAUNCH_ATTR_PROGRAMMATIC: g->programmatic = v->programmatic != 0; return 0;
    case CU_LAUNCH_ATTR_IGNORE:
    case CU_LAUNCH_ATTR_PRIORITY:
    case CU_LAUNCH_ATTR_SYNC_DOMAIN: return 0;
    case CU_LAUNCH_ATTR_COOPERATIVE: g->cooperative = v->cooperative != 0; return 0;
    case CU_LAUNCH_ATTR_CLUSTER:
      g->cluster[0] = v->cluster.x;
      g->cluster[1] = v->cluster.y;
      g->cluster[2] = v->cluster.z;
      return 0;
    default: return CU_ERR_NOT_SUPPORTED;
  }
}

cu_result cpu_launch_read (const cu_launch_config *c, cu_function f, cpu_grid *g) {
  *g = (cpu_grid){ .function = f };
  if (c == NULL || (c->attrs == NULL && c->num_attrs > 0)) return CU_ERR_INVALID_VALUE;
  g->grid[0] = c->grid_x, g->grid[1] = c->grid_y, g->grid[2] = c->grid_z;
  g->block[0] = c->block_x, g->block[1] = c->block_y, g->block[2] = c->block_z;
  g->shared = c->shared_bytes;
  for (unsigned i = 0; i < c->num_attrs; i++) {
    cu_result r = read_attr(&c->attrs[i], g);
    if (r != 0) return r;
  }
  return 0;
}
