import { parse } from 'csv-parse/sync';
import { columnsOf } from '../../../bin/export/formats/columns.ts';
import { csv } from '../../../bin/export/formats/csv.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { anExportedToken } from '../../support/fakes/an-export-service.ts';

const CARD = { number: '4242424242424242', expiration_month: 12, expiration_year: 2030 };

function csvOf(tokens: readonly JsonObject[], list?: string, isForSpreadsheet = false): string {
  const format = csv(columnsOf(list), { isForSpreadsheet });
  return [format.header, ...tokens.map((token, at) => format.row(anExportedToken(at, token), 'reveal'))].join(
    '',
  );
}

const read = (text: string): readonly Record<string, string>[] =>
  parse(text, { columns: true, record_delimiter: '\r\n' });

describe('csv', () => {
  it('has the data of each type in columns of its own', () => {
    const text = csvOf([
      { type: 'card', data: CARD },
      { type: 'card', data: { number: 'XXXXXXXXXXXX4242', brand: 'visa' } },
      { type: 'bank', data: { routing_number: '021000021', account_number: '12345678' } },
      { type: 'card_number', data: '4242424242424242' },
      { data: { number: '1' } },
      { data: '' },
    ]);
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'id,type,number,expiration_month,expiration_year,routing_number,account_number,value,json,containers,metadata,expires_at,created_at',
      'token-0,card,4242424242424242,12,2030,,,,,/general/high/,"{}",,2026-11-01T00:00:00+00:00',
    ]);
    const rows = read(text);
    expect(rows[1]).toMatchObject({ number: '', json: '{"number":"XXXXXXXXXXXX4242","brand":"visa"}' });
    expect(rows[2]).toMatchObject({ routing_number: '021000021', account_number: '12345678', json: '' });
    expect(rows[3]).toMatchObject({ value: '4242424242424242', number: '' });
    expect(rows[4]).toMatchObject({ number: '', json: '{"number":"1"}' });
    // An empty text is no absent value.
    expect(text).toContain('token-5,token,,,,,,"",,/general/high/');
  });

  it('gives every value back exactly, and each token one record', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '"\r\n"forged",card',
        '=1+1',
        '\r',
        '\n',
        '"',
        ',',
        ' a ',
        '\u2028',
        '\u001b[2J',
        '\ud800',
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(hostile, hostile), { minLength: 1, maxLength: 5 }), (pairs) => {
        const tokens = pairs.map(([data, value]) => ({ data, metadata: { a: value } }));
        const bytes = Buffer.from(csvOf(tokens, 'id,value,json,data.x,metadata.a,metadata'));
        const rows = read(bytes.toString());
        expect(rows).toHaveLength(pairs.length);
        for (const [at, [data, value]] of pairs.entries()) {
          const row = rows[at] ?? {};
          expect(data.isWellFormed() ? row['value'] : JSON.parse(row['json'] ?? '')).toBe(data);
          expect(JSON.parse(row['metadata'] ?? '')).toEqual({ a: value });
          expect(value.isWellFormed() ? row['metadata.a'] : JSON.parse(row['metadata.a'] ?? '')).toBe(value);
        }
      }),
      { numRuns: cases(150) },
    );
  });

  it('gives any JSON of the type token back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const data = value as Json;
        const [row = {}] = read(csvOf([{ data }]));
        expect(
          typeof data === 'string' && data.isWellFormed() ? row['value'] : JSON.parse(row['json'] ?? ''),
        ).toEqual(data);
      }),
      { numRuns: cases(100) },
    );
  });

  it('marks formulas for a spreadsheet only if asked, and can be undone', () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1', "'x", '\u0000=1'];
    for (const formula of formulas) {
      const exact = read(csvOf([{ data: formula }]))[0]?.['value'];
      const marked = read(csvOf([{ data: formula }], undefined, true))[0]?.['value'];
      expect([exact, marked]).toEqual([formula, `'${formula}`]);
    }
    expect(read(csvOf([{ data: 'plain=1' }], undefined, true))[0]?.['value']).toBe('plain=1');
  });

  it('has chosen columns, whose names are the header', () => {
    const text = csvOf(
      [{ type: 'card', data: { ...CARD, more: { a: 1 } }, metadata: { customer: '7' }, mask: 'x' }],
      'id, data.number,data.more,metadata.customer,metadata.constructor,mask,shown',
    );
    expect(text).toBe(
      'id,data.number,data.more,metadata.customer,metadata.constructor,mask,shown\r\n' +
        'token-0,4242424242424242,"{""a"":1}",7,,"""x""",reveal\r\n',
    );
  });

  it.each([
    ['id,nmae', 'nmae is not known'],
    ['id,contaners', 'did you mean `containers`?'],
    ['id,id', 'id appears twice'],
    ['data.cvc', 'no export has a cvc'],
    ['id,,type', ' is not known'],
    ['constructor', 'is not known'],
  ])('refuses the columns %s', (list, problem) => {
    expect(() => columnsOf(list)).toThrow(problem);
  });
});
