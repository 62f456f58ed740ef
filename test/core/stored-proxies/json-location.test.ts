import {
  LOCATION_MAX_LENGTH,
  EVERY,
  locationText,
  parseLocation,
  parsePattern,
  type JsonLocation,
  type JsonPattern,
} from '../../../src/core/stored-proxies/json-location.ts';
import { replaceAt, setAt, valuesAt } from '../../../src/core/stored-proxies/json-places.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

function location(text: string): JsonLocation {
  const parsed = parseLocation(text);
  if ('problem' in parsed) throw new Error(`${text} ${parsed.problem}`);
  return parsed;
}

/** Finds the value that `JSON.parse` takes where members have the same name. */
const valueAt = (text: string, at: JsonLocation) => valuesAt(text, at).at(-1);

const valueOf = (text: string, path: string): string | undefined => {
  const found = valueAt(text, location(path));
  return found && text.slice(found.start, found.end);
};

describe('a location', () => {
  it.each<[string, JsonLocation]>([
    ['$', []],
    ['$.a', ['a']],
    ['$.a_1.é.😀', ['a_1', 'é', '😀']],
    ['$[0][12]', [0, 12]],
    [`$['a b']["c.d"]`, ['a b', 'c.d']],
    [`$['it\\'s "x"']["say \\"it's\\""]`, [`it's "x"`, `say "it's"`]],
    [`$['\\u0061\\n\\\\']`, ['a\n\\']],
    [`$['']`, ['']],
    ['$.__proto__.constructor', ['__proto__', 'constructor']],
    [`$['*']["..",]`.replace(',', ''), ['*', '..']],
  ])('reads %s', (text, segments) => {
    expect(parseLocation(text)).toEqual(segments);
  });

  it.each([
    ...[
      '',
      'a',
      '.a',
      ' $',
      '$ ',
      '$.',
      '$a',
      '$.1',
      '$.a-b',
      '$.a b',
      '$[',
      '$[]',
      '$[01]',
      '$[a]',
      '$[ 0]',
    ],
    ...['$[1234567890]', `$['a]`, `$['a"]`, `$['\\x']`, `$['\\"']`, `$["\\'"]`, `$['\\ud800']`, `$['a'b']`],
    ...['$..a', '$.*', '$[*]', '$[0:2]', '$[0,1]', '$[-1]', '$[?@.a]', '$.\ud800', `$['a\nb']`, '$.a()'],
  ])('refuses %j', (text) => {
    expect(parseLocation(text)).toEqual({ problem: expect.any(String) });
  });

  it('has at most 500 characters and 64 segments', () => {
    expect(parseLocation(`$${'.a'.repeat(65)}`)).toEqual({ problem: expect.stringContaining('64') });
    expect(parseLocation(`$${'.a'.repeat(64)}`)).toHaveLength(64);
    const long = `$.${'a'.repeat(LOCATION_MAX_LENGTH - 2)}`;
    expect(parseLocation(`${long}a`)).toEqual({ problem: expect.stringContaining('500') });
    expect(parseLocation(long)).toHaveLength(1);
  });

  it('says that a selector of several places cannot be set', () => {
    for (const text of ['$..a', '$.*', '$[*]', '$[-1]', '$.a[?@.b]'])
      expect(parseLocation(text)).toEqual({ problem: expect.stringContaining('one place') });
  });
});

describe('a value at a location', () => {
  const text = '\ufeff{ "a" : [1.0, {"b":"x\\"]"} , []], "\\u0063" : null, "d":{"__proto__":7}}';

  it.each([
    ['$', text.slice(1)],
    ['$.a', '[1.0, {"b":"x\\"]"} , []]'],
    ['$.a[0]', '1.0'],
    ['$.a[1]', '{"b":"x\\"]"}'],
    ['$.a[1].b', '"x\\"]"'],
    ['$.a[2]', '[]'],
    ['$.c', 'null'],
    ['$.d.__proto__', '7'],
  ])('is found at %s', (path, value) => {
    expect(valueOf(text, path)).toBe(value);
  });

  it.each(['$.x', '$[0]', '$.a.b', '$.a[3]', '$.a[0].b', '$.a[2][0]', '$.toString', '$.a[1].c', '$.b'])(
    'is missing at %s',
    (path) => {
      expect(valueOf(text, path)).toBeUndefined();
    },
  );

  it('is the last of the members with the same name, and all of them are listed', () => {
    const twice = '{"a":{"n":1,"n":2},"a":{"n":[3]},"a":{}}';
    expect(valueOf(twice, '$.a.n')).toBe('[3]');
    expect(valuesAt(twice, location('$.a.n')).map(({ start, end }) => twice.slice(start, end))).toEqual([
      '1',
      '2',
      '[3]',
    ]);
  });

  it('is not searched in a text that is not JSON', () => {
    expect(() => valueAt('{"a":1', ['a'])).toThrow(SyntaxError);
  });
});

