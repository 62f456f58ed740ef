import type { AwsCall, AwsError, AwsResponse } from './aws-service.ts';

/** The parameters of a call in the query protocol of AWS, which STS and CloudFormation have. */
export const parametersOf = ({ body }: AwsCall): URLSearchParams =>
  new URLSearchParams(body.toString('utf8'));

export function xmlText(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function xml(status: number, body: string): AwsResponse {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}

export const queryFailure = ({ code, status, message }: AwsError): AwsResponse =>
  xml(
    status,
    `<ErrorResponse><Error><Type>Sender</Type><Code>${xmlText(code)}</Code><Message>${xmlText(message)}</Message></Error></ErrorResponse>`,
  );
