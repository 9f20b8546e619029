-- Bytes of bool arrays other than 0 and 1. Every function takes them for true: it returns the same
-- for random bytes as for the array in which each nonzero byte is 1. A run makes one of the calls
-- that cover a function, another run another one.

-- Values do not depend on the collector, which other specs of these functions run with.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

local helper = require "spec.helper"
local cuda = require "luacuda"

helper.compile_quickly()

local SHAPE = { 37, 66 }
local SIZE = helper.size_of(SHAPE)
local next_number = helper.random(7)

-- SIZE random bytes, of which one in `one_in` is not 0.
local function random_bytes(one_in)
  local bytes = {}
  for k = 1, SIZE do
    bytes[k] = string.char(next_number(one_in) == 0 and next_number(255) + 1 or 0)
  end
  return table.concat(bytes)
end

local BYTES = { b = random_bytes(2), c = random_bytes(3) }

-- Arrays of one shape: b and c are bool, i is int32, x float32. The nonzero bytes of b and c are
-- random if `any`, else 1.
local function arrays_of(any)
  local function bools(name)
    local bytes = any and BYTES[name] or BYTES[name]:gsub("[^\0]", "\1")
    return cuda.array(bytes, "uint8"):reshape(SHAPE):view "bool"
  end
  local i = cuda.arange(SIZE, "int32"):reshape(SHAPE)
  return { b = bools "b", c = bools "c", i = i - 7, x = i:astype "float32" / 8 - 3 }
end

local function layout(fn)
  return function(given)
    local out = {}
    for name, a in pairs(given) do out[name] = fn(a) end
    return out
  end
end

local LAYOUTS = {
  contiguous = layout(function(a) return a end),
  unaligned = layout(function(a) return a:reshape(a.size):slice { 4, -3 } end),
  stepped = layout(function(a) return a:slice({ 1, -1, 2 }, { -1, 1, -3 }) end),
  transposed = function(given)
    return { b = given.b:transpose(), c = given.c:reshape { 66, 37 },
      i = given.i:reshape { 66, 37 }, x = given.x:transpose() }
  end,
  broadcast = function(given)
    return { b = given.b:slice(3):broadcast_to { 4, 66 }, c = given.c:slice { 1, 4 },
      i = given.i:slice { 1, 4 }, x = given.x:slice { 1, 4 } }
  end,
  line = layout(function(a) return a:slice { 2, 2 }:reshape(66) end),
}

-- Any value as text. Equal values, NaN included, have equal texts.
local function text_of(value)
  if cuda.type(value) == "array" then
    local plain = value.dtype == "bool" and value:astype "uint8" or value
    return ("%s {%s}: %s"):format(value.dtype, table.concat(value.shape, " "), plain:tobytes())
  elseif type(value) == "table" then
    local parts = {}
    for k, v in ipairs(value) do parts[k] = text_of(v) end
    return "{" .. table.concat(parts, "; ") .. "}"
  end
  return tostring(value)
end

local made -- further names for the calls, set below

-- The values of a call such as "add(b, i)", and whether it raised an error.
local function outcome(call, given)
  local env = setmetatable({}, { __index = function(_, name)
    return given[name] or made[name] or _G[name] or cuda[name]
  end })
  local got = table.pack(pcall(assert(load("return " .. call, call, "t", env))))
  for k = 2, got.n do got[k] = text_of(got[k]) end
  return table.concat(got, " | ", 2), got[1]
end

-- Compares the calls in some layouts. A call that always raises an error does not count.
local function compare(calls, layouts)
  local strict, loose = arrays_of(false), arrays_of(true)
  assert.not_equal(strict.b:tobytes(), loose.b:tobytes())
  for _, call in ipairs(calls) do
    local worked = false
    for _, name in ipairs(layouts) do
      local want, ok = outcome(call, LAYOUTS[name](strict))
      local got = outcome(call, LAYOUTS[name](loose))
      worked = worked or ok
      assert.equal(want, got, ("%s, %s"):format(call, name))
    end
    assert.is_true(worked, call .. " works")
  end
end

-- Name of a public function or of a method of arrays -> its calls.
local CALLS = {}

-- Adds the calls NAME(ARGUMENTS) of each of the names.
local function cover(names, arguments, suffix)
  for name in names:gmatch "%S+" do
    CALLS[name] = CALLS[name] or {}
    for _, list in ipairs(arguments) do
      table.insert(CALLS[name], ("%s(%s)%s"):format(name, list, suffix or ""))
    end
  end
