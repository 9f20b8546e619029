-- A bounded queue for many producers and consumers in different blocks: a sequence number per cell
-- says whose turn it is.
local PER, BLOCKS = 40, 3

return {
  source = [[
    #define SIZE 16
    struct cell { unsigned sequence; int value; };
    __device__ cell cells[SIZE];
    __device__ unsigned put_at, take_at;
    __global__ void start() {
      cells[threadIdx.x].sequence = threadIdx.x;
      put_at = take_at = 0;
    }
    __device__ void put(int value) {
      unsigned at = atomicAdd(&put_at, 1);
      cell *c = &cells[at % SIZE];
      while (*(volatile unsigned *)&c->sequence != at) __nanosleep(20);
      __threadfence();
      *(volatile int *)&c->value = value;
      __threadfence();
      *(volatile unsigned *)&c->sequence = at + 1;
    }
    __device__ int take() {
      unsigned at = atomicAdd(&take_at, 1);
      cell *c = &cells[at % SIZE];
      while (*(volatile unsigned *)&c->sequence != at + 1) __nanosleep(20);
      __threadfence();
      int value = *(volatile int *)&c->value;
      __threadfence();
      *(volatile unsigned *)&c->sequence = at + SIZE;
      return value;
    }
    __global__ void exchange(int per, int *counts) {
      if (threadIdx.x % 32 != 0) return;
      int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
      for (int i = 0; i < per; i++) {
        if (warp % 2 == 0) put(warp / 2 * per + i);
        else atomicAdd(&counts[take()], 1);
      }
    }]],
  run = function(kernels, t)
    local n = PER * BLOCKS * 2
    local counts = t.cuda.zeros(n, "int32")
    kernels.start({ grid = 1, block = 16 })
    kernels.exchange({ grid = BLOCKS, block = 128, cooperative = true }, PER, counts)
    t.same(t.list(n, function() return 1 end), counts)
  end,
}
