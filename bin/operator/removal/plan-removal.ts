import { DEPLOYMENT_TAG, reactorLayerNames, tableNameOf } from '../../../lib/deployment-names.ts';
import { PRICES } from '../../../lib/prices.ts';
import { CommandFailure } from '../../command-line/failures.ts';
import {
  dataTablesOf,
  isLogGroup,
  isReactorFunction,
  LOGICAL_IDS,
  sitesOf,
  STACK_DESCRIPTION,
  stacksOf,
  trailTablesOf,
} from './deployment.ts';
import { backupMonthly, instancesMonthly, logMonthly, stackMonthly, tableMonthly } from './monthly-costs.ts';
import type {
  KeyState,
  LogGroupState,
  RemovalAccount,
  Stack,
  StackPlace,
  TableState,
  TaggedKeys,
} from './removal-account.ts';
import {
  layerId,
  logPrefixes,
  type RemovalPlan,
  type Removes,
  type ResourceMapping,
  type Step,
} from './removal-plan.ts';
import { lastExpiry } from './trail.ts';

/** AWS keeps a backup of a deleted table with recovery so long, without charge. */
const SYSTEM_BACKUP_DAYS = 35;
const DAY_MS = 86_400_000;

/** The types that the command deletes itself, or that are in its plan as retained. */
const PLANNED_TYPES = [
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::Lambda::LayerVersion',
];

/**
 * The stacks retain these, and nothing charges for them; for a vault, once its backups have ended.
 * To delete them, run the commands, the role before its boundary.
 */
const FREE_TYPES: Readonly<Record<string, (id: string) => string>> = {
  'AWS::IAM::Role': (name) => `aws iam delete-role --role-name ${name}`,
  'AWS::Backup::BackupVault': (name) =>
    `its backups cost, and end within two days; then aws backup delete-backup-vault --backup-vault-name ${name}`,
  'AWS::IAM::ManagedPolicy': (arn) => `aws iam delete-policy --policy-arn ${arn}`,
};

interface Looking {
  readonly account: RemovalAccount;
  readonly service: string;
  readonly region: string;
  readonly removes: Removes;
  readonly now: Date;
  readonly notes: string[];
}

interface Planning extends Looking {
  /** The keys that have the deployment's tag. */
  readonly keys: TaggedKeys;
  /** The tables that exist and are the deployment's, by their names. */
  readonly tables: ReadonlyMap<string, TableState>;
  /** Whether the trail stays, since a record of it has not expired. */
  readonly keepsTrail: boolean;
}

const plural = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
const day = (date: Date): string => date.toISOString().slice(0, 10);

interface FoundStack {
  readonly place: StackPlace;
  readonly stack: Stack;
}

/** Functions behind an edge read its secret. They end after the stack of the firewall. */
const hasEdge = (found: readonly FoundStack[]): boolean =>
  found.some(
    ({ place: { name }, stack: { template } }) =>
      name.endsWith('-Edge') || JSON.stringify(template).includes('{{resolve:secretsmanager:'),
  );

/** The name alone may be that of another product's stack. */
function requireOurs({ place: { name }, stack }: FoundStack): void {
  if (!stack.description.startsWith(STACK_DESCRIPTION))
    throw new CommandFailure(
      `${name} is the stack of another product: its description does not begin with "${STACK_DESCRIPTION}"; nothing was deleted`,
    );
  if (stack.isProtected)
    throw new CommandFailure(
      `${name} has termination protection: end it (aws cloudformation update-termination-protection); nothing was deleted`,
    );
}

