/* ptx_jit_memory.c: loads and stores of global and shared memory. How the addresses of the lanes
 * lie to each other is known from the claim about their register; where nothing is known, they are
 * taken one by one. The check is the handlers': everything inside the allocation that the access
 * met last, or the block's shared memory, and aligned. Where it fails, the handler is called, which
 * reports faults. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ptx_ids.h"
#include "ptx_jit_emit.h"

enum { ROW = 16 };

typedef enum shape {
  ONE,    /* one address */
  RUN,    /* consecutive */
  ROWS,   /* in each row of 16 lanes, consecutive or equal */
  WINDOW, /* anywhere in 64 elements, known for each lane */
  FIXED,  /* at known distances */
  ANY
} shape;

typedef struct access {
  const ptx_uop *I;
  uint32_t i;
  const ptx_value *a; /* of the address register; NULL: nothing is known */
  bool load, shared;
  shape shape;
  int64_t step;        /* ROWS: 0 or stride */
  int64_t least, most; /* WINDOW, FIXED: the offsets of the lanes' addresses */
  uint32_t stride;     /* bytes of one lane */
  uint32_t width;      /* bytes of the address register */
  uint32_t slot_bytes;
  char memory[8];               /* the type in memory */
  uint32_t from, size, storage; /* i64, i64, ptr: memory that may be accessed; ptr of address 0 */
  uint32_t ok;                  /* i1: the check */
} access;

static const char *int_type (uint32_t bytes) { return bytes == 8 ? "i64" : "i32"; }

bool ptx_jit_can_access (const ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  const char *name = ptx_id_names[I->id] + 3;
  if (!ptx_jit_is_load(I->id) && !ptx_jit_is_store(I->id)) return false;
  if (I->size > 8 || (I->flags & (PTX_F_VOLATILE | PTX_F_DIRECT)) != 0) return false;
  if (ptx_jit_is_load(I->id) && I->used_bytes != 0) return false;
  return strncmp(name, "global", 6) == 0 || strncmp(name, "generic", 7) == 0 ||
         strncmp(name, "shared", 6) == 0;
}

/* The lanes that are on, where they may not be all. */
static const char *mask_of (const ptx_jit_emitter *E, char text[16]) {
  if (E->predicate == 0) return "%mask";
  snprintf(text, 16, "%%t%u", E->predicate);
  return text;
}

/* ---- shapes ---- */

static void find_range (access *x) {
  uint32_t a, b;
  ptx_value_ends(x->a, x->width * 8, &a, &b);
  x->least = ptx_jit_offset(x->a, a, x->width);
  x->most = ptx_jit_offset(x->a, b, x->width);
}

static bool on_elements (const access *x) {
  for (uint32_t l = 0; l < PTX_LANES; l++)
    if (ptx_jit_offset(x->a, l, x->width) % (int64_t)x->stride != 0) return false;
  return true;
}

/* With a predicate, what is moved for all lanes is blended. */
static shape shape_of (const ptx_jit_emitter *E, access *x) {
  int64_t step;
  bool some = E->predicate != 0;
  uint32_t bits = x->width * 8;
  if (x->a == NULL) return ANY;
  if (ptx_value_uniform(x->a)) return some && !x->load ? ANY : ONE;
  if (some && !E->full) return ANY;
  bool words = x->I->vector == 1 && x->I->size >= 4;
  if (ptx_value_stride(x->a, bits, PTX_LANES, &step) && step == x->stride &&
      (words || (E->full && (x->load || !some))))
    return RUN;
  if (!E->full) return ANY;
  if ((x->load || !some) && ptx_value_stride(x->a, bits, ROW, &step) &&
      (step == x->stride || (step == 0 && x->load))) {
    x->step = step;
    return ROWS;
  }
  find_range(x);
  if (x->a->base == PTX_BASE_ROW || !on_elements(x) || x->most - x->least > 1 << 20) return ANY;
  bool near = (x->most - x->least) / x->stride < 64 && x->I->vector == 1;
  return near && (x->load || x->shared) ? WINDOW : FIXED;
}

/* ---- addresses ---- */

