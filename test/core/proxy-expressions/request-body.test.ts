import { TemplateFields } from '../../../src/core/expressions/template-fields.ts';
import type { Filling } from '../../../src/core/expressions/token-expression.ts';
import { isJson } from '../../../src/core/proxy-expressions/is-json.ts';
import { requestBody } from '../../../src/core/proxy-expressions/request-body.ts';
import { contentOfBytes, contentOfText } from '../../../src/core/shared/content.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { aBudget } from '../../support/builders/a-budget.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

const fillingWith = (valueOf: Filling['valueOf']): Filling => ({ valueOf, budget: aBudget() });

/** Renders a body with these tokens, as text and as bytes; throws reported errors. */
function rendered(body: string, contentType: string, tokens: Readonly<Record<string, Json>>): string {
  const [first = '', second] = [contentOfText(body), contentOfBytes(Buffer.from(body))].map((content) => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    const renderable = requestBody(content, contentType, false, fields);
    fields.throwIfFailed();
    const result = renderable.render(fillingWith(({ id }) => tokens[id] ?? null));
    fields.throwIfFailed();
    return bytesOfBody(result).toString('utf8');
  });
  expect(second).toBe(first);
  return first;
}

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const plain = text.filter(
  (value) => !value.includes('{{') && !value.includes('}}') && value.trim() === value,
);
const asText = (value: Json) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Where a reference may stand: alone, or between texts. */
// A brace before an expression would belong to it: `{{` opens at the first of them.
// Text that looks like JSON or a form may be one: nested-grammars.test.ts.
const before = plain.filter((text) => !/^["{[]|=|\{$/.test(text));
const after = plain.filter((text) => !text.includes('='));
const placement = fc.record({ before, after, spaces: fc.constantFrom('', ' ', '  ') });
const template = ({ before, after, spaces }: { before: string; after: string; spaces: string }) =>
  `${before}{{${spaces}id${spaces}}}${after}`;
const data = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
  fc.array(text, { maxLength: 3 }),
) as fc.Arbitrary<Json>;

describe('a proxied body agrees with an independent rendering', () => {
  it('a JSON body is parsed, filled in as a value, and written again', () => {
    fc.assert(
      fc.property(placement, data, fc.jsonValue(), (where, value, rest) => {
        const isAlone = where.before === '' && where.after === '';
        const expected = isAlone ? value : `${where.before}${asText(value)}${where.after}`;
        const safeRest = parseJson(JSON.stringify(rest).replaceAll('{{', '{ {'));
        const body = JSON.stringify({ a: [template(where)], rest: safeRest });
        expect(parseJson(rendered(body, 'application/json', { id: value }))).toEqual({
          a: [expected],
          rest: safeRest,
        });
      }),
      { numRuns: cases(75) },
    );
  });

  it('a form is decoded as URLSearchParams does it', () => {
    fc.assert(
      fc.property(placement, data, plain, (where, value, other) => {
        const body = new URLSearchParams([
          ['a', template(where)],
          ['b', other],
        ]).toString();
        const got = new URLSearchParams(rendered(body, 'application/x-www-form-urlencoded', { id: value }));
        expect([got.get('a'), got.get('b')]).toEqual([
          `${where.before}${asText(value)}${where.after}`.toWellFormed(),
          other.toWellFormed(),
        ]);
      }),
      { numRuns: cases(75) },
    );
  });

  it('an XML body is filled in so that no value can end an element or an attribute', () => {
    fc.assert(
      fc.property(data, (value) => {
        const got = rendered('<a b="{{ id }}">{{ id }}</a>', 'text/xml', { id: value });
        const inside = /^<a b="([^"<>]*)">([^<>]*)<\/a>$/s.exec(got);
        const unescaped = (escaped = '') =>
          escaped
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>')
            .replaceAll('&quot;', '"')
            .replaceAll('&#39;', "'")
            .replaceAll('&amp;', '&');
        expect([unescaped(inside?.[1]), unescaped(inside?.[2])]).toEqual([asText(value), asText(value)]);
      }),
      { numRuns: cases(75) },
    );
  });

  it('a text body has each value in its place', () => {
    fc.assert(
      fc.property(placement, data, (where, value) => {
        // Text that is JSON is treated as JSON.
        fc.pre(!isJson(template(where)));
        expect(rendered(template(where), 'text/plain', { id: value })).toBe(
          `${where.before}${asText(value)}${where.after}`,
        );
      }),
      { numRuns: cases(75) },
    );
  });

  it('and never parses a value again', () => {
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      const body =
        type === 'application/json' ? '"x{{ id }}"' : type === 'text/plain' ? '{{ id }}' : 'a={{ id }}';
      const got = decodeURIComponent(
        rendered(body, type, { id: '{{ other }}', other: 'LEAK' }).replaceAll('+', ' '),
      );
      expect(got).toContain('{{ other }}');
      expect(got).not.toContain('LEAK');
    }
  });
});

