// What both dialects share. Eight or four numbers are read at once, 16 bytes at a time: addresses must be multiples of
// 16, and of 8 for four bfloat16.

#define NEGATIVE_INFINITY FLOAT_OF_BITS(0xff800000u)
INLINE void load8(const DEVICE float* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  const uint4 b = *((const DEVICE uint4*)(from + 4));
  to[0] = FLOAT_OF_BITS(a.x);
  to[1] = FLOAT_OF_BITS(a.y);
  to[2] = FLOAT_OF_BITS(a.z);
  to[3] = FLOAT_OF_BITS(a.w);
  to[4] = FLOAT_OF_BITS(b.x);
  to[5] = FLOAT_OF_BITS(b.y);
  to[6] = FLOAT_OF_BITS(b.z);
  to[7] = FLOAT_OF_BITS(b.w);
}
INLINE void load4(const DEVICE float* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  to[0] = FLOAT_OF_BITS(a.x);
  to[1] = FLOAT_OF_BITS(a.y);
  to[2] = FLOAT_OF_BITS(a.z);
  to[3] = FLOAT_OF_BITS(a.w);
}
INLINE void halves(uint32_t word, THREAD float* to) {
  to[0] = FLOAT_OF_BITS(word << 16);
  to[1] = FLOAT_OF_BITS(word & 0xffff0000u);
}
INLINE void load8(const DEVICE bfloat_t* from, THREAD float* to) {
  const uint4 a = *((const DEVICE uint4*)from);
  halves(a.x, to);
  halves(a.y, to + 2);
  halves(a.z, to + 4);
  halves(a.w, to + 6);
}
INLINE void load4(const DEVICE bfloat_t* from, THREAD float* to) {
  const uint2 a = *((const DEVICE uint2*)from);
  halves(a.x, to);
  halves(a.y, to + 2);
}

PART(start) {
  const int lane = tid & 31;
  const int warp = tid >> 5;
  (void)lane;
  (void)warp;
  (void)group_x;
  (void)group_y;
  (void)group_z;
  (void)groups_x;
}
