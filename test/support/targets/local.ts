import { setTimeout as sleep } from 'node:timers/promises';
import { advanceClock } from '../advance-clock.ts';
import { readCredentials, type Credentials } from '../credentials.ts';
import { startDestination, type TestDestination } from '../destination.ts';
import { operatorOf } from '../operator.ts';
import { runService, TEST_SETTINGS } from '../run-service.ts';
import type { Target, TargetCredentials } from './target.ts';

/** The certificate that the shared service trusts, if this machine can make one. */
const certificateOfRun = (): { readonly keyFile: string; readonly certFile: string } | undefined => {
  const { CLOAKROOM_CERTIFICATE: text = '' } = process.env;
  return text === '' ? undefined : (JSON.parse(text) as { keyFile: string; certFile: string });
};

const tenantsOf = (credentials: Credentials) => async (name: string) => {
  const created = await operatorOf(credentials, { command: 'create-tenant', name });
  return { ...(created as unknown as TargetCredentials), base_url: credentials.base_url };
};

/** A service of its own, whose clock the suite moves. */
async function apart(): Promise<Target> {
  const service = await runService(TEST_SETTINGS);
  let aheadMs = 0;
  return {
    name: 'local',
    allowsPackages: true,
    credentials: service.credentials,
    now: () => Date.now() + aheadMs,
    shortLifetimeMs: 60_000,
    pass: async (ms) => {
      await advanceClock(service.credentials, ms / 1_000);
      aheadMs += ms;
    },
    createTenant: tenantsOf(service.credentials),
    close: async () => void (await service.stop()),
  };
}

/** The service that all suites of the run share, as `npm start` runs it. */
export function localTarget(): Target {
  const credentials = readCredentials(process.env['CLOAKROOM_CREDENTIALS'] ?? '');
  const certificate = certificateOfRun();
  const servers: TestDestination[] = [];
  return {
    name: 'local',
    allowsPackages: true,
    credentials,
    now: Date.now,
    shortLifetimeMs: 15_000,
    pass: (ms) => sleep(ms),
    createTenant: tenantsOf(credentials),
    ...(certificate && {
      openDestination: async () => {
        const server = await startDestination(certificate);
        servers.push(server);
        return server;
      },
    }),
    openApart: apart,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}
