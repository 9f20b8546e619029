/* kernels.cu: the kernels of bench/cpu, one source for CUDA C++ and OpenCL C. The first lines give
 * both languages one spelling. */
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT ON
#define KERNEL __kernel
#define G __global
#define L __local
#define DEV
#define TX ((int)get_local_id(0))
#define TY ((int)get_local_id(1))
#define BX ((int)get_group_id(0))
#define BY ((int)get_group_id(1))
#define NTX ((int)get_local_size(0))
#define NTY ((int)get_local_size(1))
#define NBX ((int)get_num_groups(0))
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define RSQRT(x) rsqrt(x)
#define EXP(x) exp(x)
#define LOG(x) log(x)
#define SQRT(x) sqrt(x)
#define FABS(x) fabs(x)
#define ADDL(p, v) atomic_add((volatile L unsigned *)(p), v)
#define ADDG(p, v) atomic_add((volatile G unsigned *)(p), v)
#define MULHI(a, b) mul_hi((unsigned)(a), (unsigned)(b))
typedef ulong u64;
#else
#include <mma.h>
#define KERNEL extern "C" __global__
#define G
#define L __shared__
#define DEV __device__
#define TX ((int)threadIdx.x)
#define TY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)
#define NTX ((int)blockDim.x)
#define NTY ((int)blockDim.y)
#define NBX ((int)gridDim.x)
#define SYNC __syncthreads()
#define RSQRT(x) rsqrtf(x)
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define SQRT(x) sqrtf(x)
#define FABS(x) fabsf(x)
#define ADDL(p, v) atomicAdd(p, v)
#define ADDG(p, v) atomicAdd(p, v)
#define MULHI(a, b) __umulhi(a, b)
typedef unsigned long long u64;
#endif

KERNEL void empty(int n) { }

KERNEL void saxpy(float a, G const float *x, G float *y, int n) {
  int i = BX * NTX + TX;
  if (i < n) y[i] = a * x[i] + y[i];
}

KERNEL void mandelbrot(G int *steps, int width, int height, int limit) {
  int x = BX * NTX + TX, y = BY * NTY + TY;
  if (x >= width || y >= height) return;
  float cr = 3.0f * x / width - 2.2f, ci = 2.0f * y / height - 1.0f, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi <= 4) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    n++;
  }
  steps[y * width + x] = n;
}

