-- An interpreter of a small stack machine in every thread: a switch with many cases, a program
-- counter per lane, jumps, calls and a stack in local memory; the same machine in Lua.
local PROGRAMS, STEPS = 96, 400

-- jump is taken if the top is positive; mod takes the top off and divides by its operand.
local NAMES = { "push", "load", "store", "add", "sub", "mul", "jump", "call", "back", "dup", "swap",
  "mod", "stop" }
local OP = {}
for i, name in ipairs(NAMES) do OP[name] = i - 1 end

local function interpret(code, input)
  local stack, calls, slots, at = {}, {}, { input, 0, 0, 0 }, 1
  local function pop() return table.remove(stack) or 0 end
  for _ = 1, STEPS do
    local name, n = NAMES[code[at] % 16 + 1], code[at] >> 4
    at = at + 1
    if name == "push" then stack[#stack + 1] = n
    elseif name == "load" then stack[#stack + 1] = slots[n % 4 + 1]
    elseif name == "store" then slots[n % 4 + 1] = pop()
    elseif name == "jump" then
      if pop() > 0 then at = n + 1 end
    elseif name == "call" then
      calls[#calls + 1] = at
      at = n + 1
    elseif name == "back" then at = table.remove(calls)
    elseif name == "dup" then
      local v = pop()
      stack[#stack + 1], stack[#stack + 2] = v, v
    elseif name == "stop" then break
    else
      local b, a = pop(), pop()
      if name == "add" then a = a + b
      elseif name == "sub" then a = a - b
      elseif name == "mul" then a = a * b
      elseif name == "mod" then a = a % n
      else
        stack[#stack + 1] = b
      end
      stack[#stack + 1] = (a + (1 << 31)) % (1 << 32) - (1 << 31)
    end
  end
  return slots[2]
end

local function assemble(lines)
  return function(n)
    local code = {}
    for i, line in ipairs(lines) do
      local name, value = line:match "(%l+)%s*(%w*)"
      code[i] = OP[name] | (value == "n" and n or tonumber(value) or 0) << 4
    end
    return code
  end
end

local MAKERS = {
  -- slot 1 = sum of k * k for k = n .. 1
  assemble { "push n", "store 2", "load 2", "dup", "mul", "load 1", "add", "store 1", "load 2",
    "push 1", "sub", "dup", "store 2", "jump 2", "stop" },
  -- slot 1 = Fibonacci numbers modulo 1000, in a subroutine
  assemble { "push n", "store 2", "push 1", "store 3", "call 11", "load 2", "push 1", "sub", "dup",
    "store 2", "jump 4", "load 1", "load 3", "dup", "store 1", "add", "push 0", "mod 1000",
    "store 3", "load 2", "jump 22", "stop", "back" },
  -- slot 1 = input * n - 7
  assemble { "load 0", "push n", "mul", "push 7", "sub", "store 1", "stop" },
}

return {
  source = [[
    __global__ void run(const int *code, const int *starts, const int *input, int *out, int steps) {
      int t = blockIdx.x * blockDim.x + threadIdx.x;
      const int *base = code + starts[t];
      int stack[16], calls[8], slots[4] = { input[t], 0, 0, 0 }, top = 0, depth = 0, at = 0;
      auto pop = [&]() { return top > 0 ? stack[--top] : 0; };
      for (int step = 0; step < steps; step++) {
        int op = base[at] & 15, n = base[at] >> 4;
        at++;
        switch (op) {
          case 0: stack[top++] = n; break;
          case 1: stack[top++] = slots[n & 3]; break;
          case 2: slots[n & 3] = pop(); break;
          case 3: { int b = pop(), a = pop(); stack[top++] = a + b; break; }
          case 4: { int b = pop(), a = pop(); stack[top++] = a - b; break; }
          case 5: { int b = pop(), a = pop(); stack[top++] = (int)((unsigned)a * b); break; }
          case 6: if (pop() > 0) at = n; break;
          case 7: calls[depth++] = at; at = n; break;
          case 8: at = calls[--depth]; break;
          case 9: { int v = pop(); stack[top++] = v; stack[top++] = v; break; }
          case 10: { int b = pop(), a = pop(); stack[top++] = b; stack[top++] = a; break; }
          case 11: { int b = pop(), a = pop(); (void)b; stack[top++] = a % n; break; }
          default: step = steps;
        }
      }
      out[t] = slots[1];
    }]],
  run = function(kernels, t)
    local code, starts, input, want = {}, {}, t.integers(PROGRAMS, 1000), {}
    for i = 1, PROGRAMS do
      local own = MAKERS[t.random(3) + 1](1 + t.random(20))
      starts[i] = #code
      table.move(own, 1, #own, #code + 1, code)
      want[i] = interpret(own, input[i])
    end
    local function i32(list) return t.cuda.array(list, "int32") end
    local out = t.cuda.empty(PROGRAMS, "int32")
    kernels.run({ grid = 3, block = PROGRAMS // 3 }, i32(code), i32(starts), i32(input), out, STEPS)
    t.same(want, out)
  end,
}
