import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { dependencies as reactorsDeps } from '../../functions/reactors/dependencies.ts';
import { routes as reactorsRoutes } from '../../functions/reactors/routes.ts';
import {
  API_FUNCTIONS,
  BACKGROUND_FUNCTIONS,
  ENVIRONMENT,
  type Environment,
  type FunctionDefinition,
  type Handler,
} from '../../packages/testing/src/functions.ts';
import type { EgressInstance } from '../../src/adapters/egress/egress-instance.ts';
import type { EgressClient } from '../../src/core/egress/egress-client.ts';
import type { ReactorFunctions } from '../../src/core/reactors/reactor-functions.ts';
import { createApiHandler } from '../../src/http/create-api-handler.ts';
import { OPERATING_FUNCTIONS } from '../support/operating-functions.ts';
import type { Account } from './account.ts';
import { clientConfiguration, type CallsOptions } from './calls.ts';
import type { Life } from './life.ts';
import { CVC_LIFETIME_MS } from './steps/cards.ts';

export type { Handler } from '../../packages/testing/src/functions.ts';

/** Besides what an instance takes from a machine: the control plane of Lambda, which is a model. */
export interface SimulatedInstance extends EgressInstance {
  readonly reactorFunctions: ReactorFunctions;
}

/** A function of the service, as the testing package has them, in an instance of the simulation. */
interface SimulatedFunction extends Pick<FunctionDefinition, 'timeoutMs'> {
  readonly start: (env: Environment, instance: SimulatedInstance) => Handler;
}

/** The functions of the service, composed as their `index.ts` compose them. */
export const FUNCTIONS = {
  ...API_FUNCTIONS,
  ...BACKGROUND_FUNCTIONS,
  ...OPERATING_FUNCTIONS,
  reactors: {
    timeoutMs: API_FUNCTIONS.reactors.timeoutMs,
    start: (env, instance) => {
      const { reactorFunctions } = instance;
      const handle = createApiHandler({ ...reactorsDeps(env, instance), reactorFunctions }, reactorsRoutes);
      return (event, context) => handle(event as APIGatewayProxyEventV2, context);
    },
  },
} as const satisfies Readonly<Record<string, SimulatedFunction>>;

export type FunctionName = keyof typeof FUNCTIONS;

/** The variables that lib/ sets, all functions' together. */
export const environmentOf = ({ keyId, sealKeyId }: Account): Environment => ({
  ...ENVIRONMENT,
  SERVICE_NAME: 'Simulation',
  KEY_ID: keyId,
  SEAL_KEY_ID: sealKeyId,
  CVC_LIFETIME_SECONDS: String(CVC_LIFETIME_MS / 1_000),
  INVOCATIONS_QUEUE_URL: 'http://simulation/invocations',
  DELIVERIES_QUEUE_URL: 'http://simulation/deliveries',
});

/** An instance has this instead of a machine. */
export function instanceOf(
  calls: CallsOptions,
  life: Life,
  surroundings: {
    readonly print: (line: string) => void;
    readonly egress: EgressClient;
    readonly reactorFunctions: ReactorFunctions;
  },
): SimulatedInstance {
  const { draws } = life;
  const platform = {
    clock: life.clock,
    worldClock: life.clock,
    random: {
      ...draws,
      fill: (buffer: Buffer, at: number, count: number) => void draws.bytes(count).copy(buffer, at),
    },
    startTimer: (ms: number, onEnd: () => void) => life.after(ms, onEnd),
    pause: (ms: number) => new Promise<void>((resolve) => void life.after(ms, resolve)),
  };
  return {
    platform,
    aws: { reach: clientConfiguration(calls, life), clock: life.clock, open: () => undefined },
    ...surroundings,
    createEgress: () => surroundings.egress,
  };
}