end

cover([[add multiply divide floor_divide mod power maximum minimum fmax fmin
  eq ne lt le gt ge logical_and logical_or logical_xor hypot atan2 copysign fmod isclose allclose]],
  { "b, c", "b, i", "x, b" })
cover("add multiply maximum eq ne lt ge hypot", { "i, b", "b, x", "b, 1", "2.5, b", "b, true" })
cover("bitwise_and bitwise_or bitwise_xor", { "b, c", "b, i", "i, b", "b, true" })
cover("left_shift right_shift", { "b, c", "b, i", "i, b" })
cover("subtract", { "b, i", "x, b" })
cover([[square reciprocal abs bitwise_not logical_not isnan isinf isfinite signbit sqrt cbrt exp
  exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
  deg2rad rad2deg floor ceil trunc rint round real imag conj angle erf erfc tgamma lgamma
  nan_to_num]],
  { "b" })
cover("clip", { "b, c, true", "i, b, 9", "x, b, c", "b, 0, c" })
cover("where", { "b, i, x", "b, c, i", "c, b, x", "b, b, c", "b, 1, 2", "b, true, c" })

cover([[sum prod min max mean var std any all count_nonzero argmin argmax nansum nanprod nanmin
  nanmax nanmean nanvar nanstd nanargmin nanargmax]],
  { "b", "b, { axis = 1 }", "b, { axis = -1, keepdims = true }" })
cover("cumsum cumprod cummax cummin", { "b", "b, { axis = 1 }", "b, { axis = -1 }" })
cover("sum prod cumsum", { "b, { dtype = 'bool' }", "b, { dtype = 'float32' }" })
cover("sum any max", { "b, { segments = { 1, 8, 20 }, axis = -1 }" })
cover("softmax log_softmax logsumexp", { "b", "b, { axis = 1 }" })
cover("average", { "b, { axis = 1 }", "x, { weights = b }", "b, { weights = x }" })
cover("cov corrcoef", { "b" })
cover("array_equal", { "b, c", "b, i", "i, b", "b, b", "b, b:astype 'uint8'" })
CALLS.equals = { "b:equals(c), b:equals(b:copy())", "b:equals(b:astype('int8'):astype 'bool')" }

cover("sort argsort unique", { "b" })
cover("sort argsort", { "b, { axis = 1 }", "b, { descending = true }" })
cover("unique", { "b, { return_index = true, return_inverse = true, return_counts = true }" })
cover("partition argpartition topk", { "b, 3" })
cover("compress", { "x, b", "b, c", "b, b" })
cover("nonzero", { "b" })
cover("putmask place", { "i:copy(), b, 4", "b:copy(), c, true", "b:copy(), b, false" })
cover("putmask", { "b:copy(), c, b" })
cover("place", { "i:copy(), b, arange(b:count_nonzero())", "b:copy(), c, compress(b, c)" })
local INDEX = "array({ 2, 5, 2, 9 }, 'int32')"
cover("take", { "b, " .. INDEX, "b, { 3, 1 }, { axis = -1 }" })
cover("put", { "b:copy(), { 2, 5 }, true", "i:copy(), { 2, 5 }, b:ravel():slice { 3, 4 }",
  "b:copy(), { 2, 5 }, c:ravel():slice { 3, 4 }" })
cover("scatter_add scatter_max scatter_min", {
  "b:copy(), { 2, 5, 2 }, c:ravel():slice { 3, 5 }",
  "i:copy(), { 2, 5, 2 }, b:ravel():slice { 3, 5 }",
  "b:copy(), arange(3, 30) % 7 + 1, c:ravel():slice { 3, 29 }, { mode = 'wrap' }",
  "b:copy(), arange(3, 30) % 7 + 1, c:ravel():slice { 56, 3, -2 }",
  "b:copy(), arange(9) + 1, c:slice(1), { axis = 1 }",
  "b:copy(), arange(9) + 1, true, { axis = -1 }" })
