-- Tiles of more than one warp: cooperative groups keep their state in the block's reserved shared
-- memory.
local helper = require "spec.helper"

local SOURCE = [[
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// Results of the tile, then the number of words of the kernel's own shared memory that changed;
// written again in each round.
template <int SIZE> __global__ void tiles (int *out, const int *in, int rounds) {
  __shared__ int own[256];
  extern __shared__ int more[];
  cg::thread_block block = cg::this_thread_block();
  int i = block.thread_rank(), all = block.num_threads(), damage = 0;
  int value = in[blockIdx.x * all + i];
  auto tile = cg::tiled_partition<SIZE>(block);
  for (int round = 0; round < rounds; round++) {
    for (int k = i; k < 256; k += all) own[k] = more[k] = 1000 * round + k;
    block.sync();
    int *to = out + 6 * (blockIdx.x * all + i);
    to[0] = cg::reduce(tile, value + round, cg::plus<int>());
    to[1] = cg::reduce(tile, value, cg::less<int>());
    to[2] = tile.any(value == 7);
    to[3] = tile.shfl(value, (round + 5) % SIZE);
    to[4] = cg::inclusive_scan(tile, value);
    tile.sync();
    block.sync();
    for (int k = i; k < 256; k += all)
      damage += (own[k] != 1000 * round + k) + (more[k] != 1000 * round + k);
    to[5] = damage;
    block.sync();
  }
}
]]

local function expected(values, size, first, rounds)
  local sum, least, any = 0, math.maxinteger, 0
  for k = first, first + size - 1 do
    sum = sum + values[k] + rounds - 1
    least = math.min(least, values[k])
    if values[k] == 7 then any = 1 end
  end
  return sum, least, any, values[first + (rounds - 1 + 5) % size]
end

local SIZES, INSTANCES = { 32, 64, 128, 256, 512 }, {}
for k, size in ipairs(SIZES) do INSTANCES[k] = "tiles<" .. size .. ">" end

helper.for_each_device(function()
  local cuda = require "luacuda"

  for _, size in ipairs(SIZES) do
    it("tiles of " .. size .. " threads compute and do not touch the kernel's memory", function()
      local m = cuda.module { source = SOURCE, instances = INSTANCES }
      local block, grid, rounds = 512, 3, 4
      local values = {}
      for k = 1, block * grid do values[k] = math.random(-50, 50) end
      local out = cuda.zeros(6 * block * grid, "int32")
      m:kernel("tiles<" .. size .. ">")({ grid = grid, block = block, shared = 1024 }, out,
        cuda.array(values, "int32"), rounds)
      local got = out:totable()
      for first = 1, block * grid, size do
        local sum, least, any, given = expected(values, size, first, rounds)
        local running = 0
        for k = first, first + size - 1 do
          running = running + values[k]
          local at = 6 * (k - 1)
          assert.same({ sum, least, any, given, running, 0 },
            { table.unpack(got, at + 1, at + 6) }, "thread " .. k)
        end
      end
    end)
  end
end)
