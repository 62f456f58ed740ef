// Files that are not what they should be, each named by row and column and never by value.
import { gzipSync } from 'node:zlib';
import { FakeImportService } from '../../support/fakes/an-import-service.ts';
import { RunFolder } from './import-runs.ts';

const folder = new RunFolder();
const NUMBER = '4242424242424242';
const HEADER = 'id,card.id,card.number,card.exp_month,card.exp_year';
const STRIPE = ['--from', 'stripe', '--no-journal'];
const LATIN_1 = Buffer.from('caf\u00e9', 'latin1');

afterAll(() => {
  folder.remove();
});

const row = (id: number, number = NUMBER): string => `cus_1,card_${String(id)},${number},9,2030`;
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

async function imported(content: string | Uint8Array, args: readonly string[] = STRIPE) {
  const service = new FakeImportService();
  const run = await folder.run(service, folder.file(content), args);
  return { ...run, service };
}

describe('a file that is no text', () => {
  it.each([
    ['empty', '', 'is empty'],
    ['with a byte order mark alone', '\ufeff', 'has no header'],
    ['compressed', gzipSync(lines(HEADER, row(1))), 'gunzip -c FILE | cloakroom import -'],
    ['a spreadsheet', Buffer.from('PK\u0003\u0004rest'), 'export it as CSV in UTF-8'],
    ['PGP in ASCII', '-----BEGIN PGP MESSAGE-----\n\nabc\n', 'gpg --decrypt FILE | cloakroom import -'],
    ['PGP packets', Buffer.from([0x85, 0x01, 0x0c, 0x03, 0x12]), 'gpg --decrypt'],
    ['new PGP packets', Buffer.from([0xc1, 0xc0, 0x4c, 0x03]), 'gpg --decrypt'],
    ['age', 'age-encryption.org/v1\n', 'age --decrypt FILE'],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${HEADER}\n`, 'utf16le'), 'iconv -f UTF-16 -t UTF-8'],
    ['UTF-16 without a mark', Buffer.from(`${HEADER}\n`, 'utf16le'), 'iconv -f UTF-16LE'],
  ])('stops before the first row where it is %s', async (_, content, hint) => {
    const { exitCode, err, service } = await imported(content);
    expect(exitCode).toBe(2);
    expect(err).toContain(hint);
    expect(err).toContain('; nothing was done');
    expect(service.tokens.size).toBe(0);
  });
});

describe('a header', () => {
  it.each([
    [
      'a renamed column',
      HEADER.replace('card.number', 'card.numbers'),
      'lacks the column card.number (the nearest column of the file is card.numbers)',
    ],
    ['semicolons', HEADER.replaceAll(',', ';'), 'has semicolons between its columns'],
    ['tabs', HEADER.replaceAll(',', '\t'), 'has tabs between its columns'],
    ['a column twice', `${HEADER},id`, 'columns 1 and 6 have the same name'],
  ])('stops the run where it has %s', async (_, header, problem) => {
    const { exitCode, err } = await imported(lines(header, row(1)));
    expect(exitCode).toBe(2);
    expect(err).toContain(problem);
  });

  it('that is missing shows nothing of the first row', async () => {
    const { exitCode, err } = await imported(lines(row(1), row(2)));
    expect(exitCode).toBe(2);
    expect(err).toContain('lacks the columns id, card.id ');
    expect(err).not.toMatch(/4242|cus_1/);
  });

  it('alone is a file of no rows', async () => {
    const { exitCode, report } = await imported(lines(HEADER));
    expect(exitCode).toBe(0);
    expect(report()).toMatchObject({ rows: 0, complete: true });
  });
});

describe('an import of rows', () => {
  it.each([
    ['CRLF', '\r\n'],
    ['CR', '\r'],
    ['LF', '\n'],
  ])('accepts %s at their ends, and a byte order mark', async (_, end) => {
    const { report } = await imported(`\ufeff${[HEADER, row(1), row(2)].join(end)}`);
    expect(report()).toMatchObject({ rows: 2, imported: 2 });
  });

  it('refuses Latin-1 by column, where the column is read', async () => {
    const bad = Buffer.concat([LATIN_1, Buffer.from(`,card_1,${NUMBER},9,2030,\n`)]);
    const unread = Buffer.concat([Buffer.from(`${row(2)},`), LATIN_1, Buffer.from('\n')]);
    const { report } = await imported(Buffer.concat([Buffer.from(`${HEADER},note\n`), bad, unread]));
    expect(report()).toMatchObject({
      imported: 1,
      refused_rows: [{ row: 1, column: 'id', problem: 'is not UTF-8' }],
    });
  });

  it('refuses another number of columns, and imports the rest', async () => {
    const { report } = await imported(lines(HEADER, 'cus_1,card_1', row(2), `${row(3)},more`));
    expect(report()).toMatchObject({
      imported: 1,
      refused_rows: [
        { row: 1, problem: 'has 2 columns; the header has 5' },
        { row: 3, problem: 'has 6 columns; the header has 5' },
      ],
    });
  });

  it.each([
    [
      'inside of quotes',
      `${lines(HEADER, row(1))}cus_1,"card_2,4242`,
      'row 2: the file ends inside of quotes',
    ],
    ['inside of a row', `${lines(HEADER, row(1))}cus_1,card_2`, 'row 2: the file ends inside of the row'],
    [
      'behind a stray quote',
      lines(HEADER, row(1), 'cus_1,"card"_2,4242,9,2030', row(3)),
      'row 2: has something behind a closing quote',
    ],
  ])('creates the tokens of the rows before a file was cut %s', async (_, content, stopped) => {
    const { exitCode, report, err } = await imported(content);
    expect(exitCode).toBe(1);
    expect(report()).toMatchObject({ rows: 1, imported: 1, complete: false });
    expect(report().stopped).toContain(stopped);
    expect(err).not.toContain('4242');
  });

  it('has a report also where the file was cut in the first row', async () => {
    const { exitCode, report } = await imported(`${HEADER}\ncus_1,"card`);
    expect(exitCode).toBe(1);
    expect(report()).toMatchObject({ rows: 0, complete: false });
    expect(report().stopped).toContain('row 1: the file ends inside of quotes');
  });

  it('stops where the file cannot be read on, after the rows before', async () => {
    const input = (async function* chunks() {
      yield await Promise.resolve(Buffer.from(lines(HEADER, row(1), row(2), row(3))));
      throw Object.assign(new Error('read'), { code: 'EIO' });
    })();
    const service = new FakeImportService();
    const { exitCode, report } = await folder.run(service, '-', STRIPE, { input });
    expect(exitCode).toBe(1);
    expect(report().stopped).toBe('standard input cannot be read on (EIO)');
    // The last row may not be whole.
    expect(report()['imported']).toBeGreaterThanOrEqual(1);
    expect(report()['rows']).toBe(service.tokens.size);
  });

  it('accepts 1 MB, and refuses larger data than a token has', async () => {
    const line = (id: string, bytes: number) =>
      JSON.stringify({ id, type: 'token', data: 'x'.repeat(bytes) });
    const { report } = await imported(
      lines(line('a_1', 1_000_000), line('a_2', 3_600_000), line('a_3', 1_000_000)),
      ['--from', 'ndjson', '--source', 'vault', '--no-journal'],
    );
    expect(report()).toMatchObject({
      imported: 2,
      refused_rows: [{ row: 2, problem: 'The data of a token is at most 3500000 bytes of JSON.' }],
    });
  });

  it.each([
    ['a value', { note: `no. ${NUMBER}` }],
    ['a name', { [`card ${NUMBER}`]: 'x' }],
    ['digits of another width', { note: '４２４２４２４２４２４２４２４２' }],
  ])('refuses metadata that has the number of the card in %s', async (_, metadata) => {
    const data = { number: NUMBER, expiration_month: 9, expiration_year: 2030 };
    const { report, err } = await imported(JSON.stringify({ id: 'a_1', type: 'card', data, metadata }), [
      '--from',
      'ndjson',
      '--source',
      'vault',
      '--no-journal',
    ]);
    const problem = 'must not contain the data of the token';
    expect(report().refused_rows).toEqual([{ row: 1, column: 'metadata', problem }]);
    expect(err).not.toContain(NUMBER);
  });

  it('refuses a customer or an old id that is the number of the card', async () => {
    const { report, err } = await imported(
      lines(HEADER, `${NUMBER},card_1,${NUMBER},9,2030`, `cus_1,x-${NUMBER},${NUMBER},9,2030`),
    );
    const problem = 'must not contain the data of the token';
    expect(report().refused_rows).toEqual([
      { row: 1, column: 'id', problem },
      { row: 2, column: 'card.id', problem },
    ]);
    expect(err).not.toContain(NUMBER);
  });
});

