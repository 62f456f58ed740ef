import { randomUUID } from 'node:crypto';
import { generateApiKey } from '../../src/core/crypto/api-key.ts';
import { manyInstances, type Reply } from '../support/many-instances.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

type World = Awaited<ReturnType<typeof manyInstances>>;
let world: World;
let victim: string;
let key: string;
let token: string;

beforeAll(async () => {
  world = await manyInstances();
  victim = await world.aTenant();
  ({ key } = await world.anApplication(victim));
  const made = await world.anInstance()('POST', '/tokens', key, { type: 'token', data: 'x' });
  token = made.body['id'] as string;
});
afterAll(() => world.database.close());

const REQUESTS: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/tokens'],
  ['GET', '/tokens/TOKEN'],
  ['POST', '/tokens', { type: 'token', data: 'x' }],
  ['PATCH', '/tokens/TOKEN', { data: 'y' }],
  ['DELETE', '/tokens/TOKEN'],
  ['POST', '/detokenize', '{{ TOKEN }}'],
  ['POST', '/tokens/search', { query: 'type:token' }],
];

/**
 * The claims of an attacker without a key: any tenant, any kind of key, any route, in an instance
 * that has the tenant in its cache or not.
 */
const aForgery = fc.record({
  type: fc.constantFrom('private', 'public', 'management', 'session', 'invocation', 'anything'),
  claimed: fc.constantFrom('the victim', 'a tenant that does not exist'),
  instance: fc.constantFrom('cold', 'warm by the victim'),
  request: fc.constantFrom(...REQUESTS),
  /** The request has an idempotency key, for which a response could be stored. */
  isRepeatable: fc.boolean(),
});

/** The content of a reply, without its trace id, which always differs. */
const shown = ({ status, body }: Reply) => JSON.stringify([status, body]);

describe('a key that was never issued', () => {
  it('costs two reads and gets the same response for any claim, which is stored nowhere', async () => {
    const warm = world.anInstance();
    await warm('GET', `/tokens/${token}`, key);
    const responses = new Set<string>();
    await fc.assert(
      fc.asyncProperty(aForgery, async ({ type, claimed, instance, request, isRepeatable }) => {
        const tenantId = claimed === 'the victim' ? victim : randomUUID();
        const [method, path, body] = request;
        const forged = generateApiKey(machinePlatform.random, type, tenantId).reveal();
        const ask = instance === 'cold' ? world.anInstance() : warm;
        world.database.takeReads();
        world.lines.length = 0;
        const unwraps = world.keys.unwraps.length;
        const reply = await ask(
          method,
          path.replace('TOKEN', token),
          forged,
          body,
          isRepeatable ? { 'SVC-IDEMPOTENCY-KEY': 'x' } : {},
        );
        responses.add(shown(reply));
        const reads = world.database.takeReads();
        expect(reads).toHaveLength(2);
        expect(reads.filter((read) => read.includes(' key#'))).toHaveLength(1);
        expect(reads.filter((read) => read.includes(`${tenantId}#copy#`))).toHaveLength(1);
        expect(world.keys.unwraps.length).toBe(unwraps);
        expect(JSON.stringify(world.lines)).not.toContain(tenantId);
      }),
      { numRuns: cases(70) },
    );
    expect([...responses]).toHaveLength(1);
    expect([...responses][0]).toContain('401');
  });

  it('is not looked up at all if its form is wrong', async () => {
    const ask = world.anInstance();
    world.database.takeReads();
    for (const text of ['x', key.slice(0, -1), `${key}1`, `key_private_${'1'.repeat(66)}`, key.toUpperCase()])
      expect((await ask('GET', '/tokens', text)).status).toBe(401);
    // Not all characters of base58 decode to 48 bytes; the few keys that do are looked up like any
    // other.
    expect(world.database.takeReads().length % 2).toBe(0);
  });
});

describe('a key that was issued', () => {
  it('is confirmed by each instance separately, and is then read together with the requested data', async () => {
    const ask = world.anInstance();
    world.database.takeReads();
    await ask('GET', `/tokens/${token}`, key);
    const cold = world.database.takeReads();
    await ask('GET', `/tokens/${token}`, key);
    const warm = world.database.takeReads();
    // The use of a key is noted once a day.
    expect(kindsOf(cold)).toEqual(['#copy#', 'Access key#', 'Tokens', 'UpdateItem']);
    expect(kindsOf(warm)).toEqual(['Access key#', 'Tokens']);
  });

  it('is found before the rights of its application are read, if they are not beside it', async () => {
    const { application, key: ofLarge } = await world.anApplication(victim);
    const rule = { priority: 2, transform: 'mask' as const, permissions: ['token:read' as const] };
    const rules = Array.from({ length: 60 }, (_, at) => ({
      ...rule,
      priority: at + 2,
      container: `/${'c'.repeat(90)}${String(at)}/` as const,
    }));
    const next = { ...application, rules: [...application.rules, ...rules], version: 2 };
    expect(await world.operator.applicationStore.update(application, next)).toBe(true);
    const ask = world.anInstance();
    world.database.takeReads();
    await ask('GET', `/tokens/${token}`, ofLarge);
    const cold = kindsOf(world.database.takeReads());
    await ask('GET', `/tokens/${token}`, ofLarge);
    expect([cold, kindsOf(world.database.takeReads())]).toEqual([
      ['#copy#', '#grants#', 'Access key#', 'Tokens', 'UpdateItem'],
      ['#grants#', 'Access key#', 'Tokens'],
    ]);
  });
});

/** Lists the reads and writes, without the ids in keys, in order of the names. */
function kindsOf(reads: readonly string[]): readonly string[] {
  const kind = /#copy#|#grants#|^Access key#|^Tokens|^UpdateItem$/;
  return reads.map((read) => kind.exec(read)?.[0] ?? read).toSorted();
}
