-- The lexer against Lua's own: literals have the values that Lua gives them.
local helper = require "spec.helper"
local lexer = require "luacuda.jit.read.lexer"

-- The value of a text that is one literal.
local function value_of(text)
  local tokens = lexer.read(text, "t")
  assert(tokens.count == 2, "more than one token")
  return tokens.values[1]
end

-- Both have the value, or both refuse the text.
local function check(text)
  local chunk, why = load("return " .. text, "=t")
  local ok, got = pcall(value_of, text)
  if not chunk then
    assert.is_false(ok, ("%q: Lua says %s, the lexer %s"):format(text, why, got))
    return false
  end
  assert.is_true(ok, ("%q: %s"):format(text, got))
  local want = chunk()
  assert.equal(math.type(want) or type(want), math.type(got) or type(got), text)
  assert.is_true(want == got, ("%q: %s, %s"):format(text, want, got))
  return true
end

local function random_text(rng, pieces, most)
  local parts = {}
  for i = 1, 1 + rng(most) do parts[i] = pieces[rng(#pieces) + 1] end
  return table.concat(parts)
end

describe("the lexer", function()
  it("reads numbers as Lua does", function()
    for _, text in ipairs { "0", "9223372036854775807", "9223372036854775808", "0xffffffffffffffff",
      "0x1ffffffffffffffff", "1e999", "0x.8p-3", "3.", ".5e+2", "0xA", "0Xa.bP+2", "08", "1e-400"
    } do
      assert.is_true(check(text), text)
    end
    local rng, count = helper.random(11), 0
    local pieces = { "0", "1", "9", "15", "a", "F", "e", "E", ".", "0x", "p", "P" }
    for _ = 1, 5000 do
      local first = ({ "1", "0x", ".5", "0x.", "0" })[rng(5) + 1]
      if check(first .. random_text(rng, pieces, 6)) then count = count + 1 end
    end
    assert.is_true(count > 800)
    for _ = 1, 500 do
      check(("%se%s%d"):format(rng(100), ({ "+", "-", "" })[rng(3) + 1], rng(400)))
      check(("0x%xp%s%d"):format(rng(100), ({ "+", "-", "" })[rng(3) + 1], rng(400)))
    end
  end)

  it("reads short strings as Lua does", function()
    local rng, count = helper.random(12), 0
    local pieces = { "a", " ", "\\n", "\\a\\b\\f\\r\\t\\v", "\\\\", "\\'", '\\"', "\\065", "\\9x",
      "\\0", "\\255", "\\256", "\\x4A", "\\xg0", "\\u{48}", "\\u{7FFFFFFF}", "\\u{80000000}",
      "\\u{000000000041}", "\\u{}", "\\z  \n\t\r\n b", "\\\n", "\\\r\n", "\\\n\r", "\\\r", "\n",
      "'", '"', "\\c", "\xe4", "\0", "[[", "--" }
    for _ = 1, 3000 do
      local quote = rng(2) == 0 and '"' or "'"
      if check(quote .. random_text(rng, pieces, 4) .. quote) then count = count + 1 end
    end
    assert.is_true(count > 700)
  end)

  it("reads any string that %q writes", function()
    local rng = helper.random(13)
    for _ = 1, 500 do
      local bytes = {}
      for i = 1, rng(40) do bytes[i] = string.char(rng(256)) end
      local text = table.concat(bytes)
      assert.equal(text, value_of(("%q"):format(text)))
    end
  end)

  it("reads long strings as Lua does", function()
    local rng, count = helper.random(14), 0
    local pieces = { "\n", "\r", "\r\n", "\n\r", "a", "]", "]]", "]=]", "]==]", "[[", "=", "\\n",
      "[=[" }
    for _ = 1, 2000 do
      local equals = ("="):rep(rng(3))
      local text = "[" .. equals .. "[" .. random_text(rng, pieces, 6) .. "]" .. equals .. "]"
      if check(text) then count = count + 1 end
    end
    assert.is_true(count > 500)
  end)

  it("counts lines with every line end", function()
    local text = "a\nb\r\nc\n\rd\re\n\nf --[[\n\r\n]] g [[\n\n]] h '\\\n\\z\n\n' i --x\n--[=\nj"
    local tokens = lexer.read(text, "t", 5)
    local lines = {}
    for i = 1, tokens.count do
      if tokens.kinds[i] == "name" then lines[tokens.values[i]] = tokens.lines[i] end
    end
    assert.same({ a = 5, b = 6, c = 7, d = 8, e = 9, f = 11, g = 13, h = 15, i = 18, j = 20 },
      lines)
  end)

  it("tells marks apart and knows where tokens are", function()
    local text = "...==~=<=>=//::<<>>..  and andy~ =[ ["
    local tokens, pieces = lexer.read(text, "t"), {}
    for i = 1, tokens.count - 1 do pieces[i] = text:sub(tokens.from[i], tokens.to[i]) end
    assert.equal("... == ~= <= >= // :: << >> .. and andy ~ = [ [", table.concat(pieces, " "))
    assert.same({ "and", "name", "end of text" },
      { tokens.kinds[11], tokens.kinds[12], tokens.kinds[17] })
  end)

  it("refuses what is no token, with its line", function()
    for text, message in pairs {
      ["\n\n $"] = "t:3: unexpected symbol near '$'",
      ["\0"] = "t:1: unexpected symbol near '<\\0>'",
      ["[=x"] = "invalid long string delimiter", ["\n[[\n"] = "t:2: unfinished long string",
      ["--[[\n"] = "unfinished long comment", ["'\n'"] = "t:1: unfinished string",
      ["3x"] = "malformed number near '3x'", ["1..2"] = "malformed number near '1..2'",
    } do
      helper.contains(helper.error_of(lexer.read, text, "t"), message)
    end
  end)
end)
