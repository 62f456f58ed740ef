import { TemplateFields } from '../../../src/core/expressions/template-fields.ts';
import { formText } from '../../../src/core/proxy-expressions/form-text.ts';
import { nestedPlaces } from '../../../src/core/proxy-expressions/nested-places.ts';
import { requestBody } from '../../../src/core/proxy-expressions/request-body.ts';
import { requestHeaders } from '../../../src/core/proxy-expressions/request-headers.ts';
import { contentOfText } from '../../../src/core/shared/content.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { expectLinear } from '../../support/expect-linear.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

const REFUSED = Symbol('refused');

/** A body, or a query for the type `query`, with the token `a` filled in. */
function filled(text: string, type: string, value: Json): string | typeof REFUSED {
  const fields = new TemplateFields(machinePlatform.random.integer);
  try {
    const renderable =
      type === 'query'
        ? formText(text, 'query', fields)
        : requestBody(contentOfText(text), type, false, fields);
    fields.throwIfFailed();
    const body = renderable.render({ valueOf: () => value, budget: fields.budget });
    const rendered = typeof body === 'string' ? body : bytesOfBody(body).toString();
    fields.throwIfFailed();
    return rendered;
  } catch (error) {
    if (error instanceof ServiceError) return REFUSED;
    throw error;
  }
}

/** The header of a template, with the token `a` filled in. */
function header(text: string, value: Json): string | typeof REFUSED {
  const fields = new TemplateFields(machinePlatform.random.integer);
  const renderable = requestHeaders({ 'x-text': text }, () => false, fields);
  try {
    const [[, rendered] = ['', '']] = renderable.render({ valueOf: () => value, budget: fields.budget });
    fields.throwIfFailed();
    return rendered;
  } catch (error) {
    if (error instanceof ServiceError) return REFUSED;
    throw error;
  }
}

/** One grammar of a nested template: how a text is put into it, and how a reader gets it out. */
interface Grammar {
  readonly wrap: (text: string) => string;
  /** Fails if the structure is not that of the template. */
  readonly read: (text: string) => string;
}

const EXPRESSION = '{{a}}';
/** Encodes the text around the expression: inside a text, an encoded one is not an expression. */
const around = (text: string, encode: (piece: string) => string): string =>
  text.split(EXPRESSION).map(encode).join(EXPRESSION);

const inForm = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
function readForm(text: string): string {
  const pairs = [...new URLSearchParams(text)];
  expect(pairs.map(([name]) => name)).toEqual(['amount', 'to', 'z']);
  expect([pairs[0]?.[1], pairs[2]?.[1]]).toEqual(['100', '1']);
  return pairs[1]?.[1] ?? '';
}
function readJson(text: string): string {
  const value = parseJson(text) as { to: string };
  expect(value).toEqual({ amount: 100, to: value.to, z: [1] });
  expect(text.match(/"(?:[^"\\]|\\.)*"\s*:/g)).toHaveLength(3);
  return value.to;
}
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const unescapeXml = (text: string): string =>
  (
    [
      ['lt', '<'],
      ['gt', '>'],
      ['quot', '"'],
      ['#39', "'"],
      ['amp', '&'],
    ] as const
  ).reduce((unescaped, [name, character]) => unescaped.replaceAll(`&${name};`, character), text);
function matched(pattern: RegExp, text: string): string {
  expect(text).toMatch(pattern);
  return pattern.exec(text)?.[1] ?? '';
}

const JSON_MEMBER: Grammar = {
  wrap: (text) => `{"amount": 100, "to": ${JSON.stringify(text)}, "z":[1]}`,
  read: readJson,
};
const FORM: Grammar = { wrap: (text) => `amount=100&to=${around(text, inForm)}&z=1`, read: readForm };
const INNER: readonly Grammar[] = [
  JSON_MEMBER,
  FORM,
  { wrap: (text) => JSON.stringify(text), read: (text) => parseJson(text) as string },
  {
    wrap: (text) => `[1,${JSON.stringify(text)},{}]`,
    read(text) {
      const list = parseJson(text) as readonly string[];
      expect(list).toEqual([1, list[1], {}]);
      return list[1] ?? '';
    },
  },
  {
    wrap: (text) => `https://shop.example/a?amount=100&to=${around(text, encodeURIComponent)}&z=1`,
    read: (text) => readForm(matched(/^https:\/\/shop\.example\/a\?(.*)$/s, text)),
  },
];

