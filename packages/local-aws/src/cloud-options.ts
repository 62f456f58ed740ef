import type { CdkApp } from './assembly/app-key.ts';
import type { Stack } from './assembly/read-assembly.ts';
import type { ExtendGateway } from './gateway/local-gateway.ts';
import type { AccessKey } from './iam/role-registry.ts';
import type { InvocationOutcome } from './lambda/function-definition.ts';

/** The app before it accepts any call except those of {@link CloudOptions.prepare}. */
export interface PreparedApp {
  /** The outputs of the stacks, by name. */
  readonly outputs: ReadonlyMap<string, string>;
  /** Invokes a function as the administrator. Never rejects: a failure is an outcome. */
  readonly invoke: (functionName: string, payload: string) => Promise<InvocationOutcome>;
}

export interface CloudOptions {
  /** The folder of a synthesized app (`cdk.out`), or a CDK app to synthesize first. */
  readonly app: string | CdkApp;
  /** A stage of the app of a folder, by its path or the end of it. */
  readonly stage?: string;
  /** Returns the stacks of the app of a folder that run. Default: all. */
  readonly select?: (stacks: readonly Stack[]) => readonly Stack[];
  /** The folder for synthesized apps, the compile cache and logs. */
  readonly workDirectory: string;
  /** Default: a folder in `workDirectory`. Only the one who starts the app may write to it. */
  readonly compileCache?: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Keeps state across starts; without it state is in memory. */
  readonly dataDirectory?: string;
  /** How long a scheduled minute lasts. Default 60. */
  readonly tickSeconds?: number;
  /** Faults to inject once everything is ready, and the seed of their chances. Default: none, 1. */
  readonly faults?: readonly string[];
  readonly faultSeed?: number;
  /**
   * Receives one line about each condition that the user should know, such as a full disk. Default:
   * standard error.
   */
  readonly report?: (line: string) => void;
  /**
   * Receives each output line of a function whose role may not write logs; AWS drops them. Default:
   * dropped.
   */
  readonly onUnlogged?: (functionName: string, line: string) => void;
  /** Receives each logged line of the app's functions. */
  readonly onLogged?: (functionName: string, line: string) => void;
  /** Certificates in PEM form that functions accept in addition to Node's own. Default: none. */
  readonly trustedCertificates?: readonly string[];
  /** Prints logs through this instead of writing them to files. */
  readonly printLogs?: (text: string) => void;
  /**
   * Runs once functions can be invoked, before the API and the schedules start. A rejection fails
   * the start.
   */
  readonly prepare?: (app: PreparedApp) => Promise<void>;
  readonly extendGateway?: ExtendGateway;
  /** Receives the next step of the start, if it takes longer than a moment. */
  readonly onProgress?: (step: string) => void;
  /** Aborts the start; everything that was started is stopped. */
  readonly signal?: AbortSignal;
}

export interface Cloud {
  readonly baseUrl: string;
  readonly awsEndpointUrl: string;
  readonly region: string;
  /** The access key of the account's administrator; each start makes a new one. */
  readonly administrator: AccessKey;
  /** Where logs are written; `undefined` if they are printed. */
  readonly logDirectory: string | undefined;
  close(): Promise<void>;
}
