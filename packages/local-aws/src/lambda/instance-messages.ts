import type { SharedClock } from '../clock.ts';

/** The settings that the worker of a function instance gets. */
export interface InstanceSettings {
  readonly taskRoot: string;
  readonly handler: string;
  readonly functionName: string;
  readonly memoryMb: number;
  readonly logGroup: string;
  readonly logStream: string;
  /** PEM texts that TLS clients accept in addition to Node's own. */
  readonly trustedCertificates: readonly string[];
  /** Removed from the environment before the function's code is loaded. */
  readonly hiddenVariables: readonly string[];
  /** Sets `Date`. Default: the machine's time. */
  readonly clock?: SharedClock;
}

/**
 * Host to worker: run the handler once. `deadline` is in milliseconds since the epoch, by the
 * machine's time.
 */
export interface InvocationMessage {
  readonly requestId: string;
  readonly payload: string;
  readonly invokedFunctionArn: string;
  readonly deadline: number;
}

/**
 * Worker to host. `initialized` comes first and once; a `failure` in it means that the code did not
 * load.
 */
export type InstanceMessage =
  | { readonly kind: 'initialized'; readonly failure?: string }
  | { readonly kind: 'result'; readonly payload: string }
  | { readonly kind: 'failure'; readonly payload: string };
