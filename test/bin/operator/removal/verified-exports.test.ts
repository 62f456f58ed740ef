import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemovalAccount } from '../../../../bin/operator/removal/removal-account.ts';
import type { RemovalPlan, Step } from '../../../../bin/operator/removal/removal-plan.ts';
import { requireExports } from '../../../../bin/operator/removal/verified-exports.ts';
import { aTrail, MINUTE, SEAL_KEY, signed, START, TENANTS, type Trail } from '../../../core/trail/a-trail.ts';
import { aRemovalAccount } from './a-removal-account.ts';

const DAY = 86_400_000;
const pemOf = (key: typeof SEAL_KEY.publicKey) => key.export({ type: 'spki', format: 'pem' }).toString();
const folder = mkdtempSync(join(tmpdir(), 'cloakroom-exports-'));
const files = join(folder, 'exports');
const key = join(folder, 'key.pem');
const MADE = START + 5 * MINUTE;

const bodiesOf = (trail: Trail): readonly string[] =>
  [...trail.seals.values()].toSorted((a, b) => b.from - a.from || b.part - a.part).map(({ body }) => body);

/** The export of a whole trail, as `export-audit` writes it. */
function write(trail: Trail, id: string): void {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const base64 = (bytes?: Buffer) => bytes?.toString('base64');
  const seals = [...trail.seals.values()].toSorted((a, b) => a.from - b.from || a.part - b.part);
  const records = [...trail.records.values()]
    .filter((record) => record.trail === id)
    .toSorted((a, b) => (a.position === b.position ? a.shard - b.shard : a.position < b.position ? -1 : 1));
  writeFileSync(
    join(files, id),
    [
      line({ export: 1, tenant: id, at: new Date(MADE).toISOString() }),
      ...seals.map(({ signature, ...seal }) => line({ seal: { ...seal, signature: base64(signature) } })),
      ...records.map(({ mac, ids, ...record }) =>
        line({ record: { ...record, mac: base64(mac), ids: base64(ids) } }),
      ),
    ].join(''),
  );
}

const step = (kind: Step['kind'], id: string): Step => ({ kind, id, fate: 'deleted', has: '', monthly: 0 });

function aPlan(now = MADE, steps: readonly Step[] = [step('stack', 'Cloakroom-Operations')]): RemovalPlan {
  return {
    service: 'Cloakroom',
    region: 'eu-west-1',
    removes: 'trail',
    now: new Date(now),
    steps: [...steps, step('table', 'Cloakroom-Audit')],
    notes: [],
    mapping: {},
    sealKeys: ['k'],
  };
}

/** The account whose table of seals has these bodies, the newest first. */
function anAccount(bodies: readonly string[], signs = SEAL_KEY.publicKey): RemovalAccount {
  return {
    ...aRemovalAccount(['Cloakroom']).account,
    publicKey: () => Promise.resolve(pemOf(signs)),
    async *sealBodies() {
      yield* await Promise.resolve(bodies);
    },
  };
}

/** The seal covers an interval, in which some trails have records. */
const sealOf = (from: number, ...trails: readonly string[]): string =>
  signed({
    from,
    to: from + MINUTE,
    part: 1,
    expires: Math.floor(from / 1_000) + 400 * 86_400,
    entries: trails.map((trail) => [trail, 1, 'a'.repeat(43), 1] as const),
    progress: { hours: { time: 0 }, days: { time: 0 } },
  }).body;

describe('exports allow the deletion of a trail', () => {
  let trail: Trail;

  beforeEach(async () => {
    rmSync(files, { recursive: true, force: true });
    mkdirSync(files);
    writeFileSync(key, pemOf(SEAL_KEY.publicKey));
    ({ trail } = await aTrail());
    for (const id of [...TENANTS, 'deployment', 'other-trail']) write(trail, id);
  });

  const check = (account: RemovalAccount, plan = aPlan()) =>
    requireExports(account, plan, { folder: files, key });

  it('exports allow the deletion of a trail if there is one of each, with seals of the deployment of the last day', async () => {
    await check(anAccount(bodiesOf(trail)));
    await check(anAccount([sealOf(START + DAY - MINUTE), ...bodiesOf(trail)]));
  });

  it('not if the deployment signs with another key', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await expect(check(anAccount(bodiesOf(trail), publicKey))).rejects.toThrow(
      'is not the key that signs the seals of Cloakroom',
    );
  });

  it('not if they end with a seal that the deployment does not have', async () => {
    await expect(check(anAccount(bodiesOf(trail).slice(1)))).rejects.toThrow(
      'ends with a seal that is not one of the deployment',
    );
  });

  it('not if the table has no seal, but records', async () => {
    await expect(check(anAccount([]))).rejects.toThrow('the table AuditSeals has none');
  });

  it('not if a seal of the table alone names a trail without an export', async () => {
    const account = anAccount([sealOf(START + 10 * MINUTE, 'new-tenant'), ...bodiesOf(trail)]);
    await expect(check(account)).rejects.toThrow('lacks the export of new-tenant:');
    const expired = anAccount([...bodiesOf(trail), sealOf(START - 500 * DAY, 'old-tenant')]);
    await check(expired);
  });

  it('not after a day: of the clock while the service runs, then of its seals', async () => {
    const running = check(anAccount(bodiesOf(trail)), aPlan(MADE + DAY + 1));
    await expect(running).rejects.toThrow('is older than a day');
    await check(anAccount(bodiesOf(trail)), aPlan(MADE + 3 * DAY, []));
    const sealed = check(anAccount([sealOf(START + 2 * DAY), ...bodiesOf(trail)]), aPlan(MADE + 3 * DAY, []));
    await expect(sealed).rejects.toThrow('is older than a day');
  });
});