/* The address in the register, plus imm and more, wrapped to its width, in 64 bits. */
static uint32_t address (ptx_jit_emitter *E, const access *x, uint32_t row, int64_t more) {
  uint32_t base = ptx_jit_base(E, x->i, x->I->a, x->width, row), t = ptx_jit_number(E);
  long long imm = (long long)((uint64_t)x->I->imm + (uint64_t)more);
  if (x->width == 4) imm = (int32_t)(uint32_t)imm;
  lcu_buf_addf(&E->out, "  %%t%u = add %s %%t%u, %lld\n", t, int_type(x->width), base, imm);
  if (x->width == 8) return t;
  uint32_t wide = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", wide, t);
  return wide;
}

static uint32_t place (ptx_jit_emitter *E, const access *x, uint32_t at) {
  uint32_t t = ptx_jit_number(E);
  if (x->shared)
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", t, x->storage, at);
  else lcu_buf_addf(&E->out, "  %%t%u = inttoptr i64 %%t%u to ptr\n", t, at);
  return t;
}

/* ---- the check ---- */

static void find_memory (ptx_jit_emitter *E, access *x) {
  if (!x->shared) {
    size_t at = offsetof(ptx_warp, last) + (size_t)x->I->c * sizeof(ptx_range);
    x->from = ptx_jit_field(E, at + offsetof(ptx_range, base), "i64");
    x->size = ptx_jit_field(E, at + offsetof(ptx_range, size), "i64");
    return;
  }
  uint32_t from = ptx_jit_field(E, offsetof(ptx_warp, shared_from), "i32"),
           end = ptx_jit_field(E, offsetof(ptx_warp, shared_end), "i32");
  x->storage = ptx_jit_field(E, offsetof(ptx_warp, shared), "ptr");
  uint32_t n = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, from);
  lcu_buf_addf(&E->out, "  %%t%u = sub i32 %%t%u, %%t%u\n", n + 1, end, from);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n + 2, n + 1);
  x->from = n;
  x->size = n + 2;
}

static void require (ptx_jit_emitter *E, access *x, uint32_t condition) {
  if (x->ok != 0) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = and i1 %%t%u, %%t%u\n", t, x->ok, condition);
    condition = t;
  }
  x->ok = condition;
}

static bool is_aligned (const access *x) {
  return x->a != NULL && x->a->align < 32 && ((uint64_t)1 << x->a->align) % x->stride == 0 &&
         x->I->imm % (int64_t)x->stride == 0;
}

static void require_aligned (ptx_jit_emitter *E, access *x, uint32_t at) {
  uint32_t n = E->next;
  if (x->stride == 1 || is_aligned(x)) return;
  E->next += 2;
  lcu_buf_addf(&E->out, "  %%t%u = and i64 %%t%u, %u\n  %%t%u = icmp eq i64 %%t%u, 0\n", n, at,
               x->stride - 1u, n + 1, n);
  require(E, x, n + 1);
}

/* [at, at + bytes), where bytes is a text. */
static void require_inside (ptx_jit_emitter *E, access *x, uint32_t at, const char *bytes) {
  uint32_t n = E->next;
  E->next += 4;
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %%t%u\n  %%t%u = sub i64 %s, 1\n", n, at, x->from,
               n + 1, bytes);
  lcu_buf_addf(&E->out, "  %%t%u = call i64 @llvm.usub.sat.i64(i64 %%t%u, i64 %%t%u)\n", n + 2,
               x->size, n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = icmp ult i64 %%t%u, %%t%u\n", n + 3, n, n + 2);
  require(E, x, n + 3);
  require_aligned(E, x, at);
}

static void require_bytes (ptx_jit_emitter *E, access *x, uint32_t at, int64_t bytes) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)bytes);
  require_inside(E, x, at, text);
}

/* ---- elements in the registers ---- */

static int32_t slot_of (const access *x, uint32_t e) {
  return x->I->vector == 1 ? x->I->d : x->I->extra->slots[e];
}

static uint32_t widened (ptx_jit_emitter *E, const access *x, uint32_t value, bool one) {
  char from[32], to[32];
  if (x->I->size >= 4) return value;
  ptx_jit_type(from, x->memory, one);
  ptx_jit_type(to, "i32", one);
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext %s %%t%u to %s\n", t, from, value, to);
  return t;
}

