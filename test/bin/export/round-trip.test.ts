// Tokens that were exported are made again in another tenant by bodies of POST /tokens.
import { cloakroom } from '../../../bin/export/formats/token-body.ts';
import { sdkService } from '../../../bin/export/sdk-service.ts';
import { shownOf } from '../../../bin/export/shown.ts';
import { START } from '../../../bin/export/walk/position.ts';
import { walk } from '../../../bin/export/walk/walk.ts';
import { openVault } from '../../../packages/testing/src/open-vault.ts';
import type { Client, Token } from '../../../packages/sdk/src/index.ts';
import { cases, fc } from '../../../packages/test-kit/src/properties.ts';

const CARDS = ['4242424242424242', '5555555555554444', '378282246310005'];

const data = fc.oneof(
  fc.record({
    type: fc.constant('card'),
    data: fc.record(
      {
        number: fc.constantFrom(...CARDS),
        expiration_month: fc.integer({ min: 1, max: 12 }),
        expiration_year: fc.integer({ min: 2000, max: 2099 }),
        cvc: fc.constant('123'),
      },
      { requiredKeys: ['number'] },
    ),
  }),
  fc.record({ type: fc.constant('card_number'), data: fc.constantFrom(...CARDS) }),
  fc.constant({ type: 'social_security_number', data: '123-45-6789' }),
  fc.constant({ type: 'bank', data: { routing_number: '021000021', account_number: '1234567890' } }),
  fc.record({
    type: fc.constant('token'),
    data: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\n{"id":"forged"}', '\u2028', '', { ['__proto__']: 1, a: [1.5, null, '\u0000'] }),
      fc.object({
        maxDepth: 2,
        withBigInt: false,
        values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)],
      }),
    ),
  }),
);

const members = fc.record(
  {
    mask: fc.constantFrom(null, '{{ data | stringify | reveal_last: 2 }}', 'hidden'),
    containers: fc.constantFrom(['/pci/high/'], ['/a/', '/b/c/']),
    metadata: fc.dictionary(
      fc.constantFrom('customer', 'order', '=x'),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    ),
    search_indexes: fc.constantFrom([], ['{{ data | stringify }}']),
    fingerprint_expression: fc.constantFrom('{{ data | stringify }}', 'x{{ data | stringify }}'),
    expires_at: fc.constantFrom('2099-01-31T12:00:00+02:00', '2099-01-31'),
  },
  { requiredKeys: [] },
);

const RULES = [
  {
    priority: 1,
    container: '/',
    transform: 'reveal' as const,
    permissions: ['token:create' as const, 'token:read' as const],
  },
];

async function aTenant() {
  const { vault } = await openVault({});
  const { key } = await vault.applications.create({ name: 'Exporter', type: 'private', rules: RULES });
  return vault.client({ apiKey: key });
}

const create = async ({ tokens }: Client, body: unknown): Promise<void> =>
  void (await tokens.create(body as never, { transform: 'redact' }));

/** All tokens by id, without what a tenant gives them itself. */
async function tokensOf({ tokens }: Client): Promise<ReadonlyMap<string, Partial<Token>>> {
  const found = new Map<string, Partial<Token>>();
  for await (const { id } of tokens.list({ size: 100 })) {
    const {
      tenant_id: _t,
      created_at: _a,
      created_by: _b,
      fingerprint: _f,
      data: shown,
      ...rest
    } = await tokens.retrieve(id);
    const { cvc: _c, ...withoutCvc } =
      rest.type === 'card' ? (shown as Record<string, unknown>) : { cvc: undefined };
    found.set(id, { ...rest, data: rest.type === 'card' ? (withoutCvc as never) : (shown as never) });
  }
  return found;
}

/** Which tokens have equal fingerprints. */
async function relationsOf({ tokens }: Client): Promise<readonly string[]> {
  const ids = new Map<string, string[]>();
  for await (const { id, fingerprint = '' } of tokens.list({ size: 100 }))
    ids.set(fingerprint, [...(ids.get(fingerprint) ?? []), id]);
  return [...ids.values()].map((group) => group.toSorted().join(' ')).toSorted();
}

it('tokens are equal in another tenant after an export, a card without its cvc', async () => {
  const here = await aTenant();
  const there = await aTenant();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(data, members), { minLength: 1, maxLength: 8 }), async (wanted) => {
      for (const [of, more] of wanted) {
        // Not every combination is a token.
        await create(here, { ...of, ...more }).catch(() => undefined);
      }
      const service = sdkService(here);
      const { grants } = await service.self();
      const had = new Set((await tokensOf(there)).keys());
      for await (const { token } of walk(service, {}, { from: START })) {
        const line = cloakroom.row(token, shownOf(grants, token));
        expect(line.indexOf('\n')).toBe(line.length - 1);
        if (!had.has(token.id)) await create(there, JSON.parse(line));
      }
      expect(await tokensOf(there)).toEqual(await tokensOf(here));
      expect(await relationsOf(there)).toEqual(await relationsOf(here));
    }),
    { numRuns: cases(8) },
  );
  expect((await tokensOf(here)).size).toBeGreaterThan(10);
});
