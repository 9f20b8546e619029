local cuda = require "luacuda"
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"

local function integers(n, dtype, seed)
  return cuda.random.generator(seed):integers(0, 4, n):astype(dtype)
end

local MODES = { "full", "same", "valid" }
-- sizes; the last ones have few results of many products
local SIZES = { { 1, 1 }, { 5, 3 }, { 3, 5 }, { 6, 4 }, { 4, 6 }, { 4, 4 }, { 1, 5 }, { 5, 1 },
  { 3000, 7 }, { 2500, 2400 }, { 900, 1000 } }

describe("convolve and correlate", function()
  helper.for_each_device(function()
    it("sum products by hand", function()
      local a, v = cuda.array { 1, 2, 3 }, cuda.array { 0, 1, 0.5 }
      assert.same({ 0, 1, 2.5, 4, 1.5 }, cuda.convolve(a, v):totable())
      assert.same({ 1, 2.5, 4 }, cuda.convolve(a, v, { mode = "same" }):totable())
      assert.same({ 2.5 }, cuda.convolve(a, v, { mode = "valid" }):totable())
      assert.same({ 3.5 }, cuda.correlate(a, v):totable())
      assert.same({ 2, 3.5, 3 }, cuda.correlate(a, v, { mode = "same" }):totable())
      assert.same({ 0.5, 2, 3.5, 3, 0 }, cuda.correlate(a, v, { mode = "full" }):totable())
      local y = cuda.empty(9):slice { 9, 1, -2 }
      assert.equal(y, cuda.convolve(a, v, { out = y }))
      assert.same({ 0, 1, 2.5, 4, 1.5 }, y:totable())
      cuda.convolve(a, v, { mode = "same", out = a })
      assert.same({ 1, 2.5, 4 }, a:totable())
    end)

    it("refuse what they cannot take", function()
      local a = cuda.zeros(3)
      helper.contains(helper.misuse(cuda.convolve, a, cuda.zeros(0)),
        "convolve: argument 2 'v': it has no elements")
      helper.contains(helper.misuse(cuda.correlate, cuda.zeros { 2, 2 }, a),
        "correlate: argument 1 'a': expected a sequence, got an array of 2 axes")
      helper.contains(helper.misuse(cuda.convolve, a, a, { mode = "all" }), "option 'mode'")
      helper.contains(helper.misuse(cuda.convolve, a, a, { mode = 3 }), "option 'mode'")
      helper.contains(helper.misuse(cuda.convolve, a, 3), "expected an Array")
      helper.contains(helper.misuse(cuda.convolve, a, a, { out = a }), "option 'out'")
    end)

    it("can be captured", function()
      local a, v, y = integers(50, "float32", 1), integers(5, "float32", 2), cuda.empty(54)
      cuda.graph(function() cuda.convolve(a, v, { out = y }) end):launch()
      assert.same(cuda.convolve(a, v):totable(), y:totable())
    end)

    if not evaluate.available() then
      pending "Python has no NumPy"
      return
    end

    for _, dtype in ipairs { "float64", "float32", "float16", "int8", "uint32", "int64", "bool",
      "complex64" } do
      it("agree with NumPy for " .. dtype, function()
        local inputs, lines, pairs_of = {}, {}, {}
        for k, sizes in ipairs(SIZES) do
          if dtype == "int64" or k <= 9 then
            local a, v = integers(sizes[1], dtype, k), integers(sizes[2], dtype, 100 + k)
            if dtype == "complex64" then v = v * cuda.complex(1, 2) end
            if dtype == "float16" and k > 8 then a, v = a:slice { 1, 100 }, v end
            inputs["a" .. k], inputs["v" .. k], pairs_of[k] = a, v, { a, v }
            for _, mode in ipairs(MODES) do
              for _, name in ipairs { "convolve", "correlate" } do
                lines[#lines + 1] = ("r_%s_%s_%d = np.%s(a%d, v%d, %q)"):format(name, mode, k, name,
                  k, k, mode)
              end
            end
          end
        end
        local want = evaluate.run(inputs, table.concat(lines, "\n"))
        for k, two in pairs(pairs_of) do
          for _, mode in ipairs(MODES) do
            for _, name in ipairs { "convolve", "correlate" } do
              local expected = want[("%s_%s_%d"):format(name, mode, k)]
              local got = cuda[name](two[1], two[2], { mode = mode })
              assert.equal(expected.dtype, got.dtype)
              local ok, why = pcall(helper.assert_close, expected:totable(), got, { dtype = dtype })
              assert.is_true(ok, ("%s %s %d: %s"):format(name, mode, k, why))
            end
          end
        end
      end)
    end

    it("promote dtypes and take views", function()
      local a, v = integers(40, "int16", 1), integers(6, "float32", 2)
      local want = evaluate.run({ a = a, v = v }, "r_1 = np.convolve(a[::-2], v[::2])")
      local y = cuda.convolve(a:slice { -1, 1, -2 }, v:slice { 1, -1, 2 })
      assert.equal("float32", y.dtype)
      assert.same(want["1"]:totable(), y:totable())
    end)
  end)
end)
