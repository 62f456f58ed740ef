import fc from 'fast-check';
import { fillingWith } from '../../../core/expressions/token-expression.ts';
import { requestBody } from '../../../core/proxy/request-body.ts';
import { FieldReporter } from '../../../core/shared/field-reporter.ts';
import type { Json } from '../../../core/shared/json.ts';

/** Renders a body with the given tokens; throws what is reported. */
function rendered(body: string, contentType: string, tokens: Readonly<Record<string, Json>>): string {
  const fields = new FieldReporter();
  const renderable = requestBody(Buffer.from(body), contentType, false, fields);
  fields.throwIfFailed();
  const result = renderable.render(fillingWith(({ id }) => tokens[id] ?? null)).toString('utf8');
  fields.throwIfFailed();
  return result;
}

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const plain = text.filter(
  (value) => !value.includes('{{') && !value.includes('}}') && value.trim() === value,
);
const asText = (value: Json) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Where a reference may stand: alone, or between texts. */
const placement = fc.record({ before: plain, after: plain, spaces: fc.constantFrom('', ' ', '  ') });
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
  it('as JSON: parsed, filled in as a value, and written again', () => {
    fc.assert(
      fc.property(placement, data, fc.jsonValue(), (where, value, rest) => {
        const isAlone = where.before === '' && where.after === '';
        const expected = isAlone ? value : `${where.before}${asText(value)}${where.after}`;
        const safeRest = JSON.parse(JSON.stringify(rest).replaceAll('{{', '{ {'));
        const body = JSON.stringify({ a: [template(where)], rest: safeRest });
        expect(JSON.parse(rendered(body, 'application/json', { id: value }))).toEqual({
          a: [expected],
          rest: safeRest,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('as a form: decoded by URLSearchParams', () => {
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
      { numRuns: 500 },
    );
  });

  it('as XML: no value can end an element or an attribute', () => {
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
      { numRuns: 500 },
    );
  });

  it('as text: put in its place', () => {
    fc.assert(
      fc.property(placement, data, (where, value) => {
        expect(rendered(template(where), 'text/plain', { id: value })).toBe(
          `${where.before}${asText(value)}${where.after}`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('and never looks at a value again', () => {
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
