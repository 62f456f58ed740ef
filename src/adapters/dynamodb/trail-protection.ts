import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetResourcePolicyCommand,
  type TimeToLiveDescription,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { parseJson } from '../../core/shared/parse-json.ts';
import { DENIED_WRITES, EXPIRY_ATTRIBUTE } from './append-only.ts';
import { send, type Table } from './table-client.ts';

const oneOrMore = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.union([schema, z.array(schema)]),
    z.transform((value): readonly z.output<Schema>[] => [value].flat() as z.output<Schema>[]),
  );
const statementShape = z.lazy(() =>
  z.looseObject({
    Effect: z.string(),
    Principal: z.optional(z.unknown()),
    Action: z._default(oneOrMore(z.string()), []),
    Resource: z._default(oneOrMore(z.string()), []),
  }),
);
type Statement = z.output<typeof statementShape>;
const policyShape = z.lazy(() => z.looseObject({ Statement: oneOrMore(statementShape) }));

/** Whether a pattern of IAM (`*`, `?`) covers a text. Actions have no case. */
function covers(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i').test(text);
}

function isForAll({ Principal: principal }: Statement): boolean {
  if (principal === '*') return true;
  if (typeof principal !== 'object' || principal === null) return false;
  return [(principal as { readonly AWS?: unknown }).AWS].flat().includes('*');
}

/** Whether a statement denies some actions on the whole table, to all, without a condition. */
function isDenial(statement: Statement, tableArn: string): boolean {
  const { Effect, Resource, Condition } = statement;
  return (
    Effect === 'Deny' &&
    Condition === undefined &&
    isForAll(statement) &&
    Resource.some((pattern) => covers(pattern, tableArn))
  );
}

/** Finds differences of a resource policy from that of the template. The order does not matter. */
export function policyProblems(policy: string | undefined, tableArn: string): readonly string[] {
  if (policy === undefined) return ['it has no policy'];
  const parsed = policyShape.safeParse(parseJson(policy));
  if (!parsed.success) return ['its policy cannot be read'];
  const { Statement: statements } = parsed.data;
  const denied = statements.filter((each) => isDenial(each, tableArn)).flatMap(({ Action }) => Action);
  const missing = DENIED_WRITES.filter((action) => !denied.some((pattern) => covers(pattern, action)));
  // The template allows nothing here, because functions have their rights by their roles.
  const allowed = statements.filter(({ Effect }) => Effect !== 'Deny');
  return [
    ...(missing.length === 0 ? [] : [`its policy does not deny ${missing.join(', ')} to all`]),
    ...allowed.map(({ Action }) => `its policy allows ${Action.join(', ') || 'actions'}`),
  ];
}

/** A table, and how the template protects it. */
interface ProtectedTable extends Table {
  /** The name of the table in findings. */
  readonly title: string;
  /** Its items expire. */
  readonly expires: boolean;
}

/** A table of the trail, which has a policy. */
export type TrailTable = ProtectedTable;

/** A table with data, which has no policy: functions have their rights by their roles. */
export interface DataTable extends ProtectedTable {
  /** Without it, what is deleted must vanish. */
  readonly isRecoverable: boolean;
}

type PolicyProblems = (policy: string | undefined, tableArn: string) => readonly string[];

async function policyOf({ client, platform }: Table, tableArn: string): Promise<string | undefined> {
  try {
    return (await send(platform, () => client.send(new GetResourcePolicyCommand({ ResourceArn: tableArn }))))
      .Policy;
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    if (cause instanceof Error && cause.name === 'PolicyNotFoundException') return undefined;
    throw error;
  }
}

/** Finds a difference of the expiry of a table's items from that of the template. */
function expiryProblems(found: TimeToLiveDescription | undefined, expires: boolean): readonly string[] {
  const { TimeToLiveStatus: status = '', AttributeName: attribute } = found ?? {};
  const isExpiring = status === 'ENABLED' || status === 'ENABLING';
  if (isExpiring === expires && (!expires || attribute === EXPIRY_ATTRIBUTE)) return [];
  return [`its items ${isExpiring ? `expire by ${String(attribute)}` : 'do not expire'}`];
}

function recoveryProblems(isOn: boolean, isRecoverable: boolean): readonly string[] {
  return isOn === isRecoverable ? [] : [`its point-in-time recovery is ${isOn ? 'on' : 'off'}`];
}

async function problemsOf(
  table: ProtectedTable,
  isRecoverable: boolean,
  problemsOfPolicy: PolicyProblems,
): Promise<readonly string[]> {
  const { client, platform, name, title, expires } = table;
  const about = { TableName: name };
  const [described, recovery, expiry] = await Promise.all([
    send(platform, () => client.send(new DescribeTableCommand(about))),
    send(platform, () => client.send(new DescribeContinuousBackupsCommand(about))),
    send(platform, () => client.send(new DescribeTimeToLiveCommand(about))),
  ]);
  const { TableArn: arn = '', DeletionProtectionEnabled: isProtected } = described.Table ?? {};
  const { PointInTimeRecoveryDescription: inTime } = recovery.ContinuousBackupsDescription ?? {};
  return [
    ...problemsOfPolicy(await policyOf(table, arn), arn),
    ...(isProtected === true ? [] : ['it is not protected against deletion']),
    ...recoveryProblems(inTime?.PointInTimeRecoveryStatus === 'ENABLED', isRecoverable),
    ...expiryProblems(expiry.TimeToLiveDescription, expires),
  ].map((problem) => `${title}: ${problem}`);
}

type Protection = () => Promise<readonly string[]>;

/** Finds differences of the trail's tables from the template. Reads each setting from AWS. */
export const createTrailProtection =
  (tables: readonly TrailTable[]): Protection =>
  async () =>
    (await Promise.all(tables.map((table) => problemsOf(table, true, policyProblems)))).flat();

const anyPolicy: PolicyProblems = (policy) => (policy === undefined ? [] : ['it has a policy']);

/** The same for the tables with data. A policy could let another account read them. */
export const createDataProtection =
  (tables: readonly DataTable[]): Protection =>
  async () => {
    const found = tables.map((table) => problemsOf(table, table.isRecoverable, anyPolicy));
    return (await Promise.all(found)).flat();
  };
