std = "lua54"
max_line_length = 140
exclude_files = { "build", "build.luarocks", "out" }
-- Files of data may be one long table; a method need not use its receiver.
self = false
files["spec"] = { std = "+busted" }
files["spec/helper.lua"] = { std = "+busted" }
-- The settings files of tools assign globals.
files["*.rockspec"] = { std = "+rockspec" }
files[".luacheckrc"] = { std = "+luacheckrc" }
