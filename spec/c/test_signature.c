/* test_signature.c: tests reading kernel signatures from mangled names (of NVRTC 13.0), and
 * recognizing the kinds of images. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "lcu_demangle.h"
#include "lcu_function.h"
#include "lcu_image.h"

static bool same (const char *what, const char *want, const char *got) {
  if (strcmp(want, got) == 0) {
    passed++;
    return true;
  }
  failed++;
  printf("%s:\n  wanted %s\n  got    %s\n", what, want, got);
  return false;
}

/* Names that the compiler made, and the parameter types in them. */
static const struct {
  const char *mangled, *types;
} rows[] = {
  { "_Z11luacuda_sigIPFvPKfS1_iEEvv", "const float * | const float * | int" },
  { "_Z11luacuda_sigIPFvPfjPKfEEvv", "float * | unsigned int | const float *" },
  { "_Z11luacuda_sigIPFvijstcahlmxyfdbmwDsDiEEvv",
    "int | unsigned int | short | unsigned short | char | signed char | unsigned char | long | "
    "unsigned long | long long | unsigned long long | float | double | bool | unsigned long | "
    "wchar_t | char16_t | char32_t" },
  { "_Z11luacuda_sigIPFvPK6__halfP7__half2S0_13__nv_bfloat16P14__nv_bfloat16213__nv_fp8_e4m3S3_"
    "EEvv",
    "const __half * | __half2 * | __half | __nv_bfloat16 | __nv_bfloat162 * | __nv_fp8_e4m3 | "
    "__half2" },
  { "_Z11luacuda_sigIPFv1PPKS0_RS0_PKfPfPViPVKjPS6_PKS5_PvPKvPSE_EEvv",
    "P | const P * | P & | const float * | float * | volatile int * | const volatile unsigned int "
    "* | float ** | const float *const * | void * | const void * | void **" },
  { "_Z11luacuda_sigIPFv3Col4Col8PS0_EEvv", "Col | Col8 | Col *" },
  { "_Z11luacuda_sigIPFvN4cuda3std3__47complexIfEEPNS3_IdEEPKS4_EEvv",
    "cuda::std::complex<float> | cuda::std::complex<double> * | const cuda::std::complex<float> "
    "*" },
  { "_Z11luacuda_sigIPFv1PPfEEvv", "P | float *" },
  { "_Z11luacuda_sigIPFv6float45uint3P6float37double2P5char49longlong26ulong44dim311double4_"
    "32a6float1EEvv",
    "float4 | uint3 | float3 * | double2 | char4 * | longlong2 | ulong4 | dim3 | double4_32a | "
    "float1" },
  { "_Z11luacuda_sigIPFvPFiiEPA4_fPA3_fnPoPFvPf1PEEEvv",
    "int (*)(int) | float (*)[4] | float (*)[3] | __int128 | unsigned __int128 * | void (*)(float "
    "*, P)" },
  { "_Z11luacuda_sigIPFvN4cuda3std3__45arrayIfLm4EEENS2_5tupleIJi1PEEEN2ns3BoxINS9_IS6_"
    "Li2EEELi3EEEPSA_EEvv",
    "cuda::std::array<float, 4> | cuda::std::tuple<int, P> | ns::Box<ns::Box<P, 2>, 3> | "
    "ns::Box<P, 2> *" },
  { "_Z11luacuda_sigIPFv1U4AnonN2ns5OuterI1PE5InnerEN2TTIiE2InIfEEPNS7_IS4_E2InIS4_EE4TempIS7_"
    "fE2AVILi3EESH_ILb1EEyEEvv",
    "U | Anon | ns::Outer<P>::Inner | TT<int>::In<float> | TT<P>::In<P> * | Temp<TT, float> | "
    "AV<3> | AV<true> | unsigned long long" },
  { "_Z11luacuda_sigIPFvvEEvv", "" },
  { "_Z11luacuda_sigIPFvM1PiMS0_FviEEEvv", "int P::* | void (P::*)(int)" },
  { "_Z11luacuda_sigIPFvfPKfPfiEEvv", "float | const float * | float * | int" },
  { "_Z11luacuda_sigIPFvN2ns1VEPKS1_NS0_3BoxIfLi3EEEPNS4_IS1_Li2EEEEEvv",
    "ns::V | const ns::V * | ns::Box<float, 3> | ns::Box<ns::V, 2> *" },
  { "_Z11luacuda_sigIPFvfEEvv", "float" },
  { "_Z11luacuda_sigIPFvPiEEvv", "int *" },
  { "_Z11luacuda_sigIPFvPfPKfN2ns3BoxIfLi3EEEEEvv", "float * | const float * | ns::Box<float, 3>" },
  { "_Z11luacuda_sigIPFvP1PPKS0_N2ns3BoxIS0_Li2EEEEEvv", "P * | const P * | ns::Box<P, 2>" },
  { "_Z11luacuda_sigIPFvPN2ns1VEPKS1_NS0_3BoxIS1_Li1EEEEEvv",
    "ns::V * | const ns::V * | ns::Box<ns::V, 1>" },
  { "_Z11luacuda_sigIPFvP7double2PKS0_N2ns3BoxIS0_Li1EEEEEvv",
    "double2 * | const double2 * | ns::Box<double2, 1>" },
  { "_Z11luacuda_sigIPFviPf1PEEvv", "int | float * | P" },
  { "_Z11luacuda_sigIPFvvEEvv", "" },
  { "_Z11luacuda_sigIPFviPKiPKfEEvv", "int | const int * | const float *" },
  { "_Z11luacuda_sigIPFv7FunctorPiEEvv", "Functor | int *" },
  { "_Z11luacuda_sigIPFvPfPKN2ns3BoxIfLi3EEENS1_5OuterIfE5InnerENS7_1EEEEvv",
    "float * | const ns::Box<float, 3> * | ns::Outer<float>::Inner | ns::Outer<float>::E" },
  { "_Z11luacuda_sigIPFvP1PPKN2ns3BoxIS0_Li2EEENS2_5OuterIS0_E5InnerENS8_1EEEEvv",
    "P * | const ns::Box<P, 2> * | ns::Outer<P>::Inner | ns::Outer<P>::E" },
  { "_Z11luacuda_sigIPFvPN4cuda3std3__47complexIfEEPKS4_N2ns3BoxIS4_Li2EEEEEvv",
    "cuda::std::complex<float> * | const cuda::std::complex<float> * | "
    "ns::Box<cuda::std::complex<float>, 2>" },
  { "_Z11luacuda_sigIPFvPiEEvv", "int *" },
  { "_Z11luacuda_sigIPFvPfRK1PEEvv", "float * | const P &" },
  { "_Z4tmplIfLi3EEvPT_PKS0_N2ns3BoxIS0_XT0_EEE", "float * | const float * | ns::Box<float, 3>" },
  { "_Z4tmplI1PLi2EEvPT_PKS1_N2ns3BoxIS1_XT0_EEE", "P * | const P * | ns::Box<P, 2>" },
  { "_Z4tmplIN2ns1VELi1EEvPT_PKS2_NS0_3BoxIS2_XT0_EEE",
    "ns::V * | const ns::V * | ns::Box<ns::V, 1>" },
  { "_Z4tmplI7double2Li1EEvPT_PKS1_N2ns3BoxIS1_XT0_EEE",
    "double2 * | const double2 * | ns::Box<double2, 1>" },
  { "_Z4packIJiPf1PEEvDpT_", "int | float * | P" },
  { "_Z4packIJEEvDpT_", "" },
  { "_Z5packpIJifEEviDpPKT_", "int | const int * | const float *" },
  { "_Z2fnI7FunctorEvT_Pi", "Functor | int *" },
  { "_ZN2ns2tkIfLi3EEEvPT_PKNS_3BoxIS1_XT0_EEENS_5OuterIS1_E5InnerENS8_1EE",
    "float * | const ns::Box<float, 3> * | ns::Outer<float>::Inner | ns::Outer<float>::E" },
  { "_ZN2ns2tkI1PLi2EEEvPT_PKNS_3BoxIS2_XT0_EEENS_5OuterIS2_E5InnerENS9_1EE",
    "P * | const ns::Box<P, 2> * | ns::Outer<P>::Inner | ns::Outer<P>::E" },
  { "_Z4tmplIN4cuda3std3__47complexIfEELi2EEvPT_PKS5_N2ns3BoxIS5_XT0_EEE",
    "cuda::std::complex<float> * | const cuda::std::complex<float> * | "
    "ns::Box<cuda::std::complex<float>, 2>" },
  { "_Z5plainfPKfPfi", "float | const float * | float * | int" },
  { "_ZN2ns4innsENS_1VEPKS0_NS_3BoxIfLi3EEEPNS3_IS0_Li2EEE",
    "ns::V | const ns::V * | ns::Box<float, 3> | ns::Box<ns::V, 2> *" },
  { "_Z4statf", "float" },
  { "_ZN36_GLOBAL__N__00000000_4_k_cu_aac96eed4anonEPi", "int *" },
  { "_Z4overPfRK1P", "float * | const P &" },
  { "_Z11luacuda_sigIPFvfPKfPfiEEvv", "float | const float * | float * | int" },
  { "_Z11luacuda_sigIPDoFvPKfEEvv", "const float *" },
  { "_Z1kDv4_fPDv2_d.1", "vector of float | vector of double *" },
  { "_Z1kPU3AS1fU8vendoredIiEPi", "float * | int *" },
  { "_Z1kPA_fPA2_A3_Ki", "float (*)[] | const int (*)[2][3]" },
  { "_Z1kPFvPFviEzE", "void (*)(void (*)(int), ...)" },
  { "_Z1kRPKcOi", "const char *& | int &&" },
  { "_Z1kZ4mainE1SZ4mainE1S_0Z4mainEUlvE_", "main::S | main::S | main::{lambda}" },
  { "_Z1kN2ns3FooILDn0EEE3BarIXadL_Z1gEEE", "ns::Foo<0> | Bar<g>" },
  { "_Z1kSt4pairIiN3std1XEESs", "std::pair<int, std::X> | std::string" },
  { "_Z1kPVKfPrVKi", "const volatile float * | const volatile __restrict__ int *" },
  { "_Z1ku6__int8Pu6__int8i", "__int8 | __int8 * | int" },
};