static uint32_t narrowed (ptx_jit_emitter *E, const access *x, uint32_t value) {
  if (x->I->size >= 4) return value;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = trunc <32 x i32> %%t%u to <32 x %s>\n", t, value, x->memory);
  return t;
}

static void set_element (ptx_jit_emitter *E, const access *x, uint32_t e, uint32_t lanes) {
  ptx_jit_set_lanes(E, x->i, slot_of(x, e), x->slot_bytes, widened(E, x, lanes, false));
}

static uint32_t element (ptx_jit_emitter *E, const access *x, uint32_t e) {
  return ptx_jit_lanes(E, x->i, slot_of(x, e), x->slot_bytes);
}

/* Picks elements of two vectors of `from` elements each. */
static uint32_t shuffle (ptx_jit_emitter *E, const access *x, uint32_t a, uint32_t b, uint32_t from,
                         const uint32_t *picks, uint32_t num) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = shufflevector <%u x %s> %%t%u, <%u x %s> %%t%u, <%u x i32> <", t,
               from, x->memory, a, from, x->memory, b, num);
  for (uint32_t k = 0; k < num; k++)
    lcu_buf_addf(&E->out, "%si32 %u", k == 0 ? "" : ", ", picks[k]);
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

static uint32_t load_vector (ptx_jit_emitter *E, const access *x, uint32_t from, uint32_t num) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%t%u, align %u\n", t, num, x->memory, from,
               x->I->size);
  return t;
}

static void store_vector (ptx_jit_emitter *E, const access *x, uint32_t to, uint32_t value,
                          uint32_t num) {
  lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%t%u, align %u\n", num, x->memory, value, to,
               x->I->size);
}

static uint32_t beyond (ptx_jit_emitter *E, uint32_t place, int64_t bytes) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %lld\n", t, place,
               (long long)bytes);
  return t;
}

/* ---- one address ---- */

static uint32_t load_one (ptx_jit_emitter *E, const access *x, uint32_t from, uint32_t e) {
  uint32_t at = e == 0 ? from : beyond(E, from, (int64_t)e * x->I->size), t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u, align %u\n", t, x->memory, at, x->I->size);
  return widened(E, x, t, true);
}

/* ---- consecutive lanes: `lanes` of them, elements of vectors side by side ---- */

static void take (ptx_jit_emitter *E, const access *x, uint32_t from, uint32_t lanes,
                  uint32_t *out) {
  uint32_t n = x->I->vector, all = load_vector(E, x, from, lanes * n), picks[PTX_LANES];
  for (uint32_t e = 0; e < n; e++) {
    for (uint32_t l = 0; l < lanes; l++) picks[l] = l * n + e;
    out[e] = n == 1 ? all : shuffle(E, x, all, all, lanes * n, picks, lanes);
  }
}

/* The elements of all lanes side by side, in vectors of 32 * n elements. */
static uint32_t interleaved (ptx_jit_emitter *E, const access *x) {
  uint32_t n = x->I->vector, v[4], picks[PTX_LANES * 4];
  for (uint32_t e = 0; e < n; e++) v[e] = narrowed(E, x, element(E, x, e));
  if (n == 1) return v[0];
  for (uint32_t k = 0; k < 2 * PTX_LANES; k++) picks[k] = k;
  uint32_t low = shuffle(E, x, v[0], v[1], PTX_LANES, picks, 2 * PTX_LANES), all = low;
  if (n == 4) {
    uint32_t high = shuffle(E, x, v[2], v[3], PTX_LANES, picks, 2 * PTX_LANES);
    for (uint32_t k = 0; k < 4 * PTX_LANES; k++) picks[k] = k;
    all = shuffle(E, x, low, high, 2 * PTX_LANES, picks, 4 * PTX_LANES);
  }
  for (uint32_t k = 0; k < n * PTX_LANES; k++) picks[k] = k % n * PTX_LANES + k / n;
  return shuffle(E, x, all, all, n * PTX_LANES, picks, n * PTX_LANES);
}

