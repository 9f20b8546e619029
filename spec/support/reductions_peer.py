"""reductions_peer.py FOLDER: recomputes reductions with NumPy and prints those that differ.

The folder has all.npz, with the arrays and the results g1, g2, ..., and cases.txt, with a line per
result: name, array, view of the array `a`, axes (from 0, or None), keepdims, and the precision of
the dtype where it is not that of the array; separated by tabs. Floats are computed in double
precision here.
"""
import sys
import warnings
import numpy as np

PRECISION = {'f2': 1e-3, 'f4': 1.2e-7, 'f8': 2.3e-16, 'c8': 1.2e-7, 'c16': 2.3e-16}
PLACES = 'argmin', 'argmax', 'nanargmin', 'nanargmax'
# functions that return exact results: an element, a bool or a count
EXACT = 'min', 'max', 'nanmin', 'nanmax', 'any', 'all', 'count_nonzero', 'ptp'


def wide(x):
    return x.astype({'f': 'f8', 'c': 'c16'}.get(x.dtype.kind, x.dtype))


def flattened(x, axis):
    """x with the reduced axes as one last axis, and the shape of a result that keeps all"""
    axes = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    kept = [d for d in range(x.ndim) if d not in axes]
    shape = [1 if d in axes else n for d, n in enumerate(x.shape)]
    count = int(np.prod([x.shape[d] for d in axes]))
    y = x.transpose([*kept, *axes]).reshape([x.shape[d] for d in kept] + [count])
    return np.ascontiguousarray(y), shape  # along other axes NumPy adds one by one


def place(fn, y):
    """from 1; 0 where all are NaN"""
    if y.dtype.kind not in 'fc' or not fn.__name__.startswith('nan'): return fn(y, axis=-1) + 1
    none = np.isnan(y).all(axis=-1)
    return np.where(none, 0, fn(np.where(none[..., None], 0, y), axis=-1) + 1)


def logsumexp(y):
    y = y.astype('f8')
    most = y.max(axis=-1, keepdims=True)
    return np.log(np.exp(y - most).sum(axis=-1)) + most[..., 0]


def norm(y):
    return np.sqrt((np.abs(y.astype('c16' if y.dtype.kind == 'c' else 'f8')) ** 2).sum(axis=-1))


OWN = {'logsumexp': logsumexp, 'norm': norm}


def computed(name, y):
    if name in PLACES: return place(getattr(np, name), y)
    if name in OWN: return OWN[name](y)
    return getattr(np, name)(y if name in EXACT else wide(y), axis=-1)


def result_dtype(name, x):
    if name in PLACES or name == 'count_nonzero': return np.dtype('i8')
    if name == 'logsumexp': return x.dtype if x.dtype.kind == 'f' else np.dtype('f8')
    if name == 'norm': return np.linalg.norm(x.ravel()[:1]).dtype
    return getattr(np, name)(x.ravel()[:1]).dtype


def sizes(name, y):
    """what rounding errors are relative to, besides the result"""
    if name in EXACT or name.endswith('prod') or y.size == 0: return 0
    finite = np.abs(y[np.isfinite(y)].astype('c16' if y.dtype.kind == 'c' else 'f8'))
    most = finite.max() if finite.size else 0
    return most ** 2 if name.endswith('var') else most


def close(name, y, want, got, eps):
    rtol = eps * 8 * (1 + np.log2(max(1, y.shape[-1]))) * (8 if name.endswith('prod') else 1)
    w, g = [v.astype('c16' if v.dtype.kind == 'c' else 'f8') for v in (want, got)]
    same = np.isclose(g, w, rtol=rtol, atol=rtol * sizes(name, y), equal_nan=True)
    if eps >= 1e-3: same |= np.isinf(g) & (np.abs(w) > 6e4)
    return same


def difference(name, x, axis, keepdims, got, eps):
    y, kept = flattened(x, axis)
    want, dtype = np.asarray(computed(name, y)), result_dtype(name, x)
    if keepdims: want = want.reshape(kept)
    if got.dtype != dtype: return f'dtype {got.dtype}, not {dtype}'
    if got.shape != want.shape: return f'shape {got.shape}, not {want.shape}'
    if dtype.kind in 'fc':
        same = close(name, y, want, got, eps or PRECISION[dtype.str[1:]])
    else: same = want.astype(dtype) == got
    if same.all(): return None
    at = tuple(np.argwhere(~same)[0])
    return f'{np.count_nonzero(~same)} of {same.size}: {got[at]}, not {want[at]}, at {at}'


def main(folder):
    warnings.simplefilter('ignore')
    failed = 0
    with np.load(folder + '/all.npz') as files, open(folder + '/cases.txt') as cases:
        arrays = dict(files)
        for k, line in enumerate(cases):
            name, array, view, axis, keepdims, eps = line.rstrip('\n').split('\t')
            x = eval(view, {'np': np, 'a': arrays[array]})
            why = difference(name, x, eval(axis), keepdims == 'true', arrays[f'g{k + 1}'],
                             eval(eps))
            failed += why is not None
            if why and failed <= 20:
                print(f'{name} of {x.dtype} {x.shape} ({view}), axis {axis}: {why}')
    print('failed', failed)


main(sys.argv[1])
