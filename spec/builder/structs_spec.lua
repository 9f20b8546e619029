-- Arrays of structs in cuda.elementwise, cuda.reduction and cuda.scan, whose texts know the structs
-- without a definition. The oracle is plain Lua on the tables that the arrays are made of.
local cuda = require "luacuda"
local helper = require "spec.helper"
local structs = require "spec.support.structs"

local misuse = helper.misuse

-- Statements that write all numbers of the element `x` to row k of y, as doubles.
local function numbers_text(made, x, k)
  local lines = {}
  for j, leaf in ipairs(made.leaves) do
    lines[j] = ("y[(%s) * %d + %d] = (double)%s%s;"):format(k, #made.leaves, j - 1, x, leaf.text)
  end
  return table.concat(lines, "\n")
end

-- The same numbers of a list of tables.
local function numbers_of(made, rows)
  local list = {}
  for _, row in ipairs(rows) do
    for _, v in ipairs(structs.numbers(made, row)) do list[#list + 1] = v + 0.0 end
  end
  return list
end

-- Statements that copy every number of element `from` to element `to`.
local function copy_text(made, from, to)
  local lines = {}
  for k, leaf in ipairs(made.leaves) do
    local part = leaf.text:gsub("%.(%l+)%(%)$", "._%1"):gsub("_real", "_re"):gsub("_imag", "_im")
    lines[k] = to .. part .. " = " .. from .. part .. ";"
  end
  return table.concat(lines, "\n")
end

local function reversed(list)
  local out = {}
  for k, v in ipairs(list) do out[#list + 1 - k] = v end
  return out
end

helper.for_each_device(function()
  describe("structs in builders", function()
    describe("as raw parameters", function()
      it("are defined as the arrays' dtypes say, whatever their fields", function()
        local rng = helper.random(20261129)
        for round = 1, 6 do
          local made = structs.random(rng, { depth = 2, named = round % 2 == 0 })
          local rows = structs.rows(made, 5)
          local p = cuda.array(rows, made.struct)
          local q, y = cuda.empty(5, made.struct), cuda.empty(5 * #made.leaves, "float64")
          local name = round % 4 == 0 and "struct " .. made.struct.name or "T"
          cuda.elementwise(("raw %s p"):format(name), ("raw %s q, raw float64 y"):format(name),
            numbers_text(made, "p[i]", "i") .. copy_text(made, "p[i]", "q[n - 1 - i]"), "fields")(
            p, q, y, { size = 5 })
          assert.same(numbers_of(made, rows), y:totable())
          assert.same(numbers_of(made, reversed(rows)), numbers_of(made, q:totable()))
        end
      end)

      it("are defined for reductions and scans", function()
        local rng = helper.random(7)
        for _, named in ipairs { true, false } do
          local made = structs.random(rng, { depth = 1, named = named })
          local rows = structs.rows(made, 40)
          local p, at, last = cuda.array(rows, made.struct), cuda.arange(0, 40), #made.leaves
          local sums, sum = {}, 0
          for k, row in ipairs(rows) do
            sum = sum + structs.numbers(made, row)[last]
            sums[k] = sum + 0.0
          end
          local map = "(double)p[at]" .. made.leaves[last].text
          assert.equals(sum + 0.0, cuda.reduction("int64 at, raw T p", "float64 y", map, "a + b",
            "y = a", "0")(at, p):item())
          assert.same(sums, cuda.scan("int64 at, raw T p", "float64 y", map, "a + b", "0")(
            at, p):totable())
        end
      end)

      it("get a kernel for each struct of a name", function()
        local A = cuda.struct("Same", { { "x", "float32" }, { "k", "int32" } })
        local B = cuda.struct("Same", { { "k", "int16" }, { "x", "float32" } })
        local a, b = cuda.array({ { x = 1, k = 2 } }, A), cuda.array({ { x = 3, k = 4 } }, B)
        local at = cuda.zeros(1, "int32")
        for _, f in ipairs {
          cuda.elementwise("int32 at, raw T p", "float32 y", "y = p[at].x + 10 * p[at].k", "f"),
          cuda.elementwise("int32 at, raw struct Same p", "float32 y",
            "Same s = p[at]; y = s.x + 10 * s.k", "f"),
          cuda.reduction("int32 at, raw T p", "float32 y", "p[at].x + 10 * p[at].k", "a + b",
            "y = a", "0", "f"),
          cuda.scan("int32 at, raw T p", "float32 y", "p[at].x + 10 * p[at].k", "a + b", "0", "f"),
        } do
          for _ = 1, 2 do
            assert.same({ 21.0 }, f(at, a):reshape{ 1 }:totable())
            assert.same({ 43.0 }, f(at, b):reshape{ 1 }:totable())
          end
          assert.same({ "int32", "Same", "float32" }, f:cached()[1].types)
        end
      end)

      it("are outputs of `size` elements", function()
        local P = cuda.struct("Pair", { { "x", "float32" }, { "y", "float32" } })
        local p = cuda.array({ { 1, 2 }, { 3, 4 } }, P)
        for _, name in ipairs { "T", "struct Pair" } do
          local swap = cuda.elementwise(("raw %s p"):format(name), ("raw %s q"):format(name),
            "q[i].x = p[i].y; q[i].y = p[i].x", "swap")
          for _ = 1, 2 do
            local q = swap(p, { size = 2 })
            assert.equals(P, q.dtype)
            assert.same({ { x = 2.0, y = 1.0 }, { x = 4.0, y = 3.0 } }, q:totable())
          end
        end
        assert.equals("f: argument 2 'q': an output of structs (Pair) must be given",
          misuse(cuda.elementwise("raw float32 p", "raw struct Pair q", "", "f"), cuda.zeros(1),
            { size = 2 }))
      end)
    end)

    describe("with C++ texts of the user", function()
      local P = cuda.struct("Particle", { { "x", "float32" }, { "v", "float32", 3 },
        { "id", "int32" } })
      local p, at

      before_each(function()
        p = cuda.array({ { x = 1.5, v = { 1, 2, 3 }, id = 7 }, { x = 2, v = { 4, 5, 6 }, id = 8 } },
          P)
        at = cuda.array({ 1, 0 }, "int32")
      end)

      local function run(options, body)
        return cuda.elementwise("int32 at, raw T p", "float32 y",
          body or "y = p[at].x + p[at].v[2] + p[at].id", "f", options)(at, p):totable()
      end

      it("keep the user's definition, wherever it is", function()
        local fields = "{ float x; float v[3]; int id; }"
        local folder = helper.tmpdir()
        helper.write_file(folder .. "/particle.h", P:source())
        for _, options in ipairs {
          { preamble = P:source() },
          { preamble = "class Particle { public: float x, v[3]; int id; };" },
          { preamble = "typedef struct " .. fields .. " Particle;" },
          { preamble = "struct other " .. fields .. ";\nusing Particle = other;" },
          { preamble = "struct other " .. fields .. "; typedef other Particle;" },
          { preamble = "namespace own { struct Particle " .. fields .. "; }\n"
            .. "using own::Particle;" },
          { preamble = "#define DECLARE(n) struct n##icle " .. fields .. ";\nDECLARE(Part)" },
          { preamble = "#if 1\nstruct alignas(4) Particle final " .. fields .. ";\n#endif" },
          { preamble = '#include "particle.h"', headers = { ["particle.h"] = P:source() } },
          { preamble = "#include <particle.h>", include_dirs = { folder } },
          { flags = { "--pre-include=particle.h" }, include_dirs = { folder } },
        } do
          assert.same({ 2 + 6 + 8, 1.5 + 3 + 7 }, run(options))
        end
      end)

      it("use the definition in the preamble", function()
        for _, preamble in ipairs {
          "__device__ float f(const Particle &q) { return q.x + q.v[2] + q.id; }",
          "__device__ float f(T q) { return q.x + q.v[2] + q.id; }",
          "struct Particle;\n__device__ float f(Particle q) { return q.x + q.v[2] + q.id; }",
          "struct Faster : Particle { float speed; };\n"
            .. "__device__ float f(const Particle &q) { return q.x + q.v[2] + q.id; }",
          "// struct Particle { int other; };\n#include <cuda_fp16.h>\n"
            .. "__device__ float f(const T &q) { return q.x + q.v[2] + q.id; }",
        } do
          assert.same({ 2 + 6 + 8, 1.5 + 3 + 7 }, run({ preamble = preamble }, "y = f(p[at])"))
        end
        assert.same({ 2 + 6 + 8, 1.5 + 3 + 7 }, run{ defines = { x = "x", id = "id" } })
        local Inner = cuda.struct("InnerOne", { { "k", "int8" }, { "h", "float16" } })
        local Outer = cuda.struct("OuterOne", { { "one", Inner }, { "two", Inner } })
        local both = cuda.elementwise("raw T a0, raw U b0", "float32 y",
          "InnerOne s = b0[i].two; y = a0[i].k + float(s.h)", "both")
        assert.same({ 8.5 }, both(cuda.array({ { k = 7, h = 2 } }, Inner),
          cuda.array({ { one = { k = 1, h = 1 }, two = { k = 2, h = 1.5 } } }, Outer),
          { size = 1 }):totable())
      end)

      it("refuse a definition in the user's text that differs from the arrays' struct", function()
        helper.contains(helper.error_of(run, { preamble = "struct Particle { float x; };" },
          "y = p[at].x"), "the arrays have 20 bytes for each Particle")
        local Inner = cuda.struct("InnerTwo", { { "k", "int8" } })
        local Outer = cuda.struct("OuterTwo", { { "one", Inner } })
        local f = cuda.elementwise("raw T p", "int32 y", "y = p[i].one.k", "f",
          { preamble = "struct InnerTwo { char k; };" })
        assert.equals("f: the C++ text defines the struct InnerTwo, but not one that contains it: "
          .. "define both or neither", misuse(f, cuda.zeros(1, Outer), { size = 1 }))
      end)

      it("work together with functions in Lua", function()
        local map = cuda.reduction("int32 at, raw T p", "float32 y",
          function(k, q) return q[k + 1].x end, "a + b", "y = a + scale * p[0].id", 0, "f",
          { preamble = "constexpr float scale = 2;" })
        assert.equals(3.5 + 14, map(at, p):item())
        local body = cuda.elementwise("int32 at, raw struct Particle p", "float32 y",
          function(k, q) return q[k + 1].v[3] end, "f",
          { loop_prep = "const Particle first = p[0]; (void)first;" })
        assert.same({ 6.0, 3.0 }, body(at, p):totable())
        local Q = cuda.struct("Particle", { { "x", "float64" } })
        local both = cuda.elementwise("int32 at, raw T p, raw U q", "float64 y",
          function(k, one, two) return one[k + 1].x + two[1].x end, "f")
        assert.same({ 12.0, 11.5 }, both(at, p, cuda.array({ { 10 } }, Q)):totable())
      end)

      it("distinguish structs of the same name", function()
        local Q = cuda.struct("Particle", { { "x", "float64" }, { "k", "int8" } })
        local q = cuda.array({ { 10, 1 } }, Q)
        local own = cuda.elementwise("int32 at, raw T p, raw U q", "float64 y",
          "T s = p[at]; U t = q[0]; y = s.x + t.x + t.k", "f")
        assert.same({ 13.0, 12.5 }, own(at, p, q):totable())
        local text = cuda.elementwise("int32 at, raw T p, raw U q", "float64 y",
          "Particle s = p[at]; y = s.x + q[0].x", "f")
        local users = cuda.elementwise("int32 at, raw T p, raw U q", "float64 y", "y = p[at].x",
          "f", { preamble = P:source() })
        for _, f in ipairs { text, users } do
          assert.equals("f: the arrays have two different structs called Particle: give one "
            .. "another name in cuda.struct", misuse(f, at, p, q))
        end
        local same = cuda.elementwise("raw T p, raw T q", "float64 y", "y = p[i].x + q[i].x", "f")
        assert.equals("f: argument 2 'q': its struct Particle differs from that of argument 1 'p': "
          .. "give one another name in cuda.struct", misuse(same, p, q, { size = 1 }))
        local Again = cuda.struct("Particle", { { "x", "float32" }, { "v", "float32", 3 },
          { "id", "int32" } })
        assert.same({ 4.5 }, same(p, cuda.array({ { 3, { 0, 0, 0 }, 0 } }, Again),
          { size = 1 }):totable())
      end)
    end)

    it("with names that C++ cannot use, or uses for something else", function()
      local at = cuda.zeros(1, "int32")
      for _, name in ipairs { "float32", "complex", "class", "my struct", "p", "f", "T", "n", "i",
        "at", "_lcu_plan", "struct", "float3", "norm", "min", "floor", "a<b>", "std::pair" } do
        local S = cuda.struct(name, { { "x", "float32" }, { "y", "float32" }, { "z", "float32" } })
        local f = cuda.elementwise("int32 at, raw T p", "float32 y",
          "T s = p[at]; y = s.x + s.y + s.z", "f")
        assert.same({ 6.0 }, f(at, cuda.array({ { 1, 2, 3 } }, S)):totable())
      end
      local S = cuda.struct("Words",
        { { "class", "float32" }, { "x-y", "int8" }, { "x", "int32" } })
      local s = cuda.array({ { 1, 2, 3 } }, S)
      assert.same({ 3.0 }, cuda.elementwise("int32 at, raw T p", "float32 y", "y = p[at].x")(at,
        s):totable())
      local C = cuda.struct("Class", { { "class", "float32" } })
      assert.same({ 2.0 }, cuda.elementwise("int32 at, raw T p", "float32 y",
        function(k, q) return 2 * q[k + 1].class end)(at, cuda.ones(1):view(C)):totable())
    end)

    it("have the layout of packed structs", function()
      for _, text in ipairs {
        "struct __attribute__((packed)) Tight { char a; float b; double c[2]; short d; };",
        "#pragma pack(push, 2)\nstruct Tight { char a; float b; double c[2]; short d; };\n"
          .. "#pragma pack(pop)",
        "struct Tight { char a; float b __attribute__((packed)); double c[2]; short d; };",
      } do
        local packed = cuda.module(text .. "\n__device__ Tight tight[2];"):global "tight"
        packed:set { { 1, 2.5, { 3, 4 }, 5 }, { 6, 7.5, { 8, 9 }, 10 } }
        local f = cuda.elementwise("raw T p", "float64 y", "y = p[i].b * p[i].c[1] + p[i].d", "f")
        assert.same({ 15.0, 77.5 }, f(packed, { size = 2 }):totable())
        local g = cuda.elementwise("T x", "T y", "y = x; y.c[0] = x.b", "g")
        assert.same({ { a = 1, b = 2.5, c = { 2.5, 4.0 }, d = 5 },
          { a = 6, b = 7.5, c = { 7.5, 9.0 }, d = 10 } }, g(packed):totable())
      end
    end)
  end)
end)
