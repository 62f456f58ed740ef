import { createHash } from 'node:crypto';
import { cloakroom, ndjson } from '../../../bin/export/formats/token-body.ts';
import type { Format } from '../../../bin/export/formats/format.ts';
import { emptyManifest, type Manifest } from '../../../bin/export/manifest/manifest.ts';
import type { OpenPart } from '../../../bin/export/parts/part.ts';
import { writeParts } from '../../../bin/export/write-parts.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';
import type { Grants } from '../../../src/core/access/access-rule.ts';
import { anExportedToken, anExportService, REVEALING } from '../../support/fakes/an-export-service.ts';

type Service = ReturnType<typeof anExportService>;

const NEVER = new Promise<never>(() => undefined);

const tokensUpTo = (count: number) => Array.from({ length: count }, (_, at) => anExportedToken(at));

const JOB = { format: 'ndjson', tenant: 'tenant', application: 'app', filter: {} } as const;

const started = (partRows: number | null) =>
  emptyManifest({ ...JOB, part_rows: partRows }, '2026-12-01T00:00:00+00:00');

/** Parts in memory. Each has its text, and how it ended. */
function parts(failing: (n: number) => boolean = () => false) {
  const made: { n: number; text: string; end: 'whole' | 'aborted' | 'open' }[] = [];
  const openPart: OpenPart = (n) => {
    const part: (typeof made)[number] = { n, text: '', end: 'open' };
    made.push(part);
    return {
      write: (bytes) => {
        part.text += Buffer.from(bytes).toString();
        return Promise.resolve();
      },
      end: () => {
        if (failing(n)) return Promise.reject(new Error('the disk is full'));
        part.end = 'whole';
        return Promise.resolve();
      },
      abort: () => {
        part.end = 'aborted';
        return Promise.resolve();
      },
    };
  };
  return { made, openPart };
}

/** Runs an export, and returns its last manifest and its failure. */
async function run(
  { service, self }: Service,
  { openPart }: Pick<ReturnType<typeof parts>, 'openPart'>,
  from: Manifest,
  { format = ndjson, stopped = NEVER }: { readonly format?: Format; readonly stopped?: Promise<never> } = {},
): Promise<{ readonly manifest: Manifest; readonly problem: string }> {
  let manifest = from;
  const store = (next: Manifest) => {
    manifest = next;
  };
  if (from.complete) throw new Error('the export is complete');
  const deps = {
    service,
    self: self(),
    filter: {},
    format,
    openPart,
    store,
    clock: () => 0,
    at: () => undefined,
  };
  try {
    await writeParts({ ...deps, stopped }, from);
    return { manifest, problem: '' };
  } catch (error) {
    return { manifest, problem: (error as Error).message };
  }
}

const idsIn = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id);

const wholeIds = ({ made }: ReturnType<typeof parts>): string[] =>
  made.filter(({ end }) => end === 'whole').flatMap(({ text }) => idsIn(text));

