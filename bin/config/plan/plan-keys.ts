import type { JsonObject } from '../../../src/core/shared/json.ts';
import type {
  Address,
  DesiredKey,
  Difference,
  Gives,
  KeyAddress,
  Live,
  LiveKey,
  PlannedKey,
} from '../model.ts';
import { picked, textIn } from './bodies.ts';
import { differencesOf } from './compare.ts';
import { ofService, type NameOf } from './compared.ts';
import { provesLess } from './judges.ts';
import { unknownMembers } from './live-members.ts';
import { KEY } from './members.ts';
import { normalKey, type Report } from './normal.ts';

/** An owner of keys, with what the file and the service say of them. */
export interface KeysInput {
  readonly address: Address;
  readonly desired: readonly DesiredKey[];
  readonly live: readonly LiveKey[];
  readonly removed: readonly (Address | KeyAddress)[];
  readonly keyTargets: Live['keyTargets'];
  readonly readAt: string;
  /** Names an application in words. */
  readonly nameOf: NameOf;
}

export interface PlannedKeys {
  readonly steps: readonly PlannedKey[];
  /** Living keys that the file neither names nor removes. */
  readonly unnamed: readonly LiveKey[];
  /** Counts the living keys after the plan. */
  readonly livingAfter: number;
  /** Why a holder of the present keys may have less afterwards; empty if none has. */
  readonly narrowed: readonly string[];
}

const idOf = ({ body }: LiveKey): string => textIn(body, 'id') ?? '';
const nameOf = ({ body }: LiveKey): string | undefined => textIn(body, 'name');

const hasEnded = (end: string | undefined, readAt: string): boolean =>
  end !== undefined && Date.parse(end) <= Date.parse(readAt);

/** Keys that are not over. */
export const livingKeys = (keys: readonly LiveKey[], readAt: string): readonly LiveKey[] =>
  keys.filter(({ body }) => !hasEnded(textIn(body, 'expires_at'), readAt));

/** A key in words, which tell it from others of the same name. */
export function titleOfKey(key: LiveKey, nameOfCreator: NameOf): string {
  const { body } = key;
  const creator = textIn(body, 'created_by');
  return `${nameOf(key) ?? 'without a name'} (ends in ${textIn(body, 'hint') ?? '?'}, id ${idOf(key)}${creator === undefined ? '' : `, made by ${nameOfCreator(creator)}`})`;
}

const MEMBERS = ['name', 'expires_at', 'source_addresses'] as const;

/** Returns what the file states of a key. One that is only named states no more than its id. */
function statedIn({ name, expires_at: expiresAt, source_addresses: networks, id }: DesiredKey): JsonObject {
  const stated = {
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(networks !== undefined && { source_addresses: networks }),
  };
  return id === undefined ? { source_addresses: [], ...stated } : stated;
}

interface Compared {
  readonly differences: readonly Difference[];
  readonly isNarrower: boolean;
}

/** Compares a living key with its entry. */
function compare(entry: DesiredKey, live: LiveKey, report: Report): Compared {
  const stated = statedIn(entry);
  const wanted = normalKey(stated, report);
  const has = normalKey(picked(live.body, MEMBERS), ofService(report));
  if (wanted === undefined || has === undefined) return { differences: [], isNarrower: false };
  const names = entry.id === undefined ? MEMBERS : Object.keys(stated);
  const before = picked(has, names);
  const after = picked(wanted, names);
  const differences = differencesOf({ members: KEY, before, after, nameOf: (id) => id });
  const isNarrower = differences.some(
    ({ path }) =>
      (path === 'expires_at' && !provesLess('end', after[path], before[path])) ||
      (path === 'source_addresses' && !provesLess('networks', after[path], before[path])),
  );
  return { differences, isNarrower };
}

/** How an entry meets the living keys. */
interface Met {
  /** The key whose text the target has, or that the entry names by its id. */
  readonly key?: LiveKey;
  /** Whether it cannot be known which key the target has. */
  readonly isUnknown: boolean;
}

function meet(entry: DesiredKey, living: readonly LiveKey[], input: KeysInput, report: Report): Met {
  if (entry.id !== undefined) {
    const key = living.find((each) => idOf(each) === entry.id);
    if (key === undefined) report(`keys name ${entry.id}, which is no living key`);
    return { ...(key !== undefined && { key }), isUnknown: false };
  }
  const target = input.keyTargets.get(`${input.address}/${entry.name ?? ''}`) ?? { state: 'unknown' };
  if (target.state === 'unknown') {
    const key = living.find((each) => nameOf(each) === entry.name);
    return { ...(key !== undefined && { key }), isUnknown: true };
  }
  const stored = target.state === 'stored' ? target.key_id : undefined;
  const key = living.find((each) => idOf(each) === stored);
  return { ...(key !== undefined && { key }), isUnknown: false };
}

const givesOf = (differences: readonly Difference[]): Gives =>
  differences.some(({ gives }) => gives === 'more') ? 'more' : 'less or same';