static void join_types (const lcu_signature *s, char *out, size_t size) {
  out[0] = '\0';
  for (size_t i = 0; i < s->num_params; i++) {
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", i > 0 ? " | " : "", s->params[i].type_name);
  }
}

static void test_types (void) {
  char got[2048];
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    lcu_signature s;
    if (lcu_signature_parse(rows[i].mangled, &s) != LCU_OK) {
      same(rows[i].mangled, rows[i].types, lcu_failure_get()->message);
      continue;
    }
    CHECK(s.known);
    join_types(&s, got, sizeof got);
    same(rows[i].mangled, rows[i].types, got);
    lcu_signature_free(&s);
  }
}

/* Writes kind, dtype, lanes, const, indirections, offset, size and alignment of a parameter. */
static void describe (const lcu_param *p, char *out, size_t size) {
  static const char *const kinds[] = { "scalar", "pointer", "class", "opaque" };
  snprintf(out, size, "%s %s x%d%s%s%s *%d @%u:%u/%u", kinds[p->kind],
           p->dtype != NULL ? p->dtype->name : "-", p->vector, p->is_const ? " const" : "",
           p->is_char ? " char" : "", p->is_bool ? " bool" : "", p->indirections, p->offset,
           p->size, p->align);
}

static void test_meaning (void) {
  static const char *const want[] = {
    "pointer int8 x1 const char *1 @0:8/8", "scalar bool x1 bool *0 @8:1/1",
    "scalar float16 x1 *0 @10:2/2",         "pointer float16 x2 *1 @16:8/8",
    "class float32 x3 *0 @24:12/4",         "class float32 x4 *0 @48:16/16",
    "pointer float32 x4 const *1 @64:8/8",  "class complex64 x1 *0 @72:8/8",
    "pointer complex128 x1 *1 @80:8/8",     "pointer - x1 *1 @88:8/8",
    "pointer uint64 x1 *2 @96:8/8",         "pointer float32 x1 *1 @104:8/8",
    "scalar uint64 x1 *0 @112:8/8",         "class uint32 x3 *0 @120:12/4",
    "class int64 x2 *0 @144:16/16",
  };
  const char *mangled =
    "_Z11luacuda_sigIPFvPKcb6__halfP7__half26float36float4PKS6_N4cuda3std3__47complexIfEE"
    "PNSC_IdEEPvPPfPA4_fm4dim39longlong2EEvv";
  lcu_signature s;
  char got[128];
  if (lcu_signature_parse(mangled, &s) != LCU_OK) {
    same(mangled, "", lcu_failure_get()->message);
    return;
  }
  CHECK(s.num_params == lcu_arraylen(want));
  for (size_t i = 0; i < s.num_params && i < lcu_arraylen(want); i++) {
    describe(&s.params[i], got, sizeof got);
    same(s.params[i].type_name, want[i], got);
  }
  lcu_signature_free(&s);
}