describe('an export', () => {
  it('describes each part in the manifest, with the hash of its plaintext', async () => {
    const world = anExportService(tokensUpTo(25));
    const out = parts();
    const { manifest } = await run(world, out, started(10));
    expect(out.made.map(({ n, end }) => [n, end])).toEqual([
      [1, 'whole'],
      [2, 'whole'],
      [3, 'whole'],
    ]);
    expect(manifest).toMatchObject({
      complete: true,
      rows: 25,
      shown: { reveal: 25, mask: 0, redact: 0 },
      newest_created_at: '2026-11-01T00:00:24+00:00',
      oldest_created_at: '2026-11-01T00:00:00+00:00',
      finished_at: '1970-01-01T00:00:00+00:00',
    });
    expect(manifest).not.toHaveProperty('next');
    for (const [at, { text }] of out.made.entries()) {
      const ids = idsIn(text);
      expect(manifest.parts[at]).toMatchObject({
        n: at + 1,
        rows: ids.length,
        first_id: ids[0],
        last_id: ids.at(-1),
        bytes: Buffer.byteLength(text),
        sha256: createHash('sha256').update(text).digest('hex'),
      });
    }
  });

  it.each([
    [0, null, [0]],
    [0, 10, [0]],
    [20, 10, [10, 10]],
    [21, 20, [20, 1]],
    [21, null, [21]],
  ])('has, of %d tokens in parts of %s, parts of %j tokens', async (tokens, partRows, rows) => {
    const { manifest } = await run(anExportService(tokensUpTo(tokens)), parts(), started(partRows));
    expect(manifest.complete).toBe(true);
    expect(manifest.parts.map((part) => part.rows)).toEqual(rows);
  });

  it('has every token once, however often it stops and goes on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 25 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 }),
        async (count, partRows, stops) => {
          const world = anExportService(tokensUpTo(count));
          const stored: string[] = [];
          let manifest: Manifest = started(partRows);
          for (const pages of [...stops, Infinity]) {
            if (manifest.complete) break;
            const out = parts();
            world.refuseAfter(pages);
            ({ manifest } = await run(world, out, manifest));
            stored.push(...wholeIds(out));
          }
          expect(manifest.complete).toBe(true);
          expect(stored).toEqual(
            tokensUpTo(count)
              .map(({ id }) => id)
              .toReversed(),
          );
          expect(manifest.rows).toBe(count);
          expect(manifest.parts.map(({ n }) => n)).toEqual(manifest.parts.map((_, at) => at + 1));
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('makes a part that failed again, under its number', async () => {
    const world = anExportService(tokensUpTo(25));
    const failing = parts((n) => n === 2);
    const { manifest, problem } = await run(world, failing, started(10));
    expect(problem).toBe('the disk is full');
    expect(failing.made.map(({ n, end }) => [n, end])).toEqual([
      [1, 'whole'],
      [2, 'aborted'],
    ]);
    expect(manifest).toMatchObject({ complete: false, rows: 10 });
    const out = parts();
    const next = await run(world, out, manifest);
    expect(out.made.map(({ n }) => n)).toEqual([2, 3]);
    expect([...wholeIds(failing), ...wholeIds(out)]).toHaveLength(25);
    expect(next.manifest).toMatchObject({ complete: true, rows: 25 });
  });

  it('ends the part on its way when a person stops it', async () => {
    const out = parts();
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const openPart: OpenPart = (n) => {
      const part = out.openPart(n);
      return {
        ...part,
        write: () => {
          reject(new Error('stopped by SIGINT'));
          return new Promise(() => undefined);
        },
      };
    };
    const { problem, manifest } = await run(anExportService(tokensUpTo(5)), { openPart }, started(null), {
      stopped,
    });
    expect([problem, manifest.parts, out.made[0]?.end]).toEqual(['stopped by SIGINT', [], 'aborted']);
  });
});

describe('rights', () => {
  const MASKING: Grants = {
    permissions: [],
    rules: [
      { priority: 1, container: '/pii/', transform: 'mask', permissions: ['token:read'] },
      { priority: 2, container: '/none/', transform: 'redact', permissions: ['token:read'] },
      { priority: 3, container: '/', transform: 'reveal', permissions: ['token:read'] },
    ],
  };
  const { data: _, ...withoutData } = anExportedToken(1).body;
  const redacted = (at: number, container: string) => {
    const token = anExportedToken(at, { containers: [container] });
    return { ...token, body: { ...withoutData, id: token.id, containers: [container] } };
  };
  const world = () =>
    anExportService(
      [
        anExportedToken(5),
        anExportedToken(4, { containers: ['/pii/low/'], data: 'XX' }),
        redacted(3, '/pii/'),
        redacted(2, '/none/'),
        anExportedToken(1, { containers: ['/general/', '/pii/'], data: 'XX' }),
      ],
      { grants: MASKING },
    );

  it('say of each token whether it was shown in plaintext, masked or without data', async () => {
    const { manifest } = await run(world(), parts(), started(null));
    expect(manifest.shown).toEqual({ reveal: 1, mask: 2, redact: 2 });
  });

  it('stop a format for import at the first token that is not in plaintext', async () => {
    const out = parts();
    const { manifest, problem } = await run(world(), out, started(1), { format: cloakroom });
    expect(problem).toBe('the key does not show the token token-4 in plaintext, which this format needs');
    expect(out.made.map(({ end }) => end)).toEqual(['whole', 'aborted']);
    expect(manifest.parts).toHaveLength(1);
  });

  it('that have changed end the run, and the part on its way does not count', async () => {
    const less: Grants = {
      ...REVEALING,
      rules: REVEALING.rules.map((rule) => ({ ...rule, transform: 'mask' as const })),
    };
    const changing = anExportService(tokensUpTo(25));
    const out = parts();
    const openPart: OpenPart = (n) => {
      if (n === 2) changing.grant(less);
      return out.openPart(n);
    };
    const { problem, manifest } = await run(changing, { openPart }, started(10));
    expect(problem).toBe('the rights of the key have changed since the start');
    expect(out.made.map(({ end }) => end)).toEqual(['whole', 'aborted']);
    expect(manifest.parts).toHaveLength(1);
  });

  it.each([
    ['no data where the rules reveal it', redacted(1, '/general/'), REVEALING],
    ['data where the rules redact it', anExportedToken(1, { containers: ['/none/'] }), MASKING],
    ['a token that no rule covers', anExportedToken(1), { permissions: [], rules: [] }],
  ])('contradicted by a response end the run: %s', async (_name, token, grants) => {
    const { problem } = await run(anExportService([token], { grants }), parts(), started(null));
    expect(problem).toBe('the rights of the key have changed since the start');
  });
});
