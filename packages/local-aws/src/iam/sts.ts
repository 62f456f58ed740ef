import { AwsError, type AwsCall, type AwsService } from '../aws-service.ts';
import { parametersOf, queryFailure, xml, xmlText } from '../query-protocol.ts';

/**
 * STS with the one call by which command lines identify themselves: GetCallerIdentity, which needs
 * no permission.
 */
export function createSts({ accountId }: { readonly accountId: string }): AwsService {
  function requireGetCallerIdentity(call: AwsCall): void {
    const action = parametersOf(call).get('Action') ?? '';
    if (action !== 'GetCallerIdentity') {
      throw new AwsError('InvalidAction', 400, `STS ${action} does not run locally.`);
    }
  }

  function identity({ principal }: AwsCall): string {
    const arn = principal.kind === 'role' ? principal.roleArn : `arn:aws:iam::${accountId}:root`;
    return [
      '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>',
      `<Arn>${xmlText(arn)}</Arn><UserId>${xmlText(arn)}</UserId><Account>${accountId}</Account>`,
      '</GetCallerIdentityResult></GetCallerIdentityResponse>',
    ].join('');
  }

  return {
    signingName: 'sts',
    accesses: (call) => {
      requireGetCallerIdentity(call);
      return [];
    },
    handle: (call) => Promise.resolve(xml(200, identity(call))),
    failure: queryFailure,
    close: () => Promise.resolve(),
  };
}
