/* lcu_reduce.c: plans reductions: axes, vectors, and the division into blocks. */
#include "lcu_reduce.h"

#include "lcu_axes.h"

/* Tuning constants, for GPUs of about 130 multiprocessors. reduction_source.lua repeats some of
 * them. */
enum {
  GPU_BLOCK = 256, /* threads; the generated kernels are compiled for it */
  WARP = 32,
  IN_FLIGHT = 4,        /* vectors that a thread loads at a time */
  IN_FLIGHT_SINGLE = 8, /* the same for vectors of one element */
  MOST_UNROLLED = 32,   /* elements of these */
  LINE = 8,
  LINE_SINGLE = 32,          /* neighbors that read a cache line together */
  MOST_UNIT = 64,            /* bytes of the widest operand in a unit */
  LEAST_PEELED = 128,        /* bytes of a row that may begin between two vectors */
  GPU_WANTED_BLOCKS = 2112,  /* rows: 16 per multiprocessor */
  GPU_WANTED_COLUMNS = 1056, /* blocks of columns, whose threads join more */
  CPU_WANTED_BLOCKS = 64,
  MOST_STRIPS = 8,          /* results of a thread in columns, on the CPU device */
  LEAST_SERIAL = 16 * 1024, /* elements of a block there, where columns are divided */
  ENOUGH_COLUMNS = 1024,    /* of a warp there */
  MOST_PARTS = 64,
  SHORT_ROW = 512,                 /* bytes of a row that one thread of the CPU device reduces */
  LEAST_SPLIT = 16 * GPU_BLOCK,    /* units of a result from which a second pass is worthwhile */
  LEAST_CHUNK = 4 * GPU_BLOCK,     /* units of a segment */
  MOST_ROWS = 4,                   /* that a thread loads together */
  LEAST_ROWS = 16,                 /* rows of a segment, per row of threads */
  ENOUGH_THREADS = 132 * 2048 * 2, /* enough for one result each */
  ENOUGH_OF_ROWS = 132 * 1024,     /* enough where each loads several rows */
  MOST_SEGMENTS = 32768
};

/* Of the plan `r`. The CPU device runs warps one after the other, and one that goes on costs less
 * than one that starts. */
#define BLOCK (r->serial ? (uint32_t)WARP : (uint32_t)GPU_BLOCK)
#define WANTED_BLOCKS (r->serial ? (uint64_t)CPU_WANTED_BLOCKS : (uint64_t)GPU_WANTED_BLOCKS)
#define WANTED_COLUMNS (r->serial ? (uint64_t)CPU_WANTED_BLOCKS : (uint64_t)GPU_WANTED_COLUMNS)

