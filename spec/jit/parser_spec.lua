-- The parser against Lua's own: a tree printed as text compiles to the code of the original, and
-- texts that Lua refuses are refused.

-- A tree of Lua tables does not depend on the collector.
if os.getenv "LUACUDA_TEST_GC" == "1" then return end

local helper = require "spec.helper"
local generator = require "spec.support.lua_generator"
local parser = require "luacuda.jit.read.parser"
local printer = require "spec.support.lua_printer"

local FILES = "find lua spec tools examples bench -name '*.lua' | sort"

local function each_file(fn)
  local pipe <close> = assert(io.popen(FILES))
  local count = 0
  for path in pipe:lines() do
    local file <close> = assert(io.open(path, "rb"))
    fn(path, (file:read "a":gsub("^#", "--#")))
    count = count + 1
  end
  return count
end

-- Does the tree of a text stand for the same code? `compiled` is what Lua made of it.
local function is_same_code(tree, compiled)
  local printed = load(printer.text(tree), "=printed")
  return printed and string.dump(printed, true) == string.dump(compiled, true)
end

-- Calls fn(node) for every expression below a node.
local EXPRESSION_LISTS = { "args", "values", "exprs", "targets" }
local EXPRESSIONS = { "object", "key", "fn", "operand", "left", "right", "inner", "cond", "first",
  "last", "step", "call" }
local visit_block

local function visit(node, fn)
  fn(node)
  for _, field in ipairs(EXPRESSIONS) do
    if type(node[field]) == "table" then visit(node[field], fn) end
  end
  for _, field in ipairs(EXPRESSION_LISTS) do
    for _, item in ipairs(node[field] or {}) do visit(item, fn) end
  end
  for _, item in ipairs(node.items or {}) do
    if item.key then visit(item.key, fn) end
    visit(item.value, fn)
  end
  for _, clause in ipairs(node.clauses or {}) do
    visit(clause.cond, fn)
    visit_block(clause.body, fn)
  end
  visit_block(node.body or {}, fn)
  visit_block(node.orelse or {}, fn)
end

function visit_block(list, fn)
  for _, node in ipairs(list) do visit(node, fn) end
end

