import { AwsError, type AwsCall, type AwsService } from '../aws-service.ts';
import { parametersOf, queryFailure, xml, xmlText } from '../query-protocol.ts';
import type { DeployedResource, DeployedStack } from '../assembly/deployed-stack.ts';
import type { Deployment } from '../assembly/local-service.ts';

const ACTIONS = ['DescribeStacks', 'ListStackResources', 'GetTemplate', 'DeleteStack'];

/** Types with data, which no app deletes with its stack: that would run nowhere yet. */
const RETAINED_ONLY = [
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Lambda::LayerVersion',
  'AWS::Backup::BackupVault',
];

const element = (name: string, value: string): string => `<${name}>${xmlText(value)}</${name}>`;

/** The stacks, and those that were deleted since the start. */
interface StackContext extends Deployment {
  readonly deleted: Set<DeployedStack>;
}

function find({ stacks, deleted }: StackContext, call: AwsCall): DeployedStack | undefined {
  const name = parametersOf(call).get('StackName') ?? '';
  return stacks.find((stack) => stack.id === name || (stack.name === name && !deleted.has(stack)));
}

function found(context: StackContext, call: AwsCall): DeployedStack {
  const stack = find(context, call);
  if (stack !== undefined) return stack;
  const name = parametersOf(call).get('StackName') ?? '';
  throw new AwsError('ValidationError', 400, `Stack with id ${name} does not exist`);
}

const isRetained = ({ template }: DeployedStack, { logicalId }: DeployedResource): boolean =>
  template.Resources[logicalId]?.DeletionPolicy?.startsWith('Retain') === true;

function describe(context: StackContext, call: AwsCall): string {
  const { deleted } = context;
  const stack = found(context, call);
  const members = [
    element('StackName', stack.name),
    element('StackId', stack.id),
    element('CreationTime', new Date(0).toISOString()),
    element('Description', stack.template.Description ?? ''),
    element('EnableTerminationProtection', 'false'),
    `<Outputs>${[...stack.outputs]
      .map(
        ([name, value]) => `<member>${element('OutputKey', name)}${element('OutputValue', value)}</member>`,
      )
      .join('')}</Outputs>`,
    element('StackStatus', deleted.has(stack) ? 'DELETE_COMPLETE' : 'CREATE_COMPLETE'),
  ];
  return `<Stacks><member>${members.join('')}</member></Stacks>`;
}

function list(context: StackContext, call: AwsCall): string {
  const members = found(context, call).resources.map(({ logicalId, type, identity }) =>
    [
      '<member>',
      element('LogicalResourceId', logicalId),
      element('PhysicalResourceId', identity.ref),
      element('ResourceType', type),
      element('ResourceStatus', 'CREATE_COMPLETE'),
      '</member>',
    ].join(''),
  );
  return `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`;
}

async function deleteStack(context: StackContext, call: AwsCall): Promise<string> {
  const { deleted, removers } = context;
  const stack = find(context, call);
  if (stack === undefined || deleted.has(stack)) return '';
  const ending = stack.resources.filter((resource) => !isRetained(stack, resource));
  const other = ending.find(({ type }) => RETAINED_ONLY.includes(type));
  if (other !== undefined)
    throw new AwsError(
      'ValidationError',
      400,
      `${other.type} ${other.logicalId} cannot be deleted with its stack locally: only Retain runs`,
    );
  for (const resource of ending.toReversed()) await removers[resource.type]?.(resource);
  deleted.add(stack);
  return '';
}

/**
 * CloudFormation over the stacks that the account runs: describes and deletes them. Resources with
 * the deletion policy Retain stay.
 */
export function createCloudFormation({ stacks, removers }: Deployment): AwsService {
  const deleted = new Set<DeployedStack>();
  const context = { stacks, removers, deleted };

  const operations: Readonly<Record<string, (call: AwsCall) => string | Promise<string>>> = {
    DescribeStacks: (call) => describe(context, call),
    ListStackResources: (call) => list(context, call),
    GetTemplate: (call) => element('TemplateBody', JSON.stringify(found(context, call).template)),
    DeleteStack: (call) => deleteStack(context, call),
  };

  const actionOf = (call: AwsCall): string => {
    const action = parametersOf(call).get('Action') ?? '';
    if (!ACTIONS.includes(action))
      throw new AwsError('InvalidAction', 400, `CloudFormation ${action} does not run locally.`);
    return action;
  };

  return {
    signingName: 'cloudformation',
    accesses: (call) => [
      { action: `cloudformation:${actionOf(call)}`, resource: find(context, call)?.id ?? '*' },
    ],
    handle: async (call) => {
      const action = actionOf(call);
      const result = await operations[action]?.(call);
      return xml(
        200,
        `<${action}Response xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><${action}Result>${result ?? ''}</${action}Result></${action}Response>`,
      );
    },
    failure: queryFailure,
    close: () => Promise.resolve(),
  };
}
