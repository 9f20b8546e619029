-- Linked modules: several sources, code and libraries; names across them; errors of the linker.
local helper = require "spec.helper"
local cuda = require "luacuda"

local ONE = { grid = 1, block = 1 }

-- Runs "apply" of USER and a kernel that stores a number, which it returns.
local function run_both(m, name)
  local x, y = cuda.array { 1, 2, 3, 4 }, cuda.zeros(1, "int32")
  m.kernels.apply({ grid = 1, block = 4 }, x)
  m:kernel(name)(ONE, y)
  assert.are.same({ 6, 12, 18, 24 }, x:totable())
  return y[1]
end

local USER = [[
  extern __device__ float scale;
  extern __constant__ float offsets[4];
  __device__ float shifted(float x, int i);
  __global__ void apply(float *x) {
    int i = threadIdx.x;
    x[i] = shifted(x[i], i) * scale;
  }
]]
local PROVIDER = [[
  __device__ float scale = 3;
  __constant__ float offsets[4] = { 1, 2, 3, 4 };
  static __device__ float own(float x, int i) { return x + offsets[i]; }
  __device__ float shifted(float x, int i) { return own(x, i); }
  __global__ void provider(int *x) { *x = 7; }
]]

local function compile_error(...)
  local ok, e = pcall(...)
  assert.is_false(ok)
  assert.is_true(cuda.is_error(e, "compile"), tostring(e))
  return cuda.last_error(e)
end

local function has(text, part) assert.truthy(text:find(part, 1, true), text) end

