// What only all checks find; line numbers matter to the test.
// check.ptx: make -C spec/ptx
extern "C" __global__ void forgot_barrier (int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  out[t] = s[63 - t];                                    // line 7
}

extern "C" __global__ void overwrites (int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[t] = s[(t + 32) % 64];
  s[t] = out[t];                                         // the other warp may still have to read it
}

extern "C" __global__ void never_written (int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t > 10) s[t] = t;
  __syncthreads();
  out[t] = s[t];                                         // line 24
}

extern "C" __global__ void two_places (int *out) {
  int t = threadIdx.x;
  if (t & 1) { out[t] = 1; asm volatile("bar.sync 0;" ::: "memory"); }
  else { out[t] = 2; asm volatile("bar.sync 0;" ::: "memory"); }
}

// Nothing is wrong with this one.
extern "C" __global__ void clean (int *out) {
  __shared__ int s[64];
  __shared__ volatile int flag;
  __shared__ unsigned char bytes[64];
  __shared__ int count;
  int t = threadIdx.x;
  if (t == 0) { flag = 0; count = 0; }
  bytes[t] = (unsigned char)t;
  s[t] = t;
  __syncthreads();
  atomicAdd(&count, 1);
  if (t == 40) { s[5] = 99; __threadfence_block(); flag = 1; }
  if (t == 3) { while (flag == 0) ; out[64] = s[5]; }
  __syncwarp();
  __syncthreads();
  if (t < 32) { s[t] += s[t + 32]; __syncwarp(); out[t] = s[t ^ 1] + count; }
  else out[t] = bytes[63 - t];
}
