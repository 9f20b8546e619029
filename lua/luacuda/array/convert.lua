-- convert.lua: kernels that copy arrays of any layout and convert their elements. C calls the
-- function that this file returns where neither a plain copy nor a loop on the host is possible:
-- for strided views and dtypes of device memory.
--
-- Elements of a dtype are copied by elementwise kernels, one per pair of dtypes; structs are copied
-- as words.

local core = require "luacuda.core"
local conversion = require "luacuda.array.conversion"
local WORDS = require("luacuda.array.words").WORDS
local dtypes = require "luacuda.base.dtypes"
local elementwise = require "luacuda.builder.elementwise"
local find_kernel = require("luacuda.kernel.kernel").find

-- Conversions -------------------------------------------------------------------------------------

local PARAMS = { { name = "x" }, { name = "y" } }

local function new_conversion(to, from)
  local types = { from, to }
  local state = { name = ("convert_%s_%s"):format(from, to), params = PARAMS, nin = 1,
    variants = {}, preamble = conversion.helpers,
    body = conversion.assignment(dtypes.of(to), dtypes.of(from)),
    resolve = function() return types end }
  return elementwise.new(state, { inputs = 1, outputs = 1, raw = {} })
end

local conversions = {} -- dtype -> dtype -> Elementwise

local function find_conversion(to, from)
  local row = conversions[to] or {}
  conversions[to] = row
  row[from] = row[from] or new_conversion(to, from)
  return row[from]
end

-- Structs -----------------------------------------------------------------------------------------

-- CUDA text for structs of `size` bytes. Neighboring threads follow the last axis.
local function source_of(size, ndim, index)
  local params, steps = {}, {}
  for i = 1, ndim do
    params[#params + 1] = (", I n%d, I d%d, I s%d"):format(i, i, i)
  end
  for i = ndim, 2, -1 do
    steps[#steps + 1] = ("  at = rest %% n%d; rest /= n%d; d += at * d%d; s += at * s%d;\n"):format(
      i, i, i, i)
  end
  local part = 1
  while part < 8 and size % (part * 2) == 0 do part = part * 2 end
  return ([[
struct D { %s w[%d]; };
typedef %s I;
__global__ void copy_structs(void *dst, const void *src, I n%s) {
  I rest = (I)blockIdx.x * blockDim.x + threadIdx.x, at, d, s;
  if (rest >= n) return;
  at = d = s = 0;
%s  d += rest * d1; s += rest * s1;
  *(D *)((char *)dst + d) = *(const D *)((const char *)src + s);
}
]]):format(WORDS[part], size // part, index, table.concat(params), table.concat(steps))
end

-- Layouts -----------------------------------------------------------------------------------------

-- Axes as { elements, step in dst, step in src }, the densest of dst last; neighbors with matching
-- steps are merged. The list has at least one axis.
local function axes_of(shape, dst, src)
  local axes = {}
  for i, n in ipairs(shape) do
    if n ~= 1 then axes[#axes + 1] = { n, dst[i], src[i], order = i } end
  end
  table.sort(axes, function(a, b)
    local x, y = math.abs(a[2]), math.abs(b[2])
    if x ~= y then return x > y end
    return a.order < b.order
  end)
  local merged = {}
  for _, axis in ipairs(axes) do
    local last = merged[#merged]
    if last and last[2] == axis[1] * axis[2] and last[3] == axis[1] * axis[3] then
      merged[#merged] = { last[1] * axis[1], axis[2], axis[3] }
    else
      merged[#merged + 1] = axis
    end
  end
  if #merged == 0 then merged[1] = { 1, 0, 0 } end
  return merged
end

-- Do all offsets and counts fit in 31 bits?
local function is_narrow(axes, n)
  for _, axis in ipairs(axes) do
    if axis[1] * math.max(math.abs(axis[2]), math.abs(axis[3]), 1) > 0x3fffffff // #axes then
      return false
    end
  end
  return n < 0x3fffffff
end

local function copy_structs(dst, src, stream)
  local axes = axes_of(dst.shape, dst.strides, src.strides)
  local narrow = is_narrow(axes, dst.size)
  local size = dst.nbytes // dst.size
  local key = ("%d bytes, %d axes%s"):format(size, #axes, narrow and "" or ", wide")
  local index = narrow and "int" or "long long"
  local run = find_kernel("copy_structs", key, source_of, size, #axes, index)
  local arguments = {}
  for _, axis in ipairs(axes) do
    table.move(axis, 1, 3, #arguments + 1, arguments)
  end
  run({ threads = dst.size, stream = stream }, core.raw(dst), core.raw(src), dst.size,
    table.unpack(arguments))
end

-- dst[...] = src[...] on `stream`: arrays of one shape on the stream's device, none empty.
local function convert(dst, src, stream)
  local to, from = dst.dtype, src.dtype
  if type(to) ~= "string" or not dtypes.of(to) then return copy_structs(dst, src, stream) end
  find_conversion(to, from)(src, dst, { stream = stream })
end

return convert
