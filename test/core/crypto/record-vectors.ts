/** Test vectors of the sealed record format, as docs/security.md prints them. */
export const RECORD_VECTORS = [
  {
    name: 'card',
    root: 'efca767f4799094360a8673bdab2a37e6c6f89662ae447b51e47d2593facc112',
    version: 1,
    key: '40cf21647af8c4ac1eed9b1841fab709b5486dd280e6139e45ad9eef6d3fe4bb',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21',
    field: 'data',
    bound: ['card', '3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2', 'own', '/pci/high/'],
    plaintext: '{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}',
    record:
      '010001075767dd08b5f3d9cae3bdfe76454938f06e99634fc2b88929de663820aadaad0f7bffb14f39aef5362785c87d1d1d364be39903bff79dbf709371f9caf25dda9ccbd09c5bbf90e6c67ffa6b17a4cd1439357167d98c796a745509ff385e1a222206e16760507f773910fff14c814c713b40ca209aa2',
  },
  {
    name: 'shared',
    root: 'e30ab7253f0acea2b6475e70c97e37b6f0c2fc53509d85b1a8b0cb934ec9302b',
    version: 1,
    key: '29fe058f8127c99801d64d261d67cf2220b61abdf3b02d14295ef1a2efe24d92',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'abc',
    field: 'details',
    bound: ['token', '3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2', 'own shared', '/a/', '/b/c/'],
    plaintext: '{"mask":"{{ data | last4 }}"}',
    record:
      '010001fd2c4c301a183c7d624e71b1d70dfaeba4c6d8ce9fa8d761cde26388b6aba4dd58987d52dafa11f1473f4abc1a84c19b17c129f321a9cf8f5f51901ba3473fb4d745f22025baaf53b1',
  },
  {
    name: 'rotated',
    root: '7d5241fef723afbf2ee3095048f8e2789d75e16c6e29dcf793e6ba56b4952f6c',
    version: 258,
    key: '7b3fa71d4d0933aefacbe17f41a5bba57b19afdca135380f340666ea6f359f9a',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'alias-ü',
    field: 'cvc',
    bound: ['card'],
    plaintext: '"123"',
    record:
      '0101024a8e90fc52dfcc096c367f07ff82eef5699b4a8db2b594dbe662f06e01f61b0d3eabc7f833df18e5318b793504e1c86813',
  },
  {
    name: 'empty',
    root: '0c5d1bb1f7a9d3a7f64e8ab2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6',
    version: 1,
    key: '75fd13b0f4766fd13709f85685158ec02445b2f638255fe4357234d99d62149b',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: '019b7d3e-0000-7000-8000-000000000001',
    field: 'code',
    bound: [],
    plaintext: '',
    record: '0100011a81153fb2e14be2657e48ce4c539c56c66cfdc88807a79df77d8399cf20c64270b9bf23cd4aa3ff999a47b1',
  },
];

/** Keys of the purposes that have no versions, derived from the root of the vector `card`. */
export const KEY_VECTORS = [
  { purpose: 'fingerprint', key: 'bf3b323a73517876bb48f50102fa58329ebc54ec02899325835c0997e7a58f10' },
  { purpose: 'search', key: '2fa03fc81fa4f23af40f804184cd96fd66743dcbb24e76e74b305b1d4932db39' },
  { purpose: 'cursor', key: '7af2ad24fbe4f4458b2c4cf170942eb4d27cffc77ec45737a7e8151b11c0bbfe' },
  { purpose: 'idempotency', key: 'b3a16db4adec51d795c2b2e2f27023fea52403a419cf72ab94ccdabf4b645aab' },
  { purpose: 'webhook', key: '7cdda7ef6eac4398660ffd9aebd465647ae6061be40977e5e5fa22e75468ff20' },
] as const;
