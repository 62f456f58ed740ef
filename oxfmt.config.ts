import { defineConfig } from 'oxfmt';

export const OPTIONS = {
  printWidth: 110,
  singleQuote: true,
  trailingComma: 'all',
  sortPackageJson: false,
} as const;
export const MARKDOWN_OPTIONS = { printWidth: 100, proseWrap: 'always' } as const;

export default defineConfig({
  ...OPTIONS,
  overrides: [{ files: ['*.md'], options: MARKDOWN_OPTIONS }],
  ignorePatterns: [
    'node_modules/',
    'cdk.out/',
    '.local/',
    'coverage/',
    '.cache/',
    'package-lock.json',
    'packages/sdk/dist/',
    'THIRD-PARTY-NOTICES.md',
    // One recorded answer a line.
    'packages/local-aws/test/dynamodb/comparison/recorded-answers.json',
    // One resource a line.
    'test/lib/last-release.json',
  ],
});
