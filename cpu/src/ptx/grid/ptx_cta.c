/* ptx_cta.c: where a CTA is in its grid. */
#include "ptx_grid.h"

static void block_index (const uint32_t *grid, uint64_t linear, uint32_t *out) {
  uint64_t row = linear / grid[0];
  out[0] = (uint32_t)(linear % grid[0]);
  out[1] = (uint32_t)(row % grid[1]);
  out[2] = (uint32_t)(row / grid[1]);
}

void ptx_block_index (const uint32_t grid[3], const uint32_t cluster[3], uint64_t linear,
                      uint32_t *out) {
  uint32_t clusters[3], rank[3], size = cluster[0] * cluster[1] * cluster[2];
  if (size == 1) {
    block_index(grid, linear, out);
    return;
  }
  for (int k = 0; k < 3; k++) clusters[k] = grid[k] / cluster[k];
  block_index(clusters, linear / size, out);
  block_index(cluster, linear % size, rank);
  for (int k = 0; k < 3; k++) out[k] = out[k] * cluster[k] + rank[k];
}

void ptx_cta_index (const ptx_grid *g, uint64_t linear, uint32_t *out) {
  ptx_block_index(g->launch->grid, g->cluster, linear, out);
}