static void test_classes (void) {
  lcu_signature s;
  CHECK(lcu_signature_parse("_Z1k2ns", &s) == LCU_OK && s.num_params == 1);
  CHECK(s.params[0].kind == LCU_PARAM_CLASS && s.params[0].size == 0 &&
        strcmp(s.params[0].class_name, "ns") == 0);
  lcu_signature_free(&s);
  CHECK(lcu_signature_parse("_Z1kPKN2ns1VEPFviE", &s) == LCU_OK && s.num_params == 2);
  CHECK(s.params[0].is_const && s.params[0].dtype == NULL &&
        strcmp(s.params[0].class_name, "ns::V") == 0);
  CHECK(s.params[1].is_function && s.params[1].kind == LCU_PARAM_POINTER);
  lcu_signature_free(&s);
}

static void test_variables (void) {
  lcu_param p;
  int64_t dims[8];
  int n;
  CHECK(lcu_type_parse("_Z11luacuda_sigIA3_A4_fEvv", &p, dims, &n) == LCU_OK && n == 2 &&
        dims[0] == 3 && dims[1] == 4);
  CHECK(p.dtype == lcu_dtype_find("float32", 7) && p.kind == LCU_PARAM_SCALAR);
  lcu_param_free(&p);
  CHECK(lcu_type_parse("_Z11luacuda_layIA3_PFvPfS0_EJLm16ELm24EEEvv", &p, dims, &n) == LCU_OK &&
        n == 1 && dims[0] == 3);
  CHECK(p.is_function && strcmp(p.class_name, "void (float *, float *)") == 0);
  lcu_param_free(&p);
  CHECK(lcu_type_parse("_Z11luacuda_sigIA16_KiEvv", &p, dims, &n) == LCU_OK && n == 1 &&
        dims[0] == 16 && p.is_const);
  lcu_param_free(&p);
  CHECK(lcu_type_parse("_Z11luacuda_sigI1PEvv", &p, dims, &n) == LCU_OK && n == 0 &&
        strcmp(p.class_name, "P") == 0);
  lcu_param_free(&p);
  CHECK(lcu_type_parse("_Z11luacuda_sigIPKfEvv", &p, dims, &n) == LCU_OK &&
        p.kind == LCU_PARAM_POINTER && p.is_const);
  lcu_param_free(&p);
}

