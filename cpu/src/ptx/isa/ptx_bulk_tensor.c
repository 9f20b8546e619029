/* ptx_bulk_tensor.c: copies of boxes between a tensor in global memory and shared memory, and
 * reductions into tensors (9.7.9.25.5), lane by lane. They are in flight when they have been
 * issued (ptx_flight.h). */
#include "ptx_bulk.h"

#include <stdio.h>
#include <string.h>

#include "ptx_atomic.h"
#include "ptx_handlers.h"
#include "ptx_lanes.h"
#include "ptx_memory.h"
#include "ptx_tensormap.h"

enum { ALIGNMENT = 128, BOX_UNIT = 16 }; /* of boxes in shared memory */

/* One copy of one box. */
typedef struct box {
  ptx_flight f;
  const ptx_uop *I;
  ptx_warp *w;
  uint32_t lane;
  ptx_tensormap map;
  int64_t at[PTX_TENSORMAP_RANK]; /* coordinates of the first element, or pixel */
  uint32_t offset[PTX_TENSORMAP_SPACE];
  int64_t rows[BULK_ROWS]; /* their second coordinates, if there are four */
  uint64_t shared;         /* address of the box */
  uint8_t *storage;        /* of that address; f.source of a store */
} box;

static uint64_t box_address (const box *b, const uint8_t *rf, int which) {
  const struct ptx_uop_extra *e = b->I->extra;
  return PTX_SLOT(u64, rf, e->slots[which])[b->lane] + (uint64_t)e->imm[which];
}

/* ---- the map ---- */

/* Kernels change maps that the driver has checked. */
static bool swizzle_fits (const ptx_tensormap *t) {
  return t->swizzle_bits == 0 || (uint32_t)t->box[0] * t->element_bytes == (uint32_t)BOX_UNIT
                                                                             << t->swizzle_bits;
}

static bool read_map (box *b, const uint8_t *rf) {
  uint8_t bytes[PTX_TENSORMAP_BYTES];
  uint64_t at = box_address(b, rf, BULK_FROM);
  if (!ptx_memory_read(b->w, PTX_GENERIC, b->lane, at, bytes, sizeof bytes)) return false;
  memcpy(&b->map, bytes, sizeof b->map);
  uint32_t dims = (uint32_t)(b->I->extra->num - BULK_VALUES);
  if (b->map.magic != PTX_TENSORMAP_MAGIC)
    return ptx_memory_fault(b->w, PTX_GENERIC, b->lane, at, 0, false, PTX_FAULT_OUT_OF_BOUNDS,
                            "there is no tensor map");
  char detail[96];
  if (b->map.rank != dims)
    snprintf(detail, sizeof detail, "the tensor map has %u dimensions, the instruction %u",
             b->map.rank, dims);
  else if (b->map.im2col != (b->I->imm == BULK_IM2COL))
    snprintf(detail, sizeof detail, "the tensor map is of mode %s, the instruction is not",
             b->map.im2col ? "im2col" : "tile");
  else if (!swizzle_fits(&b->map))
    snprintf(detail, sizeof detail, "a row of the box has %u bytes, which its swizzle does not fit",
             b->map.box[0] * b->map.element_bytes);
  else if (b->I->imm == BULK_FOUR_ROWS && b->map.box[1] != 1)
    snprintf(detail, sizeof detail, "the box has %u rows; copies of four rows need one of one row",
             b->map.box[1]);
  else return true;
  return ptx_memory_fault(b->w, PTX_GENERIC, b->lane, at, 0, false, PTX_FAULT_OUT_OF_BOUNDS,
                          detail);
}

/* GPUs read and write units of 16 bytes of a row, whole ones from its start on. */
static bool starts_unit (const box *b, const uint8_t *rf) {
  int64_t bytes = b->at[0] * b->map.element_bytes;
  char detail[112];
  if (bytes % BOX_UNIT == 0) return true;
  snprintf(detail, sizeof detail,
           "coordinate %lld of the innermost dimension is at byte %lld, not a multiple of %d",
           (long long)b->at[0], (long long)bytes, BOX_UNIT);
  return ptx_memory_fault(b->w, PTX_GENERIC, b->lane, box_address(b, rf, BULK_FROM), 0, false,
                          PTX_FAULT_MISALIGNED, detail);
}

