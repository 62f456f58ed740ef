import type { CloudWatch } from './create-cloudwatch.ts';

const NAMES = ['Count', '4xx', '5xx', 'Latency'] as const;

/** Counts the responses of an HTTP API as API Gateway does. */
export function gatewayObserver(
  { find }: Pick<CloudWatch, 'find'>,
  apiId: string,
): (status: number, latencyMs: number) => void {
  const [count, clientErrors, serverErrors, latency] = NAMES.map((name) =>
    find({ namespace: 'AWS/ApiGateway', name, dimensions: { ApiId: apiId } }),
  );
  return (status, latencyMs) => {
    count?.add(1);
    clientErrors?.add(status >= 400 && status < 500 ? 1 : 0);
    serverErrors?.add(status >= 500 ? 1 : 0);
    // API Gateway measures whole milliseconds.
    latency?.add(Math.round(latencyMs));
  };
}
