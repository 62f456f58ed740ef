import { commentFindings } from '../../../tools/docs/comments.ts';

const problems = (source: string) => commentFindings(source).map(({ line, problem }) => [line, problem]);

it.each([
  '/** Deletes a stack by its ARN, because its name may be used again. */',
  '/** The ARN that the caller wrote. */',
  '// If the disk is full, the write fails.',
  '// On AWS, TTL deletes up to two days late.',
  '// Only Linux lists them.',
  '/** In ms since the epoch; `null` if it does not expire. */',
  '/** Such as `SVC-API-KEY`. */',
  '/** Up to 200 characters. */',
  '// docs/contract.md#limits',
  '// RFC 7396, section 2',
  '// oxlint-disable-next-line max-lines-per-function -- a table',
  'const schema = /* @__PURE__ */ z.lazy(() => text);',
  '// The parser\n// returns this.',
  '/**\n * Sends a request.\n * @example of two\n */',
  "const url = 'https://example.com'; // It is never called.",
  'const url = `https://${host}// of ${port}`;',
  'const url = /[/] /.test(text) ? /\\/\\/ of/ : undefined;',
  'const half = (whole) / 2; // The rest stays.',
  '// Written by `npm run build`. Do not edit.\n/** Of a list. */',
])('accepts %j', (source) => {
  expect(problems(source)).toEqual([]);
});

it.each([
  ['/** Of a stack. */', 'begins as a fragment'],
  ['/** Those of its settings. */', 'begins as a fragment'],
  ['/** By the header of a response. The client uses it too. */', 'begins as a fragment'],
  ['/** If the app names it. */', 'begins as a fragment'],
  ['// Without the cause: the message may quote a key.', 'begins as a fragment'],
  ['// Not before the first event,\n// which a cold start should reach soon.', 'begins as a fragment'],
  ['/** Only of a backup that AWS made. */', 'begins as a fragment'],
  ['/** What a removal finds by its tag. */', 'begins with "What"'],
  ['// What is left stays.', 'begins with "What"'],
  ['/** The environment of the tokens function. */', 'has no verb'],
  ['const text = `${// one page\nname}`;', 'has no verb'],
  ['f(a); // a page\n', 'has no verb'],
])('reports %j', (source, problem) => {
  expect(problems(`\n${source}`)).toEqual([[2, problem]]);
});

it('treats comments behind code on lines that follow each other as separate comments', () => {
  expect(problems('a(); // It runs.\nb(); // a page')).toEqual([[2, 'has no verb']]);
});
