import type { Caller } from '../../src/core/applications/application.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../src/core/tokens/delete-token.ts';
import { detokenize } from '../../src/core/tokens/detokenize.ts';
import { getToken } from '../../src/core/tokens/get-token.ts';
import { keepToken, replayToken, type KeptToken } from '../../src/core/tokens/kept-token.ts';
import { listTokens } from '../../src/core/tokens/list-tokens.ts';
import { searchTokens } from '../../src/core/tokens/search-tokens.ts';
import { tokenObject } from '../../src/core/tokens/token-object.ts';
import { updateToken, type TokenPatch } from '../../src/core/tokens/update-token.ts';
import { presentResult } from '../../src/http/present-token.ts';
import { cases, fc } from '../../packages/local-aws/test/properties.ts';
import {
  aWallWorld,
  callers,
  CONTAINERS,
  dataOf,
  grants,
  isSoleWriter,
  least,
  MASKS,
  shownBy,
  transformOf,
  type ModelToken,
} from './a-wall-world.ts';

/*
 * docs/security.md#invariants-between-callers: random callers act on tokens of one another in
 * random order, and each answer is held against a naive model: what it shows, whether it may be
 * given at all, and that no text that somebody else wrote stands in it beyond that.
 */

/** What a patch writes: indexes into the choices of the model, and flags. */
interface Patch {
  readonly mask?: number;
  readonly containers?: readonly string[];
  readonly value?: { readonly secret: number; readonly number: number };
  readonly isIndexed?: boolean;
  readonly ownExpression?: boolean;
  readonly hours?: number | undefined;
  readonly deduplicate?: boolean;
}

/**
 * How many different things the callers write: few, so that they meet one another; many, so that
 * much is tried.
 */
interface Variety {
  readonly containers: readonly (typeof CONTAINERS)[number][];
  readonly masks: readonly number[];
  readonly secrets: number;
  readonly ids: readonly (string | undefined)[];
}

const WIDE: Variety = {
  containers: CONTAINERS,
  masks: MASKS.map((_, index) => index),
  secrets: 6,
  ids: [undefined],
};
const DENSE: Variety = {
  containers: ['/a/', '/a/b/'],
  masks: [0, 1],
  secrets: 2,
  ids: [undefined, undefined, 'id-1'],
};