async function foundStacks(looking: Looking): Promise<readonly FoundStack[]> {
  const { account, service, region, notes } = looking;
  const places = stacksOf(service, region);
  const found: FoundStack[] = [];
  const look = async (place: StackPlace) => {
    const stack = await account.stack(place);
    if (stack === 'denied') {
      if (place.region === undefined) throw new CommandFailure(`you may not look at the stack ${place.name}`);
      notes.push(
        `the stack ${place.name} in ${place.region}, which you may not look at: it costs, if it exists`,
      );
    } else if (stack !== undefined) found.push({ place, stack });
  };
  for (const place of places) if (place.region === undefined) await look(place);
  // Policies may deny every call in the other Region. Without an edge, only the sites can be there,
  // to which no other stack refers.
  const sites = sitesOf(service, region).map(({ name }) => name);
  const withEdge = hasEdge(found);
  for (const place of places)
    if (place.region !== undefined && (withEdge || sites.includes(place.name))) await look(place);
  for (const each of found) requireOurs(each);
  return found.toSorted((a, b) => places.indexOf(a.place) - places.indexOf(b.place));
}

const isRetained = ({ template }: Stack, logicalId: string): boolean =>
  template[logicalId]?.DeletionPolicy?.startsWith('Retain') === true;

async function stackStep({ account, notes }: Looking, { place, stack }: FoundStack): Promise<Step> {
  const queues = stack.resources.filter(({ type }) => type === 'AWS::SQS::Queue');
  const waiting = await Promise.all(queues.map(({ physicalId }) => account.messages(physicalId)));
  const messages = waiting.reduce((sum, count) => sum + count, 0);
  for (const { logicalId, physicalId, type } of stack.resources)
    if (isRetained(stack, logicalId) && !PLANNED_TYPES.includes(type))
      notes.push(
        `${type} ${physicalId} stays: ${FREE_TYPES[type]?.(physicalId) ?? 'delete it yourself, it may cost'}`,
      );
  const lost = messages === 0 ? '' : `, ${plural(messages, 'waiting message')}`;
  return {
    kind: 'stack',
    id: place.name,
    place,
    fate: 'deleted',
    has: `${plural(stack.resources.length, 'resource')}${lost}`,
    monthly: stackMonthly(stack),
  };
}

async function functionSteps({ account, service }: Planning): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const id of await account.functionNames()) {
    if (!isReactorFunction(service, id)) continue;
    const instances = await account.provisioned(id);
    const has = instances === 0 ? 'a reactor' : `a reactor, ${plural(instances, 'provisioned instance')}`;
    steps.push({ kind: 'function', id, fate: 'deleted', has, monthly: instancesMonthly(instances) });
  }
  return steps;
}

async function layerSteps({ account, service }: Planning): Promise<readonly Step[]> {
  const ofNames = reactorLayerNames(service).map(async (name) =>
    (await account.layerVersions(name)).map((version): Step => ({
      kind: 'layer',
      id: layerId(name, version),
      fate: 'deleted',
      has: 'the runtime of reactors',
      monthly: 0,
    })),
  );
  return (await Promise.all(ofNames)).flat();
}

/** A key by its ARN. Its tag proves whose it is, and so whose is what it encrypts. */
const isKeyOf = ({ keys }: TaggedKeys, arn: string | undefined): boolean =>
  keys.some(({ id }) => arn?.endsWith(`/${id}`) === true);

async function logSteps({ account, service, removes, keys, notes }: Planning): Promise<readonly Step[]> {
  const groups = (await Promise.all(logPrefixes(service).map((prefix) => account.logGroups(prefix))))
    .flat()
    .filter(({ name }) => isLogGroup(service, name));
  const isOurs = ({ keyArn }: LogGroupState) => isKeyOf(keys, keyArn);
  for (const { name } of groups.filter((group) => !isOurs(group)))
    notes.push(`the log group ${name}, which no key of ${service} encrypts: it may be another product's`);
  return groups.filter(isOurs).map(({ name, bytes }) => ({
    kind: 'logs',
    id: name,
    fate: removes === 'data' ? 'retained' : 'deleted',
    has: megabytes(bytes),
    monthly: logMonthly(bytes),
  }));
}

function fateOfTable({ service, removes, keepsTrail }: Planning, name: string): Step['fate'] {
  if (removes === 'data') return 'retained';
  return keepsTrail && trailTablesOf(service).includes(name) ? 'retained' : 'deleted';
}

