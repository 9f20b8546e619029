// What only all checks find; line numbers matter to the test.
// check.ptx: make -C cpu/test/ptx
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

// ---- shared bytes and atomics

// Each warp has a byte of every word for itself; nothing is wrong.
extern "C" __global__ void own_bytes (int *out) {
  __shared__ unsigned char s[256];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int k = 0; k < 4; k++) s[4 * lane + warp + 2 * (k & 1)] = (unsigned char)k;
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    sum += s[4 * lane + warp] + s[4 * lane + warp + 2];
    s[4 * lane + warp] += 1;
  }
  out[t] = sum;
}

extern "C" __global__ void other_byte (int *out) {
  __shared__ unsigned char s[256];
  int t = threadIdx.x;
  s[t] = s[t + 64] = s[t + 128] = s[t + 192] = 0;
  __syncthreads();
  out[t] = s[2];
  if (t == 40) s[1] = 1;
  if (t == 41) s[2] = 1;
}

extern "C" __global__ void count_before_init (int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}

extern "C" __global__ void read_while_counting (int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  out[threadIdx.x] = count;
}

extern "C" __global__ void reset_while_counting (int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  out[threadIdx.x] = atomicAdd(&count, 1);
  if (threadIdx.x == 63) count = 0;
}

// The last to arrive goes on with what the others have announced.
extern "C" __global__ void last_one (int *out) {
  __shared__ int count, parts[64];
  int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  parts[t] = t;
  __threadfence_block();
  if (atomicAdd(&count, 1) == 63) {
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += parts[k];
    count = 0;
    out[0] = sum;
  }
}

extern "C" __global__ void acquire_release (int *out) {
  __shared__ int flag, value;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    value = 7;
    asm volatile("red.release.cta.shared.add.s32 [%0], 1;" :: "r"((int)__cvta_generic_to_shared(&flag)) : "memory");
  }
  if (t == 40) {
    int seen;
    do asm volatile("ld.acquire.cta.shared.s32 %0, [%1];" : "=r"(seen) : "r"((int)__cvta_generic_to_shared(&flag)) : "memory"); while (seen == 0);
    out[0] = value;
  }
}

// ---- barriers in conditional code; all of these run to their end

extern "C" __global__ void some_lanes (int *out) {
  if (threadIdx.x < 8) __syncthreads();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void one_warp (int *out) {
  if (threadIdx.x < 32) __syncthreads();
  out[threadIdx.x] = 1;
}

extern "C" __global__ void two_warps_two_places (int *out) {
  if (threadIdx.x < 32) __syncthreads();
  else { out[threadIdx.x] = 2; __syncthreads(); out[64 + threadIdx.x % 32] = 3; }
  out[threadIdx.x] = 1;
}

extern "C" __global__ void some_lanes_in_a_loop (int *out) {
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < 4; k++) {
    if (t > 40) __syncthreads();
    sum += out[t] + k;
  }
  out[t] = sum;
}

// A function of its own waits.
__device__ __noinline__ void wait_inside (int *out) {
  __syncthreads();
  out[threadIdx.x] += 1;
}

extern "C" __global__ void some_lanes_call (int *out) {
  if (threadIdx.x % 2) wait_inside(out);
  out[threadIdx.x] += 1;
}

// ---- barriers that nothing is wrong with

extern "C" __global__ void early_return (int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  if (t >= 40) return;
  s[t] = t;
  __syncthreads();
  out[t] = s[39 - t];
}

extern "C" __global__ void early_return_with_error (int *out) {
  int t = threadIdx.x;
  for (int k = 0; k < 3; k++) {
    if (t == 20 + k) { out[64] = t; return; }
    __syncthreads();
    out[t] = k;
  }
}

extern "C" __global__ void diverged_before (int *out) {
  int t = threadIdx.x, n = 0;
  for (int k = 0; k < t % 7; k++) n += out[k + t % 3];
  for (int round = 0; round < 3; round++) {
    if (t & 1) n += out[t] * round;
    else for (int k = 0; k < t % 5; k++) n ^= out[k];
    __syncthreads();
    if (n == 12345) out[t] = n;
    __syncthreads();
  }
  out[t] = n;
}

extern "C" __global__ void not_aligned (int *out) {
  int t = threadIdx.x;
  if (t & 1) { out[t] = 1; asm volatile("barrier.sync 0;" ::: "memory"); }
  else { out[t] = 2; asm volatile("barrier.sync 0;" ::: "memory"); out[t] = 3; }
}

extern "C" __global__ void roles (int *out) {
  int t = threadIdx.x;
  if (t < 32) { out[t] = 1; asm volatile("bar.sync 1, 64;" ::: "memory"); }
  else { asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = out[t - 32]; }
  __syncthreads();
}
