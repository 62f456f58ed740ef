import {
  anchorsOf,
  brokenLinks,
  brokenReferences,
  missingFiles,
  missingInComments,
  scriptsIn,
} from '../../../tools/docs/references.ts';

const documents = new Map([
  ['docs/rules.md', anchorsOf('# Rules\n\n## Update a token\n')],
  ['docs/decisions/0007-use-one-root.md', anchorsOf('# Use one root\n\n## The cost\n')],
]);

describe('the anchors of a document', () => {
  it('are those that GitHub makes from its headings', () => {
    const markdown =
      '# The `SVC-API-KEY`, and [more](x.md)\n\n```sh\n# a comment\n```\n## Keys\n## Keys\n## a_b - c\n';
    expect([...anchorsOf(markdown)]).toEqual(['the-svc-api-key-and-more', 'keys', 'keys-1', 'a_b---c']);
  });
});

describe('a link of a document', () => {
  const broken = (target: string) =>
    brokenLinks('docs/api.md', `See [it](${target}).`, documents, (path) => path === 'bin/restore.sh');

  it.each([
    'rules.md',
    'rules.md#update-a-token',
    'decisions/0007-use-one-root.md#use-one-root',
    '../bin/restore.sh',
    'https://example.com/none.md#none',
  ])('a link to %s is accepted', (target) => {
    expect(broken(target)).toEqual([]);
  });

  it.each(['none.md', 'rules.md#none', '../bin/none.sh', '#none'])('a link to %s is reported', (target) => {
    expect(broken(target)).toHaveLength(1);
  });
});

describe('a comment', () => {
  it.each([
    '/** The rule (docs/rules.md#update-a-token). */',
    '// See rules.md, or docs/decisions/0007.',
    '// docs/decisions/0007#the-cost',
    '# docs/rules.md has it',
    "const text = 'docs/none.md';",
    "const url = 'https://example.com/none.md';",
  ])('is accepted: %s', (code) => {
    expect(brokenReferences(code, documents)).toEqual([]);
  });

  it.each([
    '/** The rule (docs/none.md). */',
    '/*\n * The rule\n * (docs/rules.md#none).\n */',
    'const a = 1; // none.md, section 3',
    '// docs/decisions/0008',
    '// docs/decisions/0007#none',
    '# docs/none.md',
  ])('that names a missing target is reported: %s', (code) => {
    expect(brokenReferences(code, documents)).toHaveLength(1);
  });
});

it('reports a file of code that a document names and that does not exist', () => {
  const markdown = 'See `src/here.ts`, `src/gone.ts`, `functions/*/config.ts` and `other/gone.ts`.';
  expect(missingFiles(markdown, (path) => path === 'src/here.ts')).toEqual(['src/gone.ts']);
});

it('reports a file of code that a comment names and that does not exist', () => {
  const code = `// See src/core/gone.ts, and src/core/there.ts.\nconst path = 'src/core/in-a-text.ts';`;
  expect(missingInComments(code, (path) => path.endsWith('there.ts'))).toEqual(['src/core/gone.ts']);
});

it('finds each npm script, including its first argument', () => {
  const text = 'Run `npm run build -- sdk`, `npm run bench -- --write` and npm run lint.';
  expect(scriptsIn(text)).toEqual([
    ['build', 'sdk'],
    ['bench', undefined],
    ['lint', undefined],
  ]);
});