static bool outside_box (const box *b, const uint8_t *rf, const char *what, uint32_t k,
                         int64_t at) {
  char detail[128];
  snprintf(detail, sizeof detail,
           "%s %lld of dimension %u: GPUs do not write boxes that begin outside the tensor", what,
           (long long)at, k);
  return ptx_memory_fault(b->w, PTX_GENERIC, b->lane, box_address(b, rf, BULK_FROM), 0, false,
                          PTX_FAULT_OUT_OF_BOUNDS, detail);
}

/* An H200 stops at any other one with an illegal instruction. */
static bool can_write (const box *b, const uint8_t *rf) {
  const ptx_tensormap *t = &b->map;
  for (uint32_t k = 0; k < t->rank; k++)
    if (b->at[k] < 0) return outside_box(b, rf, "coordinate", k, b->at[k]);
  for (uint32_t k = 0; k < t->rank - 2u && t->im2col; k++) {
    if (t->low[k] < 0) return outside_box(b, rf, "lower corner", k + 1, t->low[k]);
    if (t->high[k] > 0) return outside_box(b, rf, "upper corner", k + 1, t->high[k]);
  }
  return true;
}

static bool open_box (box *b, const uint8_t *rf) {
  if (!read_map(b, rf)) return false;
  for (uint32_t k = 0; k < b->map.rank; k++)
    b->at[k] = PTX_SLOT(s32, rf, b->I->extra->slots[BULK_VALUES + k])[b->lane];
  for (uint32_t k = 0; k < BULK_ROWS && b->I->imm == BULK_FOUR_ROWS; k++)
    b->rows[k] = PTX_SLOT(s32, rf, b->I->extra->slots[BULK_VALUES + 1 + k])[b->lane];
  for (uint32_t k = 0; k < PTX_TENSORMAP_SPACE && b->I->imm == BULK_IM2COL; k++) {
    int32_t slot = b->I->extra->slots[BULK_OFFSETS + k];
    b->offset[k] = slot < 0 ? 0 : PTX_SLOT(u32, rf, slot)[b->lane];
  }
  b->shared = box_address(b, rf, BULK_TO);
  return starts_unit(b, rf) && (b->I->space != PTX_GLOBAL || can_write(b, rf));
}

/* ---- elements ---- */

/* Where a byte of the box is: 16-byte units are exchanged within a line, by bits of the address. */
static uint8_t *swizzled_box (const box *b, uint32_t offset) {
  uint32_t at = (uint32_t)(b->shared % PTX_PEER_BYTES) + offset,
           mask = (1u << b->map.swizzle_bits) - 1u;
  return b->storage + offset + (int32_t)((at ^ (((at >> 7) & mask) << 4)) - at);
}

/* Coordinate k of a row of the box; *row: its number among those that differ from k on. */
static int64_t box_coordinate (const box *b, uint32_t k, uint32_t *row) {
  const ptx_tensormap *t = &b->map;
  if (t->im2col) return b->at[k] + (k < t->rank - 1u ? b->offset[k - 1] : 0);
  if (b->I->imm == BULK_FOUR_ROWS) return b->rows[*row];
  uint32_t n = ptx_tensormap_count(t, k), i = *row % n;
  *row /= n;
  return b->at[k] + (int64_t)i * t->step[k];
}

/* The address of row number `row` of the box, of all elements along dimension 0. False: it is
 * outside the tensor. */
static bool row_address (const box *b, uint32_t row, uint64_t *out) {
  const ptx_tensormap *t = &b->map;
  *out = t->address;
  for (uint32_t k = 1; k < t->rank; k++) {
    int64_t c = box_coordinate(b, k, &row);
    if (c < 0 || c > (int64_t)t->last[k]) return false;
    *out += (uint64_t)c * t->stride[k];
  }
  return true;
}

/* im2col: goes on to the next pixel of the area, then to the next image. */
static void next_pixel (box *b) {
  const ptx_tensormap *t = &b->map;
  for (uint32_t k = 1; k < t->rank - 1u; k++) {
    b->at[k] += t->step[k];
    if (b->at[k] <= (int64_t)t->last[k] + t->high[k - 1]) return;
    b->at[k] = t->low[k - 1];
  }
  b->at[t->rank - 1u] += t->step[t->rank - 1u];
}

