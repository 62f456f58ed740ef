import { createSecretKey, randomBytes } from 'node:crypto';
import { Secret } from '../../../src/core/shared/secret.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { evaluateIndexes } from '../../../src/core/tokens/evaluate-indexes.ts';
import { containerTerms, hashTerm } from '../../../src/core/tokens/index-term.ts';
import { parseSearchQuery, type SearchTerm } from '../../../src/core/tokens/search-query.ts';
import { fc } from '../../../packages/test-kit/src/properties.ts';
import { aBudget } from '../../support/builders/a-budget.ts';

describe('a search query', () => {
  it.each<[string, readonly SearchTerm[]]>([
    ['data:"4242"', [{ field: 'data', value: '4242' }]],
    ['data:4242', [{ field: 'data', value: '4242' }]],
    ['data:""', [{ field: 'data', value: '' }]],
    [
      'data:"a b" AND type:card',
      [
        { field: 'data', value: 'a b' },
        { field: 'type', value: 'card' },
      ],
    ],
    [
      ' type:card   and\tid:"x" ',
      [
        { field: 'type', value: 'card' },
        { field: 'id', value: 'x' },
      ],
    ],
    ['metadata.key:"v"', [{ field: 'metadata', key: 'key', value: 'v' }]],
    ['metadata.a.b-c:v', [{ field: 'metadata', key: 'a.b-c', value: 'v' }]],
    ['metadata."a: \\"b\\"":"v"', [{ field: 'metadata', key: 'a: "b"', value: 'v' }]],
    [String.raw`data:"say \"hi\" \\ AND"`, [{ field: 'data', value: String.raw`say "hi" \ AND` }]],
    ['data:"a AND b"', [{ field: 'data', value: 'a AND b' }]],
    ['data:"x\ny"', [{ field: 'data', value: 'x\ny' }]],
    ['container:"/PCI/"', [{ field: 'container', value: '/pci/' }]],
    ['container:/pci/high', [{ field: 'container', value: '/pci/high/' }]],
    ['fingerprint:abc', [{ field: 'fingerprint', value: 'abc' }]],
    ['id:a:b', [{ field: 'id', value: 'a:b' }]],
  ])('parses %j', (query, terms) => {
    expect(parseSearchQuery(query)).toEqual(terms);
  });

  it.each([
    '',
    '   ',
    'data',
    'data:',
    'data:"open',
    'data:"a"b',
    'data:"a" type:card',
    'data:"a" OR type:card',
    'data:"a" AND',
    'AND data:"a"',
    'data:"a"AND type:card',
    'data:"a" AND AND type:card',
    'nope:"a"',
    'metadata:"a"',
    'metadata.:"a"',
    '"data":"a"',
    'container:pci',
    'container:"/a b/"',
    'constructor:x',
    '(data:"a")',
    'data:*"a"',
    Array.from({ length: 21 }, () => 'id:x').join(' AND '),
    `data:"${'a'.repeat(10_000)}"`,
  ])('is rejected without being quoted: case %#', (query) => {
    expect(() => parseSearchQuery(query)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        errors: { query: [expect.not.stringContaining('nope')] },
      }),
    );
  });

  it.each([
    ['4242', 'has a value without a field, at character 1; write data:"..." or metadata.key:"..."'],
    [
      'data.number:"4242"',
      'has an unknown field, at character 1; there are data, type, container, fingerprint, id and metadata.<key>; did you mean `data`?',
    ],
    [
      'typ:card',
      'has an unknown field, at character 1; there are data, type, container, fingerprint, id and metadata.<key>; did you mean `type`?',
    ],
    ['metadata.:"7"', 'has metadata without a key, at character 1; write metadata.key:"..."'],
    [
      'metadata.order no:"8"',
      'must have a key with spaces in quotation marks, at character 1; write metadata."order no":"..."',
    ],
    ['id:x AND AND id:y', 'must have a term on each side of AND, at character 10'],
    ['data=4242', 'has = in place of :, at character 1'],
    ["data:'4242'", 'has a value in other quotation marks than ", at character 1'],
    ['id:x  AND  container:pci', 'has a container that is no path like /pci/high/, at character 12'],
    [
      'type:*',
      'has a term with *, which is no wildcard, at character 1; to search for the characters, quote the value',
    ],
    [
      'metadata.order:>7',
      'has a comparison, and values are only equal, at character 1; to search for the characters, quote the value',
    ],
    [
      'metadata.order:7,type:card',
      'has terms that are not joined by AND, at character 1; to search for the characters, quote the value',
    ],
    [
      'metadata.a:7&metadata.b:8',
      'has terms that are not joined by AND, at character 1; to search for the characters, quote the value',
    ],
    [
      'type:crad',
      expect.stringMatching(/^has an unknown type, at character 1; there are .+; did you mean `card`\?$/),
    ],
    [
      'data:[1 TO 5]',
      'has a comparison, and values are only equal, at character 1; to search for the characters, quote the value',
    ],
    [
      'data:1..5',
      'has a comparison, and values are only equal, at character 1; to search for the characters, quote the value',
    ],
    ['type:(card OR bank)', 'must be terms joined by AND, without NOT, OR and brackets, at character 1'],
    ['data :"a"', 'has a blank between a field and its value, at character 1'],
    ['data:"open', 'has a quotation mark that is not closed, at character 1'],
    ['data: "a"', 'has a blank between a field and its value, at character 1'],
    ['type:card AND data:', 'has a field without a value, at character 15'],
    ['NOT type:card', 'must be terms joined by AND, without NOT, OR and brackets, at character 1'],
    ['id:x OR id:y', 'must be terms joined by AND, without NOT, OR and brackets, at character 6'],
    [
      'data:John Smith',
      'must continue with AND and a term, or end, at character 11; quote a value that has spaces',
    ],
    [
      'created_at:2030',
      'has an unknown field, at character 1; there are data, type, container, fingerprint, id and metadata.<key>',
    ],
  ])('says what is wrong with %s', (query, message) => {
    expect(() => parseSearchQuery(query)).toThrow(expect.objectContaining({ errors: { query: [message] } }));
  });

  it.each(['7|8', '7,8', '4242)', '4242?', '4242~', 'a%', 'a$b'])(
    'refuses the unquoted value %s, which would find nothing',
    (value) => {
      const reason = 'has a value with other characters than letters, digits and -_.:/@+=, at character 15';
      expect(() => parseSearchQuery(`type:card AND metadata.order:${value}`)).toThrow(
        expect.objectContaining({
          errors: { query: [`${reason}; to search for the characters, quote the value`] },
        }),
      );
    },
  );

  it('accepts any value and any key in quotes', () => {
    const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (value, key) => {
        expect(
          parseSearchQuery(`data:${quoted(value)} AND metadata.${quoted(key)}:${quoted(value)}`),
        ).toEqual([
          { field: 'data', value },
          { field: 'metadata', key, value },
        ]);
      }),
    );
  });

  it('is as fast for hostile text', () => {
    for (const text of [
      '"'.repeat(10_000),
      '\\'.repeat(10_000),
      `data:"${'\\'.repeat(9_990)}`,
      `metadata.${'a'.repeat(9_990)}`,
      ' AND'.repeat(2_500),
    ])
      expect(() => parseSearchQuery(text)).toThrow();
  });
});

