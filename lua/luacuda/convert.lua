-- convert.lua: kernels that copy arrays of any layout, with conversion of elements. C calls the function this file returns
-- where neither a plain copy nor a loop on the host will do: strided views and dtypes of device memory.
--
-- One kernel per pair of dtypes, number of axes (neighbouring axes that step alike are one) and width of the index.

local core = require "luacuda.core"
local kernel = require("luacuda.kernel").kernel

local rows = {}
for _, row in ipairs(core.dtypes()) do rows[row.name] = row end

-- Element types -----------------------------------------------------------------------------------------------------

local HALF = { -- dtype -> header, to float, from double
  float16 = { "cuda_fp16.h", "__half2float", "__double2half" },
  bfloat16 = { "cuda_bf16.h", "__bfloat162float", "__double2bfloat16" },
}

local INTEGER_BOUNDS = [[
// Truncates, saturates, NaN is 0.
template <class D> __device__ D integer_of(double v, double low, double high, D least, D most) {
  if (v != v) return 0;
  if (v <= low) return least;
  return v >= high ? most : (D)v;
}
// An integer as a double, rounded to odd where it does not fit: rounding that once more is right.
__device__ double odd(unsigned long long u) {
  return u < (1ull << 53) ? (double)u : (double)((u >> 11) | ((u & 0x7ff) != 0)) * 2048.0;
}
__device__ double odd(long long i) { return i < 0 ? -odd(0 - (unsigned long long)i) : odd((unsigned long long)i); }
]]

-- How an element lies in memory.
local function storage(row)
  if row.kind == "bool" then return "unsigned char" end
  if row.kind == "complex" then return row.size == 8 and "float2" or "double2" end
  return row.cuda
end

-- The value, or its real part, of the element `x`, as a C expression, and what kind of number it is.
local function read_part(row)
  if row.kind == "bool" then return "(x != 0)", "int" end
  if row.kind == "complex" then return "x.x", "float" end
  if HALF[row.name] then return HALF[row.name][2] .. "(x)", "float" end
  return "x", row.kind
end

local function integer_limits(row)
  local bits = row.size * 8
  if row.kind == "uint" then
    return "0.0", ("%.1f"):format(2.0 ^ bits), "0", bits == 64 and "~0ull" or ("%du"):format((1 << bits) - 1)
  end
  local most = math.maxinteger >> (64 - bits)
  return ("%.1f"):format(-(2.0 ^ (bits - 1))), ("%.1f"):format(2.0 ^ (bits - 1)), ("(-%dll - 1)"):format(most), ("%dll"):format(most)
end

-- A C expression of the real type `row` for the number `value` of a kind.
local function write_part(row, value, kind)
  local half = HALF[row.name]
  if half and kind == "float" then return ("%s((double)%s)"):format(half[3], value) end
  if half then
    return ("%s(odd((%s)%s))"):format(half[3], kind == "uint" and "unsigned long long" or "long long", value)
  end
  if (row.kind == "int" or row.kind == "uint") and kind == "float" then
    local low, high, least, most = integer_limits(row)
    return ("integer_of<D>((double)%s, %s, %s, (D)%s, (D)%s)"):format(value, low, high, least, most)
  end
  return ("(%s)%s"):format(row.kind == "complex" and (row.size == 8 and "float" or "double") or "D", value)
end

-- The expression of type D for the element `x` of type S.
local function conversion(to, from)
  local value, kind = read_part(from)
  if to.kind == "bool" then
    if from.kind == "complex" then return "(D)(x.x != 0 || x.y != 0)" end
    return ("(D)(%s != 0)"):format(value)
  end
  if to.kind ~= "complex" then return write_part(to, value, kind) end
  local make = to.size == 8 and "make_float2" or "make_double2"
  local im = from.kind == "complex" and write_part(to, "x.y", "float") or "0"
  return ("%s(%s, %s)"):format(make, write_part(to, value, kind), im)
end

-- Sources -----------------------------------------------------------------------------------------------------------

