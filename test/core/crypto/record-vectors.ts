/** Test vectors of the sealed record format, as docs/security.md prints them. */
export const RECORD_VECTORS = [
  {
    name: 'card',
    key: 'efca767f4799094360a8673bdab2a37e6c6f89662ae447b51e47d2593facc112',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21',
    field: 'data',
    plaintext: '{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}',
    record:
      '01000152abdcf84fb17da11bd9abb44ad99c7b475be00ee4431c6a89984c8ac34cdd43b6945e426c94658e01996c200f91c2c98e41bb1e6b947fe15df66e63335a9a287dd11e1d20b719a0c09483b6c0b471968c8f2e2508c8559cf2aa28a931e51cb00cf4202a117a265e0eb24bd9e77f30a3d02719f1c1f3',
  },
  {
    name: 'empty',
    key: 'e30ab7253f0acea2b6475e70c97e37b6f0c2fc53509d85b1a8b0cb934ec9302b',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'abc',
    field: 'details',
    plaintext: '',
    record: '010001a9389b50fd2ff1ba25226378e9e7efdb3f55fe3e5cac302f71aeae23d1425360a92e15244bdf034f2546a8ff',
  },
  {
    name: 'rotated',
    key: '7d5241fef723afbf2ee3095048f8e2789d75e16c6e29dcf793e6ba56b4952f6c',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'alias-ü',
    field: 'cvc',
    plaintext: '"123"',
    record:
      '010102a4fb42fd4bb4a9f50acc1b971b3f3c4c11b413d23ccba32d1d77e8ec6f8a72029355e3b10a34771ec382b3ee77cb375d01',
  },
];