/* The elements of a row that are inside: [*from, *to). GPUs write whole units, so what lies between
 * the end of a row and that of its last unit is written, too (seen on an H200). */
static void row_inside (const box *b, bool load, uint32_t *from, uint32_t *to) {
  int64_t n = b->map.box[0], x = b->at[0], end = (int64_t)b->map.last[0] + 1 - x;
  int64_t unit = BOX_UNIT / b->map.element_bytes;
  if (!load) end = (end + unit - 1) / unit * unit;
  *from = x < 0 ? (uint32_t)(-x < n ? -x : n) : 0;
  *to = end < 0 ? 0 : end < n ? (uint32_t)end : (uint32_t)n;
  if (*to < *from) *to = *from;
}

/* The bytes from `at` on of a row, of which those from `first` to `end` are inside. NaN of any
 * width has all bits set. */
static void load_unit (const box *b, uint8_t *to, const uint8_t *from, uint32_t at, uint32_t bytes,
                       uint32_t first, uint32_t end) {
  if (lcu_likely(bytes == BOX_UNIT && at >= first && at + BOX_UNIT <= end)) {
    memcpy(to, from + (at - first), BOX_UNIT);
    return;
  }
  for (uint32_t k = 0; k < bytes; k++)
    to[k] = at + k >= first && at + k < end ? from[at + k - first] : b->map.fill_nan ? 0xff : 0;
}

/* To nearest even; infinities and NaN stay. */
static void round_to_tf32 (uint8_t unit[BOX_UNIT], uint32_t bytes) {
  uint32_t words[BOX_UNIT / 4] = { 0 };
  memcpy(words, unit, bytes);
  for (uint32_t k = 0; k < lcu_arraylen(words); k++)
    if ((words[k] & 0x7f800000u) != 0x7f800000u)
      words[k] = (words[k] + 0xfffu + (words[k] >> 13 & 1u)) & ~0x1fffu;
  memcpy(unit, words, bytes);
}

static void load_row (const box *b, uint32_t row, const uint8_t *from, uint32_t first,
                      uint32_t end) {
  uint32_t size = b->map.element_bytes, bytes = b->map.box[0] * size;
  for (uint32_t at = 0; at < bytes; at += BOX_UNIT) {
    uint32_t left = bytes - at, now = left < BOX_UNIT ? left : BOX_UNIT;
    uint8_t *to = swizzled_box(b, row * bytes + at);
    load_unit(b, to, from, at, now, first * size, end * size);
    if (b->map.type == PTX_TENSORMAP_TF32) round_to_tf32(to, now);
  }
}

static ptx_type type_of (const ptx_tensormap *t) {
  static const ptx_type types[PTX_TENSORMAP_TYPES] = {
    [PTX_TENSORMAP_U8] = PTX_U8,     [PTX_TENSORMAP_U16] = PTX_U16, [PTX_TENSORMAP_U32] = PTX_U32,
    [PTX_TENSORMAP_S32] = PTX_S32,   [PTX_TENSORMAP_U64] = PTX_U64, [PTX_TENSORMAP_S64] = PTX_S64,
    [PTX_TENSORMAP_F16] = PTX_F16,   [PTX_TENSORMAP_F32] = PTX_F32, [PTX_TENSORMAP_F64] = PTX_F64,
    [PTX_TENSORMAP_BF16] = PTX_BF16, [PTX_TENSORMAP_TF32] = PTX_F32
  };
  return types[t->type];
}

static void store_row (const box *b, uint32_t row, uint8_t *to, uint32_t first, uint32_t end) {
  uint32_t size = b->map.element_bytes, start = row * b->map.box[0] * size;
  ptx_mode mode = (ptx_mode)b->I->extra->imm[BULK_CHANGE];
  for (uint32_t k = first; k < end; k++, to += size) {
    const uint8_t *from = swizzled_box(b, start + k * size);
    uint64_t value = 0;
    memcpy(&value, from, size);
    if (mode == PTX_MODE_none) memcpy(to, from, size);
    else ptx_atomic_change(to, false, size, mode, type_of(&b->map), value);
  }
}

/* The part of a row that is inside the tensor, and where that is. False: w->fault is set. */
typedef struct row_part {
  uint32_t first, end;
  uint8_t *there;
} row_part;

