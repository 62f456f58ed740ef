import { TRANSFORMS } from '../../src/core/access/access-rule.ts';
import type { Json } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { openPage, type PermittedSummary } from '../../src/core/tokens/open-page.ts';
import { tokenObject } from '../../src/core/tokens/token-object.ts';
import { aCaller } from '../support/builders/a-caller.ts';
import { aWallWorld } from './a-wall-world.ts';
import { TENANT } from '../support/builders/a-stored-token.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
import { machinePlatform } from '../../src/adapters/machine-platform.ts';
import { aBudget } from '../support/builders/a-budget.ts';

const PAGE_BYTES = 1_250_000;
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value ?? null));

/**
 * Sizes around every share of the page sizes below, and around the limit for data in separate
 * items.
 */
const sizes = fc.constantFrom(1, 12_000, 13_000, 62_000, 63_000, 249_000, 251_000, 349_000, 400_000, 900_000);
const masks = fc.oneof(
  fc.constantFrom<Json>(null, '{{ data | last4 }}', '{{ data }}', '{{ data | upcase }}'),
  sizes.filter((size) => size < 280_000).map((size): Json => 'm'.repeat(size)),
);
const tokens = fc.array(fc.record({ size: sizes, mask: masks, transform: fc.constantFrom(...TRANSFORMS) }), {
  minLength: 1,
  maxLength: 6,
});

const creator = aCaller({ tenantId: TENANT, permissions: ['token:create'] });

async function create(world: ReturnType<typeof aWallWorld>, size: number, mask: Json) {
  const input = { type: 'token', data: new Secret<Json>('d'.repeat(size)), mask } as const;
  try {
    return (await createToken(world.deps, creator, input, randomIdentity(machinePlatform.random))).token.id;
  } catch (error) {
    // A mask may cost too much for large data: then the token is not created.
    expect(error).toMatchObject({
      code: 'validation_failed',
      errors: { mask: expect.anything() as unknown },
    });
    return undefined;
  }
}

describe('a page of tokens', () => {
  it('shows each token as it would be shown alone, within an equal share, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(tokens, fc.constantFrom(1, 3, 5, 20, 100), async (raw, size) => {
        const world = aWallWorld();
        const permitted: (PermittedSummary & { readonly mask: Json; readonly length: number })[] = [];
        for (const { size: length, mask, transform } of raw) {
          const id = await create(world, length, mask);
          const [summary] = id === undefined ? [] : await world.deps.tokenStore.findSummaries(TENANT, [id]);
          if (summary !== undefined) permitted.push({ token: summary, transform, mask, length });
        }
        const together = await openPage(world.deps, permitted, size, aBudget());
        const alone = await Promise.all(
          permitted.map(async (one) => (await openPage(world.deps, [one], size, aBudget()))[0]),
        );
        const shown = together.map(tokenObject);
        expect(shown).toEqual(alone.map((view) => view && tokenObject(view)));
        shown.forEach((token, index) => {
          const { mask, transform, length } = permitted[index] ?? {};
          const { omitted = [] } = (token['_extras'] ?? {}) as { omitted?: readonly string[] };
          const { data, mask: shownMask, metadata, fingerprint_expression: expression } = token;
          expect(bytes(data)).toBeLessThanOrEqual(PAGE_BYTES / size);
          expect(bytes([shownMask, metadata, expression])).toBeLessThanOrEqual(PAGE_BYTES / size + 100);
          // Omitted members are named, and no others.
          const hasData = transform === 'reveal' || (transform === 'mask' && mask !== null);
          expect(data !== undefined || omitted.includes('data')).toBe(hasData);
          expect(expression === undefined).toBe(omitted.includes('fingerprint_expression'));
          const isSmall = (length ?? 0) + 2 <= PAGE_BYTES / size && (length ?? 0) < 200_000;
          if (hasData && isSmall && bytes(mask) < 1_000) expect(omitted).not.toContain('data');
        });
      }),
      { numRuns: cases(20) },
    );
  });

  it('opens no description that exceeds its share', async () => {
    const world = aWallWorld();
    const opened: string[] = [];
    const vault: typeof world.deps.vault = {
      ...world.deps.vault,
      decrypt: (context, ...rest) => {
        opened.push(context.field);
        return world.deps.vault.decrypt(context, ...rest);
      },
    };
    const ids = [await create(world, 10, 'm'.repeat(20_000)), await create(world, 10, 'm')];
    const summaries = await world.deps.tokenStore.findSummaries(
      TENANT,
      ids.filter((id) => id !== undefined),
    );
    const permitted = summaries.map((token) => ({ token, transform: 'mask' as const }));
    const views = await openPage({ ...world.deps, vault }, permitted, 100, aBudget());
    expect(opened.filter((field) => field === 'details')).toHaveLength(1);
    expect(views.map(tokenObject)).toEqual([
      expect.objectContaining({
        _extras: { omitted: ['data', 'mask', 'fingerprint_expression', 'metadata', 'search_indexes'] },
      }),
      expect.objectContaining({ data: 'm', mask: 'm' }),
    ]);
  });

  it('masks only data with at most as many members as its share', async () => {
    const world = aWallWorld();
    const ids = [];
    for (const members of [1_000, 1_001]) {
      const data = new Secret<Json>(Array<Json>(members).fill(0));
      const input = { type: 'token', data, mask: '{{ data | size }}' } as const;
      ids.push(
        (await createToken(world.deps, creator, input, randomIdentity(machinePlatform.random))).token.id,
      );
    }
    const summaries = await world.deps.tokenStore.findSummaries(TENANT, ids);
    const permitted = summaries.map((token) => ({ token, transform: 'mask' as const }));
    const parsing = jest.spyOn(JSON, 'parse');
    const [masked, left] = (await openPage(world.deps, permitted, 100, aBudget())).map(tokenObject);
    const parsed = parsing.mock.calls.map(([text]) => text).filter((text) => text.startsWith('[0,'));
    parsing.mockRestore();
    expect(masked).toMatchObject({ data: 1_000 });
    expect(left).toMatchObject({ _extras: { omitted: ['data'] } });
    expect(parsed).toHaveLength(1);
  });

  it('a page of a hundred tokens with members of maximum size fits a response of Lambda', async () => {
    const world = aWallWorld();
    const containers = Array.from(
      { length: 10 },
      (_, index) => `/${Array.from({ length: 8 }, () => `${String(index)}${'c'.repeat(63)}`).join('/')}/`,
    );
    const share = PAGE_BYTES / 100;
    const quotes = (bytesOfJson: number) => '"'.repeat(Math.floor((bytesOfJson - 2) / 2));
    const input = {
      type: 'token',
      id: '"'.repeat(400),
      data: new Secret<Json>(quotes(share)),
      mask: quotes(share - 120),
      containers,
    } as const;
    const { token } = await createToken(world.deps, creator, input, randomIdentity(machinePlatform.random));
    const [summary] = await world.deps.tokenStore.findSummaries(TENANT, [token.id]);
    if (summary === undefined) throw new Error('it is not there');
    const [view] = await openPage(world.deps, [{ token: summary, transform: 'reveal' }], 100, aBudget());
    const shown = view && tokenObject(view);
    expect(shown).toMatchObject({ data: expect.anything() as unknown, mask: expect.anything() as unknown });
    // A response carries its body as a JSON string.
    const page = JSON.stringify({ data: Array.from({ length: 100 }, () => shown), pagination: {} });
    expect(bytes(page)).toBeLessThan(5_950_000);
  });
});
