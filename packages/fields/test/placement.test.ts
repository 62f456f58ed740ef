import { fc } from '../../test-kit/src/properties.ts';
import { bodyOf, placeholdersIn } from '../src/frame/placement.ts';
import { Refusal } from '../src/frame/refusal.ts';
import { FIELD_KINDS, PLACEHOLDER, type FieldKind, type FieldPart, type Operation } from '../src/protocol.ts';

// The writer of the request is hostile: it may be any JSON with fields anywhere in it.

const KINDS: readonly FieldKind[] = FIELD_KINDS;
/** Each field has the name of its kind as its id, and a value that is found wherever it goes. */
const VALUES: Readonly<Record<FieldKind, string>> = {
  card_number: 'value-of-number',
  card_expiration: 'value-of-expiration',
  card_cvc: 'value-of-cvc',
  account_number: 'value-of-account',
  routing_number: 'value-of-routing',
  text: 'value-of-text',
};

const field = (kind: FieldKind, part?: FieldPart) => ({ [PLACEHOLDER]: kind, ...(part && { part }) });
const number = field('card_number');
const cvc = field('card_cvc');
const text = field('text');
const month = field('card_expiration', 'month');
const year = field('card_expiration', 'year');

const built = (operation: Operation, body: unknown): any =>
  bodyOf(operation, body, {
    kindOf: (id) => id as FieldKind,
    fill: ({ fieldId, part }) => VALUES[fieldId as FieldKind] + (part ?? ''),
  });
const created = (token: object) => built('create', token);
const NO_MATCH = { deduplicate_token: false };

const CARD = {
  type: 'card',
  data: { number, expiration_month: month, expiration_year: year, cvc },
};
const FILLED = {
  number: 'value-of-number',
  expiration_month: 'value-of-expirationmonth',
  expiration_year: 'value-of-expirationyear',
  cvc: 'value-of-cvc',
};

describe('a request with fields', () => {
  it('has the values in data, and everything else as the page wrote it', () => {
    const others = {
      containers: ['/pci/shop/'],
      metadata: { order: '7' },
      expires_at: '1/1/2031',
    };
    expect(created({ ...CARD, ...others })).toEqual({ type: 'card', data: FILLED, ...others, ...NO_MATCH });
    expect(created({ type: 'card_number', data: number })).toEqual({
      type: 'card_number',
      data: FILLED.number,
      ...NO_MATCH,
    });
    const note = { type: 'token', data: { a: [text, { b: number }], plain: 1 } };
    expect(created(note)).toEqual({
      type: 'token',
      data: { a: [VALUES.text, { b: FILLED.number }], plain: 1 },
      ...NO_MATCH,
    });
  });

  it.each(['id', 'mask', 'search_indexes', 'fingerprint_expression', 'Mask', 'constructor', 'enrichments'])(
    'has no member %s, which would show what was typed',
    (name) => {
      expect(() => created({ ...CARD, [name]: '{{ data.number }}' })).toThrow(`has no member ${name}`);
      const tree = { a: [{ ...CARD, [name]: null }] };
      expect(() => built('tokenize', tree)).toThrow(`has no member ${name}`);
    },
  );

  it.each(['metadata', 'containers', 'expires_at', 'type'])('has no field in %s', (name) => {
    for (const value of [number, [number], { x: number }])
      expect(() => created({ ...CARD, [name]: value })).toThrow(
        /may stand in data, not in|none of the types/,
      );
  });

  it('puts a cvc nowhere but into a card, whose cvc is deleted', () => {
    const places = [
      { type: 'token', data: cvc },
      { type: 'token', data: { deep: [{ cvc }] } },
      { type: 'card_number', data: cvc },
      { type: 'social_security_number', data: cvc },
      { type: 'us_bank_account_number', data: cvc },
      { type: 'card', data: { number: cvc } },
      { type: 'bank', data: { account_number: cvc } },
    ];
    for (const token of places) {
      expect(() => created(token)).toThrow(Refusal);
      expect(() => built('tokenize', { a: token })).toThrow(Refusal);
    }
    expect(() => built('tokenize', { a: cvc })).toThrow('alone');
    expect(() => built('update', { data: { number: cvc } })).toThrow(Refusal);
  });

  it('puts no value where the mask of the type would show it', () => {
    for (const token of [
      { type: 'social_security_number', data: number },
      { type: 'card', data: { expiration_month: number } },
      { type: 'card', data: { expiration_month: year } },
      { type: 'card', data: { number: { nested: number } } },
      { type: 'bank', data: { routing_number: field('account_number') } },
      { type: 'unknown', data: number },
      { type: ['card'], data: { number } },
      { type: '__proto__', data: number },
    ])
      expect(() => created(token)).toThrow(Refusal);
  });

  it('changes a cvc of a card, and nothing else: a page may have made its expressions', () => {
    const change = { data: { cvc }, metadata: { a: null } };
    expect(built('update', change)).toEqual({
      data: { cvc: VALUES.card_cvc },
      metadata: { a: null },
      type: 'card',
    });
    for (const body of [
      { data: { number } },
      { data: { expiration_month: month } },
      { data: { cvc, expiration_year: year } },
      { data: number },
      { data: { note: text } },
      { data: { cvc }, mask: null },
      { data: { cvc }, containers: ['/public/'] },
      { data: { cvc }, type: 'token' },
      { data: { cvc }, metadata: { seen: cvc } },
    ])
      expect(() => built('update', body)).toThrow(Refusal);
  });

  it('is small beside its fields: a limit of a size would tell the length of a value', () => {
    const literals = (length: number) => ({ type: 'token', data: { text, x: 'x'.repeat(length) } });
    expect(() => created(literals(10_000))).not.toThrow();
    expect(() => created(literals(20_000))).toThrow('too large');
    expect(() => created({ type: 'token', data: Array(100).fill(text) })).not.toThrow();
    expect(() => built('tokenize', Array(101).fill(text))).toThrow('too large');
  });

  it('asks for no match, which would return the id of a token that the page has made', () => {
    expect(created(CARD)).toMatchObject(NO_MATCH);
    expect(() => created({ ...CARD, deduplicate_token: true })).toThrow('has no member deduplicate_token');
    expect(built('tokenize', { a: [text], b: CARD })).toMatchObject({
      a: [{ type: 'token', data: VALUES.text, ...NO_MATCH }],
      b: NO_MATCH,
    });
  });

  it('needs a field', () => {
    expect(() => created({ type: 'card', data: { number: '4242424242424242' } })).toThrow('no field');
  });

  it('leaves out an optional field that is empty', () => {
    const body = bodyOf('create', CARD, {
      kindOf: (id) => id as FieldKind,
      fill: ({ fieldId }) => (fieldId === 'card_cvc' ? undefined : VALUES[fieldId as FieldKind]),
    });
    expect(body).toEqual({
      type: 'card',
      data: {
        number: VALUES.card_number,
        expiration_month: VALUES.card_expiration,
        expiration_year: VALUES.card_expiration,
      },
      ...NO_MATCH,
    });
  });
});