helper.for_each_device(function(device)
  describe("a linked module", function()
    it("shares functions and variables between its sources", function()
      local m <close> = cuda.module { sources = { USER, PROVIDER } }
      local x = cuda.array { 1, 2, 3, 4 }
      m.kernels.apply({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
      m:global "scale":fill(10)
      m.kernels.apply({ grid = 1, block = 4 }, x)
      assert.are.same({ 70, 140, 210, 280 }, x:totable())
      assert.are.same({ "apply", "provider" }, m:kernels())
      assert.are.equal(USER .. "\n" .. PROVIDER, m:source())
    end)

    it("takes the sources in any order, and a kernel from each", function()
      local m <close> = cuda.module { sources = { PROVIDER, USER }, rdc = true }
      assert.are.equal(7, run_both(m, "provider"))
    end)

    it("checks enumerations as a module with one source does", function()
      local text = [[
        enum U : unsigned { A }; enum I : int { B }; enum class S : unsigned char { C };
        enum P { D };
        __global__ void f(U u, I i, S s, P p, int *o) {}
      ]]
      local one <close> = cuda.module(text)
      local two <close> = cuda.module { sources = { PROVIDER, text } }
      local out, refused = cuda.zeros(1, "int32"), 0
      for position = 1, 4 do
        for _, value in ipairs { -1, -129, 255, 256, 1 << 31, (1 << 32) - 1, 1 << 32, 1.5 } do
          local args = { 1, 1, 1, 1, out }
          args[position] = value
          local fine, why = pcall(one.kernels.f, ONE, table.unpack(args))
          local fine_too, why_too = pcall(two.kernels.f, ONE, table.unpack(args))
          assert.equal(fine, fine_too)
          if not fine then
            local message = tostring(why):match "f: argument.*"
            assert.equal(message, tostring(why_too):match "f: argument.*")
            refused = refused + 1
          end
        end
      end
      assert.equal(17, refused)
    end)

    it("keeps what is static apart", function()
      local function part(name, value)
        return ([[
          static __device__ int hidden = %d;
          static __device__ __noinline__ int number() { return hidden * 10; }
          namespace { __device__ int deeper = %d; }
          __global__ void %s(int *x) { x[0] = number(); x[1] = deeper; hidden++; }
        ]]):format(value, value + 100, name)
      end
      local m <close> = cuda.module { sources = { part("a", 1), part("b", 2) } }
      local x = cuda.zeros(2, "int32")
      m.kernels.a(ONE, x)
      assert.are.same({ 10, 101 }, x:totable())
      m.kernels.b(ONE, x)
      assert.are.same({ 20, 102 }, x:totable())
      m.kernels.a(ONE, x)
      assert.are.same({ 20, 101 }, x:totable())
    end)

    it("merges what headers bring to several sources", function()
      local header = [[
        #pragma once
        template<class T> __device__ __noinline__ T twice(T x) { return x + x; }
        struct P { int a; float b; };
        inline __device__ __noinline__ int inl(int x) { return x + 1; }
      ]]
      local m <close> = cuda.module {
        headers = { ["h.h"] = header },
        sources = {
          '#include "h.h"\n__global__ void a(int *x, P p) { *x = twice(inl(*x)) + p.a; }',
          '#include "h.h"\n__global__ void b(int *x) { *x = twice(inl(*x)) * 10; }',
        },
      }
      local x = cuda.array({ 4 }, "int32")
      m.kernels.a(ONE, x, { a = 5, b = 2 })
      assert.are.equal(15, x[1])
      m.kernels.b(ONE, x)
      assert.are.equal(320, x[1])
    end)

    it("makes instances of templates of one source", function()
      local tail = "template<class T> __global__ void fill(T *x, T v) { *x = v; }"
      local m <close> = cuda.module { sources = { PROVIDER, tail },
        instances = { "fill<double>", "fill<short>" } }
      assert.are.same({ "provider", "fill<double>", "fill<short>" }, m:kernels())
      local x, y = cuda.zeros(1, "float64"), cuda.zeros(1, "int32")
      m:kernel "fill<double>" (ONE, x, 2.5)
      assert.are.equal(2.5, x[1])
      local k <close> = cuda.kernel { sources = { PROVIDER, tail }, name = "fill< int >" }
      k(ONE, y, 9)
      assert.are.equal(9, y[1])
      has(compile_error(function()
        cuda.module { sources = { PROVIDER, tail }, instances = "fil<double>" }:compile()
      end).message, "fil<double>")
    end)

    it("reads files, templates and tables", function()
      local path = helper.tmpdir() .. "/provider.cu"
      helper.write_file(path, PROVIDER)
      local tpl = cuda.template [[__global__ void third(int *x) { *x = $(N); }]]
      local m <close> = cuda.module {
        sources = { USER, path, tpl { N = 5 }, { source = "__device__ int unused;" } },
      }
      assert.are.equal(5, run_both(m, "third"))
    end)

    it("joins sources with PTX", function()
      local ptx = cuda.compile(PROVIDER, { rdc = true })
      local m <close> = cuda.module { sources = { USER }, binaries = { ptx } }
      assert.are.equal(7, run_both(m, "provider"))
      local both <close> = cuda.module {
        binaries = { ptx,
          { binary = cuda.compile(USER, { rdc = true }), kind = "ptx", name = "u" } },
      }
      local x = cuda.array { 1, 2, 3, 4 }
      both:kernel "apply" ({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
    end)

    it("says which kernel is where, with its PTX and its signature", function()
      local m <close> = cuda.module { sources = { USER, PROVIDER } }
      assert.are.equal("float *", m.kernels.apply.signature[1].type)
      has(m.kernels.provider:ptx(), "provider")
      assert.truthy(helper.misuse(m.kernels.apply, ONE, cuda.zeros(4, "float64")))
      has(helper.misuse(m.kernel, m, "aply"), "did you mean")
    end)

    it("names undefined and doubly defined names with their sources", function()
      local e = compile_error(function() cuda.module { sources = { USER, "__device__ int v;" } }
        :compile() end)
      has(e.message, "Undefined reference to 'shifted'")
      has(e.message, "link_spec.lua")
      has(e.message, "must be defined in one of the sources")
      has(e.log, "Undefined reference")
      e = compile_error(function() cuda.module { sources = { PROVIDER, PROVIDER } }:compile() end)
      has(e.message, "Multiple definition of 'shifted'")
    end)

    it("finds the variable that is not static, and no static one of several", function()
      if device.kind ~= "cpu" then return end -- a GPU's driver chooses
      local function source(kind, value, kernel)
        return ("%s __device__ int v = %d; __global__ void %s(int *p) { *p = v++; }"):format(kind,
          value, kernel)
      end
      local x = cuda.zeros(1, "int32")
      for i, kinds in ipairs { { "static", "" }, { "", "static" } } do
        local m = cuda.module { sources = { source(kinds[1], 1, "a"), source(kinds[2], 2, "b") } }
        local visible = kinds[1] == "" and "a" or "b"
        assert.are.equal(3 - i, m:global "v":item(), kinds[1])
        m:global "v":fill(40)
        m.kernels[visible](ONE, x)
        assert.are.same({ 40, 41 }, { x[1], m:global "v":item() })
      end
      local m = cuda.module { sources = { source("static", 1, "a"), source("static", 2, "b") } }
      local ok, e = pcall(m.global, m, "v")
      assert.is_false(ok)
      has(tostring(e), "several sources have a static variable 'v'")
    end)

    it("keeps functions of handwritten PTX apart that a module has for itself", function()
      if device.kind ~= "cpu" then return end -- where binaries can be PTX of any linkage
      local HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n"
      local FUNCTION = "%s .func (.param .b32 r) h(.param .b32 x) { .reg .b32 a; "
        .. "ld.param.u32 a, [x]; add.u32 a, a, %d; st.param.b32 [r], a; ret; }\n"
      local KERNEL = ".visible .entry %s(.param .u64 p) { .reg .b32 v; .reg .b64 q; "
        .. "ld.param.u64 q, [p]; ld.global.u32 v, [q]; { .param .b32 x; .param .b32 r; "
        .. "st.param.b32 [x], v; call (r), h, (x); ld.param.b32 v, [r]; } "
        .. "st.global.u32 [q], v; ret; }\n"
      local parts = {
        HEAD .. FUNCTION:format(".visible", 100) .. KERNEL:format "a",
        HEAD .. FUNCTION:format("", 200) .. KERNEL:format "b",
        HEAD .. FUNCTION:format("", 300) .. KERNEL:format "c",
        HEAD .. ".extern .func (.param .b32 r) h(.param .b32 x);\n" .. KERNEL:format "d",
      }
      for first = 1, 4 do
        for step = 1, 3, 2 do
          local binaries = {}
          for i = 0, 3 do binaries[i + 1] = parts[(first - 1 + i * step) % 4 + 1] end
          local m <close> = cuda.module { binaries = binaries, cache = false }
          for name, sum in pairs { a = 100, b = 200, c = 300, d = 100 } do
            local x = cuda.zeros(1, "int32")
            m:kernel(name)(ONE, x)
            assert.are.equal(sum, x[1], name)
          end
        end
      end
      local ok, e = pcall(function()
        cuda.module { binaries = { parts[1], parts[2] .. FUNCTION:format("", 5) }, cache = false }
          :compile()
      end)
      assert.is_false(ok)
      has(tostring(e), "'h' has two bodies")
      ok, e = pcall(function()
        cuda.module { binaries = { HEAD .. ".visible .global .u32 g;\n",
          HEAD .. ".global .u32 g;\n.global .u32 g;\n" }, cache = false }:compile()
      end)
      assert.is_false(ok)
      has(tostring(e), "'g' is declared twice")
    end)

    it("refuses variables that two sources declare otherwise", function()
      if device.kind ~= "cpu" then return end -- GPUs: nvlink checks the same in its own words
      local KERNEL = "extern %s int v%s;\n__global__ void k(int *p) { *p = v[0]; }"
      local function link(space, extent, own_space, own_extent)
        local definition = ("%s int v%s = { 5 };"):format(own_space, own_extent)
        return cuda.module { sources = { KERNEL:format(space, extent), definition }, cache = false }
      end
      for _, extents in ipairs { { "[4]", "[2]" }, { "[2]", "[4]" }, { "[6]", "[7]" } } do
        local e = compile_error(function()
          link("__device__", extents[1], "__device__", extents[2]):compile()
        end)
        has(e.message, "error: Size doesn't match for 'v' in source 1, first specified in source 2")
      end
      for _, spaces in ipairs { { "__device__", "__constant__" }, { "__constant__", "__device__" } }
      do
        local e = compile_error(function() link(spaces[1], "[2]", spaces[2], "[2]"):compile() end)
        has(e.message, "error: State space doesn't match for 'v' in source 1, first specified in "
          .. "source 2")
      end
      for _, extents in ipairs { { "[]", "[3]" }, { "[3]", "[3]" }, { "[6]", "[6]" } } do
        local x = cuda.zeros(1, "int32")
        link("__device__", extents[1], "__device__", extents[2]).kernels.k(ONE, x)
        assert.are.equal(5, x[1])
      end
    end)

    it("reports errors of one source at its line", function()
      local e = compile_error(function()
        cuda.module { sources = { PROVIDER, "__global__ void k() { nonsense; }" } }:compile()
      end)
      has(e.message, 'identifier "nonsense" is undefined')
      has(e.message, "link_spec.lua")
    end)

    it("is compiled and linked once", function()
      local unique = ("__device__ int unique%d;"):format(math.random(1 << 40))
      cuda.module { sources = { USER, PROVIDER .. unique } }:compile():close()
      local before = cuda.cache.stats()
      cuda.module { sources = { USER, PROVIDER .. unique } }:compile():close()
      local after = cuda.cache.stats()
      assert.are.equal(before.misses, after.misses)
      assert.are.equal(before.hits + 3, after.hits)
      cuda.module { sources = { PROVIDER .. unique, USER } }:compile():close()
      assert.are.equal(after.misses + 1, cuda.cache.stats().misses)
    end)

    it("names the source and line of a fault", function()
      if device.kind ~= "cpu" then return end
      local m <close> = cuda.module {
        sources = { "__device__ void bad(int *x);\n__global__ void k(int *x) { bad(x); }",
          [[
            __device__ __noinline__ void bad(int *x) {
              x[1000] = 1; // here
            }]] },
      }
      local ok, e = pcall(function()
        m.kernels.k(ONE, cuda.zeros(1, "int32"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      has(tostring(e), "link_spec.lua:" .. tostring(cuda.last_error(e).line))
      has(tostring(e), "out of bounds")
    end)

    it("refuses wrong options", function()
      local text = "__device__ int v;"
      for message, options in pairs {
        ["module: nothing to link: give sources or binaries"] = { sources = {} },
        ["module: option 'sources': item 1: expected a string or a table, got number"] =
          { sources = { 5 } },
        ["module: option 'sources': item 2: expected exactly one of source and path"] =
          { sources = { text, {} } },
        ["module: option 'binaries': item 1: neither PTX nor machine code nor a library "
          .. "(5 bytes)"] = { binaries = { "hello" } },
        ["module: option 'libraries': item 1: expected string, got table"] =
          { sources = text, libraries = { {} } },
        ["module: option 'rdc': what is linked is relocatable: leave it out"] =
          { sources = { text }, rdc = false },
        ["module: option 'jit': max_registers: expected an integer of 1 to 255, got 0"] =
          { source = text, jit = { max_registers = 0 } },
        ["module: option 'jit': fallback: expected 'binary' or 'ptx', got 'x'"] =
          { source = text, jit = { fallback = "x" } },
        ["module: option 'jit': expected a table, got number"] = { source = text, jit = 3 },
        ["module: option 'jit': target and threads_per_block exclude each other"] =
          { source = text, jit = { target = "sm_80", threads_per_block = 32 } },
      } do
        assert.are.equal(message, helper.misuse(cuda.module, options))
      end
      has(helper.misuse(cuda.module, { source = text, jit = { max_register = 3 } }),
        "max_registers")
      has(helper.misuse(cuda.compile, text, { sources = { text } }), "unknown option 'sources'")
      local ok, e = pcall(cuda.module, { sources = { { path = "/nonexistent/x.cu" } } })
      assert.is_false(ok)
      has(tostring(e), "/nonexistent/x.cu")
      has(compile_error(function()
        cuda.module { sources = text, libraries = "nosuchlibrary" }:compile()
      end).message, "libnosuchlibrary.a")
    end)

    it("refuses machine code on the CPU device", function()
      if device.kind ~= "cpu" then return end
      local cubin = cuda.compile(PROVIDER, { target = "cubin", arch = "sm_80", rdc = true })
      has(compile_error(function()
        cuda.module { sources = { USER }, binaries = { cubin } }:compile()
      end).message, "the CPU device links PTX, not GPU machine code")
    end)
  end)

  describe("a linker", function()
    it("collects sources and code one by one", function()
      local l <close> = cuda.linker { jit = { max_registers = 64 } }
      assert.are.equal("linker", cuda.type(l))
      assert.are.equal("luacuda.Linker", tostring(l))
      assert.are.equal(l, l:add(USER))
      l:add(cuda.compile(PROVIDER, { rdc = true }), { kind = "ptx", name = "provider" })
      local code, log = l:complete()
      assert.is_true(#code > 100)
      assert.are.equal("string", type(log))
      local m <close> = l:module()
      local x = cuda.array { 1, 2, 3, 4 }
      m.kernels.apply({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
      local loaded <close> = cuda.module { binary = code }
      x = cuda.array { 1, 2, 3, 4 }
      loaded:kernel "apply" ({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
      l:add "__global__ void more(int *x) { *x = 5; }"
      local names = table.concat(l:module():kernels(), " ")
      has(names, "apply")
      has(names, "more")
    end)

    it("takes files, templates and names of libraries", function()
      local dir = helper.tmpdir()
      helper.write_file(dir .. "/provider.cu", PROVIDER)
      helper.write_file(dir .. "/user.ptx", cuda.compile(USER, { rdc = true }))
      local l <close> = cuda.linker()
      l:add(dir .. "/provider.cu"):add(dir .. "/user.ptx")
      l:add(cuda.template "__global__ void third(int *x) { *x = $(N); }" { N = 8 })
      if device.kind == "cpu" then l:add "cudadevrt" end
      local m <close> = l:module()
      local x = cuda.zeros(1, "int32")
      m:kernel "third" (ONE, x)
      assert.are.equal(8, x[1])
      assert.truthy(m:kernel "apply")
    end)

    it("names the object that lacks something", function()
      local l <close> = cuda.linker()
      l:add(cuda.compile(USER, { rdc = true }), { name = "user.ptx" })
      local e = compile_error(l.complete, l)
      has(e.message, "user.ptx")
      has(e.message, "Undefined reference to 'shifted'")
    end)

    it("takes what cuda.compile returns, with its log", function()
      for _, options in ipairs { { rdc = true }, { rdc = true, target = "cubin" } } do
        -- a warning, so that the log is not empty
        local provider = "#warning noted\n" .. PROVIDER
        local _, log = cuda.compile(provider, options)
        assert.is_true(#log > 0)
        local takes_cubin = device.kind ~= "cpu" and not helper.fake_gpu
        if takes_cubin or not options.target then
          local l <close> = cuda.linker()
          l:add(cuda.compile(provider, options)):add(cuda.compile(USER, options))
          local m <close> = l:module()
          assert.is_truthy(m:kernels()[1])
        end
      end
      local l <close> = cuda.linker()
      has(helper.misuse(l.add, l, USER, "a log"), "expected options (a table), got string")
    end)

    it("is used with care", function()
      local l = cuda.linker()
      assert.are.equal("linker:complete: nothing was added", helper.misuse(l.complete, l))
      assert.are.equal("linker:module: nothing was added", helper.misuse(l.module, l))
      has(helper.misuse(l.add, l, 5), "expected source, code or a file name (a string), got number")
      has(helper.misuse(l.add, l, "x", { kind = "y" }), "option 'kind'")
      has(helper.misuse(l.add, l, "x", 3), "expected options (a table)")
      has(helper.misuse(l.add, l, "x", { kin = "ptx" }), "unknown option 'kin'")
      has(helper.misuse(l.add, l, "\127ELF\0", { kind = "source" }), "zero byte")
      has(helper.misuse(cuda.linker, 5), "expected options (a table), got number")
      has(helper.misuse(cuda.linker, { source = "x" }), "add what is linked with linker:add")
      has(helper.misuse(cuda.linker, { nosuch = 1 }), "unknown option 'nosuch'")
      l:close()
      l:close()
      assert.are.equal("luacuda.Linker (closed)", tostring(l))
      assert.are.equal("closed linker", cuda.type(l))
      has(helper.misuse(l.add, l, "x"), "closed Linker")
      has(helper.misuse(l.complete, l), "closed Linker")
    end)
  end)

  describe("optimizing across sources", function()
    local function unless_missing(fn, ...)
      if helper.fake_gpu then pending "no GPU" end
      local ok, result = pcall(fn, ...)
      if ok then return result end
      local e = cuda.last_error(result)
      if e and e.name == "LUACUDA_ERROR_NOT_FOUND" then pending "no nvJitLink" end
      error(result, 0)
    end

    it("inlines functions of other sources", function()
      local m <close> = unless_missing(function()
        return cuda.module { sources = { USER, PROVIDER }, lto = true, instances = {},
          jit = { optimization = 3, lineinfo = true, verbose = true } }:compile()
      end)
      local x = cuda.array { 1, 2, 3, 4 }
      m.kernels.apply({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
      m:global "scale":fill(10)
      m.kernels.apply({ grid = 1, block = 4 }, x)
      assert.are.same({ 70, 140, 210, 280 }, x:totable())
      if device.kind == "cpu" then
        assert.is_nil(m.kernels.apply:ptx():find("call", 1, true))
      end
      assert.is_true(m.jit.wall_ms > 0)
    end)

    it("takes LTO-IR", function()
      local ltoir = cuda.compile(PROVIDER, { rdc = true, target = "ltoir" })
      local m <close> = unless_missing(function()
        return cuda.module { sources = { USER }, binaries = { ltoir } }:compile()
      end)
      local x = cuda.array { 1, 2, 3, 4 }
      m:kernel "apply" ({ grid = 1, block = 4 }, x)
      assert.are.same({ 6, 12, 18, 24 }, x:totable())
    end)

    it("names the nvJitLink that cannot be opened, and no mistake in the code", function()
      local ok, out = helper.lua([[
        local cuda = require "luacuda"
        cuda.use(...)
        local m = cuda.module { sources = { "__global__ void k() {}" }, lto = true }
        local e = select(2, pcall(m.compile, m))
        io.write(e.kind, " ", e.name, " ", e.message)
      ]], { args = { device.label }, env = { LUACUDA_NVJITLINK = "/nowhere/libnvJitLink.so" } })
      assert.is_true(ok, out)
      assert.equal("runtime LUACUDA_ERROR_NOT_FOUND LUACUDA_NVJITLINK names "
        .. "/nowhere/libnvJitLink.so, which cannot be opened", out)
    end)

    it("is repeated with another nvJitLink", function()
      local path = unless_missing(require("luacuda.core").jitlink)
      local dir, home = helper.tmpdir(), helper.tmpdir()
      local function links(library)
        local ok, out = helper.lua([[
          local cuda, core = require "luacuda", require "luacuda.core"
          cuda.use(...)
          local real, count, opens = core.lto, 0, 0
          core.lto = function(...) count = count + 1 return real(...) end
          local open = core.jitlink
          core.jitlink = function() opens = opens + 1 return open() end
          cuda.module { sources = { "__global__ void k() {}" }, lto = true }:compile()
          io.write(count, " ", opens)
        ]], { args = { device.label }, env = { LUACUDA_NVJITLINK = library,
          LUACUDA_CACHE_DIR = dir, LUACUDA_DISABLE_CACHE = "" } })
        assert.is_true(ok, out)
        return out
      end
      assert.equal("1 1", links(path))
      assert.equal("0 0", links(path))
      local other = home .. "/libnvJitLink.so.13"
      os.execute(("ln -s '%s' '%s'"):format(path, other))
      assert.equal("1 1", links(other))
      assert.equal("0 1", links(path)) -- the record is of the last one
    end)

    it("names what is undefined or defined twice, and options without a meaning", function()
      local _ = unless_missing(function()
        return cuda.module { sources = { "__global__ void k() {}" }, lto = true }:compile()
      end)
      local e = compile_error(function()
        cuda.module { sources = { USER }, lto = true }:compile()
      end)
      has(e.message, device.kind == "cpu" and "Undefined reference to 'shifted'" or "'shifted'")
      has(e.message, "must be defined in one of the sources")
      e = compile_error(function()
        cuda.module { sources = { PROVIDER, PROVIDER }, lto = true }:compile()
      end)
      has(e.message, "multiply defined")
      assert.are.equal("module: option 'jit': target has no effect with lto: leave it out",
        helper.misuse(cuda.module, { source = USER, lto = true, jit = { target = "sm_80" } }))
    end)
  end)

  describe("the driver's compiler", function()
    local PLAIN = "__global__ void k(int *x) { *x = 1; }"

    it("takes options and reports registers and time", function()
      for _, options in ipairs {
        { source = PLAIN, jit = { max_registers = 32, optimization = 2, lineinfo = true } },
        { sources = { PLAIN }, jit = { verbose = true, cache_mode = "ca" } },
        { binary = cuda.compile(PLAIN), jit = { fallback = "ptx" } },
        { binary = cuda.compile(PLAIN), jit = { optimization = 4 } },
      } do
        local m <close> = cuda.module(options)
        local jit = m.jit
        assert.are.equal("string", type(jit.info_log))
        assert.are.equal("", jit.error_log)
        assert.is_true(jit.wall_ms >= 0)
        for _, count in pairs(jit.registers) do assert.is_true(count > 0 and count <= 255) end
        assert.truthy(next(jit.registers))
        assert.is_true(#jit.info_log == 0 or m.log:find(jit.info_log, 1, true) ~= nil)
      end
    end)

    it("gives the log of a compilation to a function or a file", function()
      local text = "__global__ void k(int *x) { int never_used; *x = 1; }"
      local seen
      local k = cuda.kernel(text):compile { log = function(log) seen = log end }
      has(seen, "never_used")
      assert.are.equal(seen, k.log)
      local path = helper.tmpdir() .. "/log"
      local file = assert(io.open(path, "w"))
      local m = cuda.module(text):compile { log = file }
      file:close()
      assert.are.equal(m.log, helper.read_file(path))
      has(helper.misuse(k.compile, k, { log = 3 }), "expected a function or an open file")
      has(helper.misuse(k.compile, k, { lo = 3 }), "unknown option 'lo'")
      has(helper.misuse(k.compile, k, 3), "expected options (a table), got number")
      has(helper.misuse(m.compile, m, {}, 3), "too many arguments")
    end)

    it("calls a function when code is loaded, before the first launch", function()
      local loads = {}
      local m <close> = cuda.module {
        source = "__device__ int v = 1; __global__ void k(int *x) { *x = v; }",
        on_load = function(module, where)
          loads[#loads + 1] = where
          module:global "v":fill(42)
        end,
      }
      assert.are.equal(0, #loads)
      local x = cuda.zeros(1, "int32")
      m.kernels.k(ONE, x)
      m.kernels.k(ONE, x)
      assert.are.equal(42, x[1])
      assert.are.same({ cuda.device() }, loads)
      has(helper.misuse(cuda.module, { source = PLAIN, on_load = 1 }), "expected function")
      local tries = 0
      local k = cuda.kernel { source = PLAIN, on_load = function()
        tries = tries + 1
        if tries == 1 then error("not yet", 0) end
      end }
      local ok, e = pcall(k, ONE, x)
      assert.are.same({ false, "not yet" }, { ok, e })
      k(ONE, x)
      assert.are.same({ 2, 1 }, { tries, x[1] })
    end)

    it("gives its messages to a function", function()
      local seen = {}
      local function on_message(...) seen[#seen + 1] = table.pack(...) end
      cuda.module { source = PLAIN, jit = {}, on_message = on_message }:compile()
      assert.are.equal(1, #seen)
      assert.is_true(seen[1][1])
      assert.are.equal("string", type(seen[1][2]))
      compile_error(function()
        cuda.module { binary = ".version 7.0\n.target sm_80\n.address_size 64\n"
          .. ".visible .entry k()\n{\n  mov.u32 %r1 5;\n}\n", on_message = on_message }:compile()
      end)
      assert.are.equal(2, #seen)
      assert.is_false(seen[2][1])
      has(seen[2][3], "line 6")
      compile_error(function()
        cuda.module { sources = { USER }, on_message = on_message }:compile()
      end)
      assert.is_false(seen[3][1])
      has(seen[3][3], "ndefined reference")
      has(helper.misuse(cuda.module, { source = PLAIN, on_message = 3 }), "expected function")
    end)
  end)

  describe("a source that needs another", function()
    it("is refused with the way to give it", function()
      local e = compile_error(function()
        cuda.kernel "__device__ int f(int); __global__ void k(int *x) { *x = f(1); }" :compile()
      end)
      has(e.message, "the code uses the function 'f', which is declared and not defined")
      has(e.message, "in the option sources")
    end)

    it("is refused with the targets where it stands for an instruction that they have", function()
      local HEAD = "#include <cuda/ptx>\nnamespace p = cuda::ptx; "
      local e = compile_error(cuda.compile, HEAD .. [[__global__ void k(int *x) {
          __shared__ alignas(8) uint64_t b;
          int c[2] = { 0, 0 };
          p::cp_async_bulk_tensor(p::space_cluster, p::space_global, x, x, c, &b, (uint16_t)3);
        }]], { target = "cubin", arch = "sm_90" })
      has(e.message, "the code uses a form of 'cp_async_bulk_tensor' of cuda::ptx that only sm_90a")
      has(e.message, "as in arch = \"compute_90a\"")
      e = compile_error(cuda.compile, HEAD .. [[__global__ void k(int *x) {
          p::clusterlaunchcontrol_try_cancel(x, (uint64_t *)x);
        }]], { target = "cubin", arch = "sm_90" })
      has(e.message, "'clusterlaunchcontrol_try_cancel' of cuda::ptx, which is there from sm_100")
    end)

    it("is refused in the same words where it is compiled to machine code", function()
      local e = compile_error(cuda.compile,
        "__device__ int f(int); __global__ void k(int *x) { *x = f(1); }",
        { target = "cubin", arch = "sm_80" })
      has(e.message, "the code uses the function 'f', which is declared and not defined")
      has(e.log, "_Z1fi")
    end)
  end)
end)
