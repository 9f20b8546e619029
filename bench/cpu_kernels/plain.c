/* plain.c: the work of kernels.cu as loops in C (runner.h has the command line). With -fopenmp the
 * outer loop is parallel. The matrix products are the loops that one writes in C for each. */
#include <math.h>
#include <stdint.h>

#include "runner.h"

#ifdef _OPENMP
#define UNEVEN _Pragma("omp parallel for schedule(dynamic, 4)")
#define EVEN _Pragma("omp parallel for schedule(static)")
#else
#define UNEVEN
#define EVEN
#endif

#define FLOATS(k) ((float *)w->args[k].bytes)
#define INTS(k) ((int *)w->args[k].bytes)
#define WORDS(k) ((uint32_t *)w->args[k].bytes)
#define F(k) (w->args[k].f)
#define I(k) (w->args[k].i)

static int threads_of (const work *w) { return (int)(w->grid[0] * w->block[0]); }

static void empty (const work *w) { (void)w; }

static void saxpy (const work *w) {
  const float *restrict x = FLOATS(1);
  float *restrict y = FLOATS(2), a = F(0);
  int n = I(3);
  EVEN for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

static int escape (float cr, float ci, int limit) {
  float zr = 0, zi = 0;
  int n = 0;
  for (; n < limit && zr * zr + zi * zi <= 4; n++) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
  }
  return n;
}

static void mandelbrot (const work *w) {
  int *steps = INTS(0), width = I(1), height = I(2), limit = I(3);
  UNEVEN
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float cr = 3.0f * (float)x / (float)width - 2.2f, ci = 2.0f * (float)y / (float)height - 1.0f;
      steps[y * width + x] = escape(cr, ci, limit);
    }
}

static void matmul (const work *w) {
  const float *restrict A = FLOATS(0), *restrict B = FLOATS(1);
  float *restrict C = FLOATS(2);
  int n = I(3);
  UNEVEN
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += A[r * n + k] * B[k * n + c];
      C[r * n + c] = sum;
    }
}

/* Row by row, so that the inner loop is over consecutive elements. */
static void matmul_tiled (const work *w) {
  const float *restrict A = FLOATS(0), *restrict B = FLOATS(1);
  int n = I(3);
  UNEVEN
  for (int r = 0; r < n; r++) {
    float *restrict c = FLOATS(2) + r * n;
    memset(c, 0, (size_t)n * sizeof *c);
    for (int k = 0; k < n; k++) {
      float a = A[r * n + k];
      for (int j = 0; j < n; j++) c[j] += a * B[k * n + j];
    }
  }
}

/* The product of matrices of halves: these become floats first. */
static void wmma (const work *w) {
  const _Float16 *restrict A = w->args[0].bytes, *restrict B = w->args[1].bytes;
  int n = I(3);
  static float wide[256 * 256];
  if (n != 256) fail("size", "wmma");
  EVEN for (int k = 0; k < n * n; k++) wide[k] = (float)B[k];
  UNEVEN
  for (int r = 0; r < n; r++) {
    float *restrict c = FLOATS(2) + r * n;
    memset(c, 0, (size_t)n * sizeof *c);
    for (int k = 0; k < n; k++) {
      float a = (float)A[r * n + k];
      for (int j = 0; j < n; j++) c[j] += a * wide[k * n + j];
    }
  }
}

static void nbody (const work *w) {
  const float *restrict px = FLOATS(0), *restrict py = FLOATS(1), *restrict pz = FLOATS(2),
                        *restrict m = FLOATS(3);
  float *restrict ax = FLOATS(4), *restrict ay = FLOATS(5), *restrict az = FLOATS(6);
  int n = I(7);
  UNEVEN
  for (int i = 0; i < n; i++) {
    float x = px[i], y = py[i], z = pz[i], fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < n; k++) {
      float dx = px[k] - x, dy = py[k] - y, dz = pz[k] - z;
      float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = m[k] * r * r * r;
      fx += dx * s;
      fy += dy * s;
      fz += dz * s;
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
  }
}

