import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { AwsError } from '../aws-service.ts';
import type { SharedClock } from '../clock.ts';
import type { RoleCredentials } from '../iam/role-registry.ts';
import { matchesArn } from '../iam/wildcard.ts';
import {
  requirePayloadSize,
  type FunctionDefinition,
  type InvocationOutcome,
} from './function-definition.ts';
import { functionEnvironment } from './function-environment.ts';
import { startInstance, type FunctionInstance, type FunctionKills } from './function-instance.ts';
import { parseFunctionName } from './function-name.ts';
import { createFunctionPool, type FunctionPool, type InvocationObserver } from './function-pool.ts';

export interface FunctionPermission {
  /** Name or ARN. */
  readonly functionName: string;
  /** `apigateway.amazonaws.com`, `events.amazonaws.com`, ... */
  readonly principal: string;
  /** An ARN pattern; without it every source of the principal is allowed. */
  readonly sourceArn?: string;
}

/** The ARN is as the caller wrote it: it contains the qualifier if the caller named one. */
export interface FoundFunction {
  readonly definition: FunctionDefinition;
  readonly arn: string;
}

export interface FunctionHostOptions {
  readonly region: string;
  readonly credentialsFor: (roleArn: string) => RoleCredentials;
  /** Receives the output of functions, in pieces. */
  readonly log: (functionName: string, text: string) => void;
  /** Default: as many as cores, 4 to 8. A function's reserved concurrency lowers it. */
  readonly maxInstancesPerFunction?: number;
  /** Invocations that may wait while all instances are busy. Default 1000. */
  readonly maxQueuedPerFunction?: number;
  /**
   * An instance that was idle this long is stopped. Default 90 s, so that a function with a
   * schedule of one minute stays warm.
   */
  readonly idleMs?: number;
  /** Certificates in PEM form that functions accept in addition to Node's own. Default: none. */
  readonly trustedCertificates?: readonly string[];
  /** Decides which invocations are killed. Default: none. */
  readonly kills?: FunctionKills;
  /** Sets `Date` in functions. Default: the machine's time. */
  readonly clock?: SharedClock;
  /** Returns the observer of a function's invocations. Default: none. */
  readonly observerOf?: (functionName: string) => InvocationObserver;
}

/** More than the cores can run would only load the same code again. Nested calls need several. */
const DEFAULT_INSTANCES = Math.min(8, Math.max(4, availableParallelism()));

export interface FunctionHost {
  define(definition: FunctionDefinition): void;
  /**
   * Makes `function:qualifier` (a version or an alias) another name of the function; the code is
   * the same here.
   */
  defineQualifier(functionName: string, qualifier: string): void;
  permit(permission: FunctionPermission): void;
  isPermitted(functionName: string, principal: string, sourceArn: string): boolean;
  has(name: string): boolean;
  /** Ends a function; running invocations end first. */
  remove(name: string): Promise<void>;
  all(): readonly FunctionDefinition[];
  /** How many instances of a function run. */
  instancesOf(name: string): number;
  /**
   * Changes the reserved concurrency of a function: 0 refuses every invocation and ends its
   * instances, those that run after their invocation. Without a count the template's applies again.
   */
  reserve(name: string, count: number | undefined): void;
  /** The reserved concurrency of a function, if it has one. */
  reservedOf(definition: FunctionDefinition): number | undefined;
  /**
   * Accepts a name, an ARN or a partial ARN, each with or without a qualifier. Throws
   * {@link AwsError} `ResourceNotFoundException`.
   */
  find(functionName: string, qualifier?: string): FoundFunction;
  /**
   * Runs a function once; its failure is an outcome. Throws {@link AwsError} for an unknown
   * function, a payload over 6 MB (`RequestTooLargeException`) and too many waiting invocations.
   */
  invoke(functionName: string, payload: string, requestId?: string): Promise<InvocationOutcome>;
  /**
   * Each function with its environment, once the host has started: everything that it needs to run
   * its code elsewhere.
   */
  environments(): readonly {
    readonly name: string;
    readonly environment: Readonly<Record<string, string>>;
  }[];
  /**
   * No function can be invoked before. A function's first invocation starts its first instance.
   * Node caches compiled code for the next instance in the folder `compileCache`. Default: nowhere.
   */
  start(awsEndpointUrl: string, compileCache?: string): void;
  /** Loads the code of every function once, which fills the compile cache. Never rejects. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** Owns the functions and the pools of their instances. */
class WorkerFunctionHost implements FunctionHost {
  readonly #options: FunctionHostOptions;
  readonly #definitions = new Map<string, FunctionDefinition>();
  readonly #qualifiers = new Set<string>();
  readonly #permissions: FunctionPermission[] = [];
  readonly #pools = new Map<string, FunctionPool>();
  readonly #reserved = new Map<string, number>();
  readonly #retiring = new Set<FunctionPool>();
  #endpointUrl = '';
  #compileCache: string | undefined;

  constructor(options: FunctionHostOptions) {
    this.#options = options;
  }

  define(definition: FunctionDefinition): void {
    this.#definitions.set(definition.name, definition);
  }

