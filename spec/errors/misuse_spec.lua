-- Every public function and method with every wrong kind of value: it must return or raise a clear
-- error, never crash, and never raise one of Lua's own messages about the library's code ("attempt
-- to index a nil value"). Functions of the library and methods of arrays compile kernels for many
-- kinds of values: they get a third of the values, others in every run.
local helper = require "spec.helper"

local PROGRAM = [==[
local cuda = require "luacuda"
cuda.use(DEVICE)
io.stdout:setvbuf("no")

local KERNEL = "__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; } "
  .. "__device__ int g[3];"

local function closed(object)
  object:close()
  return object
end

-- New values each time: a call may close or change them.
local makers = {
  { "nil", function() return nil end }, { "true", function() return true end },
  { "0", function() return 0 end },
  { "-1", function() return -1 end }, { "3", function() return 3 end },
  { "1.5", function() return 1.5 end },
  { "nan", function() return 0 / 0 end }, { "2^62", function() return 1 << 62 end },
  { "inf", function() return math.huge end },
  { "mininteger", function() return math.mininteger end },
  { "''", function() return "" end }, { "'x'", function() return "x" end },
  { "'float32'", function() return "float32" end },
  { "'3'", function() return "3" end },
  { "long string", function() return ("%s%n\0"):rep(1000) end },
  { "{}", function() return {} end }, { "{1,2}", function() return { 1, 2 } end },
  { "{-1}", function() return { -1 } end },
  { "{{1},{2,3}}", function() return { { 1 }, { 2, 3 } } end },
  { "{x=1}", function() return { x = 1 } end },
  { "{cyclic}", function() local t = {} t[1] = t return t end },
  { "{'a'}", function() return { "a" } end },
  { "{1<<40,1<<40}", function() return { 1 << 40, 1 << 40 } end },
  { "{grid=1,block=1}", function() return { grid = 1, block = 1 } end },
  { "{stream=1}", function() return { stream = 1 } end },
  { "{device={}}", function() return { device = {} } end },
  { "{dtype='x'}", function() return { dtype = "x" } end },
  { "{out=1}", function() return { out = 1 } end },
  { "function", function() return function() end end },
  { "coroutine", function() return coroutine.create(print) end },
  { "file", function() return io.stdout end },
  { "array", function() return cuda.zeros(4) end },
  { "int8 array", function() return cuda.zeros({ 2, 3 }, "int8") end },
  { "empty array", function() return cuda.zeros(0) end },
  { "view", function() return cuda.zeros({ 4, 4 }):transpose() end },
  { "closed array", function() return closed(cuda.zeros(4)) end },
  { "pinned", function() return cuda.pinned(4) end },
  { "stream", function() return cuda.stream() end },
  { "closed stream", function() return closed(cuda.stream()) end },
  { "event", function() return cuda.event() end },
  { "closed event", function() return closed(cuda.event()) end },
  { "graph", function() return (cuda.graph(function() end)) end },
  { "closed graph", function() return closed((cuda.graph(function() end))) end },
  { "device", function() return cuda.device() end },
  { "kernel", function() return cuda.kernel(KERNEL) end },
  { "module", function() return cuda.module(KERNEL) end },
  { "null", function() return cuda.null end },
  { "typed scalar", function() return cuda.float32(2) end },
  { "complex", function() return cuda.complex(1, 2) end },
  { "mask", function() return cuda.ones({ 2, 3 }, "bool") end },
  { "array of no axes", function() return cuda.zeros({}, "int64") end },
  { "complex array", function() return cuda.zeros(4, "complex64") end },
  { "struct array", function()
    return cuda.zeros(3, cuda.struct("pair", { { "a", "int32" }, { "b", "float64" } }))
  end },
}

local skip = { reset = true, save_npy = true, save_npz = true, save_png = true, save_csv = true,
  help = true, use = true, debug = true, repl = true, core = true }
local calls, errors = 0, 0
cuda.default_flags { "-G" } -- halves the time of compilations, of which there are a thousand

local function attempt(label, fn, ...)
  calls = calls + 1
  local ok, e = pcall(fn, ...)
  cuda.pool():limit(0)                        -- a limit would refuse the next values
  cuda.default_flags { "-G" }                 -- nor may flags fail the next compilation
  if ok then return end
  errors = errors + 1
  local text = tostring(e)
  local bad = not (type(e) == "string" or cuda.is_error(e)) and "an error of type " .. type(e)
    or text == "" and "an empty error"
    or (text:find("attempt to", 1, true) and not text:find("attempt to use a closed", 1, true)
        and not text:find("attempt to compare", 1, true)) and "an error of Lua's own"
  if bad then print(("BAD %s: %s: %s"):format(label, bad, text)) end
end

-- The values to try next, and their places in the list.
local function drawn()
  local part, places = (PART == "functions" or PART == "array") and 3 or 1, {}
  for i = 1, #makers do
    if math.random(part) == 1 then places[#places + 1] = i end
  end
  local k = 0
  return function()
    k = k + 1
    return places[k], makers[places[k]]
  end
end

local function try_all(label, fn, self)
  for _, a in drawn() do
    io.stderr:write("last: ", label, "(", a[1], ")\n")
    if self then
      attempt(label .. "(" .. a[1] .. ")", fn, self(), a[2]())
    else
      attempt(label .. "(" .. a[1] .. ")", fn, a[2]())
    end
  end
  for i, a in drawn() do -- pairs: every value in every position, not every combination
    local b, c = makers[(i * 7 + 3) % #makers + 1], makers[(i * 11 + 5) % #makers + 1]
    local name = ("%s(%s, %s, %s)"):format(label, a[1], b[1], c[1])
    io.stderr:write("last: ", name, "\n")
    if self then
      attempt(name, fn, self(), a[2](), b[2](), c[2]())
    else
      attempt(name, fn, a[2](), b[2](), c[2]())
    end
  end
end

local function names_of(object)
  local complete = getmetatable(object).__complete
  local list = {}
  for _, name in ipairs(complete and complete(object) or {}) do list[#list + 1] = name end
  table.sort(list)
  return list
end

local function try_methods(label, make)
  for _, name in ipairs(names_of(make())) do
    local ok, method = pcall(function() return make()[name] end)
    if ok and type(method) == "function" and not skip[name] then
      try_all(label .. ":" .. name, method, make)
      for _, m in drawn() do                  -- something else as self
        io.stderr:write("last: ", label, ".", name, "(", m[1], " as self)\n")
        attempt(label .. "." .. name .. "(" .. m[1] .. " as self)", method, m[2](), 1)
      end
    end
  end
  for _, m in ipairs(makers) do               -- fields, elements and operators with anything as key
    attempt(label .. "[" .. m[1] .. "]", function() return make()[m[2]()] end)
    attempt(label .. "[" .. m[1] .. "] =", function() make()[m[2]()] = m[2]() end)
    attempt(label .. " .. " .. m[1], function() return tostring(make()) end)
  end
end

local classes = {
  { "array", function() return cuda.zeros({ 2, 3 }) end },
  { "stream", function() return cuda.stream() end },
  { "event", function() return cuda.event() end },
  { "graph", function() return (cuda.graph(function() end)) end },
  { "device", function() return cuda.device() end },
  { "kernel", function() return cuda.kernel(KERNEL) end },
  { "module", function() return cuda.module(KERNEL) end },
  { "pool", function() return cuda.pool() end },
  { "scalar", function() return cuda.float32(2) end },
  { "complex", function() return cuda.complex(1, 2) end },
  { "pointer", function() return cuda.ptr(16) end },
  { "prepared", function() return cuda.kernel(KERNEL):prepare{ grid = 1, block = 1 } end },
  { "generator", function() return cuda.random.generator(1) end },
}

-- Callable objects, made once, so that each kind of arguments is compiled once.
local builders = {
  { "elementwise",
    function() return cuda.elementwise("T x, raw U y", "T z", "z = x", "misused") end },
  { "reduction",
    function() return cuda.reduction("T x", "T z", "x", "a + b", "z = a", "0", "misused") end },
  { "scan", function() return cuda.scan("T x", "T z", "x", "a + b", "0", "misused") end },
  { "fused",
    function() return cuda.fuse(function(x, y) return cuda.add(x, y or 1), cuda.sum(x) end) end },
}
for _, row in ipairs(builders) do
  local object = row[2]()
  classes[#classes + 1] = { row[1], function() return object end, called = true }
end

if PART == "functions" then
  local names = getmetatable(cuda).__complete()
  for _, name in ipairs(names) do
    local value = cuda[name]
    if type(value) == "function" and not skip[name] then try_all("cuda." .. name, value) end
  end
  for _, m in ipairs(makers) do
    attempt("cuda[" .. m[1] .. "]", function() return cuda[m[2]()] end)
  end
elseif PART == "random" then
  for _, name in ipairs(getmetatable(cuda.random.generator(1)).__complete()) do
    try_all("cuda.random." .. name, cuda.random[name])
  end
  try_all("cuda.random.generator", cuda.random.generator)
else
  for _, class in ipairs(classes) do
    if class[1] == PART then
      try_methods(class[1], class[2])
      if class.called then
        try_all(class[1] .. "()", function(self, ...) return self(...) end, class[2])
      end
    end
  end
end
-- the device still works
local x = cuda.zeros(4)
cuda.kernel(KERNEL)({ grid = 1, block = 4 }, x, 4)
assert(x[4] == 1)
print(("done calls=%d errors=%d"):format(calls, errors))
]==]

describe("misuse", function()
  helper.for_each_device(function(_, name)
    local device = name == "cpu" and '"cpu"' or "0"
    for _, part in ipairs{
      "functions", "array", "stream", "event", "device", "kernel", "module", "prepared",
      "pool", "scalar", "complex", "pointer", "elementwise", "reduction", "scan", "fused",
      "generator", "random",
    } do
      it("of " .. part .. " never crashes and always raises a clear error", function()
        local ok, out = helper.lua(("DEVICE, PART = %s, %q\n"):format(device, part) .. PROGRAM,
          { timeout = 300 })
        local last = out:match(".*(last: [^\n]*)") or ""
        local visible = out:gsub("last: [^\n]*\n", "")
        assert.is_true(ok, "died after " .. last .. "\n" .. visible:sub(-2000))
        assert.is_nil(visible:find("BAD ", 1, true), visible:sub(1, 4000))
        local calls, errors = visible:match("done calls=(%d+) errors=(%d+)")
        assert.is_true(tonumber(calls) > 100, visible)
        assert.is_true(tonumber(errors) > tonumber(calls) // 8, visible)
      end)
    end
  end)
end)