async function backupSteps(planning: Planning, tableName: string): Promise<readonly Step[]> {
  const { account, tables, notes, service } = planning;
  const backups = await account.backups(tableName);
  if (!tables.has(tableName))
    for (const { arn } of backups.filter(({ expiresAt }) => expiresAt === undefined))
      notes.push(
        `the backup ${arn} stays, and costs: its table is not one of ${service}, or no longer exists`,
      );
  for (const { arn, expiresAt } of backups)
    if (expiresAt !== undefined)
      notes.push(`AWS keeps its backup ${arn} without charge until ${day(expiresAt)}`);
  return backups
    .filter(({ expiresAt }) => expiresAt === undefined && tables.has(tableName))
    .map(({ arn, bytes }) => ({
      kind: 'backup',
      id: arn,
      fate: fateOfTable(planning, tableName),
      has: `of ${tableName}, ${megabytes(bytes)}`,
      monthly: backupMonthly(bytes),
    }));
}

function tableStep(planning: Planning, name: string, table: TableState): Step {
  const fate = fateOfTable(planning, name);
  if (fate === 'deleted' && table.isRecoverable) {
    const until = new Date(planning.now.getTime() + SYSTEM_BACKUP_DAYS * DAY_MS);
    planning.notes.push(
      `AWS keeps a backup of ${name} without charge until about ${day(until)}; it is lost with the KMS key`,
    );
  }
  return {
    kind: 'table',
    id: name,
    fate,
    has: `about ${plural(table.items, 'item')}, ${megabytes(table.bytes)}`,
    monthly: tableMonthly(table),
  };
}

/** Copies that a restore left cost as much as their tables. */
async function noteCopies({ account, service, notes }: Planning, names: readonly string[]): Promise<void> {
  const isCopy = (name: string) => names.some((table) => name.startsWith(`${table}-at-`));
  for (const name of (await account.tableNames()).filter(isCopy))
    notes.push(
      `the table ${name} stays, and costs: if it is a copy that a restore of ${service} left, delete it`,
    );
}

async function storedSteps(planning: Planning): Promise<readonly Step[]> {
  const { service } = planning;
  const names = [...dataTablesOf(service), ...trailTablesOf(service)];
  const steps: Step[] = [];
  for (const name of names) steps.push(...(await backupSteps(planning, name)));
  for (const [name, table] of planning.tables) steps.push(tableStep(planning, name, table));
  await noteCopies(planning, names);
  return steps;
}

function keyStep({ notes }: Planning, { id, use, replicas }: KeyState, fate: Step['fate']): Step {
  for (const region of replicas)
    notes.push(
      `the replica of ${id} in ${region} costs ${String(PRICES.month.key)} dollar a month, and the key ends after it: schedule its deletion there`,
    );
  const does = use === 'SIGN_VERIFY' ? 'signs the seals of the audit trail' : 'encrypts the tables';
  const ends = fate === 'deleted' ? '; AWS deletes it after 7 days, and charges nothing for them' : '';
  return { kind: 'key', id, fate, has: `${does}${ends}`, monthly: PRICES.month.key };
}

function keySteps(planning: Planning, fate: Step['fate']): readonly Step[] {
  const { service, notes, tables, keys } = planning;
  for (const arn of new Set([...tables.values()].flatMap(({ keyArn }) => keyArn ?? [])))
    if (!isKeyOf(keys, arn))
      notes.push(`the key ${arn} encrypts a table and lacks the tag ${DEPLOYMENT_TAG}: it stays, and costs`);
  if (keys.unreadable > 0)
    notes.push(
      `${plural(keys.unreadable, 'KMS key')} whose tags you may not read: one of ${service} stays, and costs`,
    );
  return keys.keys.map((key) => keyStep(planning, key, fate));
}

/**
 * The logical ids come from the templates, because the stack may be gone. A restore leaves other
 * tables.
 */
