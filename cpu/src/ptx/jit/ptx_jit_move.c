/* ptx_jit_move.c: elements between memory that was checked and variables. */
#include <stdio.h>

#include "ptx_jit_access.h"

uint32_t ptx_jit_move_place (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at) {
  uint32_t t = ptx_jit_number(E);
  if (x->shared)
    lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", t, x->storage, at);
  else lcu_buf_addf(&E->out, "  %%t%u = inttoptr i64 %%t%u to ptr\n", t, at);
  return t;
}

/* ---- elements in the registers ---- */

int32_t ptx_jit_move_slot (const ptx_jit_transfer *x, uint32_t e) {
  return x->I->vector == 1 ? x->I->d : x->I->extra->slots[e];
}

static uint32_t widened (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t value,
                         uint32_t lanes) {
  char from[32], to[32];
  if (x->I->size >= 4) return value;
  ptx_jit_type(from, x->memory, lanes);
  ptx_jit_type(to, "i32", lanes);
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = zext %s %%t%u to %s\n", t, from, value, to);
  return t;
}

uint32_t ptx_jit_move_narrowed (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t value) {
  if (x->I->size >= 4) return value;
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = trunc <32 x i32> %%t%u to <32 x %s>\n", t, value, x->memory);
  return t;
}

void ptx_jit_move_set (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t e, uint32_t lanes) {
  ptx_jit_set_lanes(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes,
                    widened(E, x, lanes, PTX_LANES));
}

uint32_t ptx_jit_move_element (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t e) {
  return ptx_jit_lanes(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes);
}

uint32_t ptx_jit_move_shuffle (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t a,
                               uint32_t b, uint32_t from, const uint32_t *picks, uint32_t num) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = shufflevector <%u x %s> %%t%u, <%u x %s> %%t%u, <%u x i32> <", t,
               from, x->memory, a, from, x->memory, b, num);
  for (uint32_t k = 0; k < num; k++)
    lcu_buf_addf(&E->out, "%si32 %u", k == 0 ? "" : ", ", picks[k]);
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

uint32_t ptx_jit_move_load (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from,
                            uint32_t num) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load <%u x %s>, ptr %%t%u, align %u" PTX_JIT_PROGRAM "\n", t,
               num, x->memory, from, x->I->size);
  return t;
}

void ptx_jit_move_store (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to, uint32_t value,
                         uint32_t num) {
  lcu_buf_addf(&E->out, "  store <%u x %s> %%t%u, ptr %%t%u, align %u" PTX_JIT_PROGRAM "\n", num,
               x->memory, value, to, x->I->size);
}

uint32_t ptx_jit_move_beyond (ptx_jit_emitter *E, uint32_t place, int64_t bytes) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %lld\n", t, place,
               (long long)bytes);
  return t;
}

/* ---- one address ---- */

static uint32_t load_one (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from,
                          uint32_t e) {
  uint32_t at = e == 0 ? from : ptx_jit_move_beyond(E, from, (int64_t)e * x->I->size),
           t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = load %s, ptr %%t%u, align %u" PTX_JIT_PROGRAM "\n", t, x->memory,
               at, x->I->size);
  return widened(E, x, t, 1);
}

/* ---- consecutive lanes: `lanes` of them, elements of vectors side by side ---- */

static void take_lanes (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from,
                        uint32_t lanes, uint32_t *out) {
  uint32_t n = x->I->vector, all = ptx_jit_move_load(E, x, from, lanes * n), picks[PTX_LANES];
  for (uint32_t e = 0; e < n; e++) {
    for (uint32_t l = 0; l < lanes; l++) picks[l] = l * n + e;
    out[e] = n == 1 ? all : ptx_jit_move_shuffle(E, x, all, all, lanes * n, picks, lanes);
  }
}