describe('a hostile body', () => {
  const references = (body: string, contentType: string) => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    const renderable = requestBody(contentOfBytes(Buffer.from(body)), contentType, false, fields);
    return { count: renderable.references.length, fields };
  };

  it.each([
    ['application/json', '"{{",', '[', '1]'],
    ['application/x-www-form-urlencoded', 'a={{&', '', ''],
    ['multipart/form-data; boundary=b', '--b\r\n\r\n{{\r\n', '', '--b--'],
  ])('a hostile body of %s is read no further after too many errors', (contentType, unit, before, after) => {
    const { fields } = references(`${before}${unit.repeat(200_000)}${after}`, contentType);
    expect(fields.isFull).toBe(true);
    let reported = 0;
    const counting = new TemplateFields(machinePlatform.random.integer);
    const report = counting.report;
    Object.defineProperty(counting, 'report', {
      value: (path: string, message: string) => {
        reported += 1;
        report(path, message);
      },
    });
    requestBody(
      contentOfBytes(Buffer.from(`${before}${unit.repeat(200_000)}${after}`)),
      contentType,
      false,
      counting,
    );
    expect(reported).toBe(1_000);
  });

  it.each([
    ['application/json', '"{{a}}",', '[', '1]'],
    ['application/x-www-form-urlencoded', 'a={{a}}&', '', ''],
    ['multipart/form-data; boundary=b', '--b\r\n\r\n{{a}}\r\n', '', '--b--'],
    ['text/plain', '{{a}}', '', ''],
  ])(
    'a hostile body of %s is rejected with more than ten thousand expressions',
    (contentType, unit, before, after) => {
      const { fields } = references(`${before}${unit.repeat(10_001)}${after}`, contentType);
      expect(() => {
        fields.throwIfFailed();
      }).toThrow('validation');
      expect(references(`${before}${unit.repeat(9_000)}${after}`, contentType).fields.failed).toBe(false);
    },
  );
});

