import { resolve } from 'node:path';
import { filesOf, isAbout } from '../../../tools/test/subject.ts';

describe('npm test of a subject', () => {
  it.each([
    ['src/core/tokens/search.ts', 'tokens'],
    ['test/interface/token-list.test.ts', 'tokens'],
    ['test/interface/tokenize.test.ts', 'token'],
    ['test/support/builders/a-stored-token.ts', 'tokens'],
    ['docs/reactors.md', 'reactors'],
    ['test/interface/token-list.test.ts', 'token-list'],
    ['src/core/tokens/search.ts', 'src/core/tokens'],
    ['src/core/tokens/search.ts', 'src/core/tokens/'],
    ['src/core/tokens/search.ts', 'src/core/tokens/search.ts'],
    ['src/core/tokens/search.ts', './src/core/tokens'],
    ['src/core/tokens/search.ts', resolve('src/core/tokens')],
    ['test/core/tokens/search.test.ts', 'src/core/tokens/search.ts'],
    ['test/core/tokens/search.test.ts', 'test/core/tokens/search.test.ts'],
  ])('selects %s for %s', (path, word) => {
    expect(isAbout(path, word)).toBe(true);
  });

  it.each([
    ['src/core/proxy-expressions/request-body.ts', 'tokens'],
    ['src/core/access/mistokened.ts', 'tokens'],
    ['src/core/tokens/search.ts', ''],
    ['src/core/tokens/search.ts', 's'],
    ['src/core/tokens-of-another/search.ts', 'src/core/tokens'],
  ])('leaves %s out for %s', (path, word) => {
    expect(isAbout(path, word)).toBe(false);
  });

  it('has code, unit tests and suites of the interface for every group of routes', () => {
    for (const subject of ['tokens', 'applications', 'reactors', 'proxy']) {
      const files = filesOf([subject]);
      for (const folder of ['src/', 'test/core/', 'test/interface/'])
        expect([subject, folder, files.some((file) => file.startsWith(folder))]).toEqual([
          subject,
          folder,
          true,
        ]);
    }
  });

  it('that is unknown is reported', () => {
    expect(() => filesOf(['tokens', 'zzz'])).toThrow('there is no file about zzz');
  });
});
