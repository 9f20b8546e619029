-- The user's macros in kernels made by builders: they apply to the user's code, never to generated
-- code.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- Every single letter, and common names of generated code, the prelude and C++ programs.
local NAMES = {}
for c = 0, 25 do
  NAMES[#NAMES + 1] = string.char(97 + c)
  NAMES[#NAMES + 1] = string.char(65 + c)
end
for name in ([[size index max min step acc out idx shape data value values plan row col column lane
  warp tile words status first last before sum total heads cuts place offset full locate advance
  above run cut any here start up carry carried open known prefixes all next place len inner strips
  across group top own preceded far joined result mark BLOCK THREADS TILE WARPS ROWS HEADS TX TY R
  real imag norm conj arg abs polar exp log sqrt pow sin cos tan value_type narrower wider type bits
  exact odd seen old at fabs fmin fmax hypot isnan isinf isfinite copysign memcpy memset at_ _p0 _r0
  _k _l _u _unit _plan _whole]]):gmatch "%S+" do
  NAMES[#NAMES + 1] = name
end

local function without(...)
  local left, list = {}, {}
  for _, name in ipairs { ... } do left[name] = true end
  for _, name in ipairs(NAMES) do
    if not left[name] then list[#list + 1] = name end
  end
  return list
end

-- A macro that breaks generated code, and one that the user's code uses.
local BREAKS = "@ broken @"

-- The ways to define macros -> options, for the names.
local WAYS = {
  defines = function(names)
    local defines = { SCALE = 3 }
    for _, name in ipairs(names) do defines[name] = BREAKS end
    return { defines = defines }
  end,
  flags = function(names)
    local flags = { "-DSCALE=4", "-DSCALE=3" }             -- the later one wins
    for _, name in ipairs(names) do
      flags[#flags + 1] = ("--define-macro=%s=%s"):format(name, BREAKS)
    end
    return { flags = flags }
  end,
  preamble = function(names)
    local lines = { "#define SCALE 3\n" }
    for _, name in ipairs(names) do
      lines[#lines + 1] = ("# define %s %s\n"):format(name, BREAKS)
    end
    return { preamble = table.concat(lines) }
  end,
  headers = function(names)
    local lines = { "#define SCALE 3\n" }
    for _, name in ipairs(names) do lines[#lines + 1] = ("#define %s %s\n"):format(name, BREAKS) end
    return { preamble = '#include "all.h"\n', headers = { ["all.h"] = table.concat(lines) } }
  end,
  include_dirs = function(names)
    local folder = helper.tmpdir()
    local lines = { "#define SCALE 3\n" }
    for _, name in ipairs(names) do lines[#lines + 1] = ("#define %s %s\n"):format(name, BREAKS) end
    helper.write_file(folder .. "/all.h", table.concat(lines))
    return { preamble = "#include <all.h>\n", include_dirs = { folder } }
  end,
}

local function given(way, names, fields)
  local options = WAYS[way](names)
  for key, value in pairs(fields) do options[key] = value end
  return options
end

-- Macros from options apply to the user's code alone. A macro that the user's code defines applies
-- from there on, function heads included.
local function names_for(way, ...)
  if way == "defines" or way == "flags" then return without(...) end
  return without("n", "i", "a", "b", "_j", ...)
end

describe("macros in builders", function()
  for way in pairs(WAYS) do
    it("elementwise: by " .. way, function()
      local f = cuda.elementwise(given(way, names_for(way, "n", "real"), {
        inputs = "T left, raw float32 table, complex64 rotation",
        outputs = "T right, float16 half, float32 length",
        body = "right = left * SCALE + table[0]; half = n; length = rotation.real();",
        name = "macros" .. way,
      }))
      local left, table_ = cuda.arange(6, "float32"):reshape { 2, 3 }, cuda.array { 0.5 }
      local right, half, length = f(left, table_, cuda.complex(2, 3))
      assert.same({ { 0.5, 3.5, 6.5 }, { 9.5, 12.5, 15.5 } }, right:totable())
      assert.equal(6, half:item(2, 3))
      assert.equal(2, length:item(1, 1))
      local whole = cuda.zeros { 2, 40, 40 }
      local turned = whole:transpose(1, 3, 2) -- a tile, a strided view
      assert.equal(0.5, (f(turned, table_, cuda.complex(2, 3),
        { out = { cuda.zeros { 2, 40, 40 } } })):item(1, 1, 1))
      assert.equal(0.5,
        (f(whole:slice({}, {}, { 1, 40, 3 }), table_, cuda.complex(2, 3))):item(1, 1, 1))
    end)

    it("reductions: by " .. way, function()
      local sum = cuda.reduction(given(way, names_for(way, "a", "b"), {
        inputs = "T element, raw float32 table", outputs = "T answer",
        map = "element * SCALE + table[0]", reduce = "a + b", post = "answer = a * SCALE",
        identity = "0", name = "macros" .. way, reduce_type = "double",
      }))
      local data = cuda.ones { 300, 70 }
      assert.equal(300 * 70 * 9, sum(data, cuda.array { 0.0 }):item())
      assert.equal(300 * 9, sum(data, cuda.array { 0.0 }, { axis = 1 }):item(70))
      assert.equal(70 * 9, sum(data, cuda.array { 0.0 }, { axis = 2 }):item(300))
    end)

    it("scans: by " .. way, function()
      local running = cuda.scan(given(way, names_for(way, "a", "b"), {
        inputs = "T element, raw float32 table", outputs = "T answer",
        map = "element * SCALE + table[0]", scan = "a + b", identity = "0",
        post = "answer = a * SCALE", name = "macros" .. way, scan_type = "double",
      }))
      local data = cuda.ones { 3, 1500 }
      assert.equal(1500 * 9, running(data, cuda.array { 0.0 }, { axis = 2 }):item(3, 1500))
      assert.equal(3 * 9, running(data, cuda.array { 0.0 }, { axis = 1 }):item(3, 1500))
      assert.equal(1400 * 9,
        running(cuda.ones(1400), cuda.array { 0.0 }, { exclusive = true }):item(1400) + 9)
    end)
  end

  it("may have parameters, be types, and replace the index", function()
    local f = cuda.elementwise("float32 left", "float32 right",
      "REAL twice = TWICE(left); right = twice + n + FLAG;", "kinds",
      { defines = { REAL = "float", n = 5 }, flags = { "-D", "FLAG", "-DTWICE(v)=((v) * 2)" } })
    assert.same({ 8, 10 }, f(cuda.array { 1, 2 }):totable())
    local sum = cuda.reduction("float32 element", "float32 answer", "element", "a + b",
      "answer = a", "0", "typed", { reduce_type = "ACC", defines = { ACC = "double" } })
    assert.equal(3, sum(cuda.array { 1, 2 }):item())
    local running = cuda.scan("float32 element", "float32 answer", "element", "a + b", "0",
      "typed_scan", { scan_type = "ACC", defines = { ACC = "double" } })
    assert.same({ 1, 3 }, running(cuda.array { 1, 2 }):totable())
  end)

  it("yield to definitions in the preamble", function()
    local body = "right = left + N + M + K;"
    local f = cuda.elementwise("float32 left", "float32 right", body, "given_way", {
      defines = { N = 3, M = 4, K = 5 },
      preamble = "#undef N\n#define N 30\n#ifndef M\n#define M 40\n#endif\n"
        .. "#if K != 5\n#error K\n#endif\n",
    })
    assert.same({ 40 }, f(cuda.array { 1 }):totable())
  end)

  it("are undefined by -U", function()
    local f = cuda.elementwise("float32 left", "float32 right",
      "#ifdef N\nright = 1;\n#else\nright = 2;\n#endif", "undefined",
      { defines = { N = 3 }, flags = { "-UN" } })
    assert.same({ 2 }, f(cuda.array { 1 }):totable())
  end)

  it("keep errors at the user's lines", function()
    local f = cuda.elementwise("float32 left", "float32 right", [[right = left;
      right = nowhere;]], "lines",
      { defines = { N = 3, M = 4 }, preamble = "// one\n// two\n" })
    local ok, e = pcall(f, cuda.array { 1 })
    assert.is_false(ok)
    local line = helper.line_of("right = nowhere;]]")
    assert.matches("builder_macros_spec.lua:" .. line .. ": error", tostring(e))
  end)
end)
