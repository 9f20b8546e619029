// What a compiler can put into a module: initialised and demoted variables, parameters of every shape, calls, virtual
// functions, switches, inline assembly, loops of several kinds. Compiled for several targets: see test_ptx_front.c.
#include <stdio.h>

struct Pair { float a; int b; double c; };
struct Packed { char tag; const void *where; } __attribute__((packed));

__constant__ float table[4] = { 1.5f, -2.0f, 3.25f, 0.0f };
__device__ int counter = 7;
__device__ float numbers[8];
__device__ float *third = numbers + 2;
__device__ Packed packed = { 1, numbers };
__device__ const char *const text = "abc";
__device__ double fraction[2][3] = { { 0.5, 1 }, { -2 } };
__managed__ int managed_number = 3;

__device__ int plus1 (int x) { return x + 1; }
__device__ int times3 (int x) { return x * 3; }
__device__ int (*functions[3]) (int) = { plus1, nullptr, times3 };

struct Shape { __device__ virtual int area (int x) = 0; };
struct Square : Shape { __device__ int area (int x) override { return x * x; } };
struct Line : Shape { int width; __device__ int area (int x) override { return x * width; } };

extern "C" __global__ void variables (Pair p, Pair *out, float4 v, bool flag, short s, char c, double d) {
  out[threadIdx.x] = p;
  out[threadIdx.x].a += v.y + table[threadIdx.x & 3] + third[0] + (flag ? s : c);
  out[threadIdx.x].c += d + fraction[1][threadIdx.x % 3] + text[threadIdx.x % 3];
  out[threadIdx.x].b += functions[threadIdx.x % 3](counter) + managed_number + packed.tag;
}
extern "C" __global__ void virtuals (int *out, int n) {
  __shared__ char room[sizeof(Line)];
  Shape *shape = n & 1 ? (Shape *)new (room) Square : (Shape *)new (room) Line;
  out[threadIdx.x] = shape->area(n);
}
__device__ __noinline__ int fact (int n) { return n < 2 ? 1 : n * fact(n - 1); }
__device__ __noinline__ double by_value (double x, Pair p) { return x * p.c + p.a; }
extern "C" __global__ void calls (int *out, Pair p) {
  out[threadIdx.x] = fact(threadIdx.x % 10) + (int)by_value(threadIdx.x, p);
  if (threadIdx.x == 3) printf("%d %f\n", out[3], 1.5);
}
extern "C" __global__ void __launch_bounds__(128, 2) histogram (const unsigned char *data, int n, unsigned *bins) {
  extern __shared__ unsigned counts[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&counts[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], counts[i]);
}
extern "C" __global__ void tiles (const float *a, float *b, int n) {
  __shared__ float tile[16][17];
  float s = 0;
#pragma unroll 1
  for (int t = 0; t < n; t += 16) {
    tile[threadIdx.y][threadIdx.x] = a[t * n + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; k++) s += tile[k][threadIdx.x] / tile[threadIdx.y][k];
    __syncthreads();
  }
  b[threadIdx.x] = sqrtf(s);
}
extern "C" __global__ void lock (int *taken, int *value) {
  for (int done = 0; !done; )
    if (atomicCAS(taken, 0, 1) == 0) { *value += 1; __threadfence(); atomicExch(taken, 0); done = 1; }
}
extern "C" __global__ void choose (int *out, int k) {
  int local[20];
  for (int i = 0; i < 20; i++) local[i] = i * k;
  switch (out[0]) {
    case 0: out[1] = 5; break;
    case 1: out[2] = local[k];
    case 2: out[3] = 7; break;
    case 7: return;
    default: out[4] = 3;
  }
  out[k] = local[(k + threadIdx.x) % 20];
}
extern "C" __global__ void jumps (int *o) {
  int i = 0;
  goto in;
again: i++; o[i] = i;
in: if (o[i] < 5) goto b;
  goto c;
b: o[1]++;
  if (o[3]) goto again;
c: if (o[4]--) goto b;
  if (o[5]) goto again;
}
extern "C" __global__ void assembly (unsigned *o, unsigned x) {
  unsigned r, q;
  asm volatile("{ .reg .pred p; .reg .u32 t<3>; setp.ne.u32 p, %1, 0; mov.u32 t0, 5; @p bra L1; mov.u32 t0, 077; L1: add.u32 %0, t0, 0x10; }" : "=r"(r) : "r"(x));
  asm volatile("{ .reg .pred p; .reg .u32 t<3>; setp.eq.u32 p, %1, 0; mov.u32 t0, 6; @p bra L1; mov.u32 t0, 0b11; L1: add.u32 %0, t0, 1; }" : "=r"(q) : "r"(x));
  o[0] = r + q + __shfl_xor_sync(~0u, r, 1) + __ballot_sync(~0u, q);
}
