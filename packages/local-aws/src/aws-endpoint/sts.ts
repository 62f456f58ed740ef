import { AwsError, type AwsCall, type AwsResponse, type AwsService } from '../aws-service.ts';

function xml(status: number, body: string): AwsResponse {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * STS with the one call by which command lines identify themselves: GetCallerIdentity, which needs
 * no permission.
 */
export function createSts({ accountId }: { readonly accountId: string }): AwsService {
  function requireGetCallerIdentity(call: AwsCall): void {
    const action = new URLSearchParams(call.body.toString('utf8')).get('Action') ?? '';
    if (action !== 'GetCallerIdentity') {
      throw new AwsError('InvalidAction', 400, `STS ${action} does not run locally.`);
    }
  }

  function identity({ principal }: AwsCall): string {
    const arn = principal.kind === 'role' ? principal.roleArn : `arn:aws:iam::${accountId}:root`;
    return [
      '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>',
      `<Arn>${text(arn)}</Arn><UserId>${text(arn)}</UserId><Account>${accountId}</Account>`,
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
    failure: ({ code, status, message }) =>
      xml(
        status,
        `<ErrorResponse><Error><Type>Sender</Type><Code>${text(code)}</Code><Message>${text(message)}</Message></Error></ErrorResponse>`,
      ),
    close: () => Promise.resolve(),
  };
}
