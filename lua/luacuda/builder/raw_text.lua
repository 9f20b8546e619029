-- raw_text.lua: what bodies see of raw arrays (_lcu_raw) and of the index (_lcu_index), as CUDA
-- text.

-- Extents and strides (bytes) of an array, by number or as a whole.
local EXTENTS = [[
  long long _size;
  ptrdiff_t _shape[R], _strides[R];
  static constexpr int ndim = R;
  typedef ptrdiff_t index_t;
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int d) const { return _shape[d]; }
  __device__ __forceinline__ long long strides(int d) const { return _strides[d]; }
  __device__ __forceinline__ const ptrdiff_t *shape() const { return _shape; }
  __device__ __forceinline__ const ptrdiff_t *strides() const { return _strides; }
]]

-- T: element; R: number of axes whose extents are known, -1 where they are not passed; C:
-- contiguous. A contiguous array is a plain pointer: the compiler handles x[k] itself, and a fault
-- is reported at the line of the body. x[ind], with an array of R indices, works for all that have
-- extents.
local RAW = [[
template <class T> struct _lcu_element { typedef T &type; };
template <> struct _lcu_element<const struct _lcu_bool> { typedef bool type; };
template <class I> struct _lcu_raw_place {
  template <class A, class N> static __device__ __forceinline__ long long linear(const A &a, N k) {
    long long at = 0;
    #pragma unroll
    for (int d = A::ndim - 1; d > 0; d--) {
      const N q = k / (N)a._shape[d];
      at += (long long)(k - q * (N)a._shape[d]) * a._strides[d];
      k = q;
    }
    return at + (long long)k * a._strides[0];
  }
  template <class A> static __device__ __forceinline__ long long of(const A &a, I k) {
    return a._size <= 0x7fffffff ? linear(a, (unsigned)k) : linear(a, (unsigned long long)k);
  }
};
template <class I> struct _lcu_raw_place<I *> {
  template <class A> static __device__ __forceinline__ long long of(const A &a, const I *k) {
    long long at = 0;
    #pragma unroll
    for (int d = 0; d < A::ndim; d++) at += (long long)k[d] * a._strides[d];
    return at;
  }
};
template <class T, int R, bool C> struct _lcu_raw {
  T *_data;
]] .. EXTENTS .. [[
  typedef typename _lcu_element<T>::type element_t;
  template <class I> __device__ __forceinline__ element_t operator[](I k) const {
    return *(T *)((char *)_data + _lcu_raw_place<I>::of(*this, k));
  }
};
template <class T, int R> struct _lcu_raw<T, R, true> {
  T *_data;
]] .. EXTENTS .. [[
  __device__ __forceinline__ operator T *() const { return _data; }
  typedef typename _lcu_element<T>::type element_t;
  template <class I> __device__ __forceinline__ element_t operator[](const I *k) const {
    return *(T *)((char *)_data + _lcu_raw_place<I *>::of(*this, k));
  }
};
template <class T> struct _lcu_raw<T, 0, true> {
  T *_data;
  long long _size;
  static constexpr int ndim = 0;
  typedef ptrdiff_t index_t;
  __device__ __forceinline__ operator T *() const { return _data; }
  template <class I> __device__ __forceinline__ typename _lcu_element<T>::type operator[](
      const I *) const {
    return *_data;
  }
  __device__ __forceinline__ long long size() const { return _size; }
  __device__ __forceinline__ long long shape(int) const { return 1; }
  __device__ __forceinline__ long long strides(int) const { return 0; }
  __device__ __forceinline__ const ptrdiff_t *shape() const { return nullptr; }
  __device__ __forceinline__ const ptrdiff_t *strides() const { return nullptr; }
};
template <class T> struct _lcu_raw<T, -1, true> {
  T *_data;
  long long _size;
  typedef ptrdiff_t index_t;
  __device__ __forceinline__ operator T *() const { return _data; }
  __device__ __forceinline__ long long size() const { return _size; }
};
]]

-- The index along each of D axes, in C order. There is room for one axis where there is none.
local INDEX = [[
template <int D> struct _lcu_index {
  long long _n;
  ptrdiff_t _at[D > 0 ? D : 1];
  static constexpr int ndim = D;
  template <class N> __device__ __forceinline__ void _find(N i, const long long *shape) {
    #pragma unroll
    for (int d = D - 1; d > 0; d--) {
      const N q = i / (N)shape[d];
      _at[d] = (ptrdiff_t)(i - q * (N)shape[d]);
      i = q;
    }
    _at[0] = (ptrdiff_t)i;
  }
  __device__ __forceinline__ void _set(long long i, const long long *shape) {
    if (_n <= 0x7fffffff) _find((unsigned)i, shape);
    else _find((unsigned long long)i, shape);
  }
  __device__ __forceinline__ long long size() const { return _n; }
  __device__ __forceinline__ const ptrdiff_t *get() const { return _at; }
};
]]

-- A body that asks only for _ind.size() needs no extents.
local SIZE = [[
struct _lcu_index {
  long long _n;
  __device__ __forceinline__ long long size() const { return _n; }
};
]]

return { RAW = RAW, INDEX = INDEX, SIZE = SIZE }
