/* ptx_jit_helpers.c: functions that a module contains once: elements at any offsets. Inlined, they
 * would be most of a function's code, and of the time that it takes to compile it. */
#include <stddef.h>
#include <stdio.h>

#include "ptx_jit_emit.h"
#include "ptx_select.h"

static uint32_t word_bits (uint32_t bytes) { return bytes == 8 ? 64 : 32; }

/* The processor's own gather waits for stores that are not in the cache yet. */
uint32_t ptx_jit_gather (ptx_jit_emitter *E, uint32_t bytes, uint32_t place, uint32_t offsets,
                         bool fresh) {
  bool whole = bytes >= 4 && !fresh && ptx_isa_gathers();
  uint32_t t = ptx_jit_number(E);
  if (whole) E->fetches |= bytes;
  else E->gathers |= bytes;
  lcu_buf_addf(&E->out,
               "  %%t%u = call <32 x i%u> @%s%u(ptr %%t%u, <32 x i32> %%t%u)" PTX_JIT_PROGRAM "\n",
               t, word_bits(bytes), whole ? "fetch" : "gather", bytes, place, offsets);
  return t;
}

void ptx_jit_scatter (ptx_jit_emitter *E, uint32_t bytes, uint32_t place, uint32_t offsets,
                      uint32_t values) {
  bool all = E->full && E->predicate == 0;
  char bits[32];
  if (all) E->scatters |= bytes;
  else E->masked_scatters |= bytes;
  snprintf(bits, sizeof bits, ", i32 %%t%u", E->bits);
  lcu_buf_addf(
    &E->out,
    "  call void @scatter%s%u(ptr %%t%u, <32 x i32> %%t%u, <32 x i%u> %%t%u%s)" PTX_JIT_PROGRAM
    "\n",
    all ? "" : "_masked", bytes, place, offsets, word_bits(bytes), values, all ? "" : bits);
}

/* %oN: the offset of lane l; %pN: its place. */
static void place_of_lane (lcu_buf *out, uint32_t l) {
  lcu_buf_addf(out,
               "  %%o%u = extractelement <32 x i32> %%offsets, i32 %u\n"
               "  %%w%u = zext i32 %%o%u to i64\n"
               "  %%p%u = getelementptr i8, ptr %%place, i64 %%w%u\n",
               l, l, l, l, l, l);
}

static void begin (lcu_buf *out, const char *name, uint32_t bytes) {
  lcu_buf_addf(out,
               "define internal <32 x i%u> @%s%u(ptr %%place, <32 x i32> %%offsets) noinline #0 "
               "{\n",
               word_bits(bytes), name, bytes);
}

/* By the processor. Offsets are less than 2^31, and fewer gathers do for signed ones. */
static void fetch (lcu_buf *out, uint32_t bytes) {
  uint32_t bits = bytes * 8;
  begin(out, "fetch", bytes);
  lcu_buf_addf(out,
               "  %%w = sext <32 x i32> %%offsets to <32 x i64>\n"
               "  %%p = getelementptr i8, ptr %%place, <32 x i64> %%w\n"
               "  %%v = call <32 x i%u> @llvm.masked.gather.v32i%u.v32p0(<32 x ptr> %%p, i32 %u, "
               "<32 x i1> <",
               bits, bits, bytes);
  for (uint32_t l = 0; l < PTX_LANES; l++) lcu_buf_adds(out, l == 0 ? "i1 true" : ", i1 true");
  lcu_buf_addf(out, ">, <32 x i%u> zeroinitializer)\n  ret <32 x i%u> %%v\n}\n", bits, bits);
}

static void gather (lcu_buf *out, uint32_t bytes) {
  uint32_t word = word_bits(bytes);
  begin(out, "gather", bytes);
  lcu_buf_addf(out, "  %%v0 = add <32 x i%u> zeroinitializer, zeroinitializer\n", word);
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    place_of_lane(out, l);
    lcu_buf_addf(out, "  %%m%u = load i%u, ptr %%p%u, align %u\n", l, bytes * 8, l, bytes);
    if (bytes < 4) lcu_buf_addf(out, "  %%e%u = zext i%u %%m%u to i32\n", l, bytes * 8, l);
    lcu_buf_addf(out, "  %%v%u = insertelement <32 x i%u> %%v%u, i%u %%%c%u, i32 %u\n", l + 1, word,
                 l, word, bytes < 4 ? 'e' : 'm', l, l);
  }
  lcu_buf_addf(out, "  ret <32 x i%u> %%v%u\n}\n", word, (uint32_t)PTX_LANES);
}

static void store_lane (lcu_buf *out, uint32_t bytes, const char *value, const char *place) {
  if (bytes < 4) lcu_buf_addf(out, "  %s.m = trunc i32 %s to i%u\n", value, value, bytes * 8);
  lcu_buf_addf(out, "  store i%u %s%s, ptr %s, align %u\n", bytes * 8, value, bytes < 4 ? ".m" : "",
               place, bytes);
}

