import { TemplateFields } from '../../../src/core/expressions/template-fields.ts';
import { requestBody } from '../../../src/core/proxy-expressions/request-body.ts';
import { contentOfBytes, contentOfText } from '../../../src/core/shared/content.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { ServiceError } from '../../../src/core/shared/service-error.ts';
import { parseJson } from '../../../src/core/shared/parse-json.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';
import { expectLinear } from '../../support/expect-linear.ts';
import { bytesOfBody } from '../../../src/core/shared/utf8.ts';

type Tokens = Readonly<Record<string, Json>>;

/** A body with its tokens filled in; `refused` if an error is reported. */
function filled(body: string, contentType: string, tokens: Tokens): string {
  const results = [contentOfText(body), contentOfBytes(Buffer.from(body))].map((content) => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    try {
      const renderable = requestBody(content, contentType, false, fields);
      fields.throwIfFailed();
      const rendered = renderable.render({
        valueOf: ({ id }) => tokens[id] ?? null,
        budget: fields.budget,
      });
      fields.throwIfFailed();
      return bytesOfBody(rendered).toString('utf8');
    } catch (error) {
      if (error instanceof ServiceError) return 'refused';
      throw error;
    }
  });
  expect(results[0]).toBe(results[1]);
  return String(results[0]);
}

const HOSTILE = [
  '"',
  '\\',
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '\n',
  '\r',
  '\r\n',
  '\r\n\r\n',
  '\u001e',
  '\u0085',
  '\u2028',
  '\u0000',
  '{{ b }}',
  '{{',
  '}}',
  'x","amount":0,"y":"',
  '\n{"injected":true}',
  '\u001e{"injected":true}\n',
  '--BB',
  '--BB--',
  '--IN',
  '-',
  '--',
  'BB',
  'B',
  'Content-Type: multipart/mixed; boundary=IN',
];
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const values: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: hostile },
  fc.integer(),
  fc.constant(null),
  fc.dictionary(hostile, hostile, { maxKeys: 2 }) as fc.Arbitrary<Json>,
  fc.array(hostile, { maxLength: 2 }),
);
const tokens = fc.record({ a: values, b: values });

/** Strings of a template: an expression alone, one with text, and text without any. */
const leaves = fc
  .array(fc.constantFrom('{{ a }}', '{{ b }}', '{{a}}', 'text', '"', '\\', '\n', 'é', ' ', ':'), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''))
  // A quoted string is JSON itself: nested-grammars.test.ts.
  .filter((text) => !text.trim().startsWith('"'));
const documents = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(leaves, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const asText = (value: Json) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
const EXPRESSION = /\{\{ ?([ab]) ?\}\}/g;

/** Computes the expected document by an independent walk. */
function expected(value: Json, known: Tokens): Json {
  if (typeof value === 'string') {
    const alone = /^\{\{ ?([ab]) ?\}\}$/.exec(value)?.[1];
    if (alone !== undefined) return known[alone] ?? null;
    return value.replace(EXPRESSION, (_, id: string) => asText(known[id] ?? null));
  }
  if (Array.isArray(value)) return value.map((item) => expected(item, known));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]) => [name, expected(member ?? null, known)]);
  return Object.fromEntries(members) as Json;
}

/** Types that are neither form, XML, HTML, multipart, message nor binary. */
const LABELS = [
  '',
  'application/json',
  'Application/JSON; charset=utf-8',
  'text/json',
  'text/x-json',
  'application/x-json',
  'application/x-amz-json-1.1',
  'application/vnd.foo.json',
  'application/json+x',
  'application/json; profile="a,b"',
  'application/problem+json',
  'application/stream+json',
  'application/x-ndjson',
  'application/jsonl',
  'application/json-seq',
  'application/geo+json-seq',
  'application/graphql',
  'application/javascript',
  'application/x-yaml',
  'application/jose',
  'text/plain',
  'text/csv',
  'nonsense',
];
const labels = fc.oneof(
  fc.constantFrom(...LABELS),
  fc
    .stringMatching(/^[a-z]{1,8}\/[a-z.-]{1,8}$/)
    .filter(
      (label) => !/^(?:multipart|message|image|audio|video|font)\/|[/.-]xml$|\/(?:html|xsl|http)/.test(label),
    ),
);

