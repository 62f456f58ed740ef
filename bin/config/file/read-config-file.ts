import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../command-line/failures.ts';
import { isUuid } from '../../../src/core/shared/is-uuid.ts';
import { shownName } from '../../../src/core/shared/known-names.ts';
import { updateTenantBody } from '../../../src/wire/tenant.ts';
import {
  KINDS,
  type Address,
  type Desired,
  type DesiredTenant,
  type KeyAddress,
  type KeyTarget,
  type Kind,
} from '../model.ts';
import { APPLICATION_MEMBERS, applicationOf } from './applications.ts';
import {
  checkedBody,
  entriesOf,
  entryOf,
  itemsOf,
  memberOf,
  membersOf,
  memberText,
  textOf,
  type Entry,
} from './entry.ts';
import type { TargetUse } from './keys.ts';
import { NamedFileError, normalizedPath, readBelow, readRegularFile } from './named-files.ts';
import { addressOf, isName, NAME_FORM, parseAddress, parseKeyAddress, partsOfAddress } from './names.ts';
import { Problems } from './problems.ts';
import { PROXY_MEMBERS, proxyOf } from './proxies.ts';
import { REACTOR_MEMBERS, reactorOf, type ReadNamed } from './reactors.ts';
import { References } from './references.ts';
import { yamlTree } from './yaml-tree.ts';

/** A larger file is none that a person reviews. */
const FILE_MAX_BYTES = 1_000_000;

/** The file has no other members at its top. */
export const FILE_MEMBERS = ['namespace', 'tenant', ...KINDS, 'moved', 'removed'] as const;
export const TENANT_MEMBERS = ['name', 'settings'] as const;

const MEMBERS: Readonly<Record<Kind, readonly string[]>> = {
  applications: APPLICATION_MEMBERS,
  proxies: PROXY_MEMBERS,
  reactors: REACTOR_MEMBERS,
};

/** The file, and the folder below which it names others. */
export interface ConfigFile {
  readonly desired: Desired;
  readonly folder: string;
}

