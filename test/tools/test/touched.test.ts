import { allFiles } from '../../../tools/test/all-files.ts';
import { importersOf, needsWholeContract, testsOf, WITHOUT_IMPORT } from '../../../tools/test/touched.ts';

const FILES = {
  'src/a.ts': `import { x } from './b.ts';\nimport type { T } from './types.ts';`,
  'src/b.ts': `export * from './c.ts';\nconst later = () => import('./d.ts');`,
  'src/c.ts': '',
  'src/d.ts': '',
  'src/types.ts': '',
  'packages/kit/src/index.ts': `export const kit = 1;`,
  'test/a.test.ts': `import { a } from '../src/a.ts';`,
  'test/kit.test.ts': `import {\n  kit,\n} from '@cloakroom/kit';`,
  'test/other.test.ts': `import { readFileSync } from 'node:fs';`,
};
const names = Object.keys(FILES);
const importers = importersOf(names, (file) => FILES[file as keyof typeof FILES]);
const touched = (...changed: readonly string[]) => testsOf(changed, names, importers);

describe('npm test -- --touched', () => {
  it.each([
    ['src/a.ts', ['test/a.test.ts']],
    ['src/c.ts', ['test/a.test.ts']],
    ['src/d.ts', ['test/a.test.ts']],
    ['src/types.ts', []],
    ['packages/kit/src/index.ts', ['test/kit.test.ts']],
    ['test/other.test.ts', ['test/other.test.ts']],
    ['README.md', []],
  ])('runs for %s the tests that import it, over any number of files', (file, tests) => {
    expect(touched(file)).toEqual(tests);
  });

  it('knows a test and a file for every way without an import', () => {
    const files = allFiles();
    for (const [changed, tests] of WITHOUT_IMPORT) {
      expect([changed, files.some((file) => changed.test(file))]).toEqual([changed, true]);
      const found = files.some((file) => file.endsWith('.test.ts') && tests.test(file));
      expect([tests, found]).toEqual([tests, true]);
    }
  });

  it('repeats the whole contract on the service for what stands below it there', () => {
    expect(needsWholeContract(['src/adapters/dynamodb/keys.ts'])).toBe(true);
    expect(needsWholeContract(['src/core/tokens/token.ts', 'docs/api.md'])).toBe(false);
  });
});
