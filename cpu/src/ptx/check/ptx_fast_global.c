/* ptx_fast_global.c: with all checks on, accesses of compiled code to global memory, by lines.
 *
 * Contract: an access that is certainly right is noted in its lines, as ptx_check_global.c would
 * note it in cells. Certainly right means that its lanes access memory that was written, in a range
 * that the grid does not change, or words side by side that no other thread has accessed since the
 * block's latest barrier, and no other block at all. All else is left to ptx_check_global.c, whose
 * cells then get what the line knew, and the line is out of use here. */
#include <string.h>

#include "ptx_check_fast.h"
#include "ptx_check_pages.h"
#include "ptx_grid.h"

enum { ROW = 16 };

static uint32_t bytes_of (const ptx_uop *I) {
  return (uint32_t)I->size * (I->vector == 0 ? 1u : I->vector);
}

/* ---- whether memory was written */

/* Whether none of 8 bytes is 0. */
static bool are_written (const uint8_t *written) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint64_t x;
  memcpy(&x, written, 8);
  return ((x - ones) & ~x & ones << 7) == 0;
}

static bool is_written (const uint8_t *written, uint32_t bytes) {
  uint32_t word;
  if (bytes >= 4) {
    memcpy(&word, written, 4);
    if (word != 0) return true;
  }
  for (uint32_t k = 0; k < bytes; k++)
    if (__atomic_load_n(&written[k], __ATOMIC_RELAXED) != 0) return true;
  return false;
}

/* ---- lines */

/* Lanes of a row access words of a line. */
typedef struct line_visit {
  ptx_line *line;
  ptx_line_touch t;
  uint32_t epoch, each; /* words of a thread */
  const ptx_uop *uops;
  bool load;
} line_visit;

static bool is_same_thread (const line_visit *v, const ptx_line_touch *before) {
  const ptx_uop *I = &v->uops[before->uop];
  return before->cta == v->t.cta && before->thread == v->t.thread && bytes_of(I) == 4 * v->each;
}

static bool is_before_barrier (const line_visit *v, const ptx_line_touch *before) {
  return before->cta == v->t.cta && before->time < v->epoch;
}

static bool may_conflict (const line_visit *v, const ptx_line_touch *before) {
  return (before->words & v->t.words) != 0 && !is_same_thread(v, before) &&
         !is_before_barrier(v, before);
}

static bool can_replace (const line_visit *v, const ptx_line_touch *before) {
  return (before->words & ~v->t.words) == 0 && (before->words == 0 || is_same_thread(v, before));
}

/* A change that no longer matters can go, since only the latest one is kept. */
static bool is_fine (const line_visit *v) {
  const ptx_line *g = v->line;
  if (g->change.told != 0 || may_conflict(v, &g->change)) return false;
  if (v->load) return can_replace(v, &g->read);
  return !may_conflict(v, &g->read) && (g->change.words & ~v->t.words) == 0;
}

static void note_line (const line_visit *v) {
  if (v->load) v->line->read = v->t;
  else v->line->change = v->t;
}

/* ---- one access of a warp */

enum { MOST_LINES = 2 * 4 };

typedef struct rows {
  const ptx_uop *I;
  ptx_cta *c;
  const ptx_range *range;
  uint32_t each, bits, num, num_pages; /* each: bytes of a lane */
  ptx_page *pages[2];
  line_visit visits[MOST_LINES];
} rows;

/* The same pages are used again and again. No page has the number 0. */
static inline ptx_page *cached_page (ptx_cta *c, uint64_t number) {
  ptx_numbered *at = &c->pages[number % PTX_CTA_PAGES];
  if (lcu_unlikely(at->number != number))
    *at = (ptx_numbered){ number, ptx_page_of(c->grid->shadow, number) };
  return at->page;
}

/* The page, among those of this access; NULL: there are too many. */
static ptx_page *page_among (rows *r, uint64_t number) {
  for (uint32_t k = 0; k < r->num_pages; k++)
    if (r->pages[k]->number == number) return r->pages[k];
  ptx_page *p = r->num_pages < 2 ? cached_page(r->c, number) : NULL;
  if (p != NULL) r->pages[r->num_pages++] = p;
  return p;
}

