import { entryOf, notesOf } from '../../tools/publishing/changelog.ts';
import { checksumsOf } from '../../tools/publishing/checksums.ts';
import { releaseProblem, type ReleaseState } from '../../tools/publishing/release-problem.ts';

const CHANGELOG = `# Changelog

What each version changes.

## [1.2.0] - 2027-01-02

### Tokens

- One more [type](docs/contract.md#token-types), and [more](#tokens) of [theirs](https://example.com/a).

## [1.1.0] - 2026-12-01

- Nothing.
`;

describe('the entry of a version', () => {
  it('ends at the entry of the version before', () => {
    const entry = entryOf(CHANGELOG, '1.2.0');
    expect(entry?.date).toBe('2027-01-02');
    expect(entry?.text).toMatch(/^### Tokens\n\n- One more [^]*\.$/);
    expect(entry?.text).not.toContain('Nothing');
  });

  it('may be the last of the changelog', () => {
    expect(entryOf(CHANGELOG, '1.1.0')).toEqual({ date: '2026-12-01', text: '- Nothing.' });
  });

  it.each(['1.2', '1x2x0', '2.0.0'])('is absent for %s', (version) => {
    expect(entryOf(CHANGELOG, version)).toBeUndefined();
  });
});

describe('the notes of a release', () => {
  const notes = (entry: string) => notesOf(entry, 'https://git.example.com/x/blob/v1.2.0');

  it('link to the files of the tag', () => {
    expect(notes('See [a](docs/a.md#b), [c](#c) and [d](https://example.com/d).')).toBe(
      'See [a](https://git.example.com/x/blob/v1.2.0/docs/a.md#b), [c](#c) and [d](https://example.com/d).\n',
    );
  });

  it('have a line for each paragraph and each item', () => {
    const wrapped = 'One\ntwo.\n\n### A\n\n- three\n  four `five`\n  `six`\n- seven\n\n| a |\n| - |\n| b |';
    expect(notes(wrapped)).toBe(
      'One two.\n\n### A\n\n- three four `five` `six`\n- seven\n\n| a |\n| - |\n| b |\n',
    );
  });
});

it('checksums are lines of sha256sum, by name', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const files = new Map([
    ['b.tgz', bytes('')],
    ['a.json', bytes('abc')],
  ]);
  // FIPS 180-4 has these values.
  expect(checksumsOf(files)).toBe(
    `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.json
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b.tgz
`,
  );
});

describe('a release', () => {
  const state: ReleaseState = {
    version: '1.2.0',
    changelogs: new Map([['CHANGELOG.md', CHANGELOG]]),
    changed: [],
    branch: 'main',
    head: 'c0ffee',
    tagged: undefined,
    isOnMain: false,
    today: '2027-01-02',
  };
  const onItsTag: ReleaseState = { ...state, branch: '', tagged: 'c0ffee', isOnMain: true };

  it.each<[string, ReleaseState]>([
    ['from a clean main, on the date of its entry', state],
    ['again, once its tag exists', { ...state, tagged: 'c0ffee', today: '2027-01-05' }],
    ['by a workflow on its tag, on any later day', { ...onItsTag, today: '2027-01-05' }],
  ])('is made %s', (_when, possible) => {
    expect(releaseProblem(possible)).toBeUndefined();
  });

  it.each<[string, ReleaseState, string]>([
    ['of uncommitted changes', { ...state, changed: ['M a.ts'] }, 'commit or remove'],
    ['of another branch', { ...state, branch: 'topic' }, 'from main, and this is topic'],
    ['of a commit without a branch', { ...state, branch: '' }, 'that v1.2.0 does not name'],
    ['of a tag that main lacks', { ...onItsTag, isOnMain: false }, 'a commit that main lacks'],
    ['of a version that has its tag', { ...state, tagged: 'decade' }, 'the tag of another commit'],
    ['without an entry', { ...state, version: '1.3.0' }, 'CHANGELOG.md has no entry of 1.3.0'],
    [
      'with an entry beside "Unreleased"',
      { ...state, changelogs: new Map([['CHANGELOG.md', `## [Unreleased]\n\n${CHANGELOG}`]]) },
      'make one entry of both',
    ],
    ['on another day than its entry says', { ...state, today: '2027-01-03' }, 'today is 2027-01-03'],
  ])('is refused %s', (_why, refused, message) => {
    expect(releaseProblem(refused)).toContain(message);
  });
});
