import { testCertificate } from '../../test/support/destination.ts';
import { runService, TEST_SETTINGS, type RunningService } from '../../test/support/run-service.ts';

/** A local service to measure, with the certificate of the destinations that it trusts. */
export interface BenchService extends Pick<RunningService, 'credentials' | 'pid'> {
  readonly certificate: ReturnType<typeof testCertificate>;
  stop(): Promise<void>;
}

/** In a smoke run, the service that all sections share, as JSON. */
const SHARED_VARIABLE = 'BENCH_SERVICE';

/**
 * Starts a service in which no schedule runs. Its responses are not compared with the OpenAPI
 * document, since that would be measured too.
 */
export async function startBenchService(): Promise<BenchService> {
  const shared = process.env[SHARED_VARIABLE];
  if (shared !== undefined) return { ...(JSON.parse(shared) as BenchService), stop: () => Promise.resolve() };
  const certificate = testCertificate();
  const service = await runService(
    TEST_SETTINGS,
    { NODE_EXTRA_CA_CERTS: certificate.certFile },
    { contract: '' },
  );
  return {
    credentials: service.credentials,
    pid: service.pid,
    certificate,
    stop: async () => {
      await service.stop();
    },
  };
}

/** Makes the programs that this one starts from now on share a service. */
export function shareService({ credentials, pid, certificate }: BenchService): void {
  process.env[SHARED_VARIABLE] = JSON.stringify({ credentials, pid, certificate });
}
