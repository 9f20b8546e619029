-- list.lua: tables that are to be lists. A nil in one hides from ipairs and # what follows it.

-- list.problem(t) -> nil for a table whose keys are 1 to n, else what is wrong with it.
local function problem(t)
  local count = 0
  for key in pairs(t) do
    if math.type(key) ~= "integer" or key < 1 then return ("a list has no key '%s'"):format(tostring(key)) end
    count = count + 1
  end
  for i = 1, count do
    if rawget(t, i) == nil then return ("item %d of the list is nil"):format(i) end
  end
end

return { problem = problem }
