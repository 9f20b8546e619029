/* cpu_map.c: blocks of memory by address: a treap, balanced by a hash of the base. */
#include "cpu_device.h"

/* Finaliser of splitmix64: spreads neighbouring bases. */
static uint32_t rank_of (uint64_t base) {
  uint64_t x = base + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(x >> 32);
}

/* Parts `root` at `base`; no block has that base. */
static void split (cpu_block *root, uint64_t base, cpu_block **below, cpu_block **above) {
  if (root == NULL) *below = *above = NULL;
  else if (root->base < base) {
    split(root->right, base, &root->right, above);
    *below = root;
  } else {
    split(root->left, base, below, &root->left);
    *above = root;
  }
}

static cpu_block *merge (cpu_block *below, cpu_block *above) {
  if (below == NULL) return above;
  if (above == NULL) return below;
  if (below->rank > above->rank) {
    below->right = merge(below->right, above);
    return below;
  }
  above->left = merge(below, above->left);
  return above;
}

static cpu_block *insert (cpu_block *root, cpu_block *b) {
  if (root == NULL) return b;
  if (b->rank > root->rank) {
    split(root, b->base, &b->left, &b->right);
    return b;
  }
  if (b->base < root->base) root->left = insert(root->left, b);
  else root->right = insert(root->right, b);
  return root;
}

cpu_block *cpu_map_insert (cpu_block *root, cpu_block *b) {
  b->left = b->right = NULL;
  b->rank = rank_of(b->base);
  return insert(root, b);
}

cpu_block *cpu_map_remove (cpu_block *root, cpu_block *b) {
  if (root == NULL) return NULL;
  if (root == b) return merge(b->left, b->right);
  if (b->base < root->base) root->left = cpu_map_remove(root->left, b);
  else root->right = cpu_map_remove(root->right, b);
  return root;
}

cpu_block *cpu_map_floor (cpu_block *root, uint64_t address) {
  cpu_block *best = NULL;
  while (root != NULL) {
    if (root->base > address) root = root->left;
    else {
      best = root;
      root = root->right;
    }
  }
  return best;
}

cpu_block *cpu_map_above (cpu_block *root, uint64_t address) {
  cpu_block *best = NULL;
  while (root != NULL) {
    if (root->base <= address) root = root->right;
    else {
      best = root;
      root = root->left;
    }
  }
  return best;
}
