-- Messages name the public function and the parameter, with the user's position, however the
-- function was called.
local cuda = require "luacuda"
local helper = require "spec.helper"

local misuse = helper.misuse

describe("wrong arguments", function()
  before_each(function() cuda.use "cpu" end)

  it("name the function, not the caller's local variable", function()
    assert.equals("copy: argument 1: expected Array, got nil", misuse(cuda.copy, nil))
    assert.equals("full_like: argument 1: expected Array, got string", misuse(cuda.full_like, "x"))
    assert.equals("with_stream: argument 1: expected Stream, got integer",
      misuse(cuda.with_stream, 1))
    assert.equals("copy2d: argument 1: expected a table of options, got number",
      misuse(cuda.copy2d, 1.5))
    assert.equals("type: argument 1: expected a value, got nothing", misuse(cuda.type))
    assert.matches("^zeros: unknown dtype 'flaot32'; did you mean 'float32'",
      misuse(cuda.zeros, 3, "flaot32"))
    assert.matches("^zeros: unknown dtype 'quux'; dtypes are bool, int8, ",
      misuse(cuda.zeros, 3, "quux"))
  end)

  it("beyond the last parameter are refused", function()
    assert.equals("synchronize: too many arguments", misuse(cuda.synchronize, "cpu", "x"))
  end)

  it("of methods are counted without the object", function()
    local e, a = cuda.event(), cuda.zeros(2)
    assert.equals("record: argument 1: expected Stream, got string", misuse(e.record, e, "x"))
    assert.equals("record: expected Event before the ':', got nothing", misuse(e.record))
    assert.equals("astype: argument 1: expected a dtype, got nil", misuse(a.astype, a, nil))
    assert.matches("^fill: argument 1: expected a value", misuse(a.fill, a))
    local k = cuda.kernel "__global__ void k() {}"
    assert.equals("source: expected Kernel before the ':', got integer", misuse(k.source, 42))
    assert.equals("compile: expected Kernel before the ':', got nil", misuse(k.compile))
  end)

  it("through pcall have the same names", function()
    local ok, e = pcall(cuda.copy, nil)
    assert.is_false(ok)
    assert.matches("copy: argument 1: expected Array, got nil$", e)
  end)

  it("of options name the function", function()
    assert.equals("stream: option 'priority': expected an integer, got string",
      misuse(cuda.stream, { priority = "1" }))
    assert.equals("stream: option 'priority': -5000 is outside -1000 to 1000",
      misuse(cuda.stream, { priority = -5000 }))
    assert.equals("event: option 'timing': expected a boolean, got integer",
      misuse(cuda.event, { timing = 1 }))
    assert.equals("zeros: option 'stream': expected a Stream, got integer",
      misuse(cuda.zeros, 3, { stream = 5 }))
    assert.equals("alloc_pitch: option 'width': expected 1 or more, got 0",
      misuse(cuda.alloc_pitch, { width = 0 }))
    assert.matches("^zeros: expected a device %(", misuse(cuda.zeros, 3, { device = {} }))
    assert.matches("^to: expected a device %(", misuse(cuda.zeros(3).to, cuda.zeros(3)))
  end)

  it("of devices: names must match completely", function()
    for _, name in ipairs { "gpu 0", "gpu-1", "gpu99999999999", "99999", "0x0", "CPU", "" } do
      local ok, e = pcall(cuda.device, name)
      assert.is_false(ok)
      assert.matches("there is no device '" .. name:gsub("%p", "%%%0") .. "'", tostring(e))
    end
  end)

  it("with a zero byte are refused, not cut", function()
    local cpu = cuda.device "cpu"
    assert.equals("device: a string for a name holds a zero byte after 'cpu'",
      misuse(cuda.device, "cpu\0gpu0"))
    assert.matches("^use: a string for a name holds a zero byte", misuse(cuda.use, "cpu\0"))
    assert.matches("^zeros: .*zero byte", misuse(cuda.zeros, 3, { device = "cpu\0" }))
    assert.matches("^zeros: unknown option 'device",
      misuse(cuda.zeros, 3, { ["device\0"] = "cpu" }))
    assert.matches("^attribute: .*zero byte", misuse(cpu.attribute, cpu, "warp_size\0x"))
    assert.matches("^limit: .*zero byte", misuse(cpu.limit, cpu, "stack_size\0x"))
    assert.matches("has no field or method", misuse(function() return cpu["warp_size\0x"] end))
    assert.matches("^is_error: .*zero byte", misuse(cuda.is_error, 1, "memory\0"))
    assert.matches("^managed: .*zero byte", misuse(cuda.managed, 3, { attach = "host\0" }))
    assert.matches("^load_npy: argument 1 'path' holds a zero byte",
      misuse(cuda.load_npy, "/etc/passwd\0.npy"))
    assert.matches("^save_npz: argument 1 'path' holds a zero byte",
      misuse(cuda.save_npz, "/tmp/x\0.npz", {}))
    assert.matches("^struct: the name holds a zero byte",
      misuse(cuda.struct, "A\0B", { { "x", "float" } }))
    assert.matches("field 1: the name holds a zero byte",
      misuse(cuda.struct, { { "x\0", "float" } }))
    local pair = cuda.struct { { "x", "float" } }
    assert.matches("zero byte after 'x'", misuse(cuda.array, { { ["x\0"] = 1 } }, pair))
  end)

  it("of lists with holes name the first", function()
    assert.matches("fields: %[2%] of the list is missing",
      misuse(cuda.struct, { { "x", "float" }, nil, { "y", "float" } }))
    assert.matches("field 'x': %[1%] of the list is missing",
      misuse(cuda.struct, { { "x", "float", { nil, 2 } } }))
  end)

  it("have their position once", function()
    assert.equals("module: expected source (a string), got nil", misuse(cuda.module, nil))
    assert.equals("kernel: expected source (a string), got number", misuse(cuda.kernel, 1.5))
  end)
end)

