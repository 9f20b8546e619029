-- foreign_arrays.lua: functions of NumPy, SciPy and CuPy that LuaCUDA lacks, by family, and those
-- that it has under another name: rows of foreign.lua.

local DLPACK = "array:dlpack() passes an array to a library that has them"
local FORMULA = "cuda.elementwise(inputs, outputs, body, name) makes such a function of its formula"
local FUSED = "cuda.fuse(fn) makes such a function one kernel"

return {
  -- families that LuaCUDA lacks
  { "cuda", "fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft hfft2 hfftn "
    .. "ihfft ihfft2 ihfftn fftfreq rfftfreq fftshift ifftshift fftpack dct dctn idct idctn dst "
    .. "dstn idst idstn fht ifht next_fast_len get_fft_plan fftconvolve stft istft cufft",
    "LuaCUDA has no Fourier transforms: " .. DLPACK .. ", and cuda.convolve(x, y) convolves "
    .. "without them" },
  { "cuda", "linalg", "cuda.matmul, cuda.dot, cuda.einsum and cuda.norm are in the module itself; "
    .. "LuaCUDA does not factor matrices or solve equations" },
  { "cuda", "inv pinv solve lstsq cholesky qr svd svds eig eigh eigvals eigvalsh eigsh det slogdet "
    .. "lu lu_factor lu_solve solve_triangular expm sqrtm matrix_power matrix_rank cond tensorinv "
    .. "tensorsolve cusolver lapack", "LuaCUDA does not factor matrices or solve equations: "
    .. "array:dlpack() passes an array to a library that does; cuda.matmul, cuda.einsum and "
    .. "cuda.norm are built in" },
  { "cuda", "sparse coo_matrix coo_array csr_matrix csr_array csc_matrix csc_array dia_matrix "
    .. "dia_array spmatrix sparray issparse isspmatrix spdiags spsolve cusparse spmv spmm",
    "LuaCUDA has no sparse matrices: kernels of cuda.jit take their rows, columns and values as "
    .. "arrays, and the option 'segments' of cuda.sum adds up the rows of a CSR matrix" },
  { "cuda", "bessel j0 j1 jn jv y0 y1 yn yv i0 i0e i1 i1e iv k0 k0e k1 k1e kv spherical_jn "
    .. "spherical_yn", "LuaCUDA has no Bessel functions of arrays: the body of cuda.elementwise "
    .. "can call j0, j1, jn, y0, y1, yn, cyl_bessel_i0 and cyl_bessel_i1 of CUDA C++" },
  { "cuda", "special", "cuda.erf, cuda.erfc, cuda.tgamma, cuda.lgamma and cuda.softmax are in the "
    .. "module itself; the body of cuda.elementwise can call all functions of CUDA C++" },
  { "cuda", "erfinv erfcinv erfcx ndtr ndtri exp10 nextafter ldexp frexp modf logb sinpi cospi "
    .. "bitwise_count brev cyl_bessel_i0 cyl_bessel_i1 normcdf normcdfinv rcbrt rhypot",
    "LuaCUDA does not have it for arrays: the body of cuda.elementwise can call erfinv, erfcinv, "
    .. "erfcx, normcdf, normcdfinv, exp10, ldexp, __popc and others of CUDA C++" },
  { "cuda", "beta betaln betainc betaincinv digamma psi polygamma gammainc gammaincc gammaincinv "
    .. "gammaincinvc gammainccinv gammasgn loggamma multigammaln rgamma poch zeta zetac expi expn "
    .. "exp1 ellipk ellipkm1 ellipkinc ellipeinc ellipj lambertw lpmv sph_harm_y shichi sici binom "
    .. "bdtr bdtrc bdtri btdtr btdtri chdtr chdtrc chdtri fdtr fdtrc fdtri gdtr gdtrc nbdtr nbdtrc "
    .. "nbdtri pdtr pdtrc pdtri wright_bessel log_ndtr", "LuaCUDA does not have it: " .. FORMULA },
  { "cuda", "expit logit log_expit xlogy xlog1py entr rel_entr kl_div huber pseudo_huber boxcox "
    .. "boxcox1p inv_boxcox inv_boxcox1p exprel cosm1 cosdg sindg tandg cotdg radian sinc "
    .. "heaviside logaddexp logaddexp2 float_power", FUSED .. ", as of cuda.log(1 + "
    .. "cuda.exp(x))" },
  { "cuda", "plot plt pyplot matplotlib imshow", "LuaCUDA draws no plots: array:save_npy(path) and "
    .. "array:save_csv(path) write files for a program that does, array:save_png(path) a "
    .. "picture" },
  { "cuda", "group_by groupby DataFrame dataframe Series pandas cudf polars pivot read_parquet",
    "LuaCUDA has no tables with columns of names: cuda.unique with its option 'return_inverse' "
    .. "numbers the groups, array:scatter_add and cuda.bincount add them up" },
  { "cuda", "signal windows convolve2d correlate2d oaconvolve choose_conv_method lfilter "
    .. "lfilter_zi filtfilt sosfilt sosfiltfilt butter buttord cheby1 cheby2 ellip bilinear firwin "
    .. "firwin2 firls iirfilter freqz medfilt medfilt2d order_filter wiener savgol_filter detrend "
    .. "decimate deconvolve resample resample_poly upfirdn find_peaks hilbert hilbert2 periodogram "
    .. "welch csd spectrogram coherence lombscargle chirp sawtooth cwt czt", "LuaCUDA has no "
    .. "signal processing beyond cuda.convolve(x, y) and cuda.correlate(x, y); a loop in cuda.jit "
    .. "filters rows or pictures" },
  { "cuda", "bartlett blackman hamming hanning hann kaiser get_window", "LuaCUDA has no window "
    .. "functions: write the formula with cuda.cos(cuda.arange(n)) and the like; " .. FUSED },
  { "cuda", "ndimage affine_transform binary_closing binary_dilation binary_erosion binary_opening "
    .. "center_of_mass convolve1d correlate1d distance_transform_edt gaussian_filter "
    .. "gaussian_filter1d gaussian_laplace generic_filter grey_dilation grey_erosion laplace label "
    .. "map_coordinates maximum_filter median_filter minimum_filter percentile_filter prewitt "
    .. "rank_filter rotate sobel spline_filter uniform_filter zoom resize_image", "LuaCUDA has no "
    .. "image filters: write a loop over the neighbors in cuda.jit; cuda.texture(source, { "
    .. "filter = \"linear\" }) interpolates" },
  { "cuda", "interpolate interp1d interpn griddata CubicSpline BSpline PPoly RBFInterpolator "
    .. "RegularGridInterpolator UnivariateSpline splrep splev make_interp_spline "
    .. "pchip_interpolate", "cuda.interp(x, xp, fp) interpolates linearly, cuda.texture(source, { "
    .. "filter = \"linear\" }) in up to three dimensions; LuaCUDA has no splines" },
  { "cuda", "spatial distance distance_matrix cdist pdist KDTree Delaunay", "LuaCUDA has no "
    .. "spatial searches: for all distances, add an axis to each array with "
    .. "array:expand_dims(axis) and take cuda.norm(d, { axis = -1 }) of their difference d" },
  { "cuda", "stats entropy zscore zmap trim_mean skew kurtosis mode ttest_ind ks_2samp "
    .. "gaussian_kde", "LuaCUDA has no tests and distributions: cuda.mean, cuda.std, "
    .. "cuda.quantile, cuda.cov and cuda.corrcoef are its statistics" },
  { "cuda", "polynomial poly poly1d polyadd polysub polymul polyder polyint polyfit polyval roots "
    .. "polyvander polycompanion polyvalfromroots polyutils", "LuaCUDA has no polynomials: "
    .. FUSED .. ", as of (a * x + b) * x + c" },
  { "cuda", "optimize minimize curve_fit odeint solve_ivp integrate quad", "LuaCUDA has no "
    .. "solvers: cuda.gradient and cuda.trapezoid are its calculus, and loops of a solver are "
    .. "written in Lua or in cuda.jit" },
  { "cuda", "optimizing", "cuda.tune(options) finds the fastest of several variants" },
  { "cuda", "scipy", "functions are in the module itself, such as cuda.erf(x); cuda.has(name) says "
    .. "whether one is there" },
  { "cuda", "lib stride_tricks as_strided sliding_window_view", "LuaCUDA has no views of windows: "
    .. "array:slice(ranges) views a part, and a loop in cuda.jit reads neighbors" },
  { "cuda", "intersect1d union1d setdiff1d setxor1d in1d isin unique_all unique_counts "
    .. "unique_inverse unique_values ediff1d", "cuda.unique(a) has options for counts and "
    .. "inverses; LuaCUDA has no other functions of sets: combine cuda.concatenate(list), "
    .. "cuda.unique(a) and cuda.searchsorted(a, values)" },
  { "cuda", "distributed NCCLBackend init_process_group DistributedArray distributed_array "
    .. "NcclCommunicator get_unique_id groupStart groupEnd get_build_version", "cuda.nccl has the "
    .. "communicators, and cuda.split_to(a, devices) distributes the rows of an array" },
  { "cuda", "vander toeplitz circulant hankel companion block_diag hadamard tri diagflat "
    .. "fill_diagonal diag_indices diag_indices_from tril_indices tril_indices_from triu_indices "
    .. "triu_indices_from mask_indices", "cuda.eye, cuda.diag, cuda.tril and cuda.triu make "
    .. "matrices; others are a loop over grid(rows, columns) in cuda.jit" },
  { "cuda", "cross", "write it with columns, array:slice({}, 2) and the like, or as a loop over "
    .. "the rows in cuda.jit" },
  { "cuda", "take_along_axis put_along_axis", "LuaCUDA takes whole rows: cuda.take(a, indices, { "
    .. "axis = }); to choose in each row, write y[i][j] = x[i][k[i][j]] in cuda.jit" },
  { "cuda", "lexsort", "cuda.argsort(a) is stable: sort by the last key first, then take the "
    .. "others in its order" },
  { "cuda", "histogram2d histogramdd", "cuda.bincount(row * columns + column) counts pairs of "
    .. "indices from 0, cuda.histogram(x) single values" },
  { "cuda", "gcd lcm packbits unpackbits unwrap divmod real_if_close spacing", "LuaCUDA does not "
    .. "have it for arrays: " .. FORMULA },
  { "cuda", "gammatone ca_cfar cfar_alpha channelize_poly convolve1d3o freq_shift "
    .. "pulse_compression pulse_doppler", "LuaCUDA has no radar processing beyond cuda.convolve(x, "
    .. "y)" },

  -- the same under another name
  { "cuda", "hsplit vsplit dsplit", "cuda.split(a, parts, { axis = }) splits" },
  { "cuda", "column_stack dstack row_stack block", "cuda.concatenate({ a, b }, { axis = }) joins "
    .. "along an axis, cuda.stack({ a, b }, { axis = }) along a new one" },
  { "cuda", "argwhere flatnonzero", "cuda.nonzero(a) returns the indices" },
  { "cuda", "around round_", "cuda.round(x, decimals) rounds" },
  { "cuda", "fix", "cuda.trunc(x) drops the fraction" },
  { "cuda", "positive", "it changes nothing: cuda.abs(x) is the absolute value" },
  { "cuda", "alltrue sometrue", "cuda.all(a) and cuda.any(a) reduce booleans" },
  { "cuda", "product", "cuda.prod(a) multiplies" },
  { "cuda", "cumproduct cumulative_prod cumulative_sum", "cuda.cumprod(a) and cuda.cumsum(a) "
    .. "accumulate" },
  { "cuda", "nancumsum nancumprod nanmedian nanquantile nanpercentile nanptp", "LuaCUDA has "
    .. "nansum and its like; for others, cuda.nan_to_num(a) replaces NaN, and a[cuda.isfinite(a)] "
    .. "leaves it out" },
  { "cuda", "trapz", "cuda.trapezoid(y) integrates" },
  { "cuda", "extract", "cuda.compress(mask, a) selects elements" },
  { "cuda", "select choose piecewise", "cuda.where(condition, x, y) chooses; calls of it can be "
    .. "nested" },
  { "cuda", "delete insert resize trim_zeros", "arrays keep their length: cuda.concatenate(list) "
    .. "of slices makes one with more or fewer elements, cuda.pad(a, width) one with a border" },
  { "cuda", "ravel_multi_index unravel_index", "with indices from 0, k = row * columns + column: "
    .. "cuda.floor_divide(k, columns) and cuda.mod(k, columns) are row and column" },
  { "cuda", "ix_ mgrid ogrid r_ c_ s_ index_exp", "cuda.meshgrid(x, y) and cuda.indices(shape) "
    .. "make arrays of indices, array:slice(ranges) takes ranges" },
  { "cuda", "msort sort_complex", "cuda.sort(a, { axis = 1 }) sorts along the first axis" },
  { "cuda", "atleast_1d atleast_2d atleast_3d", "array:expand_dims(axis) adds an axis" },
  { "cuda", "broadcast broadcast_arrays broadcast_shapes", "operators broadcast by themselves; "
    .. "array:broadcast_to(shape) makes a view" },
  { "cuda", "rollaxis", "cuda.moveaxis(a, from, to) moves an axis" },
  { "cuda", "matrix_transpose", "cuda.swapaxes(a, -2, -1) transposes matrices" },
  { "cuda", "array_equiv", "cuda.array_equal(a, b) compares" },
  { "cuda", "isneginf isposinf", "cuda.isinf(x) finds infinities, cuda.signbit(x) their sign" },
  { "cuda", "iscomplex isreal iscomplexobj isrealobj isfortran isscalar issctype issubdtype "
    .. "isdtype iterable", "array.dtype is the element type, cuda.type(value) says what a value "
    .. "is" },
  { "cuda", "finfo iinfo promote_types common_type min_scalar_type find_common_type mintypecode "
    .. "obj2sctype sctype2char issubclass_ issubsctype typename format_parser", "dtypes are "
    .. "strings such as \"float32\"; cuda.dtypes lists them" },
  { "cuda", "bitwise_left_shift bitwise_right_shift", "cuda.left_shift(x, n) and "
    .. "cuda.right_shift(x, n) shift" },
  { "cuda", "may_share_memory shares_memory byte_bounds", "array.pointer, array.shape and "
    .. "array.strides say where elements are" },
  { "cuda", "asfortranarray asarray_chkfinite asfarray require", "arrays are in C order, and "
    .. "cuda.array(data, dtype) makes one" },
  { "cuda", "fromfunction fromiter frompyfunc", "cuda.array(data, dtype) takes tables; kernels of "
    .. "cuda.jit fill arrays on the device" },
  { "cuda", "apply_along_axis apply_over_axes GeneralizedUFunc", "reductions take the option "
    .. "'axis'; a kernel of cuda.jit runs any function of rows" },
  { "cuda", "array2string array_repr array_str array_string disp get_printoptions set_printoptions "
    .. "printoptions set_string_function format_float_positional format_float_scientific base_repr "
    .. "binary_repr", "tostring(a) is a preview of an array, array:totable() gives all elements, "
    .. "and string.format writes them" },
  { "cuda", "errstate geterr seterr", "operators raise no error for infinities and NaN: "
    .. "cuda.isfinite(x) finds them" },
  { "cuda", "bool_ byte ubyte ushort uint ulong uintp intp integer floating number cfloat cdouble "
    .. "csingle singlecomplex complex_ complexfloating signedinteger unsignedinteger inexact "
    .. "generic", "numbers are converted to the types of the kernel's parameters; cuda.float32(x) "
    .. "and the like fix a type" },
  { "cuda", "Inf Infinity PINF NINF infty NAN NaN PZERO NZERO euler_gamma", "Lua has math.pi and "
    .. "math.huge; 0/0 is a NaN" },

  -- options of NumPy, CuPy and others under other names
  { "options", "usecols", "the option 'columns' lists columns by name, or by number from 1" },
  { "options", "skiprows skip_header", "the option 'skip' is the number of lines to leave out" },
  { "options", "comments", "the option 'comment' is the character that begins a comment" },
  { "options", "missing_values", "the option 'missing' lists texts that become NaN" },
  { "options", "num", "the option 'n' is the number of elements" },
  { "options", "N M", "the option 'columns' of cuda.eye is the number of columns" },
  { "options", "loc", "the option 'mean' is the mean" },
  { "options", "lam", "the first parameter of cuda.random.poisson is the mean" },
  { "options", "kind stable", "cuda.sort and cuda.argsort are always stable" },
  { "options", "initial", "add a start value afterwards; the option 'include_initial' of "
    .. "cuda.cumsum puts it in front" },
  { "options", "correction", "the option 'ddof' is subtracted from the number of elements" },
  { "options", "interpolation", "the option 'method' selects how to interpolate" },
  { "options", "overwrite_input", "only the array of the option 'out' is overwritten" },
  { "options", "casting subok ndmin copy", "array:astype(dtype) and cuda.array(data, dtype) "
    .. "convert to the dtype" },
  { "options", "a_min a_max", "cuda.clip(x, lo, hi) takes both in this order" },
  { "options", "n_repeat", "the option 'runs' is the number of timed runs" },
  { "options", "n_warmup", "the option 'warmup' is the number of untimed runs first" },
  { "options", "args kwargs", "cuda.benchmark(fn, x, y) passes arguments to the function" },
  { "options", "allow_pickle mmap_mode", "cuda.load_npy and cuda.load_npz read arrays of numbers "
    .. "as they are" },
  { "options", "k", "the option 'offset' of cuda.eye, or the parameter k of cuda.tril and the "
    .. "like, is the diagonal" },

  -- methods of arrays
  { "Array", "fft ifft rfft", "LuaCUDA has no Fourier transforms: " .. DLPACK },
  { "Array", "inv solve svd det", "LuaCUDA does not factor matrices or solve equations: "
    .. "array:matmul(b), array:norm() and cuda.einsum are built in" },
  { "Array", "group_by groupby", "cuda.unique(a) with its option 'return_inverse' numbers the "
    .. "groups, array:scatter_add adds them up" },
  { "Array", "plot hist", "LuaCUDA draws no plots: array:save_csv(path) writes a file for a "
    .. "program that does, cuda.histogram counts" },
  { "Array", "byteswap", "array:tobytes() returns the bytes; string.unpack reads either order" },
  { "Array", "choose", "cuda.where(condition, x, y) chooses" },
  { "Array", "repeat", "array:rep(counts) repeats elements" },
  { "Array", "dumps", "array:tobytes() returns the bytes, array:save_npy(path) writes a file" },
  { "Array", "flat", "array:ravel() views the elements in order" },
  { "Array", "cstruct mdspan", "kernels take arrays as pointers, those of cuda.elementwise and "
    .. "cuda.jit with shape and strides" },
  { "Array", "reduced_view", "cuda.elementwise joins axes by itself" },
  { "Array", "bind_to_texref bind_to_texref_ext", "texture references are gone from CUDA 12: "
    .. "cuda.texture(source) makes an argument of type cudaTextureObject_t" },
  { "Array", "mul_add", "write a * x + b * y; cuda.fuse(fn) makes it one kernel" },
  { "Array", "reverse", "array:flip() reverses" },
  { "Array", "as_buffer", "array:slice(ranges) views a part, array:tobytes() returns the bytes" },
  { "Array", "get_flags base", "array.memory says what memory an array has, array.flags how pinned "
    .. "memory was made" },
}