function mappingOf({ service, tables, keys }: Planning): ResourceMapping {
  const ofTables = Object.entries(LOGICAL_IDS.tables).flatMap(([id, logicalId]) => {
    const TableName = tableNameOf(service, id);
    return tables.has(TableName) ? [[logicalId, { TableName }] as const] : [];
  });
  const encrypting = [...tables.values()].flatMap(({ keyArn }) => keyArn?.split('/').at(-1) ?? [])[0];
  const [signing, ...others] = keys.keys.filter(({ use }) => use === 'SIGN_VERIFY');
  return {
    ...(encrypting !== undefined && { [LOGICAL_IDS.keys.ENCRYPT_DECRYPT]: { KeyId: encrypting } }),
    ...Object.fromEntries(ofTables),
    ...(signing !== undefined &&
      others.length === 0 && { [LOGICAL_IDS.keys.SIGN_VERIFY]: { KeyId: signing.id } }),
  };
}

/**
 * Finds the tables that belong to the deployment by their tag, or by their key, because a restore
 * by DynamoDB loses the tags. A table that is being deleted has neither.
 */
async function ownTables(
  { account, service, notes }: Looking,
  keys: TaggedKeys,
): Promise<ReadonlyMap<string, TableState>> {
  const own = new Map<string, TableState>();
  for (const name of [...dataTablesOf(service), ...trailTablesOf(service)]) {
    const table = await account.table(name);
    if (table === undefined) continue;
    if (table.tags[DEPLOYMENT_TAG] === service || isKeyOf(keys, table.keyArn)) own.set(name, table);
    else notes.push(`the table ${name}, which lacks the tag ${DEPLOYMENT_TAG}: it may be another product's`);
  }
  return own;
}

/**
 * Whether a record has not expired. Without the table of records, the seals decide it, and without
 * these the backup that AWS makes of a deleted table: what is left can still prove a copy of it.
 */
async function hasLiveTrail(
  { account, service, now }: Looking,
  tables: ReadonlyMap<string, TableState>,
): Promise<boolean> {
  const [audit = '', , seals = ''] = trailTablesOf(service);
  const table = tables.get(audit);
  if (table !== undefined && table.status !== 'DELETING')
    return await account.hasUnexpired(audit, Math.floor(now.getTime() / 1_000));
  const until = tables.has(seals) ? await lastExpiry(account, seals) : undefined;
  if (until !== undefined) return until > now;
  const backups = await account.backups(audit);
  return backups.some(({ expiresAt }) => expiresAt !== undefined && expiresAt > now);
}

/** Plans a removal of everything that exists now. It changes nothing. */
export async function planRemoval(
  account: RemovalAccount,
  service: string,
  removes: Removes,
): Promise<RemovalPlan> {
  const looking: Looking = {
    account,
    service,
    removes,
    region: await account.region(),
    now: await account.now(),
    notes: [],
  };
  const { region, now, notes } = looking;
  const stacks = await foundStacks(looking);
  const keys = await account.keys(DEPLOYMENT_TAG, service);
  const tables = await ownTables(looking, keys);
  const keepsTrail = removes !== 'trail' && (await hasLiveTrail(looking, tables));
  const planning: Planning = { ...looking, keys, tables, keepsTrail };
  const steps: Step[] = [];
  for (const stack of stacks) steps.push(await stackStep(planning, stack));
  steps.push(...(await functionSteps(planning)), ...(await layerSteps(planning)));
  steps.push(...(await logSteps(planning)), ...(await storedSteps(planning)));
  // Retained data cannot be read without its key.
  const needsKeys = removes === 'data' || keepsTrail || steps.some(({ fate }) => fate === 'retained');
  steps.push(...keySteps(planning, needsKeys ? 'retained' : 'deleted'));
  const trailUntil = keepsTrail ? await lastExpiry(account, trailTablesOf(service)[2] ?? '') : undefined;
  return {
    service,
    region,
    removes,
    now,
    steps,
    notes,
    ...(trailUntil !== undefined && { trailUntil }),
    mapping: mappingOf(planning),
    sealKeys: keys.keys.flatMap(({ id, use }) => (use === 'SIGN_VERIFY' ? id : [])),
  };
}
