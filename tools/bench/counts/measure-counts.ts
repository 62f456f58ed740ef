import { bundleProgram } from '../bundle-program.ts';
import type { CallRecord } from '../../../packages/local-aws/src/aws-endpoint/call-counter.ts';
import { startDestination } from '../../../test/support/destination.ts';
import { startBenchService } from '../bench-service.ts';
import { environmentOf, functionEnvironments } from '../local-functions.ts';
import { startInstance, type Instance } from '../warm/measure-warm.ts';
import { ROLES, type CountedOperation } from './counted-operation.ts';
import { countedOperations } from './operations.ts';
import { otherOperations } from './other-operations.ts';
import { openTrail, type StoredTrail } from './stored-trail.ts';
import { openWire, wireCost, withinMinute, type Wire, type WireCost } from './wire.ts';

/** The cost of an operation as the first one of a new instance, and as a later one. */
export interface OperationCount {
  readonly name: string;
  readonly cold: WireCost;
  readonly warm: WireCost;
  /**
   * Bytes that AWS bills for what it leaves in the audit trail, with the programs afterwards.
   */
  readonly trailBytes: number;
  /** Bytes of the request's body. */
  readonly bodyBytes: number;
  /** Programs that run after the response, one after the other. */
  readonly afterwards: readonly { readonly name: string; readonly warm: WireCost }[];
}

/** No queue or reactor waits longer than this. */
const QUIET_MS = 2_000;
/** The programs behind an asynchronous invocation, by the names of their roles. */
const AFTERWARDS = { 'reactor-worker': /Worker/, 'webhook-sender': /Sender/ } as const;
async function count(
  wire: Wire,
  trail: StoredTrail,
  operation: CountedOperation,
  start: () => Promise<Instance>,
): Promise<OperationCount> {
  const { name, folder, status, event } = operation;
  let instance = await start();
  const isLater = status === 202;
  let bodyBytes = 0;
  async function prepared(): Promise<object> {
    const made = await event();
    bodyBytes = 'body' in made ? Buffer.byteLength(String(made.body)) : 0;
    return made;
  }
  const run = (made: object): Promise<readonly CallRecord[]> =>
    wire.during(
      async () => {
        const { statuses } = await instance.run([made]);
        if (statuses[String(status)] !== 1) throw new Error(`${name} answered ${JSON.stringify(statuses)}`);
      },
      isLater ? QUIET_MS : undefined,
    );
  const once = async () => run(await prepared());
  const costOf = (calls: readonly CallRecord[], role: RegExp) =>
    wireCost(calls.filter(({ principal }) => role.test(principal)));
  async function restart(): Promise<void> {
    instance.stop();
    instance = await start();
  }
  try {
    // The first write of a minute also writes a mark of the trail.
    const coldCalls = await withinMinute(once, restart);
    const cold = costOf(coldCalls, ROLES[folder]);
    // The second request is no warm one yet: it still loads some data for the first time.
    const { result: calls, bytes: trailBytes } = await withinMinute(async () => {
      await once();
      const made = await prepared();
      return trail.during(() => run(made));
    });
    const afterwards = Object.entries(isLater ? AFTERWARDS : {}).map(([program, role]) => ({
      name: `${name}: ${program}`,
      warm: costOf(calls, role),
    }));
    return { name, cold, warm: costOf(calls, ROLES[folder]), trailBytes, bodyBytes, afterwards };
  } finally {
    instance.stop();
  }
}

/**
 * Runs each operation in a separate instance of the real bundle, which calls the local service's
 * AWS endpoint, and counts the calls there.
 */
export async function measureCounts(
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly OperationCount[]> {
  const service = await startBenchService();
  const { certificate, credentials } = service;
  const destination = await startDestination(certificate);
  destination.respond = ({ body }, response) =>
    response.setHeader('content-type', 'application/json').end(body);
  const address = `localhost:${String(destination.port)}`;
  const trust = { NODE_EXTRA_CA_CERTS: certificate.certFile };
  try {
    const destinationUrl = `https://${address}/`;
    const operations = [
      ...(await countedOperations(credentials, destinationUrl)),
      ...(await otherOperations(credentials, destinationUrl)),
    ];
    const environments = await functionEnvironments(credentials);
    const bundles = new Map(
      Object.keys(ROLES).map((folder) => [folder, bundleProgram(`functions/${folder}/index.ts`)] as const),
    );
    const start = (folder: string) => () => {
      const env = { ...environmentOf(environments, folder), PATH: process.env['PATH'] ?? '', ...trust };
      return startInstance(bundles.get(folder) ?? '', env);
    };
    const wire = openWire(credentials);
    const { AUDIT_TABLE: auditTable = '' } = environmentOf(environments, 'tokens');
    const trail = openTrail(credentials, auditTable);
    const counts: OperationCount[] = [];
    for (const operation of operations.filter(({ name }) => isWanted(name)))
      counts.push(await count(wire, trail, operation, start(operation.folder)));
    return counts;
  } finally {
    await Promise.all([service.stop(), destination.close()]);
  }
}
