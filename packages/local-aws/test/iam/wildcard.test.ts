import { matchesArn } from '../../src/iam/wildcard.ts';

const route = 'arn:aws:execute-api:us-east-1:000000000000:abc/$default/GET/tokens/{id}';

it.each([
  ['arn:aws:execute-api:us-east-1:000000000000:abc/*/*/tokens/{id}', true],
  ['arn:aws:execute-api:us-east-1:000000000000:abc/*', true],
  ['arn:aws:execute-api:*:000000000000:abc/*', true],
  ['arn:aws:execute-api:us-east-1:000000000000:abc/*/GET/tokens/?id?', true],
  ['arn:aws:execute-api:us-east-1:000000000000:abd/*', false],
  ['arn:aws:execute-api:us-east-1:000000000000:abc/*/*/tokens', false],
  ['arn:aws:execute-api:*', false],
  ['arn:aws:*:000000000000:abc/*', false],
  ['*', true],
])('%s matches a route: %s', (pattern, expected) => {
  expect(matchesArn(pattern, route)).toBe(expected);
});