static inline float cnd (float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d)), p = k * -1.821255978f + k * k * 1.330274429f;
  p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + p)));
  float v = 0.39894228f * expf(-0.5f * d * d) * p;
  return d > 0 ? 1.0f - v : v;
}

static void blackscholes (const work *w) {
  const float *restrict S = FLOATS(0), *restrict X = FLOATS(1), *restrict T = FLOATS(2);
  float *restrict call = FLOATS(3), *restrict put = FLOATS(4), r = F(5), v = F(6);
  int n = I(7);
  EVEN for (int i = 0; i < n; i++) {
    float s = S[i], x = X[i], t = T[i], q = sqrtf(t);
    float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    float c1 = cnd(d1), c2 = cnd(d2), e = expf(-r * t);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
  }
}

static void histogram (const work *w) {
  const uint8_t *data = w->args[0].bytes;
  uint32_t *bins = WORDS(1);
  int n = I(2);
#ifdef _OPENMP
#pragma omp parallel
  {
    uint32_t own[256] = { 0 };
#pragma omp for
    for (int i = 0; i < n; i++) own[data[i]]++;
#pragma omp critical
    for (int i = 0; i < 256; i++) bins[i] += own[i];
  }
#else
  for (int i = 0; i < n; i++) bins[data[i]]++;
#endif
}

/* The whole sum; the kernel leaves one per block. */
static void reduce (const work *w) {
  const float *x = FLOATS(0);
  int n = I(2);
  float sum = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum)
#endif
  for (int i = 0; i < n; i++) sum += x[i];
  FLOATS(1)[0] = sum;
}

static void conv (const work *w) {
  const float *restrict in = FLOATS(0), *restrict k = FLOATS(2);
  float *restrict out = FLOATS(1);
  int width = I(3), height = I(4);
  UNEVEN
  for (int y = 2; y < height - 2; y++)
    for (int x = 2; x < width - 2; x++) {
      float sum = 0;
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) sum += in[(y + j) * width + x + i] * k[(j + 2) * 5 + i + 2];
      out[y * width + x] = sum;
    }
}

static void transpose (const work *w) {
  const float *restrict in = FLOATS(0);
  float *restrict out = FLOATS(1);
  int n = I(2);
  UNEVEN
  for (int b = 0; b < n; b += 32)
    for (int c = 0; c < n; c += 32)
      for (int y = b; y < b + 32; y++)
        for (int x = c; x < c + 32; x++) out[x * n + y] = in[y * n + x];
}

static void scan (const work *w) {
  const int *restrict in = INTS(0);
  int *restrict out = INTS(1), *restrict sums = INTS(2), blocks = (int)w->grid[0];
  EVEN for (int b = 0; b < blocks; b++) {
    int v = 0;
    for (int i = 0; i < 256; i++) out[b * 256 + i] = v += in[b * 256 + i];
    sums[b] = v;
  }
}

static void exchange (uint32_t *s, int size, int stride, int t) {
  int p = 2 * t - (t & (stride - 1)), up = (p & size) == 0;
  uint32_t x = s[p], y = s[p + stride];
  if ((x > y) != up) return;
  s[p] = y;
  s[p + stride] = x;
}

static void bitonic (const work *w) {
  int blocks = (int)w->grid[0];
  EVEN for (int b = 0; b < blocks; b++) for (int size = 2; size <= 512;
                                             size <<= 1) for (int stride = size >> 1; stride > 0;
                                                              stride >>= 1) for (int t = 0; t < 256;
                                                                                 t++)
    exchange(WORDS(0) + b * 512, size, stride, t);
}

