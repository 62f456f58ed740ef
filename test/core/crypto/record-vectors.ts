/** Test vectors of the sealed record format, as docs/security.md prints them. */
export const RECORD_VECTORS = [
  {
    name: 'card',
    key: 'efca767f4799094360a8673bdab2a37e6c6f89662ae447b51e47d2593facc112',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21',
    field: 'data',
    bound: ['card', '3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2', 'own', '/pci/high/'],
    plaintext: '{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}',
    record:
      '0100014d77588d290fd8a0938cdbbff1cc10a0ba5b1ac770619da4417f7b082b02ec41cb104edcb2c0304256e05d5008dcf58d4c3a3a7b1c002fa5599ee05423d0084a035a0d48d86c3e02dff2624f64e42c179c33f7a1503f45582d5ba12b394512adfacd9d9f2c8431d45939218606bf1668b74eb797fb7b',
  },
  {
    name: 'shared',
    key: 'e30ab7253f0acea2b6475e70c97e37b6f0c2fc53509d85b1a8b0cb934ec9302b',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'abc',
    field: 'details',
    bound: ['token', '3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2', 'own shared', '/a/', '/b/c/'],
    plaintext: '{"mask":"{{ data | last4 }}"}',
    record:
      '010001e56f18294f4d66b4a9e2723b3195795e5f159680f98f91224bf193942bb967d05809332df4dd48650e4e25f23c833ceaaa34c1fb290c7ed79e628ec21ffed16aecc0e31070982112ee',
  },
  {
    name: 'rotated',
    key: '7d5241fef723afbf2ee3095048f8e2789d75e16c6e29dcf793e6ba56b4952f6c',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'alias-ü',
    field: 'cvc',
    bound: ['card'],
    plaintext: '"123"',
    record:
      '010102cb591519e425d798ab700c3a065011cade7c13b5f5ff27a7ea419e2cfbf63f363bb69d439cb5664a23e2d406b76e7c1582',
  },
  {
    name: 'empty',
    key: '0c5d1bb1f7a9d3a7f64e8ab2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: '019b7d3e-0000-7000-8000-000000000001',
    field: 'code',
    bound: [],
    plaintext: '',
    record: '01000151d2ac3889cf0f15e3d4e97df2a254ed45ef9178da906779e3a918774ddbc27302964efe72c3221f9e7c478a',
  },
];
