-- later.lua: later(name) stands for the table of a module that most processes do not need, as those
-- that find their kernels in the cache: it is loaded when a field of it is first used.
return function(name)
  return setmetatable({}, { __index = function(_, key) return require(name)[key] end })
end