describe("the parser", function()
  it("understands the files of this project as Lua does", function()
    local count = each_file(function(path, text)
      local compiled = assert(load(text, "=" .. path))
      assert.is_true(is_same_code(parser.chunk(text, path), compiled), path)
    end)
    assert.is_true(count > 400)
  end)

  it("understands random programs as Lua does, or refuses them as Lua does", function()
    local accepted = 0
    for seed = 1, 1000 do
      local rng = helper.random(seed)
      local text = generator.join(rng, generator.tokens(rng, seed % 20 == 0 and 6 or 4))
      local compiled, why = load(text, "=t")
      local ok, tree = pcall(parser.chunk, text, "t")
      assert.equal(compiled ~= nil, ok, ("seed %d: %s, %s"):format(seed, why, tree))
      if ok then
        assert.is_true(is_same_code(tree, compiled), "seed " .. seed)
        accepted = accepted + 1
      end
    end
    assert.is_true(accepted > 850)
  end)

  it("accepts what Lua accepts of programs with wrong tokens, and reports the line", function()
    local refused = 0
    for seed = 1, 1000 do
      local rng = helper.random(seed)
      local tokens = generator.tokens(rng, 4)
      for _ = 1, 1 + rng(2) do
        local at, other = rng(#tokens) + 1, tokens[rng(#tokens) + 1]
        local change = rng(3)
        if change == 0 and #tokens > 1 then table.remove(tokens, at)
        elseif change == 1 then table.insert(tokens, at, other)
        else tokens[at] = other end
      end
      local text = generator.join(rng, tokens)
      local compiled, why = load(text, "=t")
      local ok, message = pcall(parser.chunk, text, "t")
      assert.equal(compiled ~= nil, ok, ("seed %d: %s, %s"):format(seed, why, message))
      -- for these Lua names a later line, and the last one of a token
      local is_late = why and (why:find "goto" or why:find "const" or message:find "\n")
      if not ok and not is_late then
        assert.equal(why:match "^t:%d+:", message:match "^t:%d+:", why .. "; " .. message)
        refused = refused + 1
      end
    end
    assert.is_true(refused > 400)
  end)

  it("has Lua's rules for jumps, constants and the ends of statements", function()
    local accepted = 0
    for _, text in ipairs {
      "break", "while x do break end", "while x do local function f() break end end",
      "repeat if x then break end until x", "for i = 1, 2 do do break end end break",
      "goto a local b ::a::", "goto a local b ::a:: b()", "goto a local b ::a:: ; ::c:: ;",
      "do goto a local b ::a:: end", "do goto a; local b; ::a:: b() end", "do goto a end ::a::",
      "do local b goto a end local c ::a:: c()", "do local b goto a end ::a:: local c c()",
      "local d do local b goto a end local c ::a:: c()", "local d do local b goto a end ::a:: d()",
      "repeat goto a local b ::a:: until x", "repeat goto a; local b; ::a:: until b",
      "repeat goto a do local b end ::a:: until x", "goto a do ::a:: end", "do ::a:: end ::a::",
      "::a:: do ::a:: end", "::a:: ::a::", "::a:: local function f() ::a:: goto a end goto a",
      "::a:: local function f() goto a end", "while x do goto a local b ::a:: end",
      "for i = 1, 2 do local b goto a local c ::a:: end", "if x then goto a else local b ::a:: end",
      "if x then goto a end local b goto c ::a:: ::c::", "goto a; ::a:: return", "goto = 1",
      "goto 1", "function a:b.c() end", "function a.b:c() end", "function a:b:c() end",
      "function a.b.c() end", "function a[1]() end", "function (a) end", "local function a.b() end",
      "local a <close>, b <close> = nil", "local a <const>, b <close> = 1, nil",
      "local a <close>, b <const> = nil", "local a <any> = 1", "local a <const> = 1 a = 2",
      "local a <const> = 1 local function f() a = 2 end",
      "local a <const> = 1 do local a a = 2 end", "local a <const> function a() end",
      "local a <const> = {} function a.b() end a.b = 1", "a, b.c, d[1] = 1", "a, f() = 1",
      "(a) = 1", "(a).b = 1", "a.b", "a:b", "f{} = 1", "f().x = 1", "(f)", "(f)()", "'x':y()",
      "('x'):y()", "{}.x = 1", "a + 1", "return return", "return; x()", "return 1, x()",
      "return 1 x()", "f(...)", "function f() return ... end", "function f(...) return ... end",
      "function f(..., a) end", "function f(a, ...) end", "function f(a,) end",
      "function f(a.b) end", "local a, = 1", "local a.b = 1", "x = = 1", "x =",
      "for a.b = 1, 2 do end", "for a = 1 do end", "for a = 1, 2, 3, 4 do end",
      "for a, b = 1 do end", "for in x do end", "if x do end", "if x then elseif y then else end",
      "if x then else elseif", "while x end", "repeat until", "; ;; ::x:: ;;", "end", "do",
      "do end end", "t = { 1, 2; 3, }", "t = { , }", "t = { 1 2 }", "t = { a = 1, [b] = 2, c }",
      "t = { a.b = 1 }", "f(1,)", "f(,)", "not x()", "x = not not -~#x", "x = 1 ~= 2 ~ 3",
      "x = a.1", "x = a.and", "x = a:b", "x = a.b.c:d 's'",
    } do
      local compiled, why = load(text, "=t")
      local ok, tree = pcall(parser.chunk, text, "t")
      assert.equal(compiled ~= nil, ok, ("%s: %s, %s"):format(text, why, tree))
      if ok then assert.is_true(is_same_code(tree, compiled), text) end
      accepted = accepted + (ok and 1 or 0)
    end
    assert.is_true(accepted > 35)
  end)

  it("survives any bytes", function()
    local texts = {}
    each_file(function(_, text) texts[#texts + 1] = text end)
    local junk = { "\0", "\xff", "[[", "]]", "--[[", "'", '"', "\\", "\r", "::", "..", "0x", "3x",
      "function", "end", "(", ")", "{", "}", "\\u{", "\\z", "\\9", "[=", "goto", "<const>", "1e" }
    local rng = helper.random(5)
    for _ = 1, 500 do
      local text = texts[rng(#texts) + 1]
      local first = rng(#text) + 1
      text = text:sub(first, first + rng(2000))
      for _ = 1, rng(4) do
        local at = rng(#text)
        text = text:sub(1, at) .. junk[rng(#junk) + 1] .. text:sub(at + 1 + rng(3))
      end
      local compiled, why = load(text, "=t")
      local ok, message = pcall(parser.chunk, text, "t")
      assert.equal(compiled ~= nil, ok, ("%s, %s: %q"):format(why, message, text))
      if not ok then assert.is_truthy(message:find "^t:%d+: ", message) end
    end
  end)

  it("refuses what is nested too deeply", function()
    for _, open in ipairs { "(", "{", "- ", "a.b[", "f(", "function() return ", "x .. ", "do " } do
      local ok, message = pcall(parser.chunk, "return " .. open:rep(100000), "t")
      assert.is_false(ok)
      assert.is_truthy(message:find "^t:1: ", message)
    end
    assert.is_table(parser.chunk("return " .. ("("):rep(180) .. "1" .. (")"):rep(180), "t"))
  end)

  it("refuses more variables than Lua allows", function()
    local function locals(n) return ("local a\n"):rep(n) end
    assert.is_table(parser.chunk(locals(200), "t"))
    assert.is_table(parser.chunk("do " .. locals(200) .. " end " .. locals(200), "t"))
    helper.contains(helper.error_of(parser.chunk, locals(201), "t"), "too many local")
    -- a loop has variables of its own
    for n = 194, 200 do
      for _, text in ipairs { "for i = 1, 2 do end", "for k, v in f do end" } do
        assert.equal(load(locals(n) .. text) ~= nil, (pcall(parser.chunk, locals(n) .. text, "t")))
      end
    end
  end)
end)

local SLICES = {}
for kind in ("binary call method index function table paren unary and or number string")
  :gmatch "%l+" do SLICES[kind] = true end

local function print_expression(node)
  return (printer.text { body = { { kind = "return", values = { node } } } }:gsub("\n", ""))
end

describe("the tree", function()
  it("gives every expression its text", function()
    local count = 0
    each_file(function(path, text)
      if count > 5000 then return end
      visit_block(parser.chunk(text, path).body, function(node)
        -- not the functions of statements, and not names as keys
        if not SLICES[node.kind] or text:find("^function%s+[%a_]", node.from)
          or node.kind == "string" and text:find("^[%a_]", node.from) then return end
        local piece = "return " .. text:sub(node.from, node.to)
        local again = parser.chunk(piece, path, node.line).body[1].values
        assert.same({ node.kind, node.line, 1 }, { again[1].kind, again[1].line, #again })
        assert.equal(print_expression(node), print_expression(again[1]))
        count = count + 1
      end)
    end)
    assert.is_true(count > 5000)
  end)

  it("has the lines of first tokens", function()
    local tree = parser.chunk("local a =\n  1 +\n  f(\n2) if a\nthen\nelseif b then x = [[\n]] "
      .. ".. 'y' end", "t", 11)
    local sum, branch = tree.body[1].values[1], tree.body[2]
    assert.same({ 11, 12, 12, 13, 14 }, { tree.body[1].line, sum.line, sum.left.line,
      sum.right.line, sum.right.args[1].line })
    assert.same({ 14, 14, 16, 16 }, { branch.line, branch.clauses[1].line, branch.clauses[2].line,
      branch.clauses[2].body[1].line })
    assert.equal(17, branch.clauses[2].body[1].values[1].right.line)
  end)

  it("binds names to variables by scope", function()
    local tree = parser.chunk([[
      local x = x
      local function f(y) x = y; return f, z end
      do local x <const> = 1; x() end
      repeat local inner = 1 until inner
      for i = i, 2 do i() end
      return inner
    ]], "t")
    local x, f = tree.body[1].vars[1], tree.body[2]
    assert.equal("free", tree.body[1].values[1].kind)
    assert.same({ 1, true, tree }, { x.assigned, x.captured, x.fn })
    assert.equal(x, f.fn.body[1].targets[1].var)
    assert.equal(f.fn.params[1], f.fn.body[1].values[1].var)
    assert.equal(f.var, f.fn.body[2].values[1].var)
    assert.equal("z", f.fn.body[2].values[2].name)
    assert.equal("const", tree.body[3].body[1].vars[1].attrib)
    assert.equal(tree.body[3].body[1].vars[1], tree.body[3].body[2].call.fn.var)
    assert.equal("local", tree.body[4].cond.kind)
    assert.equal("free", tree.body[5].first.kind)
    assert.equal(tree.body[5].var, tree.body[5].body[1].call.fn.var)
    assert.equal("free", tree.body[6].values[1].kind)
    assert.is_nil(f.fn.params[1].captured)
  end)

  it("knows the free names of functions", function()
    local _, functions = parser.chunk([[
      local a, b
      function outer(c)
        local d
        return function() return a, c, g, d end, function(a) return a, b end
      end
    ]], "t")
    local function names(node)
      local list = {}
      for name, use in pairs(node.free) do list[#list + 1] = name .. (use.var and "" or "!") end
      table.sort(list)
      return table.concat(list, " ")
    end
    assert.equal("a b g!", names(functions[1]))
    assert.equal("a c d g!", names(functions[2]))
    assert.equal("b", names(functions[3]))
  end)

  it("has the names of functions", function()
    local _, functions = parser.chunk([[
      local function a() end
      local x, b = 1, function() end
      c.d.e = function() end
      t = { f = function() end, function() end }
      function g.h:i() end
    ]], "t")
    local names = {}
    for i, node in ipairs(functions) do names[i] = node.name or "-" end
    assert.same({ "a", "b", "e", "f", "-", "g.h:i" }, names)
    assert.equal("self", functions[6].params[1].name)
  end)

  it("leads from gotos to labels", function()
    local tree = parser.chunk("::a:: goto a; do goto b end ::b::", "t")
    assert.equal(tree.body[1], tree.body[2].target)
    assert.equal(tree.body[4], tree.body[3].body[1].target)
  end)

  it("has operators by precedence, the right-associative ones from the right", function()
    local function shape(node)
      if node.kind == "number" then return tostring(node.value) end
      if node.kind == "unary" then return node.op .. shape(node.operand) end
      return ("(%s%s%s)"):format(shape(node.left), node.op or node.kind, shape(node.right))
    end
    for text, want in pairs {
      ["1 .. 2 .. 3"] = "(1..(2..3))", ["2 ^ 3 ^ 4"] = "(2^(3^4))", ["-2 ^ 2"] = "-(2^2)",
      ["2 ^ -3 * 4"] = "((2^-3)*4)", ["1 - 2 - 3"] = "((1-2)-3)", ["not 1 == 2"] = "(not1==2)",
      ["1 or 2 and 3 < 4 | 5 ~ 6 & 7 << 8 .. 9 + 10 * 11"]
        = "(1or(2and(3<(4|(5~(6&(7<<(8..(9+(10*11))))))))))",
    } do
      assert.equal(want, shape(parser.chunk("return " .. text, "t").body[1].values[1]))
    end
  end)
end)

describe("what Lua 5.5 has added", function()
  if _VERSION ~= "Lua 5.5" then return end

  it("is accepted as Lua does", function()
    for _, text in ipairs {
      "global x, y", "global<const> *", "global *", "global x <const>, y = 1, 2",
      "global function f() return f end", "global = 1", "local global = {} global.x = 1 global()",
      "global x local x <const> = 1 do global x; x = 2 end", "local <const> a, b <close> = 1, nil",
      "local <const> a = 1 a = 2", "for i = 1, 2 do i = 3 end", "for k, v in f do v = 1 end",
      "for k, v in f do k = 1 end", "local function f(a, ...t) return t.n, t[1], a end",
      "local function f(...t) local t = t return t, ... end", "local function f(...t, a) end",
      "global x <close>", "global x <other>",
    } do
      local compiled, why = load(text, "=t")
      local ok, tree = pcall(parser.chunk, text, "t")
      assert.equal(compiled ~= nil, ok, ("%s: %s, %s"):format(text, why, tree))
    end
  end)

  it("has names that mean globals", function()
    local tree = parser.chunk("local x = 1 do global x; x = 2 end x = 3", "t")
    assert.equal("free", tree.body[2].body[2].targets[1].kind)
    assert.equal("local", tree.body[3].targets[1].kind)
    assert.equal(1, tree.declares_global)
  end)
end)

describe("the text of one function", function()
  it("may have a name", function()
    for text, name in pairs {
      ["function(x, ...) return x end"] = false, [" --[[ ]] function f(x, ...) end"] = "f",
      ["\nlocal function g(x, ...)\nend -- end\n"] = "g",
    } do
      local node = parser.fn(text, "t")
      assert.same({ name, "x", true }, { node.name or false, node.params[1].name, node.vararg })
    end
  end)

  it("ends with the function", function()
    for text, message in pairs {
      ["function() end end"] = "'<eof>' expected near 'end'",
      ["x"] = "'function' expected near 'x'",
      ["local f = 1"] = "'function' expected near 'f'", ["function a.b() end"] = "'(' expected",
      ["local function() end"] = "<name> expected", ["function() "] = "'end' expected",
      [""] = "'function' expected near '<eof>'",
    } do
      helper.contains(helper.error_of(parser.fn, text, "t"), message)
    end
  end)
end)
