/* ptx_check_pages.c: the table of what a grid has done to global memory. */
#include "ptx_check_pages.h"

enum { MOST_PAGES = 1 << 14 };
/* Larger grids are not checked for races. */
static const uint64_t MOST_CTAS = 1 << 24;

ptx_global_shadow *ptx_global_shadow_new (uint64_t num_ctas) {
  if (num_ctas > MOST_CTAS) num_ctas = 0;
  ptx_global_shadow *s = lcu_calloc(1, sizeof *s + num_ctas * sizeof s->times[0]);
  if (s != NULL) s->num_ctas = num_ctas;
  return s;
}

void ptx_global_shadow_free (ptx_global_shadow *s) {
  if (s == NULL) return;
  for (ptx_page *p = atomic_load(&s->all), *next; p != NULL; p = next) {
    next = p->next;
    lcu_free(p);
  }
  lcu_free(s);
}

static ptx_page *page_new (ptx_global_shadow *s, uint64_t number) {
  if (atomic_fetch_add(&s->num_pages, 1) >= MOST_PAGES) return NULL;
  ptx_page *p = lcu_calloc(1, sizeof *p);
  if (p != NULL) p->number = number;
  return p;
}

static ptx_page *listed (ptx_global_shadow *s, ptx_page *p) {
  p->next = atomic_load(&s->all);
  while (!atomic_compare_exchange_weak(&s->all, &p->next, p)) {}
  return p;
}

static uint32_t bucket_of (uint64_t number) {
  return (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
}

ptx_page *ptx_page_of (ptx_global_shadow *s, uint64_t number) {
  uint32_t i = bucket_of(number);
  for (ptx_page *made = NULL;; i = (i + 1) % PTX_PAGE_BUCKETS) {
    ptx_page *p = atomic_load_explicit(&s->pages[i], memory_order_acquire);
    if (p == NULL) {
      if (made == NULL && (made = page_new(s, number)) == NULL) return NULL;
      if (atomic_compare_exchange_strong(&s->pages[i], &p, made)) return listed(s, made);
    }
    if (p->number != number) continue;
    lcu_free(made);
    return p;
  }
}

ptx_page *ptx_page_made (const ptx_global_shadow *s, uint64_t number) {
  for (uint32_t i = bucket_of(number);; i = (i + 1) % PTX_PAGE_BUCKETS) {
    ptx_page *p = atomic_load_explicit(&s->pages[i], memory_order_acquire);
    if (p == NULL || p->number == number) return p;
  }
}
