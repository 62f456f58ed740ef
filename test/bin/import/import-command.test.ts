// How a run of the command begins, ends and goes on.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { CallFailed } from '../../../bin/import/service.ts';
import { tokenIdOf } from '../../../bin/import/token-id-of.ts';
import { describedBy, type Description } from '../../../bin/import/send/described.ts';
import { FakeImportService } from '../../support/fakes/an-import-service.ts';
import { RunFolder } from './import-runs.ts';

const folder = new RunFolder();
const NUMBER = '4242424242424242';
const OTHER = '5555555555554444';
const STRIPE = ['--from', 'stripe'];
const TENANT = { id: '5f9c1f0e-3c53-4f6e-9a53-0d9c6a1c2b11', deduplicates: false };

afterAll(() => {
  folder.remove();
});

const csv = (...cards: readonly (readonly [id: string, number: string, year?: number])[]): string =>
  [
    'id,card.id,card.number,card.exp_month,card.exp_year',
    ...cards.map(([id, number, year = 2030]) => `cus_1,${id},${number},9,${String(year)}`),
  ].join('\n');

const ONE = csv(['card_1', NUMBER]);
const idOf = (oldId: string): string => tokenIdOf('stripe', oldId);

describe('the command line of an import', () => {
  it.each([
    ['--map without csv', ['--from', 'stripe', '--map', 'x'], '--map does not go with --from stripe'],
    ['csv without a map', ['--from', 'csv'], '--from csv needs --map FILE'],
    ['ndjson without a source', ['--from', 'ndjson'], '--from ndjson needs --source NAME'],
    [
      'new ids for tokens that have one',
      ['--from', 'cloakroom', '--source', 'x'],
      '--source does not go with --from cloakroom',
    ],
    ['pairs without a file', [...STRIPE, '--deduplicate', 'map'], '--deduplicate map needs --pairs-out FILE'],
    ['too many requests', [...STRIPE, '--parallel', '17'], '--parallel must be a whole number from 1 to 16'],
    ['a format that is not known', ['--from', 'strip'], 'Allowed choices are stripe'],
  ])('is refused with %s', async (_, args, problem) => {
    const { exitCode, err } = await folder.run(new FakeImportService(), folder.file(ONE), args);
    expect(exitCode).toBe(2);
    expect(err).toContain(problem);
  });

  it('reads standard input, which needs a place for the journal', async () => {
    const input = (async function* chunks() {
      await Promise.resolve();
      yield Buffer.from(ONE.slice(0, 30));
      yield Buffer.from(ONE.slice(30));
    })();
    const service = new FakeImportService();
    expect((await folder.run(service, '-', STRIPE, { input })).err).toContain('name --journal FOLDER');
    const { report } = await folder.run(service, '-', [...STRIPE, '--journal', folder.at('pipe')], { input });
    expect(report()).toMatchObject({ imported: 1 });
  });
});

describe('a tenant that deduplicates', () => {
  it('stops the run before the first row', async () => {
    const service = new FakeImportService({ tenant: { ...TENANT, deduplicates: true } });
    const { exitCode, err } = await folder.run(service, folder.file(ONE), STRIPE);
    expect(exitCode).toBe(2);
    expect(err).toContain('choose --deduplicate never or map; nothing was done');
    expect(service.tokens.size).toBe(0);
  });

  it('creates each token with --deduplicate never', async () => {
    const service = new FakeImportService({ tenant: { ...TENANT, deduplicates: true } });
    await folder.run(service, folder.file(ONE), [...STRIPE, '--deduplicate', 'never']);
    expect(service.tokens.get(idOf('card_1'))?.body).toMatchObject({ deduplicate_token: false });
  });

  it('ends the run at the first other id where the key cannot read it', async () => {
    const service = new FakeImportService();
    const create = service.create;
    const { tenant, find, change } = service;
    const odd = {
      tenant,
      find,
      change,
      create: async (bodies: Parameters<typeof create>[0]) =>
        (await create(bodies)).map((id, at) => (at === 1 ? 'another' : id)),
    };
    const file = folder.file(csv(['card_1', NUMBER], ['card_2', NUMBER], ['card_3', OTHER]));
    const { exitCode, report } = await folder.run(odd, file, STRIPE);
    expect(exitCode).toBe(1);
    expect(report()).toMatchObject({ rows: 2, imported: 2, complete: false });
    expect(report().stopped).toContain('row 2: the service sent another id than it was asked for');
    const pairs = folder.at('pairs.csv');
    const map = ['--deduplicate', 'map', '--pairs-out', pairs, '--no-journal'];
    const mapped = await folder.run(
      { ...odd, create: (bodies) => Promise.resolve(bodies.map(() => 'existing')) },
      folder.file(ONE),
      [...STRIPE, ...map],
    );
    expect(mapped.report()).toMatchObject({ rows: 1, there: 1, deduplicated: 1 });
    expect(readFileSync(pairs, 'utf8')).toBe('old_id,token_id\r\ncard_1,existing\r\n');
  });
});