describe("strings are never numbers", function()
  before_each(function() cuda.use "cpu" end)

  it("in limits of devices and pools", function()
    local device, pool = cuda.device(), cuda.pool()
    local before = pool:limit()
    assert.equals("limit: argument 2: expected an integer, got string",
      misuse(device.limit, device, "stack_size", "4096"))
    assert.equals("limit: argument 1: expected a string, got integer",
      misuse(device.limit, device, 5))
    assert.equals("limit: expected 0 or more, got -1",
      misuse(device.limit, device, "stack_size", -1))
    assert.equals("attribute: argument 1: expected a string, got integer",
      misuse(device.attribute, device, 5))
    assert.equals("limit: argument 1 'bytes': expected an integer, 0 or more, got string",
      misuse(pool.limit, pool, "12"))
    assert.equals("limit: argument 1 'bytes': expected an integer, 0 or more, got -1",
      misuse(pool.limit, pool, -1))
    assert.equals("trim: argument 1 'bytes': expected an integer, 0 or more, got 1.5",
      misuse(pool.trim, pool, 1.5))
    assert.equals(before, pool:limit())
  end)
end)

describe("a pool", function()
  it("lists its names and checks self", function()
    local pool = cuda.pool "cpu"
    assert.matches("^Pool has no field or method 'stat'; did you mean 'stats'",
      misuse(function() return pool.stat end))
    assert.matches("^Pool has no settable field 'limits'", misuse(function() pool.limits = 5 end))
    assert.equals("stats: expected Pool before the ':', got nil", misuse(pool.stats))
    assert.equals("trim: expected Pool before the ':', got number", misuse(pool.trim, 5))
  end)
end)

describe("load_npy", function()
  it("checks its options and fills `out` for both orders of the file", function()
    local path = helper.tmpdir() .. "/a.npy"
    cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, { device = "cpu" }):save_npy(path)
    assert.equals("load_npy: expected a table of options such as { device = 5 }, got 5",
      misuse(cuda.load_npy, path, 5))
    assert.matches("^load_npy: unknown option 'devise'; did you mean 'device'",
      misuse(cuda.load_npy, path, { devise = "cpu" }))
    local bytes = helper.read_file(path)
    helper.write_file(path, (bytes:gsub("False", "True "))) -- the same bytes in column order
    local out = cuda.zeros({ 2, 3 }, { device = "cpu" })
    assert.equals(out, cuda.load_npy(path, { out = out }))
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, out:totable())
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, cuda.load_npy(path, { device = "cpu" }):totable())
  end)

  it("says closed for a closed array", function()
    local a = cuda.zeros(2)
    a:close()
    assert.equals("attempt to use a closed Array", misuse(a.save_npy, a, "/dev/null"))
  end)
end)

describe("compile errors", function()
  it("never point at the library's own files, even for tiny sources", function()
    local ok, e = pcall(cuda.compile, "12")
    assert.is_false(ok)
    assert.is_nil(tostring(e):find("luacuda/", 1, true), tostring(e))
    assert.matches("<source>:1: error", tostring(e))
  end)
end)

-- Methods that are written in Lua are added to a class when one of them may first be needed.
describe("methods in a fresh process", function()
  local START = [[
    local cuda = require "luacuda"
    local a = cuda.arange(4)
    local function list(o) return table.concat(getmetatable(o).__complete(), " ") end
  ]]

  local function prints(code)
    local ok, out = helper.lua(START .. code, { env = { LUACUDA_DEVICE = "cpu" } })
    assert.is_true(ok, out)
    return out
  end

  it("are there at the first use", function()
    assert.equals("6\n", prints "print(a:sum())")
    assert.equals("3\n", prints "print((a + 0):max())")
  end)

  it("are among the names that messages suggest", function()
    local hint = "has no field or method 'cumsun'; did you mean 'cumsum'"
    assert.matches(hint, prints "print(pcall(function() return a.cumsun end))")
    assert.matches("has no settable field 'cumsun'; did you mean 'cumsum'",
      prints "print(pcall(function() a.cumsun = 1 end))")
  end)

  it("are among the names for consoles", function()
    assert.matches("%f[%w]cumsum%f[%W]", prints "print(list(a))")
    assert.matches("%f[%w]tune%f[%W]", prints "print(list(cuda.kernel '__global__ void f() {}'))")
  end)

  it("are added to classes that Lua makes", function()
    assert.equals("function\n", prints "print(type(cuda.jit(function(x) x[1] = 1 end).tune))")
  end)

  it("are not added for methods and fields that are there", function()
    assert.equals("1\t4\tfunction\n", prints [[
      print(a.ndim, #a:totable(), type(require "luacuda.core".methods "Array"))
    ]])
  end)
end)
