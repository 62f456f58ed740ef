import { z } from 'zod';
import { AwsError, type AwsCall, type AwsResponse, type AwsService } from '../aws-service.ts';

export interface LogGroups extends AwsService {
  remove(name: string): void;
}

const ACTIONS = ['DescribeLogGroups', 'DeleteLogGroup'];
const described = z.strictObject({
  logGroupNamePrefix: z.string().default(''),
  nextToken: z.string().optional(),
});
const deleted = z.strictObject({ logGroupName: z.string() });

/**
 * CloudWatch Logs with the names and keys of the log groups alone: their lines are in the files of
 * the account.
 */
export function createLogGroups(
  { accountId, region }: { readonly accountId: string; readonly region: string },
  defined: readonly { readonly name: string; readonly keyArn: string | undefined }[],
): LogGroups {
  const groups = new Map(defined.map(({ name, keyArn }) => [name, keyArn]));

  function respond(status: number, body: unknown): AwsResponse {
    return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
  }

  function inputOf<T>(schema: z.ZodType<T>, { body }: AwsCall): T {
    const parsed = schema.safeParse(JSON.parse(body.toString('utf8')));
    if (!parsed.success) throw new AwsError('InvalidParameterException', 400, z.prettifyError(parsed.error));
    return parsed.data;
  }

  function requireAction({ target = '' }: AwsCall): string {
    if (ACTIONS.includes(target)) return target;
    throw new AwsError('UnknownOperationException', 400, `CloudWatch Logs ${target} does not run locally.`);
  }

  function resultOf(call: AwsCall): unknown {
    if (requireAction(call) === 'DescribeLogGroups') {
      const { logGroupNamePrefix: prefix } = inputOf(described, call);
      const found = [...groups].filter(([name]) => name.startsWith(prefix)).toSorted();
      return {
        logGroups: found.map(([logGroupName, kmsKeyId]) => ({ logGroupName, storedBytes: 0, kmsKeyId })),
      };
    }
    const { logGroupName } = inputOf(deleted, call);
    if (!groups.delete(logGroupName))
      throw new AwsError('ResourceNotFoundException', 400, 'The specified log group does not exist.');
    return {};
  }

  return {
    signingName: 'logs',
    accesses: (call) => [
      { action: `logs:${requireAction(call)}`, resource: `arn:aws:logs:${region}:${accountId}:log-group:*` },
    ],
    handle: (call) => Promise.resolve().then(() => respond(200, resultOf(call))),
    failure: ({ code, status, message }) => respond(status, { __type: code, message }),
    close: () => Promise.resolve(),
    remove: (name) => {
      groups.delete(name);
    },
  };
}
