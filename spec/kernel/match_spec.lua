-- match.any and match.all among all lanes of a warp, and among those that took a branch.
local cuda = require "luacuda"
local helper = require "spec.helper"

local SOURCE = [[
template <class T> __device__ void groups(const T *in, unsigned *out, unsigned on) {
  int t = threadIdx.x;
  if (!(on >> t & 1)) return;
  int same;
  out[t] = __match_any_sync(on, in[t]);
  out[32 + t] = __match_all_sync(on, in[t], &same);
  out[64 + t] = same != 0;
}
extern "C" __global__ void match_32(const unsigned *in, unsigned *out, unsigned on) {
  groups(in, out, on);
}
extern "C" __global__ void match_64(const unsigned long long *in, unsigned *out, unsigned on) {
  groups(in, out, on);
}]]

-- What the lanes of `on` get: three words per lane, as the kernel writes them.
local function expected(values, on)
  local out, all = {}, true
  for k = 1, 96 do out[k] = 0 end
  for t = 0, 31 do
    for u = 0, 31 do
      if on >> t & on >> u & 1 == 1 then
        if values[t + 1] == values[u + 1] then out[t + 1] = out[t + 1] | 1 << u
        else all = false end
      end
    end
  end
  for t = 0, 31 do
    if all and on >> t & 1 == 1 then out[33 + t], out[65 + t] = on, 1 end
  end
  return out
end

describe("match", function()
  helper.for_each_device(function()
    for dtype, kernel in pairs { uint32 = "match_32", uint64 = "match_64" } do
      it("finds the lanes with the same value, " .. dtype, function()
        local module = cuda.module(SOURCE)
        local match = module:kernel(kernel)
        for round = 1, 200 do
          -- from one value in all lanes to all different ones; they differ in the upper bits too
          local kinds, values = ({ 1, 2, 3, 8, 32, 1000 })[round % 6 + 1], {}
          for t = 1, 32 do
            values[t] = math.random(kinds) * (dtype == "uint64" and 0x100000001 or 0x10001)
          end
          local on = round % 2 == 0 and 0xffffffff or math.random(1, 0xffffffff)
          local out = cuda.zeros(96, "uint32")
          match({ grid = 1, block = 32 }, cuda.array(values, dtype), out, on)
          assert.same(expected(values, on), out:totable())
        end
      end)
    end
  end)
end)
