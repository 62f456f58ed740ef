import {
  KINDS,
  type Address,
  type Desired,
  type DesiredKey,
  type Difference,
  type Gives,
  type Live,
  type LiveResource,
  type Plan,
  type PlannedResource,
  type Problem,
} from '../model.ts';
import { NO_GRANTS } from '../../../src/core/access/changed-grants.ts';
import type { JsonObject } from '../../../src/core/shared/json.ts';
import { referencesOf } from '../apply/bodies.ts';
import { textIn } from './bodies.ts';
import { compareApplications, effectsOf, liveApplication } from './compare-applications.ts';
import { compareProxies } from './compare-proxies.ts';
import { compareReactors, hashOfReactor, liveReactor, normalReactor } from './compare-reactors.ts';
import { NOTHING, type Compared } from './compared.ts';
import {
  addressOf,
  identify,
  indexOf,
  namesOf,
  type Identified,
  type LiveIndex,
  type Names,
  type Refuse,
  type Removed,
  leftIn,
} from './identify.ts';
import { unknownIn } from './live-members.ts';
import { lockoutOf, managingNow, type Managing } from './lockout.ts';
import { checkNewEnd, normalApplication, type Report } from './normal.ts';
import { notesOfRemoved, notesOfStopped, notesOfTenant } from './notes.ts';
import { planKeys, titleOfKey, type PlannedKeys } from './plan-keys.ts';
import { planTenant } from './plan-tenant.ts';
import { newerThan } from './service-version.ts';
import { wantedApplication, wantedProxy, wantedReactor, type Resolver } from './wanted.ts';

/** Everything that the plans of the entries share. */
interface Planning {
  readonly desired: Desired;
  readonly live: Live;
  readonly index: LiveIndex;
  readonly names: Names;
  readonly reportAt: (address: Address) => Report;
  /** Has each reactor of the file after the plan, by id. */
  readonly reactors: ReadonlyMap<string, JsonObject>;
}

/** One entry with its plan, and what the plans of others need of it. */
interface PlannedEntry {
  readonly entry: Identified;
  readonly resource: PlannedResource;
  readonly keys: PlannedKeys;
  /** An application has these permissions afterwards. */
  readonly permissions: readonly string[];
}

const resolverOf = ({ names, index, reportAt }: Planning, address: Address): Resolver => ({
  names,
  exists: (kind, id) => index.byId(kind, id) !== undefined,
  report: reportAt(address),
});

/** The hash of a reactor's code after the plan: of the file, or as the service has it. */
function hashOf({ reactors, index }: Planning, id: string): string | undefined {
  const planned = reactors.get(id);
  if (planned !== undefined) return hashOfReactor(planned);
  const live = index.byId('reactors', id);
  return live === undefined ? undefined : hashOfReactor(liveReactor(live));
}

const entryIn = <Entry>(entries: ReadonlyMap<string, Entry>, { name, address }: Identified): Entry => {
  const found = entries.get(name);
  if (found === undefined) throw new Error(`plan: no entry ${address}`);
  return found;
};

interface ComparedEntry extends Compared {
  readonly keys: readonly DesiredKey[];
  readonly permissions: readonly string[];
}

function compareApplication(planning: Planning, entry: Identified): ComparedEntry {
  const { desired, live, names } = planning;
  const report = planning.reportAt(entry.address);
  const wanted = entryIn(desired.applications, entry);
  const after = normalApplication(wantedApplication(wanted, resolverOf(planning, entry.address)), report);
  const before = entry.live && liveApplication(entry.live, report);
  const { keys } = wanted;
  if (after === undefined || (entry.live !== undefined && before === undefined))
    return { ...NOTHING, keys, permissions: [] };
  if (before === undefined) checkNewEnd(after, live.read_at, report);
  const compared = compareApplications(before, after, { nameOf: names.nameOf, report });
  return { ...compared, keys, permissions: after.grants.permissions };
}

function compareEntry(planning: Planning, entry: Identified): ComparedEntry {
  const { desired, names } = planning;
  const report = planning.reportAt(entry.address);
  const around = { nameOf: names.nameOf, report, hashOf: (id: string) => hashOf(planning, id) };
  const resolver = resolverOf(planning, entry.address);
  switch (entry.kind) {
    case 'applications':
      return compareApplication(planning, entry);
    case 'proxies': {
      const wanted = entryIn(desired.proxies, entry);
      const body = wantedProxy(wanted, resolver);
      const compared = compareProxies(entry.live, body, wanted.configuration, around);
      return { ...compared, keys: wanted.keys, permissions: [] };
    }
    case 'reactors': {
      const wanted = entryIn(desired.reactors, entry);
      const after = planning.reactors.get(names.idOfEntry(entry)) ?? {};
      const body = wantedReactor(wanted, resolver);
      const compared = compareReactors(entry.live, { entry: wanted, body }, after, around);
      return { ...compared, keys: [], permissions: [] };
    }
  }
}

