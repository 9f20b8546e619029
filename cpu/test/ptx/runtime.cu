// What a kernel may call without defining it, and faults.
// runtime.ptx: make -C cpu/test/ptx
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" __global__ void hello (int base) {
  printf("block %d thread %u: %5.2f|%-6s|%c|%lld|%#x|%%\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x,
         threadIdx.x & 1 ? "odd" : "even", 'a' + threadIdx.x, -1234567890123ll - base, base);
}

extern "C" __global__ void formats (int *returned) {
  if (threadIdx.x != 3) return;
  returned[0] = printf("[%*d][%-*.3s][%+.3e][%05d][%hhd][%hu][%zu][%p]\n", 6, 42, 8, "abcdef", 12345.678, -42, 300, 70000,
                       (size_t)1 << 40, (void *)0);
  returned[1] = printf("plain\n");
  char text[8] = { 'l', 'o', 'c', 'a', 'l', 0 };
  text[0] = 'L' ^ (returned[1] & 0);
  returned[2] = printf("%s %y %g\n", text, 0.25);
}

extern "C" __global__ void asserts (const int *in) {
  assert(in[threadIdx.x] < 50 && "too large");
}

extern "C" __global__ void traps (const int *in) {
  if (in[threadIdx.x] == 40) __trap();
}

extern "C" __global__ void heap (int **slots, int *out) {
  int t = threadIdx.x;
  int *p = (int *)malloc(sizeof(int) * (t + 1));
  for (int k = 0; k <= t; k++) p[k] = k * t;
  slots[t] = p;
  __syncthreads();
  int *q = slots[(t + 1) % blockDim.x], sum = 0;
  for (int k = 0; k <= (t + 1) % (int)blockDim.x; k++) sum += q[k];
  out[t] = sum;
  __syncthreads();
  free(p);
}

extern "C" __global__ void double_free (int *p) { if (threadIdx.x == 5) free(p); }

__device__ inline void store (int *p, int i, int v) { p[i] = v; }

extern "C" __global__ void outside (int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    store(p, i, i);
}

extern "C" __global__ void adds (int *p) {
  for (int k = 0; k < 1000; k++) atomicAdd(p, 1);
}

__device__ char open_end[3] = { 'e', 'n', 'd' };
extern "C" __global__ void open_text () {
  printf("[%.3s]\n", open_end);
}

extern "C" __global__ void print_by (const char *format) {
  printf(format);
}
