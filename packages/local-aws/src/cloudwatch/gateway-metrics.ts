import type { AccessLog, HttpApi } from '../gateway/gateway-definition.ts';
import type { ObservedResponse } from '../gateway/http-gateway.ts';
import type { CloudWatch } from './create-cloudwatch.ts';

const NAMES = ['Count', '4xx', '5xx', 'Latency'] as const;

/** The line of the access log, with `-` for each value that the local gateway does not have. */
function accessLine({ format }: AccessLog, { status, latencyMs, isOwn }: ObservedResponse): string {
  const values: Readonly<Record<string, string>> = {
    status: String(status),
    responseLatency: String(Math.round(latencyMs)),
    // The status that Lambda returned, and not the function.
    integrationStatus: isOwn ? '-' : '200',
  };
  return format.replaceAll(/\$context\.([\w.]+)/g, (_, name: string) => values[name] ?? '-');
}

/** Counts the responses of an HTTP API as API Gateway does, and logs them for metric filters. */
export function gatewayObserver(
  { find, logged }: Pick<CloudWatch, 'find' | 'logged'>,
  { id, stage: { accessLog } }: Pick<HttpApi, 'id' | 'stage'>,
): (response: ObservedResponse) => void {
  const [count, clientErrors, serverErrors, latency] = NAMES.map((name) =>
    find({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: id } }),
  );
  return (response) => {
    const { status, latencyMs } = response;
    count?.add(1);
    clientErrors?.add(status >= 400 && status < 500 ? 1 : 0);
    serverErrors?.add(status >= 500 ? 1 : 0);
    // API Gateway measures whole milliseconds.
    latency?.add(Math.round(latencyMs));
    if (accessLog !== undefined) logged(accessLog.logGroup, accessLine(accessLog, response));
  };
}