/** Writing the name is a difference too. */
function differenceOfName({ how, address, from }: Identified, namespace: string): readonly Difference[] {
  if (how !== 'adopt' && how !== 'rename') return [];
  const external = (of: Address) => `${namespace}/${of.slice(of.indexOf('/') + 1)}`;
  const before = from === undefined ? '' : `${external(from)} -> `;
  return [{ path: 'external_id', words: `${before}${external(address)}`, gives: 'less or same' }];
}

function actionOf({ how }: Identified, differences: readonly Difference[]): PlannedResource['action'] {
  if (how !== 'keep') return how;
  return differences.length > 0 ? 'update' : 'none';
}

const isMore = ({ gives }: { readonly gives: Gives }): boolean => gives === 'more';

/** Says which keys the file does not name. Their holders may do what the resource may do. */
const notesOfKeys = ({ unnamed }: PlannedKeys, { nameOf }: Names): readonly string[] =>
  unnamed.map((key) => `has a key that the file does not name: ${titleOfKey(key, nameOf)}`);

function planEntry(planning: Planning, entry: Identified): PlannedEntry {
  const { desired, live } = planning;
  const report = planning.reportAt(entry.address);
  const compared = compareEntry(planning, entry);
  const keys = planKeys(
    {
      address: entry.address,
      desired: compared.keys,
      live: entry.live?.keys ?? [],
      removed: desired.removed,
      keyTargets: live.keyTargets,
      readAt: live.read_at,
      nameOf: planning.names.nameOf,
    },
    report,
  );
  const isAllMore = entry.how === 'create' || keys.unnamed.length > 0;
  const differences = [...differenceOfName(entry, desired.namespace), ...compared.differences].map(
    (difference): Difference => (isAllMore ? { ...difference, gives: 'more' } : difference),
  );
  const gives =
    entry.how === 'create' || [...differences, ...compared.effects, ...keys.steps].some(isMore)
      ? 'more'
      : 'less or same';
  const resource: PlannedResource = {
    address: entry.address,
    action: actionOf(entry, differences),
    ...(entry.live !== undefined && { id: entry.live.id, etag: entry.live.etag }),
    ...(entry.from !== undefined && { from: entry.from }),
    differences,
    effects: compared.effects,
    keys: keys.steps,
    notes: [...notesOfKeys(keys, planning.names), ...notesOfStoppedBy(planning, entry, compared)],
    gives,
  };
  return { entry, resource, keys, permissions: compared.permissions };
}

const RUNS: readonly string[] = ['code', 'runtime.image', 'runtime.bundle_digest'];

/** Names the proxies that no entry writes again, if the code that they run changes. */
function notesOfStoppedBy(planning: Planning, entry: Identified, compared: Compared): readonly string[] {
  const changes = compared.differences.some(({ path }) => RUNS.includes(path));
  if (entry.kind !== 'reactors' || entry.live === undefined || !changes) return [];
  return notesOfStopped(planning, entry.live.id);
}

/** The deletion of a resource. What the holders of its rights lose is in the effects. */
function planRemoval(planning: Planning, { kind, address, live }: Removed): PlannedResource {
  const report = planning.reportAt(address);
  const before = kind === 'applications' ? liveApplication(live, report) : undefined;
  return {
    address,
    action: 'delete',
    id: live.id,
    etag: live.etag,
    differences: [],
    effects: before === undefined ? [] : effectsOf(before.grants, NO_GRANTS, planning.names.nameOf),
    keys: [],
    notes: notesOfRemoved(planning, live.id),
    gives: 'less or same',
  };
}

/** Makes the reactors of the file after the plan, by id. */
function reactorsOf(
  { desired, live }: Pick<Planning, 'desired' | 'live'>,
  planning: Planning,
  entries: readonly Identified[],
) {
  return new Map(
    entries
      .filter(({ kind }) => kind === 'reactors')
      .map((entry) => {
        const wanted = entryIn(desired.reactors, entry);
        // Its references are reported with its plan.
        const resolver = { ...resolverOf(planning, entry.address), report: () => undefined };
        const normal = normalReactor({ entry: wanted, body: wantedReactor(wanted, resolver) }, entry.live, {
          defaultImage: live.default_image,
          report: planning.reportAt(entry.address),
        });
        return [planning.names.idOfEntry(entry), normal] as const;
      }),
  );
}

/** Two keys in one place would take turns. */
function checkTargets(desired: Desired, reportAt: Planning['reportAt']): void {
  const seen = new Map<string, Address>();
  for (const kind of ['applications', 'proxies'] as const)
    for (const [name, { keys }] of desired[kind])
      for (const { to } of keys) {
        if (to === undefined) continue;
        const target = `${to.kind}:${to.name}`;
        const other = seen.get(target);
        if (other !== undefined)
          reportAt(addressOf(kind, name))(`keys go to ${target}, as those of ${other} do`);
        seen.set(target, addressOf(kind, name));
      }
}

