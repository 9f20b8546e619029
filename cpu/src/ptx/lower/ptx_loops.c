/* ptx_loops.c: loop nesting and the order of basic blocks. See cpu/docs/machine.md, "Block
 * order". */
#include "ptx_cfg.h"

/* A depth-first search that finds all loops, reducible or not, in one pass (Wei, Mao, Zou, Chen: "A
 * New Algorithm for Identifying Loops in Decompilation", SAS 2007). The head of an irreducible loop
 * is the entry that the search met first. */
typedef struct search {
  const ptx_graph *g;
  int32_t *head;
  bool *is_head, *seen;
  uint32_t *path; /* position on the current path, counted from 1; 0: not on it */
  /* the blocks of the path, and the next successor of each to visit */
  uint32_t *stack, *edge;
  uint32_t *post, num_post;
} search;

/* Puts b into the loop of h: inserts h into the chain of heads around b, inner ones (deeper on the
 * path) first. */
static void tag_head (search *s, uint32_t b, int32_t h) {
  int32_t inner = (int32_t)b, outer = h;
  if (h < 0 || inner == h) return;
  while (s->head[inner] >= 0) {
    int32_t ih = s->head[inner];
    if (ih == outer) return;
    if (s->path[ih] < s->path[outer]) {
      s->head[inner] = outer;
      inner = outer;
      outer = ih;
    } else inner = ih;
  }
  s->head[inner] = outer;
}

/* The edge b -> to, where `to` was visited before. */
static void note_loop_edge (search *s, uint32_t b, uint32_t to) {
  if (s->path[to] != 0) {
    s->is_head[to] = true;
    tag_head(s, b, (int32_t)to);
    return;
  }
  int32_t h = s->head[to];
  /* an edge into a loop, past its head, if h changes */
  while (h >= 0 && s->path[h] == 0) h = s->head[h];
  tag_head(s, b, h);
}

static void run_search (search *s) {
  const ptx_graph *g = s->g;
  uint32_t depth = 1;
  s->stack[0] = 0;
  s->edge[0] = g->first[0];
  s->path[0] = 1;
  s->seen[0] = true;
  while (depth > 0) {
    uint32_t b = s->stack[depth - 1];
    if (s->edge[depth - 1] < g->first[b + 1]) {
      uint32_t to = g->succ[s->edge[depth - 1]++];
      if (s->seen[to]) note_loop_edge(s, b, to);
      else {
        s->seen[to] = true;
        s->stack[depth] = to;
        s->edge[depth] = g->first[to];
        s->path[to] = ++depth;
      }
    } else {
      s->path[b] = 0;
      s->post[s->num_post++] = b;
      if (--depth > 0) tag_head(s, s->stack[depth - 1], s->head[b]);
    }
  }
}

/* Sorts the items of each loop in reverse post-order, then walks the loop tree, so that every loop
 * becomes one run of blocks. A head is an item of the loop around it; the items of its own loop
 * follow it. */
static bool order_blocks (const search *s, lcu_arena *scratch, ptx_loops *out) {
  uint32_t n = s->g->num, depth = 0;
  int32_t *first = lcu_arena_alloc(scratch, (n + 1) * sizeof *first),
          *last = lcu_arena_alloc(scratch, (n + 1) * sizeof *last);
  int32_t *sibling = lcu_arena_alloc(scratch, n * sizeof *sibling),
          *stack = lcu_arena_alloc(scratch, (n + 1) * sizeof *stack);
  out->order = lcu_arena_alloc(scratch, n * sizeof *out->order);
  if (first == NULL || last == NULL || sibling == NULL || stack == NULL || out->order == NULL)
    return false;
  for (uint32_t k = 0; k <= n; k++) first[k] = last[k] = -1;
  for (uint32_t k = s->num_post; k-- > 0;) {
    int32_t b = (int32_t)s->post[k], list = s->head[b] >= 0 ? s->head[b] : (int32_t)n;
    sibling[b] = -1;
    if (last[list] >= 0) sibling[last[list]] = b;
    else first[list] = b;
    last[list] = b;
  }
  for (int32_t at = first[n]; at >= 0 || depth > 0;) {
    if (at < 0) {
      at = stack[--depth];
      continue;
    }
    out->order[out->num_order++] = (uint32_t)at;
    stack[depth++] = sibling[at];
    at = s->is_head[at] ? first[at] : -1;
  }
  return true;
}

bool ptx_loops_find (const ptx_graph *g, lcu_arena *scratch, ptx_loops *out) {
  size_t n = g->num;
  search s = { .g = g };
  s.head = lcu_arena_alloc(scratch, n * sizeof *s.head);
  s.is_head = lcu_arena_alloc(scratch, n);
  s.seen = lcu_arena_alloc(scratch, n);
  s.path = lcu_arena_alloc(scratch, n * sizeof *s.path);
  s.stack = lcu_arena_alloc(scratch, n * sizeof *s.stack);
  s.edge = lcu_arena_alloc(scratch, n * sizeof *s.edge);
  s.post = lcu_arena_alloc(scratch, n * sizeof *s.post);
  if (s.head == NULL || s.is_head == NULL || s.seen == NULL || s.path == NULL || s.stack == NULL ||
      s.edge == NULL || s.post == NULL)
    return false;
  for (size_t k = 0; k < n; k++) s.head[k] = -1;
  run_search(&s);
  *out = (ptx_loops){ .head = s.head, .is_head = s.is_head };
  return order_blocks(&s, scratch, out);
}