static void give (ptx_jit_emitter *E, const access *x, uint32_t to) {
  store_vector(E, x, to, interleaved(E, x), PTX_LANES * x->I->vector);
}

static void give_rows (ptx_jit_emitter *E, const access *x, const uint32_t to[2]) {
  uint32_t n = x->I->vector, all = interleaved(E, x), picks[ROW * 4];
  for (uint32_t row = 0; row < 2; row++) {
    for (uint32_t k = 0; k < ROW * n; k++) picks[k] = row * ROW * n + k;
    uint32_t part = shuffle(E, x, all, all, PTX_LANES * n, picks, ROW * n);
    store_vector(E, x, to[row], part, ROW * n);
  }
}

static void take_rows (ptx_jit_emitter *E, const access *x, const uint32_t from[2]) {
  uint32_t low[4], high[4], picks[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) picks[l] = l;
  take(E, x, from[0], ROW, low);
  take(E, x, from[1], ROW, high);
  for (uint32_t e = 0; e < x->I->vector; e++)
    set_element(E, x, e, shuffle(E, x, low[e], high[e], ROW, picks, PTX_LANES));
}

/* One value per row. */
static void fill_rows (ptx_jit_emitter *E, const access *x, const uint32_t from[2]) {
  const char *type = int_type(x->slot_bytes);
  for (uint32_t e = 0; e < x->I->vector; e++) {
    uint32_t v[2] = { load_one(E, x, from[0], e), load_one(E, x, from[1], e) };
    const ptx_value *d = ptx_jit_result(E->f, x->i, slot_of(x, e), x->slot_bytes);
    if (d != NULL && d->base == PTX_BASE_ROW && d->offsets == NULL) {
      ptx_jit_set_bases(E, slot_of(x, e), x->slot_bytes, v, true);
      continue;
    }
    uint32_t low = ptx_jit_splat(E, v[0], type), high = ptx_jit_splat(E, v[1], type),
             t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = shufflevector <32 x %s> %%t%u, <32 x %s> %%t%u, <32 x i32> <",
                 t, type, low, type, high);
    for (uint32_t l = 0; l < PTX_LANES; l++)
      lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", l < ROW ? l : l + PTX_LANES);
    lcu_buf_adds(&E->out, ">\n");
    ptx_jit_set_lanes(E, x->i, slot_of(x, e), x->slot_bytes, t);
  }
}

/* ---- a window: all elements from the least to the most are in memory that was checked ---- */

typedef struct window {
  uint32_t num, second; /* elements; where the second vector of 32 begins, 0: there is none */
  uint32_t places[2], vectors[2];
} window;

static window open_window (ptx_jit_emitter *E, const access *x, uint32_t from) {
  window w = { .num = (uint32_t)((x->most - x->least) / x->stride) + 1 };
  if (w.num > PTX_LANES) w.second = w.num - PTX_LANES;
  uint32_t part = w.second != 0 ? PTX_LANES : w.num;
  w.places[0] = from;
  w.places[1] = beyond(E, from, (int64_t)w.second * x->stride);
  w.vectors[0] = load_vector(E, x, from, part);
  w.vectors[1] = w.second != 0 ? load_vector(E, x, w.places[1], part) : w.vectors[0];
  return w;
}

static uint32_t element_of_lane (const access *x, uint32_t l) {
  return (uint32_t)((ptx_jit_offset(x->a, l, x->width) - x->least) / x->stride);
}

/* The lanes' elements. */
static uint32_t pick_window (ptx_jit_emitter *E, const access *x, const window *w) {
  uint32_t picks[PTX_LANES], part = w->second != 0 ? PTX_LANES : w->num;
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    uint32_t k = element_of_lane(x, l);
    picks[l] = k < part ? k : k - w->second + part;
  }
  return shuffle(E, x, w->vectors[0], w->vectors[1], part, picks, PTX_LANES);
}

static void take_window (ptx_jit_emitter *E, const access *x, uint32_t from) {
  window w = open_window(E, x, from);
  set_element(E, x, 0, pick_window(E, x, &w));
}

