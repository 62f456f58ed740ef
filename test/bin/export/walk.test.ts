import { START } from '../../../bin/export/walk/position.ts';
import { walk, type Row } from '../../../bin/export/walk/walk.ts';
import { filterOf } from '../../../bin/export/filter.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import { anExportedToken, anExportService } from '../../support/fakes/an-export-service.ts';

const tokensUpTo = (count: number) => Array.from({ length: count }, (_, at) => anExportedToken(at));

async function rowsOf(rows: AsyncIterable<Row>, limit = Infinity): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) {
    found.push(row);
    if (found.length >= limit) break;
  }
  return found;
}

const idsOf = (rows: readonly Row[]) => rows.map(({ token }) => token.id);

describe('a walk', () => {
  it('has every token once, the newest first', async () => {
    const { service } = anExportService(tokensUpTo(35));
    const rows = await rowsOf(walk(service, {}, { from: START }));
    expect(idsOf(rows)).toEqual(Array.from({ length: 35 }, (_, at) => `token-${String(34 - at)}`));
    expect(rows.at(-1)?.next).toBeUndefined();
  });

  it('goes on at any token with those that follow, whatever is created and deleted meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 45 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(60), { maxLength: 6 }),
        fc.array(fc.nat(14), { maxLength: 6 }),
        async (count, stops, deleted, created) => {
          const world = anExportService(tokensUpTo(count));
          const expected = new Set(tokensUpTo(count).map(({ id }) => id));
          const seen: string[] = [];
          let from = START;
          let newest: number | undefined;
          let newer = count;
          for (const [run, stop] of [...stops, Infinity].entries()) {
            const first = newest === undefined ? {} : { newest };
            const rows = await rowsOf(walk(world.service, {}, { from, ...first }), stop);
            newest ??= rows[0]?.token.createdAt;
            seen.push(...idsOf(rows));
            const next = rows.at(-1)?.next;
            if (rows.length < stop || next === undefined) break;
            from = next;
            const gone = `token-${String(deleted[run] ?? -1)}`;
            if (!seen.includes(gone)) expected.delete(gone);
            world.remove(gone);
            for (let more = created[run] ?? 0; more > 0; more -= 1) world.add(anExportedToken((newer += 1)));
          }
          expect(seen.toSorted()).toEqual([...expected].toSorted());
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('ends at the first token that is too old, without a further page', async () => {
    const { service, refuseAfter } = anExportService(tokensUpTo(35));
    refuseAfter(1);
    const { createdAt } = anExportedToken(30);
    expect(idsOf(await rowsOf(walk(service, { createdAfter: createdAt }, { from: START })))).toEqual(
      ['34', '33', '32', '31', '30'].map((at) => `token-${at}`),
    );
  });

  it('has the tokens of a type and a period alone', async () => {
    const cards = [anExportedToken(3, { type: 'card' }), anExportedToken(7, { type: 'card' })];
    const others = tokensUpTo(12).filter(({ id }) => !['token-3', 'token-7'].includes(id));
    const { service } = anExportService([...others, ...cards]);
    const { createdAt } = anExportedToken(7);
    const filter = filterOf({ type: ['card', 'card'], createdBefore: createdAt });
    expect(idsOf(await rowsOf(walk(service, filter, { from: START })))).toEqual(['token-3']);
  });

  it('fetches a token whose members its page omits, and leaves out one that is gone', async () => {
    const { service, omit } = anExportService(tokensUpTo(25));
    for (const at of [3, 4, 8, 9, 21]) omit(`token-${String(at)}`, ['data', 'metadata']);
    const missing = {
      ...service,
      token: (id: string) => (id === 'token-8' ? Promise.resolve(undefined) : service.token(id)),
    };
    const rows = await rowsOf(walk(missing, {}, { from: START }));
    expect(rows).toHaveLength(24);
    expect(idsOf(rows)).not.toContain('token-8');
    for (const { token } of rows)
      expect(token.body).toEqual(
        anExportedToken(token.createdAt / 1_000 - anExportedToken(0).createdAt / 1_000).body,
      );
  });

  it('has no cvc of a card, which other data may have', async () => {
    const data = { number: '4242424242424242', cvc: '123' };
    const card = anExportedToken(1, { type: 'card', data });
    const omitted = anExportedToken(2, { type: 'card', data });
    const world = anExportService([card, omitted, anExportedToken(3, { data })]);
    world.omit('token-2', ['data']);
    const rows = await rowsOf(walk(world.service, {}, { from: START }));
    expect(rows.map(({ token }) => token.body['data'])).toEqual([
      data,
      { number: '4242424242424242' },
      { number: '4242424242424242' },
    ]);
  });

  it('fails with the failure of a token, and leaves no other unhandled', async () => {
    const { service, omit } = anExportService(tokensUpTo(9));
    for (const { id } of tokensUpTo(9)) omit(id, ['data']);
    const failing = { ...service, token: () => Promise.reject(new Error('out of reach')) };
    await expect(rowsOf(walk(failing, {}, { from: START }))).rejects.toThrow('out of reach');
  });
});

it('refuses a filter that no token matches, or that would be wider than asked for', () => {
  expect(() => filterOf({ createdAfter: 2, createdBefore: 2 })).toThrow('must be earlier than');
  expect(() =>
    filterOf({
      metadata: [
        ['customer', '1'],
        ['Customer', '2'],
      ],
    }),
  ).toThrow('names a pair twice');
});
