/* ptx_check_pages.c: the table of what a grid has done to global memory. */
#include "ptx_check_pages.h"

#include <string.h>

#include "ptx_grid.h"

/* Larger grids are not checked for races. */
static const uint64_t MOST_CTAS = 1 << 24;

/* ---- pages that earlier runs of the kernel made: the processor takes longer to make new ones */

enum { MOST_KEPT = 8192 };
static void free_pages (ptx_page *p) {
  for (ptx_page *next; p != NULL; p = next) {
    next = p->next;
    lcu_free(p->cells);
    lcu_free(p);
  }
}

static void keep_pages (ptx_code *code, ptx_page *all, ptx_page *spare) {
  ptx_page *chain = NULL;
  uint32_t num = 0;
  for (int k = 0; k < 2; k++)
    for (ptx_page *p = k == 0 ? all : spare, *next; p != NULL; p = next) {
      next = p->next;
      lcu_free(p->cells);
      p->cells = NULL;
      p->next = num < MOST_KEPT ? chain : NULL;
      if (num++ < MOST_KEPT) chain = p;
      else free_pages(p);
    }
  free_pages(atomic_exchange(&code->pages, chain));
}

static ptx_page *take_page (ptx_global_shadow *s) {
  while (atomic_flag_test_and_set_explicit(&s->taking, memory_order_acquire)) {}
  ptx_page *p = s->spare;
  if (p != NULL) s->spare = p->next;
  atomic_flag_clear_explicit(&s->taking, memory_order_release);
  if (p == NULL) return lcu_calloc(1, sizeof *p);
  memset(p, 0, sizeof *p);
  return p;
}

/* ---- */

void ptx_global_pages_free (ptx_code *code) {
  if (code != NULL) free_pages(atomic_exchange(&code->pages, NULL));
}

ptx_global_shadow *ptx_global_shadow_new (uint64_t num_ctas, ptx_code *code) {
  if (num_ctas > MOST_CTAS) num_ctas = 0;
  ptx_global_shadow *s = lcu_calloc(1, sizeof *s + num_ctas * sizeof s->times[0]);
  if (s == NULL) return NULL;
  s->num_ctas = num_ctas;
  s->spare = atomic_exchange(&code->pages, NULL);
  return s;
}

void ptx_global_shadow_free (ptx_global_shadow *s, ptx_code *code) {
  if (s == NULL) return;
  if (code != NULL) {
    keep_pages(code, atomic_load(&s->all), s->spare);
  } else {
    free_pages(atomic_load(&s->all));
    free_pages(s->spare);
  }
  lcu_free(s);
}

static ptx_page *page_new (ptx_global_shadow *s, uint64_t number) {
  if (atomic_fetch_add(&s->num_pages, 1) >= PTX_MOST_PAGES) return NULL;
  ptx_page *p = take_page(s);
  if (p != NULL) p->number = number;
  return p;
}

static ptx_page *listed (ptx_global_shadow *s, ptx_page *p) {
  p->next = atomic_load(&s->all);
  while (!atomic_compare_exchange_weak(&s->all, &p->next, p)) {}
  return p;
}

ptx_page *ptx_page_of (ptx_global_shadow *s, uint64_t number) {
  uint32_t i = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
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
  uint32_t i = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
  for (;; i = (i + 1) % PTX_PAGE_BUCKETS) {
    ptx_page *p = atomic_load_explicit(&s->pages[i], memory_order_acquire);
    if (p == NULL || p->number == number) return p;
  }
}

/* ---- cells of lines */

static ptx_past touch_of_word (const ptx_cta *c, const ptx_line_touch *t, uint32_t k) {
  const ptx_uop *I = &c->grid->code->uops[t->uop];
  uint32_t each = (uint32_t)I->size * I->vector / 4;
  return (ptx_past){ .cta = t->cta,
                     .time = t->time,
                     .loc = I->loc,
                     .thread = (uint16_t)(t->thread + k / each),
                     .bytes = 15,
                     .kind = ptx_id_access[I->id] };
}

/* What a store has left is in memory, since stores are made before the page is unlocked. */
static void tell_change (const ptx_cta *c, const ptx_line_touch *t, uint32_t k, ptx_cell *cell,
                         uint64_t word) {
  cell->change = touch_of_word(c, t, k);
  memcpy(&cell->value, (const void *)(uintptr_t)word, 4);
  cell->writers = UINT32_C(1) << cell->change.thread % PTX_LANES;
}

static void tell_line (const ptx_page *p, const ptx_cta *c, uint32_t number) {
  const ptx_line *line = &p->lines[number];
  uint64_t from = p->number * PTX_PAGE_BYTES + (uint64_t)number * PTX_LINE_BYTES;
  ptx_cell *cells = &p->cells[number * (PTX_LINE_BYTES / 4)];
  for (uint32_t k = 0; k < PTX_LINE_BYTES / 4; k++) {
    if ((line->change.words >> k & 1) != 0)
      tell_change(c, &line->change, k, &cells[k], from + 4 * k);
    if ((line->read.words >> k & 1) != 0) cells[k].read = touch_of_word(c, &line->read, k);
  }
}

ptx_cell *ptx_page_cell (ptx_page *p, const ptx_cta *c, uint64_t word) {
  uint32_t k = (uint32_t)(word % PTX_PAGE_BYTES / 4), line = k / (PTX_LINE_BYTES / 4);
  if (p->cells == NULL) p->cells = lcu_calloc(PTX_PAGE_WORDS, sizeof p->cells[0]);
  if (p->cells == NULL) return NULL;
  if (p->lines[line].change.told == 0) tell_line(p, c, line);
  p->lines[line].change.told = 1;
  return &p->cells[k];
}
