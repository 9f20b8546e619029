-- Sorts of the CPU device, which take no kernels: against NumPy with every instruction set and with
-- several threads, against the kernels of a GPU, on streams, in graphs, profiles and errors.
local evaluate = require "spec.support.evaluate"
local files = require "spec.support.files"
local helper = require "spec.helper"
local levels = require "spec.support.levels"
local cuda = require "luacuda"

-- Saves random arrays of every dtype, shape and layout, sorted along an axis, to the file that the
-- first argument names. Half types are saved as float32, which has their values.
local SORTS = [[
local cuda = require "luacuda"
cuda.use "cpu"
math.randomseed(tonumber(arg[2]))
local DTYPES = { "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128" }
local SHAPES = { { 1 }, { 7 }, { 300 }, { 20000 }, { 150000 }, { 5, 1 }, { 70, 3 }, { 3, 70 },
  { 40, 33 }, { 6, 1100 }, { 4, 5, 6 }, { 2, 300, 3 }, { 3, 2, 9000 } }
local function any(list) return list[math.random(#list)] end
local bits = cuda.random.generator(math.random(1000))
local function numbers(shape, dtype)
  local n, size = 1, cuda.empty(1, dtype).nbytes
  for _, extent in ipairs(shape) do n = n * extent end
  local words = (n * size + 7) // 8
  local kind = math.random(5)
  if kind == 1 then return cuda.zeros(shape, dtype) end
  local x
  if kind == 2 then
    x = cuda.random.integers(0, 4, n, { dtype = "int32" }):astype(dtype)
  elseif kind == 3 and dtype:find "oa" then
    x = cuda.random.normal(n):astype(dtype)
    x[x:gt(1)] = 0 / 0
    x[x:lt(-1)] = -0.0
  elseif kind == 4 then
    x = cuda.arange(n):astype(dtype)
  else
    x = bits:bits(words, { dtype = "uint64" }):view "uint8":slice { 1, n * size }
    x = (dtype == "bool" and x:ge(128) or x:copy():view(dtype))
  end
  return x:reshape(shape)
end
local function spread(shape, dtype)
  local wide, parts = {}, {}
  for d, extent in ipairs(shape) do
    wide[d] = extent * 2
    parts[d] = any { { 2, extent * 2, 2 }, { extent * 2, 1, -2 } }
  end
  return numbers(wide, dtype):slice(table.unpack(parts))
end
local function plain(x) return x:astype((x.dtype:find "float16") and "float32" or x.dtype) end
local arrays, count = {}, 0
for _, dtype in ipairs(DTYPES) do
  for _, shape in ipairs(SHAPES) do
    local big = #shape == 1 and shape[1] > 1000
    local a = (not big and math.random(4) == 1 and spread or numbers)(shape, dtype)
    local axis, descending = math.random(#shape), math.random(3) == 1
    local options = { axis = axis, descending = descending }
    local places, sorted = cuda.argsort(a, options), nil
    local way = math.random(3)
    if way == 1 then sorted = cuda.sort(a, options)
    elseif way == 2 then sorted = a:copy():sort(options)
    else
      sorted = spread(shape, dtype)
      options.out = sorted
      cuda.sort(a, options)
    end
    count = count + 1
    local name = ("%d_%d_%d"):format(count, axis - 1, descending and 1 or 0)
    arrays["a" .. name], arrays["p" .. name], arrays["s" .. name] = plain(a), places, plain(sorted)
  end
end
cuda.save_npz(arg[1], arrays)
print(count)
]]

-- Descending: the order of equal elements is that of the indices, and NaN comes first.
local CHECK = [==[
import sys
import numpy as np
f = np.load(sys.argv[1])
count = 0
for name in f.files:
    if name[0] != 'a':
        continue
    a, axis, down = f[name], int(name.split('_')[1]), name.endswith('_1')
    places, got = f['p' + name[1:]], f['s' + name[1:]]
    turned = np.flip(a, axis) if down else a
    order = np.argsort(turned, axis=axis, kind='stable')
    if down:
        order = np.flip(a.shape[axis] - 1 - order, axis)
    want = np.take_along_axis(a, order, axis)
    if not np.array_equal(order + 1, places):
        sys.exit(f'argsort {name}: {a.dtype} {a.shape}')
    if not np.array_equal(want, got, equal_nan=a.dtype.kind in 'fc'):
        sys.exit(f'sort {name}: {a.dtype} {a.shape}')
    if a.dtype.kind == 'f' and (np.diff(np.signbit(got).astype(int), axis=axis)
                                [(np.diff(got, axis=axis) == 0)] * (-1 if down else 1) > 0).any():
        sys.exit(f'zeros {name}: {a.dtype} {a.shape}')
    count += 1
print('all', count)
]==]

local function check_sorts(env, seed)
  local folder = files.tmpdir()
  local ok, output = helper.lua(SORTS,
    { env = env, args = { folder .. "/all.npz", tostring(seed) }, timeout = 300 })
  assert.is_true(ok, output)
  files.write_file(folder .. "/check.py", CHECK)
  ok, output = evaluate.python(folder .. "/check.py", folder .. "/all.npz")
  assert.is_true(ok, output)
  assert.matches("all 195", output)
end

describe("sorts of the CPU device", function()
  for i, isa in ipairs(levels.all) do
    it("agree with NumPy with " .. isa, function()
      if not levels.has(isa) then pending "no such instruction set" end
      if not evaluate.available() then pending "Python has no NumPy" end
      check_sorts({ LUACUDA_CPU_ISA = isa, LUACUDA_CPU_THREADS = i }, i)
    end)
  end

  if helper.fake_gpu then
    helper.for_all_dtypes(function(name, row)
      it("have the bits of the kernels' results for " .. name, function()
        local cpu, gpu = cuda.device "cpu", cuda.device(0)
        for _, n in ipairs { 5, 300, 9000 } do
          local words = (row.size * n + 7) // 8
          local bytes = cuda.random.bits(words, { dtype = "uint64", device = cpu })
          local x = bytes:view(name):slice { 1, n }:copy()
          local y = x:to(gpu)
          for _, descending in ipairs { false, true } do
            local options = { descending = descending }
            assert(cuda.sort(x, options):tobytes() == cuda.sort(y, options):tobytes(), n)
            assert(cuda.argsort(x, options):tobytes() == cuda.argsort(y, options):tobytes(), n)
          end
        end
      end)
    end, { coarse = true })
  end

  local function each(name, code, env)
    it(name, function()
      local all = { LUACUDA_DEVICE = "cpu" }
      for key, value in pairs(env or {}) do all[key] = value end
      local ok, output = helper.lua("local cuda = require 'luacuda'\n" .. code, { env = all })
      assert.is_true(ok, output)
    end)
  end

  each("take no kernel", [[
    local x = cuda.random.normal(10000)
    local p = cuda.profile(function() cuda.argsort(x) end)
    local names = {}
    for _, entry in ipairs(p.entries) do names[#names + 1] = entry.name end
    assert(table.concat(names, " ") == "luacuda_sort", table.concat(names, " "))
  ]])

  each("are ordered with other work on streams", [[
    local streams = { cuda.stream(), cuda.stream(), cuda.device().stream }
    local x, y = cuda.arange(30000, 0, -1, "float32"), cuda.zeros(30000)
    for i = 1, 60 do
      local s = streams[i % 3 + 1]
      cuda.sort(x, { out = y, stream = s, descending = i % 2 == 0 })
      x, y = y, x
      cuda.add(x, 1, { out = x, stream = streams[i % 2 + 1] })
    end
    assert(x:item(1) == 30060 and x:item(30000) == 61, tostring(x))
  ]])

  each("are recorded in graphs", [[
    local a, b = cuda.array { 3, 1, 2 }, cuda.random.normal(20000)
    local sorted, places = cuda.zeros(3), cuda.zeros(20000, "int64")
    local g = cuda.graph(function()
      cuda.sort(a, { out = sorted })
      cuda.argsort(b, { out = places })
      b:sort()
    end)
    assert(places:max() == 0)
    local order = cuda.argsort(b)
    g:launch()
    assert(cuda.array_equal(sorted, cuda.array { 1, 2, 3 }))
    assert(cuda.array_equal(places, order))
    a:set(cuda.array { 9, 8, 7 })
    g:clone():launch()
    assert(cuda.array_equal(sorted, cuda.array { 7, 8, 9 }))
    assert(cuda.array_equal(places, cuda.arange(1, 20001, 1, { dtype = "int64" })))
    -- in a loop
    local n, x = cuda.array({ 3 }, "int32"), cuda.arange(100, 0, -1)
    local loop = cuda.graph(function(s)
      s:loop(n, function()
        x:sort()
        cuda.subtract(0, x, { out = x })
        cuda.subtract(n, 1, { out = n })
      end)
    end)
    loop:launch()
    assert(x:item(1) == -1 and x:item(100) == -100, tostring(x))
  ]])

  each("report memory that is not there as kernels do", [[
    local base = cuda.ones(12)
    local gone = cuda.wrap(base.pointer, { 12 }, "float32", { owner = cuda.ones(1) })
    base:free()
    local ok, e = pcall(function()
      cuda.argsort(gone)
      cuda.synchronize()
    end)
    assert(not ok and e.fault == "use after free" and e.kernel == "luacuda_sort", tostring(e))
    assert(e.message:find("read of 4 bytes at 0x%x+ in global memory, 0 bytes into the freed "
      .. "allocation of 48 bytes"), e.message)
    assert(cuda.array_equal(cuda.sort(cuda.array { 2, 1 }), cuda.array { 1, 2 })) -- goes on
  ]])

  each("end at the time limit", [[
    local words = {}
    for i = 1, 4000000 do words[i] = i * 0x9e3779b97f4a7c15 end
    local a = cuda.array(words, "int64")
    local ok, e = pcall(function()
      cuda.argsort(a)
      cuda.synchronize()
    end)
    assert(not ok and e.fault == "timeout" and e.kernel == "luacuda_sort", tostring(e))
    assert(e.message:find("not done after 20 ms", 1, true), e.message)
    assert(cuda.sort(cuda.array { 3, 1, 2 }):item(1) == 1)
  ]], { LUACUDA_CPU_TIMEOUT_MS = 20 })
end)
