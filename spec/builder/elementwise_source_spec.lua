-- The source of elementwise kernels, launched as docs/design/elementwise.md describes, with plans
-- packed by hand, so that the 64-bit variants, which only huge arrays use, run too.
local cuda = require "luacuda"
local helper = require "spec.helper"
local generator = require "luacuda.builder.elementwise_source"

-- Like assert.equals, but calls it only on a difference: every call creates garbage, which is slow
-- when the collector runs at every step.
local function check(want, got)
  if want ~= got then assert.equals(want, got) end
end

local STATE = {
  name = "combine", nin = 3, uses_i = true, body = "z = x - 2 * y + s; w = i;",
  params = { { name = "x", placeholder = "T" }, { name = "y", placeholder = "T" }, { name = "s",
    dtype = "float32" }, { name = "z", placeholder = "T" }, { name = "w", dtype = "int64" } },
}

local function description(mode, vector, ndim, wide, classes, kind)
  local desc = { types = { "float32", "float32", "float32", "float32", "int64" }, mode = mode,
    vector = vector, ndim = ndim, wide = wide, kind = kind, params = {} }
  for k, class in ipairs(classes) do
    desc.params[k] = class == "scalar" and { kind = "scalar" } or { kind = "array", class = class }
  end
  return desc
end

-- Launches with the numbers of a plan. Returns z and w.
local function launch(desc, units, plan, x, y, n)
  local text, threads, per = generator.text(STATE, desc)
  local kernel = cuda.kernel(text, "combine")
  local z, w = cuda.zeros(n), cuda.zeros(n, "int64")
  local blocks = desc.mode == "tile" and units or (units + threads * per - 1) // (threads * per)
  kernel({ grid = blocks, block = threads }, cuda.raw(x), cuda.raw(y), 0.5, z, w,
    string.pack(("i8"):rep(#plan), table.unpack(plan)))
  return z:totable(), w:totable()
end

-- m in the low and s in the high half, so that u / d is (umulhi(u, m) + u) >> s.
local function reciprocal(d)
  local s = 0
  while 1 << s < d do s = s + 1 end
  return ((1 << 32) * ((1 << s) - d) // d + 1) & 0xffffffff | s << 32
end

helper.for_each_device(function()
  for _, wide in ipairs { false, true } do
    describe(wide and "with 64-bit indices" or "with 32-bit indices", function()
      for _, vector in ipairs { 1, 4 } do
        it("flat kernels of " .. vector .. " elements cover everything once", function()
          for i, n in ipairs { 1, 3, 4, 1023, 2048, 2049, 5003, 1, 4, 2049, 20003 } do
            local desc = description("flat", vector, 1, wide,
              { "unit", "unit", "scalar", "unit", "unit" }, i > 7 and "cpu" or nil)
            local x, y = cuda.arange(n, "float32"), cuda.ones(n)
            local z, w = launch(desc, (n + vector - 1) // vector, { n }, x, y, n)
            for k = 1, n do
              check(k - 1 - 2 + 0.5, z[k])
              check(k - 1, w[k])
            end
          end
        end)

        -- x {a, b, c} with its first two axes swapped, y one number per row of c
        local function divides(mode, a, b, c, kind)
          local desc = description(mode, vector, 3, wide,
            { "unit", "zero", "scalar", "unit", "unit" }, kind)
          local x, y = cuda.arange(a * b * c, "float32"), cuda.arange(a * b, "float32")
          local n = a * b * c
          local plan = { n, n // vector, b, reciprocal(b), c // vector, reciprocal(c // vector),
            c * 4, a * c * 4, vector * 4, b * 4, 4, 0, b * c * 4, c * 4, vector * 4, b * c * 8,
            c * 8, vector * 8 }
          local z, w = launch(desc, n // vector, plan, x, y, n)
          for i = 0, a - 1 do
            for j = 0, b - 1 do
              for k = 0, c - 1 do
                local at = (i * b + j) * c + k
                check((j * a + i) * c + k - 2 * (i * b + j) + 0.5, z[at + 1])
                check(at, w[at + 1])
              end
            end
          end
        end

        it("strided kernels of " .. vector .. " elements divide coordinates", function()
          divides("strided", 7, 11, 12)
          divides("strided", 7, 11, 12, "cpu")
        end)

        it("kernels of rows of " .. vector .. " elements end with each row", function()
          divides("rows", 2, 3, 400, "cpu")
          divides("rows", 3, 2, 1028, "cpu")
          divides("rows", 1, 2, 9000, "cpu")
        end)

        local function goes_backwards(mode, kind)
          local n = 2052
          local desc = description(mode, vector, 1, wide,
            { "strided", "strided", "scalar", "unit", "unit" }, kind)
          local x, y = cuda.arange(n, "float32"), cuda.arange(2 * n, "float32")
          local plan = { n, n // vector, -4 * vector, 8 * vector, 4 * vector, 8 * vector }
          local z = launch(desc, n // vector, plan, x:slice{ -1, 1, -1 }, y, n)
          for k = 0, n - 1 do check(n - 1 - k - 4 * k + 0.5, z[k + 1]) end
        end

        it("strided kernels of " .. vector .. " elements go backwards", function()
          goes_backwards "strided"
          goes_backwards("rows", "cpu")
        end)
      end
    end)
  end

  it("tile kernels iterate over the other axes", function()
    local p, q, others = 45, 70, { 2, 3 }
    local desc = description("tile", 1, 4, false, { "tile", "unit", "scalar", "unit", "unit" })
    local _, _, edge = generator.text(STATE, desc)
    local n = p * q * 6
    -- x {2, 3, p, q}, the others {2, 3, q, p}
    local x, y = cuda.arange(n, "float32"), cuda.arange(n, "float32")
    local tp, tq = (p + edge - 1) // edge, (q + edge - 1) // edge
    local plan = { n, p, q, tp, tq, others[1], others[2], q * 4, 4, 3 * p * q * 4, p * q * 4 }
    for _, size in ipairs { 4, 4, 8 } do
      table.move({ size, p * size, 3 * p * q * size, p * q * size }, 1, 4, #plan + 1, plan)
    end
    local z = launch(desc, tp * tq * 6, plan, x, y, n)
    for outer = 0, 5 do
      for j = 0, q - 1 do
        for i = 0, p - 1 do
          local at = outer * p * q + j * p + i
          check(outer * p * q + i * q + j - 2 * at + 0.5, z[at + 1])
        end
      end
    end
  end)
end)
