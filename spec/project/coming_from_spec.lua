-- The pages for those who come from other libraries: every piece of code on the right side of a
-- table runs on every device, after the page's first block, and gives the values that follow it as
-- `code --> values`. In tables whose second title is "in a kernel" it is the body of a kernel, or
-- an expression, whose value for the first thread is compared; where that is "in a program", it is
-- the body of a kernel over tiles, or an expression that gives a tile or a number. Every kernel is
-- compiled, also one that the code does not launch; code with `pcall` may make some that cannot be.
-- Reading a name that a page calls gone raises an error with advice.
local helper = require "spec.helper"
local cuda = require "luacuda"
local compiled = require "spec.support.compiled"

-- The functions of the pages have specs of their own, which the sanitizers and the stressed
-- collector run.
if helper.sanitized or os.getenv "LUACUDA_TEST_GC" == "1" then return end

-- How many sources are compiled at least. Raise a number when a page gets more kernels. The count
-- may be higher: it includes kernels that the library makes when a function is first used, on
-- whichever page that is.
local PAGES = { ["docs/coming-from-pycuda.md"] = 16, ["docs/coming-from-cupy.md"] = 62,
  ["docs/coming-from-numba.md"] = 1, ["docs/coming-from-triton.md"] = 0 }

-- How many rows a page has at least.
local ROWS = { ["docs/coming-from-triton.md"] = 60 }

-- The block that each row runs after, without `local`, so that its names are globals of the row.
local function prelude_of(text)
  return (text:match "```lua\n(.-)```":gsub("%f[%w]local ", ""))
end

