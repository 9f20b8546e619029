-- Lua functions that take, make, return, load or store whole tiles, against functions of arrays.
local cuda = require "luacuda"
local helper = require "spec.helper"

local M, N = 8, 64

-- Functions around the kernels.
local function softmax(t)
  local e = math.exp(t - max(t, 2))
  return e / sum(e, 2)
end
local function moments(t, n)
  local mean = sum(t, 2) / n
  local d = where(iota(N) <= n, t - mean, 0)
  return mean, sum(d * d, 2) / n
end
local tools = { normalize = function(t, n)
  local mean, variance = moments(t, n)
  return (t - mean) / math.sqrt(variance + 1e-5)
end }
local function rows_of(x, i, other) return load(x, { i, 1 }, { M, N }, other) end
local function put(y, i, t) store(y, { i, 1 }, t) end
local function twice(f, t) return f(f(t)) end
local function clipped(v) if v > 0.5 then return 0.5 end return v end

-- Early returns, whose conditions are known when the kernel is made or not.
local MODE = "max"
local function chosen(t, n)
  if MODE == "sum" then return sum(t, 2) end
  if n < 0 then return min(t, 2) end
  do
    local top = max(t, 2)
    if n == 0 then return top end
    t = t + n
  end
  return max(t, 2) * 2
end

local function repeated(t, n)
  for _ = 1, n do t = softmax(t) end
  return t
end

-- Functions within those of whole tiles, which use their parameters.
local deep = { er = { double = function(t) return where(t > 0, t, t) * 2 end } }
local function row_of(x, i)
  local function from(j) return load(x, { i, j }, { N }) end
  return from(1)
end
local function moved(t, row, n, f)
  local function add(v)
    if v > 0 then return v + n end
    return v - row[1]
  end
  local function top() return max(t, 2) end
  local function two(u) return u, add(u) end
  local function with_t(u) return u + t end
  local a, b = two(f(t))
  return with_t(deep.er.double(a + b) * 0.5) + top() - t
end

-- name -> the kernel, what it computes
local CASES = {
  ["functions within functions"] = { function(y, x, n)
    local i = program()
    local m = n + 1
    m = m * 2
    local r = moved(row_of(x, i), x[i], m, function(v) return v * 0.5 end)
    store(y, { i, 1 }, r)
  end, function(x, n)
    local half = x * 0.5
    local other = cuda.where(half:gt(0), half + (n + 1) * 2, half - x:slice({}, { 1, 1 }))
    return half + other + x:max{ axis = 2, keepdims = true }
  end, exact = N, of_rows = true },
  ["an upvalue"] = { function(y, x)
    local i = program()
    store(y, { i, 1 }, softmax(load(x, { i, 1 }, { M, N }, -math.huge)) * 2)
  end, function(x) return cuda.softmax(x, { axis = 2 }) * 2 end },
  ["a field of a table"] = { function(y, x)
    local i = program()
    store(y, { i, 1 }, tools.normalize(load(x, { i, 1 }, { M, N }), x.shape[2]))
  end, function(x)
    local d = x - x:mean{ axis = 2, keepdims = true }
    return d / cuda.sqrt((d * d):mean{ axis = 2, keepdims = true } + 1e-5)
  end },
  ["functions that load and store"] = { function(y, x)
    local i = program()
    put(y, i, rows_of(x, i, 0) + rows_of(x, i, 1))
  end, function(x) return x * 2 end },
  ["a local that uses a tile around it"] = { function(y, x)
    local i = program()
    local t = load(x, { i, 1 }, { M, N }, -math.huge)
    local function above(u) return where(t > 0, u, t) end
    local function write(u)
      store(y, { i, 1 }, u)
      return u
    end
    local top = max(t, 2)
    write(above(top))
  end, function(x) return cuda.where(x:gt(0), x:max{ axis = 2, keepdims = true }, x) end },
  ["several values"] = { function(y, x)
    local i = program()
    local mean, variance = moments(rows_of(x, i, 0), x.shape[2])
    store(y, { i, 1 }, mean + variance * full("float32", 1, 1, N))
  end, function(x)
    local d = x - x:mean{ axis = 2, keepdims = true }
    return (x:mean{ axis = 2, keepdims = true } + (d * d):mean{ axis = 2, keepdims = true })
      :broadcast_to(x.shape)
  end },
  ["a function as an argument"] = { function(y, x)
    local i = program()
    store(y, { i, 1 }, twice(softmax, rows_of(x, i, -math.huge)))
  end, function(x) return cuda.softmax(cuda.softmax(x, { axis = 2 }), { axis = 2 }) end,
    exact = N },
  ["functions of elements beside it"] = { function(y, x)
    local i = program()
    local function half(t) return clipped(t - max(t, 2) + 2) end
    store(y, { i, 1 }, half(rows_of(x, i, -math.huge)))
  end, function(x) return cuda.minimum(x - x:max{ axis = 2, keepdims = true } + 2, 0.5) end },
  ["parameters that are assigned in a loop"] = { function(y, x, n)
    local i = program()
    store(y, { i, 1 }, repeated(rows_of(x, i, -math.huge), n))
  end, function(x, n)
    for _ = 1, n do x = cuda.softmax(x, { axis = 2 }) end
    return x
  end, exact = N },
  ["early returns"] = { function(y, x, n)
    local i = program()
    store(y, { i, 1 }, chosen(rows_of(x, i, -math.huge), n) + zeros("float32", M, N))
  end, function(x, n)
    local top = n < 0 and x:min{ axis = 2, keepdims = true } or x:max{ axis = 2, keepdims = true }
    if n > 0 then top = (top + n) * 2 end
    return top:broadcast_to(x.shape)
  end, exact = N },
  ["calls in a loop"] = { function(y, x)
    local i = program()
    local total = zeros("float32", M, N)
    local function added(k)
      return total + k * softmax(load(x, { i, 1 }, { M, N }, -math.huge))
    end
    for k = 1, 3 do total = added(k) end
    store(y, { i, 1 }, total)
  end, function(x) return cuda.softmax(x, { axis = 2 }) * 6 end },
}

