/* ptx_traffic.c: what one access of a warp costs: sectors of global memory, passes over the banks
 * of shared memory. */
#include "ptx_count.h"

enum { BANKS = 32, WORD = 4, PASS = BANKS * WORD };

/* ---- sectors */

static bool add_new (uint64_t *list, uint32_t *num, uint64_t value) {
  for (uint32_t i = *num; i-- > 0;)
    if (list[i] == value) return false;
  list[(*num)++] = value;
  return true;
}

uint32_t ptx_traffic_sectors (const ptx_span *spans, uint32_t num, uint64_t *sectors,
                              uint32_t *least) {
  uint64_t starts[PTX_LANES], bytes = 0;
  uint32_t n = 0, num_starts = 0;
  for (uint32_t i = 0; i < num; i++) {
    if (!add_new(starts, &num_starts, spans[i].address)) continue;
    bytes += spans[i].bytes;
    uint64_t end = (spans[i].address + spans[i].bytes - 1) / PTX_SECTOR;
    for (uint64_t s = spans[i].address / PTX_SECTOR; s <= end && n < PTX_MAX_SECTORS; s++)
      add_new(sectors, &n, s);
  }
  *least = (uint32_t)((bytes + PTX_SECTOR - 1) / PTX_SECTOR);
  return n;
}

/* ---- banks */

/* The words that a pass serves: those of one bank, in a list. */
typedef struct bank {
  uint32_t num;
  uint64_t words[PTX_LANES];
} bank;

static void add_span (bank *banks, const ptx_span *s, bool atomic) {
  uint64_t end = (s->address + s->bytes - 1) / WORD;
  for (uint64_t word = s->address / WORD; word <= end; word++) {
    bank *b = &banks[word % BANKS];
    if (b->num == PTX_LANES) continue;
    if (atomic) b->words[b->num++] = word;
    else add_new(b->words, &b->num, word);
  }
}

/* Lanes are served together as long as their bytes fit into one pass: all 32 with up to 4 bytes, 16
 * with 8, 8 with 16. */
static uint32_t group_of (const ptx_span *s, uint32_t i, bool by_lane) {
  uint32_t together = s->bytes <= WORD ? PTX_LANES : s->bytes >= PASS ? 1 : PASS / s->bytes;
  return (by_lane ? s->lane : i) / together;
}

static uint32_t passes_of (const ptx_span *spans, uint32_t from, uint32_t to, bool atomic) {
  bank banks[BANKS];
  uint32_t most = 0;
  for (int b = 0; b < BANKS; b++) banks[b].num = 0;
  for (uint32_t i = from; i < to; i++) add_span(banks, &spans[i], atomic);
  for (int b = 0; b < BANKS; b++) most = banks[b].num > most ? banks[b].num : most;
  return most;
}

/* Lines of a matrix may have one lane; they are grouped as they come. */
static bool are_by_lane (const ptx_span *spans, uint32_t num) {
  for (uint32_t i = 1; i < num; i++)
    if (spans[i].lane <= spans[i - 1].lane) return false;
  return true;
}

uint32_t ptx_traffic_wavefronts (const ptx_span *spans, uint32_t num, bool atomic,
                                 uint32_t *least) {
  uint32_t passes = 0, from = 0;
  bool by_lane = are_by_lane(spans, num);
  *least = 0;
  for (uint32_t i = 1; i <= num; i++) {
    bool ends =
      i == num || group_of(&spans[i], i, by_lane) != group_of(&spans[from], from, by_lane);
    if (!ends) continue;
    passes += passes_of(spans, from, i, atomic);
    *least += 1;
    from = i;
  }
  return passes;
}
