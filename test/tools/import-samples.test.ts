import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openVault } from '../../packages/testing/src/open-vault.ts';
import { passesLuhn } from '../../src/core/tokens/types/passes-luhn.ts';
import { sampleNumber } from '../../tools/import-samples/cards.ts';
import { commandLine } from '../support/command-line.ts';
import { sampleFiles } from '../../tools/import-samples/files.ts';

const FOLDER = 'examples/import';

it('are the files of examples/import: npm run build -- import-samples writes them', () => {
  const files = sampleFiles();
  expect(readdirSync(FOLDER).toSorted()).toEqual(['README.md', ...files.keys()].toSorted());
  for (const [name, text] of files)
    expect([name, readFileSync(join(FOLDER, name), 'utf8')]).toEqual([name, text]);
});

it.each([
  ['stripe.csv', ['--from', 'stripe'], '15 rows: 7 imported, 1 imported with a past expiry, 7 refused'],
  [
    'braintree.csv',
    ['--from', 'braintree'],
    '16 rows: 7 imported, 1 imported with a past expiry, 7 refused, 1 without a card',
  ],
  [
    'shop.csv',
    ['--from', 'csv', '--map', join(FOLDER, 'shop.yaml')],
    '15 rows: 7 imported, 1 imported with a past expiry, 7 refused',
  ],
  ['other-vault.ndjson', ['--from', 'ndjson', '--source', 'other'], '7 rows: 4 imported, 3 refused'],
])('are imported as far as they are right: %s', async (name, args, counts) => {
  const { vault } = await openVault({});
  const { key } = await vault.applications.create({
    name: 'Import',
    type: 'private',
    permissions: ['token:create', 'token:read'],
  });
  const { err } = await commandLine(['import', join(FOLDER, name), ...args, '--no-journal'], {
    environment: { CLOAKROOM_URL: vault.baseUrl, CLOAKROOM_API_KEY: key },
    fetch: vault.fetch,
  });
  expect(err.trim().split('\n').at(-1)).toBe(counts);
  expect(err).not.toMatch(/\d{10}/);
});

it('have numbers that differ and pass the check of their last digit', () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => sampleNumber(index * 997));
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.filter((number) => !passesLuhn(number))).toEqual([]);
});
