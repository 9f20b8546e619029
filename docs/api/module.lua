-- luacheck: ignore 631 (one entry, one line)
return {
  name = "Module", title = "Modules",
  text = "Compiled at first use for the device then in use, and again for each other one.",
  entries = {
    { "kernels", kind = "field", returns = { "table" }, text = "Kernels by name: `module.kernels.saxpy`; called, as in `module:kernels()`, the list of names. `pairs` goes over names and kernels." },
    { "log", kind = "field", returns = { "string" }, text = "The compiler's warnings." },
    { "kernel", params = { "name: string, plain, with namespaces, or a template instance" }, returns = { "Kernel" }, raises = "a string when there is none of that name; compile", text = "One of its kernels, compiled with the module or added." },
    { "global", params = { "name: string" }, options = { "dtype?: string|Struct, what its elements are (what the compiler says)" }, returns = { "Array, over the variable" }, raises = "a string when there is none of that name; compile", text = "A `__device__`, `__constant__` or `__managed__` variable, or an instance of a variable template that a kernel of the module uses (`\"table<float>\"`)." },
    { "compile", returns = { "Module, itself" }, raises = "compile", text = "Compiles and loads the module and all its kernels now." },
    { "source", returns = { "string" }, raises = "a string when the module was made from a binary", text = "What was given to the compiler." },
    { "close", text = "Ends the handle; code is unloaded with the last kernel." },
    { "free", text = "The same as close." },
  },
}
