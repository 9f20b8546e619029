// Threads that wait for each other by memory: within a warp, a block, and a grid.
// locks.ptx: make -C cpu/test/ptx
#include <cooperative_groups.h>

__device__ void lock (int *l) { while (atomicCAS(l, 0, 1) != 0) ; __threadfence(); }
__device__ void unlock (int *l) { __threadfence(); atomicExch(l, 0); }

// The naive loop that hangs on hardware without independent thread scheduling.
extern "C" __global__ void spin (int *l, volatile int *counter) {
  lock(l);
  *counter = *counter + 1;
  unlock(l);
}

__device__ __noinline__ void lock_call (int *l) { while (atomicCAS(l, 0, 1) != 0) __nanosleep(20); __threadfence(); }

extern "C" __global__ void spin_call (int *l, volatile int *counter) {
  lock_call(l);
  *counter = *counter + 1;
  unlock(l);
}

extern "C" __global__ void spin_inside (int *l, volatile int *counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(l, 0, 1) == 0) {
      __threadfence();
      *counter = *counter + 1;
      __threadfence();
      atomicExch(l, 0);
      done = true;
    }
  }
}

// Lane 0 waits for lane 31 of its own warp.
extern "C" __global__ void lane_waits (volatile int *flag, int *out) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    while (flag[w] == 0) ;
    out[w] = flag[w] * 2;
  } else if (threadIdx.x % 32 == 31) {
    flag[w] = 21 + w;
  }
}

// Warp 0 waits for warp 1 of the same block.
extern "C" __global__ void warp_waits (volatile int *flag, int *out) {
  if (threadIdx.x < 32) {
    while (flag[blockIdx.x] == 0) ;
    out[blockIdx.x * 32 + threadIdx.x] = flag[blockIdx.x] + threadIdx.x;
  } else if (threadIdx.x == 32) {
    flag[blockIdx.x] = 100;
  }
}

// Each block waits for the one before it: only a start in increasing order gets through.
extern "C" __global__ void chain (volatile int *sum, int n) {
  if (threadIdx.x != 0) return;
  int b = blockIdx.x;
  if (b > 0) while (sum[b - 1] == 0) ;
  sum[b] = (b > 0 ? sum[b - 1] : 0) + b + 1;
}

// Each block waits for the one behind it: all must be in flight at once.
extern "C" __global__ void chain_back (volatile int *sum, int n) {
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    if (b < n - 1) while (sum[b + 1] == 0) ;
    sum[b] = (b < n - 1 ? sum[b + 1] : 0) + 1;
  }
}

extern "C" __global__ void grid_sync (int *data, int *out, int rounds) {
  cooperative_groups::grid_group g = cooperative_groups::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; r++) {
    int v = data[(i + 1) % n];
    g.sync();
    data[i] = v + 1;
    g.sync();
  }
  out[i] = data[i];
}

extern "C" __global__ void histogram (const unsigned *in, unsigned *bins, int n) {
  __shared__ unsigned local[64];
  for (int k = threadIdx.x; k < 64; k += blockDim.x) local[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i] & 63], 1u);
  __syncthreads();
  for (int k = threadIdx.x; k < 64; k += blockDim.x) atomicAdd(&bins[k], local[k]);
}

// A wait by plain loads is undefined, but must not hang the others: flag comes from another lane.
extern "C" __global__ void long_loop (const int *in, int *out, int n) {
  int i = threadIdx.x, v = i;
  if (i & 1) for (int k = 0; k < n; k++) v = v * 1664525 + in[k & 31];
  out[i] = v;
}
