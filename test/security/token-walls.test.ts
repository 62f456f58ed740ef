import type { Transform } from '../../src/core/access/access-rule.ts';
import type { Caller } from '../../src/core/access/caller.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/shared/json.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import { ServiceError } from '../../src/core/shared/service-error.ts';
import { randomIdentity } from '../../src/core/shared/write-identity.ts';
import { createToken } from '../../src/core/tokens/create-tokens.ts';
import { deleteToken } from '../../src/core/tokens/delete-token.ts';
import { detokenize } from '../../src/core/tokens/detokenize.ts';
import { getToken } from '../../src/core/tokens/get-token.ts';
import { tokenReplayOf, replayToken, type TokenReplay } from '../../src/core/tokens/token-replay.ts';
import { listTokens } from '../../src/core/tokens/list-tokens.ts';
import { searchTokens } from '../../src/core/tokens/search-tokens.ts';
import { tokenObject } from '../../src/core/tokens/token-object.ts';
import type { TokenPatch } from '../../src/core/tokens/token-input.ts';
import { updateToken } from '../../src/core/tokens/update-token.ts';
import { presentResult } from '../../src/wire/token.ts';
import { cases, fc } from '../../packages/test-kit/src/properties.ts';
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
import { machinePlatform } from '../../src/adapters/machine-platform.ts';

/*
 * docs/security.md#invariants-between-callers: random callers act on one another's tokens. A naive
 * model predicts each response: permitted or not, the data, and no other text by other callers.
 */

