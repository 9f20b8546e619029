-- Templates: insertion, Lua lines, literals, number formats, and errors at the template's own
-- lines.
local cuda = require "luacuda"
local helper = require "spec.helper"

local function text(source)
  return (tostring(source):gsub("#line[^\n]*\n", ""))
end

local raises = helper.assert_raises
local THIS, line_of = helper.this_file(), helper.line_of

describe("template", function()
  it("inserts values and keeps the rest", function()
    local tpl = cuda.template "const $(T) x = a[$(N)] + b; // $5 $$(N)\n"
    assert.equal("const float x = a[4] + b; // $5 $(N)\n", text(tpl{ T = "float", N = 4 }))
  end)

  it("runs Lua lines", function()
    local tpl = cuda.template [==[
start
@ for i = 1, N do
  @ if i ~= 2 then
row $(i)
  @ end
@ end
stop
]==]
    assert.equal("start\nrow 1\nrow 3\nstop\n", text(tpl{ N = 3 }))
  end)

  it("keeps literal marks", function()
    assert.equal("@ one\n  @two @@ $(x)\n",
      text(cuda.template "@@ one\n  @@two @@ $$(x)\n" {}))
  end)

  it("provides a few of Lua's functions, and nothing else", function()
    local tpl = cuda.template("$(math.max(1, 2)) $(string.rep('a', 3)) $(tostring(nil)) "
      .. "$(table.concat({1, 2}, ';'))")
    assert.equal("2 aaa nil 1;2\n", text(tpl{}))
    assert.equal("2 A 6 1 number 7\n", text(cuda.template("$(select('#', 1, 2)) $(utf8.char(65)) "
      .. "$(tonumber '5' + 1) $(next { 4 }) $(type(1)) $(assert(7))") {}))
    for _, name in ipairs {
      "os", "io", "load", "require", "pcall", "getmetatable", "rawset", "_G", "debug",
    } do
      raises(function() cuda.template("$(tostring(" .. name .. "))") {} end,
        "'" .. name .. "' is not set")
    end
  end)

  it("reports errors of its Lua code at their lines", function()
    local function message_of(values)
      local tpl = cuda.template [==[
first
@ assert(N > 3, "N is too small") -- mark-assert
@ if N > 10 then error "N is too large" end
@ assert(N ~= 7)
@ if N == 8 then error { N } end
]==]
      return select(2, pcall(tpl, values))
    end
    local at = line_of("mark-" .. "assert")
    local place = THIS .. ":%d: "
    assert.equal(place:format(at) .. "N is too small", message_of { N = 2 })
    assert.equal(place:format(at + 1) .. "N is too large", message_of { N = 20 })
    assert.equal(place:format(at + 2) .. "assertion failed!", message_of { N = 7 })
    assert.same({ 8 }, message_of { N = 8 })
  end)

  it("names the file's lines of an unclosed block", function()
    local _, message = pcall(cuda.template, [==[
first
@ for i = 1, 3 do -- mark-open
x[$(i)] = 0;
y[$(i)] = 0;
]==])
    local at = line_of("mark-" .. "open")
    assert.equal(
      (THIS .. ":%d: 'end' expected (to close 'for' at line %d) near <eof>"):format(at + 2, at),
      message)
  end)

  it("inserts only tables that are lists", function()
    local tpl = cuda.template "$(l)"
    assert.equal("{}\n", text(tpl{ l = {} }))
    assert.equal("{1, {2, 3}}\n", text(tpl{ l = { 1, { 2, 3 } } }))
    raises(function() tpl{ l = { 1, nil, 3 } } end,
      "a table cannot be inserted: %[2%] of the list is missing")
    raises(function() tpl{ l = { { [2] = 1 } } } end,
      "a table cannot be inserted: %[1%] of the list is missing")
    raises(function() tpl{ l = { a = 1 } } end,
      "a table cannot be inserted: expected a list, got a table with 'a' as a key")
  end)

  it("takes expressions with brackets and strings inside", function()
    assert.equal("7 ) ]\n", text(cuda.template [[$((1 + 2) * 2 + #({1})) $(")") $("]")]] {}))
  end)

  describe("numbers read back exactly", function()
    local cases = {
      { 3, "3" }, { 0, "0" }, { -3, "(-3)" }, { 2.0, "2.0" }, { 0.1, "0.1" }, { -0.5, "(-0.5)" },
      { 1e300, "1e+300" }, { 1 / 3, "0.3333333333333333" },
      { 2147483648, "2147483648LL" }, { 2147483647, "2147483647" },
      { -2147483648, "(-2147483648)" }, { -2147483649, "(-2147483649LL)" },
      { math.mininteger, "(-9223372036854775807LL - 1)" },
      { -0.0, "(-0.0)" }, { 1e15, "1e+15" },
      { true, "true" }, { { 1, 2.5, { "x", -1 } }, "{1, 2.5, {x, (-1)}}" },
    }
    for _, case in ipairs(cases) do
      it(case[2], function()
        assert.equal(case[2] .. "\n", text(cuda.template "$(v)" { v = case[1] }))
      end)
    end

    it("for random doubles", function()
      for _ = 1, 500 do
        local v = string.unpack("d", string.pack("i8", math.random(0)))
        if v == v and v ~= math.huge and v ~= -math.huge then
          local shown = text(cuda.template "$(v)" { v = v }):gsub("[%(%)\n]", "")
          assert.equal(v, tonumber(shown))
        end
      end
    end)
  end)

  it("marks lines so that the compiler's line count stays correct", function()
    local out = tostring(cuda.template "a\n@ if true then\nb\nc\n@ end\nd" {})
    local seen, line = {}, 0
    for l in out:gmatch("[^\n]+") do
      local mark = l:match("^#line (%d+)")
      if mark then line = tonumber(mark) else seen[l], line = line, line + 1 end
    end
    assert.same({ a = 1, b = 3, c = 4, d = 6 }, seen)
  end)

  it("marks exactly the lines that the compiler would count wrong", function()
    local rng = helper.random(8)
    for _ = 1, 100 do
      local lines, open = {}, 0
      for i = 1, 20 do
        local kind = rng(6)
        if kind == 0 then lines[i], open = ("@ for _ = 1, %d do"):format(rng(3)), open + 1
        elseif kind == 1 and open > 0 then lines[i], open = "@ end", open - 1
        elseif kind == 2 then lines[i] = ("line%d $(two)"):format(i)
        else lines[i] = kind == 3 and "" or "line" .. i end
      end
      for _ = 1, open do lines[#lines + 1] = "@ end" end
      local out = tostring(cuda.template(table.concat(lines, "\n")) { two = "one\ntwo" })
      local counted, marked -- what the compiler counts; the number that the last mark gave
      for line in out:gmatch "([^\n]*)\n" do
        local mark, own = line:match '^#line (%d+) "', line:match "^line(%d+)"
        if mark then
          assert.is_nil(marked)
          assert.not_equal(counted, tonumber(mark))
          counted, marked = tonumber(mark), tonumber(mark)
        else
          if own then assert.equal(tonumber(own), counted) end
          -- what follows an inserted line break is not what the compiler counts
          local is_broken = line:find "one$" or line == "two"
          counted, marked = not is_broken and counted and counted + 1 or nil, nil
        end
      end
    end
  end)

  it("puts no mark inside a macro definition", function()
    local out = tostring(
      cuda.template "@ for i = 1, 2 do\n#define M$(i) \\\n@ local x = i\n  $(x)\n@ end\nend" {})
    assert.is_nil(out:find("\\\n#line", 1, true))
    assert.truthy(out:find("#define M2 \\\n  2\n", 1, true))
  end)

  describe("errors", function()
    it("name an unset name with its line in this file", function()
      local tpl = cuda.template [==[
__global__ void k() {
  int a = $(missing_name); // mark-unset
}]==]
      local ok, message = pcall(tpl, {})
      assert.is_false(ok)
      assert.truthy(tostring(message):find(THIS .. ":" .. line_of("mark-" .. "unset"),
        1, true), message)
      assert.truthy(tostring(message):find("'missing_name' is not set", 1, true))
    end)

    it("of equal templates name the one that was rendered, in any order", function()
      local one = cuda.template [==[
__global__ void k(float *x) { *x = $(value); } // mark-one
]==]
      local other = cuda.template [==[
__global__ void k(float *x) { *x = $(value); } // mark-one
]==]
      local lines = {}
      for file_line, number in helper.read_file(THIS):gmatch "([^\n]*)\n()" do
        if file_line:find("// mark-" .. "one", 1, true) then
          lines[#lines + 1] = select(2, helper.read_file(THIS):sub(1, number - 1):gsub("\n", ""))
        end
      end
      assert.equal(2, #lines)
      local rng = helper.random(3)
      local kinds = {
        function(tpl) return select(2, pcall(tpl, {})) end,
        function(tpl) return helper.error_of(cuda.compile, tpl { value = "wrong" }).log end,
        tostring,
      }
      for _ = 1, 12 do
        local k = 1 + rng(2)
        local message = kinds[1 + rng(#kinds)](k == 1 and one or other)
        local place = ("%s[:(]%d[):]"):format(THIS:gsub("%p", "%%%0"), lines[k])
        assert.truthy(message:find(place), message)
      end
    end)

    it("of a template created elsewhere count its own lines", function()
      local made = table.concat({ "a", "b", "c", "d", "$(" .. "nothing_here)" }, "\n")
      raises(function() cuda.template(made) {} end, "<template>:5: 'nothing_here' is not set")
    end)

    it("of a Lua line that does not compile", function()
      raises(function() cuda.template("x\n@ for i in do\n@ end" .. "") end,
        "<template>:2: .*expected")
      raises(function() cuda.template("x\n@ if a then\n") end, "<template>:%d+: 'end' expected")
      raises(function() cuda.template("x\ny $" .. "(open") end, "<template>:2: .*not closed")
    end)

    it("of a value that cannot be inserted", function()
      raises(function() cuda.template("$" .. "(v)") { v = print } end,
        "a function cannot be inserted")
      raises(function() cuda.template("$" .. "(v.x)") { v = {} } end, "nil")
      local tpl = cuda.template [==[
first
second $(v ~= 0 and v or nil) // mark-insert
]==]
      local place = ("%s:%d: "):format(THIS, line_of("mark-" .. "insert"))
      assert.same({ false, place .. "a function cannot be inserted into a template" },
        { pcall(tpl, { v = print }) })
      assert.same({ false, place .. "the value of this expression is nil" },
        { pcall(tpl, { v = 0 }) })
    end)

    it("of lists that are nested too deeply", function()
      local list = { 1 }
      for _ = 1, 16 do list = { list } end
      local tpl = cuda.template "$(v)"
      assert.equal(("{"):rep(17) .. "1" .. ("}"):rep(17) .. "\n", text(tpl { v = list }))
      raises(function() tpl { v = { list } } end, "nested too deeply")
    end)

    it("are the same from its method", function()
      local tpl = cuda.template "$(v)"
      assert.equal("3\n", text(tpl:render { v = 3 }))
      raises(function() tpl:render(3) end, "expected one table of values, got number")
      raises(function() tpl:render({ v = 3 }, {}) end, "expected one table of values, got table")
      raises(function() tpl({ v = 3 }, nil) end, "expected one table of values")
    end)

    it("of wrong arguments", function()
      raises(function() cuda.template(3) end, "expected one string, got number")
      raises(function() cuda.template "x" "y" end, "expected one table of values")
    end)
  end)
end)