/** XML and HTML, in which values are escaped. */
const XML_LABELS = [
  'application/xml',
  'text/xml; charset="utf-8"; x="a,b"',
  'text/html',
  'application/xhtml+xml',
  'application/soap+xml',
  'image/svg+xml',
  'application/x-xml',
  'application/vnd.x-xml',
  'application/vnd.x.xml',
  'text/vnd.y.xml;a=b',
  'text/xsl',
  'Application/XML-External-Parsed-Entity',
  'text/xml-external-parsed-entity',
  'application/xml-dtd',
];

describe('a body that is JSON', () => {
  it('arrives with exactly the structure of its template, for any type and values', () => {
    fc.assert(
      fc.property(
        documents,
        labels,
        tokens,
        fc.constantFrom(0, 2),
        fc.boolean(),
        (document, label, known, indent, hasMark) => {
          const body = `${hasMark ? '\ufeff' : ''}${JSON.stringify(document, null, indent)}`;
          fc.pre(/^\ufeff?["{[]/.test(body));
          const arrived = filled(body, label, known).replace(/^\ufeff/, '');
          expect(parseJson(arrived)).toEqual(expected(document, known));
        },
      ),
      { numRuns: cases(700) },
    );
  });

  it('is a single document even if its type names records and it has several lines', () => {
    const body = JSON.stringify({ a: '{{ a }}', b: ['{{ b }}'] }, null, 2);
    const arrived = filled(body, 'application/x-ndjson', { a: 'x\ny', b: 7 });
    expect(parseJson(arrived)).toEqual({ a: 'x\ny', b: [7] });
  });

  it.each(['application/xml', 'text/html', 'application/soap+xml', 'application/x-www-form-urlencoded'])(
    'is handled by its type %s',
    (label) => {
      const body = label.endsWith('urlencoded') ? 'x={{ a }}' : '{"a":"{{ a }}"}';
      const arrived = filled(body, label, { a: '<"&>' });
      const inXml = String.raw`{"a":"&lt;\&quot;&amp;&gt;"}`;
      expect(arrived).toBe(label.endsWith('urlencoded') ? 'x=%3C%22%26%3E' : inXml);
    },
  );

  it.each(['image/png', 'application/octet-stream', 'application/pdf', 'video/mp4'])(
    'is sent unchanged with the binary type %s, unless it is JSON',
    (label) => {
      expect(filled('{"a":"{{ a }}"', label, { a: 'x' })).toBe('{"a":"{{ a }}"');
      expect(filled('a={{ a }}', label, { a: 'x' })).toBe('a={{ a }}');
      expect(filled('{"a":"{{ a }}"}', label, { a: '"' })).toBe(String.raw`{"a":"\""}`);
    },
  );
});

describe('a body of XML or HTML', () => {
  it.each(XML_LABELS)(
    'a body of XML or HTML of %s arrives with exactly the tags and attributes of its template',
    (label) => {
      fc.assert(
        fc.property(tokens, (known) => {
          const arrived = filled('<a b="{{ a }}" c=\'{{ b }}\'>{{ a }}</a>', label, known);
          expect(arrived).toMatch(/^<a b="[^<>"']*" c='[^<>"']*'>[^<>"']*<\/a>$/);
        }),
      );
    },
  );
});

describe('a body whose Content-Type may mean several types', () => {
  const joined = fc
    .tuple(
      fc.oneof(
        labels,
        fc.constantFrom(
          ...XML_LABELS,
          'application/x-www-form-urlencoded',
          'image/png',
          'multipart/form-data; boundary=BB',
          'text/plain; x="a;b"',
          'text/plain; x="\\"',
          'text/plain"',
          'text/plain; x="',
        ),
      ),
      fc.constantFrom(',', ', ', ' ,', '; x=y, ', '{{ a }}', '; x={{ a }}', '; x="{{ a }}"'),
      labels,
    )
    .map((parts) => parts.join(''));
  const spellings = fc.constantFrom('{{ a }}', '{"a":"\\u007B{ a }}"}', 'a=%7b{+a+}}', '--BB\r\n\r\n{{ a }}');

  it('is rejected with an expression in any spelling', () => {
    fc.assert(
      fc.property(joined, spellings, fc.boolean(), (label, body, isInForm) => {
        fc.pre(!isInForm || body.includes('{{'));
        const part = `--PP\r\nContent-Type: ${label}\r\n\r\n${body}\r\n--PP--`;
        const [text, type] = isInForm ? [part, 'multipart/form-data; boundary=PP'] : [body, label];
        expect(filled(text, type, { a: 'x' })).toBe('refused');
      }),
      { numRuns: cases(300) },
    );
  });

  it('is sent unchanged without an expression', () => {
    fc.assert(
      fc.property(joined, documents, (label, document) => {
        const body = JSON.stringify(document).replaceAll('{{', '');
        expect(filled(body, label, { a: 'x' })).toBe(body);
      }),
    );
  });

  it('is rejected when a part repeats its Content-Type', () => {
    const part = (text: string) =>
      `--BB\r\nContent-Type: text/plain\r\nContent-Type: text/xml\r\n\r\n${text}\r\n--BB--`;
    expect(filled(part('<a>{{ a }}</a>'), 'multipart/mixed; boundary=BB', { a: 'x' })).toBe('refused');
    expect(filled(part('<a/>'), 'multipart/mixed; boundary=BB', { a: 'x' })).toBe(part('<a/>'));
  });

  it('is handled by its one type when a comma is in a quoted parameter', () => {
    const label = 'application/x-www-form-urlencoded; x="a, text/plain"';
    expect(filled('a={{ a }}', label, { a: 'x&y' })).toBe('a=x%26y');
  });
});

describe('a message with its own headers', () => {
  const MESSAGES = [
    'application/http',
    'application/http; msgtype=request',
    'message/http',
    'message/rfc822',
    'Message/Global',
    'message/partial; id=x',
    'text/rfc822-headers',
  ];
  const message = (text: string) => `X-A: ${text}\r\nContent-Type: application/json\r\n\r\n{"a":"${text}"}`;

  it.each(MESSAGES)(
    'a message with its own headers of %s is rejected with an expression, and sent unchanged otherwise',
    (label) => {
      const part = (text: string) => `--BB\r\nContent-Type: ${label}\r\n\r\n${message(text)}\r\n--BB--`;
      expect(filled(message('{{ a }}'), label, { a: 'x' })).toBe('refused');
      expect(filled(message('y'), label, { a: 'x' })).toBe(message('y'));
      for (const type of ['mixed', 'form-data']) {
        const outer = `multipart/${type}; boundary=BB`;
        expect(filled(part('{{ a }}'), outer, { a: 'x' })).toBe('refused');
        expect(filled(part('y'), outer, { a: 'x' })).toBe(part('y'));
      }
    },
  );

  it('is the default for a part of multipart/digest', () => {
    const part = (headers: string) => `--BB\r\n${headers}\r\n${message('{{ a }}')}\r\n--BB--`;
    const label = 'multipart/digest; boundary=BB';
    expect(filled(part(''), label, { a: 'x' })).toBe('refused');
    expect(filled(part('X: y\r\n'), label, { a: 'x' })).toBe('refused');
    const typed = (text: string) => `--BB\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--BB--`;
    expect(filled(typed('{{ a }}'), label, { a: 'x' })).toBe(typed('x'));
  });
});

describe('a body of JSON records', () => {
  const LINES = [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines',
    'application/jsonlines; charset=utf-8',
    'application/x-ldjson',
    'application/stream+json',
    'application/vnd.elasticsearch+x-ndjson',
    'text/x-ndjson',
  ];

  it('arrives with the same records and the same structure, one per line', () => {
    fc.assert(
      fc.property(
        fc.array(documents, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...LINES),
        fc.constantFrom('\n', '\r\n'),
        tokens,
        (records, label, end, known) => {
          const body = records.map((record) => JSON.stringify(record) + end).join('');
          const arrived = filled(body, label, known).split(/\n|\u0085|\u2028|\u2029/);
          // A template may have other line ends itself; none of these has.
          expect(arrived.pop()).toBe('');
          expect(arrived.map((line) => parseJson(line))).toEqual(
            records.map((record) => expected(record, known)),
          );
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it('arrives with the same records and the same structure, as a JSON sequence', () => {
    fc.assert(
      fc.property(
        fc.array(documents, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('application/json-seq', 'application/geo+json-seq'),
        fc.constantFrom(0, 2),
        tokens,
        (records, label, indent, known) => {
          const body = records.map((record) => `\u001e${JSON.stringify(record, null, indent)}\n`).join('');
          const [first, ...arrived] = filled(body, label, known).split('\u001e');
          expect(first).toBe('');
          expect(arrived.map((text) => parseJson(text))).toEqual(
            records.map((record) => expected(record, known)),
          );
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it.each([
    ['application/x-ndjson', '{"a":"{{ a }}"}\n{"b":{{ a }}}\n'],
    ['application/x-ndjson', '{{ a }}\n'],
    ['application/x-ndjson', '{"a":1} {"b":"{{ a }}"}\n'],
    ['application/json-seq', '\u001e{"a":"{{ a }}"}\n\u001e{"b":{{ a }}}\n'],
    ['application/json-seq', '{{ a }}\u001e{"b":1}\n'],
  ])(
    'a body of JSON records of %s is rejected when a record with an expression is not JSON: %j',
    (label, body) => {
      expect(filled(body, label, { a: 'x' })).toBe('refused');
    },
  );

  it('sends records without expressions unchanged, JSON or not', () => {
    const body = 'nothing\n{"a":"{{ a }}"}\n\n{ "b" : 1.0 }\n{"c":';
    expect(filled(body, 'application/x-ndjson', { a: 'x\n' })).toBe(
      'nothing\n{"a":"x\\n"}\n\n{ "b" : 1.0 }\n{"c":',
    );
  });

  it('is rejected when it has an expression and is not UTF-8', () => {
    const fields = new TemplateFields(machinePlatform.random.integer);
    const body = Buffer.concat([Buffer.from('{"a":"{{ a }}'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    requestBody(contentOfBytes(body), 'application/x-ndjson', false, fields);
    expect(fields.failed).toBe(true);
  });
});

describe('a body that is not JSON', () => {
  it.each([
    'application/x-amz-json-1.1',
    'application/vnd.foo.json',
    'text/x-json',
    'application/json+x',
    '',
  ])('that claims to be (%j) is rejected with an expression, and sent unchanged otherwise', (label) => {
    expect(filled(' {"a":"{{ a }}",}', label, { a: 'x' })).toBe('refused');
    expect(filled(' ["{{ a }}"', label, { a: 'x' })).toBe('refused');
    expect(filled(' {"a":"\\u007b",}', label, { a: 'x' })).toBe(' {"a":"\\u007b",}');
    expect(filled('{"a":1,}', label, { a: 'x' })).toBe('{"a":1,}');
  });

  it.each(['text/plain', 'application/graphql', 'text/csv', 'application/javascript'])(
    'is text when its type is %s: values are not encoded, and where it looks like JSON they add nothing',
    (label) => {
      expect(filled('say "{{ a }}"', label, { a: 'x", y: "' })).toBe('say "x", y: ""');
      expect(filled('{ a(x: "{{ a }}") }', label, { a: "O'Neil" })).toBe('{ a(x: "O\'Neil") }');
      expect(filled('{ a(x: "{{ a }}") }', label, { a: 'x", y: "' })).toBe('refused');
      expect(filled('{"a":"{{ a }}"}\n{"b":1}', label, { a: '","c":"' })).toBe('refused');
      expect(filled('a={{ a }}&b=1', label, { a: 'x&b=2' })).toBe('a=x%26b%3D2&b=1');
    },
  );

  it('is text without a type unless it starts like JSON', () => {
    expect(filled('say "{{ a }}"', '', { a: '"' })).toBe('say """');
  });
});

describe('a multipart body', () => {
  const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
  /** Delimiters as a strict reader counts them, and all that a lenient one may accept. */
  const delimiters = (text: string, boundaries: readonly string[]) =>
    boundaries.flatMap((boundary) => [
      count(text, new RegExp(`--${boundary}`, 'g')),
      count(text, new RegExp(`(?:^|[\\r\\n])--${boundary}`, 'g')),
      count(text, new RegExp(`(?:^|[\\r\\n])--${boundary}--`, 'g')),
      count(text, new RegExp(`(?:^|[\\r\\n])--${boundary}[ \\t]*(?:[\\r\\n]|$)`, 'g')),
    ]);
  const contents = fc
    .array(fc.constantFrom('{{ a }}', '{{ b }}', '--', '-', 'B', '--B', 'BB', '\r\n', '\n', 'x', '"'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''))
    // A brace before an expression would belong to it; text with whole delimiters would be separate
    // parts.
    .filter((text) => !text.includes('--BB'));
  const inner = (content: string) =>
    `Content-Type: multipart/mixed; boundary=IN\r\n\r\n--IN\r\n\r\n${content}\r\n--IN--`;
  const parts = fc.oneof(
    contents.map((content) => `Content-Disposition: form-data; name="f"\r\n\r\n${content}`),
    contents.map((content) => `\r\n${content}`),
    contents.map((content) => inner(content)),
    contents.map((content) => `Content-Type: text/x-mail\r\n\r\n${inner(content)}`),
    contents.map((content) => `X-Note: ${content.replace(/[\r\n]/g, '')}\r\n\r\nx`),
  );
  const encodings = fc.constantFrom('quoted-printable', 'base64', 'BASE64', 'x-own', '"7bit"', '{{ a }}', '');
  /** Parts in which no value may arrive: their encoding of a value is unknown. */
  const closed = fc.oneof(
    fc
      .tuple(fc.constantFrom('', ' ', '\r\n '), encodings, parts)
      .map(([space, encoding, part]) => `Content-Transfer-Encoding:${space}${encoding}\r\n${part}`),
    contents.map((content) => `Content-Type: message/rfc822\r\n\r\n${inner(content)}`),
    contents.map(
      (content) => `Content-Type: application/http\r\n\r\nGET / HTTP/1.1\r\nX: ${content}\r\n\r\n`,
    ),
  );
  const contentOf = (part: string) => part.slice(part.search(/\r\n\r\n/));

  it('has no value in encoded parts or messages, for any parts and values', () => {
    let arrivals = 0;
    fc.assert(
      fc.property(
        closed,
        fc.array(parts, { maxLength: 2 }),
        fc.constantFrom('form-data', 'mixed', 'related', 'x-own'),
        tokens,
        (part, others, type, known) => {
          const body = [part, ...others].map((each) => `--BB\r\n${each}\r\n`).join('');
          const arrived = filled(`${body}--BB--\r\n`, `multipart/${type}; boundary=BB`, known);
          if (arrived === 'refused') return;
          arrivals += 1;
          expect(contentOf(part)).not.toMatch(EXPRESSION);
          expect(contentOf(arrived).startsWith(`${contentOf(part)}\r\n--BB`)).toBe(true);
        },
      ),
      { numRuns: cases(700) },
    );
    expect(arrivals).toBeGreaterThan(100);
  });

  it.each(['7bit', '8bit', 'binary', 'Binary'])('is filled in in a part of encoding %s', (encoding) => {
    const body = (text: string) =>
      `--BB\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${text}\r\n--BB--\r\n`;
    for (const type of ['mixed', 'form-data'])
      expect(filled(body('{{ a }}'), `multipart/${type}; boundary=BB`, { a: '=22' })).toBe(body('=22'));
  });

  it.each([
    ['application/json', '{"a":"{{ a }}"}'],
    ['application/json', '{"a":"\\u007b{ a }}"}'],
    ['text/plain', '{{ a }}'],
    ['text/xml', '<a b="{{ a }}"/>'],
    ['application/x-ndjson', '{"a":"{{ a }}"}\n'],
    ['multipart/mixed; boundary=IN', '--IN\r\n\r\n{{ a }}\r\n--IN--'],
  ])('is rejected when a quoted-printable part of %s has an expression: %j', (label, content) => {
    const body = (encoding: string) =>
      `--BB\r\nContent-Type: ${label}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n--BB--\r\n`;
    for (const type of ['mixed', 'form-data']) {
      const outer = `multipart/${type}; boundary=BB`;
      const twice = body('8bit\r\nContent-Transfer-Encoding: base64');
      expect(filled(body('quoted-printable'), outer, { a: '=22' })).toBe('refused');
      expect(filled(twice, outer, { a: '=22' })).toBe('refused');
      expect(filled(body('8bit'), outer, { a: '=22' })).toContain('=22');
    }
  });

  it('sends encoded parts without an expression unchanged', () => {
    const body = (text: string) =>
      `--BB\r\nContent-Transfer-Encoding: base64\r\n\r\ne3s=\r\n--BB\r\n\r\n${text}\r\n--BB--\r\n`;
    expect(filled(body('{{ a }}'), 'multipart/mixed; boundary=BB', { a: 'x' })).toBe(body('x'));
  });

  it('arrives with the same part headers and quotes, or is rejected, for any values', () => {
    let arrivals = 0;
    fc.assert(
      fc.property(tokens, fc.constantFrom('mixed', 'related'), (known, type) => {
        const body = '--BB\r\nX-A: b; c="{{ a }}"; d="x{{ b }}"\r\nX-E: f\r\n\r\nx\r\n--BB--';
        const arrived = filled(body, `multipart/${type}; boundary=BB`, known);
        if (arrived === 'refused') return;
        arrivals += 1;
        expect(arrived).toMatch(
          /^--BB\r\nX-A: b; c="[^"\\\p{Cc}]*"; d="x[^"\\\p{Cc}]*"\r\nX-E: f\r\n\r\nx\r\n--BB--$/u,
        );
      }),
      { numRuns: cases(300) },
    );
    expect(arrivals).toBeGreaterThan(100);
  });

  it('arrives with the same delimiters, or is rejected, for any values', () => {
    let arrivals = 0;
    fc.assert(
      fc.property(
        fc.array(parts, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('form-data', 'mixed', 'related', 'alternative', 'x-own'),
        tokens,
        (all, type, known) => {
          const body = `${all.map((part) => `--BB\r\n${part}\r\n`).join('')}--BB--\r\n`;
          const arrived = filled(body, `multipart/${type}; boundary=BB`, known);
          if (arrived === 'refused') return;
          arrivals += 1;
          const boundaries = body.includes('boundary=IN') ? ['BB', 'IN'] : ['BB'];
          expect(delimiters(arrived, boundaries)).toEqual(delimiters(body, boundaries));
        },
      ),
      { numRuns: cases(1_000) },
    );
    expect(arrivals).toBeGreaterThan(cases(600));
  });

  it.each(['form-data', 'mixed', 'related'])(
    'a multipart body of multipart/%s is rejected when a value and its neighboring text form a boundary',
    (type) => {
      const body = (content: string) => `--BB\r\nX: y\r\n\r\n${content}\r\n--BB--\r\n`;
      const label = `multipart/${type}; boundary=BB`;
      expect(filled(body('a{{ a }}B'), label, { a: '\r\n--B' })).toBe('refused');
      expect(filled(body('{{ a }}{{ b }}'), label, { a: '\r\n-', b: '-BB' })).toBe('refused');
      expect(filled(body('{{ a }}--'), label, { a: '\r\n--BB' })).toBe('refused');
      expect(filled(body('a{{ a }}B'), label, { a: '\r\n--' })).toBe(body('a\r\n--B'));
    },
  );

  it('is rejected when a value closes a multipart, or turns text into a delimiter', () => {
    const label = 'multipart/mixed; boundary=BB';
    expect(filled('--BB{{ a }}\r\n\r\nx\r\n--BB--', label, { a: '--' })).toBe('refused');
    expect(filled('--BB\r\n\r\n{{ a }}--IN\r\nboundary=IN\r\n--BB--', label, { a: '\n' })).toBe('refused');
  });

  it('is rejected when a value in a part header has a line end, a quote or a backslash', () => {
    const body = '--BB\r\nX-A: {{ a }}\r\n\r\nx\r\n--BB--';
    const label = 'multipart/related; boundary=BB';
    expect(filled(body, label, { a: 'y\r\nX-B: z' })).toBe('refused');
    expect(filled(body, label, { a: 'y"; filename="x' })).toBe('refused');
    expect(filled(body, label, { a: 'y\\' })).toBe('refused');
    expect(filled(body, label, { a: 'y' })).toBe('--BB\r\nX-A: y\r\n\r\nx\r\n--BB--');
  });

  it.each([
    'multipart/form-data',
    'multipart/mixed; charset=utf-8',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="BB "',
    'multipart/form-data; boundary=ZZ; boundary=BB',
    'multipart/form-data; boundary=BB, multipart/form-data; boundary=CC',
    "multipart/form-data; boundary*=utf-8''BB",
    'multipart/form-data; boundary*0=B; boundary*1=B',
    'multipart/form-data; boundary="B{{ a }}"',
    'multipart/form-data; boundary="BB',
  ])('is rejected when it has an expression and an unclear boundary: %s', (label) => {
    const body = (content: string) => `--BB\r\nX: y\r\n\r\n${content}\r\n--BB--\r\n`;
    expect(filled(body('{{ a }}'), label, { a: 'x' })).toBe('refused');
    expect(filled(body('x'), label, { a: 'x' })).toBe(body('x'));
  });

  it.each([
    'boundary="a b:c"; charset=utf-8',
    'x="a;b\\"c";BOUNDARY=a+b',
    'boundary=----WebKitFormBoundaryX;',
  ])('is read by the boundary of a type with %s', (parameters) => {
    const boundary = /boundary="?([^";]*)/i.exec(parameters)?.[1] ?? '';
    const body = (content: string) => `--${boundary}\r\nX: y\r\n\r\n${content}\r\n--${boundary}--\r\n`;
    expect(filled(body('{{ a }}'), `multipart/mixed;${parameters}`, { a: 'x' })).toBe(body('x'));
  });

  it('applies the rules of a body to each part, by its type', () => {
    const body = (json: string, xml: string, text: string) =>
      [
        `--BB\r\nContent-Type: application/json\r\n\r\n${json}\r\n`,
        `--BB\nContent-Type: text/xml\n\n${xml}\n`,
        `--BB\r\nContent-Disposition: form-data; name="f"\r\n\r\n${text}\r\n--BB--\r\n`,
      ].join('');
    const template = body('{"a":"{{ a }}"}', '<a>{{ a }}</a>', 'say {{ a }}');
    for (const type of ['mixed', 'form-data'])
      expect(filled(template, `multipart/${type}; boundary=BB`, { a: '"<' })).toBe(
        body('{"a":"\\"<"}', '<a>&quot;&lt;</a>', 'say "<'),
      );
  });

  it('is rejected when multiparts with an expression are nested too deeply', () => {
    let body = 'x {{ a }}';
    for (let level = 0; level < 50; level += 1)
      body = `--b${String(level)}.\r\n${level === 0 ? '' : `Content-Type: multipart/mixed; boundary=b${String(level - 1)}.\r\n`}\r\n${body}\r\n--b${String(level)}.--`;
    expect(filled(body, 'multipart/mixed; boundary=b49.', { a: 'x' })).toBe('refused');
  });

  it('is rejected when its parts declare too many boundaries', () => {
    const many = Array.from({ length: 30 }, (_, at) => `boundary=b${String(at)}`).join('\r\n');
    const body = (text: string) => `--BB\r\n\r\n${text}\r\n--BB--`;
    expect(filled(body(`{{ a }} ${many}`), 'multipart/mixed; boundary=BB', { a: 'x' })).toBe('refused');
    const file = `--BB\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\n${many}\r\n`;
    const form = (text: string) => `${file}${body(text)}`;
    expect(filled(form('{{ a }}'), 'multipart/form-data; boundary=BB', { a: 'x' })).toBe(form('x'));
  });

  it('a multipart body of dashes is rejected before all of it is read', () => {
    expectLinear((share) => {
      const body = `---\r\n\r\n{{ a }}\r\n${'-'.repeat(5_000_000 * share)}`;
      expect(filled(body, 'multipart/mixed; boundary="-"', { a: 'x' })).toBe('refused');
    });
  });
});