-- { line =, left =, right = } of each row of a table; `gone` in tables whose second title is "why"
-- or "instead"; `place` is the second title where that is "in a kernel" or "in a program".
local function rows_of(text)
  local rows, number, gone, place = {}, 0, false, nil
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local left, right = line:match "^| (.-) | (.-) |$"
    if right and left:sub(1, 1) == "`" then
      rows[#rows + 1] = { line = number, left = left, right = right, gone = gone, place = place }
    elseif right and right:find "%a" then
      gone, place = right == "why" or right == "instead", right:match "^in a %a+$"
    end
  end
  return rows
end

local function spans_of(cell)
  local spans = {}
  for span in cell:gmatch "`([^`]*)`" do
    if not span:find "^[%u_]+$" then spans[#spans + 1] = span end -- an environment variable
  end
  return spans
end

local function new_environment(prelude)
  local env = setmetatable({}, { __index = function(_, name)
    return _G[name] ~= nil and _G[name] or error("no variable '" .. name .. "'", 2)
  end })
  assert(load(prelude, nil, "t", env))()
  return env
end

-- Loads a list of expressions, statements, or statements with a list of expressions at the end.
local function compile(code, env)
  local head, last = code:match "^(.*; )(.-)$"
  return load("return " .. code, nil, "t", env)
    or head and load(head .. "return " .. last, nil, "t", env)
    or assert(load(code, nil, "t", env))
end

-- Arrays and other objects as the values that a page writes.
local function plain(value)
  local kind = cuda.type(value)
  if kind == "array" then return plain(value:totable()) end
  if kind == "shape" then return { table.unpack(value) } end
  if type(value) == "table" and not kind then
    local copy = {}
    for k, v in pairs(value) do copy[k] = plain(v) end
    return copy
  end
  return kind and tostring(value) or value
end

local function plain_list(...)
  local list = table.pack(...)
  for i = 1, list.n do list[i] = plain(list[i]) end
  return list
end

local function run(span, env)
  local code, values = span:match "^(.-) %-%-> (.+)$"
  local results = plain_list(compile(code or span, env)())
  if values then assert.same(plain_list(compile(values, env)()), results, span) end
  cuda.synchronize()
end

-- Runs the code as the body of a kernel. Its value for the first thread is that of an expression.
local function run_in_kernel(span, env)
  local code, values = span:match "^(.-) %-%-> (.+)$"
  code = code or span
  if values or not load(code, nil, "t", env) then
    code = ("local value = %s; if threadIdx.x == 0 then result[1] = value end"):format(code)
  end
  local text = ("return function(x, y, m, counts, result) %s end"):format(code)
  local k, result = cuda.jit(assert(load(text, nil, "t", env))()), cuda.zeros(1, "float64")
  k({ grid = 1, block = 32 }, env.x, env.y, env.m, env.counts, result)
  cuda.synchronize()
  if values then assert.equals(load("return " .. values)() + 0.0, result:item(1), span) end
end

-- The shape of an array that holds the values; one element for a number.
local function shape_of(values)
  local shape = {}
  while type(values) == "table" do shape[#shape + 1], values = #values, values[1] end
  return #shape > 0 and shape or { 1 }
end

-- Runs the code as the body of a kernel over tiles, or as an expression: a tile with the shape of
-- the values, or a number.
local function run_in_program(span, env)
  local code, values = span:match "^(.-) %-%-> (.+)$"
  local want = values and load("return " .. values)()
  local result = cuda.zeros(shape_of(want), "float64")
  if want then
    local tile = type(want) == "table" and code or ('full("float64", %s, 1)'):format(code)
    local places = table.concat({ "1", #result.shape > 1 and "1" or nil }, ", ")
    code = ("store(result, { %s }, %s)"):format(places, tile)
  end
  local text = ("return function(x, y, m, h, result) %s end"):format(code or span)
  local k = cuda.tiled(assert(load(text, nil, "t", env))())
  k({ programs = 1 }, env.x, env.y, env.m, env.h, result)
  cuda.synchronize()
  if want then
    local list = type(want) == "table" and want or { want }
    assert.same(cuda.array(list, "float64"):totable(), result:totable(), span)
  end
end

-- Places where a name of another library may be looked up.
local function places()
  local kernel = cuda.kernel "__global__ void k(float *x) { x[0] = 1; }"
  return { cuda, cuda.random, cuda.module "__global__ void k(float *x) { x[0] = 1; }", kernel,
    cuda.device(), cuda.zeros(1) }
end

-- Does a place answer the name with a sentence about it, not with a list of near names?
local function is_explained(name)
  for _, place in ipairs(places()) do
    local ok, e = pcall(function() return place[name] end)
    if not ok and tostring(e):find("'" .. name .. "': ", 1, true) then return true end
  end
  return false
end

local RUN = { ["in a kernel"] = run_in_kernel, ["in a program"] = run_in_program }

-- Returns how many sources were compiled.
local function check_span(row, span, env)
  local check = RUN[row.place] or run
  if not span:find "pcall" then
    return compiled.run(function() check(span, env) end)
  end
  check(span, env)
  return 0
end

for path, least in pairs(PAGES) do
  local text = helper.read_file(path)
  local rows, prelude = rows_of(text), prelude_of(text)

  it(path .. " has rows", function() assert.is_true(#rows > (ROWS[path] or 80), #rows) end)

  it(path .. " states results", function()
    local _, count = text:gsub(" %-%-> ", "")
    assert.is_true(count > 30, count)
  end)

  it(path .. " has each call once", function()
    local seen = {}
    for _, row in ipairs(rows) do
      local before = seen[row.left]
      assert(not before, ("%s:%d says the same as line %s"):format(path, row.line, before))
      seen[row.left] = row.line
    end
  end)

  it(path .. " names what is gone as the library does", function()
    for _, row in ipairs(rows) do
      for _, span in ipairs(row.gone and spans_of(row.left) or {}) do
        local name = span:match "[%a_][%w_]*$"
        assert(is_explained(name), ("%s:%d: %s"):format(path, row.line, name))
      end
    end
  end)

  helper.for_each_device(function(_, device)
    local count = 0
    it(path .. " begins with code that compiles", function()
      count = count + compiled.run(function() new_environment(prelude) end)
    end)

    for _, row in ipairs(rows) do
      local spans = row.gone and {} or spans_of(row.right)
      if #spans > 0 then
        it(("%s:%d runs"):format(path, row.line), function()
          for _, span in ipairs(spans) do
            count = count + check_span(row, span, new_environment(prelude))
          end
        end)
      end
    end

    it(path .. " has as many kernels as ever", function()
      if device ~= "cpu" then return end -- elsewhere some code is left out
      assert.is_true(count >= least, ("%d sources were compiled, not %d"):format(count, least))
    end)
  end)
end