describe('setting a value', () => {
  it.each([
    ['{"a": 1.50 , "b":2}', '$.a', '{"a": "T" , "b":2}'],
    ['{"a":{"b":[1,2]}}', '$.a.b[1]', '{"a":{"b":[1,"T"]}}'],
    ['{"a":{"b":[1,2] }}', '$.a.b[2]', '{"a":{"b":[1,2,"T"] }}'],
    ['{"a":{"b":[ ]}}', '$.a.b[0]', '{"a":{"b":["T" ]}}'],
    ['{}', '$.a', '{"a":"T"}'],
    [' { } ', '$.a', ' {"a":"T" } '],
    ['{"b":[1 , 2] }', '$.a', '{"b":[1 , 2],"a":"T" }'],
    ['{"b":1}', `$['a"\\u000a']`, '{"b":1,"a\\"\\n":"T"}'],
    ['{"b":1}', '$.__proto__', '{"b":1,"__proto__":"T"}'],
    ['\ufeff[1] ', '$[1]', '\ufeff[1,"T"] '],
    [' [1] ', '$', ' "T" '],
    ['7', '$', '"T"'],
    ['{"a":1,"\\u0061":{"a":2},"a":[3]}', '$.a', '{"a":"T","\\u0061":"T","a":"T"}'],
    ['{"a":{},"a":{"b":1}}', '$.a.b', '{"a":{"b":"T"},"a":{"b":"T"}}'],
  ])('changes only that place of %s at %s', (text, path, changed) => {
    expect(setAt(text, location(path), '"T"')).toBe(changed);
  });

  it.each([
    ['{"a":1}', '$.a.b'],
    ['{"a":1}', '$.b.c'],
    ['{"a":[1]}', '$.a[2]'],
    ['{"a":[1]}', '$.a.b'],
    ['{"a":{}}', '$.a[0]'],
    ['[]', '$[0].a'],
    ['1', '$.a'],
    ['{"a":{"b":1},"a":5}', '$.a.b'],
    ['{"a":5,"a":{"b":1}}', '$.a.b'],
  ])('is impossible in %s at %s', (text, path) => {
    expect(setAt(text, location(path), '"T"')).toBeUndefined();
  });

  it('agrees with a change of the parsed value', () => {
    const names = fc.constantFrom('a', 'b', '', '__proto__', 'é"\\');
    const json = fc.jsonValue({ maxDepth: 4 });
    const path = fc.array(fc.oneof(names, fc.nat({ max: 3 })), { maxLength: 4 });
    /** Sets a value in place of a parsed one, and returns whether there is such a place. */
    const set = (value: any, [first, ...rest]: JsonLocation, put: unknown): unknown => {
      if (first === undefined) return put;
      const isArray = Array.isArray(value);
      if (typeof value !== 'object' || value === null || isArray !== (typeof first === 'number'))
        return undefined;
      const isThere = isArray ? (first as number) < value.length : Object.hasOwn(value, first);
      if (!isThere && (rest.length > 0 || (isArray && first !== value.length))) return undefined;
      const inner = isThere ? Object.getOwnPropertyDescriptor(value, first)?.value : undefined;
      const changed = set(inner, rest, put);
      if (changed === undefined) return undefined;
      Object.defineProperty(value, first, {
        value: changed,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      return value;
    };
    const nested = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        json,
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(nested, path, json, fc.constantFrom(undefined, 1, '\t'), (value, at, put, space) => {
        const text = JSON.stringify(value, null, space);
        const changed = setAt(text, at, JSON.stringify(put));
        const expected = set(JSON.parse(text), at, JSON.parse(JSON.stringify(put)));
        expect(changed === undefined ? undefined : JSON.parse(changed)).toEqual(expected);
        if (changed === undefined) return;
        const set_ = valueAt(changed, at);
        expect(set_ && changed.slice(set_.start, set_.end)).toBe(JSON.stringify(put));
      }),
      { numRuns: cases(500) },
    );
  });

  it('replaces stretches in any order, and refuses overlapping ones', () => {
    const edits = [
      { start: 4, end: 5, json: 'D' },
      { start: 0, end: 1, json: 'ABC' },
      { start: 2, end: 2, json: '-' },
    ];
    expect(replaceAt('012345', edits)).toBe('ABC1-23D5');
    expect(() => replaceAt('012345', [...edits, { start: 0, end: 3, json: '' }])).toThrow('overlap');
  });

  it.each([
    ['many equal names', `{${'"a":1,'.repeat(150_000)}"a":1}`, '$.a'],
    ['a deep value', `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, '$.a'],
    ['a deep value around the location', `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`, '$.a.a.a'],
    ['a long escaped name', `{"${'\\u0061'.repeat(160_000)}":1,"a":2}`, '$.a'],
    ['many elements', `[${'1,'.repeat(500_000)}1]`, '$[500001]'],
  ])('takes a megabyte with %s', (_, text, path) => {
    expect(setAt(text, location(path), '0')).toBeDefined();
  });
});

describe('a pattern', () => {
  const pattern = (text: string): JsonPattern => {
    const parsed = parsePattern(text);
    if ('problem' in parsed) throw new Error(`${text} ${parsed.problem}`);
    return parsed;
  };

  it('has every element, and indexes from the end', () => {
    expect(pattern('$.a[*][-1][0]')).toEqual(['a', EVERY, -1, 0]);
    for (const text of ['$.*', '$[-0]', '$[1:2]', '$..a', '$[*,1]', '$[ * ]', '$[?@]'])
      expect(parsePattern(text)).toEqual({ problem: expect.stringContaining('is not understood') });
  });

  it('finds what a walk over the parsed value finds, with the place of each', () => {
    const found = (value: any, [first, ...rest]: JsonPattern, at: JsonLocation): JsonLocation[] => {
      if (first === undefined) return [at];
      if (typeof value !== 'object' || value === null) return [];
      if (typeof first === 'string')
        return !Array.isArray(value) && Object.hasOwn(value, first)
          ? found(value[first], rest, [...at, first])
          : [];
      if (!Array.isArray(value)) return [];
      const wanted = value.flatMap((_, index) =>
        first === EVERY || index === first || index === value.length + first ? [index] : [],
      );
      return wanted.flatMap((index) => found(value[index], rest, [...at, index]));
    };
    const names = fc.constantFrom('a', 'b', '__proto__', 'é"');
    const nested = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(names, tie('value'), { maxKeys: 3 }),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
    })).value;
    const segments = fc.array(fc.oneof(names, fc.constant(EVERY), fc.integer({ min: -3, max: 3 })), {
      maxLength: 4,
    });
    let places = 0;
    fc.assert(
      fc.property(nested, segments, fc.constantFrom(undefined, 1), (value, wanted, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed: unknown = JSON.parse(text);
        const all = valuesAt(text, wanted);
        places += all.length;
        expect(all.map((each) => each.location)).toEqual(found(parsed, wanted, []));
        for (const { start, end, location: at } of all) {
          const inner = at.reduce<any>((outer, segment) => outer[segment], parsed);
          expect(JSON.parse(text.slice(start, end))).toEqual(inner);
          expect(parseLocation(locationText(at))).toEqual(at);
        }
      }),
      { numRuns: cases(500) },
    );
    expect(places).toBeGreaterThan(100);
  });

  it('reads the text once, however many arrays have an end', () => {
    const text = `[${'[1],'.repeat(250_000)}[1]]`;
    let found = 0;
    expect(valuesAt(text, pattern('$[*][-1]'), () => (found += 1))).toHaveLength(250_001);
    expect(found).toBe(250_001);
  });
});