/** The content of a patch: indexes into the choices of the model, and flags. */
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
 * How many different values the callers write: few, so that their tokens match; many, so that many
 * cases are tested.
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
  /** A request asks to see at most this. */
  const view = fc.oneof(
    fc.constant({}),
    fc.record({ atMost: fc.constantFrom('mask' as const, 'redact' as const) }),
  );
  const create = fc.record({
    kind: fc.constant('create' as const),
    id: fc.constantFrom(...ids),
    ...some,
    ...value,
    hours,
    deduplicate: mostly,
    isIndexed: fc.boolean(),
    ownExpression: fc.boolean(),
    view,
  });
  const patch = fc.record({
    kind: fc.constant('patch' as const),
    token: fc.nat(),
    view,
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
    view,
    patch: fc.record({ value: fc.record(value), hours }, { requiredKeys: [] }),
  });
  const one = fc.record({
    kind: fc.constantFrom('get' as const, 'detokenize' as const, 'search' as const),
    token: fc.nat(),
    view,
  });
  const removal = fc.record({ kind: fc.constant('delete' as const), token: fc.nat() });
  const list = fc.record({
    kind: fc.constant('list' as const),
    view,
    container: fc.option(fc.constantFrom(...CONTAINERS), { nil: undefined }),
  });
  const replay = fc.record({ kind: fc.constant('replay' as const), answer: fc.nat(), view });
  const regrant = fc.record({ kind: fc.constant('regrant' as const), grants });
  return fc.oneof(
    { arbitrary: create, weight: 6 },
    { arbitrary: patch, weight: 3 },
    { arbitrary: change, weight: 3 },
    { arbitrary: one, weight: 3 },
    { arbitrary: removal, weight: 1 },
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
 * A text that occurs only where it was written. Equal numbers result in equal texts, so that there
 * are duplicates.
 */
const secretOf = (number: number) => `secret-${String(number)}-q${String((number + 7) ** 5)}z`;
const OWN_EXPRESSION = '{{ data.n }}';
const INDEX = '{{ data.s }}';
const HOUR = 3_600_000;

interface StoredResponse {
  readonly caller: number;
  readonly permission: 'token:create' | 'token:update';
  readonly replayData: TokenReplay;
  readonly neededOn: readonly string[];
  readonly deduplicated: boolean;
  /** The revision that was shown, to detect a change. */
  readonly revision: number;
  readonly born: number;
}

function run(world: ReturnType<typeof aWallWorld>, input: readonly Caller[]) {
  const all = [...input];
  const model = new Map<string, ModelToken & { readonly born: number }>();
  /** The secrets that each caller wrote, and so knows. */
  const known = all.map(() => new Set<string>());
  const responses: StoredResponse[] = [];
  /** Every id that a token ever had. */
  const named = new Set<string>();
  let births = 0;

  const alive = () =>
    [...model.values()].filter(({ expiresAtMs }) => expiresAtMs === undefined || expiresAtMs > world.now());
  const nth = (index: number) => alive()[index % Math.max(1, alive().length)];

  /** Fails if a response contains a text by others that none of the caller's rules shows. */
  function checkTexts(by: number, response: Json): void {
    const caller = all[by];
    if (caller === undefined) throw new Error('no such caller');
    const text = JSON.stringify(response);
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

  /** The response to a write: the data that it shows, and that it has nothing else. */
  function checkShown(by: number, response: JsonObject, expected: Json | undefined): void {
    checkTexts(by, response);
    expect(response['data']).toEqual(expected);
  }

  /** A view that redacts has nothing that can be compared with another token. */
  function checkComparable(response: JsonObject, transform: Transform | undefined): void {
    expect(Object.hasOwn(response, 'fingerprint')).toBe(transform !== 'redact');
  }

  /** A writer that asks for redacted tokens gets nothing to compare, not even of its own data. */
  function checkWritten({ atMost }: Caller, response: JsonObject): void {
    if (atMost === 'redact') checkComparable(response, 'redact');
  }

  function relied(by: Caller, token: ModelToken & { readonly born: number }) {
    if (!isSoleWriter(by, token)) model.set(token.id, { ...token, isShared: true });
  }

  /** A match must have all properties that the caller asked for and relies on. */
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
      randomIdentity(machinePlatform.random),
    );
    expect(transform).toBeDefined();
    const found = model.get(result.token.id);
    const response = presentResult(result);
    checkWritten(caller, response);
    if (result.deduplicated) {
      if (found === undefined) throw new Error('a match of nothing');
      checkMatch(found, wanted);
      checkShown(by, response, shownBy(transformOf(caller, 'token:read', found.containers, found.id), found));
      relied(caller, found);
    } else {
      const isSolelyOwn = caller.type === 'private' && caller.actsBy === 'own_key';
      const born = (births += 1);
      // An id names one token for ever.
      expect(named.has(result.token.id)).toBe(false);
      named.add(result.token.id);
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
      checkShown(by, response, shownBy(transform, token));
    }
    keep(by, 'token:create', result.deduplicated, tokenReplayOf(result), op.containers);
  }

  function keep(
    by: number,
    permission: StoredResponse['permission'],
    deduplicated: boolean,
    replayData: TokenReplay,
    neededOn: readonly string[],
  ) {
    const token = model.get(replayData.id);
    if (token === undefined) return;
    const { revision, born } = token;
    responses.push({ caller: by, permission, replayData, neededOn, deduplicated, revision, born });
  }

  /** The view that a caller asks for decides its response, and nothing of what it may write. */
  async function patch(by: number, caller: Caller, op: Extract<Step, { kind: 'patch' }>): Promise<void> {
    const viewer = { ...caller, ...op.view };
    const token = nth(op.token);
    if (token === undefined) return;
    const { mask, containers, value: next, isIndexed, ownExpression, deduplicate }: Patch = op.patch;
    const changesExpiry = Object.hasOwn(op.patch, 'hours');
    const expiresAtMs = op.patch.hours === undefined ? undefined : world.now() + op.patch.hours * HOUR;
    if (next !== undefined) known[by]?.add(secretOf(next.secret));
    const input: TokenPatch = {
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
    // Also data that changes nothing: the response would confirm a guess.
    const breaksMatch = next !== undefined || changed.expiresAtMs !== token.expiresAtMs;
    const mayMatch = transform === 'reveal' || isSoleWriter(caller, token);
    const endsEarlier = changesExpiry && (expiresAtMs ?? Infinity) < (token.expiresAtMs ?? Infinity);
    const isCreator =
      caller.type === 'private' && caller.actsBy === 'own_key' && token.createdBy === caller.applicationId;
    const mayEnd = isCreator || transformOf(caller, 'token:delete', token.containers, token.id) !== undefined;
    const isAllowed =
      transform !== undefined &&
      (!endsEarlier || mayEnd) &&
      (!describes || mayDescribe) &&
      (deduplicate !== true || mayMatch) &&
      (!token.isShared || !breaksMatch || transform === 'reveal');
    let result;
    try {
      result = await updateToken(
        world.deps,
        viewer,
        { id: token.id, patch: input },
        randomIdentity(machinePlatform.random),
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      expect(isAllowed).toBe(false);
      return;
    }
    expect(isAllowed).toBe(true);
    const response = presentResult(result);
    const found = result.deduplicated ? model.get(result.token.id) : changed;
    if (found === undefined) throw new Error('a match of nothing');
    if (result.deduplicated) {
      checkMatch(found, changed);
      relied(caller, found);
    } else model.set(token.id, changed);
    const read = transformOf(viewer, 'token:read', found.containers, found.id);
    checkShown(by, response, shownBy(result.deduplicated ? read : least(transform, read), found));
    checkWritten(viewer, response);
    if (read === undefined) {
      const hidden = ['data', 'metadata', 'fingerprint', 'fingerprint_expression', 'search_indexes', 'mask'];
      expect(hidden.filter((member) => Object.hasOwn(response, member))).toEqual([]);
    }
    keep(by, 'token:update', result.deduplicated, tokenReplayOf(result), [
      ...token.containers,
      ...changed.containers,
    ]);
  }

  async function replay(by: number, op: Extract<Step, { kind: 'replay' }>): Promise<void> {
    const own = responses.filter((response) => response.caller === by);
    const response = own[op.answer % Math.max(1, own.length)];
    if (response === undefined || all[by] === undefined) return;
    const caller: Caller = { ...all[by], ...op.view };
    const { permission, replayData, neededOn, deduplicated, revision, born } = response;
    const needed = transformOf(
      caller,
      permission,
      neededOn,
      permission === 'token:create' ? undefined : replayData.id,
    );
    const token = model.get(replayData.id);
    const isThere = token?.born === born && alive().includes(token);
    let result;
    try {
      result = await replayToken(world.deps, caller, permission, replayData);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      expect(error.code).toBe(needed === undefined ? 'forbidden' : 'not_found');
      expect(needed === undefined || !isThere).toBe(true);
      return;
    }
    if (!isThere || needed === undefined)
      throw new Error('a replay of a deleted token, or without its permission');
    const read = transformOf(caller, 'token:read', token.containers, token.id);
    const isFirst = token.revision === revision && permission === 'token:create' && !deduplicated;
    checkWritten(caller, presentResult(result));
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
    // A search reveals its own terms to the caller; everything else in the response is checked.
    for (const item of page.items) {
      const found = model.get(item.id);
      if (found === undefined) throw new Error('found what is not there');
      const transform = transformOf(caller, 'token:search', found.containers, found.id);
      expect(tokenObject(item)['data']).toEqual(shownBy(transform, found));
      checkComparable(tokenObject(item), transform);
    }
  }

  async function list(by: number, caller: Caller, container: string | undefined): Promise<void> {
    const page = await listTokens(
      world.deps,
      caller,
      { ids: [], metadata: [], ...(container !== undefined && { container }) },
      { kind: 'numbered', page: 1, size: 100 },
    );
    const readable = alive().filter(
      ({ containers, id }) =>
        transformOf(caller, 'token:read', containers, id) !== undefined &&
        containers.some((each) => each.startsWith(container ?? '/')),
    );
    expect(page.info.counted?.items).toBe(readable.length);
    expect(page.items.map(({ id }) => id).sort()).toEqual(readable.map(({ id }) => id).sort());
    for (const item of page.items) {
      const token = model.get(item.id);
      if (token === undefined) throw new Error('listed what is not there');
      const transform = transformOf(caller, 'token:read', token.containers, token.id);
      checkShown(by, tokenObject(item), shownBy(transform, token));
      checkComparable(tokenObject(item), transform);
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
      const response = tokenObject(await getToken(world.deps, caller, token.id));
      expect(transform).toBeDefined();
      checkShown(by, response, expected);
      checkComparable(response, transform);
      return;
    }
    const whole = `{{ token: ${token.id} }}`;
    const filled = (await detokenize(world.deps, caller, [`{{ ${token.id} }}`, whole])).reveal();
    expect(transform).toBeDefined();
    checkTexts(by, filled);
    const [data, object] = filled as readonly Json[];
    expect(data).toEqual(expected ?? null);
    if (!isJsonObject(object ?? null)) throw new Error('no Token object');
    expect((object as JsonObject)['data']).toEqual(expected);
    checkComparable(object as JsonObject, transform);
  }

  async function step(by: number, op: Step): Promise<void> {
    const caller = all[by];
    if (caller === undefined) return;
    if (op.kind === 'create') return create(by, { ...caller, ...op.view }, op);
    if (op.kind === 'patch') return patch(by, caller, op);
    if (op.kind === 'replay') return replay(by, op);
    if (op.kind === 'list') return list(by, { ...caller, ...op.view }, op.container);
    if (op.kind === 'regrant') {
      all[by] = { ...caller, ...op.grants };
      return;
    }
    const token = nth(op.token);
    if (token === undefined) return;
    if (op.kind !== 'delete') {
      const viewer = { ...caller, ...op.view };
      return op.kind === 'search' ? search(viewer, op) : read(by, viewer, token, op.kind);
    }
    await deleteToken(world.deps, caller, token.id);
    model.delete(token.id);
  }

  return { step };
}

describe('callers of one tenant', () => {
  it.each([
    ['many values', WIDE, 50],
    ['few values', DENSE, 100],
  ])(
    'see and change tokens of one another exactly as a naive reading of the rules permits, when they write %s',
    async (_title, variety, numRuns) => {
      await fc.assert(
        fc.asyncProperty(histories(variety), async ({ callers: input, steps }) => {
          const world = aWallWorld();
          const { step } = run(world, input);
          for (const { by, operation: next, wait } of steps) {
            try {
              await step(by, next);
            } catch (error) {
              const code = error instanceof ServiceError ? error.code : undefined;
              // A literal id may be in use: that conflict needs no further check.
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
