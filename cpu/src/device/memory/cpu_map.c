/* cpu_map.c: the allocation map: a treap of blocks, balanced by a hash of their base. */
#include "cpu_map.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "cpu_config.h"
#include "cpu_enter.h"
#include "cpu_plan.h"
#include "cpu_pool.h"
#include "cpu_words.h"

static struct {
  pthread_rwlock_t lock;
  cpu_block *root;
} address_map = { .lock = PTHREAD_RWLOCK_INITIALIZER };


/* ---- the tree ---- */

/* The finalizer of splitmix64: spreads neighboring bases. */
static uint32_t rank_of (uint64_t base) {
  uint64_t x = base + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (uint32_t)(x >> 32);
}

/* Splits `root` at `base`, which is not the base of any block. */
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

static cpu_block *without (cpu_block *root, cpu_block *b) {
  if (root == NULL) return NULL;
  if (root == b) return merge(b->left, b->right);
  if (b->base < root->base) root->left = without(root->left, b);
  else root->right = without(root->right, b);
  return root;
}

/* The block with the greatest base <= address. */
static cpu_block *floor_of (cpu_block *root, uint64_t address) {
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

/* The block with the least base > address. */
static cpu_block *above_of (cpu_block *root, uint64_t address) {
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


/* ---- changes ---- */

void cpu_map_lock (void) { pthread_rwlock_wrlock(&address_map.lock); }
void cpu_map_unlock (void) { pthread_rwlock_unlock(&address_map.lock); }

void cpu_map_insert (cpu_block *b) {
  static uint64_t last_id;
  b->id = ++last_id;
  b->sync = false;
  b->left = b->right = NULL;
  b->rank = rank_of(b->base);
  address_map.root = insert(address_map.root, b);
}

void cpu_map_remove (cpu_block *b) { address_map.root = without(address_map.root, b); }

cpu_block *cpu_map_overlap (uint64_t address, size_t n) {
  cpu_block *b = floor_of(address_map.root, address + n - 1);
  return b != NULL && b->base + b->size > address ? b : NULL;
}

cpu_block *cpu_map_floor (uint64_t address) { return floor_of(address_map.root, address); }

static void clear_tree (cpu_block *b, void (*discard)(cpu_block *b)) {
  if (b == NULL) return;
  clear_tree(b->left, discard);
  clear_tree(b->right, discard);
  discard(b);
}

void cpu_map_clear (void (*discard)(cpu_block *b)) {
  clear_tree(address_map.root, discard);
  address_map.root = NULL;
}


/* ---- lookup ---- */

static bool contains (const cpu_block *b, uint64_t address) {
  return b != NULL && address >= b->base && address - b->base < b->size;
}

/* The block that contains the address, or the nearest. Needs the lock. */
static const cpu_block *nearest (uint64_t address) {
  const cpu_block *f = floor_of(address_map.root, address);
  if (contains(f, address)) return f;
  const cpu_block *a = above_of(address_map.root, address);
  if (f == NULL || a == NULL) return f != NULL ? f : a;
  return address - (f->base + f->size) < a->base - address ? f : a;
}

/* Is it allocated, in the order of execution? */
static bool is_alive (const cpu_block *b) {
  return b->plan != NULL ? b->plan->alive : b->life != CPU_DEAD;
}

bool cpu_block_find (uint64_t address, ptx_range *out) {
  pthread_rwlock_rdlock(&address_map.lock);
  const cpu_block *b = nearest(address);
  if (b != NULL)
    *out =
      (ptx_range){ .base = b->base, .size = b->size, .live = is_alive(b), .written = b->written };
  pthread_rwlock_unlock(&address_map.lock);
  return b != NULL;
}

/* Where it is kept whether the bytes of one block were written, or NULL. */
static uint8_t *written_at (const void *p, size_t n) {
  ptx_range r;
  uint64_t address = (uintptr_t)p;
  if (!cpu_block_find(address, &r) || r.written == NULL || address - r.base >= r.size) return NULL;
  return n <= r.size - (address - r.base) ? r.written + (address - r.base) : NULL;
}

uint8_t *cpu_block_marks (uint64_t address) {
  if (cpu_configuration.check != PTX_CHECK_ALL) return NULL;
  return written_at((const void *)(uintptr_t)address, 1);
}

void cpu_block_write (const void *p, size_t n) {
  uint8_t *written;
  if (cpu_configuration.check != PTX_CHECK_ALL) return;
  if ((written = written_at(p, n)) != NULL) memset(written, 1, n);
}

void cpu_block_copy (const void *dst, const void *src, size_t n) {
  uint8_t *to, *from;
  if (cpu_configuration.check != PTX_CHECK_ALL || (to = written_at(dst, n)) == NULL) return;
  if ((from = written_at(src, n)) != NULL) memmove(to, from, n);
  else memset(to, 1, n);
}

void cpu_block_set_name (cpu_block *b, char *name) {
  cpu_map_lock();
  b->name = name;
  cpu_map_unlock();
}

void cpu_block_name (uint64_t address, char *out, size_t size) {
  out[0] = '\0';
  pthread_rwlock_rdlock(&address_map.lock);
  const cpu_block *b = floor_of(address_map.root, address);
  if (contains(b, address) && b->name != NULL) {
    size_t n = strlen(b->name);
    if (n >= size) n = size - 1;
    memcpy(out, b->name, n);
    out[n] = '\0';
  }
  pthread_rwlock_unlock(&address_map.lock);
}

bool cpu_block_facts (uint64_t address, cpu_facts *out) {
  pthread_rwlock_rdlock(&address_map.lock);
  const cpu_block *b = floor_of(address_map.root, address);
  bool ok = contains(b, address) && b->life == CPU_LIVE;
  if (ok)
    *out = (cpu_facts){ .base = b->base,
                        .id = b->id,
                        .sync = b->sync,
                        .size = b->size,
                        .kind = b->kind,
                        .flags = b->flags,
                        .context = b->context != NULL ? b->context : cpu_primary(),
                        .pool = !b->pool->standard ? b->pool : NULL,
                        .open = b->plan != NULL && b->plan->num_access > 0 };
  pthread_rwlock_unlock(&address_map.lock);
  return ok;
}

bool cpu_block_holds (uint64_t address, size_t n, bool later) {
  pthread_rwlock_rdlock(&address_map.lock);
  const cpu_block *b = floor_of(address_map.root, address);
  bool ok = contains(b, address) && n <= b->size - (size_t)(address - b->base) &&
            (b->life == CPU_LIVE || (later && b->life == CPU_PLANNED));
  pthread_rwlock_unlock(&address_map.lock);
  return ok;
}

static cu_result explain_range (const char *call, uint64_t address, size_t n) {
  ptx_range r;
  if (!cpu_block_find(address, &r))
    return cpu_fail(call, CU_ERR_INVALID_VALUE, "0x%" PRIx64 " is not device memory", address);
  if (address - r.base >= r.size)
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "0x%" PRIx64 " is not in any allocation; the nearest is %" PRIu64
                    " bytes at 0x%" PRIx64,
                    address, r.size, r.base);
  if (cpu_block_holds(address, n, true))
    return cpu_fail(call, CU_ERR_INVALID_VALUE,
                    "the memory at 0x%" PRIx64 " is allocated by a graph, but not now", address);
  if (n <= r.size - (address - r.base))
    return cpu_fail(call, CU_ERR_INVALID_VALUE, "the memory at 0x%" PRIx64 " was freed", address);
  return cpu_fail(call, CU_ERR_INVALID_VALUE,
                  "%zu bytes at 0x%" PRIx64 " extend past the end of the allocation (%" PRIu64
                  " bytes at 0x%" PRIx64 ")",
                  n, address, r.size, r.base);
}

cu_result cpu_check_use (const char *call, uint64_t address, size_t n, bool later) {
  if (n == 0 || cpu_block_holds(address, n, later)) return 0;
  return explain_range(call, address, n);
}

static void claim (cpu_block *b) {
  if (b->plan == NULL) b->life = CPU_FREEING;
  else cpu_plan_claim(b);
}

cu_result cpu_block_claim (const char *call, uint64_t address, unsigned kinds, cpu_block **out) {
  cpu_map_lock();
  cpu_block *b = floor_of(address_map.root, address);
  bool inside = contains(b, address), dead = inside && b->life != CPU_LIVE;
  bool planned = dead && b->life == CPU_PLANNED;
  bool ok = inside && !dead && b->base == address && (kinds >> b->kind & 1u) != 0;
  if (ok) claim(b);
  cpu_map_unlock();
  *out = ok ? b : NULL;
  if (ok) return 0;
  return cpu_fail(call, CU_ERR_INVALID_VALUE, "0x%" PRIx64 " %s", address,
                  planned  ? "is allocated by a graph, but not now"
                  : dead   ? "was already freed"
                  : inside ? "is not the start of an allocation that this call can free"
                           : "is not in any allocation");
}

static cpu_block *claim_tree (cpu_block *b, cu_context ctx, cpu_block *list) {
  if (b == NULL) return list;
  list = claim_tree(b->right, ctx, claim_tree(b->left, ctx, list));
  if (b->context != ctx || b->life != CPU_LIVE) return list;
  b->life = CPU_FREEING;
  b->next = list;
  return b;
}

cpu_block *cpu_blocks_claim (cu_context ctx) {
  cpu_map_lock();
  cpu_block *list = claim_tree(address_map.root, ctx, NULL);
  cpu_map_unlock();
  return list;
}