describe('a body that is not text with expressions', () => {
  it('is sent unchanged when it is declared as compressed', () => {
    const body = Buffer.from('{{ id }}');
    const rendering = requestBody(
      contentOfBytes(body),
      'text/plain',
      true,
      new TemplateFields(machinePlatform.random.integer),
    );
    expect(rendering.references).toEqual([]);
    expect(rendering.render(fillingWith(() => 'x'))).toEqual(body);
  });

  const multipart = (headers: string, content: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n--b--\r\n'),
    ]);
  const type = 'multipart/form-data; boundary=b';

  it.each([
    'name="a"; filename="x.txt"',
    'name="a"; FileName="x"',
    'name="a"; filename*=UTF-8\'\'x',
    'filename=x; name="a"',
    'name="a;b" ; filename=""',
  ])('is sent unchanged in a part that is a file: %s', (headers) => {
    const body = multipart(headers, '{{ id }}');
    const rendering = requestBody(
      contentOfBytes(body),
      type,
      false,
      new TemplateFields(machinePlatform.random.integer),
    );
    expect(rendering.render(fillingWith(() => 'x'))).toEqual(body);
  });

  it.each(['name="a"', 'name="filename=x"', 'name="a; filename=x"'])(
    'is filled in in a part that is a field: %s',
    (headers) => {
      const rendering = requestBody(
        contentOfBytes(multipart(headers, '{{ id }}')),
        type,
        false,
        new TemplateFields(machinePlatform.random.integer),
      );
      expect(rendering.render(fillingWith(() => 'x'))).toEqual(multipart(headers, 'x'));
    },
  );

  it('is rejected in a field that is not UTF-8 and has an expression', () => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    requestBody(
      contentOfBytes(multipart('name="a"', Buffer.concat([Buffer.from([0xff]), Buffer.from('{{ id }}')]))),
      type,
      false,
      fields,
    );
    expect(fields.failed).toBe(true);
  });

  it('is rejected in a form value with an expression and an invalid encoding', () => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    requestBody(
      contentOfBytes(Buffer.from('a=%E0{{ id }}&b=%E0')),
      'application/x-www-form-urlencoded',
      false,
      fields,
    );
    expect(() => {
      fields.throwIfFailed();
    }).toThrow();
    const harmless = new TemplateFields(machinePlatform.random.integer);
    requestBody(
      contentOfBytes(Buffer.from('a=%E0&b={{ id }}')),
      'application/x-www-form-urlencoded',
      false,
      harmless,
    );
    expect(harmless.failed).toBe(false);
  });
});

