-- host = "strip" on random text: fragments of programs, cut and shuffled.
local helper = require "spec.helper"
local strip_tokens = require "luacuda.source.strip_tokens"
local target = require "spec.fuzz.strip"

local WORDS = {}
for word in ([==[ { } ( ) [ ] < > ; , : :: = * & # ~ . -> ' " \ /* */ // template class struct enum
  union using namespace std extern "C" typedef operator constexpr const static inline friend public
  __global__ __device__ __host__ __constant__ int void auto T f g N S try catch default delete
  #if #ifdef #else #elif #endif #define #include "a.h" 0 1 1'0 'c' R"( )" A B BEGIN END(
  decltype noexcept alignas [[ ]] <<< >>> ]==]):gmatch "%S+" do WORDS[#WORDS + 1] = word end

local function soup(rng, length)
  local parts = {}
  for i = 1, length do
    parts[i] = WORDS[rng(#WORDS) + 1] .. (rng(4) == 0 and "\n" or rng(3) == 0 and "" or " ")
  end
  return table.concat(parts)
end

-- Conditional code against the C preprocessor -----------------------------------------------------

-- Conditions that are certain: what nvcc and Linux define, and numbers.
local CERTAIN = { "0", "1", "defined(__CUDACC__)", "!defined(__CUDACC__)", "defined __NVCC__",
  "! defined __NVCC__", "!!defined(__CUDA_ARCH__)", "defined(_WIN32)", "!defined(_MSC_VER)",
  "defined(__linux__)", "defined ( __APPLE__ )" }
-- Those of a macro that the program may or may not define.
local OPEN = { "MAYBE", "defined(MAYBE)", "!defined(MAYBE)", "MAYBE > 0" }
local NAMES = { "__CUDACC__", "__NVCC__", "_WIN32", "__APPLE__", "__linux__" }

local function condition(rng, atoms)
  local mark, terms = rng(2) == 0 and " && " or " || ", {}
  for k = 1, 1 + rng(3) do terms[k] = atoms[rng(#atoms) + 1] end
  local text = table.concat(terms, mark)
  return rng(4) == 0 and "(" .. text .. ")" or text
end

-- Appends lines with words w1, w2 ... in branches of nested conditions.
local function add_branches(rng, lines, atoms, depth)
  local function add(...) lines[#lines + 1] = table.concat { ... } end
  local function body()
    for _ = 1, 1 + rng(2) do
      add("w", #lines)
      if depth > 0 and rng(3) == 0 then add_branches(rng, lines, atoms, depth - 1) end
    end
  end
  if rng(3) == 0 then add(rng(2) == 0 and "#ifdef " or "# ifndef ", NAMES[rng(#NAMES) + 1])
  else add("#if ", condition(rng, atoms)) end
  body()
  for _ = 1, rng(4) do
    add("#elif ", condition(rng, atoms))
    body()
  end
  if rng(2) == 0 then
    add "#else"
    body()
  end
  add "#endif"
end

local function conditional_text(rng, atoms)
  local lines = {}
  for _ = 1, 300 do add_branches(rng, lines, atoms, 3) end
  return table.concat(lines, "\n") .. "\n"
end

-- The words that the preprocessor leaves, joined; nil without one.
local function preprocessed(text, more)
  local path = helper.tmpdir() .. "/text.h"
  helper.write_file(path, text)
  local pipe = assert(io.popen(("cc -E -P -x c -D__CUDACC__ -D__NVCC__ -D__CUDA_ARCH__=800 "
    .. "-D__linux__ -U_WIN32 -U__APPLE__ -U_MSC_VER %s '%s' 2>/dev/null"):format(more, path)))
  local out = pipe:read("a"):gsub("%s+", " ")
  return pipe:close() and out
end

local function read_words(text) return strip_tokens.read(text, {}, function() end, {}).text end

describe("conditional code", function()
  if not preprocessed("", "") then pending "no C compiler" return end

  it("is that which the preprocessor leaves", function()
    local text = conditional_text(helper.random(23), CERTAIN)
    assert.equal(preprocessed(text, ""), table.concat(read_words(text), " ") .. " ")
  end)

  it("has all that the preprocessor may leave", function()
    local atoms = table.move(OPEN, 1, #OPEN, #CERTAIN + 1, { table.unpack(CERTAIN) })
    local text, has = conditional_text(helper.random(24), atoms), {}
    for _, word in ipairs(read_words(text)) do has[word] = true end
    for _, more in ipairs { "", "-DMAYBE=0", "-DMAYBE=1" } do
      local count = 0
      for word in preprocessed(text, more):gmatch "%S+" do
        assert.is_true(has[word], word)
        count = count + 1
      end
      assert.is_true(count > 300)
    end
  end)
end)

describe("text without host code", function()
  it("keeps its lines where the text is made of random words", function()
    local rng = helper.random(20)
    for _ = 1, 1500 do
      local text = soup(rng, 1 + rng(60))
      local ok, why = pcall(target.read, text)
      assert(ok, tostring(why) .. " in " .. text)
    end
  end)

  it("keeps its lines where pieces of a program are lost or twice there", function()
    local rng = helper.random(21)
    for _ = 1, 1500 do
      local text = target.seeds[1 + rng(#target.seeds)]
      for _ = 0, rng(4) do
        local at, length = 1 + rng(#text), rng(20)
        text = text:sub(1, at) .. text:sub(at + (rng(2) == 0 and length or -length))
      end
      local ok, why = pcall(target.read, text)
      assert(ok, tostring(why) .. " in " .. text)
    end
  end)

  it("keeps its lines where bytes are random", function()
    local rng = helper.random(22)
    for _ = 1, 300 do
      local bytes = {}
      for i = 1, rng(300) do bytes[i] = string.char(rng(256)) end
      target.read(table.concat(bytes))
    end
  end)

  it("comes in time for text that is deep, long or repetitive", function()
    local start = os.clock()
    for _, piece in ipairs { "{", "(", "[", "<", "template <", "class A {", "namespace a {",
      "#if A\n", "#if A\n{\n#else\n{\n", "f(", "struct S { struct T { int a; };", "x = y < ",
      "operator", "::", "#define A A A\nA\n", "1'", "'", "\"", "}", "typedef ", "a:b(",
      "extern \"C\" {", "catch(", "[[", "x<<<" } do
      target.read(piece:rep(3000))
    end
    local bombs = { "#define A0 x x\n" }
    for i = 1, 40 do bombs[i + 1] = ("#define A%d A%d A%d\n"):format(i, i - 1, i - 1) end
    target.read(table.concat(bombs) .. "A40 f() { A40 }")
    assert.is_true(os.clock() - start < 20)
  end)
end)
