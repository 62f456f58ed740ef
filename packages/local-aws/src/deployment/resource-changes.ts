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

/** The property with the physical name of a type. */
const NAME_PROPERTIES: Readonly<Record<string, string>> = {
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
  const name = resource.Properties[NAME_PROPERTIES[resource.Type] ?? ''];
  return name === undefined ? undefined : `${resource.Type} ${JSON.stringify(name)}`;
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

/** What an update creates, deletes and replaces, by the resource specification of AWS. */
export function changesOf(old: Stack, next: Stack): readonly ResourceChange[] {
  const changes: ResourceChange[] = [];
  fullDiff(old.template, next.template).resources.forEachDifference((logicalId, { changeImpact }) => {
    const kind = KINDS[changeImpact];
    const [before, after] = [old.template.Resources[logicalId], next.template.Resources[logicalId]];
    if (kind !== undefined) changes.push({ logicalId, kind, old: before, next: after });
  });
  return changes;
}

const ADDRESS_LOST = {
  kind: 'address_lost',
  remedy: 'Move the callers to the other address in the same hour, or undo the change.',
} as const;

/** APIs whose own address, that of AWS, stops responding. */
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

/** What a change does to data, and whether CloudFormation refuses it. */
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

interface TableProperties {
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
  readonly TimeToLiveSpecification?: { readonly AttributeName: string };
}

/** Rules of DynamoDB for one update of a table that the specification does not have. */
export function tableFindings(old: Stack, next: Stack): readonly Finding[] {
  return Object.entries(next.template.Resources).flatMap(([subject, resource]): readonly Finding[] => {
    const before = old.template.Resources[subject];
    if (resource.Type !== 'AWS::DynamoDB::Table' || before === undefined) return [];
    const tables = [before.Properties as TableProperties, resource.Properties as TableProperties];
    const [had, has] = tables.map((table) =>
      (table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName),
    );
    const changed = [...(had ?? []), ...(has ?? [])].filter(
      (name) => had?.includes(name) !== has?.includes(name),
    );
    const [oldExpiry, expiry] = tables.map((table) => table.TimeToLiveSpecification?.AttributeName);
    const refused = { kind: 'refused', stack: next.name, subject } as const;
    return [
      ...(changed.length > 1
        ? [
            {
              ...refused,
              what: `Cannot perform more than one GSI creation or deletion in a single update (${changed.join(', ')}).`,
              remedy: 'Change one index in each release.',
            },
          ]
        : []),
      ...(oldExpiry !== undefined && expiry !== undefined && expiry !== oldExpiry
        ? [
            {
              ...refused,
              what: `TimeToLive is active on a different AttributeName (${oldExpiry}).`,
              remedy: 'Disable the expiry in one release, and enable it again in the next one.',
            },
          ]
        : []),
    ];
  });
}
