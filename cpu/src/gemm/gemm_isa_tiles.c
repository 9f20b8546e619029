/* gemm_isa_tiles.c: tiles held in vector registers. PTX_ISA names the instruction set. */
#include "gemm_tile.h"

#ifndef PTX_ISA
#error "PTX_ISA must name the instruction set"
#endif

/* Bytes of a vector, and rows of a tile of two vectors. With the vectors of b and one number of a,
 * a tile takes all registers but a few: 16, or 32 for 512 bits. */
#if defined(__AVX512F__)
enum { BYTES = 64, ROWS = 12, COMPLEX_ROWS = 6 };
#elif defined(__AVX2__)
enum { BYTES = 32, ROWS = 6, COMPLEX_ROWS = 2 };
#else
enum { BYTES = 16, ROWS = 5, COMPLEX_ROWS = 2 };
#endif

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Sums begin with -0, which changes no number: a single product keeps its sign. */
#define REAL(name, T) \
  typedef T vec_##name __attribute__((vector_size(BYTES))); \
  static void tile_##name(int64_t depth, const void *pa, const void *pb, void *tile, bool add) { \
    const T *a = pa; \
    const vec_##name *b = pb; \
    const vec_##name nothing = -(vec_##name){ 0 }; \
    vec_##name *out = tile, sum[ROWS][2]; \
    UNROLL for (int i = 0; i < ROWS; i++) { \
      sum[i][0] = add ? out[2 * i] : nothing; \
      sum[i][1] = add ? out[2 * i + 1] : nothing; \
    } \
    for (int64_t p = 0; p < depth; p++, a += ROWS, b += 2) UNROLL for (int i = 0; i < ROWS; i++) { \
        sum[i][0] += a[i] * b[0]; \
        sum[i][1] += a[i] * b[1]; \
      } \
    UNROLL for (int i = 0; i < ROWS; i++) { \
      out[2 * i] = sum[i][0]; \
      out[2 * i + 1] = sum[i][1]; \
    } \
  }

#define COMPLEX(name, T) \
  static void tile_c##name(int64_t depth, const void *pa, const void *pb, void *tile, bool add) { \
    enum { N = COMPLEX_ROWS }; \
    const T *a = pa; \
    const vec_##name *b = pb; \
    const vec_##name nothing = -(vec_##name){ 0 }; \
    vec_##name *out = tile, sum[2 * N][2]; \
    UNROLL for (int i = 0; i < 2 * N; i++) { \
      sum[i][0] = add ? out[2 * i] : nothing; \
      sum[i][1] = add ? out[2 * i + 1] : nothing; \
    } \
    for (int64_t p = 0; p < depth; p++, a += 2 * N, b += 4) \
      UNROLL for (int i = 0; i < N; i++) UNROLL for (int j = 0; j < 2; j++) { \
        sum[i][j] += a[i] * b[j]; \
        sum[i][j] -= a[N + i] * b[2 + j]; \
        sum[N + i][j] += a[i] * b[2 + j]; \
        sum[N + i][j] += a[N + i] * b[j]; \
      } \
    UNROLL for (int i = 0; i < 2 * N; i++) { \
      out[2 * i] = sum[i][0]; \
      out[2 * i + 1] = sum[i][1]; \
    } \
  }

REAL(f32, float)
REAL(f64, double)
REAL(u32, uint32_t)
REAL(u64, uint64_t)
COMPLEX(f32, float)
COMPLEX(f64, double)

#define COLUMNS(T) (2 * BYTES / (int)sizeof(T))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

const gemm_isa CAT(gemm_isa_, PTX_ISA) = {
  .name = LCU_ISA_NAME(PTX_ISA),
  .tiles = { [GEMM_F32] = { ROWS, COLUMNS(float), tile_f32 },
             [GEMM_F64] = { ROWS, COLUMNS(double), tile_f64 },
             [GEMM_U32] = { ROWS, COLUMNS(uint32_t), tile_u32 },
             [GEMM_U64] = { ROWS, COLUMNS(uint64_t), tile_u64 },
             [GEMM_C32] = { COMPLEX_ROWS, COLUMNS(float), tile_cf32 },
             [GEMM_C64] = { COMPLEX_ROWS, COLUMNS(double), tile_cf64 } },
};
