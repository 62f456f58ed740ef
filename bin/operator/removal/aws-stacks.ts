import {
  CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type StackResourceSummary,
  type Stack as DescribedStack,
} from '@aws-sdk/client-cloudformation';
import { z } from 'zod';
import { CommandFailure } from '../../command-line/failures.ts';
import type { Stack, StackPlace } from './removal-account.ts';
import type { ClientSettings } from './aws-call.ts';

const template = z.object({
  Resources: z
    .record(
      z.string(),
      z.object({
        Type: z.string(),
        DeletionPolicy: z.string().optional(),
        Properties: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .default({}),
});

const isDenied = (error: unknown): boolean =>
  error instanceof Error && ['AccessDenied', 'AccessDeniedException'].includes(error.name);

/** `cdk import` writes YAML, which the next deployment replaces by JSON. */
function resourcesIn(stackName: string, body: string): Stack['template'] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new CommandFailure(`the template of ${stackName} is not JSON: complete its import with cdk deploy`);
  }
  return template.parse(parsed).Resources;
}

/** The resource, unless the stack no longer has it. */
function existing({
  LogicalResourceId: logicalId = '',
  PhysicalResourceId: physicalId,
  ResourceType: type = '',
  ResourceStatus: status,
}: StackResourceSummary): Stack['resources'] {
  return physicalId === undefined || status === 'DELETE_COMPLETE' ? [] : [{ logicalId, physicalId, type }];
}

export function stackCalls(settings: ClientSettings) {
  const clients = new Map<string | undefined, CloudFormationClient>();
  const clientOf = ({ region }: StackPlace): CloudFormationClient => {
    const client =
      clients.get(region) ??
      new CloudFormationClient({ ...settings, ...(region !== undefined && { region }) });
    clients.set(region, client);
    return client;
  };

  /** CloudFormation has no error of its own for a stack that does not exist. */
  async function described(place: StackPlace): Promise<DescribedStack | 'denied' | undefined> {
    try {
      const { Stacks = [] } = await clientOf(place).send(
        new DescribeStacksCommand({ StackName: place.name }),
      );
      return Stacks[0];
    } catch (error) {
      if (isDenied(error)) return 'denied';
      if (
        error instanceof Error &&
        error.name === 'ValidationError' &&
        error.message.endsWith('does not exist')
      )
        return undefined;
      throw error;
    }
  }

  async function stack(place: StackPlace): Promise<Stack | 'denied' | undefined> {
    const found = await described(place);
    if (found === 'denied') return found;
    if (found === undefined || found.StackStatus === 'DELETE_COMPLETE') return undefined;
    const client = clientOf(place);
    const StackName = found.StackId ?? place.name;
    const resources: Stack['resources'][number][] = [];
    for await (const page of paginateListStackResources({ client }, { StackName }))
      resources.push(...(page.StackResourceSummaries ?? []).flatMap(existing));
    const { TemplateBody = '{}' } = await client.send(new GetTemplateCommand({ StackName }));
    return {
      id: StackName,
      description: found.Description ?? '',
      isProtected: found.EnableTerminationProtection === true,
      resources,
      template: resourcesIn(place.name, TemplateBody),
    };
  }

  return {
    stack,
    stackStatus: async (place: StackPlace) => {
      const found = await described(place);
      if (found === 'denied') throw new CommandFailure(`you may not look at ${place.name}`);
      const { StackStatus: status = 'DELETE_COMPLETE', StackStatusReason: reason } = found ?? {};
      return { status, ...(reason !== undefined && { reason }) };
    },
    deleteStack: async (place: StackPlace) => {
      await clientOf(place).send(new DeleteStackCommand({ StackName: place.name }));
    },
  };
}
