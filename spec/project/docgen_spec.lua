-- tools/docgen.lua: the entries of docs/api that it refuses, and its output for others.
local helper = require "spec.helper"
local layout = require "luacuda.manual.layout"
local pages = require "tools.docgen.pages"
local read = require("luacuda.manual.subjects").read
local types = require "tools.docgen.types"

-- The subjects and classes of one file, whose only part has these entries.
local function read_entries(entries)
  local data = load(([[return { title = "One", text = "Words.", parts = {
    { class = "Thing", text = "A class.", entries = { %s } } } }]]):format(entries))
  return read(function(name) return name == "index" and { "one" } or data() end)
end

describe("tools/docgen.lua", function()
  local WRONG = {
    "(Array; without `axis`) an array", "Array,integer", "Arry", "integer[", "integer]",
    "integer??", "number or nil, words", "", "{ a = integer }, a table", "\"a b\", a word",
  }
  for _, text in ipairs(WRONG) do
    it("refuses the type in '" .. text .. "'", function()
      assert.error_matches(function()
        read_entries(("{ 'f', returns = { %q }, text = 'Words.' }"):format(text))
      end, "cannot read the type in")
    end)
  end

  it("refuses a field without a type", function()
    assert.error_matches(function() read_entries "{ 'f', kind = 'field', text = 'Words.' }" end,
      "Thing.f needs one type")
  end)

  it("refuses two places with one anchor", function()
    local twice = "{ 'f', kind = 'field', returns = { 'any' }, text = 'Words.' },"
      .. "{ 'f', text = 'Words.' }"
    assert.error_matches(function() pages((read_entries(twice))) end,
      "two places have the anchor #thingf")
  end)

  it("names the page of an anchor in links from elsewhere, and refuses others", function()
    local made = pages((read_entries "{ 'f', text = 'Words on [f](#thingf).' }"))
    helper.contains(made["one.md"], "Words on [f](#thingf).")
    helper.contains(made["README.md"], "[f](one.md#thingf)")
    helper.contains(made["README.md"], "[Thing](one.md#thing)")
    assert.error_matches(function() pages((read_entries "{ 'f', text = '[g](#thingg)' }")) end,
      "one.md links to #thingg, which no page has")
  end)

  it("writes a call with its optional arguments and options", function()
    local _, classes = read_entries("{ 'f', params = { 'a: any', 'b?: integer (1), words' },"
      .. " options = { 'c?: \"x\"|\"y\" (\"x\")' }, text = 'Words.' }")
    local entry = classes[1].entries[1]
    assert.same({ "thing:f(a [, b] [, { c = }])" }, layout.signatures(entry))
    local lines = {}
    layout.detail_lines(lines, entry, 100)
    assert.same({ "- `a` (any)", "- `b` (integer, default 1): words", "- options:",
      '  - `c` ("x"|"y", default "x")' }, lines)
  end)

  it("writes options in the place of optional parameters as overloads", function()
    local _, classes, dtypes = read_entries("{ 'f', params = { 'a: Thing', 'b?: table' },"
      .. " options = { 'c?: boolean' }, returns = { 'Thing', '...: Thing' }, text = 'Words.' },"
      .. "{ 'm', kind = 'call', params = { '...: any' }, options = { 'd?: Thing' },"
      .. " text = 'Words.' }")
    classes[#classes + 1] = { name = "Struct", entries = {} }
    classes[#classes + 1] = { name = "luacuda", entries = {} }
    local text = types(classes, dtypes)
    assert.matches("---@param b? table<any, any>\n", text, 1, true)
    assert.matches("---@overload fun(a: luacuda.Thing, options: luacuda.options.thing_f):"
      .. " luacuda.Thing, ...: luacuda.Thing\n", text, 1, true)
    assert.matches("---@return luacuda.Thing ...\n", text, 1, true)
    assert.matches("---@overload fun(...: any|luacuda.options.thing_m)\n", text, 1, true)
    assert.same({}, require("spec.support.annotations").faults(text))
  end)

  it("keeps the lines of code, which is indented further", function()
    local subjects = read_entries([==[ { "f", text = [[Words
          that go on:

              local a = 1
              if a then

                b()
              end

          - an item
              that is long

          More.]] } ]==])
    local lines = {}
    local text = subjects[1].parts[1].entries[1].text
    layout.add_text(lines, text, 60, true)
    assert.same({ "Words that go on:", "", "```lua", "local a = 1", "if a then", "```", "",
      "```lua", "  b()", "end", "```", "", "- an item that is long", "", "More.", "" }, lines)
    lines = {}
    layout.add_text(lines, text, 60)
    assert.same({ "Words that go on:", "", "    local a = 1", "    if a then", "" },
      { table.unpack(lines, 1, 5) })
  end)

  it("breaks lines between words", function()
    assert.same({ "one two", "  three" }, layout.wrap("one  two\nthree", 9, "  "))
    assert.same({ "f([{ a =,", "    b = }])" }, layout.wrap_signature("f([{ a =, b = }])", 11))
  end)
end)
