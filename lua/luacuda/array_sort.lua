-- array_sort.lua: the method sort, which works in place; cuda.sort gives a copy.

return { sort = require("luacuda.sort").in_place }