  defineQualifier(functionName: string, qualifier: string): void {
    this.#qualifiers.add(`${parseFunctionName(functionName).name}:${qualifier}`);
  }

  permit(permission: FunctionPermission): void {
    const { name } = parseFunctionName(permission.functionName);
    this.#permissions.push({ ...permission, functionName: name });
  }

  isPermitted(functionName: string, principal: string, sourceArn: string): boolean {
    const { name } = parseFunctionName(functionName);
    return this.#permissions.some(
      (permission) =>
        permission.functionName === name &&
        permission.principal === principal &&
        (permission.sourceArn === undefined || matchesArn(permission.sourceArn, sourceArn)),
    );
  }

  has(name: string): boolean {
    return this.#definitions.has(name);
  }

  async remove(name: string): Promise<void> {
    const pool = this.#pools.get(name);
    this.#definitions.delete(name);
    this.#pools.delete(name);
    await pool?.close();
  }

  all(): readonly FunctionDefinition[] {
    return [...this.#definitions.values()];
  }

  instancesOf(name: string): number {
    return this.#pools.get(name)?.instanceCount ?? 0;
  }

  reserve(name: string, count: number | undefined): void {
    if (count === undefined) this.#reserved.delete(name);
    else this.#reserved.set(name, count);
    const pool = this.#pools.get(name);
    const definition = this.#definitions.get(name);
    if (count !== 0 || pool === undefined || definition === undefined) return;
    // The memory of its instances must not outlive a stop.
    this.#pools.set(name, this.#createPool(definition));
    this.#retiring.add(pool);
    void pool.retire().then(() => this.#retiring.delete(pool));
  }

  reservedOf({ name, reservedConcurrency }: FunctionDefinition): number | undefined {
    return this.#reserved.get(name) ?? reservedConcurrency;
  }

  find(functionName: string, explicitQualifier?: string): FoundFunction {
    const { name, qualifier = explicitQualifier } = parseFunctionName(functionName);
    const definition = this.#definitions.get(name);
    const known =
      qualifier === undefined || qualifier === '$LATEST' || this.#qualifiers.has(`${name}:${qualifier}`);
    if (definition === undefined || !known)
      throw new AwsError('ResourceNotFoundException', 404, `Function not found: ${functionName}`, {
        Type: 'User',
      });
    return { definition, arn: qualifier === undefined ? definition.arn : `${definition.arn}:${qualifier}` };
  }

  async invoke(
    functionName: string,
    payload: string,
    requestId: string = randomUUID(),
  ): Promise<InvocationOutcome> {
    const { definition, arn } = this.find(functionName);
    const pool = this.#pools.get(definition.name);
    if (pool === undefined)
      throw new Error(`${definition.name} was invoked before the function host was started`);
    requirePayloadSize(payload);
    return await pool.invoke({ requestId, payload, invokedFunctionArn: arn });
  }

  environments(): ReturnType<FunctionHost['environments']> {
    return this.all().map((definition) => ({
      name: definition.name,
      environment: this.#environmentOf(definition),
    }));
  }

  start(awsEndpointUrl: string, compileCache?: string): void {
    this.#endpointUrl = awsEndpointUrl;
    this.#compileCache = compileCache;
    for (const definition of this.all()) this.#pools.set(definition.name, this.#createPool(definition));
  }

  async load(): Promise<void> {
    await Promise.all(
      this.all().map(async (definition) => {
        const instance = this.#startInstance(definition);
        await instance.initialized;
        await instance.stop();
      }),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values(), ...this.#retiring].map((pool) => pool.close()));
  }

  #environmentOf(definition: FunctionDefinition): Readonly<Record<string, string>> {
    const credentials = this.#options.credentialsFor(definition.roleArn);
    return functionEnvironment(definition, this.#options.region, credentials, this.#endpointUrl);
  }

  #startInstance(definition: FunctionDefinition): FunctionInstance {
    const { log, trustedCertificates = [], kills, clock } = this.#options;
    return startInstance({
      definition,
      environment: this.#environmentOf(definition),
      log: (text) => {
        log(definition.name, text);
      },
      trustedCertificates,
      ...(kills !== undefined && { kills }),
      ...(this.#compileCache !== undefined && { compileCache: this.#compileCache }),
      ...(clock !== undefined && { clock }),
    });
  }

  #createPool(definition: FunctionDefinition): FunctionPool {
    const { maxInstancesPerFunction, maxQueuedPerFunction = 1000, idleMs = 90_000 } = this.#options;
    const { observerOf } = this.#options;
    const cap = maxInstancesPerFunction ?? DEFAULT_INSTANCES;
    return createFunctionPool({
      startInstance: () => this.#startInstance(definition),
      maxInstances: () => Math.min(cap, this.reservedOf(definition) ?? cap),
      maxQueued: maxQueuedPerFunction,
      // On one machine a start slows down the running ones: a burst must not start eight.
      maxStarting: 1,
      idleMs,
      ...(observerOf !== undefined && { observer: observerOf(definition.name) }),
    });
  }
}

export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  return new WorkerFunctionHost(options);
}