local WORDS = { "unsigned char", "unsigned short", [4] = "unsigned int", [8] = "unsigned long long", [16] = "ulonglong2" }

-- Elements of one dtype are copied as words.
local function copy_types(size)
  local word = WORDS[size]
  if word then return ("typedef %s D; typedef D S;\n"):format(word) end
  local part = 1
  while part < 8 and size % (part * 2) == 0 do part = part * 2 end
  return ("struct D { %s w[%d]; }; typedef D S;\n"):format(WORDS[part], size // part)
end

local function element_code(to, from, size)
  if not to then return copy_types(size) .. "__device__ D convert_one(const S &x) { return x; }\n" end
  local text = {}
  for _, row in ipairs { to, from } do
    if HALF[row.name] then text[#text + 1] = ("#include <%s>\n"):format(HALF[row.name][1]) end
  end
  text[#text + 1] = ("typedef %s D; typedef %s S;\n"):format(storage(to), storage(from))
  text[#text + 1] = INTEGER_BOUNDS
  text[#text + 1] = ("__device__ D convert_one(const S &x) { return %s; }\n"):format(conversion(to, from))
  return table.concat(text)
end

-- The last axis is the one neighbouring threads follow.
local function source_of(to, from, size, ndim, index)
  local params, steps = {}, {}
  for i = 1, ndim do
    params[#params + 1] = (", I n%d, I d%d, I s%d"):format(i, i, i)
  end
  for i = ndim, 2, -1 do
    steps[#steps + 1] = ("  at = rest %% n%d; rest /= n%d; d += at * d%d; s += at * s%d;\n"):format(i, i, i, i)
  end
  return element_code(to, from, size) .. ([[
typedef %s I;
extern "C" __global__ void luacuda_convert(void *dst, const void *src, I n%s) {
  I rest = (I)blockIdx.x * blockDim.x + threadIdx.x, at, d, s;
  if (rest >= n) return;
  at = d = s = 0;
%s  d += rest * d1; s += rest * s1;
  *(D *)((char *)dst + d) = convert_one(*(const S *)((const char *)src + s));
}
]]):format(index, table.concat(params), table.concat(steps))
end

local kernels = {}

local function find_kernel(key, ...)
  local found = kernels[key]
  if not found then
    found = kernel(source_of(...), "luacuda_convert", { cache = true })
    kernels[key] = found
  end
  return found
end

-- Layouts -----------------------------------------------------------------------------------------------------------

-- Axes as { elements, step in dst, step in src }, the densest of dst last, neighbours that step alike merged. One at least.
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

-- Do all offsets and counts fit 31 bits?
local function is_narrow(axes, n)
  local reach = n
  for _, axis in ipairs(axes) do
    reach = math.max(reach, 0)
    if axis[1] * math.max(math.abs(axis[2]), math.abs(axis[3]), 1) > 0x3fffffff // #axes then return false end
  end
  return reach < 0x3fffffff
end

-- dst[...] = src[...] on `stream`: arrays of one shape on the stream's device, none empty.
local function convert(dst, src, stream)
  local axes = axes_of(dst.shape, dst.strides, src.strides)
  local narrow = is_narrow(axes, dst.size)
  local to, from = rows[dst.dtype], rows[src.dtype]
  local size = dst.nbytes // dst.size
  local as_words = dst.dtype == src.dtype and not (to and to.kind == "bool")
  if as_words then to, from = nil, nil end
  local name = as_words and "words of " .. size or dst.dtype .. " from " .. src.dtype
  local key = ("%s, %d axes%s"):format(name, #axes, narrow and "" or ", wide")
  local run = find_kernel(key, to, from, size, #axes, narrow and "int" or "long long")
  local arguments = {}
  for _, axis in ipairs(axes) do
    table.move(axis, 1, 3, #arguments + 1, arguments)
  end
  run({ threads = dst.size, stream = stream }, core.raw(dst), core.raw(src), dst.size, table.unpack(arguments))
end

return convert
