-- Matrix products of the CPU device: its own kernels for every instruction set, and a BLAS, against
-- NumPy; order, graphs, errors.
local evaluate = require "spec.support.evaluate"
local files = require "spec.support.files"
local helper = require "spec.helper"
local levels = require "spec.support.levels"

-- Saves operands and products of random shapes, dtypes and layouts to the file that the first
-- argument names. All values are integers: small ones for floats, so that every product is exact in
-- any order, and larger ones for integers, whose sums wrap.
local PRODUCTS = [[
local cuda = require "luacuda"
cuda.use "cpu"
math.randomseed(tonumber(arg[2]))
local DTYPES = { "float32", "float64", "complex64", "complex128", "float16", "bfloat16", "bool",
  "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local SIDES = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 24, 31, 32, 33, 48, 65 }
local DEPTHS = { 1, 2, 3, 4, 5, 16, 31, 64, 100 }
local BATCHES = { { {}, {} }, { {}, {} }, { { 3 }, { 3 } }, { { 3 }, {} }, { {}, { 2 } },
  { { 2, 1 }, { 1, 3 } }, { { 2, 2 }, { 2, 2 } } }
local function any(list) return list[math.random(#list)] end
local function joined(a, b) return table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {})) end
local function numbers(shape, dtype)
  local low = (dtype:find "uint" or dtype == "bool") and 0 or -2
  local high = dtype == "bool" and 1 or dtype:find "int" and 100 or 2
  low = low < 0 and -high or 0
  local function whole()
    local n, values = 1, {}
    for _, extent in ipairs(shape) do n = n * extent end
    for i = 1, n do values[i] = math.random(low, high) end
    return cuda.array(values, "float32"):reshape(shape):astype(dtype)
  end
  return dtype:find "complex" and whole() + whole() * cuda.complex(0, 1) or whole()
end
-- Views of this shape: plain, transposed, every second element, reversed, one row repeated.
local function last_two_swapped(shape)
  local turned = joined(shape, {})
  turned[#turned - 1], turned[#turned] = turned[#turned], turned[#turned - 1]
  local order = {}
  for i = 1, #shape do order[i] = i end
  order[#order - 1], order[#order] = order[#order], order[#order - 1]
  return turned, order
end
local function spread(shape, dtype, step, from)
  local wide, parts = joined(shape, {}), {}
  for i = 1, #shape do parts[i] = {} end
  for i = #shape - 1, #shape do
    wide[i] = shape[i] * math.abs(step)
    parts[i] = step > 0 and { from, wide[i], step } or { wide[i], 1, step }
  end
  return numbers(wide, dtype):slice(table.unpack(parts))
end
local LAYOUTS = {
  numbers, numbers, numbers,
  function(shape, dtype)
    local turned, order = last_two_swapped(shape)
    return numbers(turned, dtype):transpose(order)
  end,
  function(shape, dtype) return spread(shape, dtype, 2, 1) end,
  function(shape, dtype) return spread(shape, dtype, 3, 2) end,
  function(shape, dtype) return spread(shape, dtype, -1) end,
}
LAYOUTS[8] = LAYOUTS[4]
local function repeated(shape, dtype)
  local one = joined(shape, {})
  one[#one - math.random(0, 1)] = 1
  return numbers(one, dtype):broadcast_to(shape)
end
local arrays, count = {}, 0
local function plain(x) return x:astype((x.dtype:find "float16") and "float32" or x.dtype) end
local function product(m, k, n, batch, dtype)
  local a = any(LAYOUTS)(joined(batch[1], { m, k }), dtype)
  local b = (math.random(8) == 1 and repeated or any(LAYOUTS))(joined(batch[2], { k, n }), dtype)
  local c = cuda.matmul(a, b)
  if math.random(3) == 1 then
    c = cuda.matmul(a, b, { out = any(LAYOUTS)(c.shape, dtype) })
  end
  count = count + 1
  arrays["a" .. count], arrays["b" .. count], arrays["c" .. count] = plain(a), plain(b), plain(c)
end
for i = 1, 120 do
  product(any(SIDES), any(DEPTHS), any(SIDES), any(BATCHES), DTYPES[i % #DTYPES + 1])
end
-- more than one block of terms, of rows and of columns
for _, dtype in ipairs { "float32", "float64", "complex64", "int32", "uint64", "float16" } do
  local long = dtype == "float16" and 300 or 530
  product(150, long, 70, { {}, {} }, dtype)
  product(5, long, 3, { { 2 }, { 2 } }, dtype)
end
product(600, 300, 10, { {}, {} }, "float32")
product(10, 300, 600, { {}, {} }, "float32")
product(1, 3000, 1, { {}, {} }, "float64")
product(700, 257, 530, { {}, {} }, "float32")
product(140, 257, 150, { {}, {} }, "complex128")
cuda.save_npz(arg[1], arrays)
]]

local CHECK = [[
import sys
import numpy as np
f = np.load(sys.argv[1])
for i in range(1, len(f.files) // 3 + 1):
    a, b, c = f[f'a{i}'], f[f'b{i}'], f[f'c{i}']
    kind = a.dtype.kind
    wide = {'f': 'f8', 'c': 'c16', 'b': 'f8'}.get(kind, a.dtype)
    want = np.matmul(a.astype(wide), b.astype(wide))
    want = want != 0 if kind == 'b' else want.astype(a.dtype)
    if want.shape != c.shape or not np.array_equal(want, c):
        sys.exit(f'product {i}: {a.dtype} {a.shape} x {b.shape}')
print('all', i)
]]

local function check_products(env, seed)
  local folder = files.tmpdir()
  local ok, output = helper.lua(PRODUCTS,
    { env = env, args = { folder .. "/all.npz", tostring(seed) }, timeout = 300 })
  assert.is_true(ok, output)
  files.write_file(folder .. "/check.py", CHECK)
  ok, output = evaluate.python(folder .. "/check.py", folder .. "/all.npz")
  assert.is_true(ok, output)
  assert.matches("all 137", output)
end

-- The BLAS in a NumPy from pip.
local FIND = "import glob, os, numpy\n"
  .. "print(glob.glob(os.path.dirname(numpy.__file__) + '/../numpy.libs/libscipy_openblas*')[0])"

local function numpy_blas()
  local path = files.tmpdir() .. "/find.py"
  files.write_file(path, FIND)
  local ok, output = evaluate.python(path)
  if not ok then pending "NumPy has no OpenBLAS of its own" end
  return output:match "[^\n]+"
end

describe("products of the CPU device", function()
  for i, isa in ipairs(levels.all) do
    it("agree with NumPy by kernels for " .. isa, function()
      if not levels.has(isa) then pending "no such instruction set" end
      if not evaluate.available() then pending "Python has no NumPy" end
      check_products({ LUACUDA_LIBBLAS = "off", LUACUDA_CPU_ISA = isa, LUACUDA_CPU_THREADS = i },
        i)
    end)
  end

  it("agree with NumPy by a BLAS", function()
    if not evaluate.available() then pending "Python has no NumPy" end
    check_products({ LUACUDA_LIBBLAS = numpy_blas() }, 4)
  end)

  -- Code in its own process on the CPU device, by kernels and by a BLAS where there is one.
  local function each_way(name, code, env)
    for _, way in ipairs { "kernels", "a BLAS" } do
      it(name .. ", by " .. way, function()
        local all = { LUACUDA_LIBBLAS = way == "kernels" and "off" or numpy_blas(),
          LUACUDA_DEVICE = "cpu" }
        for key, value in pairs(env or {}) do all[key] = value end
        local ok, output = helper.lua("local cuda = require 'luacuda'\n" .. code, { env = all })
        assert.is_true(ok, output)
      end)
    end
  end

  each_way("are ordered with other work on streams", [[
    local streams = { cuda.stream(), cuda.stream(), cuda.device().stream }
    local step = cuda.array { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }
    local wide = cuda.roll(cuda.eye(300), 1, { axis = 2 })
    local x, y = cuda.array { { 1, 2, 3 } }, cuda.zeros { 1, 3 }
    local z = cuda.arange(300):reshape { 1, 300 }
    for i = 1, 300 do
      local s = streams[i % 3 + 1]
      cuda.matmul(x, step, { out = y, stream = s })
      x, y = y, x
      z = cuda.matmul(z, wide, { stream = streams[i % 2 + 1] })
    end
    assert(x:equals(cuda.array { { 1, 2, 3 } }), tostring(x))
    assert(z:equals(cuda.arange(300):reshape { 1, 300 }), tostring(z))
  ]])

  each_way("are recorded in graphs", [[
    local a, b, c = cuda.ones { 40, 30 }, cuda.ones { 30, 20 }, cuda.zeros { 40, 20 }
    local d = cuda.zeros { 40, 30 }
    local g = cuda.graph(function()
      cuda.matmul(a, b, { out = c })
      cuda.matmul(c, b:transpose(), { out = d })
    end)
    assert(c:max() == 0)
    g:launch()
    assert(c:min() == 30 and d:min() == 600 and d:max() == 600)
    a:fill(2)
    g:clone():launch()
    assert(c:min() == 60 and d:max() == 1200)
    for _, node in ipairs(g.nodes) do assert(node.kind == "kernel") end
    -- under a condition, and in a loop
    local n = cuda.array({ 3 }, "int32")
    local x, y = cuda.ones { 2, 2 }, cuda.ones { 2, 2 }
    local loop = cuda.graph(function(s)
      s:loop(n, function()
        cuda.matmul(x, x, { out = y })
        cuda.copy(x, y)
        cuda.subtract(n, 1, { out = n })
      end)
    end)
    loop:launch()
    assert(x:max() == 128, x:max())
  ]])

  each_way("report memory that is not there as kernels do", [[
    local base, b = cuda.ones(12), cuda.ones { 3, 2 }
    local gone = cuda.wrap(base.pointer, { 4, 3 }, "float32", { owner = cuda.ones(1) })
    base:free()
    local ok, e = pcall(function()
      cuda.matmul(gone, b)
      cuda.synchronize()
    end)
    assert(not ok and e.fault == "use after free" and e.kernel == "luacuda_matmul", tostring(e))
    assert(e.message:find("read of 4 bytes at 0x%x+ in global memory, 0 bytes into the freed "
      .. "allocation of 48 bytes"), e.message)
    assert(cuda.matmul(b, b:transpose()):max() == 2) -- the device goes on
  ]])

  each_way("keep the sign of a single product", [[
    for _, dtype in ipairs { "float32", "float64", "float16" } do
      local x = cuda.outer(cuda.array({ -1, 2 }, dtype), cuda.array({ 0, -0.0 }, dtype))
      assert(1 / x:item(1, 1) < 0 and 1 / x:item(1, 2) > 0, tostring(x))
      assert(1 / x:item(2, 1) > 0 and 1 / x:item(2, 2) < 0, tostring(x))
    end
  ]])

  each_way("end at the time limit", [[
    local a = cuda.ones { 4000, 4000 }
    local ok, e = pcall(function()
      cuda.matmul(a, a)
      cuda.synchronize()
    end)
    assert(not ok and e.fault == "timeout", tostring(e))
    assert(e.message:find("not done after 20 ms in kernel 'luacuda_matmul'", 1, true), e.message)
    cuda.matmul(cuda.ones { 3, 3 }, cuda.ones { 3, 3 })
    cuda.synchronize()
  ]], { LUACUDA_CPU_TIMEOUT_MS = 20 })

  it("do not depend on the number of threads", function()
    local function sums(threads)
      local _, output = helper.lua([[
        local cuda = require "luacuda"
        cuda.random.seed(5)
        local a = cuda.random.uniform { 301, 700 }
        local b = cuda.random.uniform { 700, 299 }
        local c = cuda.matmul(a, b)
        print(("%a %a %a"):format(c:sum(), c:item(301, 299), c:max()))
      ]], { env = { LUACUDA_LIBBLAS = "off", LUACUDA_CPU_THREADS = threads,
        LUACUDA_DEVICE = "cpu" } })
      assert.matches("^0x", output)
      return output
    end
    assert.equal(sums(1), sums(4))
  end)

  it("name the BLAS, and say why one that is given cannot be used", function()
    local function diagnosis(library)
      local _, output = helper.lua("print(require 'luacuda'.diagnose())",
        { env = { LUACUDA_LIBBLAS = library } })
      return output
    end
    assert.matches("CPU device (BLAS): none found", diagnosis "off", 1, true)
    assert.matches("LUACUDA_LIBBLAS is off", diagnosis "off", 1, true)
    assert.matches("/nowhere.so: cannot open", diagnosis "/nowhere.so", 1, true)
    assert.matches("libm.so.6 is not a BLAS: it has no sgemm_", diagnosis "libm.so.6", 1, true)
    local blas = numpy_blas()
    assert.matches("(BLAS): " .. blas, diagnosis(blas), 1, true)
  end)
end)