/* The words of `lanes` lanes, from the first of `bits` on. */
static uint32_t words_of_lanes (uint32_t bits, uint32_t lanes, uint32_t each) {
  uint32_t words = 0, all = each == 32 ? UINT32_MAX : (1u << each) - 1;
  for (uint32_t l = 0; l < lanes; l++)
    if ((bits >> l & 1) != 0) words |= all << l * each;
  return words;
}

static bool add_lines (rows *r, uint64_t from, uint32_t thread, uint32_t bits) {
  uint32_t lanes = PTX_LINE_BYTES / r->each;
  for (uint32_t l = 0; l < ROW; l += lanes, from += PTX_LINE_BYTES) {
    uint32_t words = words_of_lanes(bits >> l, lanes, r->each / 4);
    if (words == 0) continue;
    ptx_page *p = page_among(r, from / PTX_PAGE_BYTES);
    if (p == NULL) return false;
    r->visits[r->num++] = (line_visit){
      .line = &p->lines[from % PTX_PAGE_BYTES / PTX_LINE_BYTES],
      .t = { .cta = (uint32_t)r->c->linear,
             .time = r->c->clock + 1,
             .thread = (uint16_t)(thread + l),
             .uop = (uint16_t)(r->I - r->c->grid->code->uops),
             .words = (uint16_t)words },
      .epoch = r->c->epoch,
      .each = r->each / 4,
      .uops = r->c->grid->code->uops,
      .load = ptx_id_access[r->I->id] == PTX_ACCESS_LOAD,
    };
  }
  return true;
}

static bool is_comparable (const rows *r, uint64_t low, uint64_t high) {
  const ptx_cta *c = r->c;
  return (low | high) % PTX_LINE_BYTES == 0 && r->each % 4 == 0 && c->grid->shadow != NULL &&
         c->linear < c->grid->shadow->num_ctas &&
         (r->I->flags & (PTX_F_GUESS | PTX_F_CONSTANT | PTX_F_VOLATILE)) == 0;
}

/* One worker alone needs no locks. */
static bool is_alone (const ptx_cta *c) { return c->grid->num_workers == 1; }

static void lock_pages (rows *r) {
  if (is_alone(r->c)) return;
  if (r->num_pages == 2 && r->pages[0]->number > r->pages[1]->number) {
    ptx_page *p = r->pages[0];
    r->pages[0] = r->pages[1];
    r->pages[1] = p;
  }
  for (uint32_t k = 0; k < r->num_pages; k++) ptx_page_lock(r->pages[k]);
}

static void unlock_pages (const rows *r) {
  if (is_alone(r->c)) return;
  for (uint32_t k = 0; k < r->num_pages; k++) ptx_page_unlock(r->pages[k]);
}

/* Locks the pages, and notes the access. False: neither. Two rows must not share lines. */
static bool note_rows (rows *r, uint64_t low, uint64_t high, uint32_t thread) {
  bool fine = is_comparable(r, low, high) && low != high &&
              add_lines(r, low, thread, r->bits & 0xffff) &&
              add_lines(r, high, thread + ROW, r->bits >> ROW);
  if (!fine) return false;
  lock_pages(r);
  for (uint32_t k = 0; k < r->num; k++) fine &= is_fine(&r->visits[k]);
  for (uint32_t k = 0; fine && k < r->num; k++) note_line(&r->visits[k]);
  if (fine) r->c->clock++;
  else unlock_pages(r);
  return fine;
}

static void set_up (rows *r, const ptx_uop *I, const ptx_warp *w, uint32_t bits) {
  r->I = I;
  r->c = ((const ptx_xwarp *)w)->cta;
  r->range = &w->last[I->c];
  r->each = bytes_of(I);
  r->bits = bits;
  r->num = r->num_pages = 0;
}

/* Of some lanes that are `distance` bytes apart. */
static bool row_is_written (const rows *r, uint64_t at, uint32_t distance, uint32_t lanes) {
  const uint8_t *written = r->range->written + (at - r->range->base);
  if (lanes == 0xffff && distance == r->each) {
    uint32_t k = 0, bytes = ROW * distance;
    while (k < bytes && are_written(written + k)) k += 8;
    if (k == bytes) return true;
  }
  for (uint32_t m = lanes; m != 0; m = distance == 0 ? 0 : m & (m - 1))
    if (!is_written(written + ptx_first_lane(m) * distance, r->each)) return false;
  return true;
}

