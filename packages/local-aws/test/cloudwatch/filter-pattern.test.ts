import { parseFilterPattern } from '../../src/cloudwatch/filter-pattern.ts';

const line = { status: 401, code: 'internal_error', record: { status: 'error' }, latency: '12' };

it.each([
  ['{ $.status = 401 }', true],
  ['{ $.status = "401" }', true],
  ['{ $.status != 401 }', false],
  ['{ $.status >= 400 && $.status < 500 }', true],
  ['{ $.code = "internal_*" }', true],
  ['{ $.code = "*dependency*" }', false],
  ['{ $.record.status = "error" }', true],
  ['{ $.tenantId NOT EXISTS }', true],
  ['{ $.code NOT EXISTS }', false],
  // A missing member is neither equal nor different.
  ['{ $.tenantId != "x" }', false],
  ['{ ($.code = "x") || (($.status = 401) && ($.record.status != "success")) }', true],
  ['{ ($.code = "x") || ($.status = 500) }', false],
])('%s matches: %s', (pattern, expected) => {
  expect(parseFilterPattern(pattern)(JSON.stringify(line))).toBe(expected);
});

it.each(['a text', '', '{"code": "internal_error"', '[1]', 'null'])('no pattern matches %j', (text) => {
  expect(parseFilterPattern('{ $.code NOT EXISTS }')(text)).toBe(false);
});

it.each(['[ip, user]', '"a term"', '{ $.a = %regex% }', '{ $.a = 1', '{ $.a IS TRUE }'])(
  'the pattern %s cannot run locally',
  (pattern) => {
    expect(() => parseFilterPattern(pattern)).toThrow(/filter pattern/);
  },
);
