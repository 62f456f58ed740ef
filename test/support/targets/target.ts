import type { TestDestination } from '../destination.ts';

/** A caller of a service knows these, by the names of the credentials file. */
export interface TargetCredentials {
  readonly base_url: string;
  readonly tenant_id: string;
  readonly management_key: string;
  /** Absent where only an operator of the deployment knows it. */
  readonly webhook_secret?: string;
}

/** A service that the suites of test/interface call, and what can be done around it. */
export interface Target {
  readonly name: 'memory' | 'local' | 'deployed';
  readonly credentials: TargetCredentials;
  /** Returns the time of the service, in ms since the epoch. */
  readonly now: () => number;
  /**
   * The lifetime in ms of what a test uses and then sees ended. Where time passes by itself, some
   * requests fit into it even on a slow machine.
   */
  readonly shortLifetimeMs: number;
  /** Lets time pass, by waiting or by moving the clock. */
  readonly pass: (ms: number) => Promise<void>;
  /** Present if reactors may bring packages, which is a setting of the deployment. */
  readonly allowsPackages?: true;
  /** Creates a tenant; absent where only an operator of the deployment can. */
  readonly createTenant?: (name: string) => Promise<TargetCredentials>;
  /**
   * Starts a server that the service reaches as `https://localhost:<port>`, if that is possible.
   */
  readonly openDestination?: () => Promise<TestDestination>;
  /** Starts a service apart, whose clock moves in a moment, if that is possible. */
  readonly openApart?: () => Promise<Target>;
  readonly close: () => Promise<void>;
}

declare global {
  var cloakroomTarget: Target | undefined;
}

/** The target of this suite: test/support/shared-modules/environment.ts sets it. */
export function target(): Target {
  const found = globalThis.cloakroomTarget;
  if (found === undefined) throw new Error('this suite has no service: see jest.config.js');
  return found;
}
