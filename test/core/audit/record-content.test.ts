import { decodeContent, encodeContent } from '../../../src/core/audit/record-content.ts';
import { strictEntryOf } from '../../../src/core/trail/trail-walk.ts';

const ONE = '0f2c7a52-7f0e-4d7e-8a86-0b7f7b1d3c11';
const ENTRY = { op: 'getToken', outcome: 'ok', tokens: { reveal: [ONE] } } as const;
const { body, ids } = encodeContent(ENTRY);

const decoded = (tokens: unknown) =>
  decodeContent({ body: JSON.stringify({ op: 'getToken', outcome: 'ok', tokens }), ...(ids && { ids }) });

it('a record has the ids of its entry, counted alone or with references', () => {
  expect(decodeContent({ body, ...(ids && { ids }) })).toEqual({ v: 1, ...ENTRY });
  expect(decoded({ reveal: [1, 0] })).toEqual(ENTRY);
});

it.each([
  [{ reveal: [1, 0, 5] }],
  [{ reveal: [1] }],
  [{ reveal: [] }],
  [{ reveal: -1, mask: 2 }],
  [{ reveal: 1.5 }],
  [{ reveal: '1' }],
  [{ reveal: 0 }],
  [{ reveal: 2 }],
])('content that no entry has is not decoded: tokens %j', (tokens) => {
  expect(() => decoded(tokens)).toThrow(/^audit: /);
});

it.each(['null', '[]', '5'])('content that is no object is not decoded: %s', (text) => {
  expect(() => decodeContent({ body: text })).toThrow('audit: not an object');
});

describe('the entry of a record', () => {
  const entryOf = (more: object, position = '0'.repeat(21)) =>
    strictEntryOf({
      trail: 'tenant',
      shard: 0,
      position,
      body: JSON.stringify({ op: 'getToken', outcome: 'ok', ...more }),
      mac: Buffer.alloc(32),
      expires: 1,
    });

  it.each([[{}], [{ key: 1 }], [{ key: Number.MAX_SAFE_INTEGER }], [{ after: '0:x' }]])(
    'is read if this service may have written it: %j',
    (more) => {
      expect(entryOf(more)).toEqual({ op: 'getToken', outcome: 'ok', ...more });
    },
  );

  it.each([
    [{ key: 0 }],
    [{ key: -1 }],
    [{ key: 1.5 }],
    [{ key: '1' }],
    [{ key: 2 ** 53 }],
    [{ after: 5 }],
    [{ op: 5 }],
  ])('is not read with a member that this service never writes: %j', (more) => {
    expect(entryOf(more)).toBeUndefined();
  });

  it('is not read at a position that is none', () => {
    expect(entryOf({}, '0'.repeat(20))).toBeUndefined();
  });
});