/* Text that no compiler makes is an error and does no harm. */
static void test_damage (void) {
  static const char *const bad[] = {
    "",
    "_Z",
    "_Zx",
    "coef",
    "PFvPfE",
    "_Z3ab",
    "_Z99999999999999999999a",
    "_Z1kT_",
    "_Z1kIfEvT0_",
    "_Z11luacuda_sigIPF",
    "_Z11luacuda_sigIPFvEvv",
    "_Z11luacuda_sigIPFvS0_EEvv",
    "_Z11luacuda_sigIPFvPKfS9_iEEvv",
    "_Z11luacuda_sigIPFvA_EEvv",
    "_Z11luacuda_sigIPFvA4fEEvv",
    "_Z11luacuda_sigIPFvfE!Evv",
    "_Z11luacuda_sigIfEvv",
    "_Z1kN",
    "_Z1kNE",
    "_Z1kL",
    "_Z1kIL",
    "_Z1kILi4",
    "_Z1kDp",
    "_Z1kDpf",
    "_ZN1aI1bEE",
    "_Z1kDTcl1fEE",
    "_Z1kPiZS_E2ab",
    "_Z1fT2",
    "_Z1fS",
    "_Z1fS0",
    "_Z1fPiS",
    "_ZS_",
    "_Z1kPiN1aIS_E",
    "_Z1kPiXLZS_EE",
    "_Z1kIXadL_ZT_EEEvv",
    "_Z1kZ",
    "_Z1kZ1aE",
    "_Z1kU",
    "_Z1kMf",
    "_Z1kIJfE",
    "_Z0",
  };
  lcu_signature s;
  for (size_t i = 0; i < lcu_arraylen(bad); i++) {
    if (lcu_signature_parse(bad[i], &s) == LCU_E_SYNTAX) {
      passed++;
      continue;
    }
    if (strcmp(bad[i], "_ZN1aI1bEE") == 0) {
      lcu_signature_free(&s);
      passed++;
      continue;
    }
    failed++;
    printf("'%s' was read\n", bad[i]);
    lcu_signature_free(&s);
  }
  CHECK(lcu_signature_parse("_Z", &s) == LCU_E_SYNTAX &&
        strstr(lcu_failure_get()->message, "character") != NULL);
}

