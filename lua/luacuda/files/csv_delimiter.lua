-- csv_delimiter.lua: what messages about a text file say where its delimiter seems to be another
-- one.

local OTHERS = { ";", "\t", "|", ",", " " }
local MOST_SHOWN = 60

local function quoted(character)
  return character == "\t" and [["\t"]] or ("%q"):format(character)
end

-- The row of a text that ends before `after`, on one line and not too long.
local function row_text(text, after)
  local row = text:sub(math.max(1, after - 4096), after - 1):match "([^\n]*)\r?\n?$"
  row = row:gsub("\r$", ""):gsub("\t", "\\t"):gsub("%c", "?")
  return #row > MOST_SHOWN and row:sub(1, MOST_SHOWN) .. "..." or row
end

local function has_parts(field, delimiter, is_number)
  local count = 0
  for part in (field .. delimiter):gmatch("([^" .. delimiter .. "]*)[" .. delimiter .. "]") do
    if part ~= "" then
      if not is_number(part) then return false end
      count = count + 1
    end
  end
  return count > 1
end

-- The first of the other delimiters in a field for which accept(delimiter) holds.
local function find(field, delimiter, accept)
  for _, other in ipairs(OTHERS) do
    if other ~= delimiter and field:find(other, 1, true) and accept(other) then return other end
  end
end

local function has_decimal_comma(field) return field:find "^[+-]?%d*,%d+$" ~= nil end

-- The number of a field that consists of numbers: of several with another delimiter, where it is
-- the only one of its row, or of one with a decimal comma. Nil if there is none.
local function find_numbers(fields, delimiter, is_number)
  local function has_others(other) return has_parts(fields[1], other, is_number) end
  if #fields == 1 then return find(fields[1], delimiter, has_others) and 1 end
  for i, field in ipairs(fields) do
    if delimiter ~= "," and has_decimal_comma(field) then return i end
  end
end

-- What to add to a message about a text: nothing, or what to do about its delimiter. `fields` are
-- those of the first row, which ends before the position `after`; `bad` is the field that the
-- message is about, or nil.
local function hint(text, after, fields, delimiter, bad, is_number)
  local suspect = bad or fields[1]
  if #fields > 1 and delimiter ~= "," and has_decimal_comma(suspect) then
    return "; numbers need a decimal point, not a comma"
  end
  local other = find(suspect, delimiter, function(one)
    if #fields == 1 then return one ~= " " or bad ~= nil end
    return one ~= " " and bad and has_parts(bad, one, is_number)
  end)
  if not other then return nil end
  return ("; the delimiter is %s and the first row '%s': pass { delimiter = %s } if that is what "
    .. "separates fields"):format(quoted(delimiter), row_text(text, after), quoted(other))
end

return { find_numbers = find_numbers, hint = hint }
