import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passesLuhn } from '../../src/core/tokens/types/passes-luhn.ts';
import { sampleNumber } from '../../tools/import-samples/cards.ts';
import { sampleFiles } from '../../tools/import-samples/files.ts';

const FOLDER = 'examples/import';

it('are the files of examples/import: npm run build -- import-samples writes them', () => {
  const files = sampleFiles();
  expect(readdirSync(FOLDER).toSorted()).toEqual(['README.md', ...files.keys()].toSorted());
  for (const [name, text] of files)
    expect([name, readFileSync(join(FOLDER, name), 'utf8')]).toEqual([name, text]);
});

it('have numbers that differ and pass the check of their last digit', () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => sampleNumber(index * 997));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.filter((number) => !passesLuhn(number))).toEqual([]);
});
