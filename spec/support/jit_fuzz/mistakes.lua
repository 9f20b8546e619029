-- Random mistakes in the programs of jit_fuzz. Each must be refused with a message that names a
-- line of the program, or be compiled: neither CUDA's compiler nor the library may fail.
local cuda = require "luacuda"
local programs = require "spec.support.jit_fuzz.programs"
local run = require "spec.support.jit_fuzz.run"

local M = {}

-- What may stand in place of a name, a number or an operator.
local WORDS = { "i", "p", "a", "n", "f", "c", "s", "t", "w", "K", "T", "H", "oi", "nil", "true",
  "false", "undefined", "math", "math.pi", "math.sqrt", "math.huge", "int8", "float32",
  "complex64", "print", "threadIdx", "threadIdx.x", "grid", "syncthreads", "shared", "array",
  "cuda", "'text'", "{}", "...", "0", "1.5", "-1", "n[i]", "n[1.5]", "n[c]", "n.shape",
  "n.shape[1]", "n.size", "#n", "#i", "m[i]", "n.x", "H()", "H(1)", "H(1, 2, 3)", "H(n, f)",
  "(H)", "function(x) return x end", "i()", "i.x", "i[1]", "T.x", "T[0]", "T[100]", "T[i]",
  "oi[i]", "n[0]", "math.max()", "math.fmod(i)", "c[i]", "float64(c[i])", "array('int8')",
  "array('no', 3)", "array('int8', i)", "atomic_add(n, 1, 1)", "atomic_add(f, c)", "shfl_sync(1)",
  "print(n)", "assert(i)", "error(i)", "grid(3)", "i // 0", "1 // 0", "1 % 0", "n:sum()",
  "cuda.exp(a)", "1 << 0.5", "math.type(i)", "math.random()", "math.tointeger(a)", "i .. 'x'",
  "'a' .. 'b'", "string.len('x')", "#'abc'", "float16(a)", "uint64(i)", "complex64(1)",
  "complex64(1).re", "float4(1, 2, 3, 4)", "blockDim", "blockDim.w", "laneid()", "laneid",
  "warpSize", "m[i][1][1]", "m[i][i] + 1", "not i", "not n", "-c[i]", "~a", "#m[i]" }
local OPERATORS = { "+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>", "==", "~=",
  "<", "<=", ">", ">=", "and", "or", "..", "=", ",", ";" }
local STATEMENTS = { "return 1", "return", "break", "goto nowhere", "p = nil", "n = f", "n = 1",
  "p = c", "i = 0.5", "K = 2", "T[1] = 3", "n.x = 1", "m[1] = n", "m = m[1]", "local v1, v2 = 1",
  "local v1 v1 = v1 + 1", "local v1 p = v1", "for k, v in pairs(T) do end",
  "for j in grid(i, j) do end", "for j = 1, 2, 0 do end", "for j = 1, c do end",
  "for j = n, 2 do end", "for j = 1, 0.5 do end", "H = 1", "H(1, 2)", "p()", "syncthreads()",
  "local x <close> = 1", "local x <const> = 1 x = 2",
  "local function r(x) return r(x) end p = r(1)", "local function e() end p = e()",
  "repeat until i", "while n do end", "if p then end", "if nil then end",
  "local s = shared('int32', 8) s[1] = 'x'", "local s = array('int32', 8) s = 1",
  "local s = array('float32', 2) n = s", "s[i] = c[i]", "c[i] = 1", "f[i] = complex64(1)",
  "s[i] = 1.5", "s[i], p = p", "undefined = 1", "x, y = 1, 2",
  "local function g(x) if c[i] then return 1 end end p = g(1)", "do local t <const> = n end",
  "local function g() return 1, 2 end local q1, q2, q3 = g()", "assert(c[i], p)", "error('x', 2)",
  "local function g(x) return x end g(n)[1] = 2", "local g = H p = g(1, 2)",
  "local z = math z.max(1)", "if c[i] then n = f end", "local b1 = c[i] b1 = 1",
  "local h = function() return p end p = h()", "::a:: goto a", "::a:: ::a::",
  "print('%d', i, c[i], a)", "(H)(1, 2)", "H 'x'", "H { }", "local _ENV = n" }

local function pick(rng, list) return list[rng(#list) + 1] end

local function is_operator(word)
  for _, op in ipairs(OPERATORS) do
    if op == word then return true end
  end
end

-- The text as tokens and blanks.
local function split(text)
  local parts, at = {}, 1
  while at <= #text do
    local word = text:match("^%s+", at) or text:match("^[%a_][%w_]*", at)
      or text:match("^%d[%w.]*", at)
      or text:match("^'[^']*'", at) or text:match("^[=~<>/][=<>/]", at) or text:sub(at, at)
    parts[#parts + 1], at = word, at + #word
  end
  return parts
end

-- Changes one token after the first two lines.
local function change(rng, parts)
  local k
  repeat k = rng(#parts) + 1 until k > 40 and not parts[k]:find "^%s"
  local form = rng(10)
  if form == 0 then parts[k] = ""
  elseif form == 1 then parts[k] = parts[k] .. " " .. parts[k]
  elseif is_operator(parts[k]) then parts[k] = pick(rng, OPERATORS)
  elseif parts[k]:find "^[%w_]" then parts[k] = pick(rng, WORDS)
  else parts[k] = parts[rng(#parts) + 1] end
end

-- Adds a statement after a random line that ends one.
local function add(rng, text)
  local ends = {}
  for at in text:gmatch "()\n" do ends[#ends + 1] = at end
  local at = ends[3 + rng(#ends - 4)]
  return text:sub(1, at) .. pick(rng, STATEMENTS) .. " " .. text:sub(at + 1)
end

-- mistakes.make(rng, narrow) -> a program with one to three mistakes that is still Lua
function M.make(rng, narrow)
  local whole = programs.make(rng, 1, narrow)
  for _ = 1, 100 do
    local text = whole
    for _ = 1, 1 + rng(2) do
      if rng(3) == 0 then text = add(rng, text)
      else
        local parts = split(text)
        change(rng, parts)
        text = table.concat(parts)
      end
    end
    if load(text, "=t", "t") then return text end
  end
  return whole
end

-- Is it an error of the library's own code, which Lua raised?
local function is_own(e)
  return e:find "lua/luacuda/" or e:find "attempt to index" or e:find "attempt to call"
end

-- mistakes.fault(text, data) -> what is wrong with how the program is refused, or nil; was it
-- refused?
function M.fault(text, data)
  local ok, e = pcall(function()
    local k, list = run.kernel(text, data)
    k:ptx(table.unpack(list))
  end)
  if ok then return nil, false end
  if cuda.is_error(e) then return tostring(e), true end
  -- "the place of the call: jit: the place in the program: the message"
  e = tostring(e)
  local message = e:match "jit: %[string .-%]:%d+: (.*)" or e:match "^.-: (jit: .*)"
  if not message or is_own(e) then return e, true end
  return nil, true, message
end

return M
