-- csv.lua: arrays as text: rows of numbers with a delimiter (RFC 4180).

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local delimiters = require "luacuda.files.csv_delimiter"
local files = require "luacuda.files.file"

local fail = arguments.fail

-- Fields that mean "no value".
local MISSING = { "", "NA", "N/A", "NaN", "nan", "null", "NULL" }
local BYTE_ORDER_MARK = "\xef\xbb\xbf"

-- Options -----------------------------------------------------------------------------------------

-- An option of one character; `default` where it is nil.
local function character(what, opts, name, default)
  local value = opts[name]
  if value == nil then return default end
  if type(value) ~= "string" or #value ~= 1 or value:find "[%w\"\r\n%z+.-]" then
    fail(what, "option '%s': expected one character that is no part of a number, got %s", name,
      type(value) == "string" and ("%q"):format(value) or arguments.describe(value))
  end
  return value
end

local function check_dtype(what, label, dtype)
  local row = type(dtype) == "string" and dtypes.of(dtype)
  local kind = row and row.kind
  if kind ~= "int" and kind ~= "uint" and kind ~= "float" then
    fail(what, "%s: expected integers or real floats, got %s", label, tostring(dtype))
  end
  return dtype
end

-- A list of strings.
local function check_texts(what, opts, name)
  local list = opts[name]
  if type(list) ~= "table" then
    fail(what, "option '%s': expected a list of strings, got %s", name, arguments.describe(list))
  end
  core.list_check(list, ("%s: option '%s'"):format(what, name), what)
  for i, text in ipairs(list) do
    if type(text) ~= "string" then
      fail(what, "option '%s': item %d: expected a string, got %s", name, i,
        arguments.describe(text))
    end
  end
  return list
end

local LOAD = { "delimiter", "header", "columns", "dtype", "missing", "comment", "skip", "device",
  "stream", "out" }

local function load_settings(options)
  local what = "load_csv"
  local opts = arguments.options(what, options, LOAD)
  local skip = opts.skip == nil and 0 or opts.skip
  if math.type(skip) ~= "integer" or skip < 0 then
    fail(what, "option 'skip': expected a number of lines, got %s", arguments.describe(skip))
  end
  if opts.columns ~= nil and type(opts.columns) ~= "table" then
    fail(what, "option 'columns': expected a list of names or numbers, got %s",
      arguments.describe(opts.columns))
  end
  if opts.columns then core.list_check(opts.columns, what .. ": option 'columns'", what) end
  local out = opts.out
  if out ~= nil and arguments.open_type(out) ~= "array" then
    fail(what, "option 'out': expected an Array, got %s", arguments.describe(out))
  end
  return {
    delimiter = character(what, opts, "delimiter", ","),
    comment = character(what, opts, "comment", ""),
    header = arguments.boolean(what, opts, "header"),
    missing = opts.missing == nil and MISSING or check_texts(what, opts, "missing"),
    dtype = check_dtype(what, "option 'dtype'", opts.dtype or out and out.dtype or "float32"),
    exact = opts.dtype == nil and not out, columns = opts.columns, skip = skip, out = out,
    device = opts.device, stream = opts.stream,
  }
end

-- Reading -----------------------------------------------------------------------------------------

-- The position and the number of the first line to read.
local function start_of(text, skip)
  local at = text:sub(1, 3) == BYTE_ORDER_MARK and 4 or 1
  for line = 1, skip do
    local newline = text:find("\n", at, true)
    if not newline then return #text + 1, line + 1 end
    at = newline + 1
  end
  return at, skip + 1
end

local WORDS = { inf = true, nan = true, infinity = true }

local function is_number(field)
  return tonumber(field) ~= nil or WORDS[field:lower():gsub("^[+-]", "")] ~= nil
end

-- Without the option, a row is a header if it has text and no number.
local function is_header(fields, given)
  if given ~= nil then return given end
  local text = false
  for _, field in ipairs(fields) do
    if is_number(field) then return false end
    text = text or field ~= ""
  end
  return text
end

-- The number of a column from its number or its name; complain(text, ...) raises.
local function column_of(complain, column, names, width)
  local at = math.type(column) == "integer" and column or nil
  if type(column) == "string" then
    if not names then complain("column '%s': the file has no header", column) end
    for i, name in ipairs(names) do at = at or name == column and i or nil end
    if not at then
      complain("there is no column '%s'%s", column, core.near(column, names))
    end
  end
  if not at then
    complain("option 'columns': expected names or numbers, got %s", arguments.describe(column))
  end
  if at < 1 or at > width then complain("there is no column %d: rows have %d", at, width) end
  return at
end