/** Computes one digest of the file and of all files that count, whatever the order of reading. */
function digestOf(bytes: Buffer, named: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha256')
    .update(`${String(bytes.length)}\n`)
    .update(bytes);
  for (const [path, content] of [...named].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\n${path}\n${String(content.length)}\n`).update(content);
  return hash.digest('hex');
}

function tenantOf(root: Entry): DesiredTenant | undefined {
  const tenant = entryOf(memberOf(root, 'tenant'), 'tenant', TENANT_MEMBERS, root.problems);
  if (tenant === undefined) return undefined;
  const members = membersOf(tenant, TENANT_MEMBERS);
  checkedBody(updateTenantBody, { name: 'x', ...members }, tenant);
  const settings = entryOf(
    memberOf(tenant, 'settings'),
    'tenant.settings',
    ['deduplicate_tokens', 'ephemeral_proxy'],
    root.problems,
  );
  for (const [name, { tree }] of settings?.tree.entries ?? [])
    if (tree.kind !== 'scalar' || typeof tree.value !== 'boolean')
      root.problems.report(tree.position, `tenant.settings.${shownName(name)} must be true or false`);
  return members;
}

/** Reports a name that no entry can have. */
function namedEntries(root: Entry, kind: Kind): readonly (readonly [name: string, entry: Entry])[] {
  return entriesOf(root, kind).flatMap(([name, tree, position]) => {
    const path = `${kind}.${shownName(name)}`;
    if (!isName(name)) root.problems.report(position, `${path} ${NAME_FORM}`);
    const entry = entryOf(tree, path, MEMBERS[kind], root.problems);
    const adopt = entry && memberOf(entry, 'adopt');
    if (adopt?.kind === 'scalar' && !(typeof adopt.value === 'string' && isUuid(adopt.value)))
      root.problems.report(adopt.position, `${path}.adopt must be an id in lower case`);
    return entry === undefined ? [] : [[name, entry] as const];
  });
}

function movedOf(root: Entry, has: (address: Address) => boolean): ReadonlyMap<Address, Address> {
  const moved = new Map<Address, Address>();
  const { problems } = root;
  for (const [from, tree, position] of entriesOf(root, 'moved')) {
    const to = parseAddress(textOf(tree, `moved.${shownName(from)}`, problems) ?? '');
    const old = parseAddress(from);
    if (old === undefined || to === undefined)
      problems.report(position, 'moved must have the form { applications/old: applications/new }');
    else if (partsOfAddress(old).kind !== partsOfAddress(to).kind)
      problems.report(position, `moved.${from} names another kind`);
    else if (!has(to)) problems.report(position, `moved.${from} names no entry of the file`);
    else if (has(old)) problems.report(position, `moved.${from} is still an entry of the file`);
    else if ([...moved.values()].includes(to))
      problems.report(position, `moved.${from} names an entry to which another one moves`);
    else moved.set(old, to);
  }
  return moved;
}

function removedOf(
  root: Entry,
  has: (address: Address) => boolean,
  hasKey: (owner: Address, name: string) => boolean,
): Desired['removed'] {
  const removed = new Set<Address | KeyAddress>();
  itemsOf(root, 'removed').forEach((tree, at) => {
    const text = textOf(tree, `removed[${String(at)}]`, root.problems) ?? '';
    const address = parseAddress(text);
    const key = parseKeyAddress(text);
    const report = (message: string) =>
      root.problems.report(tree.position, `removed[${String(at)}] ${message}`);
    if (address === undefined && key === undefined)
      report('must have the form applications/NAME or keys/applications/NAME/KEY');
    else if (address !== undefined && has(address)) report('is still an entry of the file');
    else if (key !== undefined && !has(key.owner)) report('names a key of no entry of the file');
    else if (key !== undefined && hasKey(key.owner, key.name)) report('is still a key of the file');
    else removed.add(text as Address | KeyAddress);
  });
  return [...removed];
}

/** Refuses a target that is the file itself, a file that it names, or the target of another key. */
function createTargetUse(file: string): {
  readonly use: TargetUse;
  readonly check: (paths: readonly string[]) => void;
} {
  const used = new Map<string, { readonly target: KeyTarget; readonly key: Entry }>();
  const same = ({ kind, name }: KeyTarget) => `${kind}:${kind === 'file' ? name.toLowerCase() : name}`;
  return {
    use: (target, key) => {
      if (used.has(same(target)))
        key.problems.report(key.tree.position, `${key.path}.to is where another key goes`);
      used.set(same(target), { target, key });
    },
    check: (paths) => {
      const others = new Set([file, ...paths].map((path) => path.toLowerCase()));
      for (const { target, key } of used.values())
        if (target.kind === 'file' && others.has(target.name.toLowerCase()))
          key.problems.report(key.tree.position, `${key.path}.to is a file that is read`);
    },
  };
}

interface Reading {
  readonly file: string;
  readonly read: ReadNamed;
  /** The paths that `read` has read. */
  readonly paths: () => Iterable<string>;
}

async function desiredOf(root: Entry, { file, read, paths }: Reading): Promise<Omit<Desired, 'digest'>> {
  const { problems } = root;
  const references = new References();
  const targets = createTargetUse(file);
  const namespace = memberText(root, 'namespace') ?? '';
  if (memberOf(root, 'namespace') === undefined || (namespace !== '' && !isName(namespace)))
    problems.report(memberOf(root, 'namespace')?.position ?? root.tree.position, `namespace ${NAME_FORM}`);
  const applications = new Map(
    namedEntries(root, 'applications').flatMap(([name, entry]) => {
      const application = applicationOf(entry, references, targets.use);
      return application === undefined ? [] : [[name, application] as const];
    }),
  );
  const proxies = new Map<string, NonNullable<Awaited<ReturnType<typeof proxyOf>>>>();
  for (const [name, entry] of namedEntries(root, 'proxies')) {
    const proxy = await proxyOf(entry, references, targets.use);
    if (proxy !== undefined) proxies.set(name, proxy);
  }
  const reactors = new Map<string, NonNullable<Awaited<ReturnType<typeof reactorOf>>>>();
  for (const [name, entry] of namedEntries(root, 'reactors')) {
    const reactor = await reactorOf(entry, references, read);
    if (reactor !== undefined) reactors.set(name, reactor);
  }
  const namesOf = (kind: Kind) => entriesOf(root, kind).map(([name]) => name);
  references.check(namesOf, namespace, (position, message) => problems.report(position, message));
  const has = (address: Address) =>
    KINDS.some((kind) => namesOf(kind).some((name) => addressOf(kind, name) === address));
  const keysOf = (owner: Address) => {
    const { kind, name } = partsOfAddress(owner);
    return (kind === 'applications' ? applications : proxies).get(name)?.keys ?? [];
  };
  const moved = movedOf(root, has);
  const removed = removedOf(root, has, (owner, name) => keysOf(owner).some((key) => key.name === name));
  const sources = [...proxies.values(), ...reactors.values()].flatMap(({ configuration }) =>
    [...configuration.values()].flatMap(({ source }) => (source.kind === 'file' ? [source.name] : [])),
  );
  targets.check([...sources, ...paths()]);
  const tenant = tenantOf(root);
  return {
    namespace,
    ...(tenant !== undefined && { tenant }),
    applications,
    proxies,
    reactors,
    moved,
    removed,
  };
}

/**
 * Reads a configuration with the files that it names below its folder. Rejects with
 * {@link FileProblemsError}, which has all problems by line and column.
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const problems = new Problems(path);
  const file = resolve(path);
  const folder = dirname(file);
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file, FILE_MAX_BYTES);
  } catch (error) {
    throw error instanceof NamedFileError ? new UsageError(`${path} ${error.message}`) : error;
  }
  const tree = yamlTree(bytes, problems);
  problems.throwIfAny();
  const root = entryOf(tree, '', FILE_MEMBERS, problems);
  if (root === undefined) problems.throwIfAny();
  if (root === undefined) throw new Error(`${path} has neither a tree nor a problem`);
  const named = new Map<string, Buffer>();
  const read: ReadNamed = (inner, most) => {
    const content = readBelow(folder, inner, most);
    named.set(normalizedPath(inner), content);
    return content;
  };
  const desired = await desiredOf(root, { file: basename(file), read, paths: () => named.keys() });
  problems.throwIfAny();
  return { desired: { ...desired, digest: digestOf(bytes, named) }, folder };
}
