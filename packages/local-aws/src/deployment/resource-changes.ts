import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import type { Stack } from '../assembly/read-assembly.ts';
import type { Finding } from './finding.ts';

type StackResource = Stack['template']['Resources'][string];

/** A resource that an update creates, deletes or replaces. */
export interface ResourceChange {
  readonly logicalId: string;
  readonly old: StackResource | undefined;
  readonly next: StackResource | undefined;
  readonly kind: 'created' | 'removed' | 'replaced';
}

/** Their removal loses nothing: logs expire, and functions keep the version of a layer. */
const EXPENDABLE = ['AWS::Logs::LogGroup', 'AWS::Lambda::LayerVersion'];

/** Resources whose address callers know. */
const ADDRESSES = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::CloudFront::Distribution',
];

/** Resources with data, whatever their deletion policy. */
const PRECIOUS = ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];

/**
 * Each type has a property that contains its physical name, or properties whose values AWS accepts
 * only once together.
 */
const NAME_PROPERTIES: Readonly<Record<string, string | readonly string[]>> = {
  'AWS::ApiGatewayV2::Route': ['ApiId', 'RouteKey'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'FunctionName'],
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::IAM::ManagedPolicy': 'ManagedPolicyName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::KMS::Alias': 'AliasName',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::CodeDeploy::Application': 'ApplicationName',
};

/** `type name` of a resource with a physical name of its own. */
export function physicalNameOf(resource: StackResource | undefined): string | undefined {
  if (resource === undefined) return undefined;
  const properties = [NAME_PROPERTIES[resource.Type] ?? []].flat();
  const values = properties.map((property) => resource.Properties[property]);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return `${resource.Type} ${values.map((value) => JSON.stringify(value)).join(' ')}`;
}

const isRetained = ({ DeletionPolicy }: StackResource): boolean =>
  DeletionPolicy?.startsWith('Retain') === true;

const isPrecious = (resource: StackResource): boolean =>
  !EXPENDABLE.includes(resource.Type) && (PRECIOUS.includes(resource.Type) || isRetained(resource));

const KINDS: Readonly<Partial<Record<ResourceImpact, ResourceChange['kind']>>> = {
  [ResourceImpact.WILL_CREATE]: 'created',
  [ResourceImpact.WILL_IMPORT]: 'created',
  [ResourceImpact.WILL_DESTROY]: 'removed',
  [ResourceImpact.WILL_ORPHAN]: 'removed',
  [ResourceImpact.WILL_REPLACE]: 'replaced',
  [ResourceImpact.MAY_REPLACE]: 'replaced',
};

/** Finds what an update creates, deletes and replaces, by the resource specification of AWS. */
export function changesOf(old: Stack, next: Stack): readonly ResourceChange[] {
  const changes: ResourceChange[] = [];
  fullDiff(old.template, next.template).resources.forEachDifference((logicalId, { changeImpact }) => {
    const kind = KINDS[changeImpact];
    const before = old.template.Resources[logicalId];
    const after = next.template.Resources[logicalId];
    if (kind !== undefined) changes.push({ logicalId, kind, old: before, next: after });
  });
  return changes;
}

const ADDRESS_LOST = {
  kind: 'address_lost',
  remedy: 'Move the callers to the other address in the same hour, or undo the change.',
} as const;

/** Finds APIs whose AWS address stops responding. */
export function addressFindings(old: Stack, next: Stack): readonly Finding[] {
  const isClosed = (resource: StackResource | undefined) =>
    resource?.Properties['DisableExecuteApiEndpoint'] === true;
  return Object.entries(next.template.Resources)
    .filter(([id, resource]) => id in old.template.Resources && isClosed(resource))
    .filter(([id]) => !isClosed(old.template.Resources[id]))
    .map(([subject]) => ({
      ...ADDRESS_LOST,
      stack: next.name,
      subject,
      what: 'the address of AWS stops responding: its own domain is the only one.',
    }));
}

/** Finds the effect of a change on data, and whether CloudFormation refuses it. */
export function findingOf(stack: string, change: ResourceChange): Finding | undefined {
  const { logicalId: subject, kind, old, next } = change;
  if (kind === 'created' || old === undefined) return undefined;
  const about = { stack, subject };
  const name = physicalNameOf(old);
  if (kind === 'replaced' && name !== undefined && name === physicalNameOf(next))
    return {
      ...about,
      kind: 'refused',
      what: `CloudFormation cannot update a stack when a custom-named resource requires replacing (${name}).`,
      remedy: 'Undo the change of the property, or add a resource with another name and move the data to it.',
    };
  if (ADDRESSES.includes(old.Type))
    return { ...about, ...ADDRESS_LOST, what: `the ${old.Type} is ${kind}, and callers lose its address.` };
  if (!isPrecious(old)) return undefined;
  if (kind === 'replaced')
    return {
      ...about,
      kind: 'data_lost',
      what: `an empty ${old.Type} takes its place.`,
      remedy: 'Undo the change of the property that requires it (npx cdk diff names it).',
    };
  return isRetained(old)
    ? {
        ...about,
        kind: 'left_behind',
        what: `the ${old.Type} stays with its data, and belongs to no stack.`,
        remedy:
          'After a rollback, adopt it with the next upgrade: npx cdk deploy --import-existing-resources. Otherwise keep its logical id.',
      }
    : {
        ...about,
        kind: 'data_lost',
        what: `the ${old.Type} is deleted.`,
        remedy: 'Keep its logical id, or retain it for one release (RemovalPolicy.RETAIN).',
      };
}