cover("concatenate stack", { "{ b, c }", "{ b, i }", "{ x, b }" })
cover("searchsorted", { "sort(b:ravel()), i", "sort(i:ravel()), b", "sort(b:ravel()), c" })
cover("digitize", { "b, { 0.5, 3 }", "x, array { false, true }" })
cover("interp", { "b, { 0, 1 }, { 5, 9 }", "x, { 0, 1, 2 }, b:ravel():slice { 1, 3 }" })
cover("gradient trapezoid", { "b" })
cover("convolve correlate", { "b:ravel(), c:ravel():slice { 1, 9 }",
  "b:ravel(), x:ravel():slice { 1, 9 }", "i:ravel(), b:ravel():slice { 1, 9 }" })
cover("diff", { "b", "b, { axis = 1 }", "b, 2" })

cover("matmul dot", { "b, c:transpose()", "b, x:transpose()", "i, c:transpose()" })
cover("inner", { "b, c", "b, x" })
cover("outer", { "b, c", "b, i" })
cover("vdot", { "b:ravel(), c:ravel()", "b:ravel(), i:ravel()" })
cover("tensordot", { "b, c, { axes = 2 }", "b, i, { axes = 2 }" })
cover("kron", { "b, c:slice({ 1, 1 })" })
cover("einsum", { "'ij,kj->ik', b, c", "'ij->j', b", "'ij,ij->', b, i" })
cover("trace norm", { "b" })

cover([[flip rot90 squeeze ravel flatten tril triu diagonal diag copy contiguous totable fill]],
  {})
for name in ("flip rot90 squeeze ravel flatten tril triu diagonal diag"):gmatch "%S+" do
  CALLS[name] = { name .. "(b)" }
end
CALLS.copy = { "b:copy()", "copy(zeros_like(b), b:contiguous())" }
CALLS.contiguous = { "b:contiguous()" }
CALLS.totable = { "b:totable()", "b:ravel():slice({ 1, 9 }):totable()" }
CALLS.fill = { "zeros(3, 'bool'):fill(b:item(-1))" }
cover("expand_dims", { "b, 1" })
cover("swapaxes moveaxis", { "b, 1, 2" })
cover("split array_split", { "b, 1" })
cover("roll", { "b, 3", "b, 3, { axis = 1 }" })
cover("tile rep", { "b, 2" })
cover("pad", { "b, 2", "b, 2, 'edge'", "b, 2, 'reflect'" })
cover("meshgrid", { "b:ravel():slice { 1, 5 }, i:ravel():slice { 1, 4 }" })

CALLS.astype = {}
for _, name in ipairs { "bool", "int8", "uint64", "float16", "bfloat16", "float32", "float64",
  "complex64" } do
  table.insert(CALLS.astype, ("b:astype '%s'"):format(name))
end
CALLS.array = { "array(b, 'int32')", "array(b:totable())", "array(b, 'bool')" }
CALLS.set = { "i:copy():set(b)", "zeros_like(b):set(b)", "zeros_like(b):set(b:totable())" }
CALLS.setitem = { "b:copy():setitem(b:item(3, 4), 1, 1)" }
CALLS.item = { "b:item(2, 3)", "b:item(3, 1)", "b:sum()", "b:item(5, 5)" }
CALLS.tostring = { "tostring(b)" }
CALLS.host = { "copy(host(b.shape, 'bool'), b:contiguous()):totable()",
  "copy(host(b.shape, 'bool'), b:contiguous()):copy() + 1",
  "copy(host(b.shape, 'bool'), b:contiguous()):any()" }