-- The numbers of the columns to read, and their names or nil.
local function choose(complain, columns, names, width)
  local places, chosen = {}, names and {}
  for i = 1, columns and #columns or width do
    places[i] = columns and column_of(complain, columns[i], names, width) or i
    if names then chosen[i] = names[places[i]] end
  end
  if #places == 0 then complain("option 'columns': the list is empty") end
  return places, chosen
end

local NAMES = "; header = true takes the row as names"

-- complain(text, ...), which raises that about the file, and what to do if its delimiter is another
-- one. The first row has these fields and ends before `after`.
local function complainer(where, text, after, fields, delimiter)
  return function(why, ...)
    why = why:format(...)
    local bad = why:match "^line %d+, field %d+: '(.*)'%.* is not a"
    local hint = delimiters.hint(text, after, fields, delimiter, bad, is_number)
    fail(where, "%s%s", hint and why:gsub(NAMES, "") or why, hint or "")
  end
end

-- cuda.load_csv(path [, options]) -> array, names of the columns or nil
local function load_csv(path, options)
  files.check_path("load_csv", path)
  local settings = load_settings(options)
  local text = files.whole("load_csv", path)
  local where = ("load_csv: '%s'"):format(path)
  local at, line = start_of(text, settings.skip)
  local delimiter, comment = settings.delimiter, settings.comment
  local fields, first, after, next_line = core.csv_fields(text, at, line, delimiter, comment)
  if not fields then fail(where, "%s", first or "there are no rows") end
  local complain = complainer(where, text, after, fields, delimiter)
  local names
  local numbers = settings.header == nil and delimiters.find_numbers(fields, delimiter, is_number)
  if numbers then
    complain("line %d, field %d: '%s' is not a number", first, numbers, fields[numbers])
  end
  if is_header(fields, settings.header) then names, at, line = fields, after, next_line end
  local places, chosen = choose(complain, settings.columns, names, #fields)
  local bytes, rows = core.csv_numbers(text, at, line, delimiter, comment, settings.dtype, #fields,
    places, settings.missing, settings.exact)
  if not bytes then
    local maybe_names = not names and rows:find(("^line %d,.*is not a"):format(first))
    complain("%s%s", rows, maybe_names and NAMES or "")
  end
  files.check_out(where, settings.out, settings.dtype, { rows, #places })
  local array = core.array(bytes, settings.dtype, { shape = { rows, #places }, out = settings.out,
    device = settings.device, stream = settings.stream })
  return array, chosen
end

-- Writing -----------------------------------------------------------------------------------------

-- Is a name read back as it is? Those with a quote, an end of a line or a delimiter are not, nor
-- those with blanks around them. An empty name is, unless the whole line may look empty.
local function is_plain(text, delimiter, count)
  if text == "" then return count > 1 and not delimiter:find "%s" end
  return not text:find("[\"\r\n%" .. delimiter .. (delimiter == " " and "\t]" or "]"))
    and text == text:match "^%s*(.-)%s*$"
end

local function quoted(text, delimiter, count)
  return is_plain(text, delimiter, count) and text or '"' .. text:gsub('"', '""') .. '"'
end

local function header_line(names, width, delimiter)
  local words = {}
  if #names ~= width then
    fail("save_csv", "option 'header': expected %d names, one for each column, got %d", width,
      #names)
  end
  for i, name in ipairs(names) do words[i] = quoted(name, delimiter, width) end
  return table.concat(words, delimiter) .. "\n"
end

-- cuda.save_csv(array, path [, { header =, delimiter = }]) -> array
local function save_csv(array, path, options)
  local what = "save_csv"
  array = arguments.array(what, 1, "array", array)
  files.check_path(what, path, 2)
  local opts = arguments.options(what, options, { "header", "delimiter" })
  local delimiter = character(what, opts, "delimiter", ",")
  local dtype = array.dtype == "bool" and "uint8" -- as 0 and 1
    or check_dtype(what, "argument 1 'array'", array.dtype)
  if array.ndim < 1 or array.ndim > 2 then
    fail(what, "argument 1 'array': expected 1 or 2 axes, got %d", array.ndim)
  end
  local width = array.shape[2] or 1
  local header = opts.header ~= nil
    and header_line(check_texts(what, opts, "header"), width, delimiter) or ""
  local elements = array.dtype == "bool" and array:astype "uint8" or array
  local text = core.csv_text(elements:tobytes(), dtype, math.max(width, 1), delimiter)
  files.replace(what, path, function(file)
    files.put(what, path, file, header)
    files.put(what, path, file, text)
  end)
  return array
end

return { load_csv = load_csv, save_csv = save_csv }
