-- Parameters with names that generated code also uses: builders accept them or say why they cannot.
local cuda = require "luacuda"
local helper = require "spec.helper"

local GROUP = 12                 -- parameters for each kernel

-- Each makes a function whose first result is the sum of all parameters at the first element.
local BUILDERS = {
  elementwise = function(params, sum)
    return cuda.elementwise(params, "T out_", "out_ = " .. sum)
  end,
  reduction = function(params, sum)
    return cuda.reduction(params, "T out_", sum, "a + b", "out_ = a", 0)
  end,
  scan = function(params, sum) return cuda.scan(params, "T out_", sum, "a + b", 0) end,
}

local function made(builder, names)
  return BUILDERS[builder]("T " .. table.concat(names, ", T "), table.concat(names, " + "))
end

local REFUSED = { "is a keyword of C++", "is a name of CUDA or of generated code",
  "has a name that bodies use for something else" }

-- Does the builder accept a parameter of this name? If not, it must give one of the known reasons.
local function takes(builder, name)
  local ok, problem = pcall(made, builder, { name, "other_" })
  if ok then return true end
  for _, words in ipairs(REFUSED) do
    if tostring(problem):find(words, 1, true) then return false end
  end
  error(problem, 0)
end

-- The names that occur in kernels for several layouts and that a parameter may have.
local function names_of(builder)
  local f, seen, list = made(builder, { "first_", "second_" }), {}, {}
  local x, y = cuda.ones{ 4, 5 }, cuda.ones{ 5, 4 }:transpose()
  for _, args in ipairs{ { x, x }, { x, y }, { x, 2 } } do
    for name in f:source(table.unpack(args)):gmatch "[%a_][%w_]*" do
      local own = name:find "^%u%d*$" or name == "out_" or name == "other_"
      if not seen[name] and not own and takes(builder, name) then list[#list + 1] = name end
      seen[name] = true
    end
  end
  return list
end

helper.for_each_device(function()
  describe("the parameters of a builder", function()
    for builder in pairs(BUILDERS) do
      it("of " .. builder .. " may have the names of generated code", function()
        local names = names_of(builder)
        assert.is_true(#names > GROUP)
        for first = 1, #names, GROUP do
          local group = table.move(names, first, math.min(first + GROUP - 1, #names), 1, {})
          local args, want = {}, 0
          for k in ipairs(group) do
            args[k] = cuda.full({ 1, 3 }, 2 ^ k)
            want = want + 2 ^ k
          end
          if builder == "reduction" then args[#args + 1] = { axis = 1 } end
          assert.equal(want, made(builder, group)(table.unpack(args)):reshape(-1)[1],
            table.concat(group, " "))
        end
      end)
    end

    it("hide the number of elements", function()
      local x = cuda.array{ 1, 2, 4 }
      assert.equal(70, cuda.reduction("T x, T n", "T y", "x * n", "a + b", "y = a", 0)(x, 10)
        :item())
      assert.equal(14, cuda.reduction("T x, raw T n", "T y", "x * n[1]", "a + b", "y = a", 0)(
        x, cuda.array{ 1, 2 }):item())
      assert.equal(16, cuda.reduction("T x", "T n", "x + n", "a + b", "n = a", 0)(x):item())
      assert.same({ 10.0, 30.0, 70.0 }, cuda.scan("T x, T n", "T y", "x * n", "a + b", 0)(x, 10)
        :totable())
      assert.same({ 4.0, 6.0, 10.0 }, cuda.scan("T x", "T n", "x", "a + b", 0, nil,
        { post = "n = a + 3" })(x):totable())
      assert.equal(14, cuda.reduction("T x, T n", "T y", function(v, n) return v * n end, "a + b",
        "y = a", 0)(x, 2):item())
    end)

    it("cannot be macros of generated code", function()
      helper.contains(helper.misuse(cuda.scan, "T _LCU_INLINE", "T y", "_LCU_INLINE", "a + b", 0),
        "parameter '_LCU_INLINE' is a name of CUDA or of generated code")
    end)
  end)
end)
