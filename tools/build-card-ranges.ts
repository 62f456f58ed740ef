// `npm run build -- card-ranges`: src/core/tokens/types/card-ranges.ts, the ranges of card numbers
// from the package credit-card-type.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import creditCardType from 'credit-card-type';

const FILE = join(import.meta.dirname, '../src/core/tokens/types/card-ranges.ts');

/** `[[51, 55], 2720]` as `51-55 2720` */
export const textOfPatterns = (patterns: readonly (number | readonly number[])[]) =>
  patterns.map((pattern) => (typeof pattern === 'number' ? String(pattern) : pattern.join('-'))).join(' ');

/** The brands in the package's own order, which decides between equal ranges. */
function cardRangesModule(): string {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../node_modules/credit-card-type/package.json'), 'utf8'),
  ) as { readonly version: string };
  const members = creditCardType('').map(({ type, patterns }) => {
    const name = /^\w+$/.test(type) ? type : `'${type}'`;
    const line = `  ${name}: '${textOfPatterns(patterns)}',`;
    return line.length <= 110 ? line : `  ${name}:\n    '${textOfPatterns(patterns)}',`;
  });
  return `// Written by \`npm run build -- card-ranges\`: change nothing here.

/**
 * The first digits of card numbers by brand, from credit-card-type ${version} (Braintree, MIT).
 * The longest prefix decides; of equal ones the brand that is listed first.
 */
export const CARD_RANGES = {
${members.join('\n')}
} as const;
`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(FILE, cardRangesModule());
  console.log(FILE);
}