static uint64_t ceil_div (uint64_t a, uint64_t b) { return a / b + (a % b != 0); }
static uint64_t least (uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The smallest power of two that is at least n, between 1 and `most`. */
static uint32_t power (uint64_t n, uint32_t most) {
  uint32_t p = 1;
  while (p < n && p < most) p *= 2;
  return p;
}

/* ---- axes ---- */

static lcu_axes reduce_axes (lcu_reduce *r) { return (lcu_axes){ r->dims, r->operands, r->num }; }

/* Kept axes first, in their order, without axes of one element. */
static void part_axes (lcu_reduce *r) {
  int n = 0;
  uint32_t reduced = 0;
  for (int d = 0; d < r->ndim; d++) {
    if (r->dims[d] == 1) continue;
    if (r->reduced >> d & 1) reduced |= 1u << n;
    lcu_axes_move(reduce_axes(r), n++, d);
  }
  r->kept = 0;
  for (int d = 0; d < n; d++) {
    if (reduced >> d & 1) continue;
    for (int e = d; e > r->kept; e--) lcu_axes_swap(reduce_axes(r), e - 1, e);
    r->kept++;
  }
  r->inner = n - r->kept;
}

static void insert_axis (lcu_reduce *r, int at) {
  for (int d = r->kept + r->inner; d > at; d--) lcu_axes_move(reduce_axes(r), d, d - 1);
  r->dims[at] = 1;
  for (int j = 0; j < r->num; j++) r->operands[j].strides[at] = 0;
}

/* The input that covers the most memory leads: its axes determine the order. -1: no input is an
 * array. */
static int leader (const lcu_reduce *r) {
  int lead = -1;
  double most = 0;
  for (int j = 0; j < r->num_inputs; j++) {
    double bytes = (double)r->operands[j].itemsize;
    for (int d = 0; d < r->ndim; d++)
      if (r->operands[j].strides[d] != 0) bytes *= (double)r->dims[d];
    if (bytes > most) {
      most = bytes;
      lead = j;
    }
  }
  return lead;
}

static void order_axes (lcu_reduce *r, int lead) {
  part_axes(r);
  if (lead >= 0) {
    lcu_axes_sort(reduce_axes(r), &r->operands[lead], 0, r->kept);
    lcu_axes_sort(reduce_axes(r), &r->operands[lead], r->kept, r->inner);
  }
  int kept = lcu_axes_merge(reduce_axes(r), 0, 0, r->kept);
  r->inner = lcu_axes_merge(reduce_axes(r), kept, r->kept, r->inner);
  r->kept = kept;
  if (r->kept == 0) {
    insert_axis(r, 0);
    r->kept = 1;
  }
  if (r->inner == 0) {
    insert_axis(r, r->kept);
    r->inner = 1;
  }
}

static uint64_t volume (const lcu_reduce *r, int first, int n) {
  uint64_t v = 1;
  for (int d = first; d < first + n; d++) v *= (uint64_t)r->dims[d];
  return v;
}

/* The reduced elements of a result follow each other in every input, or are the same one. */
static bool is_run (const lcu_reduce *r) {
  if (r->inner > 1) return false;
  for (int j = 0; j < r->num_inputs; j++)
    if (r->operands[j].strides[r->kept] != (int64_t)r->operands[j].itemsize) return false;
  return true;
}

/* Threads run along the axis where the leader's elements are closest. */
static lcu_reduce_mode choose_mode (const lcu_reduce *r, int lead) {
  if (r->results == 1) return LCU_REDUCE_ROWS;
  if (r->n == 1 || lead < 0) return LCU_REDUCE_COLUMNS;
  const int64_t *s = r->operands[lead].strides;
  uint64_t kept = lcu_magnitude(s[r->kept - 1]), inner = lcu_magnitude(s[r->kept + r->inner - 1]);
  if (kept == 0 || inner == 0) return kept == 0 ? LCU_REDUCE_ROWS : LCU_REDUCE_COLUMNS;
  if (r->serial && r->kept == 1 && r->results >= WARP && is_run(r) &&
      r->n * r->operands[lead].itemsize <= SHORT_ROW)
    return LCU_REDUCE_COLUMNS;
  return inner <= kept ? LCU_REDUCE_ROWS : LCU_REDUCE_COLUMNS;
}

/* The axis that the threads of a block run along. */
static int along_axis (const lcu_reduce *r) {
  return r->mode == LCU_REDUCE_ROWS ? r->kept + r->inner - 1 : r->kept - 1;
}

static void classify_reduce (lcu_reduce *r) {
  int p = along_axis(r);
  for (int j = 0; j < r->num; j++) {
    lcu_operand *o = &r->operands[j];
    if (o->itemsize == 0) o->along = LCU_STRIDE_ANY;
    else
      o->along = o->strides[p] == 0                      ? LCU_STRIDE_ZERO
                 : o->strides[p] == (int64_t)o->itemsize ? LCU_STRIDE_UNIT
                                                         : LCU_STRIDE_ANY;
  }
}


/* ---- vectors ---- */

/* Rows write single results. */
static bool in_vectors (const lcu_reduce *r, int j) {
  return r->operands[j].itemsize != 0 && (j < r->num_inputs || r->mode == LCU_REDUCE_COLUMNS);
}

/* Structs may have any size; accesses hold a power of two. */
static int widest_reduce (const lcu_reduce *r) {
  uint32_t small = LCU_MOST_ACCESS, most = 1;
  for (int j = 0; j < r->num; j++) {
    uint32_t n = r->operands[j].itemsize;
    if (!in_vectors(r, j)) continue;
    if ((n & (n - 1)) != 0) return 1;
    if (n < small && j < r->num_inputs && r->operands[j].along == LCU_STRIDE_UNIT) small = n;
    if (n > most) most = n;
  }
  int v = (int)(LCU_MOST_ACCESS / small);
  while (v > 1 && (uint32_t)v * most > MOST_UNIT) v /= 2;
  return v;
}

static bool is_aligned_reduce (const lcu_reduce *r, int v) {
  int p = along_axis(r);
  for (int j = 0; j < r->num; j++) {
    const lcu_operand *o = &r->operands[j];
    uint64_t bits = o->address, step = least((uint64_t)v * o->itemsize, LCU_MOST_ACCESS);
    if (o->along != LCU_STRIDE_UNIT || !in_vectors(r, j)) continue;
    for (int d = 0; d < r->kept + r->inner; d++)
      if (d != p && r->dims[d] > 1) bits |= (uint64_t)o->strides[d];
    if (bits % step != 0) return false;
  }
  return true;
}

/* Are the addresses of rows multiples of the size, as those of dtypes are, and not only of the
 * alignment of a struct? */
static bool sits_on_size (const lcu_reduce *r, const lcu_operand *o) {
  uint64_t bits = o->address;
  for (int d = 0; d < r->kept + r->inner; d++)
    if (r->dims[d] > 1) bits |= (uint64_t)o->strides[d];
  return (bits & (o->itemsize - 1)) == 0;
}

/* Long rows that are one run of a single input; `v`: the vectors that are aligned without it. */
static bool can_peel (const lcu_reduce *r, int v) {
  uint64_t bytes = 0;
  int runs = 0;
  if (r->mode == LCU_REDUCE_COLUMNS || r->inner > 1) return false;
  for (int j = 0; j < r->num_inputs; j++) {
    if (r->operands[j].along != LCU_STRIDE_UNIT) continue;
    if (!sits_on_size(r, &r->operands[j])) return false;
    runs++;
    bytes = r->n * r->operands[j].itemsize;
  }
  return runs == 1 && bytes >= (v == 1 ? LEAST_PEELED : 2 * LEAST_PEELED);
}

/* A row that is one contiguous run may end, and a long one may begin, with less than a vector. */
static void choose_reduce_vector (lcu_reduce *r) {
  int p = along_axis(r), most = widest_reduce(r), v = most;
  bool whole = r->mode == LCU_REDUCE_COLUMNS || r->inner > 1;
  while (v > 1 && (!is_aligned_reduce(r, v) || (whole && r->dims[p] % v != 0))) v /= 2;
  /* a warp of the CPU device has the same row */
  while (r->serial && r->mode == LCU_REDUCE_COLUMNS && v > 1 && r->dims[p] < v * WARP) v /= 2;
  r->peeled = v < most && can_peel(r, v);
  r->vector = r->peeled ? most : v;
}


/* ---- blocks ---- */

static void cut (lcu_reduce *r, uint64_t count, uint64_t segments) {
  if (segments < 1) segments = 1;
  if (segments > MOST_SEGMENTS) segments = MOST_SEGMENTS;
  r->chunk = ceil_div(count, segments);
  if (r->chunk == 0) r->chunk = 1;
  r->segments = ceil_div(count, r->chunk);
  if (r->segments == 0) r->segments = 1;
}

/* The units that a thread loads at a time. */
static uint32_t batch_of (const lcu_reduce *r) {
  if (r->vector == 1) return IN_FLIGHT_SINGLE;
  return (uint32_t)least(IN_FLIGHT, MOST_UNROLLED / (uint64_t)r->vector);
}

/* Fewer threads than `tx` where many of these would have less to load than others. */
static uint32_t busy_threads (const lcu_reduce *r, uint32_t tx, uint32_t batch) {
  uint32_t best = tx;
  for (uint32_t t = tx / 2; t > 0 && ceil_div(r->units, t) <= batch; t /= 2)
    if (13 * t * ceil_div(r->units, t) <= 10 * best * ceil_div(r->units, best)) best = t;
  return best;
}

/* The threads of a result: enough that each loads once, and that neighbors read cache lines
 * together; fewer where there are many results. One thread handles a row of a few elements. */
static uint32_t row_threads (const lcu_reduce *r, uint32_t batch) {
  uint32_t tx = power(ceil_div(r->units, batch), BLOCK);
  uint32_t together = power(r->units, r->vector == 1 ? LINE_SINGLE : LINE);
  if (r->vector == 1 && r->units <= batch) return 1;
  if (tx < together) tx = together;
  while (tx > WARP && r->results * (tx / 2) >= ENOUGH_THREADS) tx /= 2;
  return tx > WARP ? tx : busy_threads(r, tx, batch);
}

/* The rows whose units a thread loads together: several where rows are short and there are enough
 * of them. */
static uint32_t rows_of_thread (const lcu_reduce *r, uint32_t tx, uint32_t batch) {
  uint32_t rows = batch / r->each > MOST_ROWS ? MOST_ROWS : batch / r->each;
  if (rows < 2 && r->each <= IN_FLIGHT && 2 * r->each * (uint32_t)r->vector <= MOST_UNROLLED)
    rows = 2;
  if (tx > WARP || rows < 2 || r->peeled || r->n % (uint64_t)r->vector != 0) return 1;
  while (rows > 1 && r->results / rows * tx < ENOUGH_OF_ROWS) rows /= 2;
  return rows;
}

/* A block consists of whole warps, because they shuffle. */
static uint32_t rows_of_block (const lcu_reduce *r, uint32_t tx) {
  uint32_t ty = power(ceil_div(r->results, r->rows), BLOCK / tx);
  return tx * ty < WARP ? WARP / tx : ty;
}

static void cut_rows (lcu_reduce *r, bool split) {
  uint32_t batch = batch_of(r), tx = row_threads(r, batch);
  uint64_t segments = 1;
  if (split && r->units >= LEAST_SPLIT && r->results < WANTED_BLOCKS)
    segments = least(ceil_div(WANTED_BLOCKS, r->results), r->units / LEAST_CHUNK);
  if (segments > 1) tx = BLOCK;
  r->each = power(ceil_div(r->units, tx), 2 * batch);
  r->rows = split && segments == 1 ? rows_of_thread(r, tx, batch) : 1;
  cut(r, r->units, segments);
  r->block[0] = tx;
  r->block[1] = rows_of_block(r, tx);
  r->grid[0] = (uint32_t)ceil_div(r->results, r->block[1] * r->rows);
  r->grid[1] = (uint32_t)r->segments;
}

static void cut_columns (lcu_reduce *r, bool split) {
  uint32_t tx = power(r->units, WARP), ty = power(ceil_div(r->length, IN_FLIGHT), BLOCK / tx);
  tx = power(r->units, BLOCK / ty);
  uint64_t tiles = ceil_div(r->units, tx), segments = 1;
  if (split && tiles < WANTED_COLUMNS)
    segments = least(ceil_div(WANTED_COLUMNS, tiles), r->length / (LEAST_ROWS * (uint64_t)ty));
  r->rows = 1;
  cut(r, r->length, segments);
  r->block[0] = tx;
  r->block[1] = ty;
  r->grid[0] = (uint32_t)tiles;
  r->grid[1] = (uint32_t)r->segments;
}

/* ---- the CPU device ---- */

/* Two short rows share a warp: their loads are as fast as those of a single one, and one thread
 * less is joined. */
static void cut_serial_rows (lcu_reduce *r) {
  uint32_t lanes = r->results > 1 && !r->peeled && r->segments == 1 ? WARP / 2 : WARP;
  uint64_t groups = ceil_div(r->results, WARP / lanes);
  r->lanes = lanes;
  r->rows = 1;
  r->block[0] = lanes;
  r->block[1] = WARP / lanes;
  r->grid[0] = (uint32_t)least(groups, CPU_WANTED_BLOCKS);
}

/* Warps stay within the innermost kept axis, so that neighbors read neighbors. */
static void cut_serial_columns (lcu_reduce *r) {
  uint64_t across = (uint64_t)r->dims[r->kept - 1] / (uint64_t)r->vector, segments = 1;
  if (across < WARP) return;
  r->run = is_run(r);
  r->lanes = WARP;
  while (r->strips * 2 * (uint32_t)r->vector <= MOST_STRIPS && across >= r->strips * 2 * WARP)
    r->strips *= 2;
  if (r->run) r->strips = 1;
  uint64_t tiles = r->units / across * ceil_div(across, WARP * r->strips);
  if (tiles < CPU_WANTED_BLOCKS)
    segments = least(ceil_div(CPU_WANTED_BLOCKS, tiles), r->length * r->results / LEAST_SERIAL);
  segments = least(segments, r->length / LEAST_ROWS);
  cut(r, r->length, segments);
  r->block[0] = WARP;
  r->block[1] = 1;
  r->grid[0] = (uint32_t)least(tiles, CPU_WANTED_BLOCKS);
  r->grid[1] = (uint32_t)r->segments;
}

static void cut_serial (lcu_reduce *r) {
  r->lanes = 0;
  r->strips = 1;
  r->run = false;
  if (!r->serial || r->n == 0) return;
  if (r->mode == LCU_REDUCE_ROWS) cut_serial_rows(r);
  else cut_serial_columns(r);
}

static void cut_all (lcu_reduce *r) {
  choose_reduce_vector(r);
  r->units = (r->mode == LCU_REDUCE_ROWS ? r->n : r->results) / (uint64_t)r->vector;
  if (r->mode == LCU_REDUCE_ROWS) cut_rows(r, true);
  else cut_columns(r, true);
  cut_serial(r);
}


/* ---- narrow columns ---- */

/* Changes columns of one axis, and as many reduced rows, into `parts` times as many columns. */
static void widen (lcu_reduce *r, uint64_t parts) {
  r->dims[0] *= (int64_t)parts;
  r->dims[1] /= (int64_t)parts;
  for (int j = 0; j < r->num; j++) r->operands[j].strides[1] *= (int64_t)parts;
  r->parts = parts;
  r->results *= parts;
  r->length = r->n / parts;
}

/* As few rows as make whole vectors. */
static uint64_t parts_of_vector (const lcu_reduce *r) {
  uint64_t most = (uint64_t)widest_reduce(r), parts = 1;
  while (parts < most && r->results * parts % most != 0) parts *= 2;
  return parts;
}

/* The CPU device: rows that keep a warp busy. */
static uint64_t parts_of_warp (const lcu_reduce *r) {
  uint64_t parts = least(ENOUGH_COLUMNS / r->results, MOST_PARTS);
  while (parts > 1 && r->n % parts != 0) parts--;
  return parts > 0 ? parts : 1;
}

/* Where rows follow each other in memory, several of them may make whole vectors. Their number must
 * divide the reduced rows. The second pass joins the parts, so there must be one. */
static void widen_columns (lcu_reduce *r) {
  if (r->kept != 1 || r->inner != 1 || r->segments == 1) return;
  for (int j = 0; j < r->num_inputs; j++) {
    const lcu_operand *o = &r->operands[j];
    if (o->strides[1] != o->strides[0] * r->dims[0]) return;
  }
  for (int j = r->num_inputs; j < r->num; j++)
    if (r->operands[j].itemsize == 0) return; /* the index of a row */
  uint64_t parts = r->serial ? parts_of_warp(r) : parts_of_vector(r);
  if (parts == 1 || r->n % parts != 0) return;
  lcu_reduce wide = *r;
  widen(&wide, parts);
  cut_all(&wide);
  if (wide.segments > 1 && (r->serial ? wide.lanes > 0 : wide.vector > r->vector)) *r = wide;
}


/* ---- plans ---- */

void lcu_reduce_plan (lcu_reduce *r) {
  int lead = leader(r);
  order_axes(r, lead);
  r->results = volume(r, 0, r->kept);
  r->n = r->length = volume(r, r->kept, r->inner);
  r->parts = 1;
  r->mode = choose_mode(r, lead);
  r->wide = r->results >= LCU_FIRST_WIDE || r->n >= LCU_FIRST_WIDE;
  classify_reduce(r);
  cut_all(r);
  if (r->mode == LCU_REDUCE_COLUMNS) widen_columns(r);
}

/* The operands are the outputs of `r`; partial results have separate addresses. */
void lcu_reduce_plan_final (const lcu_reduce *r, lcu_reduce *out) {
  *out = *r;
  out->vector = 1;
  out->peeled = false;
  out->num = 0;
  out->num_inputs = 0;
  for (int j = r->num_inputs; j < r->num; j++)
    if (r->operands[j].itemsize != 0) out->operands[out->num++] = r->operands[j];
  for (int j = 0; j < out->num; j++) {
    lcu_operand *o = &out->operands[j];
    if (o->along == LCU_STRIDE_UNIT) o->along = LCU_STRIDE_ANY;
  }
  out->parts = 1;
  out->lanes = 0;
  out->results = r->results / r->parts;
  out->dims[0] /= (int64_t)r->parts;
  out->inner = 1;
  out->length = r->segments * r->parts;
  out->dims[out->kept] = (int64_t)out->length;
  if (r->mode == LCU_REDUCE_ROWS) {
    out->units = out->length;
    cut_rows(out, false);
  } else {
    out->units = out->results;
    cut_columns(out, false);
  }
}


/* ---- numbers for the kernel ---- */

size_t lcu_reduce_pack (const lcu_reduce *r, int64_t *v) {
  size_t k = 0;
  int p = along_axis(r), axes = r->kept + r->inner;
  v[k++] = (int64_t)r->results;
  v[k++] = (int64_t)r->n;
  v[k++] = (int64_t)r->units;
  v[k++] = (int64_t)r->chunk;
  v[k++] = (int64_t)r->length;
  for (int d = 0; d < axes; d++)
    if (d != 0 && d != r->kept) v[k++] = d == p ? r->dims[d] / r->vector : r->dims[d];
  for (int j = 0; j < r->num; j++)
    for (int d = 0; d < axes; d++) v[k++] = r->operands[j].strides[d] * (d == p ? r->vector : 1);
  return k;
}