static bool find_row (const box *b, uint32_t row, bool load, row_part *p) {
  uint64_t at;
  row_inside(b, load, &p->first, &p->end);
  if (!row_address(b, row, &at)) p->end = p->first = 0;
  if (p->end <= p->first) return true;
  uint32_t size = b->map.element_bytes;
  at += (uint64_t)(b->at[0] + p->first) * size;
  p->there = ptx_memory_block(b->w, PTX_GLOBAL, b->lane, at, (p->end - p->first) * size, 1, !load);
  return p->there != NULL;
}

static bool check_row (const box *b, uint32_t row, bool load, const void *unused) {
  row_part p;
  (void)unused;
  return find_row(b, row, load, &p);
}

static bool move_row (const box *b, uint32_t row, bool load, const void *unused) {
  row_part p;
  (void)unused;
  if (!find_row(b, row, load, &p)) return false;
  if (load) load_row(b, row, p.there, p.first, p.end);
  else if (p.end > p.first) store_row(b, row, p.there, p.first, p.end);
  return true;
}

static uint32_t box_rows (const box *b) {
  uint32_t rows = 1;
  if (b->I->imm == BULK_FOUR_ROWS) return BULK_ROWS;
  for (uint32_t k = 1; k < b->map.rank; k++) rows *= ptx_tensormap_count(&b->map, k);
  return rows;
}

static uint32_t box_bytes (const box *b) {
  return box_rows(b) * b->map.box[0] * b->map.element_bytes;
}

/* Calls `f` for each row. */
static bool each_row (const box *from, bool load,
                      bool (*f)(const box *b, uint32_t row, bool load, const void *ud),
                      const void *ud) {
  box copy = *from, *b = &copy;
  uint32_t rows = box_rows(b);
  for (uint32_t row = 0; row < rows; row++) {
    if (!f(b, row, load, ud)) return false;
    if (b->map.im2col) next_pixel(b);
  }
  return true;
}

static void land_load (ptx_flight *f, uint32_t lanes) {
  (void)lanes;
  (void)each_row((const void *)f, true, move_row, NULL);
}

static void land_store (ptx_flight *f, uint32_t lanes) {
  box *b = (void *)f;
  (void)lanes;
  b->storage = (uint8_t *)(uintptr_t)f->source;
  (void)each_row(b, false, move_row, NULL);
}

/* Whether the box in the tensor has some of the n bytes. */
typedef struct searched_bytes {
  const uint8_t *p;
  uint32_t n;
} searched_bytes;

static bool misses_row (const box *b, uint32_t row, bool load, const void *ud) {
  const searched_bytes *s = ud;
  row_part p;
  if (!find_row(b, row, load, &p) || p.end <= p.first) return true;
  uint32_t bytes = (p.end - p.first) * b->map.element_bytes;
  return s->p >= p.there + bytes || p.there >= s->p + s->n;
}

static bool touches_box (const ptx_flight *f, const uint8_t *p, uint32_t n) {
  return !each_row((const void *)f, !f->leaves, misses_row, &(searched_bytes){ p, n });
}

static bool send_box (box *b, const uint8_t *rf, const ptx_span *s, bool load) {
  b->shared = s->address;
  b->storage = ptx_memory_block(b->w, load ? b->I->space : PTX_SHARED, b->lane, b->shared, s->bytes,
                                ALIGNMENT, load);
  if (b->storage == NULL || !each_row(b, load, check_row, NULL)) return false;
  b->f = (ptx_flight){ .land = load ? land_load : land_store,
                       .size = sizeof *b,
                       .leaves = !load,
                       .source = load ? NULL : b->storage,
                       .target = load ? b->storage : NULL,
                       .source_bytes = s->bytes,
                       .target_bytes = s->bytes,
                       .combines = b->I->extra->imm[BULK_CHANGE] != PTX_MODE_none,
                       .touches = touches_box };
  b->w->stored = 1;
  return ptx_bulk_await(b->I, rf, b->w, s, &b->f);
}

/* ---- the instruction ---- */