/** The members that a new key gets, all of them new. */
function differencesOfNew(entry: DesiredKey, report: Report): readonly Difference[] {
  const wanted = normalKey(statedIn(entry), report) ?? {};
  const before = { source_addresses: [] };
  return differencesOf({ members: KEY, before, after: wanted, nameOf: (id) => id }).map((difference) => ({
    ...difference,
    gives: 'more',
  }));
}

function stepOf(
  entry: DesiredKey,
  living: readonly LiveKey[],
  input: KeysInput,
  report: Report,
): { readonly step: PlannedKey; readonly used: readonly LiveKey[]; readonly narrowed: readonly string[] } {
  const { key, isUnknown } = meet(entry, living, input, report);
  const named = entry.name === undefined ? {} : { name: entry.name };
  const to = entry.to === undefined ? {} : { to: entry.to };
  if (key !== undefined) {
    const { differences, isNarrower } = compare(entry, key, report);
    const step = differences.length > 0 ? 'change' : isUnknown ? 'unknown' : 'none';
    const planned: PlannedKey = {
      step,
      ...named,
      id: idOf(key),
      etag: key.etag,
      ...(isUnknown && { title: titleOfKey(key, input.nameOf) }),
      replaces: [],
      ...to,
      differences,
      gives: givesOf(differences),
    };
    return {
      step: planned,
      used: [key],
      narrowed: isNarrower ? [`narrows its key ${titleOfKey(key, input.nameOf)}`] : [],
    };
  }
  // The key of an entry whose end has passed is over, and no other one is made.
  if (entry.to === undefined || hasEnded(entry.expires_at, input.readAt))
    return {
      step: { step: 'none', ...named, replaces: [], ...to, differences: [], gives: 'less or same' },
      used: [],
      narrowed: [],
    };
  const replaced = living.filter((each) => nameOf(each) === entry.name);
  const planned: PlannedKey = {
    step: replaced.length > 0 ? 'replace' : 'create',
    ...named,
    replaces: replaced.map((each) => ({ id: idOf(each), etag: each.etag })),
    ...to,
    differences: differencesOfNew(entry, report),
    gives: 'more',
  };
  const narrowed = replaced.map((each) => `replaces its key ${titleOfKey(each, input.nameOf)}`);
  return { step: planned, used: replaced, narrowed };
}

/** The names and ids of keys of this owner that `removed` has. */
function removedOf({ address, removed }: KeysInput): readonly string[] {
  const prefix = `keys/${address}/`;
  return removed.flatMap((each) => (each.startsWith(prefix) ? [each.slice(prefix.length)] : []));
}

/** Checks the entries, each of which is a key of its own. */
function checkEntries(desired: readonly DesiredKey[], removed: readonly string[], report: Report): void {
  const seen = new Set<string>();
  for (const { name, id, to } of desired) {
    if (to === undefined && id === undefined) report('keys has an entry without `to` and without `id`');
    if (to !== undefined && name === undefined) report('keys has an entry with `to` and without `name`');
    for (const text of [name, id].filter((each) => each !== undefined)) {
      if (seen.has(text)) report(`keys has ${text} twice`);
      seen.add(text);
      if (removed.includes(text)) report(`keys has ${text}, which is removed`);
    }
  }
}

/**
 * The names of entries whose target has a living key. Another living key of the name is one that an
 * apply made and could not delete before it was stopped.
 */
const doubledNames = (
  planned: readonly { readonly step: PlannedKey }[],
  { address, keyTargets }: KeysInput,
): readonly string[] =>
  planned.flatMap(({ step: { name = '', id, to } }) => {
    const target = keyTargets.get(`${address}/${name}`);
    return to !== undefined && id !== undefined && target?.state === 'stored' ? [name] : [];
  });

/** Plans the keys of an application or a proxy. */
export function planKeys(input: KeysInput, report: Report): PlannedKeys {
  const removed = removedOf(input);
  checkEntries(input.desired, removed, report);
  for (const { body } of input.live)
    for (const path of unknownMembers(KEY, body))
      report(`its keys have a member that this command does not know: ${path}`);
  const living = livingKeys(input.live, input.readAt);
  const planned = input.desired.map((entry) => stepOf(entry, living, input, report));
  const used = new Set(planned.flatMap((each) => each.used));
  const doubled = doubledNames(planned, input);
  const leaving = living.filter(
    (key) =>
      !used.has(key) && (removed.includes(idOf(key)) || [...removed, ...doubled].includes(nameOf(key) ?? '')),
  );
  const deletions = leaving.map((key): PlannedKey => {
    const name = nameOf(key);
    return {
      step: 'delete',
      ...(name !== undefined && { name }),
      id: idOf(key),
      etag: key.etag,
      replaces: [],
      differences: [],
      gives: 'less or same',
    };
  });
  const gone = planned.flatMap(({ step }) => step.replaces).length + leaving.length;
  const made = planned.filter(({ step: { step } }) => step === 'create' || step === 'replace').length;
  return {
    steps: [...planned.map(({ step }) => step), ...deletions],
    unnamed: living.filter((key) => !used.has(key) && !leaving.includes(key)),
    livingAfter: living.length - gone + made,
    narrowed: [
      ...planned.flatMap((each) => each.narrowed),
      ...leaving.map((key) => `deletes its key ${titleOfKey(key, input.nameOf)}`),
    ],
  };
}
