// The dialect of Metal: the words in which the two GPU languages differ, and where a kernel's thread stands.

#include <metal_stdlib>
using namespace metal;
#define DEVICE device
#define THREAD thread
#define CONSTANT constant
#define INLINE inline
#define SHARED(type, name, count) threadgroup type name[count]
#define BARRIER() threadgroup_barrier(mem_flags::mem_threadgroup)
#define SHUFFLE_XOR(x, mask) simd_shuffle_xor(x, (ushort)(mask))
#define FLOAT_OF_BITS(x) as_type<float>((uint32_t)(x))
#define FMA(a, b, c) fma(a, b, c)
#define EXP(x) precise::exp(x)
#define SIN(x) precise::sin(x)
#define COS(x) precise::cos(x)
#define RSQRT(x) precise::rsqrt(x)
#define UNROLL _Pragma("clang loop unroll(full)")
#define UNROLL_CHUNKS _Pragma("clang loop unroll_count(2)")  // of several rows: in full, they want over 128 registers
INLINE float simd_total(float x) { return simd_sum(x); }

PART(start) {
  const int tid = (int)thread_position_in_threadgroup.x;
  const int group_x = (int)threadgroup_position_in_grid.x;
  const int group_y = (int)threadgroup_position_in_grid.y;
  const int group_z = (int)threadgroup_position_in_grid.z;
  const int groups_x = (int)threadgroups_per_grid.x;
}