/* Every prefix of a name, and every name with one letter changed, is read without a crash or
 * leak. */
static void test_mutants (void) {
  long before = lcu_mem_live();
  char text[512];
  static const char letters[] = "PKSNIEJT_0Z9AFvLXDM";
  for (size_t i = 0; i < lcu_arraylen(rows); i++) {
    size_t n = strlen(rows[i].mangled);
    lcu_signature s;
    for (size_t k = 0; k < n && n < sizeof text; k++) {
      memcpy(text, rows[i].mangled, n + 1);
      text[k] = '\0';
      if (lcu_signature_parse(text, &s) == LCU_OK) lcu_signature_free(&s);
      memcpy(text, rows[i].mangled, n + 1);
      text[k] = letters[(i + k) % (sizeof letters - 1)];
      if (lcu_signature_parse(text, &s) == LCU_OK) lcu_signature_free(&s);
    }
  }
  CHECK(lcu_mem_live() == before);
}

/* Names that are nested too deeply, or that would take exponential time to read, are errors. */
static void test_endless (void) {
  static char text[1 << 18];
  lcu_signature s;
  strcpy(text, "_Z1k");
  /* a function inside a function inside a function ... */
  for (size_t at = 4; at + 5 < sizeof text; at += 4) memcpy(text + at, "Z1aE", 5);
  CHECK(lcu_signature_parse(text, &s) == LCU_E_SYNTAX);
  /* eight copies of each pattern, 40 deep */
  strcpy(text, "_Z1kIJiiiiiiiiEEv");
  for (size_t at = strlen(text), i = 0; i < 40; i++, at += 5) memcpy(text + at, "DpPFv", 6);
  strcat(text, "T_EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE");
  CHECK(lcu_signature_parse(text, &s) == LCU_E_SYNTAX);
}