describe('a journal', () => {
  it('belongs to one source, one set of columns and one tenant', async () => {
    const service = new FakeImportService({ tenant: TENANT });
    const file = folder.file(ONE);
    await folder.run(service, file, STRIPE);
    const again = async (args: readonly string[]) =>
      (await folder.run(service, file, [...STRIPE, ...args])).err;
    expect(await again(['--source', 'other'])).toContain('an import with another source');
    expect(await again(['--details', '/pii/', '--container', '/x/'])).toContain('another columns or map');
    service.behaviour = { tenant: { ...TENANT, id: 'b' } };
    expect(await again([])).toContain('an import with another tenant');
  });

  it('is of one run at a time', async () => {
    const service = new FakeImportService();
    const file = folder.file(ONE);
    let second = '';
    const { create, tenant, find, change } = service;
    const slow = {
      tenant,
      find,
      change,
      create: async (bodies: Parameters<typeof create>[0]) => {
        second = (await folder.run(service, file, STRIPE)).err;
        return await create(bodies);
      },
    };
    await folder.run(slow, file, STRIPE);
    expect(second).toContain('is in use by another import');
  });

  it('is no folder that has something else', async () => {
    folder.file('x', 'something');
    const { exitCode, err } = await folder.run(new FakeImportService(), folder.file(ONE), [
      ...STRIPE,
      '--journal',
      folder.path,
    ]);
    expect([exitCode, err]).toEqual([2, expect.stringContaining('is no journal')]);
  });

  it('lets a later file be compared under a key that cannot read', async () => {
    const service = new FakeImportService({ mayRead: false });
    const file = folder.file(csv(['card_1', NUMBER], ['card_2', NUMBER]));
    await folder.run(service, file, STRIPE);
    writeFileSync(file, csv(['card_1', NUMBER], ['card_2', OTHER], ['card_3', NUMBER]));
    const ids = folder.at('ids.csv');
    const { exitCode, err, report } = await folder.run(service, file, [...STRIPE, '--ids-out', ids]);
    expect([exitCode, err]).toEqual([
      0,
      'row 2: differs from the token; --replace changes it\n3 rows: 1 imported, 1 there already, 1 there and different\n',
    ]);
    expect(report()['different_rows']).toEqual([
      { row: 2, problem: 'differs from the token; --replace changes it' },
    ]);
    expect(statSync(ids).mode & 0o777).toBe(0o600);
    const lines = readFileSync(ids, 'utf8').trimEnd().split('\r\n');
    expect(lines.toSorted()).toEqual(
      ['old_id,token_id', ...['card_1', 'card_2', 'card_3'].map((id) => `${id},${idOf(id)}`)].toSorted(),
    );
  });

  it('goes on after an interruption', async () => {
    const service = new FakeImportService();
    const file = folder.file(
      csv(...Array.from({ length: 250 }, (_, at) => [`card_${String(at)}`, NUMBER] as const)),
    );
    let interrupt = () => {};
    service.behaviour = { around: () => interrupt() };
    const { exitCode, report } = await folder.run(service, file, STRIPE, {
      onInterrupt: (stop) => {
        interrupt = stop;
        return () => undefined;
      },
    });
    expect(exitCode).toBe(1);
    const first = report();
    expect(first).toMatchObject({ complete: false, stopped: 'it was interrupted' });
    expect(first['imported']).toBe(service.tokens.size);
    const second = (await folder.run(service, file, STRIPE)).report();
    expect(second).toMatchObject({ rows: 250, there: first['imported'], complete: true });
  });
});