/* ---- the usual case: all lanes access words side by side, in two lines of a page */

enum { PAIR_BYTES = 2 * PTX_LINE_BYTES };

typedef struct pair {
  ptx_cta *c;
  ptx_page *page;
  ptx_line *lines;
  uint32_t cta, time, thread, uop; /* of the touch */
} pair;

static inline bool is_pair (const ptx_uop *I, uint32_t bits, uint64_t low, uint64_t high) {
  const uint16_t others = PTX_F_GUESS | PTX_F_CONSTANT | PTX_F_VOLATILE;
  return bits == UINT32_MAX && I->size * I->vector == 4 && high == low + PTX_LINE_BYTES &&
         low % PAIR_BYTES == 0 && (I->flags & others) == 0;
}

/* Locks the page. False: there is none. */
static inline bool open_pair (pair *q, const ptx_uop *I, ptx_warp *w, uint64_t low) {
  ptx_cta *c = ((ptx_xwarp *)w)->cta;
  const ptx_global_shadow *s = c->grid->shadow;
  if (s == NULL || c->linear >= s->num_ctas) return false;
  q->c = c;
  q->page = cached_page(c, low / PTX_PAGE_BYTES);
  if (q->page == NULL) return false;
  q->lines = &q->page->lines[low % PTX_PAGE_BYTES / PTX_LINE_BYTES];
  q->cta = (uint32_t)c->linear;
  q->time = c->clock + 1;
  q->thread = w->warpid * PTX_LANES;
  q->uop = (uint32_t)(I - c->grid->code->uops);
  if (!is_alone(c)) ptx_page_lock(q->page);
  return true;
}

static inline void close_pair (const pair *q) {
  if (!is_alone(q->c)) ptx_page_unlock(q->page);
}

/* By the threads that access the line now, each the same word? */
static inline bool is_theirs (const pair *q, const ptx_line_touch *before, uint32_t thread) {
  if (before->cta != q->cta || before->thread != thread) return false;
  return before->uop == q->uop || bytes_of(&q->c->grid->code->uops[before->uop]) == 4;
}

static inline bool is_no_conflict (const pair *q, const ptx_line_touch *before, uint32_t thread) {
  return before->words == 0 || is_theirs(q, before, thread) ||
         (before->cta == q->cta && before->time < q->c->epoch);
}

static inline bool can_load (const pair *q, const ptx_line *g, uint32_t thread) {
  return g->change.told == 0 && is_no_conflict(q, &g->change, thread) &&
         (g->read.words == 0 || is_theirs(q, &g->read, thread));
}

static inline bool can_store (const pair *q, const ptx_line *g, uint32_t thread) {
  return g->change.told == 0 && is_no_conflict(q, &g->change, thread) &&
         is_no_conflict(q, &g->read, thread);
}

/* Not copied from a touch: a processor waits for what was just stored in parts. */
static inline void set_touch (const pair *q, ptx_line_touch *at, uint32_t thread) {
  at->cta = q->cta;
  at->time = q->time;
  at->thread = (uint16_t)thread;
  at->uop = (uint16_t)q->uop;
  at->words = UINT16_MAX;
}

static inline uint64_t eight_at (const uint8_t *p) {
  uint64_t x;
  memcpy(&x, p, 8);
  return x;
}

static inline bool pair_is_written (const uint8_t *written) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint64_t all = ones;
  for (const uint8_t *p = written; p < written + PAIR_BYTES; p += 32)
    all &= eight_at(p) & eight_at(p + 8) & eight_at(p + 16) & eight_at(p + 24);
  return all == ones;
}

static bool load_pair (const ptx_uop *I, ptx_warp *w, uint64_t low) {
  const ptx_range *r = &w->last[I->c];
  pair q;
  if (r->written != NULL && !pair_is_written(r->written + (low - r->base))) return false;
  if (!open_pair(&q, I, w, low)) return false;
  ptx_line *g = q.lines;
  bool fine = can_load(&q, &g[0], q.thread) && can_load(&q, &g[1], q.thread + (uint32_t)ROW);
  if (fine) {
    set_touch(&q, &g[0].read, q.thread);
    set_touch(&q, &g[1].read, q.thread + (uint32_t)ROW);
    q.c->clock = q.time;
  }
  close_pair(&q);
  return fine;
}