describe('an import of lines of JSON', () => {
  const NDJSON = ['--from', 'ndjson', '--source', 'vault', '--no-journal'];

  it('refuses them by member, and names unknown members once', async () => {
    const { report, err } = await imported(
      lines(
        JSON.stringify({ id: 'a_1', type: 'token', data: 1, tenant_id: 't', created_at: 'x' }),
        JSON.stringify({ type: 'token', data: 1 }),
        '{"id":"a_2","id":"a_3","type":"token","data":1}',
        '{"id":"a_4","type":"token","data":0.1234567890123456789}',
        'no json',
        '[]',
        JSON.stringify({
          id: 'a_5',
          type: 'bank',
          data: { routing_number: '123456789', account_number: '1' },
        }),
        JSON.stringify({ id: 'a_6', type: 'iban', data: 'x', tenant_id: 't' }),
      ),
      NDJSON,
    );
    expect(report().ignored_columns).toEqual(['tenant_id', 'created_at']);
    expect(report().refused_rows.map(({ row: at, column = '' }) => `${String(at)} ${column}`)).toEqual([
      '2 id',
      '3 id',
      '4 data',
      '5 ',
      '6 ',
      '7 data.routing_number',
      '8 type',
    ]);
    expect(err).toContain('not read, and stored nowhere: tenant_id, created_at\n');
  });

  it('shows no name that the file has chosen itself', async () => {
    const { report, err } = await imported(
      lines(
        `{"id":"a_1","type":"token","data":{"${NUMBER}":0.1234567890123456789}}`,
        `{"id":"a_2","type":"token","data":{"${NUMBER}":1,"${NUMBER}":2}}`,
        JSON.stringify({ id: 'a_3', type: 'token', data: 1, metadata: { [NUMBER]: 7 } }),
        JSON.stringify({ id: 'a_4', type: 'token', data: { a: 1 }, mask: { [NUMBER]: '{{ data.x | f }}' } }),
        JSON.stringify({ id: 'a_5', type: 'bank', data: { [NUMBER]: 1 } }),
      ),
      NDJSON,
    );
    expect(report()).toMatchObject({ rows: 5, refused: 5 });
    expect(JSON.stringify(report()) + err).not.toContain(NUMBER);
  });

  it('does not replace objects of which nothing says what they had before', async () => {
    const service = new FakeImportService();
    const line = (data: unknown) => JSON.stringify({ id: 'a_1', type: 'token', data });
    await folder.run(service, folder.file(line({ a: 1, b: 2 })), NDJSON);
    const { report } = await folder.run(service, folder.file(line({ a: 1 })), [...NDJSON, '--replace']);
    expect(report()).toMatchObject({
      refused_rows: [{ row: 1, problem: expect.stringContaining('nothing says what it had before') }],
    });
  });

  it('stops at the last line of a file that was cut', async () => {
    const { report } = await imported('{"id":"a_1","type":"token","data":1}\n{"id":"a_2","ty', NDJSON);
    expect(report()).toMatchObject({ rows: 1, imported: 1, complete: false });
  });
});
