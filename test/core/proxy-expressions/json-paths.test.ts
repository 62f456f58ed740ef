import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { TemplateFields } from '../../../src/core/expressions/template-fields.ts';
import { jsonPaths } from '../../../src/core/proxy-expressions/json-paths.ts';
import { requestBody } from '../../../src/core/proxy-expressions/request-body.ts';
import { contentOfText } from '../../../src/core/shared/content.ts';
import type { Json } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import { machinePlatform } from '../../../src/adapters/machine-platform.ts';

/** Returns the errors of a body without their words. */
function errorsOf(text: string, contentType = 'application/json'): readonly string[] {
  const fields = new TemplateFields(machinePlatform.random.integer);
  requestBody(contentOfText(text), contentType, false, fields);
  return fields.failed ? Object.keys(fields.error().errors ?? {}) : [];
}

describe('an expression of a JSON body that cannot be parsed', () => {
  it.each([
    ['"{{"', ['body']],
    ['{"a":[{"b":"{{ x | nope }}"}, "{{ y }}"],"c":"{{"}', ['body.a[0].b', 'body.c']],
    ['[1,"{{",[[],["x","{{"]],{"a\\u0062":"\\u007b{"}]', ['body[1]', 'body[2][1][1]', 'body[3].ab']],
    ['\ufeff{"a":{},"b":"{{"}', ['body.b']],
    ['{"{{":"{{ x }}","a":"{{"}', ['body.a']],
    ['{"inner":"{\\"a\\":\\"{{\\"}"}', ['body.inner']],
  ])('is named by its whole path: %s', (text, paths) => {
    expect(errorsOf(text)).toEqual(paths);
  });

  it('is named by its path in its record of NDJSON', () => {
    expect(errorsOf('{"a":1}\n{"b":["{{"]}\n', 'application/x-ndjson')).toEqual(['body.b[0]']);
  });

  it('has a bounded path at any depth, and one walk of the body finds all paths', () => {
    const deep = `${'[{"member":'.repeat(100_000)}"{{"${'}]'.repeat(100_000)}`;
    const [path = ''] = errorsOf(deep);
    expect(path).toMatch(/^body\[0\]\.member\[0\]\.member/);
    expect(path.length).toBeLessThanOrEqual(500);
    const many = JSON.stringify(Array.from({ length: 300_000 }, (_, at) => (at % 2 === 0 ? '{{' : 'x')));
    expect(errorsOf(many)).toHaveLength(100);
  });
});

describe('the paths of strings in a JSON text', () => {
  it('are those of the parsed value', () => {
    const json = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('want', 'other', 1, null, true),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b"', 'c\\', 'want', '\u{1F600}'), tie('json'), { maxKeys: 3 }),
      ),
    })).json;
    const expected = (value: Json, path: string): readonly string[] => {
      if (value === 'want') return [path];
      if (typeof value !== 'object' || value === null) return [];
      const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      return entries.flatMap(([member, inner]) => expected(inner as Json, memberPath(path, member)));
    };
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value, null, 1);
        const pathAt = jsonPaths(text, 'root', (literal) => literal === '"want"');
        const starts = [...text.matchAll(/"want"(?!:)/g)].map(({ index }) => index);
        expect(starts.map(pathAt)).toEqual(expected(value, 'root'));
      }),
      { numRuns: cases(300) },
    );
  });
});
