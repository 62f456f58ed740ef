// Random files and stops: the report adds up, and no row is lost or double.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CallFailed } from '../../../bin/import/service.ts';
import { tokenIdOf } from '../../../bin/import/token-id-of.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { FakeImportService } from '../../support/fakes/an-import-service.ts';
import { RunFolder, sumOf } from './import-runs.ts';

const folder = new RunFolder();

afterAll(() => {
  folder.remove();
});

const HEADER = ['id', 'card.id', 'card.number', 'card.exp_month', 'card.exp_year', 'card.name', 'note'];
const NUMBERS = ['4242424242424242', '5555555555554444', '4111111111111111'];
const WRONG = ['4242424242424241', '4242 4242 4242 4242', '424242******4242'];

interface Row {
  readonly id: number;
  readonly number: string;
  readonly year: number;
}

const row = fc.record({
  id: fc.nat({ max: 400 }),
  number: fc.constantFrom(...NUMBERS, ...NUMBERS, ...NUMBERS, ...WRONG, ''),
  year: fc.constantFrom(2020, 2030, 2031),
});
const rows = fc.array(row, { minLength: 1, maxLength: 230 });

const oldId = ({ id }: Row): string => `card_x${String(id)}`;

const csvOf = (all: readonly Row[]): string =>
  [
    HEADER.join(','),
    ...all.map((each) =>
      [`cus_${String(each.id)}`, oldId(each), each.number, '9', String(each.year), 'Ada', '"a\n""b"""'].join(
        ',',
      ),
    ),
  ].join('\r\n');

const isGood = ({ number }: Row): boolean => NUMBERS.includes(number);

/** The old ids that get a token: those with a good row. */
const wantedIds = (all: readonly Row[]): ReadonlySet<string> => new Set(all.filter(isGood).map(oldId));

/** The bytes of all files of a folder. */
const textIn = (path: string): string =>
  readdirSync(path)
    .map((name) => readFileSync(join(path, name), 'latin1'))
    .join('\n');

function expectNoValue(text: string): void {
  for (const number of [...NUMBERS, ...WRONG]) expect(text).not.toContain(number);
}

const STRIPE = ['--from', 'stripe', '--max-rejected', '1000'];

describe('an import', () => {
  it('puts each row of any file into one class, and shows no value', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), fc.boolean(), async (all, namesPlaces, isDry) => {
        const service = new FakeImportService({
          namesPlaces,
          refuses: ({ id }) => typeof id === 'string' && id.startsWith('0'),
        });
        const file = folder.file(csvOf(all));
        const { err, out, report } = await folder.run(service, file, [
          ...STRIPE,
          ...(isDry ? ['--dry-run'] : []),
        ]);
        const found = report();
        expect(found).toMatchObject({
          rows: all.length,
          complete: true,
          ignored_columns: ['card.name', 'note'],
        });
        expect(sumOf(found)).toBe(all.length);
        expect(found.refused_rows).toHaveLength(Number(found['refused']));
        expectNoValue(err + out + JSON.stringify(found));
        if (isDry) expect(service.tokens.size).toBe(0);
        else expectNoValue(textIn(`${file}.import-journal`));
      }),
      { numRuns: cases(10) },
    );
  });

  it('loses no row and makes none twice, whatever call it stops at', async () => {
    const stops = fc.array(
      fc.record({
        after: fc.nat({ max: 6 }),
        at: fc.constantFrom('before' as const, 'after' as const),
        status: fc.constantFrom(0, 401, 503),
      }),
      { minLength: 1, maxLength: 4 },
    );
    const options = fc.record({
      namesPlaces: fc.boolean(),
      mayRead: fc.boolean(),
      parallel: fc.constantFrom('1', '3'),
      details: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        rows,
        stops,
        options,
        async (all, faults, { namesPlaces, mayRead, parallel, details }) => {
          const service = new FakeImportService({ namesPlaces, mayRead });
          const file = folder.file(csvOf(all));
          const args = [...STRIPE, '--parallel', parallel, ...(details ? ['--details', '/pii/'] : [])];
          for (const { after, at, status } of faults) {
            let calls = 0;
            service.behaviour = {
              ...service.behaviour,
              around: (_, now) => {
                if (now !== at) return;
                calls += 1;
                if (calls > after) throw new CallFailed(status, 'the service has stopped');
              },
            };
            const stopped = (await folder.run(service, file, args)).report();
            expect(sumOf(stopped)).toBe(stopped['rows']);
          }
          service.behaviour = { namesPlaces, mayRead };
          const last = (await folder.run(service, file, args)).report();
          expect(last).toMatchObject({ rows: all.length, complete: true, not_compared: 0, different: 0 });
          expect(sumOf(last)).toBe(all.length);
          const ids = [...wantedIds(all)].flatMap((id) =>
            (details ? [id, `${id}/details`] : [id]).map((each) => tokenIdOf('stripe', each)),
          );
          expect([...service.tokens.keys()].sort()).toEqual(ids.sort());
          for (const { creations } of service.tokens.values()) expect(creations).toBe(1);
        },
      ),
      { numRuns: cases(12) },
    );
  });
});
