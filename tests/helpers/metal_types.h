// What the kernels use of Metal's standard library, declared for a real clang, so that their text is checked as Metal's
// compiler would: pointers keep their address space, bfloat converts only where a cast is written, and functions have
// their half overloads, so that an ambiguous call shows. Nothing here runs.
//
// Read in two ways. As C++: address spaces are numbered attributes, and a pointer without one takes no device pointer.
// As C++ for OpenCL: a cast from one address space to another is an error.
#pragma once
#ifdef __OPENCL_CPP_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define device __global
#define constant __constant
#define threadgroup __local
#define thread __private
#define KERNEL __kernel
typedef half half_number;
#else
#define device __attribute__((address_space(1)))
#define constant __attribute__((address_space(2)))
#define threadgroup static __attribute__((address_space(3)))
#define thread
#define KERNEL
typedef _Float16 half_number;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef uint uint2 __attribute__((ext_vector_type(2)));
typedef uint uint3 __attribute__((ext_vector_type(3)));
typedef uint uint4 __attribute__((ext_vector_type(4)));
#endif
typedef int int32_t;
typedef long int64_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
enum class bfloat : uint16_t {};
typedef bfloat bfloat16_t;

template <typename To, typename From>
inline To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_type between unlike sizes");
  return __builtin_bit_cast(To, from);
}

namespace metal {
enum class mem_flags { mem_none, mem_device, mem_threadgroup };
void threadgroup_barrier(mem_flags);
#define EXCHANGED(type) type simd_shuffle_xor(type, ushort);
EXCHANGED(float) EXCHANGED(half_number) EXCHANGED(bfloat) EXCHANGED(int) EXCHANGED(uint)
#define SUMMED(type) type simd_sum(type);
SUMMED(float) SUMMED(half_number) SUMMED(int) SUMMED(uint)
namespace precise {
#define PRECISE(name)  \
  float name(float);   \
  half_number name(half_number);
PRECISE(exp) PRECISE(sin) PRECISE(cos) PRECISE(rsqrt)
}  // namespace precise
#ifndef __OPENCL_CPP_VERSION__  // there they are built in
float fma(float, float, float);
half_number fma(half_number, half_number, half_number);
bfloat fma(bfloat, bfloat, bfloat);
float step(float, float);  // names that a body gives to its own variables: these must be hidden, not called
float round(float);
float floor(float);
float length(float);
#endif
}  // namespace metal