KERNEL void matmul(G const float *A, G const float *B, G float *C, int n) {
  int col = BX * NTX + TX, row = BY * NTY + TY;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

KERNEL void matmul_tiled(G const float *A, G const float *B, G float *C, int n) {
  L float a[16][16]; L float b[16][16];
  int tx = TX, ty = TY, row = BY * 16 + ty, col = BX * 16 + tx;
  float sum = 0;
  for (int from = 0; from < n; from += 16) {
    a[ty][tx] = A[row * n + from + tx];
    b[ty][tx] = B[(from + ty) * n + col];
    SYNC;
    for (int k = 0; k < 16; k++) sum += a[ty][k] * b[k][tx];
    SYNC;
  }
  C[row * n + col] = sum;
}

KERNEL void nbody(G const float *px, G const float *py, G const float *pz, G const float *m,
                  G float *ax, G float *ay, G float *az, int n) {
  L float sx[128]; L float sy[128]; L float sz[128]; L float sm[128];
  int i = BX * NTX + TX;
  float x = px[i], y = py[i], z = pz[i], fx = 0, fy = 0, fz = 0;
  for (int from = 0; from < n; from += 128) {
    sx[TX] = px[from + TX]; sy[TX] = py[from + TX]; sz[TX] = pz[from + TX]; sm[TX] = m[from + TX];
    SYNC;
    for (int k = 0; k < 128; k++) {
      float dx = sx[k] - x, dy = sy[k] - y, dz = sz[k] - z;
      float r = RSQRT(dx * dx + dy * dy + dz * dz + 1e-6f);
      float s = sm[k] * r * r * r;
      fx += dx * s; fy += dy * s; fz += dz * s;
    }
    SYNC;
  }
  ax[i] = fx; ay[i] = fy; az[i] = fz;
}

DEV float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * FABS(d));
  float v = 0.39894228f * EXP(-0.5f * d * d) *
    (k * (0.31938153f + k * (-0.356563782f +
      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - v : v;
}
KERNEL void blackscholes(G const float *S, G const float *X, G const float *T,
                         G float *call, G float *put, float r, float v, int n) {
  int i = BX * NTX + TX;
  if (i >= n) return;
  float s = S[i], x = X[i], t = T[i], q = SQRT(t);
  float d1 = (LOG(s / x) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
  float c1 = cnd(d1), c2 = cnd(d2), e = EXP(-r * t);
  call[i] = s * c1 - x * e * c2;
  put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
}

KERNEL void histogram(G const unsigned char *data, G unsigned *bins, int n) {
  L unsigned h[256];
  h[TX] = 0;
  SYNC;
  for (int i = BX * 256 + TX; i < n; i += NBX * 256) ADDL(&h[data[i]], 1u);
  SYNC;
  ADDG(&bins[TX], h[TX]);
}

/* PoCL 3.1 has no subgroups: there, all steps go through local memory. */
#ifdef __OPENCL_VERSION__
KERNEL void reduce(G const float *x, G float *out, int n) {
  L float part[256];
  float sum = 0;
  for (int i = BX * 256 + TX; i < n; i += NBX * 256) sum += x[i];
  part[TX] = sum;
  SYNC;
  for (int o = 128; o > 0; o >>= 1) { if (TX < o) part[TX] += part[TX + o]; SYNC; }
  if (TX == 0) out[BX] = part[0];
}
#else
KERNEL void reduce(const float *x, float *out, int n) {
  __shared__ float part[8];
  float sum = 0;
  for (int i = BX * 256 + TX; i < n; i += NBX * 256) sum += x[i];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if (TX % 32 == 0) part[TX / 32] = sum;
  SYNC;
  if (TX < 32) {
    sum = TX < 8 ? part[TX] : 0;
    for (int o = 4; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (TX == 0) out[BX] = sum;
  }
}
#endif

KERNEL void conv(G const float *in, G float *out, G const float *w, int width, int height) {
  int x = BX * NTX + TX, y = BY * NTY + TY;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  float sum = 0;
  for (int j = -2; j <= 2; j++)
    for (int i = -2; i <= 2; i++) sum += in[(y + j) * width + x + i] * w[(j + 2) * 5 + i + 2];
  out[y * width + x] = sum;
}

KERNEL void transpose(G const float *in, G float *out, int n) {
  L float tile[32][33];
  int x = BX * 32 + TX, y = BY * 32 + TY;
  for (int j = 0; j < 32; j += 8) tile[TY + j][TX] = in[(y + j) * n + x];
  SYNC;
  x = BY * 32 + TX; y = BX * 32 + TY;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[TX][TY + j];
}

KERNEL void scan(G const int *in, G int *out, G int *sums) {
  L int s[256];
  int i = BX * 256 + TX, v = in[i];
  s[TX] = v;
  SYNC;
  for (int o = 1; o < 256; o <<= 1) {
    int t = TX >= o ? s[TX - o] : 0;
    SYNC;
    v += t; s[TX] = v;
    SYNC;
  }
  out[i] = v;
  if (TX == 255) sums[BX] = v;
}

KERNEL void bitonic(G unsigned *keys) {
  L unsigned s[512];
  int base = BX * 512, t = TX;
  s[t] = keys[base + t]; s[t + 256] = keys[base + t + 256];
  for (int size = 2; size <= 512; size <<= 1)
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      SYNC;
      int p = 2 * t - (t & (stride - 1));
      unsigned a = s[p], b = s[p + stride];
      int up = (p & size) == 0;
      if ((a > b) == up) { s[p] = b; s[p + stride] = a; }
    }
  SYNC;
  keys[base + t] = s[t]; keys[base + t + 256] = s[t + 256];
}

KERNEL void montecarlo(G unsigned *hits, unsigned seed, int rounds) {
  unsigned id = BX * NTX + TX, count = 0;
  for (int r = 0; r < rounds; r++) {
    unsigned c0 = id, c1 = r, c2 = 0, c3 = 0, k0 = seed, k1 = 0x1234567u;
    for (int i = 0; i < 10; i++) {
      unsigned h0 = MULHI(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
      unsigned h1 = MULHI(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
      c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
      k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
    }
    float x = c0 * 2.3283064e-10f, y = c1 * 2.3283064e-10f;
    float u = c2 * 2.3283064e-10f, v = c3 * 2.3283064e-10f;
    count += x * x + y * y < 1.0f;
    count += u * u + v * v < 1.0f;
  }
  hits[id] = count;
}

#define ROR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
KERNEL void sha256(G unsigned *out, G const unsigned *K, unsigned seed) {
  unsigned id = BX * NTX + TX, w[16];
  for (int i = 0; i < 16; i++) w[i] = id * 2654435761u + i * seed;
  unsigned a = 0x6a09e667u, b = 0xbb67ae85u, c = 0x3c6ef372u, d = 0xa54ff53au;
  unsigned e = 0x510e527fu, f = 0x9b05688cu, g = 0x1f83d9abu, h = 0x5be0cd19u;
#pragma unroll
  for (int i = 0; i < 64; i++) {
    unsigned t;
    if (i < 16) t = w[i];
    else {
      unsigned p = w[(i + 1) & 15], q = w[(i + 14) & 15];
      t = w[i & 15] += (ROR(p, 7) ^ ROR(p, 18) ^ (p >> 3)) + w[(i + 9) & 15] +
        (ROR(q, 17) ^ ROR(q, 19) ^ (q >> 10));
    }
    unsigned t1 = h + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + t;
    unsigned t2 = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
  }
  out[id] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

KERNEL void collatz(G int *steps, int n) {
  int i = BX * NTX + TX;
  if (i >= n) return;
  u64 v = i + 1;
  int s = 0;
  while (v != 1) { v = (v & 1) ? 3 * v + 1 : v >> 1; s++; }
  steps[i] = s;
}

/* A product of matrices of halves by tensor cores, one warp for each tile of 16 x 16. OpenCL has
 * nothing like it. */
#ifndef __OPENCL_VERSION__
KERNEL void wmma (const __half *A, const __half *B, float *C, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  int row = BY * 16, col = BX * 16;
  fill_fragment(c, 0.0f);
  for (int k = 0; k < n; k += 16) {
    load_matrix_sync(a, A + row * n + k, n);
    load_matrix_sync(b, B + k * n + col, n);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(C + row * n + col, c, n, mem_row_major);
}
#endif
