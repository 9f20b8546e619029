-- Files exchanged with NumPy in both directions, if python3 has NumPy (LUACUDA_PYTHON: another
-- command).
local helper = require "spec.helper"
local core = require "luacuda.core"
local cuda = require "luacuda"

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

-- Runs Python code with sys.argv[1] = argument; returns ok, output.
local function python(code, argument)
  local script = os.tmpname()
  helper.write_file(script, code)
  local pipe = assert(io.popen(("%s %s %s 2>&1; echo \"status $?\""):format(PYTHON, script,
    helper.shell_quote(argument or ""))))
  local output = pipe:read "a"
  pipe:close()
  os.remove(script)
  return output:match "status (%d+)\n$" == "0", output
end

local function run(code, argument)
  local ok, output = python("import sys\nimport numpy as np\nd = sys.argv[1] + '/'\n" .. code,
    argument)
  assert.is_true(ok, output)
end

-- The contents of every file: the arrays in Python and their elements in Lua. `order`: the element
-- order in the file.
local CASES = {}
for name, descr in pairs {
  bool = "?", int8 = "i1", int16 = "i2", int32 = "i4", int64 = "i8", uint8 = "u1", uint16 = "u2",
  uint32 = "u4", uint64 = "u8", float16 = "f2", float32 = "f4", float64 = "f8", complex64 = "c8",
  complex128 = "c16",
} do
  CASES[name] = { python = ("np.arange(6).reshape(2, 3).astype('%s')"):format(descr), dtype = name,
    shape = { 2, 3 } }
  CASES[name .. "_big"] = { python = ("np.arange(6).reshape(2, 3).astype('>%s')"):format(descr),
    dtype = name, shape = { 2, 3 } }
end
CASES.fortran = { python = "np.asfortranarray(np.arange(24.).reshape(2, 3, 4))", dtype = "float64",
  shape = { 2, 3, 4 } }
CASES.none = { python = "np.array(3, 'f4')", dtype = "float32", shape = {}, first = 3 }
CASES.empty = { python = "np.zeros((3, 0), 'i2')", dtype = "int16", shape = { 3, 0 } }
CASES["folder/Größe"] = { python = "np.arange(5)", dtype = "int64", shape = { 5 } }

local function expected(case)
  if case.first then return cuda.array(case.first, case.dtype) end
  return cuda.arange(helper.size_of(case.shape), "int32"):astype(case.dtype):reshape(case.shape)
end

local function file_name(name) return (name:gsub("/.*", "")) .. ".npy" end

local function python_table()
  local lines = { "cases = {" }
  for name, case in pairs(CASES) do
    lines[#lines + 1] = ("  '%s': %s,"):format(name, case.python)
  end
  return table.concat(lines, "\n") .. "\n}\n"
end

describe("NumPy", function()
  if not python "import numpy" then
    pending "Python has no NumPy"
    return
  end

  helper.for_each_device(function()
    it("writes files that LuaCUDA reads", function()
      local dir = helper.tmpdir()
      run(python_table() .. [[
np.savez(d + 'all.npz', **cases)
np.savez_compressed(d + 'small.npz', a = np.arange(3), b = np.arange(3e5).reshape(300, 1000))
for name, a in cases.items(): np.save(d + name.split('/')[0] + '.npy', a)
]], dir)
      local all = cuda.load_npz(dir .. "/all.npz")
      for name, case in pairs(CASES) do
        for _, got in ipairs { all[name], cuda.load_npy(dir .. "/" .. file_name(name)) } do
          assert.equal(case.dtype, got.dtype, name)
          assert.same(case.shape, got.shape, name)
          assert.is_true(expected(case):equals(got), name)
        end
        all[name] = nil
      end
      assert.is_nil(next(all))
      if not core.zlib() then return end
      local small = cuda.load_npz(dir .. "/small.npz")
      assert.same({ 0, 1, 2 }, small.a:totable())
      assert.is_true(cuda.arange(300000, "float64"):reshape({ 300, 1000 }):equals(small.b))
    end)

    it("reads files that LuaCUDA writes", function()
      local dir, arrays = helper.tmpdir(), {}
      for name, case in pairs(CASES) do
        arrays[name] = expected(case)
        arrays[name]:save_npy(dir .. "/" .. file_name(name))
      end
      cuda.save_npz(dir .. "/all.npz", arrays)
      run(python_table() .. [[
import zipfile
archive = np.load(d + 'all.npz')
assert set(archive.files) == set(cases), set(archive.files) ^ set(cases)
assert zipfile.ZipFile(d + 'all.npz').testzip() is None
for name, want in cases.items():
    for got in archive[name], np.load(d + name.split('/')[0] + '.npy'):
        assert got.dtype == want.dtype.newbyteorder('='), name
        assert got.shape == want.shape and (got == want).all(), name
]], dir)
    end)
  end)
end)
