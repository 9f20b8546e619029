-- sort_in_place.lua: the method sort, which works in place; cuda.sort gives a copy.

return { sort = require("luacuda.array.sort").in_place }
