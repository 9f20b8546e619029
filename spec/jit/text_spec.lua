-- The text of functions: what is found runs as the function does, or an error says why there is
-- none.
local helper = require "spec.helper"
require "luacuda" -- whose folder messages do not point at
local names = require "luacuda.jit.read.free_names"
local text = require "luacuda.jit.read.function_text"

-- A file with these bytes, loaded.
local function load_file(bytes, ...)
  local path = helper.tmpdir() .. "/functions.lua"
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  file:close()
  return assert(loadfile(path))(...), path
end

-- What the found text computes, with the values of its names.
local function compile(found)
  local declared, values, count = {}, {}, 0
  local env = {}
  for name, row in pairs(names.of(found)) do
    if row.kind == "global" then env[name] = row.value
    else
      count = count + 1
      declared[count], values[count] = name, row.value
    end
  end
  local head = count > 0 and ("local %s = ... "):format(table.concat(declared, ", ")) or ""
  return assert(load(head .. "return " .. found.text, "=found", "t", env))(table.unpack(values,
    1, count))
end

-- Finds fn's text and compares what it computes; returns what was found.
local function check(fn, ...)
  local found = text.of(fn)
  assert.same(table.pack(fn(...)), table.pack(compile(found)(...)))
  return found
end

describe("the text of a function", function()
  it("is that between its words, wherever the function is", function()
    local list, path = load_file [[
local up, list = 5, {}
local t = { a = function(x) return x + up end, function(x) return x - up end }
function t.b(x) return x * up end function t:c(x) return x, self and 1 end function t:d() end
local function e(x)
  -- end
  return function(y) return x + y
  end, function(y) return x - y end
end
list[1], list[2], list[3], list[4], list[5], list[6] = t.a, t[1], t.b, t.c, t.d, e
list[7], list[8] = e(100)
list[9] = (function(f) return f end)(function(x, ...) return x, "end", [==[end]==], ... end)
list[10] = (list[11] or function(x) return x end)
return list]]
    local want = {
      { "function(x) return x + up end", 2, "a" }, { "function(x) return x - up end", 2 },
      { "function(x) return x * up end", 3, "t.b" },
      { "function(self, x) return x, self and 1 end", 3, "t:c" },
      { "function(self) end", 3, "t:d" }, { nil, 4, "e" },
      { "function(y) return x + y\n  end", 6 }, { "function(y) return x - y end", 7 },
      { 'function(x, ...) return x, "end", [==[end]==], ... end', 11 },
      { "function(x) return x end", 12 },
    }
    for i, row in ipairs(want) do
      local found = i == 6 and text.of(list[i]) or check(list[i], 3, 4)
      assert.equal(row[1] or found.text, found.text)
      assert.same({ row[2], row[2], row[3], path, path },
        { found.line, found.node.line, found.node.name, found.file, found.path })
      assert.equal(list[i], found.fn)
      assert.equal(found.text, found.text:sub(found.node.from, found.node.to))
    end
    assert.same({ "x" }, text.of(list[7]).upvalues)
  end)

  it("is found among many functions on one line", function()
    for seed = 1, 30 do
      local rng = helper.random(seed)
      local parts = { "local u, v, w = 2, 3, 5 local K <const> = 7 do local K <const> = 8 end "
        .. "local list = {}" }
      for i = 1, 20 do
        local operand = ({ "u", "v", "w", "K", "1", "2", "y", "g" })[rng(8) + 1]
        local form = ({ "(function(x, y) return x %s %s end)",
          "(function(y, x) return x %s %s end)",
          "(function(x) local y = 1 return x %s %s end)",
          "(function(x, y) return (function() return x %s %s end)() end)",
          "(function(x, y) return x --[[ %s ]] %s -- \n * 1 end)",
          "(function(x, y, ...) return x %s %s, ... end)" })[rng(6) + 1]
        local operator = ({ "+", "*", "-" })[rng(3) + 1]
        if form:find "%-%-%[%[" then operand = ", 9" end
        parts[#parts + 1] = ("%slist[%d] = %s"):format(rng(4) == 0 and "\n" or " ", i,
          form:format(operator, operand))
      end
      local source = table.concat(parts) .. " return list"
      for _, list in ipairs { (load_file(source)),
        assert(load(source, source, "t", { g = 11 }))() } do
        rawset(_G, "g", 11)
        for i = 1, 20 do check(list[i], 13, 17) end
        rawset(_G, "g", nil)
      end
    end
  end)

  it("tells apart functions that differ in anything but blanks", function()
    local list = load_file [[
local a, b, f = 1, 2, {}
do local K <const> = 1 f[1] = function() return K end local K <const> = 2 f[2] = function() return
K end end
f[3] = function() return a end f[4] = function() return b end f[5] = function() return 1 end
f[6] = function() return 1.0 end f[7] = function() return "1" end f[8] = function(_) return 1 end
f[9] = function(x) return x end f[10] = function(y) return y end f[11] = function(...) end
f[12] = function(x, y) return x, y end f[13] = function(y, x) return x, y end
f[14] = function() local p = 1 return p end f[15] = function() local q = 1 return q end
f[16] = function() return a, b end f[17] = function() return b, a end
f[18] = function() return function() return a end end f[19] = function() return function() return b
end end
return f]]
    local texts = {}
    for i, fn in ipairs(list) do
      local found = i < 18 and check(fn, 21, 22) or text.of(fn)
      if i > 2 then assert.is_nil(texts[found.text], found.text) end
      texts[found.text] = true
    end
    assert.same({ value = 1 }, text.of(list[1]).constants.K)
    assert.same({ value = 2 }, text.of(list[2]).constants.K)
    assert.is_truthy(text.of(list[18]).text:find "return a" )
    assert.is_truthy(text.of(list[19]).text:find "return b" )
  end)

  it("may be any of several equal ones", function()
    local list = load_file "return { function(x) return x end, function(x) return x end }"
    assert.equal("function(x) return x end", check(list[2], 1).text)
    assert.equal(text.of(list[2]), text.of(list[2]))
  end)

  it("is found in files of every form", function()
    for _, head in ipairs { "#!/usr/bin/lua\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF# first\n", "" } do
      for _, line_end in ipairs { "\n", "\r\n", "\r", "\n\r" } do
        local body = head .. "\nlocal up = 1\n--[[\n\n]] local s = [[\n\n]]\nreturn function(x)"
          .. "\n  return x + up -- ü\nend, 1"
        body = head .. body:sub(#head + 1):gsub("\n", line_end)
        local found = check((load_file(body)), 4)
        assert.equal(debug.getinfo(found.fn, "S").linedefined, found.line)
      end
    end
  end)

  it("is found for functions whose words are on several lines", function()
    local list = load_file [[
local t = {}
function
t.a(x) return x end
function t.b
(x) return x + 1 end
function t
:c
(
x) return x + 2
end
local
function
d
(x) return x + 3 end
return { t.a, t.b, t.c, d, function
(x) return x + 4 end }]]
    for i, line in ipairs { 3, 5, 8, 14, 16 } do
      assert.equal(line, check(list[i], 3, 5).line)
    end
  end)

  it("is found for the functions of a chunk that was given as a string", function()
    local source = "local k = 3\nreturn function(x) return k * x end"
    local found = check(load(source)(), 5)
    assert.same({ '[string "local k = 3..."]', 2 }, { found.file, found.line })
    assert.is_nil(found.path)
    assert.equal(source, found.chunk)
  end)

  it("is found where the file uses variables of every kind", function()
    local list = load_file [[
local a <const>, b <close> = print, nil
local N <const>, M <const> = 4, 2 * 3
local P <const> = ((M + -1) // 2 | 8) ~ ~0
local S <const>, T <const>, U <const> = "s", not nil, false or 2.5
local V <const> = nil
local Z <const>, I <const> = -0.0, 1e999
local _, n = ..., 0
local A <const> = nil and 1 local B <const> = 2 and "b" local C <const> = nil or 3
local D <const> = false or nil local E <const> = 4 or 5
local function counter() n = n + 1 return n > 0, P, S, T, U, V, Z, I, N, M, A, B, C, D, E end
local env = _ENV
return { counter,
  function() return a == env.print, b, (function() return a, b end)() end,
  function() return 1 / Z end,
  function() local _ENV <const> = { x = 1 } return x end }, 1]]
    for i = 1, 3 do check(list[i]) end
    local constants = text.of(list[1]).constants
    assert.same({ value = 1e999 }, constants.I)
    assert.same({ value = false or 2.5 }, constants.U)
    assert.same({ { value = "b" }, { value = 3 }, {} },
      { constants.B, constants.C, constants.D })
    assert.same({}, constants.V)
    -- Lua keeps these in variables
    assert.same({}, { constants.Z, constants.A, constants.E })
    assert.same({ value = ((6 + -1) // 2 | 8) ~ ~0 }, constants.P)
    helper.contains(helper.error_of(names.of, text.of(list[4])),
      "functions.lua:15: a variable '_ENV'")
  end)

  it("may use any names", function()
    local list = load_file [[local f_, f__ = 2, 3
return { function() return f end, function() return f, f_, f__ end, function(f) return f, f_ end }]]
    rawset(_G, "f", 1)
    for _, fn in ipairs(list) do check(fn, 5) end
    rawset(_G, "f", nil)
  end)

  it("may use as many variables as Lua's functions have", function()
    local parts = {}
    for i = 1, 191 do parts[i] = "v" .. i end
    local source = "local %s return function() return {%s} end"
    local most = table.concat(parts, ", ", 1, 190)
    assert.equal(190, #text.of(load(source:format(most, most))()).upvalues)
    local more = table.concat(parts, ", ")
    helper.contains(helper.misuse(text.of, load(source:format(more, more))()), "more than 190")
  end)
end)

describe("a function without text", function()
  local function refused(given, pattern)
    local message = helper.misuse(text.of, given, "vectorize")
    assert.is_truthy(message:find "^vectorize: ", message)
    helper.contains(message, pattern)
  end

  it("is refused with what to do", function()
    local advice = 'pass the function as a string, cuda.vectorize "function(x) ... end"'
    local source = "return function(x) return x end"
    refused(load(source, "=stdin")(),
      "its chunk is called 'stdin', which is not a file; " .. advice)
    refused(load(source, "@no such file.lua")(), "no such file.lua")
    refused(load(source, "name")(), "which is not a file; " .. advice)
    refused(load(source, "some name")(), "which is not its text; " .. advice)
    refused(load(string.dump(load(source)(), true)), "compiled without line numbers; " .. advice)
    refused(load(string.dump(load(source), true))(), "compiled without line numbers; " .. advice)
    refused(load(source), "got a whole chunk")
    refused(print, "written in C")
    refused(3, "expected a function or its text, got 3")
    refused({}, "got table")
  end)

  it("is refused when its file has changed", function()
    for from, to in pairs {
      ["x %+ 1"] = "x + 2", ["return x "] = "\nreturn x ", ["local a"] = "\nlocal a",
      ["%(x%)"] = "(y)", [" end$"] = "", ["^.*$"] = "\27Lua",
      [" a"] = " b", ["return x"] = "local z return x",
    } do
      local body = "local a = 1 return function(x) return x + 1, a end"
      local fn, path = load_file(body)
      local file <close> = assert(io.open(path, "wb"))
      assert(file:write((body:gsub(from, to, from == " a" and 9 or 1))))
      file:close()
      local message = helper.misuse(text.of, fn)
      helper.contains(message, "functions.lua:1 does not have the function's text: the file has "
        .. "changed since it was loaded")
    end
  end)

  it("is found in a file that has changed elsewhere", function()
    local fn, path = load_file "local a = 1 return function(x) return x + a end"
    local file <close> = assert(io.open(path, "wb"))
    assert(file:write "local b, a = 3, 1; return function(x) return x + a end, 7")
    file:close()
    check(fn, 3)
  end)
end)

describe("a text in place of a function", function()
  it("is compiled", function()
    for given, name in pairs {
      ["function(x) return x + 1 end"] = false, ["function f(x) return x + 1 end"] = "f",
      ["-- a comment\nlocal function g(x)\n  return x + 1\nend -- g\n"] = "g",
    } do
      local found = text.of(given)
      assert.equal(4, found.fn(3))
      assert.same({ given, given, 1, name or nil }, { found.text, found.chunk, found.line,
        found.node.name })
      assert.is_nil(rawget(_G, "f"))
    end
  end)

  it("may call itself, and uses globals", function()
    local found = text.of "function f(n) return n == 0 and math.pi or f(n - 1) end"
    assert.equal(math.pi, found.fn(3))
    local rows = names.of(found)
    assert.equal(math, rows.math.value)
    assert.same({ kind = "upvalue", index = 2, value = found.fn, line = 1 }, rows.f)
  end)

  it("is refused if it is anything else", function()
    for given, part in pairs {
      ["x -> x + 1"] = "expected the text of one function",
      ["a + 1"] = "function(x) return 2 * x end",
      ["return function() end"] = "'function' expected near 'return'", [""] = "near '<eof>'",
      ["function(x) return end end"] = "near 'end'", ["function a.b() end"] = "near '.'",
      ["function(x) goto y end"] = "no visible label 'y'", ["local x = 1"] = "near 'x'",
    } do
      local message = helper.misuse(text.of, given, "jit")
      assert.is_truthy(message:find "^jit: %[string ", message)
      helper.contains(message, part)
    end
  end)
end)

describe("the names of a function", function()
  it("are not declared global in it", function()
    if _VERSION ~= "Lua 5.5" then return end
    local fn = load "global x, print; return function() return x end"()
    assert.equal("global", names.of(text.of(fn)).x.kind)
    fn = load "return function(...t)\n global x <const>; return x, t.n end"()
    helper.contains(helper.misuse(names.of, text.of(fn)), ":2: a declaration of globals")
  end)

  it("are upvalues with their values, and globals", function()
    local up, other = 7, { 1 }
    local fn = function(x)
      local own = x
      return up, function() return other, own, string, no_such_name end -- luacheck: ignore
    end
    local rows = names.of(text.of(fn))
    assert.same({ kind = "upvalue", index = 1, value = 7, line = rows.up.line }, rows.up)
    assert.equal(other, rows.other.value)
    assert.same({ "global", string }, { rows.string.kind, rows.string.value })
    assert.same({ "global", nil, rows.up.line }, { rows.no_such_name.kind,
      rows.no_such_name.value, rows.no_such_name.line })
    assert.same({}, { rows.own, rows.x })
    up = 8
    assert.equal(8, names.of(text.of(fn)).up.value)
  end)

  it("are looked up in the environment of the function", function()
    local env = setmetatable({ a = 1 }, { __index = function(_, key)
      if key == "b" then return 2 end
      error("no global " .. key)
    end })
    local rows = names.of(text.of(load("return function() return a, b, c end", nil, "t", env)()))
    assert.same({ 1, 2, nil }, { rows.a.value, rows.b.value, rows.c.value })
    assert.equal("global", rows.c.kind)
  end)

  it("do not include _ENV as a variable", function()
    for source, line in pairs { ["function(_ENV) return x end"] = 1,
      ["function()\nreturn function()\nlocal _ENV = {} end end"] = 3,
      ["function() for _ENV in x do end end"] = 1 } do
      helper.contains(helper.misuse(names.of, text.of(source), "fuse"), (":%d: a variable '_ENV' "
        .. "gives all globals another meaning"):format(line))
    end
  end)
end)