interface Throughput {
  readonly ReadUnitsPerSecond: number;
  readonly WriteUnitsPerSecond: number;
}
interface IndexProperties {
  readonly IndexName: string;
  readonly WarmThroughput?: Throughput;
  readonly [property: string]: unknown;
}
interface TableProperties {
  readonly AttributeDefinitions?: readonly {
    readonly AttributeName: string;
    readonly AttributeType: string;
  }[];
  readonly GlobalSecondaryIndexes?: readonly IndexProperties[];
  readonly TimeToLiveSpecification?: { readonly AttributeName: string };
  readonly WarmThroughput?: Throughput;
}

/** Properties of an index that can change in place. */
const INDEX_THROUGHPUT = ['WarmThroughput', 'ProvisionedThroughput', 'OnDemandThroughput'];

const fixedPart = (index: IndexProperties): string =>
  JSON.stringify(Object.entries(index).filter(([property]) => !INDEX_THROUGHPUT.includes(property)));

/** Changes that DynamoDB refuses in one update of a table, with the remedy for each. */
function tableProblems(had: TableProperties, has: TableProperties): readonly (readonly [string, string])[] {
  const [before, after] = [had, has].map(
    ({ GlobalSecondaryIndexes: indexes = [] }) => new Map(indexes.map((index) => [index.IndexName, index])),
  ) as [Map<string, IndexProperties>, Map<string, IndexProperties>];
  const shared = [...before.keys()].filter((name) => after.has(name));
  const changed = [...before.keys(), ...after.keys()].filter((name) => !shared.includes(name));
  const rebuilt = shared.filter((name) => {
    const old = before.get(name);
    const next = after.get(name);
    return old !== undefined && next !== undefined && fixedPart(old) !== fixedPart(next);
  });
  const isLower = (old?: Throughput, next?: Throughput) =>
    old !== undefined &&
    next !== undefined &&
    (next.ReadUnitsPerSecond < old.ReadUnitsPerSecond || next.WriteUnitsPerSecond < old.WriteUnitsPerSecond);
  const cooled = [
    ...(isLower(had.WarmThroughput, has.WarmThroughput) ? ['the table'] : []),
    ...shared.filter((name) => isLower(before.get(name)?.WarmThroughput, after.get(name)?.WarmThroughput)),
  ];
  const types = new Map(
    had.AttributeDefinitions?.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  const retyped = (has.AttributeDefinitions ?? []).filter(
    ({ AttributeName, AttributeType }) => (types.get(AttributeName) ?? AttributeType) !== AttributeType,
  );
  const [oldExpiry, expiry] = [had, has].map((table) => table.TimeToLiveSpecification?.AttributeName);
  const when = (isTrue: boolean, what: string, remedy: string) => (isTrue ? [[what, remedy] as const] : []);
  return [
    ...when(
      changed.length > 1,
      `Cannot perform more than one GSI creation or deletion in a single update (${changed.join(', ')}).`,
      'Change one index in each release.',
    ),
    ...when(
      rebuilt.length > 0,
      `Cannot update GSI's properties other than throughput (${rebuilt.join(', ')}).`,
      'Add an index with another name in one release, and remove this one in the next.',
    ),
    ...when(
      cooled.length > 0,
      `Warm throughput cannot be decreased (${cooled.join(', ')}).`,
      'Leave the setting as it is, or remove it: AWS charged it once.',
    ),
    ...when(
      retyped.length > 0,
      `The type of a key cannot change (${retyped.map(({ AttributeName }) => AttributeName).join(', ')}).`,
      'Use an attribute with another name.',
    ),
    ...when(
      oldExpiry !== undefined && expiry !== undefined && expiry !== oldExpiry,
      `TimeToLive is active on a different AttributeName (${String(oldExpiry)}).`,
      'Disable the expiry in one release, and enable it again in the next one.',
    ),
  ];
}

/** Rules of DynamoDB for one update of a table that the specification does not have. */
export function tableFindings(old: Stack, next: Stack): readonly Finding[] {
  return Object.entries(next.template.Resources).flatMap(([subject, resource]): readonly Finding[] => {
    const before = old.template.Resources[subject];
    if (resource.Type !== 'AWS::DynamoDB::Table' || before === undefined) return [];
    return tableProblems(before.Properties, resource.Properties).map(([what, remedy]) => ({
      kind: 'refused',
      stack: next.name,
      subject,
      what,
      remedy,
    }));
  });
}

/**
 * Versions of functions that stay although something that the function refers to is replaced: the
 * version goes on with the old one.
 */
export function versionFindings(
  old: Stack,
  next: Stack,
  changes: readonly ResourceChange[],
): readonly Finding[] {
  const replaced = changes.filter(({ kind }) => kind === 'replaced').map(({ logicalId }) => logicalId);
  const { Resources: resources } = next.template;
  return Object.entries(resources).flatMap(([subject, { Type, Properties }]): readonly Finding[] => {
    if (Type !== 'AWS::Lambda::Version' || !(subject in old.template.Resources)) return [];
    const { Ref: name = '' } = (Properties['FunctionName'] ?? {}) as { readonly Ref?: string };
    const text = JSON.stringify(resources[name]?.Properties ?? {});
    return replaced
      .filter((id) => text.includes(`{"Ref":"${id}"}`) || text.includes(`"Fn::GetAtt":["${id}"`))
      .map((id) => ({
        kind: 'interrupted',
        stack: next.name,
        subject,
        what: `the version still uses the replaced ${id}: the text of its function does not change.`,
        remedy: 'Publish a version with the content (Function.invalidateVersionBasedOn).',
      }));
  });
}
