-- ldmatrix, stmatrix and movmatrix against their definition, and mistakes with operations of whole
-- warps.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Every lane passes rows[lane], an offset into shared memory, and stores its registers.
local LOAD = [[
__global__ void k(const unsigned *in, const unsigned *rows, unsigned *out) {
  __shared__ __align__(16) unsigned words[256];
  int l = threadIdx.x;
  for (int i = l; i < 256; i += 32) words[i] = in[i];
  __syncwarp();
  unsigned at = (unsigned)__cvta_generic_to_shared(words) + rows[l], r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  asm volatile("INSTRUCTION {%s}, [%%4];"
    : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3) : "r"(at));
  out[l] = r0; out[32 + l] = r1; out[64 + l] = r2; out[96 + l] = r3;
}]]
local STORE = [[
__global__ void k(const unsigned *in, const unsigned *rows, unsigned *out) {
  __shared__ __align__(16) unsigned words[256];
  int l = threadIdx.x;
  for (int i = l; i < 256; i += 32) words[i] = 0;
  __syncwarp();
  unsigned at = (unsigned)__cvta_generic_to_shared(words) + rows[l];
  asm volatile("INSTRUCTION [%%0], {%s};"
    :: "r"(at), "r"(in[l]), "r"(in[32 + l]), "r"(in[64 + l]), "r"(in[96 + l]) : "memory");
  __syncwarp();
  for (int i = l; i < 256; i += 32) out[i] = words[i];
}]]
local MOVE = [[
__global__ void k(const unsigned *in, unsigned *out) {
  unsigned d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = d;
}]]

local function random_words(n)
  local w = {}
  for i = 1, n do w[i] = math.random(0, 0xffffffff) end
  return w
end

