-- Names of CuPy and PyCUDA that are neither in LuaCUDA nor raise an error with advice, by reason.
-- spec/errors/other_libraries_spec.lua checks that this still holds for each of them.
return {
  ["exceptions and warnings of Python"] = [[cupy.AxisError cupy.ComplexWarning
    cupy.ModuleDeprecationWarning cupy.RankWarning cupy.TooHardError cupy.VisibleDeprecationWarning
    cupy.exceptions]],
  ["tools of Python, for which Lua has no use"] = [[cupy.DataSource cupy.flatiter
    cupy.get_array_wrap cupy.make_aligned_dtype cupy.ndindex cupy.safe_eval cupy.who
    cupy.disable_experimental_feature_warning]],
  ["options of a family that is answered"] = [[cupy.fft.config cupy.polynomial.polyutils.as_series
    cupy.polynomial.polyutils.trimcoef cupy.polynomial.polyutils.trimseq
    cupyx.distributed.array.make_2d_index_map]],
  ["fields of errors, which read nil when an error lacks them: e.message, e.log and e.flags"] =
    [[pycuda.driver.CompileError.command_line pycuda.driver.CompileError.msg
    pycuda.driver.CompileError.stderr pycuda.driver.CompileError.stdout]],
  ["fields that read nil where a device or an array has no such thing"] =
    [[cupy.cuda.Device.pci_bus_id pycuda.driver.Device.pci_bus_id cupy.ndarray.flags
    pycuda.gpuarray.GPUArray.flags]],
}