-- What builders and cuda.jit make.
made = {
  element = cuda.elementwise("bool b, int32 k", "int32 y", "y = k + b + (b == true)", "element"),
  element_at = cuda.elementwise("raw bool b, int32 k", "int32 y",
    "y = k + b[i % b.size()] + (b[i % b.size()] == b[0])", "element_at"),
  change = cuda.elementwise("T b", "bool y", "y ^= b; y |= y == b", "change"),
  write = cuda.elementwise("bool b, int32 k", "raw bool y", "if (b) y[k % 5] = true", "write"),
  total = cuda.reduction("T x", "int64 y", "x + x", "a + b", "y = a", "0", "total",
    { reduce_type = "int64" }),
  raw_total = cuda.reduction("int32 k, raw bool x", "int64 y", "x[k % x.size()]", "a + b", "y = a",
    "0", "raw_total"),
  running = cuda.scan("T x, raw bool z", "int64 y", "x + z[i]", "a + b", "0", "running"),
  traced = cuda.fuse(function(b, i) return cuda.where(b, i, 3) + b end),
  scalar = cuda.vectorize(function(b, c, i)
    if b == c then return i end
    return b and i + 1 or i + 2
  end),
  place_in_lua = cuda.elementwise { inputs = "raw bool b, int32 k", outputs = "bool y",
    body = function(b, k) return b[k % #b + 1] == b[1] end, name = "place_in_lua" },
  kernel = cuda.jit(function(b, c, y)
    for k in cuda.gpu.grid(#y) do
      c[k] = c[k] == b[k]
      y[k] = b[k] and c[k]
    end
  end),
}

-- Runs the kernel for arrays of one axis.
function made.run(b, c)
  local y, own = cuda.zeros(b.size, "bool"), c:ravel():copy()
  made.kernel({ threads = b.size }, b:ravel(), own, y)
  return y, own
end

-- A function in Lua with an array of its own.
function made.owning(b, i)
  local own = b:ravel()
  return cuda.vectorize(function(k) return own[k % 9 + 1] == own[1] end)(i)
end

-- The bytes of the file that the method writes.
function made.saved(method, a)
  local path = helper.tmpdir() .. "/a"
  a[method](a, path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

function made.saved_npz(a)
  local path = helper.tmpdir() .. "/a.npz"
  cuda.save_npz(path, { a = a })
  return cuda.load_npz(path).a:view "uint8"
end

CALLS.save_npy = { "saved('save_npy', b)" }
CALLS.save_csv = { "saved('save_csv', b)" }
CALLS.save_png = { "saved('save_png', b)" }
CALLS.save_npz = { "saved_npz(b)" }
CALLS.elementwise = { "element(b, i)", "element_at(b, i)", "change(b, c:copy())",
  "write(b, i + 7, zeros(5, 'bool'))", "place_in_lua(b, i + 7)" }
CALLS.reduction = { "total(b)", "total(b, { axis = 1 })", "raw_total(i + 7, b)" }
CALLS.scan = { "running(b, c)" }
CALLS.fuse = { "traced(b, i)" }
CALLS.vectorize = { "scalar(b, c, i)", "owning(b, i + 7)" }
CALLS.jit = { "run(b, c)" }

-- Functions that take no elements of a bool array, or only describe its bytes.
local EXEMPT = {}
for name in ([[shape strides dtype size nbytes ndim device memory pointer is_contiguous is_readonly
  same_shape tobytes slice transpose broadcast_to reshape view field to close free load_npy load_npz
  load_csv load_png empty full full_like arange linspace eye logspace indices
  wrap alloc alloc_pitch copy2d copy3d memset memset2d pool flags capacity resize advise prefetch
  attach stats trim limit register pinned managed pinned_like managed_like host_like pointer_info
  negative sign histogram bincount quantile percentile ptp median
  split_to gather zeros ones empty_like zeros_like ones_like i mask]]):gmatch "%S+" do
  EXEMPT[name] = true
end

local SUBJECTS = { "array", "shapes", "operators", "reductions", "scan", "sort", "statistics",
  "linalg", "numerics" }

describe("the bytes of bool arrays:", function()
  it("all functions of arrays are compared", function()
    local missing = {}
    for _, subject in ipairs(SUBJECTS) do
      for _, part in ipairs(dofile(("docs/api/%s.lua"):format(subject)).parts) do
        for _, entry in ipairs(part.entries) do
          for name in entry[1]:gmatch "[%a_][%w_]*" do
            if not CALLS[name] and not EXEMPT[name] then missing[#missing + 1] = name end
          end
        end
      end
    end
    assert.same({}, missing)
  end)

  helper.for_each_device(function()
    for name, calls in pairs(CALLS) do
      it(name, function() compare({ calls[math.random(#calls)] }, { "contiguous", "line" }) end)
    end

    for _, call in ipairs { "add(b, i)", "where(b, i, x)", "eq(b, c)", "sum(b)",
      "sum(b, { axis = 1 })", "cumsum(b)", "cumsum(b, { axis = 1 })", "cumsum(b, { axis = -1 })",
      "argmax(b)", "array_equal(b, c)", "sort(b)", "compress(b, c)", "b:astype 'int32'",
      "b:totable()", "concatenate { b, i }" } do
      it(call .. " in every layout", function()
        local names = {}
        for layout_name in pairs(LAYOUTS) do names[#names + 1] = layout_name end
        compare({ call }, names)
      end)
    end
  end)
end)