-- Offsets of 32 different rows of 16 bytes among 64.
local function random_rows()
  local all, rows = {}, {}
  for i = 1, 64 do all[i] = (i - 1) * 16 end
  for i = 1, 32 do rows[i] = table.remove(all, math.random(#all)) end
  return rows
end

local function half(words, byte) return words[byte // 4 + 1] >> byte % 4 * 8 & 0xffff end
local function byte_of(words, at) return words[at // 4 + 1] >> at % 4 * 8 & 0xff end
-- Element k of 4, 6 or 8 bits in the row at byte `at`: bit by bit.
local function element(words, at, bits, k)
  local v = 0
  for i = 0, bits - 1 do
    local bit = k * bits + i
    v = v | (byte_of(words, at + bit // 8) >> bit % 8 & 1) << i
  end
  return v
end

local function list(first, n)
  local t = {}
  for i = 0, n - 1 do t[#t + 1] = "%" .. first + i end
  return table.concat(t, ", ")
end

helper.for_each_device(function(device)
  local function array(words) return cuda.array(words, "uint32") end
  local function load(instruction, n, words, rows)
    local out = cuda.zeros(128, "uint32")
    local text = LOAD:gsub("INSTRUCTION", function() return instruction end)
    cuda.kernel(text:format(list(0, n)))({ grid = 1, block = 32 }, array(words), array(rows), out)
    return out:totable()
  end
  local function store(instruction, n, words, rows)
    local out = cuda.zeros(256, "uint32")
    local text = STORE:gsub("INSTRUCTION", function() return instruction end)
    cuda.kernel(text:format(list(1, n)))({ grid = 1, block = 32 }, array(words), array(rows), out)
    return out:totable()
  end

  describe("matrices of a warp", function()
    before_each(function() math.randomseed(5) end)

    it("are loaded by ldmatrix", function()
      for _, n in ipairs { 1, 2, 4 } do
        for _, trans in ipairs { "", ".trans" } do
          local words, rows = random_words(256), random_rows()
          local got = load(("ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16"):format(n, trans), n,
            words, rows)
          for i = 0, n - 1 do
            for l = 0, 31 do
              local v = 0
              for e = 0, 1 do
                local r, c = l // 4, l % 4 * 2 + e
                if trans ~= "" then r, c = c, r end
                v = v | half(words, rows[i * 8 + r + 1] + c * 2) << 16 * e
              end
              assert.equal(v, got[i * 32 + l + 1])
            end
          end
        end
      end
    end)

    -- These need sm_100a, which NVRTC does not compile for here.
    local NARROW = { b8 = 8, ["b8x16.b6x16_p32"] = 6, ["b8x16.b4x16_p64"] = 4 }

    it("of bytes, and of less, are loaded and transposed", function()
      if device.kind ~= "cpu" then return end
      for format, bits in pairs(NARROW) do
        for _, n in ipairs { 1, 2 } do
          local words, rows = random_words(256), random_rows()
          local got = load(("ldmatrix.sync.aligned.m16n16.x%d.trans.shared.%s"):format(n, format),
            2 * n, words, rows)
          for i = 0, 2 * n - 1 do
            for l = 0, 31 do
              local v = 0
              for e = 0, 3 do
                local row = i // 2 * 16 + l % 4 * 4 + e
                v = v | element(words, rows[row + 1], bits, i % 2 * 8 + l // 4) << 8 * e
              end
              assert.equal(v, got[i * 32 + l + 1])
            end
          end
        end
      end
    end)

    it("of less than bytes are loaded as bytes", function()
      if device.kind ~= "cpu" then return end
      for format, bits in pairs(NARROW) do
        for _, n in ipairs(bits < 8 and { 1, 2, 4 } or {}) do
          local words, rows = random_words(256), random_rows()
          local got = load(("ldmatrix.sync.aligned.m8n16.x%d.shared.%s"):format(n, format), n,
            words, rows)
          for i = 0, n - 1 do
            for l = 0, 31 do
              local v = 0
              for e = 0, 3 do
                v = v | element(words, rows[i * 8 + l // 4 + 1], bits, l % 4 * 4 + e) << 8 * e
              end
              assert.equal(v, got[i * 32 + l + 1])
            end
          end
        end
      end
    end)

    -- Matrices of 16 rows and 8 columns, as accumulators lie in lanes; columns go to memory.
    it("of bytes are stored transposed", function()
      if device.kind ~= "cpu" then return end
      for _, n in ipairs { 1, 2, 4 } do
        local words, rows = random_words(128), random_rows()
        local got = store(("stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8"):format(n), n, words,
          rows)
        local want = {}
        for i = 1, 256 do want[i] = 0 end
        for i = 0, n - 1 do
          for r = 0, 15 do
            for c = 0, 7 do
              local lane, e = r % 8 * 4 + c // 2, r // 8 * 2 + c % 2
              local at = rows[i * 8 + c + 1] + r
              want[at // 4 + 1] = want[at // 4 + 1]
                | byte_of(words, (i * 32 + lane) * 4 + e) << at % 4 * 8
            end
          end
        end
        assert.same(want, got)
      end
    end)

    it("are stored by stmatrix", function()
      if device.kind ~= "cpu" and device.cc < 90 then return end
      for _, n in ipairs { 1, 2, 4 } do
        for _, trans in ipairs { "", ".trans" } do
          local words, rows = random_words(128), random_rows()
          local got = store(("stmatrix.sync.aligned.m8n8.x%d%s.shared.b16"):format(n, trans), n,
            words, rows)
          local want = {}
          for i = 1, 256 do want[i] = 0 end
          for i = 0, n - 1 do
            for r = 0, 7 do
              for c = 0, 7 do
                local y, x = r, c
                if trans ~= "" then y, x = c, r end
                local v = half(words, (i * 32 + y * 4 + x // 2) * 4 + x % 2 * 2)
                local at = rows[i * 8 + r + 1] + c * 2
                want[at // 4 + 1] = want[at // 4 + 1] | v << at % 4 * 8
              end
            end
          end
          assert.same(want, got)
        end
      end
    end)

    it("are transposed by movmatrix", function()
      local words, out = random_words(32), cuda.zeros(32, "uint32")
      cuda.kernel(MOVE)({ grid = 1, block = 32 }, array(words), out)
      local got = out:totable()
      for r = 0, 7 do
        for c = 0, 7 do assert.equal(half(words, r * 16 + c * 2), half(got, c * 16 + r * 2)) end
      end
    end)

    it("wait for lanes that come later", function()
      local source = [[
        __global__ void k(const unsigned *in, unsigned *out, int rounds) {
          unsigned l = threadIdx.x, v = in[l], d;
          for (int i = 0; i < (int)(l % 5) * rounds; i++) v = v * 3 + 1;
          if (l % 3 == 0) v ^= in[(l + 1) % 32];
          __syncwarp();
          asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(v));
          out[l] = v;
          out[32 + l] = d;
        }]]
      local words, out = random_words(32), cuda.zeros(64, "uint32")
      cuda.kernel(source)({ grid = 1, block = 32 }, array(words), out, 7)
      local got = out:totable()
      for r = 0, 7 do
        for c = 0, 7 do assert.equal(half(got, r * 16 + c * 2), half(got, 128 + c * 16 + r * 2)) end
      end
    end)

    if device.kind ~= "cpu" then return end

    it("are reported when lanes wait at different instructions", function()
      local k = cuda.kernel [[
        __global__ void k(const unsigned *in, unsigned *out) {
          unsigned l = threadIdx.x, d;
          if (l < 16)
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(in[l]));
          else {
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
              : "=r"(d) : "r"(in[31 - l]));
            d++;
          }
          out[l] = d;
        }]]
      local ok, e = pcall(function()
        k({ grid = 1, block = 32 }, array(random_words(32)), cuda.zeros(32, "uint32"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      assert.matches("deadlock", tostring(e))
      assert.matches("threads 16%-31 wait in movmatrix", tostring(e))
    end)

    local WMMA = [[
      #include <mma.h>
      using namespace nvcuda;
      __global__ void k(const __half *a, int from, int stride, int threads) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
        if (threadIdx.x < threads)
          wmma::load_matrix_sync(f, a + from, stride); // load
        if (f.x[0] == __half(12345.0f)) __trap();
      }]]

    local function refused(block, from, stride, threads)
      local a = cuda.zeros(256, "float16")
      local ok, e = pcall(function()
        cuda.kernel(WMMA)({ grid = 1, block = block }, a, from, stride, threads)
        cuda.synchronize()
      end)
      if ok then return end
      assert.equal("k", e.kernel)
      assert.equal(helper.line_of "stride); // load", e.line)
      return tostring(e)
    end

    it("are reported when they are out of bounds or not aligned", function()
      assert.is_nil(refused(32, 0, 16, 32))
      assert.matches("out of bounds: read of 2 bytes", refused(32, 8, 16, 32))
      assert.matches("thread %(28,0,0%)", refused(32, 8, 16, 32))
      assert.matches("past the end of array float16 {256}", refused(32, 8, 16, 32))
      assert.matches("misaligned", refused(32, 4, 16, 32))
      assert.matches("not a multiple of 16", refused(32, 0, 12, 32))
    end)

    -- A matrix that is not where it must be: what the instruction does to it.
    local function misplaced(body)
      local ok, e = pcall(function()
        cuda.kernel(([[
          #include <mma.h>
          using namespace nvcuda;
          __global__ void k(__half *a) {
            unsigned r = 0;
            %s
            if (r == 12345) __trap();
          }]]):format(body))({ grid = 1, block = 32 }, cuda.zeros(512, "float16"))
        cuda.synchronize()
      end)
      assert.is_false(ok)
      return tostring(e)
    end

    it("are reported as reads or as writes", function()
      assert.matches("out of bounds: read of 16 bytes .*the matrix is not in shared memory",
        misplaced [[asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];"
          : "=r"(r) : "l"(a + threadIdx.x * 8));]])
      assert.matches("out of bounds: write of 16 bytes .*the matrix is not in shared memory",
        misplaced [[asm volatile("stmatrix.sync.aligned.m8n8.x1.b16 [%0], {%1};"
          :: "l"(a + threadIdx.x * 8), "r"(r));]])
      assert.matches("barrier: read of 32 bytes .*the threads of the warp name different matrices",
        misplaced [[wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
          wmma::load_matrix_sync(f, a + threadIdx.x / 16 * 16, 16);
          if (f.x[0] == __half(12345.0f)) __trap();]])
    end)

    it("are reported when threads of the warp are missing", function()
      assert.matches("only 16 of 32 threads", refused(16, 0, 16, 32))
      assert.matches("only 31 of 32 threads", refused(63, 0, 16, 63))
    end)
  end)
end)
