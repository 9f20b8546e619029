-- The locale of a script or its host program: its decimal comma must not appear in C++ or PTX.
local helper = require "spec.helper"

-- Makes the locale if the system can; returns its folder, for LOCPATH.
local function locale_folder(name, charset)
  local dir = helper.tmpdir()
  os.execute(("localedef -i %s -f %s %s/test >/dev/null 2>&1"):format(name, charset, dir))
  return dir
end

local function run(name, charset, device, code)
  local env = { LOCPATH = locale_folder(name, charset), LUACUDA_DEVICE = device:gsub("^gpu", "") }
  local ok, out = helper.lua("if not os.setlocale 'test' then print 'no locale' return end\n"
    .. code, { env = env })
  if out:find "^no locale" then pending "localedef cannot make this locale" end
  assert.is_true(ok, out)
end

for _, device in ipairs(helper.device_names()) do
  describe("a locale with a decimal comma on " .. device, function()
    local function in_german(code)
      run("de_DE", "ISO-8859-1", device, [[
        assert(("%.1f"):format(1.5) == "1,5")
        local cuda = require "luacuda"
        local function check(a, ...)
          for i, want in ipairs { ... } do
            assert(a[i] == want, ("element %d is %g, not %g"):format(i, a[i], want))
          end
        end
        local x = cuda.array{ 2, 4 }
      ]] .. code)
    end

    it("leaves numbers in templates and defines alone", function()
      in_german [[
        local fill = cuda.template [=[__global__ void fill(float *x) {
          float v[] = $(list);
          x[0] = $(first); x[1] = v[0] * FACTOR;
        }]=]
        cuda.kernel(fill{ first = 1.5, list = { -0.25 } },
          { defines = { FACTOR = 2.5 } })({ grid = 1, block = 1 }, x)
        check(x, 1.5, -0.625)
      ]]
    end)

    it("leaves the constants of fused functions alone", function()
      in_german [[
        local limit = 2.5
        check(cuda.fuse(function(a)
          return cuda.where(cuda.gt(a, limit), a * 0.25, 1.5)
        end)(x), 1.5, 1)
        check(cuda.fuse(function(a) return cuda.real(a * cuda.complex(0.5, 2.5)) end)(x), 1, 2)
      ]]
    end)

    it("leaves the identities of reductions and scans alone", function()
      in_german [[
        local sum = cuda.reduction("T x", "T y", "x", "a + b", "y = a", 0.5, "sum")
        assert(sum(cuda.empty(0)):item() == 0.5)
        check(cuda.scan("T x", "T y", "x", "a + b", 0.5, "before", { exclusive = true })(x), 0.5)
      ]]
    end)

    it("leaves the decimal numbers of PTX alone", function()
      in_german [[
        cuda.module{ binary = [=[
          .version 7.0
          .target sm_70
          .address_size 64
          .visible .entry set(.param .u64 p) {
            .reg .u64 %r; .reg .f32 %f;
            ld.param.u64 %r, [p]; mov.f32 %f, 1.5; st.global.f32 [%r], %f; ret;
          }]=] }:kernel "set" ({ grid = 1, block = 1 }, x)
        check(x, 1.5, 4)
      ]]
    end)

    it("leaves the decimal numbers of PTX in a source alone", function()
      in_german [[
        local source =
          '__global__ void set(float *x) { float f; asm("mov.f32 %0, 1.5;" : "=f"(f)); x[0] = f; }'
        cuda.kernel(source)({ grid = 1, block = 1 }, x)
        check(x, 1.5, 4)
        local code = cuda.compile(source, { target = "cubin", arch = "sm_80" })
        assert(code:find(("<f"):pack(1.5), 1, true) and not code:find(("<f"):pack(1), 1, true),
          "1.5 became 1")
      ]]
    end)

    it("is restored after code was compiled and loaded", function()
      in_german [[
        cuda.kernel "__global__ void k() {}" :compile()
        pcall(function()
          cuda.module {
            binary = ".version 7.0\n.target sm_70\n.address_size 64\nnonsense",
          } :compile()
        end)
        pcall(cuda.compile, "nonsense")
        assert(("%.1f"):format(1.5) == "1,5")
      ]]
    end)
  end)

  it("a locale with another lower-case I still finds attributes by name on "
    .. device, function()
    run("tr_TR", "ISO-8859-9", device, [[
      local d = require "luacuda".device()
      assert(d:attribute "COMPUTE_CAPABILITY_MINOR" == d:attribute "compute_capability_minor")
    ]])
  end)
end
