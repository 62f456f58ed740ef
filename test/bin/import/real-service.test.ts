// The service itself creates the tokens, in the testing package.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tokenIdOf } from '../../../bin/import/token-id-of.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import type { Vault } from '../../../packages/testing/src/vault.ts';
import { commandLine } from '../../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'cloakroom-import-test-'));
const HEADER = 'id,card.id,card.number,card.exp_month,card.exp_year,card.name,description\n';
const NUMBER = '4242424242424242';
let vault: Vault;
let key: string;
let files = 0;

beforeAll(async () => {
  ({ vault } = await openVault({}));
  ({ key } = await vault.applications.create({
    name: 'Import',
    type: 'private',
    permissions: ['token:create'],
    rules: [
      { priority: 1, container: '/', transform: 'reveal', permissions: ['token:read', 'token:update'] },
    ],
  }));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileWith(text: string): string {
  files += 1;
  const file = join(folder, `cards-${String(files)}.csv`);
  writeFileSync(file, text);
  return file;
}

async function run(file: string, ...more: readonly string[]) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const { exitCode, err } = await commandLine(
    ['import', file, '--from', 'stripe', '--report', report, ...more],
    {
      environment: {
        CLOAKROOM_URL: vault.baseUrl,
        CLOAKROOM_API_KEY: key,
        XDG_CONFIG_HOME: folder,
      },
      fetch: vault.fetch,
    },
  );
  const numbers = (): Record<string, unknown> =>
    JSON.parse(readFileSync(report, 'utf8')) as Record<string, unknown>;
  return { exitCode, err, numbers };
}

describe('an import over a service', () => {
  it('creates each card under an id that its old id determines', async () => {
    const file = fileWith(
      `${HEADER}cus_1,card_1,${NUMBER},9,2099,Ada,\ncus_2,card_2,4000056655665556,1,2020,,\n`,
    );
    const ids = join(folder, 'ids.csv');
    const { exitCode, err, numbers } = await run(file, '--ids-out', ids);
    expect([exitCode, err]).toEqual([
      0,
      'not read, and stored nowhere: card.name, description\n2 rows: 1 imported, 1 imported with a past expiry\n',
    ]);
    expect(numbers()).toMatchObject({
      rows: 2,
      imported: 1,
      expired: 1,
      complete: true,
      ignored_columns: ['card.name', 'description'],
      expired_rows: [{ row: 2, column: 'card.exp_year', problem: 'the card has expired' }],
    });
    const id = tokenIdOf('stripe', 'card_1');
    expect(readFileSync(ids, 'utf8').split('\r\n')).toContain(`card_1,${id}`);
    const token = await vault.client({ apiKey: key }).tokens.retrieve(id);
    expect(token).toMatchObject({
      type: 'card',
      data: { number: NUMBER, expiration_month: 9, expiration_year: 2099 },
      metadata: { source_id: 'card_1', customer: 'cus_1' },
    });
  });

  it('finds all rows there in a second run, with or without its journal', async () => {
    const file = fileWith(`${HEADER}cus_1,card_3,${NUMBER},9,2099,,\n`);
    await run(file);
    expect((await run(file)).numbers()).toMatchObject({ rows: 1, there: 1 });
    expect((await run(file, '--no-journal')).numbers()).toMatchObject({ rows: 1, not_compared: 1 });
  });

  it('changes a token that differs with --replace alone', async () => {
    const row = (year: number) => `${HEADER}cus_1,card_4,${NUMBER},9,${String(year)},,\n`;
    const file = fileWith(row(2098));
    await run(file);
    writeFileSync(file, row(2099));
    const { exitCode, numbers } = await run(file);
    expect(exitCode).toBe(0);
    expect(numbers()).toMatchObject({ different: 1, replaced: 0, different_rows: [{ row: 1 }] });
    expect((await run(file, '--replace')).numbers()).toMatchObject({ different: 1, replaced: 1 });
    expect((await run(file)).numbers()).toMatchObject({ there: 1 });
    const { data } = await vault.client({ apiKey: key }).tokens.retrieve(tokenIdOf('stripe', 'card_4'));
    expect(data).toMatchObject({ expiration_year: 2099 });
  });

  it('refuses bad rows by row and column, and imports the others', async () => {
    const file = fileWith(
      `${HEADER}cus_1,card_5,4242424242424241,9,2099,,\ncus_1,card_6,4242 4242 4242 4242,9,2099,,\n` +
        `cus_1,card_7,${NUMBER},9,2099,,\ncus_2,card_7,${NUMBER},9,2099,,\n`,
    );
    const { exitCode, err } = await run(file);
    expect(exitCode).toBe(1);
    expect(err).toContain(
      'row 1, card.number: is not a valid card number: its check digit (Luhn) does not fit\n' +
        'row 2, card.number: must be 12 to 19 digits; remove blanks and dashes\n' +
        'row 4, card.id: is also in row 3\n4 rows: 1 imported, 3 refused\n',
    );
    expect(err).not.toMatch(/\d{12}|4242/);
  });

  it('writes details into a token of their own', async () => {
    const file = fileWith(`${HEADER}cus_1,card_8,${NUMBER},9,2099,Ada,\n`);
    expect((await run(file, '--details', '/pii/')).numbers()).toMatchObject({ imported: 1, details: 1 });
    const token = await vault.client({ apiKey: key }).tokens.retrieve(tokenIdOf('stripe', 'card_8/details'));
    expect(token).toMatchObject({
      type: 'token',
      data: { name: 'Ada' },
      containers: ['/pii/'],
      metadata: { source_id: 'card_8', customer: 'cus_1' },
    });
  });
});
