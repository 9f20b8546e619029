-- host = "strip" on random text: fragments of programs, cut and shuffled.
local helper = require "spec.helper"
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