function operations({ containers, masks, secrets, ids }: Variety) {
  const some = {
    containers: fc.subarray([...containers], { minLength: 1 }),
    mask: fc.constantFrom(...masks),
  };
  const value = { secret: fc.nat(secrets - 1), number: fc.nat(1) };
  const hours = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
  const mostly = fc.constantFrom(true, true, true, false);
  const create = fc.record({
    kind: fc.constant('create' as const),
    id: fc.constantFrom(...ids),
    ...some,
    ...value,
    hours,
    deduplicate: mostly,
    isIndexed: fc.boolean(),
    ownExpression: fc.boolean(),
  });
  const patch = fc.record({
    kind: fc.constant('patch' as const),
    token: fc.nat(),
    patch: fc.record(
      {
        mask: some.mask,
        containers: some.containers,
        value: fc.record(value),
        isIndexed: fc.boolean(),
        ownExpression: fc.boolean(),
        hours,
        deduplicate: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  });
  const change = fc.record({
    kind: fc.constant('patch' as const),
    token: fc.nat(),
    patch: fc.record({ value: fc.record(value), hours }, { requiredKeys: [] }),
  });
  const one = fc.record({
    kind: fc.constantFrom('get' as const, 'detokenize' as const, 'delete' as const, 'search' as const),
    token: fc.nat(),
  });
  const list = fc.record({ kind: fc.constant('list' as const) });
  const replay = fc.record({ kind: fc.constant('replay' as const), answer: fc.nat() });
  const regrant = fc.record({ kind: fc.constant('regrant' as const), grants });
  return fc.oneof(
    { arbitrary: create, weight: 6 },
    { arbitrary: patch, weight: 3 },
    { arbitrary: change, weight: 3 },
    { arbitrary: one, weight: 4 },
    { arbitrary: list, weight: 1 },
    { arbitrary: replay, weight: 4 },
    { arbitrary: regrant, weight: 1 },
  );
}

type Step = ReturnType<typeof operations> extends fc.Arbitrary<infer T> ? T : never;

const histories = (variety: Variety) =>
  fc.record({
    callers,
    steps: fc.array(fc.record({ by: fc.nat(3), operation: operations(variety), wait: fc.nat(2) }), {
      minLength: 10,
      maxLength: 50,
    }),
  });

/**
 * A text that stands nowhere but where it was written. Equal numbers give equal texts, so that
 * duplicates happen.
 */
const secretOf = (number: number) => `secret-${String(number)}-q${String((number + 7) ** 5)}z`;
const OWN_EXPRESSION = '{{ data.n }}';
const INDEX = '{{ data.s }}';
const HOUR = 3_600_000;

interface KeptAnswer {
  readonly caller: number;
  readonly permission: 'token:create' | 'token:update';
  readonly kept: KeptToken;
  readonly neededOn: readonly string[];
  readonly deduplicated: boolean;
  /** The token as it was shown, to tell whether it has changed. */
  readonly revision: number;
  readonly born: number;
}

function run(world: ReturnType<typeof aWallWorld>, given: readonly Caller[]) {
  const all = [...given];
  const model = new Map<string, ModelToken & { readonly born: number }>();
  /** Whoever wrote a secret knows it. */
  const known = all.map(() => new Set<string>());
  const answers: KeptAnswer[] = [];
  let births = 0;

  const alive = () =>
    [...model.values()].filter(({ expiresAtMs }) => expiresAtMs === undefined || expiresAtMs > world.now());
  const nth = (index: number) => alive()[index % Math.max(1, alive().length)];

  /** Fails if an answer holds a text of others that none of the caller's rules shows. */
  function checkTexts(by: number, answer: Json): void {
    const caller = all[by];
    if (caller === undefined) throw new Error('no such caller');
    const text = JSON.stringify(answer);
    const allowed = alive().map((token) =>
      (['token:read', 'token:search', 'token:create'] as const)
        .map((permission) => shownBy(transformOf(caller, permission, token.containers, token.id), token))
        .map((shown) => JSON.stringify(shown ?? null)),
    );
    const mayKnow = (secret: string) =>
      known[by]?.has(secret) === true || allowed.flat().some((shown) => shown.includes(secret));
    for (const { secret } of model.values())
      if (text.includes(secret) && !mayKnow(secret)) throw new Error(`${secret} was shown to ${String(by)}`);
  }

  /** The answer to a write: what it shows of the data, and that there is nothing else. */
  function checkShown(by: number, answer: JsonObject, expected: Json | undefined): void {
    checkTexts(by, answer);
    expect(answer['data']).toEqual(expected);
  }

  function relied(by: Caller, token: ModelToken & { readonly born: number }) {
    if (!isSoleWriter(by, token)) model.set(token.id, { ...token, isShared: true });
  }

  /** A match must be what the caller asked for, in everything that matters to it. */
  function checkMatch(
    token: ModelToken,
    wanted: Omit<ModelToken, 'id' | 'createdBy' | 'isSolelyOwn' | 'isShared' | 'isIndexed' | 'revision'>,
  ) {
    expect([...token.containers].sort()).toEqual([...wanted.containers].sort());
    expect(MASKS[token.mask]?.mask).toEqual(MASKS[wanted.mask]?.mask);
    expect(token.hasOwnExpression).toBe(wanted.hasOwnExpression);
    expect(dataOf(token)).toEqual(dataOf(wanted));
    expect(token.expiresAtMs ?? Infinity).toBeGreaterThanOrEqual(wanted.expiresAtMs ?? Infinity);
  }

  async function create(by: number, caller: Caller, op: Extract<Step, { kind: 'create' }>): Promise<void> {
    const expiresAtMs = op.hours === undefined ? undefined : world.now() + op.hours * HOUR;
    const wanted = {
      secret: secretOf(op.secret),
      number: op.number,
      mask: op.mask,
      containers: op.containers,
      expiresAtMs,
      hasOwnExpression: op.ownExpression,
    };
    known[by]?.add(wanted.secret);
    const transform = transformOf(caller, 'token:create', op.containers);
    const result = await createToken(
      world.deps,
      caller,
      {
        type: 'token',
        ...(op.id !== undefined && { id: op.id }),
        data: new Secret(dataOf(wanted)),
        mask: MASKS[op.mask]?.mask ?? null,
        containers: op.containers,
        deduplicateToken: op.deduplicate,
        ...(op.isIndexed && { searchIndexes: [INDEX] }),
        ...(op.ownExpression && { fingerprintExpression: OWN_EXPRESSION }),
        ...(expiresAtMs !== undefined && { expiresAtText: new Date(expiresAtMs).toISOString() }),
      },
      randomIdentity,
    );
    expect(transform).toBeDefined();
    const found = model.get(result.token.id);
    const answer = presentResult(result);
    if (result.deduplicated) {
      if (found === undefined) throw new Error('a match of nothing');
      checkMatch(found, wanted);
      checkShown(by, answer, shownBy(transformOf(caller, 'token:read', found.containers, found.id), found));
      relied(caller, found);
    } else {
      const isSolelyOwn = caller.type === 'private' && caller.actsBy === 'own_key';
      const born = (births += 1);
      const token = {
        id: result.token.id,
        ...wanted,
        createdBy: caller.applicationId,
        isSolelyOwn,
        isShared: false,
        isIndexed: op.isIndexed,
        revision: 1,
        born,
      };
      model.set(token.id, token);
      checkShown(by, answer, shownBy(transform, token));
    }
    keep(by, 'token:create', result.deduplicated, keepToken(result), op.containers);
  }

  function keep(
    by: number,
    permission: KeptAnswer['permission'],
    deduplicated: boolean,
    kept: KeptToken,
    neededOn: readonly string[],
  ) {
    const token = model.get(kept.id);
    if (token === undefined) return;
    const { revision, born } = token;
    answers.push({ caller: by, permission, kept, neededOn, deduplicated, revision, born });
  }

  async function patch(by: number, caller: Caller, op: Extract<Step, { kind: 'patch' }>): Promise<void> {
    const token = nth(op.token);
    if (token === undefined) return;
    const { mask, containers, value: next, isIndexed, ownExpression, deduplicate }: Patch = op.patch;
    const changesExpiry = Object.hasOwn(op.patch, 'hours');
    const expiresAtMs = op.patch.hours === undefined ? undefined : world.now() + op.patch.hours * HOUR;
    if (next !== undefined) known[by]?.add(secretOf(next.secret));
    const given: TokenPatch = {
      ...(mask !== undefined && { mask: MASKS[mask]?.mask ?? null }),
      ...(containers !== undefined && { containers }),
      ...(next !== undefined && {
        data: new Secret(dataOf({ secret: secretOf(next.secret), number: next.number })),
      }),
      ...(isIndexed !== undefined && { searchIndexes: isIndexed ? [INDEX] : null }),
      ...(ownExpression !== undefined && { fingerprintExpression: ownExpression ? OWN_EXPRESSION : null }),
      ...(deduplicate !== undefined && { deduplicateToken: deduplicate }),
      ...(changesExpiry && {
        expiresAtText: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
      }),
    };
    const changed = {
      ...token,
      ...(mask !== undefined && { mask }),
      ...(containers !== undefined && { containers }),
      ...(next !== undefined && { secret: secretOf(next.secret), number: next.number }),
      ...(isIndexed !== undefined && { isIndexed }),
      ...(ownExpression !== undefined && { hasOwnExpression: ownExpression }),
      ...(changesExpiry && { expiresAtMs }),
      isSolelyOwn: next === undefined ? token.isSolelyOwn : isSoleWriter(caller, token),
      revision: token.revision + 1,
    };
    const transform = least(
      transformOf(caller, 'token:update', token.containers, token.id),
      transformOf(caller, 'token:update', changed.containers, token.id),
    );
    const describes = [mask, containers, isIndexed, ownExpression].some((member) => member !== undefined);
    const mayDescribe = transform === 'reveal' || (isSoleWriter(caller, token) && !token.isShared);
    const breaksMatch =
      changed.secret !== token.secret ||
      changed.number !== token.number ||
      changed.expiresAtMs !== token.expiresAtMs;
    const isAllowed =
      transform !== undefined &&
      (!describes || mayDescribe) &&
      (!token.isShared || !breaksMatch || transform === 'reveal');
    let result;
    try {
      result = await updateToken(world.deps, caller, { id: token.id, patch: given }, randomIdentity);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      // A change that breaks nothing but is one of a mask's kind counts for a match as well.
      expect(isAllowed).toBe(false);
      return;
    }
    expect(isAllowed).toBe(true);
    const answer = presentResult(result);
    const found = result.deduplicated ? model.get(result.token.id) : changed;
    if (found === undefined) throw new Error('a match of nothing');
    if (result.deduplicated) {
      checkMatch(found, changed);
      relied(caller, found);
    } else model.set(token.id, changed);
    const read = transformOf(caller, 'token:read', found.containers, found.id);
    checkShown(by, answer, shownBy(result.deduplicated ? read : least(transform, read), found));
    if (read === undefined) {
      const hidden = ['data', 'metadata', 'fingerprint', 'fingerprint_expression', 'search_indexes', 'mask'];
      expect(hidden.filter((member) => Object.hasOwn(answer, member))).toEqual([]);
    }
    keep(by, 'token:update', result.deduplicated, keepToken(result), [
      ...token.containers,
      ...changed.containers,
    ]);
  }

  async function replay(by: number, op: Extract<Step, { kind: 'replay' }>): Promise<void> {
    const own = answers.filter((answer) => answer.caller === by);
    const answer = own[op.answer % Math.max(1, own.length)];
    const caller = all[by];
    if (answer === undefined || caller === undefined) return;
    const { permission, kept, neededOn, deduplicated, revision, born } = answer;
    const needed = transformOf(
      caller,
      permission,
      neededOn,
      permission === 'token:create' ? undefined : kept.id,
    );
    const token = model.get(kept.id);
    const isThere = token?.born === born && alive().includes(token);
    let result;
    try {
      result = await replayToken(world.deps, caller, permission, kept);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(error.code).toBe(needed === undefined ? 'forbidden' : 'not_found');
      expect(needed === undefined || !isThere).toBe(true);
      return;
    }
    if (!isThere || needed === undefined)
      throw new Error('a replay of what is gone, or without its permission');
    const read = transformOf(caller, 'token:read', token.containers, token.id);
    const isFirst = token.revision === revision && permission === 'token:create' && !deduplicated;
    checkShown(
      by,
      presentResult(result),
      shownBy(isFirst ? needed : deduplicated ? read : least(needed, read), token),
    );
  }

  async function search(caller: Caller, op: Extract<Step, { token: number }>): Promise<void> {
    const token = nth(op.token);
    if (token === undefined) return;
    const page = await searchTokens(world.deps, caller, `data:"${token.secret}"`, {
      kind: 'numbered',
      page: 1,
      size: 100,
    });
    const expected = alive().filter(
      (other) =>
        other.isIndexed &&
        other.secret === token.secret &&
        shownBy(transformOf(caller, 'token:search', other.containers, other.id), other) !== undefined,
    );
    expect(page.items.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    expect(page.info.counted?.items).toBe(expected.length);
    // Who searches knows what it has found by; all else of the answer is checked.
    for (const item of page.items) {
      const found = model.get(item.id);
      if (found === undefined) throw new Error('found what is not there');
      const transform = transformOf(caller, 'token:search', found.containers, found.id);
      expect(tokenObject(item)['data']).toEqual(shownBy(transform, found));
    }
  }

  async function list(by: number, caller: Caller): Promise<void> {
    const page = await listTokens(
      world.deps,
      caller,
      { ids: [], metadata: [] },
      { kind: 'numbered', page: 1, size: 100 },
    );
    const readable = alive().filter(
      ({ containers, id }) => transformOf(caller, 'token:read', containers, id) !== undefined,
    );
    expect(page.items.map(({ id }) => id).sort()).toEqual(readable.map(({ id }) => id).sort());
    for (const item of page.items) {
      const token = model.get(item.id);
      if (token === undefined) throw new Error('listed what is not there');
      const transform = transformOf(caller, 'token:read', token.containers, token.id);
      checkShown(by, tokenObject(item), shownBy(transform, token));
    }
  }

  async function read(
    by: number,
    caller: Caller,
    token: ModelToken,
    kind: 'get' | 'detokenize',
  ): Promise<void> {
    const transform = transformOf(caller, 'token:read', token.containers, token.id);
    const expected = shownBy(transform, token);
    if (kind === 'get') {
      const stored = await world.deps.tokenStore.find(caller.tenantId, token.id);
      const answer = tokenObject(await getToken(world.deps, caller, stored));
      expect(transform).toBeDefined();
      checkShown(by, answer, expected);
      return;
    }
    const whole = `{{ token: ${token.id} }}`;
    const filled = (await detokenize(world.deps, caller, [`{{ ${token.id} }}`, whole])).reveal();
    expect(transform).toBeDefined();
    checkTexts(by, filled);
    const [data, object] = filled as readonly Json[];
    expect(data).toEqual(expected ?? null);
    expect(isJsonObject(object) && object['data']).toEqual(expected);
  }

  async function step(by: number, op: Step): Promise<void> {
    const caller = all[by];
    if (caller === undefined) return;
    if (op.kind === 'create') return create(by, caller, op);
    if (op.kind === 'patch') return patch(by, caller, op);
    if (op.kind === 'replay') return replay(by, op);
    if (op.kind === 'list') return list(by, caller);
    if (op.kind === 'regrant') {
      all[by] = { ...caller, ...op.grants };
      return;
    }
    const token = nth(op.token);
    if (token === undefined) return;
    if (op.kind === 'get' || op.kind === 'detokenize') return read(by, caller, token, op.kind);
    if (op.kind === 'search') return search(caller, op);
    await deleteToken(world.deps, caller, token.id);
    model.delete(token.id);
  }

  return { step };
}

describe('callers of one tenant', () => {
  it.each([
    ['much', WIDE, 100],
    ['what meets', DENSE, 200],
  ])(
    'see and change of tokens of one another what a naive reading of the rules lets them, when they write %s',
    async (_title, variety, numRuns) => {
      await fc.assert(
        fc.asyncProperty(histories(variety), async ({ callers: given, steps }) => {
          const world = aWallWorld();
          const { step } = run(world, given);
          for (const { by, operation: next, wait } of steps) {
            try {
              await step(by, next);
            } catch (error) {
              const code = error instanceof ServiceError ? error.code : undefined;
              // A literal id that is taken: there is nothing more to say of it.
              if (code !== 'forbidden' && !(code === 'conflict' && next.kind === 'create')) throw error;
            }
            world.pass(wait * HOUR * 0.4);
          }
        }),
        { numRuns: cases(numRuns) },
      );
    },
  );
});
