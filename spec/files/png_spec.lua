-- PNG pictures, exchanged with a reader and a writer in Python (spec/support/png_peer.py). With
-- LUACUDA_LIBZ=off these are pictures without compression.
local helper = require "spec.helper"
local core = require "luacuda.core"
local cuda = require "luacuda"

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

local function peer(verb, path)
  local pipe = assert(io.popen(("%s spec/support/png_peer.py %s %s 2>&1"):format(PYTHON, verb,
    helper.shell_quote(path))))
  local output = pipe:read "a"
  assert.is_truthy(pipe:close(), output)
  return output
end

-- What the peer reads: width, height, depth, color type, number of filter types; the bytes.
local function read_by_peer(path)
  local numbers, hex = peer("read", path):match "^([%d ]+)\n(%x*)\n$"
  local list = {}
  for n in numbers:gmatch "%d+" do list[#list + 1] = math.tointeger(tonumber(n)) end
  return list, (hex:gsub("%x%x", function(x) return string.char(tonumber(x, 16)) end))
end

local function chunk(kind, data, crc)
  return (">I4"):pack(#data) .. kind .. data
    .. (">I4"):pack(crc or core.crc32(data, core.crc32(kind)))
end

local SIGNATURE = "\137PNG\r\n\26\n"

local function header(width, height, depth, color, interlace)
  return chunk("IHDR", (">I4I4I1I1I1I1I1"):pack(width, height, depth, color, 0, 0, interlace or 0))
end

local function adler32(bytes)
  local a, b = 1, 0
  for i = 1, #bytes do
    a = (a + bytes:byte(i)) % 65521
    b = (b + a) % 65521
  end
  return b << 16 | a
end

-- A zlib stream of bytes that are not compressed.
local function stored(bytes)
  return "\x78\1\1" .. ("<I2I2"):pack(#bytes, ~#bytes & 0xffff) .. bytes
    .. (">I4"):pack(adler32(bytes))
end

-- A gray picture of 2 x 1 pixels.
local function small(parts)
  parts = parts or {}
  return SIGNATURE .. (parts.header or header(2, 1, 8, 0)) .. (parts.before or "")
    .. (parts.data or chunk("IDAT", stored(parts.rows or "\0\5\7"))) .. (parts.after or "")
    .. (parts.ending or chunk("IEND", ""))
end

local function load(bytes, options, path)
  path = path or helper.tmpdir() .. "/a.png"
  helper.write_file(path, bytes)
  return cuda.load_png(path, options)
end

-- fn(...) raises a message that contains `text`.
local function wrong(text, fn, ...) helper.contains(helper.misuse(fn, ...), text) end

local function refused(bytes, path)
  local ok, message = pcall(load, bytes, nil, path)
  assert.is_false(ok)
  assert.matches("png_spec.lua:%d+: load_png: '/[^']*a.png': ", message)
  return message:gsub("^.-a.png': ", "", 1)
end

describe("PNG pictures", function()
  helper.for_each_device(function(device)
    it("of all colors, depths and filters are read, interlaced or not", function()
      local dir, count = helper.tmpdir(), 0
      peer(core.zlib() and "make" or "make_stored", dir)
      for _, name in ipairs(core.file_list(dir)) do
        local stem, color, depth, width, height, mark =
          name:match "^((%d)_(%d+)_%d_(%d+)x(%d+)(_?t?)).png$"
        if stem then
          local got = cuda.load_png(dir .. "/" .. name)
          local channels = ({ ["0"] = 1, ["2"] = 3, ["3"] = 3, ["4"] = 2, ["6"] = 4 })[color]
            + (mark == "_t" and 1 or 0)
          local shape = { tonumber(height), tonumber(width), channels > 1 and channels or nil }
          assert.same(shape, got.shape, name)
          assert.equal(depth == "16" and "uint16" or "uint8", got.dtype, name)
          assert.equal(device, got.device)
          assert.is_true(helper.read_file(dir .. "/" .. stem .. ".raw") == got:tobytes(), name)
          count = count + 1
        end
      end
      assert.equal(208, count)
    end)

    it("are written so that others read them", function()
      local path = helper.tmpdir() .. "/a.png"
      local g = cuda.random.generator(3)
      for _, shape in ipairs { { 1, 1 }, { 4, 7 }, { 5, 3, 1 }, { 3, 5, 2 }, { 9, 2, 3 },
        { 6, 6, 4 }, { 300, 300, 3 } } do
        for _, dtype in ipairs { "uint8", "uint16" } do
          local a = g:integers(0, dtype == "uint8" and 255 or 65535, shape):astype(dtype)
          assert.equal(a, a:save_png(path))
          local numbers, bytes = read_by_peer(path)
          assert.same({ shape[2], shape[1], a.nbytes // a.size * 8,
            ({ 0, 4, 2, 6 })[shape[3] or 1] }, { table.unpack(numbers, 1, 4) })
          if dtype == "uint16" then bytes = core.swap_bytes(bytes, 2) end
          assert.is_true(bytes == a:tobytes())
          local again = cuda.load_png(path)
          assert.is_true(again:equals(shape[3] == 1 and a:reshape { shape[1], shape[2] } or a))
        end
      end
    end)

    it("are compressed", function()
      if not core.zlib() then pending "no zlib" end
      local path = helper.tmpdir() .. "/a.png"
      local x = cuda.arange(400):reshape { 400, 1 } + cuda.arange(500)
      local smooth = cuda.stack({ x, x * 2, x / 3 }, { axis = 3 }):astype "uint8"
      cuda.save_png(smooth, path)
      assert.is_true(#helper.read_file(path) < smooth.nbytes / 20)
      local _, bytes = read_by_peer(path)
      assert.is_true(bytes == smooth:tobytes())
      cuda.zeros({ 3000, 1000 }, "uint8"):save_png(path)
      assert.is_true(#helper.read_file(path) < 10000)
      assert.equal(0, cuda.load_png(path):max())
    end)

    it("of views have the pixels of the view", function()
      local path = helper.tmpdir() .. "/a.png"
      local a = cuda.arange(60, "uint8"):reshape { 4, 5, 3 }
      for _, view in ipairs { a:slice({ 4, 1, -2 }, { 2, 5 }), a:transpose(2, 1, 3),
        a:slice({}, {}, { 1, 3, 2 }), cuda.arange(3, "uint8"):broadcast_to { 2, 2, 3 } } do
        view:save_png(path)
        assert.is_true(cuda.load_png(path):equals(view:contiguous()))
      end
    end)

    it("of truth values and floats have levels from 0 to 255", function()
      local path = helper.tmpdir() .. "/a.png"
      cuda.array({ { true, false } }, "bool"):save_png(path)
      assert.same({ { 255, 0 } }, cuda.load_png(path):totable())
      for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
        cuda.array({ { 0, 1, 0.5, 2, -1, 0 / 0, 1 / 0, -1 / 0, -0.0, 0.25, 0.001 } }, dtype)
          :save_png(path)
        assert.same({ { 0, 255, 128, 255, 0, 0, 255, 0, 0, 64, 0 } },
          cuda.load_png(path):totable())
      end
      local levels = cuda.arange(256, "float32"):reshape { 16, 16 }
      cuda.save_png(levels / 255, path)
      assert.is_true(cuda.load_png(path):equals(levels:astype "uint8"))
    end)

    it("go to the given device and array", function()
      local out = cuda.zeros({ 1, 2 }, "uint8")
      assert.equal(out, load(small(), { out = out }))
      assert.same({ { 5, 7 } }, out:totable())
      assert.equal("cpu", load(small(), { device = "cpu" }).device.kind)
      wrong("a.png': option 'out': expected uint8 array of shape {1, 2}", load, small(),
        { out = cuda.zeros { 1, 2 } })
    end)

    it("that others make bigger than needed are read", function()
      local text = chunk("tEXt", "a\0b")
      assert.same({ { 5, 7 } }, load(small { after = text } .. "trailing"):totable())
      assert.same({ { 5, 7 } }, load(small { before = chunk("sRGB", "\0") }):totable())
      local data = stored "\0\5\7"
      local pieces = chunk("IDAT", "") .. chunk("IDAT", data:sub(1, 4))
        .. chunk("IDAT", data:sub(5))
      assert.same({ { 5, 7 } }, load(small { data = pieces }):totable())
      assert.same({ { 5, 7 } }, load(small { data = chunk("IDAT", data .. "more") }):totable())
    end)
  end)

  it("that are damaged are refused by name", function()
    local data = stored "\0\5\7"
    assert.matches("not a PNG picture", refused "")
    assert.matches("not a PNG picture", refused "P6 1 1 255")
    assert.matches("the file is cut off", refused(SIGNATURE))
    assert.matches("the header is missing", refused(SIGNATURE .. chunk("IDAT", data)))
    assert.matches("the header has 12 bytes",
      refused(small { header = chunk("IHDR", ("\1"):rep(12)) }))
    assert.matches("two headers", refused(small { before = header(2, 1, 8, 0) }))
    assert.matches("0 x 1 pixels", refused(small { header = header(0, 1, 8, 0) }))
    assert.matches("1 x 2147483648 pixels", refused(small { header = header(1, 1 << 31, 8, 0) }))
    assert.matches("color type 3 with samples of 16 bits",
      refused(small { header = header(1, 1, 16, 3) }))
    assert.matches("color type 1 with", refused(small { header = header(1, 1, 8, 1) }))
    assert.matches("samples of 3 bits", refused(small { header = header(1, 1, 3, 0) }))
    assert.matches("interlacing %(0, 0, 2%)", refused(small { header = header(1, 1, 8, 0, 2) }))
    assert.matches("chunk \"IDAT\" is damaged: its CRC%-32 is %x+, not 00000001",
      refused(small { data = chunk("IDAT", data, 1) }))
    assert.matches("chunk \"tEXt\" is damaged", refused(small { before = chunk("tEXt", "a", 1) }))
    assert.matches("chunk \"NEWS\" is not known", refused(small { before = chunk("NEWS", "") }))
    assert.matches("there are no data", refused(small { data = "" }))
    assert.matches("in several places",
      refused(small { data = chunk("IDAT", data) .. chunk("tEXt", "") .. chunk("IDAT", "") }))
    assert.matches("row 1 has a filter", refused(small { rows = "\5\5\7" }))
    assert.matches("too many bytes", refused(small { rows = "\0\5\7\9" }))
    assert.matches("too few bytes", refused(small { rows = "\0\5" }))
    assert.matches("data are damaged",
      refused(small { data = chunk("IDAT", data:sub(1, -2) .. "\0") }))
    assert.matches("data are damaged", refused(small { data = chunk("IDAT", "\x79\1" .. data) }))
    assert.matches("data are cut off", refused(small { data = chunk("IDAT", data:sub(1, -6)) }))
    assert.matches("too few bytes",
      refused(small { header = header(0x7fffffff, 0x7fffffff, 16, 6) }))
    -- its rows have 2^64 + 8192 bytes
    assert.matches("too few bytes", refused(small { rows = ("\0"):rep(8192),
      header = header(2147467264, 1073750016, 16, 6) }))
  end)

  it("that lack colors are refused", function()
    local head = header(2, 1, 8, 3)
    assert.matches("the palette is missing", refused(small { header = head }))
    assert.matches("color 7 is not in the palette of 7",
      refused(small { header = head, before = chunk("PLTE", ("abc"):rep(7)) }))
    for _, palette in ipairs { "", "abcd", ("abc"):rep(257) } do
      assert.matches("palette is damaged",
        refused(small { header = head, before = chunk("PLTE", palette) }))
    end
    assert.matches("transparent color is damaged", refused(small { before = chunk("tRNS", "a") }))
  end)

  it("cut anywhere are refused", function()
    local whole = small { before = chunk("tRNS", "\0\5") }
    assert.same({ { { 5, 0 }, { 7, 255 } } }, load(whole):totable())
    local path = helper.tmpdir() .. "/a.png"
    for n = 0, #whole - 1 do assert.is_string(refused(whole:sub(1, n), path)) end
  end)

  it("are replaced when the new one is complete", function()
    local dir = helper.tmpdir()
    local path = dir .. "/a.png"
    cuda.zeros({ 1, 1 }, "uint8"):save_png(path)
    cuda.ones({ 2, 2 }, "uint8"):save_png(path)
    assert.same({ { 1, 1 }, { 1, 1 } }, cuda.load_png(path):totable())
    assert.same({ "a.png" }, core.file_list(dir))
  end)

  it("need arrays, shapes and paths that make a picture", function()
    local path = helper.tmpdir() .. "/a.png"
    local function save(...)
      local array = cuda.zeros(...)
      return function() array:save_png(path) end
    end
    wrong("save_png: argument 1 'array': expected an Array, got string",
      function() cuda.save_png(path, cuda.zeros { 1, 1 }) end)
    wrong("save_png: argument 2 'path': expected a string, got nil",
      function() cuda.zeros({ 1, 1 }):save_png() end)
    wrong("save_png: argument 2 'path' holds a zero byte",
      function() cuda.zeros({ 1, 1 }):save_png "a\0b" end)
    wrong("load_png: argument 1 'path': expected a string", function() cuda.load_png(1) end)
    wrong("load_png: unknown option 'shap'",
      function() cuda.load_png(path, { shap = 1 }) end)
    for _, shape in ipairs { {}, { 3 }, { 2, 2, 5 }, { 2, 2, 0 }, { 0, 2 }, { 2, 0 },
      { 1, 2, 3, 3 } } do
      wrong("expected shape {height, width} or {height, width, 1 to 4}",
        save(shape, "uint8"))
    end
    for _, dtype in ipairs { "int32", "int8", "uint32", "complex64" } do
      wrong("expected uint8, uint16, bool or floats from 0 to 1, got " .. dtype,
        save({ 2, 2 }, dtype))
    end
    local ok, e = pcall(cuda.load_png, path)
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    ok, e = pcall(cuda.save_png, cuda.zeros({ 1, 1 }), path .. "/none/b.png")
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
  end)
end)

describe("without zlib", function()
  -- Runs code with the variables `cuda`, `core` and `path`; returns path.
  local function run(library, code)
    local path = helper.tmpdir() .. "/a"
    local ok, output = helper.lua(("local path = %q\n"):format(path) .. [[
      local cuda, core = require "luacuda", require "luacuda.core"
      cuda.use "cpu"
    ]] .. code, { env = { LUACUDA_LIBZ = library } })
    assert.is_true(ok, output)
    return path
  end

  it("pictures are written without compression, and read", function()
    local path = run("off", [[
      local a = cuda.arange(70000, "int32"):astype "uint8":reshape { 200, 350 }
      a:save_png(path)
      assert(cuda.load_png(path):equals(a))
    ]])
    assert.is_true(#helper.read_file(path) > 70000)
    local numbers, bytes = read_by_peer(path)
    assert.same({ 350, 200, 8, 0 }, { table.unpack(numbers, 1, 4) })
    assert.is_true(bytes == cuda.load_png(path):tobytes())
  end)

  it("compressed data are refused with what is missing", function()
    run("off", [[
      local ok, e = pcall(cuda.load_png, "examples/data/coffee.png")
      assert(not ok and cuda.is_error(e, "runtime") and e.name == "LUACUDA_ERROR_NOT_FOUND")
      local why = "(LUACUDA_LIBZ forbids zlib)"
      assert(tostring(e):find("zlib, which cannot be opened " .. why, 1, true), e)
      assert(not pcall(core.inflate, "\3\0", 0))
      assert(cuda.diagnose():find("(zlib): not found " .. why, 1, true))
    ]])
  end)

  it("diagnose tells why a library cannot be used", function()
    local core_library = package.searchpath("luacuda.core", package.cpath)
    run(core_library, [[
      local text = cuda.diagnose()
      assert(text:find("core.so cannot be used: it has no zlibVersion)", 1, true), text)
    ]])
  end)
end)
