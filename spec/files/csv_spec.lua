-- Text files of numbers, exchanged with a reader and a writer in Python (spec/support/csv_peer.py).
local helper = require "spec.helper"
local core = require "luacuda.core"
local cuda = require "luacuda"

local PYTHON = os.getenv "LUACUDA_PYTHON" or "python3"

local function peer(...)
  local words = { PYTHON, "spec/support/csv_peer.py" }
  for _, word in ipairs { ... } do words[#words + 1] = helper.shell_quote(word) end
  local pipe = assert(io.popen(table.concat(words, " ") .. " 2>&1"))
  local output = pipe:read "a"
  assert.is_truthy(pipe:close(), output)
  return output
end

local function load(text, options, path)
  path = path or helper.tmpdir() .. "/a.csv"
  helper.write_file(path, text)
  return cuda.load_csv(path, options)
end

-- NaN for the word "nan", so that tables can be compared.
local function plain(array)
  local rows = array:totable()
  for _, row in ipairs(rows) do
    for i, v in ipairs(row) do row[i] = v ~= v and "nan" or v end
  end
  return rows
end

local function read(...) return plain((load(...))) end

local function refused(...)
  local text = helper.misuse(load, ...)
  return (text:gsub("^load_csv: '/[^']*a.csv': ", ""))
end

describe("text files of numbers", function()
  helper.for_each_device(function(device)
    it("in all spellings are read to the last bit", function()
      local dir = helper.tmpdir()
      peer("make", dir)
      for n = 0, 39 do
        local stem = dir .. "/" .. n
        local delimiter, height, width =
          helper.read_file(stem .. ".txt"):match "^(.)(%d+) (%d+)$"
        local got = cuda.load_csv(stem .. ".csv", { delimiter = delimiter, comment = "#",
          dtype = "float64" })
        assert.same({ tonumber(height), tonumber(width) }, got.shape)
        assert.equal(device, got.device)
        assert.is_true(helper.read_file(stem .. ".raw") == got:tobytes(), stem)
      end
    end)

    it("are written so that others read them, and come back", function()
      local dir = helper.tmpdir()
      local path = dir .. "/a.csv"
      local bits = cuda.random.generator(5):bits { 100, 4 }
      for _, dtype in ipairs { "float64", "float32", "float16", "bfloat16", "int8", "int64",
        "uint8", "uint16", "uint64" } do
        local size = cuda.zeros(1, dtype).nbytes
        local a = cuda.array(bits:tobytes():sub(1, 200 * size), dtype, { shape = { 50, 4 } })
        assert.equal(a, a:save_csv(path, { delimiter = ";" }))
        local again = cuda.load_csv(path, { delimiter = ";", dtype = dtype })
        assert.same(plain(a), plain(again))
        local doubles = peer("read", path, ";"):gsub("%s", ""):gsub("%x%x", function(x)
          return string.char(tonumber(x, 16))
        end)
        local read_back = cuda.array(core.swap_bytes(doubles, 8), "float64", { shape = a.shape })
        if dtype:find "float" then assert.same(plain(a), plain(read_back:astype(dtype)))
        else assert.is_true(read_back:equals(a:astype "float64")) end
      end
    end)

    it("have views, truth values and single columns written", function()
      local path = helper.tmpdir() .. "/a.csv"
      cuda.arange(6):reshape({ 2, 3 }):transpose():save_csv(path)
      assert.equal("0,3\n1,4\n2,5\n", helper.read_file(path))
      cuda.save_csv(cuda.array({ true, false }), path)
      assert.equal("1\n0\n", helper.read_file(path))
      cuda.array({ 0.1, 1e30, 0 / 0, -1 / 0 }):save_csv(path)
      assert.matches("^0.1\n1e%+30\n%-?nan\n%-inf\n$", helper.read_file(path))
      cuda.zeros({ 0, 2 }):save_csv(path, { header = { "a", "b" } })
      assert.equal("a,b\n", helper.read_file(path))
      local none, names = cuda.load_csv(path)
      assert.same({ 0, 2 }, none.shape)
      assert.same({ "a", "b" }, names)
    end)

    it("go to the given device and array", function()
      local out = cuda.zeros({ 2, 1 }, "int16")
      assert.equal(out, (load("1\n2", { out = out })))
      assert.same({ { 1 }, { 2 } }, out:totable())
      assert.equal("cpu", load("1", { device = "cpu" }).device.kind)
      helper.contains(helper.misuse(load, "1\n2\n3", { out = out }),
        "a.csv': option 'out': expected int16 array of shape {3, 1}, got int16 of shape")
    end)
  end)

  it("begin with names, or do not", function()
    local a, names = load "x, \"y, \"\"z\"\"\" \n1,2\n"
    assert.same({ "x", 'y, "z"' }, names)
    assert.same({ { 1, 2 } }, a:totable())
    a, names = load "1,2\n3,4"
    assert.is_nil(names)
    assert.same({ { 1, 2 }, { 3, 4 } }, a:totable())
    a, names = load("2001,2002\n1,2", { header = true })
    assert.same({ "2001", "2002" }, names)
    assert.same({ { 1, 2 } }, a:totable())
    assert.same({ { "nan", math.huge }, { 1, 2 } }, read "nan,inf\n1,2")
    assert.same({ { "nan", "nan" }, { 1, 2 } }, read ",\n1,2")
    assert.equal("line 1, field 2: 'x' is not a number; header = true takes the row as names",
      refused "1,x\n2,3")
    assert.equal("line 1, field 1: 'x' is not a number; header = true takes the row as names",
      refused("x,y\n2,3", { header = false }))
    assert.equal("line 3, field 1: 'x' is not a number", refused "a\n1\nx")
    assert.equal("line 2, field 1: 'x' is not a number", refused "1\nx")
  end)

  describe("with another delimiter", function()
    -- The message, and the delimiter that it proposes: it then reads as `rows`.
    local function proposes(text, options, why, wanted, rows)
      local message = refused(text, options)
      local seen, row, pass = message:match("; the delimiter is (%b\"\") and the first row '(.*)': "
        .. "pass { delimiter = (%b\"\") }")
      assert.is_truthy(seen, message)
      assert.equal(("%q"):format(options and options.delimiter or ","), seen)
      assert.equal(text:match "[^\n]*":gsub("\t", "\\t"), row)
      assert.equal(wanted, pass)
      assert.equal(why, message:match "^(.-); the delimiter")
      assert.same(rows, read(text, { header = options and options.header,
        delimiter = pass == [["\t"]] and "\t" or pass:sub(2, 2) }))
    end

    it("are refused with the delimiter that they seem to have", function()
      local NUMBER = "line 1, field 1: '%s' is not a number"
      proposes("1;2;3\n4;5;6\n", nil, NUMBER:format "1;2;3", '";"', { { 1, 2, 3 }, { 4, 5, 6 } })
      proposes("1;;3", nil, NUMBER:format "1;;3", '";"', { { 1, "nan", 3 } })
      proposes("1|2", nil, NUMBER:format "1|2", '"|"', { { 1, 2 } })
      proposes("1\t2", nil, NUMBER:format "1\t2", [["\t"]], { { 1, 2 } })
      proposes("1  2", nil, NUMBER:format "1  2", '" "', { { 1, 2 } })
      proposes("1,2\n3,4", { delimiter = ";" }, NUMBER:format "1,2", '","', { { 1, 2 }, { 3, 4 } })
      proposes("x;y\n1;2", nil, "line 2, field 1: '1;2' is not a number", '";"', { { 1, 2 } })
      proposes("1;2\n3;4", { header = true }, "line 2, field 1: '3;4' is not a number", '";"',
        { { 3, 4 } })
      proposes("1;2\n3;4", { header = false }, NUMBER:format "1;2", '";"', { { 1, 2 }, { 3, 4 } })
    end)

    it("are refused where a column or a field is missed", function()
      helper.contains(refused("a;b\n1;2", { columns = { "b" } }), "there is no column 'b'; the "
        .. "delimiter is \",\" and the first row 'a;b': pass { delimiter = \";\" }")
      helper.contains(refused "a;b\n1,5;2", "line 2, field 2: the row goes on, and the first one "
        .. "has 1 field; the delimiter is \",\"")
      helper.contains(refused(("wide;"):rep(40) .. "\n1;2"),
        "the first row '" .. ("wide;"):rep(12) .. "...': pass")
    end)

    it("or a decimal comma are told apart", function()
      helper.contains(refused "1,5;2,5", "line 1, field 2: '5;2' is not a number; the delimiter is")
      assert.equal("line 1, field 1: '1,5' is not a number; numbers need a decimal point, not a "
        .. "comma", refused("1,5;2,5", { delimiter = ";", header = false }))
    end)

    it("with decimal commas are no header", function()
      for _, row in ipairs { "1,5;2,5", "1,5;x", "x;-,25", "2020-01-01;+3,0", "a;\"1,5\"" } do
        for _, rest in ipairs { "", "\n3;4\n" } do
          helper.contains(refused(row .. rest, { delimiter = ";" }), "line 1, field ")
        end
      end
      helper.contains(refused("1,5;2,5", { delimiter = ";" }),
        "'1,5' is not a number; numbers need a decimal point, not a comma")
      local _, names = load("1,5;2,5\n3;4", { delimiter = ";", header = true })
      assert.same({ "1,5", "2,5" }, names)
      _, names = load("x,y;height, m\n3;4", { delimiter = ";" })
      assert.same({ "x,y", "height, m" }, names)
    end)

    it("are taken for what they are if they have names alone", function()
      local a, names = load "x;y\n"
      assert.same({ 0, 1, "x;y" }, { a.shape[1], a.shape[2], names[1] })
      assert.equal("line 2, field 2: 'x' is not a number", refused "a b,c\n1,x")
      assert.equal("line 2, field 1: 'a' is not a number", refused "height in cm\na")
    end)
  end)

  it("give the chosen columns in their order", function()
    local text = "id,name,\"x\",y\n1,\"a\n\"\"b\"\", c\",2,3\n4,d,5,6\n"
    local a, names = load(text, { columns = { "y", 1, "x", "y" } })
    assert.same({ { 3, 1, 2, 3 }, { 6, 4, 5, 6 } }, a:totable())
    assert.same({ "y", "id", "x", "y" }, names)
    assert.equal("line 2, field 2: 'a\n\"\"b\"\", c' is not a number", refused(text))
    assert.equal("line 4, field 1: 'd' is not a number",
      refused("id,name\n1,\"a\nb\"\n" .. "d,1\n", { columns = { 1 } }))
    assert.equal("there is no column 'nam'; did you mean 'name'?",
      refused(text, { columns = { "nam" } }))
    assert.equal("there is no column 5: rows have 4", refused(text, { columns = { 5 } }))
    assert.equal("there is no column 0: rows have 4", refused(text, { columns = { 0 } }))
    assert.equal("column 'a': the file has no header", refused("1", { columns = { "a" } }))
    assert.equal("option 'columns': the list is empty", refused("1", { columns = {} }))
    assert.equal("option 'columns': expected names or numbers, got 1.5",
      refused("1", { columns = { 1.5 } }))
  end)

  it("have NaN for missing values", function()
    assert.same({ { "nan", 1, "nan" }, { "nan", "nan", 2 } }, read ",1,NA\nnull, ,2")
    assert.same({ { "nan", 1 } }, read("-,1", { missing = { "-" } }))
    assert.equal("line 1, field 2: '' is not a number; header = true takes the row as names",
      refused("1,", { missing = { "-" } }))
    assert.equal("line 1, field 2: 'NA' is missing, for which only floats have a value (NaN)",
      refused("1,NA", { dtype = "int32" }))
  end)

  it("have NaN for numbers that stand for missing values", function()
    local spellings = { "-999", "0", "1e30", "-inf", "9", "-999.0", "9999999999" }
    local next_number = helper.random(7)
    for _, dtype in ipairs { "float32", "float64", "bfloat16" } do
      for _ = 1, 20 do
        local missing, is_missing, fields, expected = {}, {}, {}, {}
        for _ = 1, next_number(4) do
          missing[#missing + 1] = spellings[next_number(#spellings) + 1]
          is_missing[missing[#missing]] = true
        end
        for i = 1, 12 do
          fields[i] = spellings[next_number(#spellings) + 1]
          expected[i] = is_missing[fields[i]] and "nan"
            or cuda.array({ math.tointeger(fields[i]) or tonumber(fields[i]) or -math.huge },
              dtype)[1]
        end
        assert.same({ expected }, read(table.concat(fields, ","), { missing = missing,
          dtype = dtype, header = false }))
      end
    end
    assert.same({ { "nan", 5 } }, read("123456789,5", { missing = { "123456789" } }))
    assert.equal("line 2, field 1: '-1' is missing, for which only floats have a value (NaN)",
      refused("1\n-1", { dtype = "int32", missing = { "-1" } }))
  end)

  it("have any number of words for missing values", function()
    local words, row = {}, {}
    for i = 1, 100 do words[i], row[i] = "w" .. i, i % 3 == 0 and "w" .. i or tostring(i) end
    local got = read(table.concat(row, ","), { missing = words, dtype = "float64" })[1]
    for i = 1, 100 do assert.equal(i % 3 == 0 and "nan" or i, got[i]) end
  end)

  it("skip lines, empty lines and comments", function()
    local text = "% title\n\n \t\r\n1,2\n\n%5\n3,4\n\n"
    assert.same({ { 1, 2 }, { 3, 4 } }, read(text, { comment = "%" }))
    assert.same({ { 3 } }, read("1\n2\n3\n", { skip = 2 }))
    assert.equal("there are no rows", refused("1\n2\n", { skip = 3 }))
    assert.equal("there are no rows", refused "")
    assert.equal("there are no rows", refused "\n\n")
    assert.equal("line 4, field 1: 'y' is not a number", refused("a\nb\n1\ny", { skip = 2 }))
  end)

  it("keep integers of every width, and refuse what does not fit", function()
    assert.same({ { math.maxinteger, math.mininteger } },
      read("9223372036854775807,-9223372036854775808", { dtype = "int64" }))
    assert.same({ { -1 } }, read("18446744073709551615", { dtype = "uint64" }))
    for _, case in ipairs { { "int8", "127", "128" }, { "int8", "-128", "-129" },
      { "uint8", "255", "256" }, { "uint8", "+0", "-1" }, { "int64", "-1", "9223372036854775808" },
      { "uint32", "4294967295", "4294967296" }, { "float32", "3.4e38", "3.5e38" },
      { "float16", "65504", "65536" } } do
      local dtype, good, bad = table.unpack(case)
      assert.is_true(helper.close(tonumber(good), read(good, { dtype = dtype })[1][1], dtype))
      assert.equal(("line 1, field 1: '%s' does not fit the dtype"):format(bad),
        refused(bad, { dtype = dtype }))
    end
    assert.matches("'18446744073709551616' is not an integer of 64 bits",
      refused("18446744073709551616", { dtype = "uint64" }))
    assert.matches("'1.0' is not an integer", refused("1.0", { dtype = "int32" }))
  end)

  describe("without option 'dtype'", function()
    local WHY = "line 2, field 3: '%s' is an integer that float32, the default, cannot hold; give "
      .. "option 'dtype', such as \"int64\" or \"float64\""

    -- Integers as texts: random ones of every length, and the neighbors of powers of 2.
    local function integers()
      local next_number, list = helper.random(4), {}
      for length = 1, 25 do
        for _ = 1, 8 do
          local digits = { tostring(next_number(9) + 1) }
          for k = 2, length do
            digits[k] = tostring(next_number(3) == 0 and next_number(10) or 0)
          end
          list[#list + 1] = table.concat(digits)
        end
      end
      for bits = 20, 62 do
        for d = -1, 1 do list[#list + 1] = tostring((1 << bits) + d) end
      end
      return list
    end

    -- Does float32 hold a positive integer? It does if at most 24 bits remain without trailing
    -- zeros.
    local function fits(text)
      local n = math.tointeger(tonumber(text))
      if not n or n <= 0 then return nil end          -- more than Lua's integers hold
      while n % 2 == 0 do n = n // 2 end
      return n < 1 << 24
    end

    it("refuse integers that float32 cannot hold, and keep the others", function()
      local rows, refusals, path = {}, 0, helper.tmpdir() .. "/a.csv"
      for k, text in ipairs(integers()) do
        local spelled = ({ "%s", "-%s", "+%s.", "%s.00", "0%s" })[k % 5 + 1]:format(text)
        if fits(text) then rows[#rows + 1] = spelled
        elseif fits(text) == false or not text:find "^%d0*$" then
          assert.equal(WHY:format(spelled), refused("a,b,c\n1,2," .. spelled, nil, path))
          refusals = refusals + 1
        end
      end
      assert.is_true(#rows > 90 and refusals > 90)
      local read_back = load(table.concat(rows, "\n"), nil, path):totable()
      for k, spelled in ipairs(rows) do
        assert.equal(tonumber((spelled:gsub("^%+", ""))), read_back[k][1], spelled)
      end
    end)

    it("round all other numbers to float32, and all with the option", function()
      for _, text in ipairs { "123456789.5", "1.23456789e8", "1e23", "-0.1", "6.02214076e23" } do
        assert.equal(("f"):unpack(("f"):pack(tonumber(text))), load(text):item(1, 1))
      end
      for _, dtype in ipairs { "float32", "float64", "float16" } do
        local want = cuda.array({ 2049 }, dtype):item(1)
        assert.equal(want, load("2049", { dtype = dtype }):item(1, 1))
      end
      assert.equal(123456792, load("123456789", { dtype = "float32" }):item(1, 1))
      assert.equal(123456792, load("123456789", { out = cuda.zeros { 1, 1 } }):item(1, 1))
      assert.equal(123456789, load("123456789", { dtype = "int64" }):item(1, 1))
      assert.equal(1, load("123456789,1", { columns = { 2 }, header = false }):item(1, 1))
    end)
  end)

  it("beyond the range of floats are refused; infinities are words", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      for _, text in ipairs { "1e400", "-1e400", "1" .. ("0"):rep(400), "9.9e999999" } do
        assert.matches("^line 2, field 2: '.*'.* does not fit the dtype$",
          refused("1,2\n3," .. text, { dtype = dtype }))
      end
      for _, text in ipairs { "inf", "+Infinity", "-INF" } do
        assert.equal(math.huge, math.abs(load(text, { dtype = dtype }):item(1, 1)))
      end
      assert.equal(0, load("1e-400", { dtype = dtype }):item(1, 1))
    end
    assert.matches("^line 1, field 1: '1e400' does not fit the dtype", refused "1e400")
  end)

  it("with damaged rows are refused with the line", function()
    assert.equal("line 2, field 1: the row ends here, and the first one has 2 fields",
      refused "1,2\n3\n4,5")
    assert.equal("line 3, field 3: the row goes on, and the first one has 2 fields",
      refused "1,2\n\n4,5,6")
    assert.equal("line 2, field 2: a quote that is not closed", refused "1,2\n3,\"4\n5,6")
    assert.equal("line 1, field 1: a quote that is not closed", refused "\"1")
    assert.equal("line 2, field 1: text behind a closing quote", refused "1\n\"2\"3")
    for _, word in ipairs { "0x10", "1e", "e5", "--1", "1.2.3", "1 2", "+", ".", "1e+", "nano",
      "\0", "١" } do
      assert.matches("^line 2, field 1: '.*' is not a number", refused("1\n" .. word))
    end
    assert.matches("^line 2, field 1: '" .. ("x"):rep(40) .. "'... is not a number",
      refused("1\n" .. ("x"):rep(100)))
  end)

  it("have names in quotes where needed", function()
    local path = helper.tmpdir() .. "/a.csv"
    local names = { "a", "b,c", 'd "e"', " f", "g\nh", "" }
    cuda.zeros({ 1, 6 }):save_csv(path, { header = names })
    local _, again = cuda.load_csv(path)
    assert.same(names, again)
    assert.equal('a,"b,c","d ""e"""," f","g\nh",\n0,0,0,0,0,0\n', helper.read_file(path))
  end)

  it("are independent of the locale", function()
    if os.setlocale "de_DE.UTF-8" == nil then return end
    local path = helper.tmpdir() .. "/a.csv"
    local a = cuda.array { 0.5, 1e-20 }
    a:save_csv(path)
    local again = cuda.load_csv(path)
    os.setlocale "C"
    assert.is_true(again:ravel():equals(a))
  end)

  it("keep names of every kind with every delimiter", function()
    local next_number, path = helper.random(11), helper.tmpdir() .. "/a.csv"
    local PARTS = { "", " ", "\t", "\"", ",", ";", "|", "\n", "\r\n", "\r", "a", "é", "1", "%" }
    for _, delimiter in ipairs { ",", ";", "\t", " ", "|", "%", "^", "]" } do
      for _ = 1, 60 do
        local given = {}
        for i = 1, next_number(4) + 1 do
          given[i] = ""
          for _ = 1, next_number(4) do given[i] = given[i] .. PARTS[next_number(#PARTS) + 1] end
        end
        cuda.ones { 2, #given }:save_csv(path, { header = given, delimiter = delimiter })
        local a, names = cuda.load_csv(path, { header = true, delimiter = delimiter })
        assert.same(given, names)
        assert.same({ 2, #given }, a.shape)
      end
    end
  end)

  it("need correct options", function()
    local path = helper.tmpdir() .. "/a.csv"
    helper.write_file(path, "1\n")
    local function wrong(text, fn, ...) helper.contains(helper.misuse(fn, ...), text) end
    local a = cuda.zeros { 2, 3 }
    for text, options in pairs {
      ["unknown option 'sep'"] = { sep = "," },
      ["option 'delimiter': expected one character that is no part of a number, got \"ab\""] =
        { delimiter = "ab" },
      ["option 'delimiter': expected one character that is no part of a number, got \"1\""] =
        { delimiter = "1" },
      ["option 'comment': expected one character"] = { comment = "" },
      ["option 'header': expected a boolean, got 1"] = { header = 1 },
      ["option 'columns': expected a list of names or numbers, got 1"] = { columns = 1 },
      ["option 'missing': expected a list of strings, got string"] = { missing = "x" },
      ["option 'missing': item 1: expected a string, got 1"] = { missing = { 1 } },
      ["option 'skip': expected a number of lines, got -1"] = { skip = -1 },
      ["option 'dtype': expected integers or real floats, got complex64"] = { dtype = "complex64" },
      ["option 'out': expected an Array, got 1"] = { out = 1 },
    } do
      wrong(text, cuda.load_csv, path, options)
    end
    wrong("load_csv: argument 1 'path': expected a string", cuda.load_csv)
    wrong("save_csv: argument 1 'array': expected an Array", cuda.save_csv, path, a)
    wrong("save_csv: argument 2 'path': expected a string", cuda.save_csv, a)
    wrong("expected 1 or 2 axes, got 3", cuda.save_csv, cuda.zeros { 1, 1, 1 }, path)
    wrong("expected integers or real floats, got complex64", cuda.save_csv,
      cuda.zeros(1, "complex64"), path)
    wrong("option 'header': expected 3 names, one for each column, got 1", cuda.save_csv, a, path,
      { header = { "x" } })
    wrong("option 'header': expected a list of strings, got true", cuda.save_csv, a, path,
      { header = true })
    local ok, e = pcall(cuda.load_csv, path .. ".none")
    assert.is_false(ok)
    assert.is_true(cuda.is_error(e, "runtime"))
    assert.same({ "a.csv" }, core.file_list((path:match "^(.*)/")))
  end)
end)