describe('a body of JSON', () => {
  const CARD = { id: '4242' };

  it.each([
    ['unescaped', '{"a":"{{ id }}"}', '{"a":"4242"}'],
    ['with an escaped brace', String.raw`["\u007b{ id }}", "{\u007B id }}"]`, '["4242", "4242"]'],
    [
      'after an escaped quote and backslashes',
      String.raw`["\"\\\" {{ id }}\\", "\\"]`,
      String.raw`["\"\\\" 4242\\", "\\"]`,
    ],
    [
      'twice in a string, and with others',
      '["x","{{ id }}{{ id }}","y","{{ id }}"]',
      '["x","42424242","y","4242"]',
    ],
    ['as the whole body', '"{{ id }}"', '"4242"'],
    ['next to text that is not ASCII', '["é😀","{{ id }}","\u2028"]', '["é😀","4242","\u2028"]'],
  ])('is filled in with an expression %s', (_, body, expected) => {
    expect(rendered(body, 'application/json', CARD)).toBe(expected);
  });

  it.each([
    [String.raw`"\"{{ id }}"`, String.raw`"\"7"`],
    [String.raw`"{{ id }}\""`, String.raw`"7\""`],
    [String.raw`"\\{{ id }}"`, String.raw`"\\7"`],
    [String.raw`["\\","{{ id }}"]`, String.raw`["\\",7]`],
    [String.raw`["\\\"","{{ id }}","\""]`, String.raw`["\\\"",7,"\""]`],
  ])('preserves a type only if an expression is the whole string: %s', (body, expected) => {
    expect(rendered(body, 'application/json', { id: 7 })).toBe(expected);
  });

  it.each([
    ['the name of a member', '{"{{ id }}":1,"{{ id }}" :2}'],
    [`the name of a member, far before its colon`, `{"{{ id }}"${' '.repeat(100)}:1}`],
    ['an escape that is escaped', String.raw`["\\u007b{ id }}"]`],
    ['another character in hexadecimal', String.raw`["\u0070{ id }}"]`],
    ['one brace', '["{ id }", "{"]'],
    ['braces of objects', '{"a":{"b":{}}}'],
    ['no JSON', '{"a": nothing}'],
    ['text that is not JSON', '[01]'],
  ])('is unchanged with %s', (_, body) => {
    expect(rendered(body, 'application/json', CARD)).toBe(body);
  });

  it.each(['{{ id }}', '["{{ id }}"', '{"a":{{ id }}}', '["{{ id }}",]', '"{{ id }}', '["{{ id }}"]]'])(
    'is rejected when it is not JSON and has an expression: %s',
    (body) => {
      expect(() => rendered(body, 'application/json', CARD)).toThrow('validation');
    },
  );

  it.each([
    ['{"n":{{ x }}}', 'is not valid JSON at column 6; an expression is written in quotation marks'],
    [
      '\ufeff{\n "n": {{ x }}}',
      'is not valid JSON at line 2, column 7; an expression is written in quotation marks',
    ],
    ['{{ x }}', 'is not valid JSON at column 1; an expression is written in quotation marks'],
    ['["{{ x }}",]', 'is not valid JSON at column 12'],
  ])('says where it is not JSON: %j', (body, problem) => {
    expect(() => rendered(body, 'application/json', CARD)).toThrow(
      expect.objectContaining({ errors: { body: [problem] } }),
    );
  });

  it('says in which line of several JSON texts one is none', () => {
    const body = '{"a":1}\n{"b":"{{ x }}"}\n{"c": {{ x }}}\n';
    expect(() => rendered(body, 'application/x-ndjson', CARD)).toThrow(
      expect.objectContaining({
        errors: {
          body: ['is not valid JSON at line 3, column 7; an expression is written in quotation marks'],
        },
      }),
    );
  });

  it('has names and values with any number of spaces after them', () => {
    const space = ' \t\r\n'.repeat(1_450_000);
    const body = `{"{{ id }}"${space}:"\\u007b{ id }}"${space}}`;
    const filled = rendered(body, 'application/json', { id: 'v' });
    expect(filled === `{"{{ id }}"${space}:"v"${space}}`).toBe(true);
  });

  it.each([
    ['is rejected with an expression', '{{ id }}', ['is not valid JSON']],
    ['is sent unchanged without one', 'x', undefined],
  ])('that is not UTF-8 %s', (_, value, problems) => {
    const body = Buffer.concat([Buffer.from(`{"a":"${value}`), Buffer.from([0xff]), Buffer.from('"}')]);
    const fields = new TemplateFields(machinePlatform.random.integer);
    const renderable = requestBody(contentOfBytes(body), 'application/json', false, fields);
    expect(renderable.render(fillingWith(() => null))).toEqual(body);
    let errors: unknown;
    try {
      fields.throwIfFailed();
    } catch (error) {
      ({ errors } = error as { errors?: { body?: unknown } });
    }
    expect((errors as { body?: unknown } | undefined)?.body).toEqual(problems);
  });

  it('is filled in or rejected in the same way when it is long', () => {
    const long = 'x'.repeat(100_000);
    const body = (rest: string) => `{"a":"{{ id }}","b":"${long}"${rest}}`;
    expect(rendered(body(''), 'application/json', CARD)).toBe(`{"a":"4242","b":"${long}"}`);
    expect(() => rendered(body(','), 'application/json', CARD)).toThrow('validation');
    expect(() => rendered(body('').replace('xx', 'x\n'), 'application/json', CARD)).toThrow('validation');
  });

  it('agrees with a walk through the parsed value, for expressions anywhere', () => {
    const words = fc.array(fc.constantFrom('{{ id }}', '{{', '{', '\\', '"', 'u007b', 'é', ' ', ':'), {
      maxLength: 6,
    });
    const strings = words.map((parts) => parts.join('')).filter((value) => !/\{\{(?! id \}\})/.test(value));
    const values = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        strings,
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(strings, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const filled = (value: Json): Json => {
      if (typeof value === 'string') return value.replaceAll('{{ id }}', '4242');
      if (Array.isArray(value)) return value.map(filled);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, filled(member ?? null)]),
      );
    };
    fc.assert(
      fc.property(values, fc.boolean(), fc.constantFrom(0, 1), (value, isEscaped, indent) => {
        const plain = JSON.stringify(value, null, indent);
        const body = isEscaped ? plain.replaceAll('{ ', '\\u007b ') : plain;
        expect(parseJson(rendered(body, 'application/json', CARD))).toEqual(filled(value));
      }),
      { numRuns: cases(75) },
    );
  });
});