const aField = fc
  .record({ kind: fc.constantFrom(...KINDS), part: fc.constantFrom(undefined, 'month', 'year') })
  .map(({ kind, part }) => field(kind, part));
const NAMES = [
  ...['type', 'data', 'id', 'mask', 'containers', 'metadata', 'search_indexes', 'deduplicate_token'],
  ...['fingerprint_expression', 'number', 'cvc', 'expiration_month', 'account_number', 'x', 'Data'],
];
const TYPES = [
  'card',
  'card_number',
  'bank',
  'token',
  'social_security_number',
  'us_bank_account_number',
  'y',
];
const { tree: anyRequest } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(aField, fc.constantFrom('{{ data }}', 'plain', 1, null), fc.constantFrom(...TYPES)),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('tree'), { maxKeys: 4 }),
    fc.record({ type: fc.constantFrom(...TYPES), data: tie('tree') }),
  ),
}));

/** Where each value of a body stands: the names on the way, and the tokens around it. */
function placesOf(value: unknown, path: readonly string[] = [], tokens: readonly any[] = []): any[] {
  if (typeof value === 'string' && value.startsWith('value-of-')) return [{ value, path, tokens }];
  if (typeof value !== 'object' || value === null) return [];
  const around =
    'type' in value && 'data' in value ? [...tokens, { token: value, depth: path.length }] : tokens;
  return Object.entries(value).flatMap(([name, each]) => placesOf(each, [...path, name], around));
}

describe('any request that a hostile page writes', () => {
  const operations: readonly Operation[] = ['create', 'tokenize', 'update'];

  it('is refused, or has values in data alone, and a cvc as the cvc of a card alone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...operations), anyRequest, (operation, request) => {
        let body: unknown;
        try {
          body = built(operation, request);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        for (const { value, path, tokens } of placesOf(body)) {
          const innermost = tokens[0];
          if (value === VALUES.card_cvc) {
            expect(path.slice(-2)).toEqual(['data', 'cvc']);
            expect(operation === 'update' || innermost.token.type === 'card').toBe(true);
          }
          // An update has no token around it: it is one.
          if (operation !== 'update') {
            expect(path[innermost.depth]).toBe('data');
            expect(innermost.token).toMatchObject(NO_MATCH);
          }
          for (const name of ['id', 'mask', 'search_indexes', 'fingerprint_expression'])
            expect(innermost?.token ?? body).not.toHaveProperty(name);
        }
      }),
    );
  });

  it('loses no field: each is filled in, or the request is refused', () => {
    fc.assert(
      fc.property(fc.constantFrom(...operations), anyRequest, (operation, request) => {
        let body: unknown;
        try {
          body = built(operation, request);
        } catch {
          return;
        }
        expect(placesOf(body)).toHaveLength(placeholdersIn(request).length);
        expect(placeholdersIn(body)).toEqual([]);
      }),
    );
  });
});
