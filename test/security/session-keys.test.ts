import { createSession, authorizeSession } from '../../src/core/access/session.ts';
import { hashApiKey } from '../../src/core/crypto/api-key.ts';
import { createApplication } from '../../src/core/applications/create-application.ts';
import { deleteApplication, regenerateKey } from '../../src/core/applications/change-application.ts';
import { updateKey } from '../support/keys-of-application.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import type { Secret } from '../../src/core/shared/secret.ts';
import { cases, randomOfFile } from '../../packages/test-kit/src/thoroughness.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { manyInstances } from '../support/many-instances.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

const random = randomOfFile();

/** So many reads that they include each of eight copies, in all but one of some 10^4 sessions. */
const READS = 80;
const STEPS = 14;

let world: Awaited<ReturnType<typeof manyInstances>>;
let tenantId: string;
beforeAll(async () => {
  world = await manyInstances();
  tenantId = await world.aTenant();
});
afterAll(() => world.database.close());

const draw = (below: number): number => Math.floor(random() * below);

/** An application, with the key that it has now; without one once it is deleted. */
interface Holder {
  readonly id: string;
  key: Secret<string> | undefined;
  /** The key ends then, in ms since the epoch. */
  endsAt: number;
}

interface Made {
  readonly key: Secret<string>;
  readonly nonce: Secret<string>;
  readonly by: Holder;
  readonly makingKey: Secret<string> | undefined;
  authorized?: { readonly by: Holder; readonly key: Secret<string> | undefined };
}

const manager = (): Caller =>
  aCaller({
    tenantId,
    type: 'management',
    permissions: ['application:create', 'application:update', 'application:delete'],
  });

async function aHolder(type: 'public' | 'private'): Promise<Holder> {
  const input = { name: 'x', type, permissions: ['token:create'], rules: [] } as const;
  const { application, key } = await createApplication(
    world.operator,
    manager(),
    input,
    randomIdentity(machinePlatform.random),
  );
  return { id: application.id, key, endsAt: Infinity };
}

async function callerOf({ key }: Holder): Promise<Caller> {
  if (key === undefined) throw new Error('the application is deleted');
  const credential = await world.operator.credentialStore.findByKeyHash(hashApiKey(key));
  if (credential === undefined || !('caller' in credential)) throw new Error('a current key is unknown');
  return credential.caller;
}

/** Whether each copy of the applications' grants lets the session in: one value, or both. */
async function isAlive({ key }: Made): Promise<readonly boolean[]> {
  const found = await Promise.all(
    Array.from({ length: READS }, () => world.operator.sessionStore.findByKeyHash(hashApiKey(key))),
  );
  const endOf = (credential: (typeof found)[number]) =>
    credential !== undefined && 'caller' in credential ? credential.expiresAtMs : undefined;
  return [...new Set(found.map((credential) => (endOf(credential) ?? 0) > world.state.now))];
}

const isUsable = ({ key, endsAt }: Holder) => key !== undefined && endsAt > world.state.now;
const has = (holder: Holder, key: Secret<string> | undefined) => isUsable(holder) && holder.key === key;
const shouldLive = ({ by, makingKey, authorized }: Made) =>
  has(by, makingKey) && (authorized === undefined || has(authorized.by, authorized.key));

describe('a session', () => {
  it('lives exactly as long as the keys that made and authorized it, in every copy', async () => {
    for (let run = 0; run < cases(4); run += 1) {
      const makers = [await aHolder('public'), await aHolder('public')];
      const authorizers = [await aHolder('private'), await aHolder('private')];
      const holders = [...makers, ...authorizers];
      const sessions: Made[] = [];
      const history: string[] = [];
      const authorize = async (session: Made, by: Holder) => {
        const input = { nonce: session.nonce, permissions: ['token:create'], rules: [] } as const;
        await authorizeSession(world.operator, await callerOf(by), input).then(
          () => (session.authorized = { by, key: by.key }),
          (error: unknown) => {
            const isUnknown = !has(session.by, session.makingKey);
            expect([history, error]).toMatchObject([history, { code: isUnknown ? 'not_found' : 'conflict' }]);
          },
        );
      };
      for (let step = 0; step < STEPS; step += 1) {
        const act = draw(13);
        const maker = makers[draw(2)];
        const authorizer = authorizers[draw(2)];
        const holder = holders[draw(4)];
        const session = sessions[draw(Math.max(1, sessions.length))];
        history.push(String(act));
        if (act < 4 && maker !== undefined && isUsable(maker)) {
          const made = await createSession(
            world.operator,
            await callerOf(maker),
            randomIdentity(machinePlatform.random),
          );
          sessions.push({ key: made.key, nonce: made.nonce, by: maker, makingKey: maker.key });
        } else if (act < 7 && session !== undefined && authorizer !== undefined && isUsable(authorizer)) {
          await authorize(session, authorizer);
        } else if (act < 9 && holder?.key !== undefined) {
          holder.key = (await regenerateKey(world.operator, manager(), holder.id)).key;
          holder.endsAt = Infinity;
        } else if (act === 9 && holder?.key !== undefined) {
          await deleteApplication(world.operator, manager(), holder.id);
          holder.key = undefined;
        } else if (act < 12 && holder !== undefined && isUsable(holder)) {
          holder.endsAt = world.state.now + 1_000;
          const { keys = [] } = (await world.operator.applicationStore.find(tenantId, holder.id)) ?? {};
          const place = { id: holder.id, keyId: keys[0]?.id ?? '' };
          await updateKey(world.operator, manager(), place, { expiresAtMs: holder.endsAt });
        } else if (act === 12) {
          world.state.now += 700;
        }
        for (const each of sessions)
          expect([history, await isAlive(each)]).toEqual([history, [shouldLive(each)]]);
      }
    }
  });
});
