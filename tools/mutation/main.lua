-- The main program of tools/mutate. It runs in the scratch copy.
local operators = require "operators"
local record = require "ran"
local specs = require "specs"

local function fail(...)
  io.stderr:write("tools/mutate: ", string.format(...), "\n")
  os.exit(2)
end

local NUMBERS = { ["--count"] = "count", ["--seed"] = "seed" }
local FLAGS = { ["--list"] = "list", ["--all"] = "all", ["--thorough"] = "thorough" }

local function parse(args)
  local options, i = { count = 20, seed = os.time() % 100000, paths = {} }, 1
  while args[i] do
    local word = args[i]
    if NUMBERS[word] then
      i = i + 1
      options[NUMBERS[word]] = math.tointeger(args[i]) or fail("%s: expected an integer", word)
    elseif word == "--specs" then
      i = i + 1
      options.specs = args[i] or fail "--specs: expected names"
    elseif FLAGS[word] then options[FLAGS[word]] = true
    elseif word:find "^%-" then fail("unknown option %s", word)
    else options.paths[#options.paths + 1] = word end
    i = i + 1
  end
  return options
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

-- The sources under a path, or the file and the lines of "FILE:LINE" or "FILE:FIRST-LAST".
local function sources(path)
  local file, first, last = path:match "^(.*):(%d+)%-?(%d*)$"
  if file then
    first = math.tointeger(first)
    return { file }, first, math.tointeger(last) or first
  end
  local list = {}
  local pipe = assert(io.popen(("find '%s' -name '*.c' -o -name '*.lua' | sort"):format(path)))
  for one in pipe:lines() do list[#list + 1] = one end
  pipe:close()
  if #list == 0 then fail("no C or Lua file: %s", path) end
  return list, 1, math.maxinteger
end

local equivalent = {} -- file, line, old and new in one string -> reason
for _, row in ipairs(require "equivalent") do equivalent[table.concat(row, "\0", 1, 4)] = row[5] end

local function line_text(text, at)
  local from = #text:sub(1, at - 1):match "^.*\n" + 1
  return text:sub(from):match "^%s*([^\n]*)"
end

-- All mutants of the paths, those of a line in sequence.
local function collect(paths)
  local list = {}
  for _, path in ipairs(paths) do
    local files, first, last = sources(path)
    for _, file in ipairs(files) do
      local text = "\n" .. read(file)
      local language = file:find "%.lua$" and "lua" or "c"
      for _, mutant in ipairs(operators.mutants(text:sub(2), language)) do
        mutant.file = file
        local key = { file, line_text(text, mutant.at + 1), mutant.old, mutant.new }
        mutant.reason = equivalent[table.concat(key, "\0")]
        if first <= mutant.line and mutant.line <= last then list[#list + 1] = mutant end
      end
    end
  end
  return list
end

local function shuffle(list)
  for i = #list, 2, -1 do
    local k = math.random(i)
    list[i], list[k] = list[k], list[i]
  end
  return list
end

-- Draws `count` mutants: one of each random line, so that a line full of constants counts no more
-- than others.
local function sample(list, count)
  local groups, of = {}, {}
  for _, mutant in ipairs(list) do
    local key = mutant.file .. ":" .. mutant.line
    if not of[key] then
      of[key] = {}
      groups[#groups + 1] = of[key]
    end
    table.insert(of[key], mutant)
  end
  local chosen = {}
  for _, group in ipairs(shuffle(groups)) do
    if #chosen < count then chosen[#chosen + 1] = group[math.random(#group)] end
  end
  return chosen
end

local function one_line(text)
  text = text:gsub("%s+", " ")
  if #text > 60 then text = text:sub(1, 40) .. " … " .. text:sub(-17) end
  return text == "" and "(nothing)" or text
end

local function describe(mutant)
  return ("%s:%d  %s → %s"):format(mutant.file, mutant.line, one_line(mutant.old),
    one_line(mutant.new))
end

-- The specs to run for a mutant, and how many of them are special to its file: those that --specs
-- names (`wanted`); or those that ran its line, as tools/test --record noted, and those of the file
-- of which it notes nothing, as on the fake GPU; or, without a record, those that cover the file.
local function specs_of(mutant, wanted)
  if not wanted then
    local special = specs.special(specs.names ".", mutant.file)
    local recorded = record.tests_of(mutant.file, mutant.line, special)
    if not recorded then return specs.of(".", mutant.file) end
    return recorded, #recorded
  end
  local all, list = specs.names ".", {}
  for word in wanted:gmatch "[^,%s]+" do
    local found = specs.expand(all, word)
    if #found == 0 then fail("--specs: no spec %s", word) end
    table.move(found, 1, #found, #list + 1, list)
  end
  return list, #list
end

local function run_all(list, options)
  local runner = require "runner"
  local counts, survivors = { killed = 0, survived = 0, ["not built"] = 0, equivalent = 0 }, {}
  for i, mutant in ipairs(list) do
    local outcome, note = "equivalent", mutant.reason
    if not note then outcome, note = runner.try(mutant, specs_of(mutant, options.specs)) end
    if outcome == "survived" and options.thorough then
      outcome, note = runner.try(mutant, specs.of(".", mutant.file, true))
    end
    counts[outcome] = counts[outcome] + 1
    if outcome == "survived" then survivors[#survivors + 1] = mutant end
    print(("[%d/%d] %s%s  %s"):format(i, #list, outcome, note and " (" .. note .. ")" or "",
      describe(mutant)))
    io.stdout:flush()
  end
  return counts, survivors
end

local function main()
  local options = parse(arg)
  math.randomseed(options.seed)
  if not options.list then record.read(os.getenv "LUACUDA_MUTATE_SCRATCH" .. "/ran") end
  local list = collect(options.paths)
  if not options.all then list = sample(list, options.count) end
  if options.list then
    for _, mutant in ipairs(list) do
      print(describe(mutant) .. (mutant.reason and "  equivalent: " .. mutant.reason or ""))
    end
    return
  end
  local counts, survivors = run_all(list, options)
  local ran = counts.killed + counts.survived
  if #survivors > 0 then print "\nsurvivors:" end
  for _, mutant in ipairs(survivors) do print(describe(mutant)) end
  print(("\nseed %d: %d of %d killed (%d %%), %d not built, %d equivalent"):format(options.seed,
    counts.killed, ran, ran > 0 and (counts.killed * 100 // ran) or 0, counts["not built"],
    counts.equivalent))
end

main()