describe('an index term', () => {
  const key = createSecretKey(randomBytes(32));

  it('matches case-insensitively in metadata, exactly in data', () => {
    const metadata = (name: string, value: string) => hashTerm(key, { kind: 'metadata', key: name, value });
    expect(metadata('Order', 'ABC')).toBe(metadata('oRDER', 'abc'));
    expect(metadata('order', 'abc')).not.toBe(metadata('order', 'abd'));
    expect(hashTerm(key, { kind: 'data', value: 'ABC' })).not.toBe(
      hashTerm(key, { kind: 'data', value: 'abc' }),
    );
  });

  it('cannot result from other parts or another kind, and reveals nothing without the key', () => {
    const hashes = [
      hashTerm(key, { kind: 'metadata', key: 'a', value: 'b' }),
      hashTerm(key, { kind: 'metadata', key: 'ab', value: '' }),
      hashTerm(key, { kind: 'metadata', key: 'a","b', value: '' }),
      hashTerm(key, { kind: 'data', value: '/a/' }),
      hashTerm(key, { kind: 'container', container: '/a/' }),
      hashTerm(createSecretKey(randomBytes(32)), { kind: 'container', container: '/a/' }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const hash of hashes) expect(hash).toMatch(/^[\w-]{32}$/);
  });

  it('an index term of a container is found by its ancestors, each once', () => {
    const paths = containerTerms(['/pci/high/', '/pci/low/', '/']).map((term) =>
      term.kind === 'container' ? term.container : '',
    );
    expect(paths).toEqual(['/pci/', '/pci/high/', '/pci/low/']);
  });
});

describe('search indexes', () => {
  function evaluate(input: readonly string[] | undefined, defaults: readonly string[], data: Json) {
    const errors: string[] = [];
    const terms = evaluateIndexes(
      input,
      defaults,
      new Secret(data),
      (path, message) => errors.push(`${path} ${message}`),
      aBudget(),
    );
    return { values: terms.map((term) => (term.kind === 'data' ? term.value : term)), errors };
  }

  it('are the texts of their expressions, each once', () => {
    expect(
      evaluate(['{{ data.a }}', '{{ data.b }}', 'x{{ data.a }}', '{{ data.a }}', '{{ data.list }}'], [], {
        a: 'v',
        b: 5,
        list: [1],
      }),
    ).toEqual({
      values: ['v', '5', 'xv', '[1]'],
      errors: [],
    });
  });

  it('are reported if they evaluate to nothing, except for defaults and those that read a cvc', () => {
    expect(
      evaluate(['{{ data.missing }}', '{{ data.empty }}', '{{ data.missing | stringify }}'], [], {
        empty: '',
      }).errors,
    ).toEqual([
      'search_indexes[0] evaluates to nothing',
      'search_indexes[1] evaluates to nothing',
      'search_indexes[2] evaluates to nothing',
    ]);
    expect(evaluate(undefined, ['{{ data.missing }}'], {})).toEqual({ values: [], errors: [] });
    expect(
      evaluate(['{{ data.cvc }}', '{{ data["cvc"] | last4 }}', '{{ data.CVC }}'], [], { number: '4' }),
    ).toEqual({ values: [], errors: [] });
  });

  it('are reported with their path if they fail', () => {
    expect(evaluate(['{{ data.a }}', '{{ data.a | to_number }}'], [], { a: '4242x' }).errors).toEqual([
      'search_indexes[1] has a to_number filter on a value that is not a number',
    ]);
  });
});
