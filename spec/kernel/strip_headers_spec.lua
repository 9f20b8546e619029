-- host = "strip" and headers: libraries for the host are removed as a whole; what device code
-- reaches stays.
local helper = require "spec.helper"
local cuda = require "luacuda"

-- The results of the kernel of a program: four integers, which it writes to its parameter.
local function results(source, headers)
  local out = cuda.zeros(4, "int32")
  local m = cuda.module(source, { host = "strip", headers = headers })
  m:kernel "k"({ grid = 1, block = 4 }, out)
  return out:totable()
end

-- Libraries for the host in the style of well-known ones, each in one header.
local LIBRARIES = {
  ["a hash map"] = [==[
#define MAP(x) MAP_IS_##x()
#define MAP_IS_BITS() 64
#define MAP_ASSERT(x) do { if (!(x)) throw std::runtime_error(#x); } while (0)
#if MAP(BITS) == 64
#define MAP_INLINE inline __attribute__((always_inline))
#endif
namespace map { namespace detail {
template <typename T> T rotr(T x, unsigned k) { return (x >> k) | (x << (8U * sizeof(T) - k)); }
struct nothing { void get(size_t) const noexcept {} };
template <typename T> using has_size = typename std::enable_if<sizeof(T) >= 1, int>::type;
constexpr size_t table[] = { 1, 2, std::numeric_limits<size_t>::max() };
template <typename E, typename = void> struct wrapper : public std::hash<E> { size_t get() const; };
template <typename E> struct wrapper<E, std::void_t<typename E::type>> : E { using E::E; };
enum { VALUE = sizeof(std::string) };
constexpr bool is(size_t n) { return n > 0 && std::is_same<int, int>::value; }
} // namespace detail
template <bool Flat, size_t Max, typename Key, typename T, typename H> class Table
  : public wrapper<H>, detail::nothing {
  struct Node { std::pair<Key, T> data; explicit Node(Key &&k) : data{std::move(k), T()} {} };
  union { Node *nodes; uint8_t *info; };
 public:
  static constexpr bool is_flat = Flat;
  T &get(const Key &key) { MAP_ASSERT(is_flat); return nodes[detail::rotr(key, 3)].data.second; }
  size_t size() const { return detail::table[0]; }
};
template <class K, class V> using flat = Table<true, 80, K, V, std::hash<K>>;
}
]==],
  ["a parser of arguments"] = [==[
#define CLI_ERROR(parent, name) \
  protected: name(std::string e, int code) : parent(std::move(e), code) {} public: \
  explicit name(std::string m) : parent(#name, std::move(m)) {}
namespace cli {
enum class Code { OK = 0, BAD = 100, WORSE };
class Error : public std::runtime_error { int code; std::string name{"Error"};
 public: Error(std::string n, std::string m, int c = static_cast<int>(Code::BAD));
  int get() const { return code; } };
class Missing : public Error { CLI_ERROR(Error, Missing) static Missing Option(std::string n); };
namespace detail {
inline std::vector<std::string> split(const std::string &s, char by) { return { s, { by } }; }
template <typename T, enable_if_t<is_x<T>::value || sizeof(T) < 4, detail::on> dummy = detail::no>
bool lexical_cast(const std::string &in, T &out) { return in.size() < 3 && !!out; }
static constexpr auto yes = "true"; struct view {}; constexpr int size(view) { return 1; }
}
struct Option { std::function<bool(const std::vector<std::string> &)> callback;
  std::set<std::string, std::less<>> names_{}; Option *max(int n) { return this; } };
template <> class Box<Option> { std::unique_ptr<Option> o; };
const Option defaults = make(); typedef std::vector<std::pair<std::string, Option>> List;
}
]==],
  ["text formatting"] = [==[
#define FMT_BEGIN namespace fmt { inline namespace v9 {
#define FMT_END }}
#define FMT_IF(...) std::enable_if_t<(__VA_ARGS__), int> = 0
#define FMT_CONSTEXPR constexpr
#ifndef FMT_THROW
#  if FMT_EXCEPTIONS && !defined(FMT_HEADER)
#    define FMT_THROW(x) throw x
#  else
#    define FMT_THROW(x) assert_fail(__FILE__, __LINE__, (x).what())
#  endif
#endif
FMT_BEGIN
namespace detail { struct view {}; enum class kind { none_type, int_type, OBJECT };
template <typename Char, typename T> struct named : view { const Char *name; const T &value; };
template <typename T, FMT_IF(std::is_integral<T>::value)> FMT_CONSTEXPR auto max(T a) -> T;
template <typename T> FMT_CONSTEXPR T max(T a, T b) { return a < b ? b : a; }
FMT_CONSTEXPR inline auto get(const char *s) -> std::string_view { return s; }
template <> struct kind_of<int> : std::integral_constant<kind, kind::int_type> {};
constexpr unsigned long long powers[] = { 1ULL, 10ULL, ~0ULL >> (sizeof(view) < 2) };
}
template <typename... T> FMT_CONSTEXPR void format(std::string_view f, T &&...args) {
  detail::get(f.data()); if (f.empty()) FMT_THROW(std::runtime_error("empty")); }
inline namespace literals { constexpr auto operator""_a(const char *s, size_t) { return s; } }
using detail::max; using size = std::size_t;
FMT_END
]==],
  ["logging"] = [==[
#include <text>
#ifdef LOG_EXPORT
#define LOG_API __attribute__((visibility("default")))
#else
#define LOG_API
#endif
#define LOG_CALL(logger, level, ...) (logger)->log(source{__FILE__, __LINE__}, level, __VA_ARGS__)
#define LOG_NAMES { string_view("trace", 5), string_view("off", 3) }
namespace log_ { class sink; using ptr = std::shared_ptr<sink>; namespace level {
enum kind : int { trace = 0, off, VALUE, size }; static string_view names[] LOG_NAMES;
LOG_API const string_view &get(kind l) noexcept; constexpr kind first{trace}; }
class LOG_API sink { public: virtual ~sink() = default; virtual void log(const msg &m) = 0;
  template <typename... A> void log(level::kind k, A &&...a) { LOG_CALL(this, k, a...); }
 protected: std::atomic<int> level_{level::off}; static thread_local std::mutex m; };
template <typename Mutex> struct base final : public sink { base(const base &) = delete; };
extern template class base<std::mutex>; using mt = base<std::mutex>;
struct source { constexpr source() = default; const char *file{nullptr}; int line{0}; };
inline void set(ptr p) { static auto &it = *p; (void)it; } }
using namespace log_; extern log_::ptr global;
]==],
  ["a tree of nodes"] = [==[
#pragma once
#define TREE_API
namespace tree { namespace detail { class node; struct iterator_value; }
class TREE_API Node; struct Mark { int pos, line; static const Mark null() { return Mark(); }
 private: Mark(int p) : pos(p), line{p} {} };
using shared = std::shared_ptr<detail::node>; typedef std::map<std::string, Node> Map;
class TREE_API Binary { std::vector<unsigned char> m_data; const unsigned char *m_p; public:
  Binary(const unsigned char *d, std::size_t n) : m_data{}, m_p(d) {}
  bool operator==(const Binary &o) const { return size() == o.size(); } std::size_t size() const; };
const std::string OBJECT = "object"; static const Mark VALUE_MARK = Mark::null();
template <typename T> struct convert;
template <> struct convert<bool> { static Node encode(bool); };
#define DEFINE_CONVERT(type) \
  template <> struct convert<type> { static Node encode(const type &rhs) { return Node(rhs); } }
DEFINE_CONVERT(int); DEFINE_CONVERT(std::string);
template <typename T> inline T get(const Node &n) { return n.template as<T>(); }
}
]==],
  ["a document"] = [==[
#define HAS_TYPE(name) template <typename T> using name##_t = decltype(std::declval<T>().name()); \
  template <typename T, typename = void> struct has_##name : std::false_type {}; \
  template <typename T> struct has_##name<T, std::void_t<name##_t<T>>> : std::true_type {};
#define NS_BEGIN namespace doc { inline namespace abi_v3 {
#define NS_END } }
NS_BEGIN
namespace detail { HAS_TYPE(size) HAS_TYPE(get)
template <typename T, typename U, typename = enable_if_t<all<T, U>::value>> struct in_range;
template <bool B, typename = enable_if_t<(B && sizeof(int) >= 4)>> struct impl1 {};
template <typename T> struct static_const { static constexpr T value{}; };
template <typename T> constexpr T static_const<T>::value;
enum class value_t : std::uint8_t { null, object, array };
inline bool operator<(const value_t a, const value_t b) noexcept {
  static constexpr std::array<std::uint8_t, 3> order = { { 0, 3, 4 } };
  return order[static_cast<std::size_t>(a)] < order.size(); } }
namespace { constexpr const auto &to_doc = detail::static_const<detail::fn>::value; }
template <template <typename U, typename V, typename... A> class O = std::map,
          class S = std::string, typename C = std::vector<std::uint8_t>> class basic {
  template <detail::value_t> friend struct detail::in_range; union value { O<S, basic> *object;
    bool boolean; value() = default; value(bool b) noexcept : boolean(b) {} };
  static std::size_t max(int n) { again: if (n--) goto again; return 0; } };
using document = basic<>; struct ordered : std::vector<int> { using key = int; };
NS_END
namespace std { template <> struct hash<doc::document> { size_t operator()(int) const; }; }
constexpr auto operator""_doc(const char *s, std::size_t n) { return doc::parse(s, n); }
]==],
}
-- A kernel with names that the libraries also use.
local BESIDE = [==[
    struct Box { int n; __host__ __device__ int size() const { return n; } };
    template <class T> __device__ T get(T x) { return max(x, T(1)); }
    enum Kind { VALUE, OBJECT };
    __global__ void k(int *p) {
Box b = { (int)threadIdx.x };
p[threadIdx.x] = b.size() + get<int>(-3) + VALUE;
    }]==]

helper.for_each_device(function()
  describe("libraries for the host", function()
    local names = {}
    for what in pairs(LIBRARIES) do names[#names + 1] = what end
    table.sort(names)

    for _, what in ipairs(names) do
      it("are removed: " .. what, function()
        local headers = { ["lib.hpp"] = LIBRARIES[what], text = "#define NOTHING" }
        assert.are.same({ 1, 2, 3, 4 }, results("#include <vector>\n#include <lib.hpp>\n" .. BESIDE,
          headers))
        -- one that another includes, with code of the host around the kernel
        headers.outer = "#pragma once\n#include <lib.hpp>\nstruct Outer { std::string s; };\n"
        assert.are.same({ 1, 2, 3, 4 }, results("#include <outer>\nusing namespace std;\n"
          .. "int before(Outer &o) { return o.s.size(); }\n" .. BESIDE
          .. "\nint main() { Outer o; k<<<1, 4>>>(nullptr); }", headers))
      end)
    end

    it("are removed all at once, in any order", function()
      local rng, headers = helper.random(6), { text = "" }
      for _ = 1, 3 do
        local order, lines = table.move(names, 1, #names, 1, {}), {}
        for i = #order, 2, -1 do
          local j = 1 + rng(i)
          order[i], order[j] = order[j], order[i]
        end
        for i, what in ipairs(order) do
          headers[("%d.hpp"):format(i)] = LIBRARIES[what]
          lines[i] = ('#include "%d.hpp"'):format(i)
        end
        local source = table.concat(lines, "\n") .. "\n" .. BESIDE
        assert.are.same({ 1, 2, 3, 4 }, results(source, headers))
      end
    end)

    -- Headers without a mark of device code that the kernel needs all the same: it writes ONE more.
    local REACHED = {
      ["by a macro"] = { "#define ONE 1\n", "" },
      ["by a macro in a macro"] = { "#define UNIT 1\n", "#define ONE UNIT\n" },
      ["by a macro with parameters"] = { "#define MAKE(x) (x)\n", "#define ONE MAKE(1)\n" },
      ["by a condition"] = { "#define USE_ONE 1\n",
        "#if USE_ONE\n#define ONE 1\n#else\n#define ONE 0\n#endif\n" },
      ["by a constant"] = { "const int one = 1;", "#define ONE one\n" },
      ["by a namespace"] = { "namespace a { namespace b { const int one = 1; } }",
        "#define ONE a::b::one\n" },
      ["by a using directive"] = { "namespace a { struct S { int v; };\n"
        .. "namespace b { enum { N = 1 }; } }", "using namespace a;\nusing namespace a::b;\n"
        .. "__device__ int one() { S s = { N }; return s.v; }\n#define ONE one()\n" },
      ["by a using declaration"] = { "namespace a { constexpr int one() { return 1; } }",
        "using a::one;\n#define ONE one()\n" },
      ["by an alias"] = { "namespace a { template <int N> struct S { enum { V = N }; }; }",
        "namespace b = a;\ntypedef b::S<1> T;\n#define ONE T::V\n" },
      ["by a type in a namespace reopened"] = { "namespace a { struct S { int v = 1; }; }",
        "namespace a { __device__ int one() { return S().v; } }\n#define ONE a::one()\n" },
      ["by a name in an inline namespace"] = { "namespace a { inline namespace v1 {\n"
        .. "enum { N = 1 }; } }", "#define ONE a::N\n" },
      ["by a name in branches"] = { "#ifdef SOME\nnamespace x {\n#else\nnamespace a {\n#endif\n"
        .. "const int one = 1; }\nconst int more = 0;\n", "#define ONE a::one + more\n" },
      ["by an include"] = { "#include \"inner.h\"\nstruct Host { FILE *f; };\n",
        "__device__ int one() { return inner(); }\n#define ONE one()\n" },
      ["by a header of CUDA"] = { "#ifndef H\n#define H\n#include <cooperative_groups.h>\n"
        .. "#include <vector>\nstd::vector<int> all();\n#endif",
        "#define ONE cooperative_groups::this_thread_block().num_threads() / 4\n" },
      ["in a circle"] = { "#ifndef H\n#define H\n#include \"circle.h\"\nstd::string s();\n#endif",
        "#include \"circle.h\"\n#define ONE circle\n" },
    }
    for how, texts in pairs(REACHED) do
      it("stay if device code reaches them " .. how, function()
        assert.are.same({ 1, 2, 3, 4 }, results("#include \"lib.h\"\n" .. texts[2]
          .. "__global__ void k(int *p) { p[threadIdx.x] = threadIdx.x + (ONE); }", {
            ["lib.h"] = texts[1], ["inner.h"] = "__device__ inline int inner() { return 1; }",
            ["circle.h"] = "#pragma once\n#include \"lib.h\"\nconst int circle = 1;" }))
      end)
    end
  end)
end)
