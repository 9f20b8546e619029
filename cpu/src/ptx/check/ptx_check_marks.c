/* ptx_check_marks.c: the marked registers of a warp: a hash table with open addressing, by register
 * file and slot. */
#include "ptx_check_marks.h"

#include <string.h>

enum { ENTRIES = 256, MOST_USED = 192 };

struct ptx_wraps {
  uint32_t run; /* ptx_cta.run */
  uint32_t used;
  ptx_marked entries[ENTRIES];
};

static uint32_t hash_of (const uint8_t *rf, int32_t slot) {
  return (uint32_t)(((uintptr_t)rf / 64 + (uint32_t)slot / 64) * 0x9e3779b1u) >> 24;
}

/* The register's entry, or the free one where it would be. */
static ptx_marked *entry_at (struct ptx_wraps *t, const uint8_t *rf, int32_t slot) {
  uint32_t i = hash_of(rf, slot);
  while (t->entries[i].rf != NULL && (t->entries[i].rf != rf || t->entries[i].slot != slot))
    i = (i + 1) % ENTRIES;
  return &t->entries[i];
}

bool ptx_marks_exist (const ptx_xwarp *x) {
  return x->wraps != NULL && x->wraps->run == x->cta->run && x->wraps->used != 0;
}

const ptx_marked *ptx_marks_find (const ptx_xwarp *x, const uint8_t *rf, int32_t slot) {
  if (!ptx_marks_exist(x)) return NULL;
  const ptx_marked *e = entry_at(x->wraps, rf, slot);
  return e->rf == NULL ? NULL : e;
}

/* With room for one more register; NULL: out of memory. */
static struct ptx_wraps *table_of (ptx_xwarp *x) {
  struct ptx_wraps *t = x->wraps;
  if (t == NULL) t = x->wraps = lcu_calloc(1, sizeof *t);
  else if (t->run != x->cta->run || t->used >= MOST_USED) memset(t, 0, sizeof *t);
  if (t != NULL) t->run = x->cta->run;
  return t;
}

static void set_lanes (uint32_t *to, uint32_t lanes, uint32_t mask) {
  *to = (*to & ~mask) | (lanes & mask);
}

void ptx_marks_set (ptx_xwarp *x, const uint8_t *rf, int32_t slot, ptx_marks m,
                    ptx_mark_origin origin) {
  bool found = ptx_marks_find(x, rf, slot) != NULL;
  struct ptx_wraps *t = found ? x->wraps : ptx_marks_any(m) ? table_of(x) : NULL;
  if (t == NULL) return;
  ptx_marked *e = entry_at(t, rf, slot);
  if (!found) {
    *e = (ptx_marked){ .rf = rf, .slot = slot };
    t->used++;
  }
  set_lanes(&e->m.as_signed, m.as_signed, x->w.mask);
  set_lanes(&e->m.as_any, m.as_any, x->w.mask);
  set_lanes(&e->m.minus, m.minus, x->w.mask);
  if (ptx_marks_any(m)) e->origin = origin;
}