/* Philox, 10 rounds: 4 random words of a counter and a key. */
static inline void philox (uint32_t c[4], uint32_t k0, uint32_t k1) {
  for (int i = 0; i < 10; i++) {
    uint64_t p = (uint64_t)0xD2511F53u * c[0], q = (uint64_t)0xCD9E8D57u * c[2];
    c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k0;
    c[1] = (uint32_t)q;
    c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k1;
    c[3] = (uint32_t)p;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

static void montecarlo (const work *w) {
  uint32_t *hits = WORDS(0), seed = (uint32_t)I(1);
  int rounds = I(2), n = threads_of(w);
  EVEN for (int id = 0; id < n; id++) {
    uint32_t count = 0;
    for (int r = 0; r < rounds; r++) {
      uint32_t c[4] = { (uint32_t)id, (uint32_t)r, 0, 0 };
      float x[4];
      philox(c, seed, 0x1234567u);
      for (int i = 0; i < 4; i++) x[i] = (float)c[i] * 2.3283064e-10f;
      count += x[0] * x[0] + x[1] * x[1] < 1.0f;
      count += x[2] * x[2] + x[3] * x[3] < 1.0f;
    }
    hits[id] = count;
  }
}

#define ROR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

/* The state is s[0] to s[7], a to h, turned by one place in each step. */
static inline uint32_t sha256_of (uint32_t id, const uint32_t *K, uint32_t seed) {
  uint32_t v[16], s[8] = { 0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                           0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u };
  for (uint32_t i = 0; i < 16; i++) v[i] = id * 2654435761u + i * seed;
#pragma GCC unroll 64
  for (int i = 0; i < 64; i++) {
    uint32_t p = v[(i + 1) & 15], q = v[(i + 14) & 15];
    if (i >= 16)
      v[i & 15] += (ROR(p, 7) ^ ROR(p, 18) ^ (p >> 3)) + v[(i + 9) & 15] +
                   (ROR(q, 17) ^ ROR(q, 19) ^ (q >> 10));
    uint32_t t1 = s[7] + (ROR(s[4], 6) ^ ROR(s[4], 11) ^ ROR(s[4], 25)) +
                  ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[i] + v[i & 15];
    uint32_t t2 = (ROR(s[0], 2) ^ ROR(s[0], 13) ^ ROR(s[0], 22)) +
                  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; k--) s[k] = s[k - 1];
    s[4] += t1;
    s[0] = t1 + t2;
  }
  return s[0] ^ s[1] ^ s[2] ^ s[3] ^ s[4] ^ s[5] ^ s[6] ^ s[7];
}

static void sha256 (const work *w) {
  uint32_t *restrict out = WORDS(0);
  const uint32_t *restrict K = WORDS(1);
  int n = threads_of(w);
  EVEN for (int id = 0; id < n; id++) out[id] = sha256_of((uint32_t)id, K, (uint32_t)I(2));
}

static void collatz (const work *w) {
  int *steps = INTS(0), n = I(1);
  UNEVEN
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (uint64_t v = (uint64_t)i + 1; v != 1; s++) v = (v & 1) != 0 ? 3 * v + 1 : v >> 1;
    steps[i] = s;
  }
}

typedef struct entry {
  const char *name;
  void (*run)(const work *w);
} entry;

#define ENTRY(name) { #name, name }
static const entry ENTRIES[] = { ENTRY(empty),        ENTRY(saxpy),        ENTRY(mandelbrot),
                                 ENTRY(matmul),       ENTRY(matmul_tiled), ENTRY(nbody),
                                 ENTRY(blackscholes), ENTRY(histogram),    ENTRY(reduce),
                                 ENTRY(conv),         ENTRY(transpose),    ENTRY(scan),
                                 ENTRY(bitonic),      ENTRY(montecarlo),   ENTRY(sha256),
                                 ENTRY(collatz),      ENTRY(wmma) };

int main (int argc, char **argv) {
  static work w;
  read_work(&w, argc, argv);
  for (size_t i = 0; i < sizeof ENTRIES / sizeof ENTRIES[0]; i++) {
    if (strcmp(ENTRIES[i].name, w.kernel) != 0) continue;
    if (w.rounds == 0) {
      run_launches(&w, ENTRIES[i].run);
      return 0;
    }
    ENTRIES[i].run(&w);
    write_result(&w, w.args[w.result].bytes);
    measure(&w, ENTRIES[i].run);
    return 0;
  }
  fail("no such kernel", w.kernel);
}
