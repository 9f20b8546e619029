-- Loads and stores of warps some of whose lanes are off, or whose addresses have no order, for
-- every size of an access, against the same copy in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- How lane i of a warp finds its element; which lanes take part.
local COPY = [==[
extern "C" __global__ void copy(const unsigned char *bytes, unsigned char *out,
                                const int *from, const int *to, const unsigned *masks) {
  const T *x = (const T *)bytes;
  T *y = (T *)out;
  __shared__ T s[64];
  const int i = threadIdx.x, w = blockIdx.x, k = 32 * w + i;
  s[i] = x[0];
  s[i + 32] = x[0];
  __syncwarp();
  if (masks[w] >> i & 1) {
    s[to[k] & 63] = x[from[k]];
    y[to[k]] = s[to[k] & 63];
  }
}]==]

local TYPES = { { "uchar1", 1 }, { "ushort1", 2 }, { "float", 4 }, { "double", 8 }, { "uchar2", 2 },
  { "uchar4", 4 }, { "ushort2", 4 }, { "ushort4", 8 }, { "float2", 8 }, { "float4", 16 },
  { "double2", 16 } }
local WARPS, N = 40, 40 * 64

-- Masks and indices by warp: parts of warps at consecutive elements, and permutations.
local function draw(random)
  local masks, from, to = {}, {}, {}
  for w = 1, WARPS do
    local first = random(0, 31)
    masks[w] = w % 3 == 0 and random(0) & 0xffffffff
      or w % 3 == 1 and (1 << random(first, 31) + 1) - (1 << first) or 0xffffffff
    local order, start = {}, w <= 2 and N - 32 or random(0, N - 32)
    for i = 0, 31 do order[i + 1] = i end
    for i = 32, 2, -1 do
      local j = w > 20 and random(i) or i
      order[i], order[j] = order[j], order[i]
    end
    for i = 1, 32 do
      from[#from + 1] = start + order[33 - i]
      if w <= 20 then from[#from] = start + i - 1 end
      to[#to + 1] = (w - 1) * 64 + (w % 5) + order[i]
    end
  end
  return masks, from, to
end

helper.for_each_device(function()
  for _, row in ipairs(TYPES) do
    it("copies of " .. row[1] .. " change what active lanes say", function()
      local size = row[2]
      local kernel = cuda.kernel("typedef " .. row[1] .. " T;\n" .. COPY, "copy")
      local masks, from, to = draw(math.random)
      local list, before = {}, {}
      for k = 1, N * size do list[k], before[k] = math.random(0, 255), 77 end
      local x, y = cuda.array(list, "uint8"), cuda.array(before, "uint8")
      kernel({ grid = WARPS, block = 32 }, x, y, cuda.array(from, "int32"),
        cuda.array(to, "int32"), cuda.array(masks, "uint32"))
      local got = y:totable()
      for w = 1, WARPS do
        for i = 0, 31 do
          local k = 32 * (w - 1) + i + 1
          if masks[w] >> i & 1 == 1 then
            for b = 1, size do before[to[k] * size + b] = list[from[k] * size + b] end
          end
        end
      end
      assert.same(before, got)
    end)
  end
end)