/* Shared memory belongs to one worker: what lies between is written back as it was read. */
static void give_window (ptx_jit_emitter *E, const access *x, uint32_t to) {
  window w = open_window(E, x, to);
  uint32_t value = narrowed(E, x, element(E, x, 0)), part = w.second != 0 ? PTX_LANES : w.num;
  if (E->predicate != 0) {
    uint32_t old = pick_window(E, x, &w), t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = select <32 x i1> %%t%u, <32 x %s> %%t%u, <32 x %s> %%t%u\n", t,
                 E->predicate, x->memory, value, x->memory, old);
    value = t;
  }
  for (uint32_t half = 0; half < (w.second != 0 ? 2u : 1u); half++) {
    uint32_t picks[PTX_LANES], first = half == 0 ? 0 : w.second, old = w.vectors[half];
    if (part < PTX_LANES) {
      for (uint32_t k = 0; k < PTX_LANES; k++) picks[k] = k < part ? k : 0;
      old = shuffle(E, x, old, old, part, picks, PTX_LANES);
    }
    for (uint32_t k = 0; k < PTX_LANES; k++) picks[k] = k;
    for (uint32_t l = 0; l < PTX_LANES; l++) {
      uint32_t k = element_of_lane(x, l);
      if (k >= first && k < first + part) picks[k - first] = PTX_LANES + l;
    }
    uint32_t now = shuffle(E, x, old, value, PTX_LANES, picks, part);
    store_vector(E, x, w.places[half], now, part);
  }
}

/* ---- lanes one by one ---- */

static void each (ptx_jit_emitter *E, const access *x, uint32_t from, uint32_t offsets) {
  for (uint32_t e = 0; e < x->I->vector; e++) {
    uint32_t at = e == 0 ? from : beyond(E, from, (int64_t)e * x->I->size);
    if (x->load)
      ptx_jit_set_lanes(E, x->i, slot_of(x, e), x->slot_bytes,
                        ptx_jit_gather(E, x->I->size, at, offsets));
    else ptx_jit_scatter(E, x->I->size, at, offsets, element(E, x, e));
  }
}

static uint32_t fixed_offsets (ptx_jit_emitter *E, const access *x) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = or <32 x i32> zeroinitializer, <", t);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%si32 %lld", l == 0 ? "" : ", ",
                 (long long)(ptx_jit_offset(x->a, l, x->width) - x->least));
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

/* Offsets from the memory's start: <32 x i32>, 0 in lanes that are off. ok: all are inside and
 * aligned. Memory of 2 GB and more counts as that long. */