/* A name that doubles its length with each substitution must not take all memory. */
static void test_doubling (void) {
  char text[2048] = "_Z1kN1aI1bEE";
  lcu_signature s;
  for (int i = 0; i < 60; i++) {
    char part[32];
    snprintf(part, sizeof part, "1aIS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36],
             "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i % 36]);
    strncat(text, part, sizeof text - strlen(text) - 1);
  }
  if (lcu_signature_parse(text, &s) == LCU_OK) lcu_signature_free(&s);
  char nested[400];
  memset(nested, 'P', sizeof nested);
  nested[sizeof nested - 1] = '\0';
  CHECK(lcu_signature_parse(nested, &s) == LCU_E_SYNTAX);
}

static void test_out_of_memory (void) {
  const char *mangled = rows[lcu_arraylen(rows) - 3].mangled;
  long before = lcu_mem_live();
  for (long n = 1; n < 200; n++) {
    lcu_signature s;
    lcu_mem_fail_at(n);
    lcu_status st = lcu_signature_parse(mangled, &s);
    lcu_mem_fail_at(0);
    CHECK(lcu_mem_live() == before || st == LCU_OK);
    if (st == LCU_OK) {
      lcu_signature_free(&s);
      break;
    }
  }
  CHECK(lcu_mem_live() == before);
}

static const char ptx[] = "//\n.version 9.0\n.target sm_80\n.address_size 64\n";

static void test_images (void) {
  unsigned char elf[320] = { 0x7f, 'E', 'L', 'F', 2, 1 };
  char padded[sizeof ptx + 1] = "";
  CHECK(lcu_image_kind_of(ptx, sizeof ptx - 1) == LCU_IMAGE_PTX &&
        lcu_image_check(ptx, sizeof ptx - 1) == LCU_OK);
  /* with the zero byte at its end, and one more */
  CHECK(lcu_image_check(ptx, sizeof ptx) == LCU_OK);
  memcpy(padded, ptx, sizeof ptx);
  CHECK(lcu_image_check(padded, sizeof padded) == LCU_E_SYNTAX);
  CHECK(lcu_image_kind_of("int main", 8) == LCU_IMAGE_NONE &&
        lcu_image_kind_of("", 0) == LCU_IMAGE_NONE);
  CHECK(lcu_image_check(elf, 20) == LCU_E_SYNTAX);
  CHECK(lcu_image_check(elf, sizeof elf) == LCU_E_SYNTAX); /* no sections */
  /* a table of one section at 256 */
  elf[41] = 1;
  elf[58] = 64;
  elf[60] = 1;
  CHECK(lcu_image_check(elf, sizeof elf) == LCU_OK);
  CHECK(lcu_image_check(elf, sizeof elf - 1) == LCU_E_SYNTAX);
  CHECK(lcu_image_check("\x50\xed\x55\xba\x01\x00\x10\x00\xff\xff\x00\x00\x00\x00\x00\x00", 16) ==
        LCU_E_SYNTAX);
  CHECK(lcu_func_attr_find("num_regs", 8) == CU_FUNC_NUM_REGS && lcu_func_attr_find("regs", 4) < 0);
  CHECK(lcu_func_attr_name(CU_FUNC_COUNT) == NULL &&
        strcmp(lcu_func_attr_name(CU_FUNC_PTX_VERSION), "ptx_version") == 0);
}

int main (void) {
  test_types();
  test_meaning();
  test_classes();
  test_variables();
  test_damage();
  test_mutants();
  test_endless();
  test_doubling();
  test_out_of_memory();
  test_images();
  return check_result();
}
