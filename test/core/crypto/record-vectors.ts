/** Test vectors of the encrypted record format, as docs/security.md prints them. */
export const RECORD_VECTORS = [
  {
    name: 'card',
    root: 'efca767f4799094360a8673bdab2a37e6c6f89662ae447b51e47d2593facc112',
    version: 1,
    key: '40cf21647af8c4ac1eed9b1841fab709b5486dd280e6139e45ad9eef6d3fe4bb',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'f2a5a7c2-6a0f-4c9a-8a35-a3b1b44d3c21',
    field: 'data',
    bound: [
      'card',
      '["3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2",1764000000000,null,null,true,false,["/pci/high/"],"7Qx1mN","4kTz9P",true,[],1,1,null,null,null,"0mwtbmbsc7iQLWkV",1,"BwcHBwcHBwcHBwcH"]',
    ],
    plaintext: '{"number":"4242424242424242","expiration_month":12,"expiration_year":2030}',
    record:
      '01000105fb5e617992eb23e1a07c4df7fca6cb1cd41a78060b9106c39dda4f182d9a685a92cc2de2b0eadc5f2ff23c081504441817055068f6b8f697ccd1b09f205a4ab9ac76d0a6bb9341ca8ede8e23b9492a72e5017cd77cbae38feecc78eda21472b35973bb292911b6b735b49db1ed214ef1dc4c93ca2c',
  },
  {
    name: 'shared',
    root: 'e30ab7253f0acea2b6475e70c97e37b6f0c2fc53509d85b1a8b0cb934ec9302b',
    version: 1,
    key: '29fe058f8127c99801d64d261d67cf2220b61abdf3b02d14295ef1a2efe24d92',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'abc',
    field: 'details',
    bound: [
      'token',
      '["3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2",1764000000000,"3c8e7a52-1f64-4b0e-8a55-d1b0f1c5a9e2",1764000001000,true,true,["/a/","/b/c/"],"7Qx1mN","4kTz9P",true,["8sVw","pL2q"],1,1,1790000000000,-120,null,"0mwtbmbsc7iQLWkV",2,"BwcHBwcHBwcHBwcH"]',
    ],
    plaintext: '{"mask":"{{ data | last4 }}"}',
    record:
      '010001ec97956119a87e7c8c8ce082b3dc4a9aa3a78540abd44b7fb0ed7357af49f2d3c94dba7d00795650514a67e7345d79529c4124276bc773b57a6b142863ce5c8d453fa8e8b68e84bd5f',
  },
  {
    name: 'rotated',
    root: '7d5241fef723afbf2ee3095048f8e2789d75e16c6e29dcf793e6ba56b4952f6c',
    version: 258,
    key: '7b3fa71d4d0933aefacbe17f41a5bba57b19afdca135380f340666ea6f359f9a',
    tenantId: '0b1cb2a5-8f30-4f0e-9d4c-0f0e2a3c9b11',
    recordId: 'alias-ü',
    field: 'cvc',
    bound: ['card', '1764003600000'],
    plaintext: '"123"',
    record:
      '01010266e925ecf83798ffdee356b1287a6754fdd295050581b0a4a8caa75ecc8a807d21379e4f54034151849d52d9caf47d61c6',
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
    record: '0100011a81153fb2e14be2657e48ce4c539c56c66cfdc88807a79df77d83997388ec80c35fb18ac126103eaf38b7ec',
  },
] as const;

/** Keys of the purposes that have no versions, derived from the root of the vector `card`. */
export const KEY_VECTORS = [
  { purpose: 'fingerprint', key: 'bf3b323a73517876bb48f50102fa58329ebc54ec02899325835c0997e7a58f10' },
  { purpose: 'search', key: '2fa03fc81fa4f23af40f804184cd96fd66743dcbb24e76e74b305b1d4932db39' },
  { purpose: 'cursor', key: '7af2ad24fbe4f4458b2c4cf170942eb4d27cffc77ec45737a7e8151b11c0bbfe' },
  { purpose: 'idempotency', key: 'b3a16db4adec51d795c2b2e2f27023fea52403a419cf72ab94ccdabf4b645aab' },
  { purpose: 'clear', key: 'bcf7375ffedfb12ec507a99fa7bf501e13104a28f4d0ffbf84584128f8429a9f' },
  { purpose: 'webhook', key: '7cdda7ef6eac4398660ffd9aebd465647ae6061be40977e5e5fa22e75468ff20' },
] as const;

/** The MAC that the clear fields of the first record vector have, without details. */
export const MAC_VECTOR = {
  field: 'clear',
  bound: [...RECORD_VECTORS[0].bound, '[74,null]'],
  mac: '00016ac5c55f296c1453fd37660a7a9493c39f287e8c35f6d9cd40d21e226ffed4dd',
} as const;