describe('an id that is taken', () => {
  const taken = async (
    metadata: Record<string, string>,
    mayRead = true,
    more: Partial<Description> = {},
    args: readonly string[] = [],
  ) => {
    const service = new FakeImportService({ mayRead });
    const id = idOf('card_1');
    const token = { id, ...describedBy({ type: 'card' }), ...more, metadata, body: {}, creations: 1 };
    service.tokens.set(id, token);
    const { report } = await folder.run(service, folder.file(ONE), [...STRIPE, '--no-journal', ...args]);
    expect(service.tokens.get(id)).toEqual(token);
    return report();
  };

  it('is not compared where the token has the old id, although another import made it', async () => {
    expect(await taken({ source_id: 'card_1' })).toMatchObject({ rows: 1, not_compared: 1 });
  });

  it('is refused for a token of something else, and where the key cannot read it', async () => {
    const rowWith = (problem: string) => [{ row: 1, column: 'card.id', problem }];
    expect((await taken({})).refused_rows).toEqual(
      rowWith(
        'the id is taken by a token of another import, or with another container, mask or index than the row',
      ),
    );
    expect((await taken({ source_id: 'card_1' }, false)).refused_rows).toEqual(
      rowWith('the id is taken, and the key may not read tokens to compare it'),
    );
  });

  it.each<[string, Partial<Description>]>([
    ['container', { containers: ['/public/'] }],
    ['mask', { mask: '{{ data.number }}' }],
    ['index', { search_indexes: ['{{ data.number }}'] }],
    ['expression', { fingerprint_expression: '{{ data.expiration_year }}' }],
    ['type', { type: 'token' }],
  ])('gets no data where someone else gave it another %s, also with --replace', async (_, more) => {
    for (const args of [[], ['--replace']])
      expect(await taken({ source_id: 'card_1' }, true, more, args)).toMatchObject({ rows: 1, refused: 1 });
  });

  it('is replaced with --replace, which removes what the row does not have', async () => {
    const service = new FakeImportService();
    const id = idOf('card_1');
    const metadata = { source_id: 'card_1', plan: 'gold' };
    service.tokens.set(id, {
      id,
      ...describedBy({ type: 'card' }),
      metadata,
      body: {},
      creations: 1,
    });
    const { report } = await folder.run(service, folder.file(ONE), [...STRIPE, '--replace', '--no-journal']);
    expect(report()).toMatchObject({ rows: 1, not_compared: 1, replaced: 1 });
    expect(service.tokens.get(id)?.body).toEqual({
      expires_at: null,
      data: { number: NUMBER, expiration_month: '9', expiration_year: '2030' },
      metadata: { source_id: 'card_1', customer: 'cus_1', plan: null },
    });
  });
});

describe('a key that ends in mid-run', () => {
  it('stops the run with the reason and a report', async () => {
    const service = new FakeImportService({
      around: () => {
        throw new CallFailed(401, '401 Unauthorized: The key has expired.');
      },
    });
    const { exitCode, err, report } = await folder.run(service, folder.file(ONE), STRIPE);
    expect(exitCode).toBe(1);
    expect(err).toContain(
      'stopped: the service rejects the key: 401 Unauthorized: The key has expired; run it again to go on\n',
    );
    expect(report()).toMatchObject({ rows: 0, complete: false });
  });
});
