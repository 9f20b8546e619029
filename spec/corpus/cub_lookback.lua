-- CUB's parts of its device-wide scan: the states of tiles, the look-back as prefix of a block's
-- scan, in a kernel of our own.
local N, TILE = 128 * 4 * 7 - 100, 128 * 4

return {
  heavy = true,
  needs = "cub/block/block_scan.cuh",
  source = [[
    #include <cub/block/block_load.cuh>
    #include <cub/block/block_scan.cuh>
    #include <cub/block/block_store.cuh>
    #include <cub/agent/single_pass_scan_operators.cuh>
    using state_t = cub::ScanTileState<int>;
    struct most {
      __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
    };
    using prefix_t = cub::TilePrefixCallbackOp<int, most, state_t>;
    using load_t = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using store_t = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using scan_t = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    __device__ state_t state_of(void *memory, size_t bytes, int tiles) {
      state_t s;
      s.Init(tiles, memory, bytes);
      return s;
    }
    __global__ void start(void *memory, size_t bytes, int tiles) {
      state_of(memory, bytes, tiles).InitializeStatus(tiles);
    }
    __global__ void __launch_bounds__(128) scan(const int *x, int *y, int n, void *memory,
                                                size_t bytes, int tiles, int *counter) {
      __shared__ union {
        load_t::TempStorage load;
        store_t::TempStorage store;
        struct { prefix_t::TempStorage prefix; scan_t::TempStorage scan; } parts;
      } s;
      __shared__ int shared_tile;
      if (threadIdx.x == 0) shared_tile = atomicAdd(counter, 1);
      __syncthreads();
      int tile = shared_tile, base = tile * 512, v[4];
      state_t state = state_of(memory, bytes, tiles);
      load_t(s.load).Load(x + base, v, n - base, -1000000);
      __syncthreads();
      if (tile == 0) {
        int total;
        scan_t(s.parts.scan).InclusiveScan(v, v, most(), total);
        if (threadIdx.x == 0) state.SetInclusive(0, total);
      } else {
        prefix_t prefix(state, s.parts.prefix, most(), tile);
        scan_t(s.parts.scan).InclusiveScan(v, v, most(), prefix);
      }
      __syncthreads();
      store_t(s.store).Store(y + base, v, n - base);
    }]],
  run = function(kernels, t)
    local value, x = -100000, {}
    for i = 1, N do
      value = value + t.random(41) - 10
      x[i] = value - t.random(3000)
    end
    local tiles = (N + TILE - 1) // TILE
    local memory, counter = t.cuda.empty(4096, "uint8"), t.cuda.zeros(1, "int32")
    local y = t.cuda.empty(N, "int32")
    kernels.start({ grid = 1, block = 128 }, memory, 4096, tiles)
    kernels.scan({ grid = tiles, block = 128 }, t.cuda.array(x, "int32"), y, N, memory, 4096, tiles,
      counter)
    local top = x[1]
    t.same(t.list(N, function(i) top = math.max(top, x[i]) return top end), y)
  end,
}
