import {
  AwsError,
  type AwsCall,
  type AwsResponse,
  type AwsService,
} from '../../../packages/local-aws/src/aws-service.ts';
import type { CloudFunction } from '../../support/fakes/reactor-functions.ts';

/** One run of code: its arguments, in which expressions are filled in. */
export type OnRun = (args: Readonly<Record<string, unknown>>) => void;

export interface RunnerModelOptions {
  /** The functions of reactors, by the names that the service invokes. */
  readonly find: (functionName: string) => CloudFunction | undefined;
  readonly pause: (ms: number) => Promise<void>;
  /** How long the code of a run takes, in ms. Called for each run. */
  readonly runMs: (args: Readonly<Record<string, unknown>>) => number;
  readonly onRun: OnRun;
}

interface Payload {
  readonly code_sha256: string;
  readonly request: { readonly args: Readonly<Record<string, unknown>> };
  readonly timeout_ms: number;
  readonly probe?: boolean;
}

const INVOKE = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/**
 * Lambda as the service invokes reactors, with the responses of their runtime
 * (docs/reactors.md#the-runtime). All code is `module.exports = (req) => ({ raw: req.args })`, and
 * takes its time.
 */
export function createRunnerModel({ find, pause, runMs, onRun }: RunnerModelOptions): AwsService {
  const respond = (status: number, body: object): AwsResponse => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  async function run({ request, timeout_ms: timeoutMs }: Payload): Promise<object> {
    onRun(request.args);
    const takesMs = runMs(request.args);
    await pause(Math.min(takesMs, timeoutMs));
    return takesMs > timeoutMs
      ? { outcome: 'timed_out' }
      : { outcome: 'returned', value: { raw: request.args } };
  }

  return {
    signingName: 'lambda',
    accesses: () => [],
    handle: async ({ path, query, body }: AwsCall) => {
      const [, name = ''] = INVOKE.exec(path) ?? [];
      const found = find(name);
      const qualifier = query.get('Qualifier') ?? 'live';
      const version = qualifier === 'live' ? found?.live : qualifier;
      const hash = found?.versions.get(version ?? '');
      if (hash === undefined)
        throw new AwsError('ResourceNotFoundException', 404, `Function not found: ${name}`);
      const payload = JSON.parse(body.toString()) as Payload;
      if (payload.code_sha256 !== hash) return respond(200, { outcome: 'stale' });
      return respond(200, payload.probe === true ? { outcome: 'loaded' } : await run(payload));
    },
    failure: ({ code, status, message }) => {
      const failed = respond(status, { message });
      return { ...failed, headers: { ...failed.headers, 'x-amzn-errortype': code } };
    },
    close: () => Promise.resolve(),
  };
}