/** Keys that are removed belong to an entry; the keys of a removed owner go with it. */
function checkRemovedKeys({ removed, ...desired }: Desired, reportAt: Planning['reportAt']): void {
  for (const address of removed) {
    if (!address.startsWith('keys/')) continue;
    const [, kind, name = '', key = '', ...others] = address.split('/');
    const isOwner = kind === 'applications' || kind === 'proxies';
    const hasOwner = isOwner && (desired[kind].has(name) || removed.includes(`${kind}/${name}`));
    if (!hasOwner || key === '' || others.length > 0)
      reportAt(address as Address)('removed names a key whose owner is not in the file');
  }
}

function managingOf(
  planning: Planning,
  planned: readonly PlannedEntry[],
  removed: readonly Removed[],
): readonly Managing[] {
  const { live, names } = planning;
  const gone = new Set(removed.map(({ live: { id } }) => id));
  const byId = new Map(planned.map((each) => [names.idOfEntry(each.entry), each]));
  const present = live.applications.map((application): Managing => {
    const before = managingNow(application, live.read_at);
    const plan = byId.get(application.id);
    const after =
      plan === undefined
        ? before
        : {
            permissions: plan.permissions,
            keys: before.keys === 0 && isOver(application, live) ? 0 : plan.keys.livingAfter,
          };
    return {
      id: application.id,
      name: names.nameOf(application.id),
      before,
      ...(!gone.has(application.id) && { after }),
      narrowed: plan?.keys.narrowed ?? [],
    };
  });
  const created = planned
    .filter(({ entry }) => entry.kind === 'applications' && entry.live === undefined)
    .map(({ entry, permissions, keys }): Managing => ({
      id: names.idOfEntry(entry),
      name: entry.address,
      after: { permissions, keys: keys.livingAfter },
      narrowed: [],
    }));
  return [...present, ...created];
}

const isOver = ({ body }: LiveResource, { read_at: readAt }: Live): boolean =>
  Date.parse(textIn(body, 'expires_at') ?? '9999-12-31') <= Date.parse(readAt);

/** Refuses a service that has more than this command knows, also in what no file manages. */
function checkService(live: Live, names: Names, version: string, refuse: Refuse): void {
  const service = textIn(live.tenant.body, 'service_version');
  if (service !== undefined && newerThan(service, version))
    refuse(undefined, `the service has version ${service}, and this command only ${version}: update it`);
  for (const kind of KINDS)
    for (const resource of live[kind])
      for (const unknown of unknownIn(kind, resource))
        refuse(names.nameOf(resource.id), `has at the service what this command does not know: ${unknown}`);
}

/** The ids of what entries name of other files. An apply takes these, also if names have moved. */
function foreignIds(
  { desired, names }: Planning,
  entries: readonly Identified[],
): Readonly<Record<string, string>> {
  const ids = entries.flatMap(({ address }) =>
    referencesOf(address, desired).flatMap(({ kind, reference }) => {
      const isForeign = reference.includes('/') && !reference.startsWith(`${desired.namespace}/`);
      const id = isForeign ? names.idOf(kind, reference) : undefined;
      return id === undefined ? [] : [[`${kind}/${reference}`, id] as const];
    }),
  );
  return Object.fromEntries(ids);
}

/** The version of the command, which must know everything that the service has. */
export interface PlanOptions {
  readonly version: string;
}

/**
 * The difference between a file and a tenant. Pure: it neither reads nor writes anything. The
 * lease of `apply` (`configuration_revision`) is not looked at here.
 */
export function planOf(desired: Desired, live: Live, { version }: PlanOptions): Plan {
  const problems: Problem[] = [];
  const refuse = (address: string | undefined, words: string): void => {
    const isKnown = problems.some((each) => each.address === address && each.words === words);
    if (!isKnown) problems.push(address === undefined ? { words } : { address, words });
  };
  const reportAt = (address: Address) => (words: string) => {
    refuse(address, words);
  };
  const index = indexOf(desired, live);
  const { entries, removed: named } = identify(desired, index, refuse);
  const removed = [...named, ...leftIn(desired, live)];
  const identified = { entries, removed };
  const names = namesOf(desired, live, index, identified);
  const first: Planning = { desired, live, index, names, reportAt, reactors: new Map() };
  const planning: Planning = { ...first, reactors: reactorsOf(first, first, entries) };
  checkService(live, names, version, refuse);
  checkTargets(desired, reportAt);
  checkRemovedKeys(desired, reportAt);
  const planned = entries.map((entry) => planEntry(planning, entry));
  const lockout = lockoutOf(managingOf(planning, planned, removed), live.self.application_id);
  const tenant = planTenant(desired, live, (words) => {
    refuse('tenant', words);
  });
  return {
    namespace: desired.namespace,
    digest: desired.digest,
    tenant,
    resources: [
      ...planned.map(({ resource }) => resource),
      ...removed.map((each) => planRemoval(planning, each)),
    ],
    notes: notesOfTenant(planning, identified),
    references: foreignIds(planning, entries),
    ...(lockout !== undefined && { lockout }),
    problems,
  };
}