local T = "local t = load(x, { 1, 1 }, { 16, 16 }) "

local REFUSED = {
  { "local function f(t) return f(max(t, 2)) end f(load(x, { 1, 1 }, { 8, 8 }))",
    "'f' calls itself: f (line 1) calls f; a device function cannot, so write a loop" },
  { "local function f(t) store(o, { 1, 1 }, t) return t end " .. T .. "local u = f(t) + f(t)",
    "'f' stores tiles: call it in a statement of its own, or as the only value of one" },
  { "local function f(t) local s = sum(t) return s > 0 end " .. T .. "while f(t) do t = t - 1 end",
    "a function of whole tiles is called here, which must not depend on a condition in the same "
    .. "statement: call it in a statement of its own" },
  { "local function f(t) local s = sum(t) return s > 0 end " .. T
    .. "if sum(t) > 1 and f(t) then store(o, { 1, 1 }, t) end", "a function of whole tiles is "
    .. "called here, which must not depend on a condition in the same statement: call it in a "
    .. "statement of its own" },
  { T .. "local n = 0 local function f(u) n = sum(u) end f(t)", "'n' is a variable of the function "
    .. "around, and this one works on whole tiles: return the new value" },
  { "local function f(t) while true do return max(t, 2) end end " .. T .. "local u = f(t)",
    "'f' works on whole tiles and returns within a loop: let it end the loop with break, and "
    .. "return at its end" },
  { "local function f(t, c) if c > 5 then goto done end if c > 0 then return max(t, 2) end "
    .. "::done:: return t end " .. T .. "local u = f(t, x.shape[1])", "'f' works on whole tiles, "
    .. "has a goto, and returns in several places: return at its end" },
  { "local function f(t, c) if c > 0 then return max(t, 2) end end " .. T
    .. "local u = f(t, x.shape[1])", "'f' returns a value, and may also end without one" },
  { "local function f(t) store(o, { 1, 1 }, t) end " .. T .. "local u = f(t)",
    "this call returns no value" },
  { "local function f(t) return max(t, 2) end " .. T .. "local u = f(t, 2)",
    "'f' takes 1 argument, and got 2: kernels have no nil" },
  { "local function f(t) if t > 0 then return max(t, 2) end return t end " .. T
    .. "local u = f(t)", "a condition is a boolean, and this is a tile (bool, 16 x 16): write "
    .. "any(t) or all(t), or where(t, a, b)" },
}

helper.for_each_device(function()
  describe("a function of whole tiles", function()
    for name, case in pairs(CASES) do
      it("is right: " .. name, function()
        local kernel = cuda.tiled(case[1])
        local with_number = debug.getinfo(case[1], "u").nparams == 3
        for n = -1, with_number and 2 or -1 do
          local x = cuda.random.normal{ math.random(30), case.exact or math.random(2, N) }
          local y = cuda.full(x.shape, 777, "float32")
          local programs = case.of_rows and #x or 4
          if with_number then kernel({ programs = programs }, y, x, n)
          else kernel({ tiles = y }, y, x) end
          assert(cuda.allclose(y, case[2](x, n), { rtol = 1e-4, atol = 1e-5 }))
        end
      end)
    end

    for _, case in ipairs(REFUSED) do
      it("is refused: " .. case[1], function()
        local text = "return function(o, x) " .. case[1] .. " end"
        local k = cuda.tiled(assert(load(text, text))())
        local message = helper.misuse(function()
          k({ programs = 1 }, cuda.zeros{ 16, 16 }, cuda.zeros{ 16, 16 })
        end)
        assert.equal(case[2], (message:gsub("^tiled: .-:1: ", "")))
      end)
    end

    it("is known again when an upvalue becomes another function", function()
      local function top(t) return max(t, 2) end
      local act = top
      local kernel = cuda.tiled(function(y, x)
        local i = program()
        store(y, { i, 1 }, act(load(x, { i, 1 }, { M, N }, 7)))
      end)
      local x, y = cuda.random.normal{ 8, N }, cuda.empty{ 8, 1 }
      kernel({ programs = 1 }, y, x)
      assert.same(x:max{ axis = 2, keepdims = true }:totable(), y:totable())
      act = function(t) return min(t, 2) end
      kernel({ programs = 1 }, y, x)
      assert.same(x:min{ axis = 2, keepdims = true }:totable(), y:totable())
    end)

    it("orders what it stores before what is loaded afterwards", function()
      local function shift(x, t) store(x, { 1, 1 }, t) end
      local kernel = cuda.tiled(function(y, x)
        shift(y, load(x, { 1, 1 }, { M, N }))
        shift(x, transpose(load(x, { 1, 1 }, { M, M })) + zeros("float32", M, M))
        store(y, { 1, 1 }, load(x, { 1, 1 }, { M, N }))
      end, { warps = 8 })
      local x, y = cuda.random.normal{ M, N }, cuda.empty{ M, N }
      local expected = x:copy()
      expected:slice({}, { 1, M }):set(x:slice({}, { 1, M }):transpose():copy())
      kernel({ programs = 1 }, y, x)
      assert.same(expected:totable(), y:totable())
    end)
  end)
end)
