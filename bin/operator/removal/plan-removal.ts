import { DEPLOYMENT_TAG, reactorLayerName } from '../../../lib/deployment-names.ts';
import { PRICES } from '../../../lib/prices.ts';
import { dataTablesOf, isLogGroup, isReactorFunction, stacksOf, trailTablesOf } from './deployment.ts';
import { backupMonthly, instancesMonthly, logMonthly, stackMonthly, tableMonthly } from './monthly-costs.ts';
import type { KeyState, RemovalAccount, Stack, StackPlace, TableState } from './removal-account.ts';
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
 * What the stacks retain and nothing charges: who wants it gone runs these, the role before its
 * boundary.
 */
const FREE_TYPES: Readonly<Record<string, (id: string) => string>> = {
  'AWS::IAM::Role': (name) => `aws iam delete-role --role-name ${name}`,
  'AWS::IAM::ManagedPolicy': (arn) => `aws iam delete-policy --policy-arn ${arn}`,
};

/** How `cdk import` identifies the resources with data. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::KMS::Key': 'KeyId',
};

interface Planning {
  readonly account: RemovalAccount;
  readonly service: string;
  readonly region: string;
  readonly removes: Removes;
  readonly now: Date;
  /** Whether the trail stays, since a record of it has not expired. */
  readonly keepsTrail: boolean;
  readonly notes: string[];
  /** ARNs of the keys that encrypt the tables. */
  readonly tableKeys: Set<string>;
}

const plural = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
const day = (date: Date): string => date.toISOString().slice(0, 10);

interface FoundStack {
  readonly place: StackPlace;
  readonly stack: Stack;
}

async function foundStacks({ account, service, region }: Planning): Promise<readonly FoundStack[]> {
  const found: FoundStack[] = [];
  for (const place of stacksOf(service, region)) {
    const stack = await account.stack(place);
    if (stack !== undefined) found.push({ place, stack });
  }
  return found;
}

const isRetained = ({ template }: Stack, logicalId: string): boolean =>
  template[logicalId]?.DeletionPolicy?.startsWith('Retain') === true;

async function stackStep({ account, notes }: Planning, { place, stack }: FoundStack): Promise<Step> {
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
  const versions = await account.layerVersions(reactorLayerName(service));
  return versions.map((version) => ({
    kind: 'layer',
    id: layerId(service, version),
    fate: 'deleted',
    has: 'the runtime of reactors',
    monthly: 0,
  }));
}

async function logSteps({ account, service, removes }: Planning): Promise<readonly Step[]> {
  const groups = await Promise.all(logPrefixes(service).map((prefix) => account.logGroups(prefix)));
  return groups
    .flat()
    .filter(({ name }) => isLogGroup(service, name))
    .map(({ name, bytes }) => ({
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
  const backups = await planning.account.backups(tableName);
  for (const { arn, expiresAt } of backups)
    if (expiresAt !== undefined)
      planning.notes.push(`AWS keeps its backup ${arn} without charge until ${day(expiresAt)}`);
  return backups
    .filter(({ expiresAt }) => expiresAt === undefined)
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
  if (table.keyArn !== undefined) planning.tableKeys.add(table.keyArn);
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
  const { account, service } = planning;
  const names = [...dataTablesOf(service), ...trailTablesOf(service)];
  const steps: Step[] = [];
  for (const name of names) steps.push(...(await backupSteps(planning, name)));
  for (const name of names) {
    const table = await account.table(name);
    if (table !== undefined) steps.push(tableStep(planning, name, table));
  }
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

async function keySteps(planning: Planning, fate: Step['fate']): Promise<readonly Step[]> {
  const { account, service, notes, tableKeys } = planning;
  const { keys, unreadable } = await account.keys(DEPLOYMENT_TAG, service);
  for (const arn of tableKeys)
    if (!keys.some(({ id }) => arn.endsWith(`/${id}`)))
      notes.push(`the key ${arn} encrypts a table and lacks the tag ${DEPLOYMENT_TAG}: it stays, and costs`);
  if (unreadable > 0)
    notes.push(
      `${plural(unreadable, 'KMS key')} whose tags you may not read: one of ${service} stays, and costs`,
    );
  return keys.map((key) => keyStep(planning, key, fate));
}

function mappingOf(stacks: readonly FoundStack[], service: string): ResourceMapping | undefined {
  const data = stacks.find(({ place }) => place.name === `${service}-Data`);
  if (data === undefined) return undefined;
  const entries = data.stack.resources.flatMap(({ logicalId, physicalId, type }) => {
    const identifier = IDENTIFIERS[type];
    return identifier === undefined ? [] : [[logicalId, { [identifier]: physicalId }] as const];
  });
  return Object.fromEntries(entries);
}

async function hasLiveTrail(account: RemovalAccount, service: string, now: Date): Promise<boolean> {
  const [audit = ''] = trailTablesOf(service);
  const table = await account.table(audit);
  if (table === undefined || table.isDeleting) return false;
  return await account.hasUnexpired(audit, Math.floor(now.getTime() / 1_000));
}

/** What a removal would do now. It changes nothing. */
export async function planRemoval(
  account: RemovalAccount,
  service: string,
  removes: Removes,
  now: Date,
): Promise<RemovalPlan> {
  const notes: string[] = [];
  const keepsTrail = removes !== 'trail' && (await hasLiveTrail(account, service, now));
  const region = await account.region();
  const planning: Planning = {
    account,
    service,
    region,
    removes,
    now,
    keepsTrail,
    notes,
    tableKeys: new Set(),
  };
  const stacks = await foundStacks(planning);
  const steps: Step[] = [];
  for (const stack of stacks) steps.push(await stackStep(planning, stack));
  steps.push(...(await functionSteps(planning)), ...(await layerSteps(planning)));
  steps.push(...(await logSteps(planning)), ...(await storedSteps(planning)));
  // What is retained cannot be read without its key.
  const needsKeys = removes === 'data' || steps.some(({ fate }) => fate === 'retained');
  steps.push(...(await keySteps(planning, needsKeys ? 'retained' : 'deleted')));
  const trailUntil = keepsTrail ? await lastExpiry(account, trailTablesOf(service)[2] ?? '') : undefined;
  const mapping = mappingOf(stacks, service);
  return {
    service,
    region,
    removes,
    steps,
    notes,
    ...(trailUntil !== undefined && { trailUntil }),
    ...(mapping !== undefined && { mapping }),
  };
}
