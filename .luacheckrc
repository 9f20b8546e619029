std = "lua54"
max_line_length = 100
exclude_files = { "build", "build.luarocks", "out", "lua/luacuda/manual.lua" }
-- Files of data may be one long table; a method need not use its receiver.
self = false
-- Specs hold values only to keep them alive, and drop them to see what the collector does.
files["spec"] = { std = "+busted", ignore = { "241", "311", "331" } }
-- The settings files of tools assign globals.
files["*.rockspec"] = { std = "+rockspec" }
files[".luacheckrc"] = { std = "+luacheckrc" }
