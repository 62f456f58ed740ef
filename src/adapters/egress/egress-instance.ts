import type { EgressClient } from '../../core/egress/egress-client.ts';
import { machineInstance, type Instance } from '../instance.ts';
import { createHttpsEgressClient } from './https-egress-client.ts';

/** An instance of a function that sends requests to the internet. */
export interface EgressInstance extends Instance {
  readonly createEgress: () => EgressClient;
}

/** As `machineInstance`, but apart from it: no other function bundles the client. */
export function machineEgressInstance(): EgressInstance {
  const instance = machineInstance();
  return { ...instance, createEgress: () => createHttpsEgressClient(instance.platform) };
}
