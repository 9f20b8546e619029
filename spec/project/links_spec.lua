-- Relative links of all Markdown files name files that exist, and headings or anchors in them.

local helper = require "spec.helper"

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

-- Code contains no links or headings.
local function without_code(text)
  local kept, fenced = {}, false
  for line in (text .. "\n"):gmatch "(.-)\n" do
    local fence = line:match "^%s*```"
    if fence then fenced = not fenced elseif not fenced then kept[#kept + 1] = line end
  end
  return table.concat(kept, "\n")
end

-- GitHub's anchor of a heading: letters stay, punctuation is dropped, spaces become "-".
local function slug(heading)
  heading = heading:gsub("%[(.-)%]%(.-%)", "%1"):lower()
  return (heading:gsub("[^%w _%-\128-\255]", ""):gsub(" ", "-"))
end

local anchors_of_path = {}

local function anchors_of(path)
  local known = anchors_of_path[path]
  if known then return known end
  local text, anchors, count = without_code(helper.read_file(path)), {}, {}
  for heading in ("\n" .. text):gmatch "\n#+ +([^\n]+)" do
    local name = slug(heading)
    anchors[count[name] and name .. "-" .. count[name] or name] = true
    count[name] = (count[name] or 0) + 1
  end
  for name in text:gmatch '<a id="([^"]+)">' do anchors[name] = true end
  anchors_of_path[path] = anchors
  return anchors
end

-- "docs/guide.md" and "../examples/pi.lua" -> "examples/pi.lua"
local function resolve(from, link)
  local parts = {}
  for part in ((from:match "^.*/" or "") .. link):gmatch "[^/]+" do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local function exists(path)
  local file = io.open(path)                                 -- a folder can be opened, too
  return file and file:close()
end

-- The reason why a link is broken, or nil.
local function fault(from, link)
  local target, anchor = link:match "^([^#]*)#?(.*)$"
  local path = target == "" and from or resolve(from, target)
  if not exists(path) then return "there is no " .. path end
  if anchor ~= "" and path:find "%.md$" and not anchors_of(path)[anchor] then
    return ("%s has no #%s"):format(path, anchor)
  end
end

describe("links in", function()
  local command = "find . -name '*.md' -not -path './build*' -not -path './.git/*'"
  for _, path in ipairs(lines_of(command)) do
    path = path:gsub("^%./", "")
    it(path, function()
      local text = without_code(helper.read_file(path)):gsub("`[^`\n]*`", "")
      for link in text:gmatch "%]%(([^%s)]+)%)" do
        if not link:find "^%a+:" then
          local why = fault(path, link)
          assert(not why, ("%s: %s"):format(link, tostring(why)))
        end
      end
    end)
  end
end)
