/* lcu_dtype.c: element types and conversion between them. Every loop here is made from dtype.def.
 *
 * A conversion uses a block of int64, uint64 (as the same bits) or double, the one that represents
 * the source exactly. So there is one load loop per source type and one store loop per destination
 * type and intermediate. */
#include "lcu_dtype.h"

#include <string.h>

#include "lcu_float8.h"

const lcu_dtype lcu_dtypes[LCU_DTYPE_COUNT] = {
/* CUDA aligns its complex types to the whole element. */
#define LCU_DTYPE(ID, kind_, size_, storage, long_name, short_code, cuda_, header_, pack_, ptx_, \
                  mantissa_, exponent_, finite_) \
  [LCU_##ID] = { .id = LCU_##ID, \
                 .kind = LCU_KIND_##kind_, \
                 .size = size_, \
                 .align = size_, \
                 .name = long_name, \
                 .short_name = short_code, \
                 .cuda = cuda_, \
                 .header = header_, \
                 .pack = pack_, \
                 .ptx = ptx_, \
                 .mantissa = mantissa_, \
                 .exponent = exponent_, \
                 .finite = finite_ },
#include "dtype.def"
#undef LCU_DTYPE
};

static const struct {
  uint8_t name, short_name;
} lengths[LCU_DTYPE_COUNT] = {
#define LCU_DTYPE(ID, kind, size, storage, long_name, short_code, ...) \
  [LCU_##ID] = { sizeof long_name - 1, sizeof short_code - 1 },
#include "dtype.def"
#undef LCU_DTYPE
};

/* Names of one length differ in their last letter more often than in the first. */
static inline bool same_name (const char *name, size_t len, const char *known, size_t known_len) {
  return known_len == len && name[len - 1] == known[len - 1] && memcmp(name, known, len) == 0;
}

const lcu_dtype *lcu_dtype_find (const char *name, size_t len) {
  for (int i = 0; i < LCU_DTYPE_COUNT; i++) {
    const lcu_dtype *t = &lcu_dtypes[i];
    if (same_name(name, len, t->name, lengths[i].name) ||
        same_name(name, len, t->short_name, lengths[i].short_name))
      return t;
  }
  return NULL;
}


/* One part of an element <-> an intermediate. */

typedef enum via { VIA_INT, VIA_UINT, VIA_FLOAT } via;

#define BLOCK 256
typedef union block {
  int64_t i[BLOCK];
  double d[BLOCK];
} block;

static bool is_float (const lcu_dtype *t) {
  return t->kind == LCU_KIND_FLOAT || t->kind == LCU_KIND_COMPLEX;
}

static via via_of (const lcu_dtype *t) {
  if (is_float(t)) return VIA_FLOAT;
  return t->kind == LCU_KIND_UINT ? VIA_UINT : VIA_INT;
}

/* Rounds to odd where the value does not fit 53 bits, so that only the following rounding to a
 * narrower type takes effect. */
static double uint_to_odd (uint64_t u) {
  if (u < (uint64_t)1 << 53) return (double)u;
  return (double)((u >> 11) | ((u & 0x7ffu) != 0)) * 2048.0;
}
static double int_to_odd (int64_t i) {
  return i < 0 ? -uint_to_odd(0 - (uint64_t)i) : uint_to_odd((uint64_t)i);
}

static inline double get_FLOAT8_E4M3FN (uint8_t v) { return (double)lcu_e4m3_to_float(v); }
static inline double get_FLOAT8_E5M2 (uint8_t v) { return (double)lcu_e5m2_to_float(v); }
static inline double get_FLOAT16 (uint16_t v) { return (double)lcu_half_to_float(v); }
static inline double get_BFLOAT16 (uint16_t v) { return (double)lcu_bf16_to_float(v); }
static inline double get_FLOAT32 (float v) { return (double)v; }
static inline double get_FLOAT64 (double v) { return v; }
static inline double get_COMPLEX64 (float v) { return (double)v; }
static inline double get_COMPLEX128 (double v) { return v; }

static inline uint8_t put_FLOAT8_E4M3FN (double v) { return lcu_double_to_e4m3(v); }
static inline uint8_t put_FLOAT8_E5M2 (double v) { return lcu_double_to_e5m2(v); }
static inline uint16_t put_FLOAT16 (double v) { return lcu_double_to_half(v); }
static inline uint16_t put_BFLOAT16 (double v) { return lcu_double_to_bf16(v); }
static inline float put_FLOAT32 (double v) { return (float)v; }
static inline double put_FLOAT64 (double v) { return v; }
static inline float put_COMPLEX64 (double v) { return (float)v; }
static inline double put_COMPLEX128 (double v) { return v; }

static inline uint8_t puti_FLOAT8_E4M3FN (int64_t v) { return lcu_double_to_e4m3(int_to_odd(v)); }
static inline uint8_t puti_FLOAT8_E5M2 (int64_t v) { return lcu_double_to_e5m2(int_to_odd(v)); }
static inline uint16_t puti_FLOAT16 (int64_t v) { return lcu_double_to_half(int_to_odd(v)); }
static inline uint16_t puti_BFLOAT16 (int64_t v) { return lcu_double_to_bf16(int_to_odd(v)); }
static inline float puti_FLOAT32 (int64_t v) { return (float)v; }
static inline double puti_FLOAT64 (int64_t v) { return (double)v; }
static inline float puti_COMPLEX64 (int64_t v) { return (float)v; }
static inline double puti_COMPLEX128 (int64_t v) { return (double)v; }

static inline uint8_t putu_FLOAT8_E4M3FN (uint64_t v) { return lcu_double_to_e4m3(uint_to_odd(v)); }
static inline uint8_t putu_FLOAT8_E5M2 (uint64_t v) { return lcu_double_to_e5m2(uint_to_odd(v)); }
static inline uint16_t putu_FLOAT16 (uint64_t v) { return lcu_double_to_half(uint_to_odd(v)); }
static inline uint16_t putu_BFLOAT16 (uint64_t v) { return lcu_double_to_bf16(uint_to_odd(v)); }
static inline float putu_FLOAT32 (uint64_t v) { return (float)v; }
static inline double putu_FLOAT64 (uint64_t v) { return (double)v; }
static inline float putu_COMPLEX64 (uint64_t v) { return (float)v; }
static inline double putu_COMPLEX128 (uint64_t v) { return (double)v; }

/* double -> integer of `bits` bits: truncates, saturates, NaN is 0. What fits 32 bits is written so
 * that loops vectorize: a double holds the bounds, and int32 the result. */
static inline int32_t clamp_int32 (double v, double low, double high) {
  double x = v > low ? v : low;
  int32_t i = (int32_t)(x < high ? x : high);
  return v == v ? i : 0;
}
static inline int64_t saturate_int (double v, unsigned bits) {
  double bound = (double)((uint64_t)1 << (bits - 1));
  int64_t most = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
  if (bits <= 32) return clamp_int32(v, -bound, bound - 1);
  if (v != v) return 0;
  if (v >= bound) return most;
  return v <= -bound ? -most - 1 : (int64_t)v;
}
static inline uint64_t saturate_uint (double v, unsigned bits) {
  double bound = (double)((uint64_t)1 << (bits - 1)) * 2.0;
  if (bits < 32) return (uint32_t)clamp_int32(v, 0, bound - 1);
  if (!(v > 0)) return 0;
  return v >= bound ? ~(uint64_t)0 >> (64 - bits) : (uint64_t)v;
}


/* Loops over one block of n parts. `step` is the stride in bytes; a step of the part's size is made
 * a constant, which lets the compiler vectorize. */

#define EACH(n, step, size, body) \
  if ((step) == (int64_t)(size)) { \
    for (size_t k = 0; k < (n); k++) { \
      int64_t at = (int64_t)k * (int64_t)(size); \
      body \
    } \
  } else { \
    for (size_t k = 0; k < (n); k++) { \
      int64_t at = (int64_t)k * (step); \
      body \
    } \
  }

#define LOAD_LOOP(type, field, expr) \
  EACH(n, step, sizeof(type), { \
    type x; \
    memcpy(&x, p + at, sizeof x); \
    out->field[k] = expr; \
  }) \
  break;

#define LOAD_BOOL(ID, type) LOAD_LOOP(type, i, x != 0)
#define LOAD_INT(ID, type) LOAD_LOOP(type, i, x)
#define LOAD_UINT(ID, type) LOAD_LOOP(type, i, (int64_t)x)
#define LOAD_FLOAT(ID, type) LOAD_LOOP(type, d, get_##ID(x))
#define LOAD_COMPLEX(ID, type) LOAD_LOOP(type, d, get_##ID(x))

static void load_block (lcu_dtype_id id, const char *p, int64_t step, size_t n, block *out) {
  switch (id) {
#define LCU_DTYPE(ID, kind, size, storage, ...) \
  case LCU_##ID: LOAD_##kind(ID, storage)
#include "dtype.def"
#undef LCU_DTYPE
    default: memset(out, 0, sizeof *out); break;
  }
}

/* Integers of up to 32 bits as doubles, which hold them exactly and convert to floats faster. */
#define LOAD_DOUBLE(kind, type) DOUBLE_OF_##kind(type)
#define DOUBLE_OF_BOOL(type) LOAD_LOOP(type, d, (double)(x != 0))
#define DOUBLE_OF_INT(type) LOAD_LOOP(type, d, (double)x)
#define DOUBLE_OF_UINT(type) LOAD_LOOP(type, d, (double)x)
#define DOUBLE_OF_FLOAT(type) break;
#define DOUBLE_OF_COMPLEX(type) break;

static bool fits_double (const lcu_dtype *t) { return !is_float(t) && t->size <= 4; }

static void load_doubles (lcu_dtype_id id, const char *p, int64_t step, size_t n, block *out) {
  switch (id) {
#define LCU_DTYPE(ID, kind, size, storage, ...) \
  case LCU_##ID: LOAD_DOUBLE(kind, storage)
#include "dtype.def"
#undef LCU_DTYPE
    default: break;
  }
}

#define STORE_LOOP(type, expr) \
  EACH(n, step, sizeof(type), { \
    type x = (type)(expr); \
    memcpy(p + at, &x, sizeof x); \
  })

#define STORE_BY_VIA(type, from_int, from_uint, from_float) \
  if (v == VIA_INT) { \
    STORE_LOOP(type, from_int) \
  } else if (v == VIA_UINT) { \
    STORE_LOOP(type, from_uint) \
  } else { \
    STORE_LOOP(type, from_float) \
  } \
  break;

#define STORE_BOOL(ID, type) STORE_BY_VIA(type, in->i[k] != 0, in->i[k] != 0, in->d[k] != 0)
#define STORE_INT(ID, type) \
  STORE_BY_VIA(type, in->i[k], in->i[k], saturate_int(in->d[k], 8 * sizeof(type)))
#define STORE_UINT(ID, type) \
  STORE_BY_VIA(type, in->i[k], in->i[k], saturate_uint(in->d[k], 8 * sizeof(type)))
#define STORE_FLOAT(ID, type) \
  STORE_BY_VIA(type, puti_##ID(in->i[k]), putu_##ID((uint64_t)in->i[k]), put_##ID(in->d[k]))
#define STORE_COMPLEX(ID, type) STORE_FLOAT(ID, type)

static void store_block (lcu_dtype_id id, char *p, int64_t step, size_t n, via v, const block *in) {
  switch (id) {
#define LCU_DTYPE(ID, kind, size, storage, ...) \
  case LCU_##ID: STORE_##kind(ID, storage)
#include "dtype.def"
#undef LCU_DTYPE
    default: break;
  }
}


/* Whole elements. */

static uint32_t part_size (const lcu_dtype *t) {
  return t->kind == LCU_KIND_COMPLEX ? t->size / 2 : t->size;
}

static void copy_elements (uint32_t size, char *dst, int64_t dst_stride, const char *src,
                           int64_t src_stride, size_t n) {
  if (dst_stride == size && src_stride == size) {
    memmove(dst, src, n * size);
    return;
  }
#define COPY(bytes) \
  for (size_t k = 0; k < n; k++) \
    memmove(dst + (int64_t)k * dst_stride, src + (int64_t)k * src_stride, bytes);
  switch (size) {
    case 1: COPY(1) break;
    case 2: COPY(2) break;
    case 4: COPY(4) break;
    case 8: COPY(8) break;
    default: COPY(size) break;
  }
#undef COPY
}

/* The second part of a complex destination: the source's, or 0. */
static void convert_imaginary (const lcu_dtype *dt, char *dst, int64_t dst_stride,
                               const lcu_dtype *st, const char *src, int64_t src_stride, size_t n,
                               block *b) {
  if (st->kind == LCU_KIND_COMPLEX) load_block(st->id, src + part_size(st), src_stride, n, b);
  else memset(b->d, 0, n * sizeof b->d[0]);
  store_block(dt->id, dst + part_size(dt), dst_stride, n, VIA_FLOAT, b);
}

/* A complex number is "not zero" when either part is. */
static void fold_imaginary (const lcu_dtype *st, const char *src, int64_t src_stride, size_t n,
                            block *b) {
  block im;
  load_block(st->id, src + part_size(st), src_stride, n, &im);
  for (size_t k = 0; k < n; k++) b->d[k] = (b->d[k] != 0 || im.d[k] != 0) ? 1.0 : 0.0;
}

static void convert_block (const lcu_dtype *dt, char *dst, int64_t dst_stride, const lcu_dtype *st,
                           const char *src, int64_t src_stride, size_t n) {
  block b, im;
  bool doubles = is_float(dt) && fits_double(st);
  if (doubles) load_doubles(st->id, src, src_stride, n, &b);
  else load_block(st->id, src, src_stride, n, &b);
  if (dt->kind == LCU_KIND_BOOL && st->kind == LCU_KIND_COMPLEX)
    fold_imaginary(st, src, src_stride, n, &b);
  if (dt->kind == LCU_KIND_COMPLEX)
    convert_imaginary(dt, dst, dst_stride, st, src, src_stride, n, &im);
  store_block(dt->id, dst, dst_stride, n, doubles ? VIA_FLOAT : via_of(st), &b);
}

double lcu_dtype_rounded (const lcu_dtype *t, double d) {
  char element[16];
  lcu_scalar v = { .d = d };
  lcu_dtype_store(t, element, &v);
  lcu_dtype_load(t, element, &v);
  return v.d;
}

void lcu_dtype_convert (const lcu_dtype *dt, void *dst, int64_t dst_stride, const lcu_dtype *st,
                        const void *src, int64_t src_stride, size_t n) {
  char *d = dst;
  const char *s = src;
  if (dt->id == st->id && dt->kind != LCU_KIND_BOOL) {
    copy_elements(dt->size, d, dst_stride, s, src_stride, n);
    return;
  }
  while (n > 0) {
    size_t now = n < BLOCK ? n : BLOCK;
    convert_block(dt, d, dst_stride, st, s, src_stride, now);
    d += dst_stride * (int64_t)now;
    s += src_stride * (int64_t)now;
    n -= now;
  }
}

void lcu_dtype_load (const lcu_dtype *t, const void *p, lcu_scalar *out) {
  block b;
  *out = (lcu_scalar){ 0 };
  if (t->kind == LCU_KIND_STRUCT) return;
  load_block(t->id, p, t->size, 1, &b);
  if (via_of(t) == VIA_FLOAT) out->d = b.d[0];
  else out->i = b.i[0];
  if (t->kind != LCU_KIND_COMPLEX) return;
  load_block(t->id, (const char *)p + part_size(t), t->size, 1, &b);
  out->im = b.d[0];
}

void lcu_dtype_store (const lcu_dtype *t, void *p, const lcu_scalar *v) {
  block b;
  if (t->kind == LCU_KIND_STRUCT) return;
  if (via_of(t) == VIA_FLOAT) b.d[0] = v->d;
  else b.i[0] = v->i;
  store_block(t->id, p, t->size, 1, via_of(t), &b);
  if (t->kind != LCU_KIND_COMPLEX) return;
  b.d[0] = v->im;
  store_block(t->id, (char *)p + part_size(t), t->size, 1, VIA_FLOAT, &b);
}
