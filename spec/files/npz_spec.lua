local helper = require "spec.helper"
local cuda = require "luacuda"
local core = require "luacuda.core"
local zip = require "luacuda.files.zip"

-- A .npy file in NumPy's format.
local function npy(descr, order, shape, data)
  local text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr, order, shape)
  text = text .. (" "):rep(-(#text + 11) % 64) .. "\n"
  return "\147NUMPY\1\0" .. ("<s2"):pack(text) .. data
end

-- An archive, built field by field. files: list of { name, data, method =, flags =, crc =, size =
-- when unpacked, zip64 = }.
local function archive(files, comment)
  local out, directory, at = {}, {}, 0
  for _, file in ipairs(files) do
    local name, data = file[1], file[2]
    local size = file.zip64 and 0xffffffff or #data
    local extra = file.zip64 and ("<I2I2i8i8"):pack(1, 16, #data, #data) or ""
    local middle = ("<I2I2I2I2I4I4I4I2I2"):pack(file.flags or 0, file.method or 0, 0, 33,
      file.crc or core.crc32(data), size, file.size or size, #name, #extra)
    local whole = "PK\3\4" .. ("<I2"):pack(file.zip64 and 45 or 20) .. middle
      .. name .. extra .. data
    out[#out + 1] = whole
    directory[#directory + 1] = "PK\1\2" .. ("<I2I2"):pack(file.zip64 and 45 or 20,
      file.zip64 and 45 or 20) .. middle
      .. ("<I2I2I2I4I4"):pack(0, 0, 0, 0, at) .. name .. extra
    at = at + #whole
  end
  local text = table.concat(directory)
  return table.concat(out) .. text .. "PK\5\6" .. ("<I2I2I2I2I4I4s2"):pack(0, 0, #files, #files,
    #text, at, comment or "")
end

local I32 = npy("<i4", "False", "(2, 3)", ("<i4i4i4i4i4i4"):pack(1, 2, 3, 4, 5, 6))

local function load(bytes, options, path)
  path = path or helper.tmpdir() .. "/a.npz"
  helper.write_file(path, bytes)
  return cuda.load_npz(path, options)
end

local function files_in(dir)
  local names = core.file_list(dir)
  table.sort(names)
  return names
end

-- A deflate stream of the bytes `head` and that many zeros, and their CRC-32.
local function deflated(head, zeros)
  local dir = helper.tmpdir()
  helper.write_file(dir .. "/head", head)
  helper.write_file(dir .. "/pack.py", [[
import sys, zlib
head = open(sys.argv[1] + "/head", "rb").read()
z, left, crc = zlib.compressobj(9, zlib.DEFLATED, -15), int(sys.argv[2]), zlib.crc32(head)
with open(sys.argv[1] + "/out", "wb") as out:
    out.write(z.compress(head))
    while left > 0:
        piece = bytes(min(left, 1 << 20))
        left, crc = left - len(piece), zlib.crc32(piece, crc)
        out.write(z.compress(piece))
    out.write(z.flush())
print(crc)
]])
  local pipe = assert(io.popen(("python3 %s/pack.py %s %d"):format(dir, dir, zeros)))
  local crc = pipe:read "n"
  assert(pipe:close())
  return helper.read_file(dir .. "/out"), crc
end

describe(".npz archives", function()
  helper.for_each_device(function(device)
    -- The header and the data have different numbers of elements.
    it("with much more data than the header describes are refused", function()
      if not core.zlib() then pending "no zlib" end
      local rng = helper.random(11)
      for _ = 1, 16 do
        local said, there = rng(6), rng(2) == 0 and rng(6) or rng(60000)
        local head = npy("<i4", "False", ("(%d,)"):format(said), "")
        local plain = head .. ("\0"):rep(4 * there)
        local data, crc = deflated(head, 4 * there)
        for _, file in ipairs { { "a.npy", plain },
          { "a.npy", data, method = 8, size = #plain, crc = crc } } do
          local ok, got = pcall(load, archive { file })
          if said <= there and there - said <= 1 << 14 then -- 64 KB are ignored, as by NumPy
            assert.is_true(ok, got)
            assert.same({ said, 0 }, { got.a.size, got.a:sum() })
          else
            assert.is_false(ok)
            helper.contains(got, said > there and "the file is cut off"
              or ("array 'a': the header says %d elements of int32, which are %d bytes of data, "
              .. "but there are %d"):format(said, 4 * said, 4 * there))
          end
        end
      end
    end)

    it("do not take memory for data that the header does not describe", function()
      if not core.zlib() then pending "no zlib" end
      local zeros, path = 600 << 20, helper.tmpdir() .. "/a.npz"
      local head = npy("<i4", "False", "(4,)", "")
      local data, crc = deflated(head, zeros)
      helper.write_file(path,
        archive { { "a.npy", data, method = 8, size = #head + zeros, crc = crc } })
      local ok, out = helper.lua(([[
        local cuda = require "luacuda"
        cuda.use(arg[1])
        local function peak()
          for line in io.lines "/proc/self/status" do
            local kb = line:match "VmHWM:%%s+(%%d+)"
            if kb then return kb // 1024 end
          end
        end
        local before = peak()
        print(pcall(cuda.load_npz, %q))
        print("grown by", peak() - before)
      ]]):format(path), { args = { device.label } })
      assert.is_true(ok, out)
      helper.contains(out, "but there are 629145600")
      assert.is_true(tonumber(out:match "grown by%s+(%d+)") < 100, out)
    end)

    it("keep every dtype but bfloat16", function()
      local path, arrays = helper.tmpdir() .. "/a.npz", {}
      helper.for_all_dtypes(function(name)
        if name ~= "bfloat16" then
          arrays[name] = cuda.arange(6, "float32"):reshape({ 2, 3 }):astype(name)
        end
      end)
      cuda.save_npz(path, arrays)
      local got = cuda.load_npz(path)
      for name, a in pairs(arrays) do
        assert.equal(name, got[name].dtype)
        assert.equal(device, got[name].device)
        assert.is_true(a:equals(got[name]))
        got[name] = nil
      end
      assert.is_nil(next(got))
    end)

    it("keep every shape, and the elements of views", function()
      local path = helper.tmpdir() .. "/a.npz"
      local arrays = { none = cuda.array(7, "int16"), empty = cuda.zeros { 3, 0, 2 },
        one = cuda.ones { 1, 1, 1 }, turned = cuda.arange(6):reshape({ 2, 3 }):transpose(),
        wide = cuda.arange(3):broadcast_to { 2, 3 } }
      cuda.save_npz(path, arrays)
      local got = cuda.load_npz(path)
      for name, a in pairs(arrays) do
        assert.same(a.shape, got[name].shape)
        assert.same(a:totable(), got[name]:totable())
      end
    end)

    it("can be larger than one piece", function()
      -- 4 MiB are read and written at a time
      local path, n = helper.tmpdir() .. "/a.npz", 2 * (1 << 20) + 5
      local a = cuda.arange(n, "float32")
      cuda.save_npz(path,
        { a = a, turned = a:slice({ 1, n - 1 }):reshape({ 2, (n - 1) // 2 }):transpose() })
      local got = cuda.load_npz(path)
      assert.is_true(a:equals(got.a))
      assert.same({ (n - 1) // 2, 2 }, got.turned.shape)
      assert.is_true(
        a:slice({ 1, n - 1 }):equals(got.turned:transpose():contiguous():reshape(n - 1)))
    end)
  end)

  it("are written byte by byte as expected", function()
    local path = helper.tmpdir() .. "/a.npz"
    cuda.save_npz(path, {})
    assert.equal(archive {}, helper.read_file(path))
    assert.same({}, cuda.load_npz(path))
    local i32, u8 = cuda.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int32"), cuda.array({ 7, 8 }, "uint8")
    cuda.save_npz(path, { ["w/ä"] = u8, b = i32 })
    local want = archive { { "b.npy", I32 },
      { "w/ä.npy", npy("|u1", "False", "(2,)", "\7\8"), flags = 1 << 11 } }
    assert.equal(want, helper.read_file(path))
  end)

  it("are read whatever their names, orders, comments and extra fields", function()
    local fortran = npy(">f8", "True", "(2, 3)", (">dddddd"):pack(1, 2, 3, 4, 5, 6))
    local got = load(archive({
      { "a.npy", I32 }, { "folder/", "" }, { "folder/b c.npy", fortran },
      { "ü.npy", I32, flags = 1 << 11 }, { "x.npy.npy", I32, zip64 = true }, { "plain", I32 },
    }, "a comment with PK\5\6 in it"))
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, got.a:totable())
    assert.same({ { 1.0, 3.0, 5.0 }, { 2.0, 4.0, 6.0 } }, got["folder/b c"]:totable())
    assert.same(got.a:totable(), got["ü"]:totable())
    assert.same(got.a:totable(), got["x.npy"]:totable())
    assert.same(got.a:totable(), got.plain:totable())
    assert.is_nil(got["folder/"])
  end)

  it("are read in part", function()
    local bytes = archive { { "a.npy", I32 },
      { "text.npy", npy("<U5", "False", "(1,)", ("\0"):rep(20)) } }
    local got = load(bytes, { names = { "a" }, device = "cpu" })
    assert.same({ "a" }, { next(got), nil })
    assert.equal("cpu", got.a.device.kind)
    assert.matches("array 'text': elements of type '<U5'", helper.misuse(load, bytes))
    assert.matches("a.npz': there is no array 'tex'; did you mean 'text'",
      helper.misuse(load, bytes, { names = { "tex" } }))
    assert.matches("option 'names': expected a list of strings, got string",
      helper.misuse(load, bytes, { names = "a" }))
    assert.matches("option 'names': %[1%] of the list is missing",
      helper.misuse(load, bytes, { names = { nil, "a" } }))
  end)

  it("that are damaged or foreign are refused by name", function()
    local path = helper.tmpdir() .. "/a.npz"
    local function refused(bytes)
      return (helper.misuse(load, bytes, nil, path):gsub("^load_npz: '/[^']*a.npz': ", ""))
    end
    local good = archive { { "a.npy", I32 } }
    assert.matches("^array 'a': it is compressed by method 14",
      refused(archive { { "a.npy", I32, method = 14 } }))
    assert.matches("^array 'a': it is encrypted", refused(archive { { "a.npy", I32, flags = 1 } }))
    assert.equal("array 'a' is there twice",
      refused(archive { { "a.npy", I32 }, { "a.npy", I32 } }))
    assert.matches("^array 'a.txt': not a .npy file",
      refused(archive { { "a.txt", "hello world" } }))
    assert.matches("^array 'a': not a .npy file", refused(archive { { "a.npy", "" } }))
    assert.matches("^array 'a': 6 elements of int32 do not fit the 23 bytes",
      refused(archive { { "a.npy", I32:sub(1, -2) } }))
    assert.matches(("^array 'a': the data are damaged: their CRC%%-32 is %08x, not 00000005")
      :format(core.crc32(I32)), refused(archive { { "a.npy", I32, crc = 5 } }))
    assert.matches("CRC", refused(archive { { "a.npy", I32 .. "more", crc = core.crc32(I32) } }))
    assert.same({ "a" }, { next(load(archive { { "a.npy", I32 .. "more" } })), nil })
    assert.equal("empty, or not a file", refused "")
    assert.equal("not a zip archive, or its end is missing", refused(I32))
    for cut = 1, #good - 1, 7 do
      assert.equal("not a zip archive, or its end is missing", refused(good:sub(1, cut)))
      refused(good:sub(cut + 1)) -- without its beginning, so positions are wrong
    end
    -- signatures of the entry and the directory
    for _, at in ipairs { 1, #good - 22 - 51 + 1 } do
      assert.matches("damaged", refused(good:sub(1, at - 1) .. "X" .. good:sub(at + 1)))
    end
  end)

  it("with local headers that reach into the directory are refused as damaged", function()
    local stored = ("<I1I2I2"):pack(1, #I32, ~#I32 & 0xffff) .. I32
    for _, file in ipairs { { "a.npy", I32 },
      { "a.npy", stored, method = 8, size = #I32, crc = core.crc32(I32) } } do
      local good, at = archive { file }, 27 -- the lengths of the name and the extra field
      for _, lengths in ipairs { { 6, 0 }, { 5, 1 }, { 500, 0 }, { 0xffff, 0xffff } } do
        local bytes = good:sub(1, at - 1) .. ("<I2I2"):pack(table.unpack(lengths))
          .. good:sub(at + 4)
        helper.contains(helper.misuse(load, bytes), "array 'a': the archive is damaged")
      end
    end
  end)

  it("with names and comments that reach out of the directory are refused as damaged", function()
    local good = archive { { "a.npy", I32 } }
    local from = #good - 22 - 51 + 1 -- of the only entry of the directory, whose name has 5 bytes
    -- With these lengths of the name, the extra field and the comment, and so many bytes added.
    local function with(name, extra, comment, added)
      local ending = good:sub(-22)
      return good:sub(1, from + 27) .. ("<I2I2I2"):pack(name, extra, comment)
        .. good:sub(from + 34, -23) .. ("\0"):rep(added) .. ending:sub(1, 12)
        .. ("<I4"):pack(51 + added) .. ending:sub(17)
    end
    assert.equal(good, with(5, 0, 0, 0))
    for added = 0, 6 do
      local half = added // 2
      for _, lengths in ipairs { { 5, 0, added }, { 5, added, 0 }, { 5, half, added - half } } do
        local name, extra, comment = table.unpack(lengths)
        if extra == 0 or extra >= 4 then
          assert.equal("a", (next(load(with(name, extra, comment, added)))))
        end
        for k = 1, 3 do
          lengths[k] = lengths[k] + 1
          local ok, e = pcall(load, with(lengths[1], lengths[2], lengths[3], added))
          assert.is_false(ok)
          helper.contains(e, "the archive's directory is damaged")
          lengths[k] = lengths[k] - 1
        end
      end
    end
  end)

  it("that are packed wrongly are refused", function()
    local function packed(size, data)
      return archive { { "a.npy", data, method = 8, size = size, crc = core.crc32(I32) } }
    end
    local function refused(...)
      return helper.misuse(load, packed(...)):match "a%.npz': array 'a': (.*)$"
    end
    local stored = ("<I1I2I2"):pack(1, #I32, ~#I32 & 0xffff) .. I32 -- one block, not compressed
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, load(packed(#I32, stored)).a:totable())
    assert.equal("the compressed data hold too many bytes", refused(#I32 - 1, stored))
    assert.equal("the compressed data hold too many bytes", refused(0, stored))
    for _, size in ipairs { #I32 + 1, 0xfffffff0 } do
      assert.equal("the compressed data hold too few bytes", refused(size, stored))
    end
    for cut = 0, #stored - 1 do
      assert.equal("the compressed data are cut off", refused(#I32, stored:sub(1, cut)))
    end
    assert.equal("the compressed data are damaged", refused(#I32, "\1\0\0\0\0"))
    assert.matches("^the data are damaged: their CRC%-32",
      refused(#I32, stored:sub(1, -2) .. "\1"))
    if core.zlib() then
      assert.equal("the compressed data are damaged", refused(#I32, "\7" .. stored))
    end
  end)

  it("with any byte changed are read correctly or refused", function()
    local good, path = archive { { "a.npy", I32, zip64 = true } }, helper.tmpdir() .. "/a.npz"
    for at = 1, #good do
      local changed = good:sub(1, at - 1) .. string.char(good:byte(at) ~ 0x41) .. good:sub(at + 1)
      local ok, got = pcall(load, changed, nil, path)
      if ok then
        local _, a = next(got)
        assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a and a:totable(), "byte " .. at)
      else
        assert.matches("load_npz: ", tostring(got), 1, true)
        assert.not_matches("attempt to", tostring(got), 1, true)
      end
    end
  end)

  it("replace files as a whole", function()
    local dir = helper.tmpdir()
    local path = dir .. "/a.npz"
    cuda.save_npz(path, { a = cuda.arange(3) })
    assert.matches("array 'b': .-no name for bfloat16; a:astype%('float32'%)",
      helper.misuse(cuda.save_npz, path, { a = cuda.arange(4), b = cuda.zeros(1, "bfloat16") }))
    assert.same({ 0, 1, 2 }, cuda.load_npz(path).a:totable())
    cuda.save_npz(path, { a = cuda.arange(4) })
    cuda.arange(5):save_npy(dir .. "/b.npy")
    assert.same({ 0, 1, 2, 3 }, cuda.load_npz(path).a:totable())
    assert.same({ "a.npz", "b.npy" }, files_in(dir))
    assert(os.execute(("ln -s a.npz %s/link"):format(dir)))
    cuda.save_npz(dir .. "/link", { a = cuda.arange(2) }) -- writes to the link's target
    assert.same({ 0, 1 }, cuda.load_npz(path).a:totable())
    assert.same({ "a.npz", "b.npy", "link" }, files_in(dir))
  end)

  it("that cannot be written leave no files", function()
    local dir = helper.tmpdir()
    local ok, e = pcall(cuda.save_npz, dir .. "/none/a.npz", { a = cuda.zeros(1) })
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    assert.matches("none/a.npz", e.message)
    ok, e = pcall(cuda.load_npz, dir .. "/none.npz")
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    -- a limit on file size simulates a full disk
    local _, output = helper.lua(([[
      local cuda = require "luacuda"
      cuda.use "cpu"
      local path = %q
      cuda.save_npz(path, { a = cuda.arange(3) })
      local ok, e = pcall(cuda.save_npz, path, { a = cuda.zeros(100000) })
      print(ok, cuda.is_error(e, "runtime"), #cuda.load_npz(path).a)
    ]]):format(dir .. "/a.npz"), { before = "sh -c 'trap \"\" XFSZ; ulimit -f 8; exec \"$@\"' sh" })
    assert.equal("false\ttrue\t3\n", output)
    assert.same({ "a.npz" }, files_in(dir))
  end)

  it("refuse what they cannot represent", function()
    local misuse, a = helper.misuse, cuda.zeros(1)
    assert.equal("save_npz: argument 1 'path': expected a string, got array",
      misuse(cuda.save_npz, a))
    assert.equal("save_npz: argument 2 'arrays': expected a table, name to array, got array",
      misuse(cuda.save_npz, "/dev/null", a))
    assert.equal("save_npz: argument 2 'arrays': expected strings as names, got 1",
      misuse(cuda.save_npz, "/dev/null", { a }))
    assert.equal("save_npz: array 'x': expected an Array, got number",
      misuse(cuda.save_npz, "/dev/null", { x = 1 }))
    for _, name in ipairs { "", "a\0b", "\255", ("x"):rep(65532) } do
      assert.matches("a name is UTF%-8 text of 1 to 65531 bytes",
        misuse(cuda.save_npz, "/dev/null", { [name] = a }))
    end
    a:free()
    assert.equal("save_npz: array 'x': attempt to use a closed Array",
      misuse(cuda.save_npz, "/dev/null", { x = a }))
    assert.matches("argument 1 'path': expected a string, got number", misuse(cuda.load_npz, 3))
    assert.matches("unknown option 'nams'; did you mean 'names'",
      misuse(cuda.load_npz, "x", { nams = {} }))
  end)
end)

describe("Zip64", function()
  local function read_at(text, base)
    return function(at, n)
      local before = math.max(0, math.min(n, base - at))
      return ("\0"):rep(before) .. text:sub(at + before - base + 1, at - base + n)
    end
  end

  -- The directory alone: its data on entries that are too large to create here.
  local function round_trip(entries, at)
    local parts = {}
    for i, entry in ipairs(entries) do parts[i] = zip.central_header(entry) end
    local text = table.concat(parts)
    local whole = text .. zip.ending(#entries, at, #text)
    local got = assert(zip.directory(at + #whole, read_at(whole, at)))
    assert.equal(#entries, #got)
    for i, entry in ipairs(entries) do
      for _, field in ipairs { "name", "size", "crc", "at" } do
        if entry[field] ~= got[i][field] then
          assert.equal(entry[field], got[i][field], entry.name .. ": " .. field)
        end
      end
      if entry.size ~= got[i].packed then assert.equal(entry.size, got[i].packed, entry.name) end
    end
    return whole
  end

  it("is used only where 32 bits are not enough", function()
    local small = { name = "a.npy", size = 0xfffffffe, crc = 1, at = 0xfffffffe }
    assert.equal(30 + 5, #zip.local_header(small))
    assert.equal(46 + 5, #zip.central_header(small))
    assert.equal(22, #zip.ending(0xfffe, 0xfffffffe, 0xfffffffe))
    assert.equal(76 + 22, #zip.ending(0xffff, 0, 0))
    assert.equal(76 + 22, #zip.ending(1, 0xffffffff, 0))
    local large = { name = "a.npy", size = 0xffffffff, crc = 1, at = 0xffffffff }
    assert.equal("\1\0\16\0" .. ("<i8i8"):pack(0xffffffff, 0xffffffff),
      zip.local_header(large):sub(36))
    assert.equal(30 + 5 + 20, #zip.local_header(large))
    assert.equal("\1\0\24\0" .. ("<i8i8i8"):pack(0xffffffff, 0xffffffff, 0xffffffff),
      zip.central_header(large):sub(52))
    small.at = 0xffffffff
    assert.equal("\1\0\8\0" .. ("<i8"):pack(0xffffffff), zip.central_header(small):sub(52))
  end)

  it("stores sizes and positions of any length", function()
    round_trip({
      { name = "a.npy", size = 5 << 32, crc = 0xdeadbeef, at = 0 }, { name = "b.npy", size = 10,
        crc = 2, at = 6 << 32 },
      { name = "c.npy", size = 0xffffffff, crc = 3, at = 7 << 32 },
      { name = "d.npy", size = 0, crc = 0, at = 0xffffffff },
    }, 9 << 32)
  end)

  it("stores any number of entries", function()
    local entries = {}
    for i = 1, 65536 do entries[i] = { name = "x" .. i, size = 0, crc = 0, at = 0 } end
    local whole = round_trip(entries, 100)
    assert.equal("\255\255\255\255", whole:sub(-14, -11))
  end)

  it("that is damaged is refused", function()
    local text = zip.central_header { name = "a", size = 1 << 33, crc = 0, at = 0 }
    local at = 1 << 34
    local ending = zip.ending(1, at, #text)
    local function refused(whole)
      return select(2, zip.directory(at + #whole, read_at(whole, at)))
    end
    assert.is_nil(refused(text .. ending))
    assert.matches("damaged", refused(text .. "X" .. ending:sub(2))) -- the record's signature
    -- where it is
    assert.matches("damaged",
      refused(text .. ending:sub(1, 64) .. ("<i8"):pack(-1) .. ending:sub(73)))
    -- a field that is too short
    assert.matches("damaged", refused(text:gsub("\1\0\16\0", "\1\0\4\0") .. ending))
    -- a negative size
    assert.matches("damaged", refused(text:sub(1, -9) .. ("<i8"):pack(-5) .. ending))
  end)
end)