/* Reductions need a type that the operation has. */
static bool check_type (const box *b, const uint8_t *rf) {
  ptx_mode mode = (ptx_mode)b->I->extra->imm[BULK_CHANGE];
  ptx_type t = type_of(&b->map);
  bool half = t == PTX_F16 || t == PTX_BF16;
  bool extreme = mode == PTX_MODE_min || mode == PTX_MODE_max;
  bool logic = mode == PTX_MODE_and || mode == PTX_MODE_or || mode == PTX_MODE_xor;
  if (mode == PTX_MODE_none || (half && extreme) || (logic && t == PTX_S64)) return true;
  if (ptx_atomic_known(mode, t, true)) return true;
  return ptx_memory_fault(b->w, PTX_GENERIC, b->lane, box_address(b, rf, BULK_FROM), 0, false,
                          PTX_FAULT_UNSUPPORTED,
                          "the operation does not exist for the elements of this tensor");
}

static bool send_boxes (box *b, const uint8_t *rf, bool load) {
  ptx_span spans[PTX_MAX_CLUSTER];
  uint32_t n = load ? ptx_bulk_targets(b->I, rf, b->lane, box_bytes(b), spans) : 1;
  if (!load) spans[0] = (ptx_span){ .address = b->shared, .lane = b->lane, .bytes = box_bytes(b) };
  for (uint32_t i = 0; i < n; i++)
    if (!send_box(b, rf, &spans[i], load)) return false;
  return true;
}

const ptx_uop *ptx_handle_cp_tensor (const ptx_uop *I, uint8_t *rf, ptx_warp *w) {
  PTX_EACH_ACTIVE(l, w->mask) {
    box b = { .I = I, .w = w, .lane = l };
    if (!open_box(&b, rf) || !check_type(&b, rf) || !send_boxes(&b, rf, I->space != PTX_GLOBAL))
      return ptx_leave(w, PTX_EV_FAULT, I);
  }
  return I + 1;
}

uint32_t ptx_tensor_spans (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                           ptx_span spans[PTX_MAX_CLUSTER]) {
  box b = { .I = I, .w = w, .lane = lane };
  if (I->space == PTX_GLOBAL || !read_map(&b, rf)) return 0;
  return ptx_bulk_targets(I, rf, lane, box_bytes(&b), spans);
}

bool ptx_tensor_source (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                        ptx_span *span) {
  box b = { .I = I, .w = w, .lane = lane };
  if (I->space != PTX_GLOBAL || !read_map(&b, rf)) return false;
  *span =
    (ptx_span){ .address = box_address(&b, rf, BULK_TO), .bytes = box_bytes(&b), .lane = lane };
  return true;
}

/* ---- the parts of a box, for the checks ---- */

typedef struct shown_box {
  ptx_box_fn *each;
  void *ud;
} shown_box;

/* A row that is loaded, or the units of one that is stored. */
static bool show_row (const box *b, uint32_t row, bool load, const void *ud) {
  const shown_box *to = ud;
  row_part p;
  if (!find_row(b, row, load, &p)) return false;
  uint32_t size = b->map.element_bytes, bytes = (p.end - p.first) * size;
  uint32_t start = row * b->map.box[0] * size, step = load ? bytes : BOX_UNIT;
  for (uint32_t at = 0; at < bytes; at += step) {
    const uint8_t *stored = b->storage == NULL ? NULL : swizzled_box(b, start + at);
    uint32_t left = bytes - at;
    if (!to->each(to->ud, (uint64_t)(uintptr_t)(p.there + at), left < step ? left : step, stored))
      return false;
  }
  return true;
}

void ptx_tensor_show (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane,
                      ptx_box_fn *each, void *ud) {
  box b = { .I = I, .w = w, .lane = lane };
  bool load = I->space != PTX_GLOBAL;
  if (!open_box(&b, rf)) return;
  if (!load)
    b.storage = ptx_memory_block(w, PTX_SHARED, lane, b.shared, box_bytes(&b), ALIGNMENT, false);
  if (load || b.storage != NULL) each_row(&b, load, show_row, &(shown_box){ each, ud });
}

void ptx_tensor_show_flight (const ptx_flight *f, ptx_box_fn *each, void *ud) {
  each_row((const void *)f, !f->leaves, show_row, &(shown_box){ each, ud });
}

uint32_t ptx_tensor_swizzle (const ptx_uop *I, const uint8_t *rf, ptx_warp *w, uint32_t lane) {
  box b = { .I = I, .w = w, .lane = lane };
  return read_map(&b, rf) ? b.map.swizzle_bits : 0;
}
