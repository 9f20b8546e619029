// driver.cu: small kernels for the tests of the CPU device's driver (cpu/test/test_cpu_driver.c).
#include <stdio.h>
#include <assert.h>

extern "C" {

__device__ int tally = 7;
__constant__ float table[16];

__global__ void add (const int *a, const int *b, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

__global__ void scale (int *p, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= by;
}

struct mixed { char tag; double value; };
__global__ void params (double *out, char c, mixed m, short s, float f) {
  out[0] = c;
  out[1] = m.tag + m.value;
  out[2] = s;
  out[3] = f;
}

// Runs for a while without memory traffic.
__global__ void spend (unsigned *out, unsigned rounds) {
  unsigned x = threadIdx.x + 1;
  for (unsigned i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
  if (threadIdx.x == 0) out[blockIdx.x] = x;
}

__global__ void past_end (int *p, int n) { p[n] = 1; }
__global__ void misaligned (char *p) { *(int *)(p + 1) = 1; }
__global__ void trap_now () { __trap(); }
__global__ void assert_below (int n) { assert((int)threadIdx.x < n); }
__global__ void stuck (volatile int *flag) { while (*flag == 0) { } }
__global__ void say (int n) { printf("n is %d\n", n); }
__global__ void count_up () { atomicAdd(&tally, 1); }
__global__ void look_up (float *out) { out[threadIdx.x] = table[threadIdx.x & 15]; }
__global__ void __launch_bounds__(64) few (int *p) { p[threadIdx.x] = 1; }
__global__ void shared_sum (int *out) {
  extern __shared__ int cells[];
  cells[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x; i++) sum += cells[i];
    out[blockIdx.x] = sum;
  }
}
struct large { int cell[200]; };
__global__ void sum_large (int *out, large l) {
  int sum = 0;
  for (int i = 0; i < 200; i++) sum += l.cell[i];
  *out = sum;
}
__device__ unsigned dig (unsigned n) { volatile unsigned here[16]; here[n & 15] = n; return n == 0 ? 0 : dig(n - 1) + here[n & 15]; }
__global__ void recurse (unsigned *out, unsigned n) { *out = dig(n); }
__global__ void from_heap (int *out) {
  int *p = (int *)malloc(4 * sizeof(int));
  p[threadIdx.x & 3] = 5;
  out[threadIdx.x] = p[threadIdx.x & 3];
  free(p);
}

}