static uint32_t any_offsets (ptx_jit_emitter *E, access *x) {
  char text[16];
  const char *type = int_type(x->width);
  uint32_t bits = x->width * 8, a = ptx_jit_lanes(E, x->i, x->I->a, x->width), n = E->next;
  E->next += 20;
  lcu_buf_addf(&E->out, "  %%t%u = icmp ult i64 %%t%u, 2147483647\n", n, x->size);
  lcu_buf_addf(&E->out, "  %%t%u = select i1 %%t%u, i64 %%t%u, i64 2147483647\n", n + 1, n,
               x->size);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %%t%u, %u\n", n + 2, n + 1, x->stride);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 %lld, %%t%u\n", n + 3, (long long)x->I->imm, x->from);
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n  %%t%u = trunc i64 %%t%u to i32\n",
               n + 4, n + 2, n + 5, n + 3);
  uint32_t limit = ptx_jit_splat(E, x->width == 8 ? n + 2 : n + 4, type),
           less = ptx_jit_splat(E, x->width == 8 ? n + 3 : n + 5, type);
  lcu_buf_addf(&E->out, "  %%t%u = add <32 x %s> %%t%u, %%t%u\n", n + 6, type, a, less);
  lcu_buf_addf(&E->out, "  %%t%u = sub <32 x %s> %%t%u, %%t%u\n", n + 7, type, limit, n + 6);
  lcu_buf_addf(&E->out, "  %%t%u = or <32 x %s> %%t%u, %%t%u\n", n + 8, type, n + 6, n + 7);
  lcu_buf_addf(&E->out, "  %%t%u = icmp slt <32 x %s> %%t%u, zeroinitializer\n", n + 9, type,
               n + 8);
  lcu_buf_addf(&E->out, "  %%t%u = bitcast <32 x i1> %%t%u to i32\n", n + 10, n + 9);
  lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %%t%u\n", n + 11, n + 10, E->bits);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", n + 12, n + 11);
  lcu_buf_addf(&E->out, "  %%t%u = icmp uge i64 %%t%u, %u\n", n + 13, x->size, x->stride);
  require(E, x, n + 12);
  require(E, x, n + 13);
  uint32_t offsets = n + 6;
  if (bits == 64) {
    lcu_buf_addf(&E->out, "  %%t%u = trunc <32 x i64> %%t%u to <32 x i32>\n", n + 14, n + 6);
    offsets = n + 14;
  }
  if (!E->full || E->predicate != 0) {
    lcu_buf_addf(&E->out,
                 "  %%t%u = select <32 x i1> %s, <32 x i32> %%t%u, <32 x i32> "
                 "zeroinitializer\n",
                 n + 15, mask_of(E, text), offsets);
    offsets = n + 15;
  }
  if (x->stride == 1) return offsets;
  uint32_t m = E->next;
  E->next += 3;
  lcu_buf_addf(&E->out, "  %%t%u = call i32 @llvm.vector.reduce.or.v32i32(<32 x i32> %%t%u)\n", m,
               offsets);
  uint32_t from = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = trunc i64 %%t%u to i32\n", from, x->from);
  lcu_buf_addf(&E->out, "  %%t%u = or i32 %%t%u, %%t%u\n", m + 1, m, from);
  lcu_buf_addf(&E->out, "  %%t%u = and i32 %%t%u, %u\n", m + 2, m + 1, x->stride - 1u);
  uint32_t aligned = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = icmp eq i32 %%t%u, 0\n", aligned, m + 2);
  require(E, x, aligned);
  return offsets;
}

/* ---- all of it ---- */

/* What the fast path needs: places, or a place and offsets. */
typedef struct target {
  uint32_t at[2], offsets;
} target;

/* Of lanes that are off, nothing is checked and nothing moved. */
static bool runs_masked (const ptx_jit_emitter *E, const access *x) {
  bool words = x->I->vector == 1 && x->I->size >= 4;
  return !E->full || (E->predicate != 0 && words);
}

static void check_run (ptx_jit_emitter *E, access *x, target *t) {
  char bytes[32];
  t->at[0] = address(E, x, 0, 0);
  if (!runs_masked(E, x)) {
    require_bytes(E, x, t->at[0], (int64_t)x->stride * PTX_LANES);
    return;
  }
  uint32_t n = E->next;
  E->next += 8;
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n, E->first[0]);
  lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%t%u, %u\n", n + 1, n, x->stride);
  lcu_buf_addf(&E->out, "  %%t%u = add i64 %%t%u, %%t%u\n", n + 2, t->at[0], n + 1);
  lcu_buf_addf(&E->out, "  %%t%u = call i32 @llvm.ctlz.i32(i32 %%t%u, i1 false)\n", n + 3, E->bits);
  lcu_buf_addf(&E->out, "  %%t%u = zext i32 %%t%u to i64\n", n + 4, n + 3);
  lcu_buf_addf(&E->out, "  %%t%u = sub i64 32, %%t%u\n  %%t%u = sub i64 %%t%u, %%t%u\n", n + 5,
               n + 4, n + 6, n + 5, n);
  lcu_buf_addf(&E->out, "  %%t%u = mul i64 %%t%u, %u\n", n + 7, n + 6, x->stride);
  snprintf(bytes, sizeof bytes, "%%t%u", n + 7);
  require_inside(E, x, n + 2, bytes);
}