uint32_t ptx_jit_move_interleaved (ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  uint32_t n = x->I->vector, v[4], picks[PTX_LANES * 4];
  for (uint32_t e = 0; e < n; e++)
    v[e] = ptx_jit_move_narrowed(E, x, ptx_jit_move_element(E, x, e));
  if (n == 1) return v[0];
  for (uint32_t k = 0; k < 2 * PTX_LANES; k++) picks[k] = k;
  uint32_t low = ptx_jit_move_shuffle(E, x, v[0], v[1], PTX_LANES, picks, 2 * PTX_LANES), all = low;
  if (n == 4) {
    uint32_t high = ptx_jit_move_shuffle(E, x, v[2], v[3], PTX_LANES, picks, 2 * PTX_LANES);
    for (uint32_t k = 0; k < 4 * PTX_LANES; k++) picks[k] = k;
    all = ptx_jit_move_shuffle(E, x, low, high, 2 * PTX_LANES, picks, 4 * PTX_LANES);
  }
  for (uint32_t k = 0; k < n * PTX_LANES; k++) picks[k] = k % n * PTX_LANES + k / n;
  return ptx_jit_move_shuffle(E, x, all, all, n * PTX_LANES, picks, n * PTX_LANES);
}

static void give_lanes (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t to) {
  ptx_jit_move_store(E, x, to, ptx_jit_move_interleaved(E, x), PTX_LANES * x->I->vector);
}

static void give_rows (ptx_jit_emitter *E, const ptx_jit_transfer *x, const uint32_t to[2]) {
  uint32_t n = x->I->vector, all = ptx_jit_move_interleaved(E, x), picks[PTX_JIT_ROW * 4];
  for (uint32_t row = 0; row < 2; row++) {
    for (uint32_t k = 0; k < PTX_JIT_ROW * n; k++) picks[k] = row * PTX_JIT_ROW * n + k;
    uint32_t part = ptx_jit_move_shuffle(E, x, all, all, PTX_LANES * n, picks, PTX_JIT_ROW * n);
    ptx_jit_move_store(E, x, to[row], part, PTX_JIT_ROW * n);
  }
}

static void take_rows (ptx_jit_emitter *E, const ptx_jit_transfer *x, const uint32_t from[2]) {
  uint32_t low[4], high[4], picks[PTX_LANES];
  for (uint32_t l = 0; l < PTX_LANES; l++) picks[l] = l;
  take_lanes(E, x, from[0], PTX_JIT_ROW, low);
  take_lanes(E, x, from[1], PTX_JIT_ROW, high);
  for (uint32_t e = 0; e < x->I->vector; e++)
    ptx_jit_move_set(E, x, e,
                     ptx_jit_move_shuffle(E, x, low[e], high[e], PTX_JIT_ROW, picks, PTX_LANES));
}

/* One value per row. */
static void fill_rows (ptx_jit_emitter *E, const ptx_jit_transfer *x, const uint32_t from[2]) {
  const char *type = ptx_jit_int(x->slot_bytes);
  for (uint32_t e = 0; e < x->I->vector; e++) {
    uint32_t v[2] = { load_one(E, x, from[0], e), load_one(E, x, from[1], e) };
    const ptx_value *d = ptx_jit_result(E->f, x->i, ptx_jit_move_slot(x, e), x->slot_bytes);
    if (d != NULL && d->base == PTX_BASE_ROW && d->offsets == NULL) {
      ptx_jit_set_bases(E, ptx_jit_move_slot(x, e), x->slot_bytes, v, true);
      continue;
    }
    uint32_t low = ptx_jit_splat(E, v[0], type), high = ptx_jit_splat(E, v[1], type),
             t = ptx_jit_number(E);
    lcu_buf_addf(&E->out, "  %%t%u = shufflevector <32 x %s> %%t%u, <32 x %s> %%t%u, <32 x i32> <",
                 t, type, low, type, high);
    for (uint32_t l = 0; l < PTX_LANES; l++)
      lcu_buf_addf(&E->out, "%si32 %u", l == 0 ? "" : ", ", l < PTX_JIT_ROW ? l : l + PTX_LANES);
    lcu_buf_adds(&E->out, ">\n");
    ptx_jit_set_lanes(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes, t);
  }
}

