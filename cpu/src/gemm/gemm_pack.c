/* gemm_pack.c: elements of every dtype as operands of tiles, and tiles as elements. */
#include "gemm_pack.h"

#include "lcu_float8.h"

/* ---- numbers of one part ---- */

/* One panel: `n` sides of type T, widened to type S. */
#define PANEL(name, T, S, WIDEN) \
  static inline void panel_##name(S *to, const T *from, int64_t side, int64_t deep, int64_t depth, \
                                  int n, int width) { \
    for (int64_t p = 0; p < depth; p++, to += width, from += deep) { \
      for (int i = 0; i < n; i++) to[i] = WIDEN(from[i * side]); \
      for (int i = n; i < width; i++) to[i] = 0; \
    } \
  } \
  static void pack_##name(void *panels, const gemm_walk *w, int width) { \
    S *to = panels; \
    const T *from = w->first; \
    for (int64_t s = 0; s < w->sides; s += width, to += width * w->depth) { \
      int n = w->sides - s < width ? (int)(w->sides - s) : width; \
      const T *at = from + s * w->side; \
      /* the usual steps, as constants: neighbors are read together */ \
      if (w->side == 1) panel_##name(to, at, 1, w->deep, w->depth, n, width); \
      else if (w->deep == 1) panel_##name(to, at, w->side, 1, w->depth, n, width); \
      else panel_##name(to, at, w->side, w->deep, w->depth, n, width); \
    } \
  }

#define STORE(name, T, S, NARROW) \
  static inline void rows_##name(const gemm_place *to, const S *tile, int columns, int64_t step) { \
    for (int r = 0; r < to->rows; r++, tile += columns) { \
      T *c = (T *)to->first + r * to->row; \
      for (int q = 0; q < to->columns; q++) c[q * step] = NARROW(tile[q]); \
    } \
  } \
  static void store_##name(const gemm_place *to, const gemm_tile *t, const void *tile) { \
    if (to->column == 1) rows_##name(to, tile, t->columns, 1); \
    else rows_##name(to, tile, t->columns, to->column); \
  }


/* ---- complex numbers ---- */

#define PAIRS(name, T) \
  static void panel_##name(T *to, const T *from, int64_t side, int64_t deep, int64_t depth, int n, \
                           int width) { \
    for (int64_t p = 0; p < depth; p++, to += 2 * width, from += 2 * deep) { \
      for (int i = 0; i < n; i++) { \
        to[i] = from[2 * i * side]; \
        to[width + i] = from[2 * i * side + 1]; \
      } \
      for (int i = n; i < width; i++) to[i] = to[width + i] = 0; \
    } \
  } \
  static void pack_##name(void *panels, const gemm_walk *w, int width) { \
    T *to = panels; \
    const T *from = w->first; \
    for (int64_t s = 0; s < w->sides; s += width, to += 2 * width * w->depth) { \
      int n = w->sides - s < width ? (int)(w->sides - s) : width; \
      panel_##name(to, from + 2 * s * w->side, w->side, w->deep, w->depth, n, width); \
    } \
  } \
  static void store_##name(const gemm_place *to, const gemm_tile *t, const void *tile) { \
    const T *re = tile, *im = re + t->rows * t->columns; \
    for (int r = 0; r < to->rows; r++, re += t->columns, im += t->columns) { \
      T *c = (T *)to->first + 2 * r * to->row; \
      for (int q = 0; q < to->columns; q++) { \
        c[2 * q * to->column] = re[q]; \
        c[2 * q * to->column + 1] = im[q]; \
      } \
    } \
  }


/* ---- the table ---- */

#define NUMBER(ID, name, T, S, WIDEN, NARROW) \
  PANEL(name, T, S, WIDEN) \
  STORE(name, T, S, NARROW)
#define SAME_NUMBER(ID, name)
#define COMPLEX(ID, name, T) PAIRS(name, T)
#include "gemm_numbers.def"

#define SUM_float GEMM_F32
#define SUM_double GEMM_F64
#define SUM_uint32_t GEMM_U32
#define SUM_uint64_t GEMM_U64
#define TYPE(ID, name, sum, bytes, sum_bytes) \
  [LCU_##ID] = { sum, bytes, sum_bytes, pack_##name, store_##name },
#define TYPE_u32(ID) TYPE(ID, u32, GEMM_U32, 4, 4)
#define TYPE_u64(ID) TYPE(ID, u64, GEMM_U64, 8, 8)

const gemm_type gemm_types[LCU_DTYPE_COUNT] = {
#define NUMBER(ID, name, T, S, WIDEN, NARROW) TYPE(ID, name, SUM_##S, sizeof(T), sizeof(S))
#define SAME_NUMBER(ID, name) TYPE_##name(ID)
#define COMPLEX(ID, name, T) \
  TYPE(ID, name, sizeof(T) == 4 ? GEMM_C32 : GEMM_C64, 2 * sizeof(T), 2 * sizeof(T))
#include "gemm_numbers.def"
};

#undef PAIRS