static bool store_pair (const ptx_uop *I, ptx_warp *w, uint64_t low, const void *values) {
  const ptx_range *r = &w->last[I->c];
  uint8_t *written = r->written == NULL ? NULL : r->written + (low - r->base);
  pair q;
  if (!open_pair(&q, I, w, low)) return false;
  ptx_line *g = q.lines;
  bool fine = can_store(&q, &g[0], q.thread) && can_store(&q, &g[1], q.thread + (uint32_t)ROW);
  if (fine) {
    set_touch(&q, &g[0].change, q.thread);
    set_touch(&q, &g[1].change, q.thread + (uint32_t)ROW);
    q.c->clock = q.time;
    memcpy((void *)(uintptr_t)low, values, PAIR_BYTES);
    if (written != NULL && !pair_is_written(written)) memset(written, 1, PAIR_BYTES);
  }
  close_pair(&q);
  return fine;
}

bool ptx_fast_global_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low,
                           uint64_t high, uint32_t distance) {
  rows r;
  if (w->last[I->c].compared && distance != 0 && is_pair(I, bits, low, high) &&
      load_pair(I, w, low))
    return true;
  set_up(&r, I, w, bits);
  uint32_t each = distance == 0 ? 0 : r.each;
  if (r.range->written != NULL && !(row_is_written(&r, low, each, bits & 0xffff) &&
                                    row_is_written(&r, high, each, bits >> ROW)))
    return false;
  if (!r.range->compared) return true;
  if (each == 0 || !note_rows(&r, low, high, w->warpid * PTX_LANES)) return false;
  unlock_pages(&r);
  return true;
}

bool ptx_fast_global_one (const ptx_uop *I, ptx_warp *w, uint64_t address) {
  const ptx_range *r = &w->last[I->c];
  if (r->compared) return false;
  return r->written == NULL || is_written(r->written + (address - r->base), bytes_of(I));
}

bool ptx_fast_global (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t from,
                      const uint32_t *offsets) {
  const ptx_range *r = &w->last[I->c];
  uint32_t each = bytes_of(I);
  if (r->compared) return false;
  for (uint32_t m = bits; m != 0 && r->written != NULL; m &= m - 1)
    if (!is_written(r->written + (from + offsets[ptx_first_lane(m)] - r->base), each)) return false;
  return true;
}

/* ---- stores */

static void set_written (const ptx_range *r, uint64_t at, uint32_t bytes) {
  uint8_t *written = r->written + (at - r->base);
  uint32_t k = 0;
  for (; k + 8 <= bytes; k += 8)
    if (!are_written(written + k)) memset(written + k, 1, 8);
  for (; k < bytes; k++) __atomic_store_n(&written[k], 1, __ATOMIC_RELAXED);
}

static void store_row (const rows *r, uint64_t to, uint32_t bits, const uint8_t *values) {
  if (bits == 0xffff) {
    memcpy((void *)(uintptr_t)to, values, (size_t)ROW * r->each);
    if (r->range->written != NULL) set_written(r->range, to, ROW * r->each);
    return;
  }
  for (uint32_t m = bits; m != 0; m &= m - 1) {
    uint32_t l = ptx_first_lane(m);
    memcpy((void *)(uintptr_t)(to + l * r->each), values + l * r->each, r->each);
    if (r->range->written != NULL) set_written(r->range, to + l * r->each, r->each);
  }
}

bool ptx_fast_store_rows (const ptx_uop *I, ptx_warp *w, uint32_t bits, uint64_t low, uint64_t high,
                          const void *values) {
  rows r;
  if (!w->last[I->c].compared) return false;
  if (is_pair(I, bits, low, high) && store_pair(I, w, low, values)) return true;
  set_up(&r, I, w, bits);
  if (!note_rows(&r, low, high, w->warpid * PTX_LANES)) return false;
  store_row(&r, low, bits & 0xffff, values);
  store_row(&r, high, bits >> ROW, (const uint8_t *)values + (size_t)ROW * r.each);
  unlock_pages(&r);
  return true;
}