static void scatter (lcu_buf *out, uint32_t bytes) {
  char value[16], place[16];
  lcu_buf_addf(out,
               "define internal void @scatter%u(ptr %%place, <32 x i32> %%offsets, <32 x i%u> "
               "%%values) noinline #0 {\n",
               bytes, word_bits(bytes));
  for (uint32_t l = 0; l < PTX_LANES; l++) {
    place_of_lane(out, l);
    lcu_buf_addf(out, "  %%v%u = extractelement <32 x i%u> %%values, i32 %u\n", l, word_bits(bytes),
                 l);
    snprintf(value, sizeof value, "%%v%u", l);
    snprintf(place, sizeof place, "%%p%u", l);
    store_lane(out, bytes, value, place);
  }
  lcu_buf_adds(out, "  ret void\n}\n");
}

/* A loop over the bits. */
static void scatter_masked (lcu_buf *out, uint32_t bytes) {
  uint32_t word = word_bits(bytes);
  lcu_buf_addf(
    out,
    "define internal void @scatter_masked%u(ptr %%place, <32 x i32> %%offsets, <32 x i%u> "
    "%%values, i32 %%bits) noinline #0 {\nstart:\n"
    "  %%at = alloca <32 x i32>\n  %%all = alloca <32 x i%u>\n"
    "  store <32 x i32> %%offsets, ptr %%at\n  store <32 x i%u> %%values, ptr %%all\n"
    "  br label %%next\nnext:\n  %%left = phi i32 [ %%bits, %%start ], [ %%rest, %%next ]\n"
    "  %%l = call i32 @llvm.cttz.i32(i32 %%left, i1 false)\n"
    "  %%po = getelementptr i32, ptr %%at, i32 %%l\n  %%o = load i32, ptr %%po\n"
    "  %%w = zext i32 %%o to i64\n  %%p = getelementptr i8, ptr %%place, i64 %%w\n"
    "  %%pv = getelementptr i%u, ptr %%all, i32 %%l\n  %%v = load i%u, ptr %%pv\n",
    bytes, word, word, word, word, word);
  store_lane(out, bytes, "%v", "%p");
  lcu_buf_adds(out, "  %less = sub i32 %left, 1\n  %rest = and i32 %left, %less\n"
                    "  %end = icmp eq i32 %rest, 0\n  br i1 %end, label %out, label %next\nout:\n"
                    "  ret void\n}\n");
}

/* Carries out a micro-operation with fewer lanes, as the handler of guards does. */
static void narrowed (const ptx_jit_emitter *E, lcu_buf *out) {
  lcu_buf_addf(
    out,
    "define internal ptr @narrowed(ptr %%uop, ptr %%rf, ptr %%w, i32 %%bits, "
    "<32 x i1> %%on) noinline #0 {\n"
    "  %%pm = getelementptr i8, ptr %%w, i64 %zu\n  %%mask = load i32, ptr %%pm\n"
    "  %%pl = getelementptr i8, ptr %%w, i64 %zu\n  %%lanes = load <32 x i32>, ptr %%pl\n"
    "  %%now = sext <32 x i1> %%on to <32 x i32>\n",
    offsetof(ptx_warp, mask), offsetof(ptx_warp, lanes));
  lcu_buf_addf(out,
               "  %%pc = getelementptr i8, ptr %%w, i64 %zu\n  %%checks = load ptr, ptr %%pc\n",
               offsetof(ptx_warp, checks));
  lcu_buf_addf(out,
               "  store i32 %%bits, ptr %%pm\n  store <32 x i32> %%now, ptr %%pl\n"
               "  %%pf = getelementptr i8, ptr %s, i64 %zu\n  %%f = load ptr, ptr %%pf\n"
               "  %%r = call ptr %%f(ptr %%uop, ptr %%rf, ptr %%w)\n"
               "  store i32 %%mask, ptr %%pm\n  store <32 x i32> %%lanes, ptr %%pl\n"
               "  ret ptr %%r\n}\n",
               E->f->checked ? "%checks" : "%uop", E->f->checked ? 0 : offsetof(ptx_uop, fn));
}

void ptx_jit_helpers (ptx_jit_emitter *E) {
  if (E->narrows) narrowed(E, &E->out);
  for (uint32_t bytes = 1; bytes <= 8; bytes *= 2) {
    if (E->gathers & bytes) gather(&E->out, bytes);
    if (E->fetches & bytes) fetch(&E->out, bytes);
    if (E->scatters & bytes) scatter(&E->out, bytes);
    if (E->masked_scatters & bytes) scatter_masked(&E->out, bytes);
  }
}
