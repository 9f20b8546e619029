local helper = require "spec.helper"
local cuda = require "luacuda"

-- A file in NumPy's format.
local function npy(version, header, data)
  local text = header .. "\n"
  local length = version == 1 and ("<s2"):pack(text) or ("<s4"):pack(text)
  return "\147NUMPY" .. string.char(version, 0) .. length .. data
end

local function header(descr, order, shape)
  return ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr, order, shape)
end

describe(".npy files", function()
  local function load(bytes, options)
    local path = helper.tmpdir() .. "/a.npy"
    helper.write_file(path, bytes)
    return cuda.load_npy(path, options)
  end

  local function refused(bytes)
    local ok, message = pcall(load, bytes)
    assert.is_false(ok)
    assert.matches("npy_spec.lua:%d+: load_npy: '/[^']*a.npy': ", message)
    return message:gsub("^.-a.npy': ", "", 1)
  end

  helper.for_each_device(function(device)
    helper.for_all_dtypes(function(name, row)
      if name == "bfloat16" then return end
      it("keep " .. name, function()
        local path = helper.tmpdir() .. "/a.npy"
        local a = cuda.arange(6, "float32"):reshape({ 2, 3 }):astype(name)
        assert.equal(a, a:save_npy(path))
        local b = cuda.load_npy(path)
        assert.equal(name, b.dtype)
        assert.equal(device, b.device)
        assert.is_true(a:equals(b))
        local bytes = helper.read_file(path)
        assert.equal(0, (#bytes - 6 * row.size) % 64)
        assert.matches("^\147NUMPY\1\0", bytes)
      end)
    end)

    it("keep every shape", function()
      local path = helper.tmpdir() .. "/a.npy"
      for _, shape in ipairs { {}, { 5 }, { 0 }, { 3, 0, 2 }, { 1, 1, 1 }, { 2, 3, 4 } } do
        cuda.ones(shape, "int16"):save_npy(path)
        assert.same(shape, cuda.load_npy(path).shape)
      end
      cuda.arange(6):reshape({ 2, 3 }):transpose():save_npy(path)
      assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, cuda.load_npy(path):totable())
    end)

    it("of all versions, byte orders and element orders are read", function()
      local data = ("<i4i4i4i4i4i4"):pack(1, 2, 3, 4, 5, 6)
      for version = 1, 3 do
        assert.same({ { 1, 2, 3 }, { 4, 5, 6 } },
          load(npy(version, header("<i4", "False", "(2, 3)"), data)):totable())
      end
      assert.same({ { 1, 3, 5 }, { 2, 4, 6 } },
        load(npy(1, header("<i4", "True", "(2, 3)"), data)):totable())
      assert.same({ 1, -2 },
        load(npy(1, header(">i2", "False", "(2,)"), (">i2i2"):pack(1, -2))):totable())
      assert.same({ 1.5 }, load(npy(1, header(">f8", "True", "(1L,)"), (">d"):pack(1.5))):totable())
      assert.equal(cuda.complex(1, 2),
        load(npy(1, header(">c8", "False", "(1,)"), (">ff"):pack(1, 2)))[1])
      assert.equal(cuda.complex(1, 2),
        load(npy(1, header(">c16", "False", "(1,)"), (">dd"):pack(1, 2)))[1])
      assert.same({ true, false }, load(npy(1, header("|b1", "False", "(2,)"), "\1\0")):totable())
      assert.same({ 1.0 }, load(npy(1, header("<f2", "False", "(1,)"), "\0\60")):totable())
      assert.equal(7, load(npy(1, header("=u8", "False", "()"), ("<i8"):pack(7))):item())
      assert.same({ 1 }, load(npy(1, '{"shape": (1,), "fortran_order": False, "descr": "|i1"}',
        "\1trailing")):totable())
    end)

    it("go to the given device", function()
      local bytes = npy(1, header("<i4", "False", "(1,)"), "\1\0\0\0")
      assert.equal("cpu", load(bytes, { device = "cpu" }).device.kind)
    end)

    it("that are damaged or foreign are refused by name", function()
      local data = ("\0"):rep(24)
      assert.matches("not a .npy file", refused "hello")
      assert.matches("not a .npy file", refused "")
      assert.matches("version 9.0", refused(npy(9, header("<i4", "False", "(2, 3)"), data)))
      assert.matches("the header is cut off",
        refused(npy(1, header("<i4", "False", "(2, 3)"), ""):sub(1, 30)))
      assert.matches("6 elements of int32 do not fit the 20 bytes",
        refused(npy(1, header("<i4", "False", "(2, 3)"), data:sub(5))))
      assert.matches("elements of type '<U5'",
        refused(npy(1, header("<U5", "False", "(1,)"), data)))
      assert.matches("elements of type '|O'", refused(npy(1, header("|O", "False", "(1,)"), data)))
      for _, descr in ipairs { "[('x', '<f4')]", "[('x', '<f4', (2,)), ('', '|V4')]" } do
        assert.equal("its elements are structs, which cannot be read; save each field in NumPy: "
          .. "numpy.savez(path, **{n: a[n] for n in a.dtype.names})", refused(npy(1,
          ("{'descr': %s, 'fortran_order': False, 'shape': (1,), }"):format(descr), data)))
      end
      assert.equal("the header cannot be read",
        refused(npy(1, "{'descr': 4, 'fortran_order': False, 'shape': (1,), }", data)))
      assert.matches("header cannot be read",
        refused(npy(1, "{'descr': '<f4', 'shape': (1,), }", data)))
      assert.matches("shape %(%-1,%) cannot be read",
        refused(npy(1, header("<i4", "False", "(-1,)"), data)))
      assert.matches("too large",
        refused(npy(1, header("<i4", "False", "(4611686018427387904, 4)"), data)))
      assert.matches("17 axes",
        refused(npy(1, header("<i4", "False", "(1" .. (", 1"):rep(16) .. ")"), data)))
      assert.matches("do not fit",
        refused(npy(1, header("<i4", "False", "(4611686018427387904,)"), data)))
    end)

    it("that cannot be opened raise error objects", function()
      local dir = helper.tmpdir()
      local ok, e = pcall(cuda.load_npy, dir .. "/none.npy")
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "runtime"))
      assert.matches("none.npy", e.message)
      ok, e = pcall(cuda.zeros(1).save_npy, cuda.zeros(1), dir .. "/none/a.npy")
      assert.is_false(ok)
      assert.is_true(cuda.is_error(e, "runtime"))
    end)

    it("refuse what they cannot represent", function()
      for _, dtype in ipairs { "bfloat16", "float8_e4m3fn", "float8_e5m2" } do
        local a = cuda.zeros(2, dtype)
        local _, refusal = pcall(a.save_npy, a, "/dev/null")
        assert.matches("no name for " .. dtype .. "; a:astype%('float32'%) keeps every value",
          refusal)
      end
      local bodies = cuda.zeros(2, cuda.struct("Body", { { "x", "float32" }, { "n", "int32" } }))
      assert.equal("save_npy: structs cannot be saved, but their fields can: a:field('x')",
        helper.misuse(bodies.save_npy, bodies, "/dev/null"))
      assert.equal("save_npz: array 'b': structs cannot be saved, but their fields can: "
        .. "a:field('x')", helper.misuse(cuda.save_npz, "/dev/null", { b = bodies }))
      local path = helper.tmpdir() .. "/a.npz"
      bodies[2].x, bodies[1].n = 0.5, -3
      cuda.save_npz(path, { x = bodies:field "x", n = bodies:field "n" })
      local fields = cuda.load_npz(path)
      assert.same({ { 0, 0.5 }, { -3, 0 } }, { fields.x:totable(), fields.n:totable() })
      local _, message = pcall(bodies.save_npy, bodies)
      assert.matches("argument 1 'path': expected a string, got nil", message)
      _, message = pcall(cuda.load_npy, 3)
      assert.matches("argument 1 'path': expected a string, got number", message)
      _, message = pcall(load, npy(1, header("<i4", "False", "()"), "\1\0\0\0"), { shape = 3 })
      assert.matches("the file determines the shape", message)
    end)
  end)
end)
