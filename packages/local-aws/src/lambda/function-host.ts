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

// oxlint-disable-next-line max-lines-per-function -- one owner of the functions and their pools
export function createFunctionHost(options: FunctionHostOptions): FunctionHost {
  const definitions = new Map<string, FunctionDefinition>();
  const qualifiers = new Set<string>();
  const permissions: FunctionPermission[] = [];
  const pools = new Map<string, FunctionPool>();
  const reserved = new Map<string, number>();
  const retiring = new Set<FunctionPool>();
  let endpointUrl = '';
  let compileCacheFolder: string | undefined;

  function find(functionName: string, explicitQualifier?: string): FoundFunction {
    const { name, qualifier = explicitQualifier } = parseFunctionName(functionName);
    const definition = definitions.get(name);
    const known =
      qualifier === undefined || qualifier === '$LATEST' || qualifiers.has(`${name}:${qualifier}`);
    if (definition === undefined || !known)
      throw new AwsError('ResourceNotFoundException', 404, `Function not found: ${functionName}`, {
        Type: 'User',
      });
    return { definition, arn: qualifier === undefined ? definition.arn : `${definition.arn}:${qualifier}` };
  }

  function environmentOf(definition: FunctionDefinition, awsEndpointUrl: string) {
    const credentials = options.credentialsFor(definition.roleArn);
    return functionEnvironment(definition, options.region, credentials, awsEndpointUrl);
  }

  function startInstanceOf(definition: FunctionDefinition): FunctionInstance {
    return startInstance({
      definition,
      environment: environmentOf(definition, endpointUrl),
      log: (text) => {
        options.log(definition.name, text);
      },
      trustedCertificates: options.trustedCertificates ?? [],
      ...(options.kills !== undefined && { kills: options.kills }),
      ...(compileCacheFolder !== undefined && { compileCache: compileCacheFolder }),
      ...(options.clock !== undefined && { clock: options.clock }),
    });
  }

  async function load(definition: FunctionDefinition): Promise<void> {
    const instance = startInstanceOf(definition);
    await instance.initialized;
    await instance.stop();
  }

  const reservedOf = ({ name, reservedConcurrency }: FunctionDefinition): number | undefined =>
    reserved.get(name) ?? reservedConcurrency;

  function createPool(definition: FunctionDefinition): FunctionPool {
    const cap = options.maxInstancesPerFunction ?? DEFAULT_INSTANCES;
    return createFunctionPool({
      startInstance: () => startInstanceOf(definition),
      maxInstances: () => Math.min(cap, reservedOf(definition) ?? cap),
      maxQueued: options.maxQueuedPerFunction ?? 1000,
      // On one machine a start slows down the running ones: a burst must not start eight.
      maxStarting: 1,
      idleMs: options.idleMs ?? 90_000,
      ...(options.observerOf !== undefined && { observer: options.observerOf(definition.name) }),
    });
  }

  return {
    define: (definition) => {
      definitions.set(definition.name, definition);
    },
    defineQualifier: (functionName, qualifier) => {
      qualifiers.add(`${parseFunctionName(functionName).name}:${qualifier}`);
    },
    permit: (permission) => {
      permissions.push({ ...permission, functionName: parseFunctionName(permission.functionName).name });
    },
    isPermitted: (functionName, principal, sourceArn) => {
      const { name } = parseFunctionName(functionName);
      return permissions.some(
        (permission) =>
          permission.functionName === name &&
          permission.principal === principal &&
          (permission.sourceArn === undefined || matchesArn(permission.sourceArn, sourceArn)),
      );
    },
    has: (name) => definitions.has(name),
    remove: async (name) => {
      const pool = pools.get(name);
      definitions.delete(name);
      pools.delete(name);
      await pool?.close();
    },
    all: () => [...definitions.values()],
    instancesOf: (name) => pools.get(name)?.instanceCount ?? 0,
    reserve: (name, count) => {
      if (count === undefined) reserved.delete(name);
      else reserved.set(name, count);
      const [pool, definition] = [pools.get(name), definitions.get(name)];
      if (count !== 0 || pool === undefined || definition === undefined) return;
      // What its instances have in memory must not outlive a stop.
      pools.set(name, createPool(definition));
      retiring.add(pool);
      void pool.retire().then(() => retiring.delete(pool));
    },
    reservedOf,
    find,
    invoke: async (functionName, payload, requestId = randomUUID()) => {
      const { definition, arn } = find(functionName);
      const pool = pools.get(definition.name);
      if (pool === undefined)
        throw new Error(`${definition.name} was invoked before the function host was started`);
      requirePayloadSize(payload);
      return await pool.invoke({ requestId, payload, invokedFunctionArn: arn });
    },
    environments: () =>
      [...definitions.values()].map((definition) => ({
        name: definition.name,
        environment: environmentOf(definition, endpointUrl),
      })),
    start: (awsEndpointUrl, compileCache) => {
      endpointUrl = awsEndpointUrl;
      compileCacheFolder = compileCache;
      for (const definition of definitions.values()) {
        pools.set(definition.name, createPool(definition));
      }
    },
    load: async () => {
      await Promise.all([...definitions.values()].map(load));
    },
    close: async () => {
      await Promise.all([...pools.values(), ...retiring].map((pool) => pool.close()));
    },
  };
}