const PART = '--BB\r\nContent-Disposition: form-data; name="f"\r\n\r\n';
const OUTER: readonly (Grammar & { readonly type: string })[] = [
  { ...JSON_MEMBER, type: 'application/json' },
  {
    type: 'application/x-ndjson',
    wrap: (text) => `${JSON_MEMBER.wrap(text)}\n{}\n`,
    read: (text) => readJson(matched(/^([^\n]*)\n\{\}\n$/, text)),
  },
  { ...FORM, type: 'application/x-www-form-urlencoded' },
  {
    type: 'query',
    wrap: (text) => `amount=100&to=${encodeURIComponent(text)}&z=1`,
    read: readForm,
  },
  {
    type: 'multipart/form-data; boundary=BB',
    wrap: (text) => `${PART}${text}\r\n--BB--\r\n`,
    read: (text) =>
      matched(/^--BB\r\nContent-Disposition: form-data; name="f"\r\n\r\n(.*)\r\n--BB--\r\n$/s, text),
  },
  {
    type: 'application/xml',
    wrap: (text) => `<a b="c">${around(text, escapeXml)}<d/></a>`,
    read: (text) => unescapeXml(matched(/^<a b="c">([^<>"']*)<d\/><\/a>$/, text)),
  },
  {
    type: 'text/html',
    wrap: (text) => `<p>1 < 2 <!-- " --><a href="${around(text, escapeXml)}">d</a>`,
    read: (text) => unescapeXml(matched(/^<p>1 < 2 <!-- " --><a href="([^<>"']*)">d<\/a>$/, text)),
  },
  {
    type: 'text/xml',
    wrap: (text) => `<a>\n<![CDATA[${text}]]><!-- b --></a>`,
    read: (text) => matched(/^<a>\n<!\[CDATA\[([^<>]*)\]\]><!-- b --><\/a>$/, text),
  },
];

const HOSTILE = [
  ...[
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\n',
    '\r\n',
    '&',
    '=',
    '%',
    '%26',
    '+',
    '#',
    '?',
    ';',
    '<',
    '>',
  ],
  ...[
    "'",
    ' ',
    'é',
    '😀',
    '\u2028',
    '\u0000',
    '&quot;',
    '&#34;',
    '\\u0022',
    '{{ b }}',
    '}}',
    '--BB',
    ']]>',
    '-->',
  ],
  ...['acct","amount":1,"z":"', 'x&amount=1', '"}', '</a>', '%22%2C%22amount%22%3A1', '\\', 'null', '1'],
];
const values = fc.oneof(
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const leaves = fc.constantFrom(EXPRESSION, `pay ${EXPRESSION}`, `${EXPRESSION} now`, `a ${EXPRESSION}, b`);
const inner = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...INNER), { minLength, maxLength });
const outer = fc.constantFrom(...OUTER);

/** Wraps a template in several grammars. The first is the outermost. */
const wrapped = (grammars: readonly Grammar[], leaf: string): string =>
  grammars.reduceRight((text, grammar) => grammar.wrap(text), leaf);
const unwrapped = (grammars: readonly Grammar[], text: string): string =>
  grammars.reduce((read, grammar) => grammar.read(read), text);

describe('a value in grammars inside each other', () => {
  it('is read unchanged at its place by every reader, or is refused, to four levels', () => {
    let arrivals = 0;
    fc.assert(
      fc.property(outer, inner(1, 4), leaves, values, (around, grammars, leaf, value) => {
        const all = [around, ...grammars];
        const arrived = filled(wrapped(all, leaf), around.type, value);
        if (arrived === REFUSED) return;
        arrivals += 1;
        expect(unwrapped(all, arrived)).toBe(leaf.replace(EXPRESSION, () => value));
      }),
      { numRuns: cases(750) },
    );
    expect(arrivals).toBeGreaterThan(0.8 * cases(750));
  });

  it('is accepted at every place if it is harmless, and most grammars accept any', () => {
    fc.assert(
      fc.property(outer, inner(1, 4), leaves, values, (around, grammars, leaf, value) => {
        const template = wrapped([around, ...grammars], leaf);
        expect(filled(template, around.type, 'x1')).not.toBe(REFUSED);
        const refusesSome = /CDATA|BB/.test(template);
        if (!refusesSome) expect(filled(template, around.type, value)).not.toBe(REFUSED);
      }),
      { numRuns: cases(500) },
    );
  });

  it('is JSON of its own outside of quotes', () => {
    const data = fc.oneof(values, fc.integer(), fc.constant(null), fc.array(values, { maxLength: 2 }));
    fc.assert(
      fc.property(outer, inner(0, 3), data, (around, grammars, value) => {
        const all = [around, ...grammars];
        const json = `{"amount": 100, "to": ${EXPRESSION}, "z":[1]}`;
        // The field of a multipart is a body: what is not JSON there is a text with JSON in it.
        const arrived = filled(wrapped(all, json), around.type, value);
        if (arrived === REFUSED) expect(around.type).toMatch(/multipart|text\/xml/);
        else expect(parseJson(unwrapped(all, arrived))).toEqual({ amount: 100, to: value, z: [1] });
      }),
      { numRuns: cases(300) },
    );
  });

  it('is refused more than four levels deep if it has a character of a grammar', () => {
    fc.assert(
      fc.property(outer, inner(6, 7), values, (around, grammars, value) => {
        const all = [around, ...grammars];
        const arrived = filled(wrapped(all, EXPRESSION), around.type, value);
        if (arrived !== REFUSED) expect(unwrapped(all, arrived)).toBe(value);
        if (/["\\{}[\]&%+#\p{Cc}]/u.test(value)) expect(arrived).toBe(REFUSED);
        expect(unwrapped(all, String(filled(wrapped(all, EXPRESSION), around.type, 'x y')))).toBe('x y');
      }),
      { numRuns: cases(300) },
    );
  });

  it('leaves every byte without an expression unchanged', () => {
    const inside = String.raw`{ "a":"\u0041\/{{a}}" , "\u0062" : 1.0, "c":"{{a}}" }`;
    for (const text of [inside, ` ${inside}\n`, 'a=%41+b%2f{{a}}&b=%zz', 'u?a=%7e{{a}}&b=(*)#{{a}}'])
      expect(parseJson(String(filled(JSON.stringify([text]), '', 'x')))).toEqual([
        text.replaceAll('{{a}}', 'x'),
      ]);
  });
});

describe('text that looks like JSON or a form but is neither', () => {
  const UNCLEAR = [
    '{"a":"{{a}}"',
    "{'a':'{{a}}'}",
    '[note] {{a}}',
    '{a:{{a}}}x',
    '{{b}} = {{a}}',
    'a={{a}}',
    'a=1&b&c={{a}}',
    'a=1&b=%zz{{a}}',
    'a = 1 & b = {{a}}',
    '[1,1{{a}}]',
    '42["pay",{"to":"{{a}}","amount":1}]',
    'callback({"to":"{{a}}","amount":1})',
    'event: pay\ndata: {"to":"{{a}}","amount":1}',
    ')]}\',\n{ "to":"{{a}}"}',
    String.raw`{"a":"\{{a}}"}`,
  ];

  it.each(UNCLEAR)('takes only values that no grammar reads: %s', (text) => {
    for (const character of ['"', '\\', '{', '}', '[', ']', '&', '%', '+', '#', '\n', '\0'])
      expect(filled(JSON.stringify({ text }), '', `x${character}`)).toBe(REFUSED);
    expect(filled(JSON.stringify({ text }), '', "O'Neil, 5-é;")).toContain("O'Neil, 5-é;");
  });

  it.each(['Dear {{a}}', '{{a}} = 1', '{{a}}{"b":1}', 'a & b {{a}}', '"a" and {{a}}', '{{a}}{{a}}'])(
    'is other text that takes any value: %s',
    (text) => {
      const value = '"\\{}[]&%+#\n';
      const [arrived] = parseJson(String(filled(JSON.stringify([text]), '', value))) as readonly string[];
      expect(arrived).toBe(text.replaceAll('{{a}}', () => value));
    },
  );

  it.each(['{"{{a}}":1}', '{"x{{a}}":{"b":1}}', '{{a}}=1&b=2', 'a=1&b{{a}}=2', 'u?{{a}}=1&b=2'])(
    'takes no value in the name of a member or field: %s',
    (text) => {
      expect(filled(JSON.stringify({ text }), '', 'x')).toBe(REFUSED);
    },
  );

  it('takes a URL before a query, but no query in it', () => {
    const url = (value: string) => filled('["{{a}}?a=1&b=2"]', '', value);
    expect(url('https://shop.example/pay')).toBe('["https://shop.example/pay?a=1&b=2"]');
    for (const value of ['https://shop.example/?b', 'x=1', 'x#', 'x&b']) expect(url(value)).toBe(REFUSED);
  });
});

/** Texts of pairs, each with values that would add a pair or a parameter to it. */
const PAIRS: readonly (readonly [text: string, hostile: readonly string[]])[] = [
  ['sid={{a}}; role=user', ['p; role=admin', 'p;q', 'p&q']],
  ['user={{a}} role=user', ['p role=admin', 'p\trole=admin']],
  ['realm={{a}}, role=user', ['p, role=admin', 'p,q']],
  ['Server=a;Password={{a}};Trusted=no', ['p;Trusted=yes']],
  ['a=1|b={{a}}', ['p|c=1']],
  ['user={{a}}', ['p&role=admin']],
  ['https://shop.example/{{a}}?amount=1', ['p?amount=9&z=', 'p?amount=9', 'p&q', 'p=q']],
  ['flag&to={{a}}&amount=1', ['p&amount=9']],
];

describe('text of pairs that is no form', () => {
  it.each(PAIRS)('takes no value that adds a pair: %s', (text, hostile) => {
    for (const value of hostile) {
      expect(filled(JSON.stringify({ text }), '', value)).toBe(REFUSED);
      expect(filled(text, 'text/plain', value)).toBe(REFUSED);
      if (!text.startsWith('flag')) expect(header(text, value)).toBe(REFUSED);
    }
    for (const value of ['4242424242424242', 'a.b@c-d_e', "O'Neil", 'jwt.e30.x-_'])
      for (const arrived of [filled(JSON.stringify({ text }), '', value), header(text, value)])
        expect(arrived).toContain(text.replace('{{a}}', value));
  });

  it('is read once, however many expressions it has', () => {
    const readings = (count: number): number => {
      const text = 'bb=x;'.repeat(count);
      const at = Array.from({ length: count }, (_, index) => index * 5 + 3);
      const spies = [jest.spyOn(RegExp.prototype, 'test'), jest.spyOn(String.prototype, 'trim')];
      expect(nestedPlaces({ text, at, first: 0 })).toHaveLength(count);
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      return calls;
    };
    expect(readings(1_000)).toBe(readings(10));
  });

  it('is not prose, nor is a quoted value of a header refused its blanks', () => {
    expect(header('Digest username="{{a}}", realm="x"', 'Ann Lee')).toBe(
      'Digest username="Ann Lee", realm="x"',
    );
    expect(filled('Total = {{a}} EUR, thank you', 'text/plain', '1, 2')).toBe('Total = 1, 2 EUR, thank you');
    expect(header('user={{a}}; role=guest', 'Ann Lee')).toBe('user=Ann Lee; role=guest');
    expect(header('Basic {{a}}', 'dTpwYXNz==')).toBe('Basic dTpwYXNz==');
    expect(header('t=1,v1={{a}}', 'a+b/c==')).toBe('t=1,v1=a+b/c==');
  });
});

describe('XML and HTML', () => {
  it.each(['<!--> " {{a}} <a b="x">-->', '<!---> {{a}} -->', '<a><!-- x --!> {{a}} --></a>'])(
    'take no value after a comment that each ends elsewhere: %s',
    (template) => {
      for (const type of ['text/html', 'application/xml']) expect(filled(template, type, 'x')).toBe(REFUSED);
    },
  );

  it.each([
    '<a b={{a}}>',
    '<a b=x{{a}}>',
    '<script>let b = "{{a}}"</script>',
    '<style>p[b="{{a}}"]{}</style>',
    '<script type="application/json">{"b":"{{a}}"}</script>',
    '<!-- b={{a}} -->',
  ])('take no quotes and ends of other grammars where nothing is escaped: %s', (template) => {
    for (const value of ['"', '\\', '&', '{', '\n'])
      expect(filled(template, 'text/html', value)).toBe(REFUSED);
    expect(filled(template, 'text/html', 'v-1')).toBe(template.replace('{{a}}', 'v-1'));
  });

  it.each(['', ' ', 'x onclick', '`', "'"])(
    'take no value in an unquoted attribute that adds another: %j',
    (value) => {
      expect(filled('<a b={{a}} c=d>', 'text/html', value)).toBe(REFUSED);
    },
  );

  it.each([
    '<{{a}}>',
    '<a {{a}}>',
    '<a {{a}}="b">',
    '</{{a}}>',
    '<!{{a}}>',
    '<!DOCTYPE a [<!ENTITY b "{{a}}">]>',
  ])('take no value in a name or declaration: %s', (template) => {
    expect(filled(template, 'application/xml', 'x')).toBe(REFUSED);
  });

  it('take a value in text that comments and CDATA separate as in one text', () => {
    const template = '<p><![CDATA[{"a":"]]>{{a}}<!-- " --><![CDATA["}]]></p>';
    expect(filled(template, 'text/xml', '"')).toBe(template.replace('{{a}}', '\\&quot;'));
  });

  it('take no value in a text of too many pieces', () => {
    const template = (count: number) => `<a>${'b<!-- -->'.repeat(count)}{{a}}</a>`;
    expect(filled(template(20_000), 'text/xml', 'x')).toBe(REFUSED);
    expect(filled(template(9_000), 'text/xml', '<')).toBe(template(9_000).replace('{{a}}', '&lt;'));
  });

  it.each(['&quot;', '&#34;', '&#x22;', '&#X22;', '&#0000034;'])(
    'are read with the reference %s',
    (quote) => {
      const template = `<a b="{${quote}b${quote}:${quote}{{a}}${quote}}"/>`;
      expect(filled(template, 'text/xml', '\\')).toBe(template.replace('{{a}}', '\\\\'));
    },
  );

  it('take no value that could end a CDATA section or continue a reference', () => {
    for (const value of [']]>', '<', '>'])
      expect(filled('<![CDATA[{{a}}]]>', 'text/xml', value)).toBe(REFUSED);
    expect(filled('<![CDATA[{{a}}]]>', 'text/xml', `"&']]`)).toBe(`<![CDATA["&']]]]>`);
    for (const template of ['<a><![CDATA[]{{a}}>]]></a>', '<a>&{{a}};</a>', '<a b="&#3{{a}};"/>'])
      expect(filled(template, 'text/xml', 'x')).toBe(REFUSED);
  });
});

describe('a body that is not read as UTF-8', () => {
  const json = '{"amount":100,"to":"{{a}}"}';

  it.each(['gbk', 'shift_jis', 'Big5', '"EUC-KR"', 'iso-8859-1', 'windows-1252', 'gb18030'])(
    'takes only ASCII values with the charset %s',
    (charset) => {
      for (const [type, body] of [
        ['application/json', json],
        ['text/plain', 'a {{a}}'],
        ['application/x-www-form-urlencoded', 'a={{a}}'],
        ['text/html', '<p>{{a}}</p>'],
      ] as const) {
        expect(filled(body, `${type}; charset=${charset}`, '中')).toBe(REFUSED);
        expect(filled(body, `${type}; charset=${charset}`, 'x-1')).toBe(body.replace('{{a}}', 'x-1'));
        expect(filled(`${body}é`, `${type}; charset=${charset}`, 'x')).toBe(REFUSED);
        expect(filled('é', `${type}; charset=${charset}`, 'x')).toBe('é');
      }
    },
  );

  it.each(['utf-16', 'utf-7', 'iso-2022-jp', 'hz-gb-2312', 'ibm037', 'nonsense'])(
    'takes no expression with the charset %s',
    (charset) => {
      expect(filled(json, `application/json; charset=${charset}`, 'x')).toBe(REFUSED);
      const part = `--BB\r\n\r\n{{a}}\r\n--BB--`;
      expect(filled(part, `multipart/form-data; charset=${charset}; boundary=BB`, 'x')).toBe(REFUSED);
    },
  );

  it.each(['', '; charset=utf-8', '; Charset="UTF-8"', '; charset=us-ascii'])(
    'takes any value with: %j',
    (parameter) => {
      expect(filled(json, `application/json${parameter}`, '中')).toBe(json.replace('{{a}}', '中'));
    },
  );

  it.each(['<?xml version="1.0" encoding="GBK"?><a>{{a}}</a>', '<meta charset=gbk><p>{{a}}</p>'])(
    'takes only ASCII values if its text declares the charset: %s',
    (template) => {
      expect(filled(template, 'text/html', '中')).toBe(REFUSED);
      expect(filled(template, 'text/html', 'x')).toBe(template.replace('{{a}}', 'x'));
    },
  );
});

describe('a hostile nested body', () => {
  const json = (text: string) => JSON.stringify({ text });
  /** Repeats the text so many times, or a share of them. */
  const many = (text: string, count: number) => (share: number) => text.repeat(Math.ceil(count * share));

  it.each<[string, repeated: (share: number) => string, (text: string) => string, string]>([
    [
      'JSON in JSON',
      many('x', 5_000_000),
      (x) => json(json(json(json(json(`${x}{{a}}`))))),
      'application/json',
    ],
    ['lists', many('[],', 1_500_000), (x) => json(`[${x}"{{a}}"]`), 'application/json'],
    ['quotes', many('"",', 1_000_000), (x) => json(`[${x}"{{a}}"`), 'application/json'],
    ['fields', many('a=1&', 1_200_000), (x) => json(`${x}b={{a}}`), 'application/json'],
    ['ampersands', many('&', 5_000_000), (x) => json(`a=${x}{{a}}`), 'application/json'],
    ['expressions', many('"a=1&b={{a}}",', 9_900), (x) => json(`[${x}1]`), 'application/json'],
    ['expressions in a tag', many('{{a}}', 9_900), (x) => `<a b=${x}${'x'.repeat(5_000_000)}>`, 'text/xml'],
    ['comments', many('b<!---->', 600_000), (x) => `<a>${x}{{a}}</a>`, 'text/xml'],
    ['unclosed comments', many('<!--', 1_200_000), (x) => `${x}{{a}}`, 'text/xml'],
    ['unclosed attributes', many('<a b="', 800_000), (x) => `${x}{{a}}`, 'text/xml'],
    ['references', many('&amp;', 1_000_000), (x) => `<a>{"a":"${x}{{a}}"}</a>`, 'text/xml'],
    ['scripts', many('<script>', 600_000), (x) => `${x}{{a}}`, 'text/html'],
  ])('a hostile nested body of %s is filled in or refused in one pass', (_, repeated, body, type) => {
    expectLinear((share) => void filled(body(repeated(share)), type, '"'));
  });

  it('is refused if its encodings make a value too large', () => {
    const body = wrapped(
      Array.from({ length: 5 }, () => JSON_MEMBER),
      EXPRESSION,
    );
    expect(filled(body, 'application/json', '\\'.repeat(1_000_000))).toBe(REFUSED);
    expect(filled(body, 'application/json', '\\'.repeat(10_000))).not.toBe(REFUSED);
  });
});
