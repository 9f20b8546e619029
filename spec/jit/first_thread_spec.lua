-- Indices that are below 1 in the first thread are refused when a kernel is made. The oracle is the
-- same function as ordinary Lua, which raises for such an index when it runs.
local cuda = require "luacuda"
local helper = require "spec.helper"

local BAD = {
  "x[threadIdx.x] = 1",
  "local i = blockIdx.x * blockDim.x + threadIdx.x if i < n then x[i] = 1 end",
  "local i = blockIdx.x * blockDim.x + threadIdx.x if #x > i then x[i] = 1 end",
  "local i = blockIdx.x * blockDim.x + threadIdx.x if i >= n then return end x[i] = 1",
  "for i = 0, n do x[1] = y[i] end",
  "for i = 0, 3 do x[i] = 1 end",
  "for i = 1, n do x[i - 1] = 1 end",
  "for i in grid(#x) do x[i] = y[i - 1] end",
  "for i in grid(#x) do x[i] = y[i - 2] end",
  "for i in grid(#x) do x[i] = i > 0 and y[i - 1] or 0 end",
  "for i in grid(#x) do if i > 0 and y[i - 1] == 1 then x[i] = 1 end end",
  "for i, j in grid(#m, m.shape[2]) do m[i][j - 1] = 1 end",
  "for i in grid(#x) do for d = -1, 1 do x[i] = y[i + d] end end",
  "local s = shared('float32', 32) s[threadIdx.x] = 1",
  "local s = array('float32', 32) while true do s[laneid] = 1 break end",
  "atomic_add(x, threadIdx.x, 1)",
  "repeat local k = threadIdx.x * 5 x[k] = 1 until true",
  "if laneid == 0 then x[threadIdx.x // 32] = 1 end",
  "local w = threadIdx.x // warpSize if not (laneid <= 0) then return end x[w] = 1",
  "x[1] = list[threadIdx.x]",
  "local row = m[threadIdx.y] row[1] = 0",
}

local GOOD = {
  "local i = blockIdx.x * blockDim.x + threadIdx.x + 1 if i > n then return end x[i] = 1",
  "local i = blockIdx.x * blockDim.x + threadIdx.x + 1 if i <= n then x[i] = 1 end",
  "local i = threadIdx.x if i > 0 then x[i] = 1 end",
  "local i = threadIdx.x if i ~= 0 and i < n then x[i] = 1 end",
  "local i = threadIdx.x if i == 0 then return end x[i] = 1",
  "local i = threadIdx.x if i < n and i > 0 then x[i] = 1 end",
  "local i = threadIdx.x if not (i < 1) then x[i] = 1 end",
  "local i = threadIdx.x if y[1] > 1 then x[i] = 1 end",
  "local i = threadIdx.x if y[1] < 2 then return end x[i] = 1",
  "local i = threadIdx.x while y[1] > 1 do x[i] = 1 end",
  "local i = threadIdx.x i = i + 1 x[i] = 1",
  "for i = 1, n do x[i] = 1 end",
  "for i in grid(#x) do if i > 1 then x[i] = y[i - 1] end end",
  "for i in grid(#x) do x[i] = i > 1 and y[i - 1] or 0 end",
  "for i in grid(#x) do if i > 1 and y[i - 1] == 1 then x[i] = 1 end end",
  "for i in grid(#x) do if i == 1 or y[i - 1] == 1 then x[i] = 1 end end",
  "for i, j in grid(#m - 1, m.shape[2]) do m[i + 1][j] = m[i][j] end",
  "for i in grid(#x) do for d = -1, 1 do local k = i + d if k >= 1 and k <= n then x[i] = y[k] end "
    .. "end end",
  "for i in grid(#x) do for k = 1, i - 1 do x[i] = y[i - k] end end",
  "for i in grid(#x) do for k = 3, i do x[i] = y[k - 2] end end",
  "for k = 1, 3 do if y[k] > 0 then goto done end end x[threadIdx.x] = 1 ::done::",
  "for k = 1, 3 do if y[k] > 0 then return end end x[threadIdx.x] = 1",
  "for d = 1, 0, -1 do x[d + 1] = 1 end",
  "if threadIdx.x < 1 then error('no') end x[threadIdx.x] = 1",
  "local s = shared('float32', 32) s[threadIdx.x // 32 + 1] = 1",
  "atomic_add(x, threadIdx.x % 4 + 1, 1)",
  "x[1] = list[threadIdx.x % 2 + 1]",
  "x[1] = y[#x - n + 1]",
  "x[-1] = x[n]",
}

local function kernel(body)
  local text = "local list = { 3, 4 } return function(x, y, n, m) " .. body .. " end"
  return cuda.jit(load(text)())
end

local function arguments() return cuda.zeros(8), cuda.ones(8), 8, cuda.zeros { 4, 4 } end

describe("the first thread", function()
  for _, body in ipairs(BAD) do
    it("may not " .. body, function()
      local k = kernel(body)
      helper.contains(helper.misuse(function() k({ threads = 8 }, arguments()) end),
        " in the first thread, and arrays begin at 1 (threadIdx and blockIdx count from 0, grid(n) "
        .. "from 1)")
      assert.is_false(pcall(k.run_in_lua, k, { threads = 8 }, arguments()))
    end)
  end

  for _, body in ipairs(GOOD) do
    it("may " .. body, function()
      local k = kernel(body)
      assert.is_string(k:ptx(arguments()))
      local ok, e = pcall(k.run_in_lua, k, { threads = 8 }, arguments())
      assert.is_true(ok or tostring(e):find "^[^\n]*: no " ~= nil, e)
    end)
  end

  it("is named with the value and the line", function()
    local k = cuda.jit(function(x)
      local i = threadIdx.x
      if i < #x then
        x[i - 3] = 1        -- here
      end
    end)
    assert.matches("first_thread_spec.lua:" .. helper.line_of "-- here" .. ": this index is %-3 in "
      .. "the first thread", helper.misuse(function() k({ threads = 1 }, cuda.zeros(4)) end))
  end)
end)