/* ---- lanes one by one ---- */

static void move_each (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t from,
                       uint32_t offsets) {
  for (uint32_t e = 0; e < x->I->vector; e++) {
    uint32_t at = e == 0 ? from : ptx_jit_move_beyond(E, from, (int64_t)e * x->I->size);
    if (x->load)
      ptx_jit_set_lanes(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes,
                        ptx_jit_gather(E, x->I->size, at, offsets, x->shared));
    else ptx_jit_scatter(E, x->I->size, at, offsets, ptx_jit_move_element(E, x, e));
  }
}

static uint32_t fixed_offsets (ptx_jit_emitter *E, const ptx_jit_transfer *x) {
  uint32_t t = ptx_jit_number(E);
  lcu_buf_addf(&E->out, "  %%t%u = or <32 x i32> zeroinitializer, <", t);
  for (uint32_t l = 0; l < PTX_LANES; l++)
    lcu_buf_addf(&E->out, "%si32 %lld", l == 0 ? "" : ", ",
                 (long long)(ptx_jit_offset(x->a, l, x->width) - x->least));
  lcu_buf_adds(&E->out, ">\n");
  return t;
}

/* ---- all shapes ---- */

static void masked_run (ptx_jit_emitter *E, const ptx_jit_transfer *x, uint32_t at) {
  char text[16];
  if (x->load) {
    uint32_t t = ptx_jit_number(E);
    lcu_buf_addf(&E->out,
                 "  %%t%u = call <32 x %s> @llvm.masked.load.v32%s.p0(ptr %%t%u, i32 %u, "
                 "<32 x i1> %s, <32 x %s> zeroinitializer)" PTX_JIT_PROGRAM "\n",
                 t, x->memory, x->memory, at, x->I->size, ptx_jit_check_mask(E, text), x->memory);
    ptx_jit_move_set(E, x, 0, t);
    return;
  }
  uint32_t value = ptx_jit_move_narrowed(E, x, ptx_jit_move_element(E, x, 0));
  lcu_buf_addf(&E->out,
               "  call void @llvm.masked.store.v32%s.p0(<32 x %s> %%t%u, ptr %%t%u, i32 %u, "
               "<32 x i1> %s)" PTX_JIT_PROGRAM "\n",
               x->memory, x->memory, value, at, x->I->size, ptx_jit_check_mask(E, text));
}

void ptx_jit_move (ptx_jit_emitter *E, const ptx_jit_transfer *x, const ptx_jit_spot *t) {
  uint32_t at[2] = { ptx_jit_move_place(E, x, t->at[0]),
                     x->shape == PTX_JIT_ROWS ? ptx_jit_move_place(E, x, t->at[1]) : 0 },
           v[4];
  switch (x->shape) {
    case PTX_JIT_ONE:
      for (uint32_t e = 0; e < x->I->vector; e++)
        ptx_jit_set_one(E, x->i, ptx_jit_move_slot(x, e), x->slot_bytes, load_one(E, x, at[0], e));
      break;
    case PTX_JIT_RUN:
      if (ptx_jit_check_masked(E, x)) {
        masked_run(E, x, at[0]);
      } else if (x->load) {
        take_lanes(E, x, at[0], PTX_LANES, v);
        for (uint32_t e = 0; e < x->I->vector; e++) ptx_jit_move_set(E, x, e, v[e]);
      } else give_lanes(E, x, at[0]);
      break;
    case PTX_JIT_ROWS:
      if (!x->load) give_rows(E, x, at);
      else if (x->step == 0) fill_rows(E, x, at);
      else take_rows(E, x, at);
      break;
    case PTX_JIT_WINDOW:
      if (x->load) ptx_jit_window_take(E, x, at[0]);
      else ptx_jit_window_give(E, x, at[0]);
      break;
    case PTX_JIT_FIXED: move_each(E, x, at[0], fixed_offsets(E, x)); break;
    case PTX_JIT_ANY: move_each(E, x, at[0], t->offsets); break;
  }
}
