// Kernels that cannot end; line numbers matter to the test.
// hang.ptx: make -C cpu/test/ptx
extern "C" __global__ void half_barrier (int *out) {
  int t = threadIdx.x;
  if (t < 32)
    asm volatile("bar.sync 1, 128;" ::: "memory");       // line 6
  else
    out[t] = t;
}

extern "C" __global__ void two_barriers (int *out) {
  int t = threadIdx.x;
  if (t < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");        // line 14
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");        // line 16
  out[t] = t;
}

extern "C" __global__ void missing_lane (int *out) {
  int t = threadIdx.x;
  if (t < 16)
    out[t] = __shfl_xor_sync(0xffffffffu, t, 1);         // line 23
  else
    asm volatile("barrier.sync 0;" ::: "memory");        // line 25
}

extern "C" __global__ void nobody_stores (volatile int *flag) {
  while (flag[0] == 0) ;                                 // line 29
  flag[1] = 1;
}

extern "C" __global__ void lock_twice (int *l) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(l, 0, 1) != 0) ;
  while (atomicCAS(l, 0, 1) != 0) ;                      // line 36
  l[0] = 0;
}

extern "C" __global__ void not_volatile (int *flag) {
  if (threadIdx.x >= 32) __syncthreads();
  else while (flag[0] == 0) ;                            // line 42: read once, then a branch to itself
  flag[1] = 1;
}
