-- luacheck: ignore 631 (one entry, one line)
return {
  name = "Module", title = "Modules",
  text = "Compiled at first use for the device then in use, and again for each other one.",
  entries = {
    { "kernels", kind = "field", returns = { "table" }, text = "Kernels by name: `module.kernels.saxpy`; called, the list of names." },
    { "log", kind = "field", returns = { "string" }, text = "The compiler's warnings." },
    { "kernel", params = { "name: string, plain, with namespaces, or a template instance" }, returns = { "Kernel" }, raises = "compile; runtime when there is none of that name", text = "One of its kernels." },
    { "global", params = { "name: string" }, returns = { "Array, over the variable" }, raises = "runtime when there is none of that name", text = "A `__device__` or `__constant__` variable." },
    { "compile", returns = { "Module, itself" }, raises = "compile", text = "Compiles and loads now." },
    { "source", returns = { "string" }, text = "What was given to the compiler." },
    { "close", text = "Ends the handle; code is unloaded with the last kernel." },
    { "free", text = "The same as close." },
  },
}
