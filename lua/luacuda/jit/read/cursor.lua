-- cursor.lua: the parser's place among the tokens: what is there, what must be there, and the nodes
-- of the tree. Its functions are methods of the parser.

local M = {}

-- Raises an error at the current token.
function M.fail(p, message)
  local tokens, at = p.tokens, p.at
  local near = p.text:sub(tokens.from[at], tokens.to[at])
  if p.kind == "end of text" then near = "<eof>" end
  error(("%s:%d: %s near '%s'"):format(p.file, tokens.lines[at], message, near), 0)
end

-- Raises an error at a line.
function M.fail_at(p, line, message) error(("%s:%d: %s"):format(p.file, line, message), 0) end

function M.next(p)
  if p.at < p.tokens.count then p.at = p.at + 1 end
  p.kind = p.tokens.kinds[p.at]
end

-- The kind of the token after the current one.
function M.peek(p) return p.tokens.kinds[math.min(p.at + 1, p.tokens.count)] end

function M.line(p) return p.tokens.lines[p.at] end

-- Passes a token of this kind; false where there is another.
function M.take(p, kind)
  if p.kind ~= kind then return false end
  p:next()
  return true
end

function M.expect(p, kind)
  if not p:take(kind) then p:fail(("'%s' expected"):format(kind)) end
end

-- Passes the mark that closes what `opener` opened on a line.
function M.expect_close(p, kind, opener, line)
  if p:take(kind) then return end
  if line == p:line() then p:fail(("'%s' expected"):format(kind)) end
  p:fail(("'%s' expected (to close '%s' at line %d)"):format(kind, opener, line))
end

-- Passes a name and returns it.
function M.expect_name(p)
  if p.kind ~= "name" then p:fail "<name> expected" end
  local name = p.tokens.values[p.at]
  p:next()
  return name
end

-- A node that begins at the current token, or where another node does.
function M.begin(p, kind, first)
  if first then return { kind = kind, line = first.line, from = first.from } end
  return { kind = kind, line = p.tokens.lines[p.at], from = p.tokens.from[p.at] }
end

-- Ends a node with the token before the current one.
function M.finish(p, node)
  node.to = p.tokens.to[p.at - 1] or node.from
  return node
end

-- Lua's limit for constructs inside each other is 200 with what called its compiler.
local MOST_LEVELS = 220

function M.enter(p)
  p.level = p.level + 1
  if p.level > MOST_LEVELS then p:fail "too many constructs inside each other" end
end

function M.leave(p) p.level = p.level - 1 end

return M
