import { join } from 'node:path';
import type { Logs } from '../account-logs.ts';
import type { AwsService } from '../aws-service.ts';
import type { Clock } from '../clock.ts';
import type { StorageFailure } from '../storage-failure.ts';
import type { Account } from './account.ts';
import type { DeployedStack, Removers } from './deployed-stack.ts';
import type { ResourceType } from './resource-type.ts';

/** The local account in which a service runs. */
export interface LocalAccount extends Account {
  /** Keeps state across starts; without it state is in memory. */
  readonly dataDirectory?: string;
  readonly storageFailure: StorageFailure;
  readonly clock: Clock;
  readonly logs: Logs;
  /** Adds a function that the end of the account calls; it calls the last one first. */
  readonly onClose: (close: () => Promise<void> | void) => void;
}

/** The stacks that run, and what ends their resources. */
export interface Deployment {
  readonly stacks: readonly DeployedStack[];
  readonly removers: Removers;
}

/** Handles a path below `/_local/`: returns JSON, or throws an Error for a wrong body. */
export type Control = (body: string, method: string) => unknown;

/**
 * One AWS service of the local account. A start calls `open`, `deploy`, `start` and `accept` in
 * this order, each for all services before the next.
 */
export interface LocalService {
  /** The resource types that the service runs. A resource only defines what `deploy` creates. */
  readonly resources?: Readonly<Record<string, ResourceType>>;
  readonly removers?: Removers;
  /** Each key is a path below `/_local/`. */
  readonly controls?: Readonly<Record<string, Control>>;
  /** Opens the state of the service, while the app is synthesized. */
  open?(): Promise<void> | void;
  /** Creates what the resources have defined. Returns the service that the AWS endpoint serves. */
  deploy?(deployment: Deployment): Promise<AwsService> | AwsService | undefined;
  /** Runs what calls the AWS endpoint, which listens now. */
  start?(awsEndpointUrl: string, compileCache: string): void;
  /** Accepts calls from outside: the app is prepared now. */
  accept?(): Promise<void> | void;
}

/** Merges the tables of all services into one. */
export const merged = <T>(
  tables: readonly (Readonly<Record<string, T>> | undefined)[],
): Readonly<Record<string, T>> => Object.fromEntries(tables.flatMap((table = {}) => Object.entries(table)));

/** The settings of a store, whose state is in a folder of the account's data directory. */
export function storeSettings(account: LocalAccount, folder: string) {
  const { accountId, region, dataDirectory, storageFailure } = account;
  const dataDir = dataDirectory === undefined ? undefined : join(dataDirectory, folder);
  return { accountId, region, storageFailure, ...(dataDir !== undefined && { dataDir }) };
}

/** A value that one step of a start sets and later ones read. */
export interface Later<T> {
  set(value: T): T;
  /** Throws an Error if no step has set it yet. */
  get(): T;
}

/** Creates the place of a value; `name` names it in the Error. */
export function later<T>(name: string): Later<T> {
  let known: { readonly value: T } | undefined;
  return {
    set: (value) => {
      known = { value };
      return value;
    },
    get: () => {
      if (known === undefined) throw new Error(`${name} is not open yet`);
      return known.value;
    },
  };
}