static target check (ptx_jit_emitter *E, access *x) {
  target t = { { 0, 0 }, 0 };
  find_memory(E, x);
  switch (x->shape) {
    case ONE:
      t.at[0] = address(E, x, 0, 0);
      require_bytes(E, x, t.at[0], x->stride);
      break;
    case RUN: check_run(E, x, &t); break;
    case ROWS:
      for (uint32_t row = 0; row < 2; row++) {
        t.at[row] = address(E, x, row, 0);
        require_bytes(E, x, t.at[row], x->step == 0 ? x->stride : (int64_t)x->stride * ROW);
      }
      break;
    case WINDOW:
    case FIXED:
      t.at[0] = address(E, x, 0, x->least);
      require_bytes(E, x, t.at[0], x->most - x->least + x->stride);
      break;
    case ANY:
      t.at[0] = x->from;
      t.offsets = any_offsets(E, x);
      break;
  }
  return t;
}

static void masked_run (ptx_jit_emitter *E, const access *x, uint32_t at) {
  char text[16];
  if (x->load) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out,
                 "  %%t%u = call <32 x %s> @llvm.masked.load.v32%s.p0(ptr %%t%u, i32 %u, "
                 "<32 x i1> %s, <32 x %s> zeroinitializer)\n",
                 t, x->memory, x->memory, at, x->I->size, mask_of(E, text), x->memory);
    set_element(E, x, 0, t);
    return;
  }
  lcu_buf_addf(&E->out,
               "  call void @llvm.masked.store.v32%s.p0(<32 x %s> %%t%u, ptr %%t%u, i32 %u, "
               "<32 x i1> %s)\n",
               x->memory, x->memory, element(E, x, 0), at, x->I->size, mask_of(E, text));
}

static void move (ptx_jit_emitter *E, const access *x, const target *t) {
  uint32_t at[2] = { place(E, x, t->at[0]), x->shape == ROWS ? place(E, x, t->at[1]) : 0 }, v[4];
  switch (x->shape) {
    case ONE:
      for (uint32_t e = 0; e < x->I->vector; e++)
        ptx_jit_set_one(E, x->i, slot_of(x, e), x->slot_bytes, load_one(E, x, at[0], e));
      break;
    case RUN:
      if (runs_masked(E, x)) {
        masked_run(E, x, at[0]);
      } else if (x->load) {
        take(E, x, at[0], PTX_LANES, v);
        for (uint32_t e = 0; e < x->I->vector; e++) set_element(E, x, e, v[e]);
      } else give(E, x, at[0]);
      break;
    case ROWS:
      if (!x->load) give_rows(E, x, at);
      else if (x->step == 0) fill_rows(E, x, at);
      else take_rows(E, x, at);
      break;
    case WINDOW:
      if (x->load) take_window(E, x, at[0]);
      else give_window(E, x, at[0]);
      break;
    case FIXED: each(E, x, at[0], fixed_offsets(E, x)); break;
    case ANY: each(E, x, at[0], t->offsets); break;
  }
}

bool ptx_jit_access (ptx_jit_emitter *E, uint32_t i) {
  const ptx_uop *I = &E->f->code->uops[i];
  if (!ptx_jit_can_access(E, i)) return false;
  access x = { .I = I, .i = i, .load = ptx_jit_is_load(I->id) };
  x.slot_bytes = I->size == 8 ? 8 : 4;
  x.width = I->flags & PTX_F_ADDRESS32 ? 4 : 8;
  x.stride = (uint32_t)I->size * I->vector;
  x.shared = strncmp(ptx_id_names[I->id] + 3, "shared", 6) == 0;
  x.a = ptx_jit_value(E->f, i, I->a, x.width);
  x.shape = shape_of(E, &x);
  if (x.shape == ONE && !x.load) return false;
  snprintf(x.memory, sizeof x.memory, "i%u", I->size * 8u);
  target t = check(E, &x);
  uint32_t fast = ptx_jit_number(E), slow = ptx_jit_number(E), done = ptx_jit_number(E);
  ptx_jit_likely(E, x.ok, fast, slow);
  lcu_buf_addf(&E->out, "X%u:\n", fast);
  move(E, &x, &t);
  if (!x.load) ptx_jit_set_field(E, offsetof(ptx_warp, stored), "i32", "1");
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, slow);
  ptx_jit_call(E, i);
  lcu_buf_addf(&E->out, "  br label %%X%u\nX%u:\n", done, done);
  return true;
}
