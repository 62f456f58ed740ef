// `npm run bench -- load [--seconds N] [--clients N] [--rate N] [--disk] [--report FILE]`: a
// realistic mix of requests against its own service, as `npm start` runs it, with progress, the
// memory of each minute, and a report for a browser. With --rate the clients together send so many
// a second, otherwise as many as possible. With --disk the service stores its tables on disk, so
// its memory does not grow with them. It finds degradation over time; it does not measure AWS.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDestination, testCertificate } from '../../test/support/destination.ts';
import { strictClient } from '../../test/support/http-client.ts';
import { runService, temporaryFolder } from '../../test/support/run-service.ts';
import { revealing } from '../../test/support/sample-requests.ts';
import { median } from './median.ts';
import { summarize, type MemorySample, type Sample } from './load/measurements.ts';
import { reportPage } from './load/report.ts';
import { choose, traffic } from './load/traffic.ts';
import { endMisused, readArguments } from '../read-arguments.ts';

const USAGE = 'npm run bench -- load [--seconds N] [--clients N] [--rate N] [--disk] [--report FILE]';

const { values } = readArguments(USAGE, {
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '16' },
    rate: { type: 'string', default: 'Infinity' },
    disk: { type: 'boolean', default: false },
    report: { type: 'string', default: '.local/load-report.html' },
  },
});
const seconds = Number(values.seconds);
const clients = Number(values.clients);
const rate = Number(values.rate);
if (!(seconds > 0) || !(clients > 0) || !(rate > 0))
  endMisused(USAGE, '--seconds, --clients and --rate must be more than 0');

/** A service that was just started is still busy with it. */
const IDLE_MS = 5_000;

const certificate = testCertificate();
const destination = await startDestination(certificate);
destination.respond = (_received, response) => response.end('{"ok":true}');
const origin = `localhost:${String(destination.port)}`;
console.log('starting a service ...');
const settings = [`egressAllowList=${origin}`, 'throttleRate=100000', 'throttleBurst=100000'];
const dataFolder = values.disk ? temporaryFolder() : undefined;
const service = await runService(
  [
    ...settings.flatMap((setting) => ['--set', setting]),
    ...(dataFolder === undefined ? [] : ['--data', dataFolder]),
  ],
  { NODE_EXTRA_CA_CERTS: certificate.certFile },
);
await sleep(IDLE_MS);
const idle = memoryNow(0);
const { base_url: baseUrl, management_key: managementKey } = service.credentials;

const manage = strictClient(baseUrl, managementKey);
const { key } = await manage<{ readonly key: string }>('POST', '/applications', {
  name: 'load',
  type: 'private',
  rules: [revealing()],
});
const { id: reactorId } = await manage<{ readonly id: string }>('POST', '/reactors', {
  name: 'load',
  code: 'module.exports = async (req) => ({ raw: { kind: typeof req.args.card } });',
  configuration: {},
});
const operations = traffic({ baseUrl, key, destination: `https://${origin}/`, reactorId });
const firstToken = operations.find(({ name }) => name === 'create card');
for (let count = 0; count < 50; count += 1) await firstToken?.run();

/** Returns the parent and the resident memory of a process, in MB. */
function processOf(pid: string): { readonly parent: string; readonly megabytes: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const number = (name: string) => new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? '0';
    return { parent: number('PPid'), megabytes: (Number(number('VmRSS')) * 1_024) / 1_000_000 };
  } catch {
    return undefined;
  }
}

function memoryNow(atMs: number): MemorySample {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = all.flatMap((pid) => {
    const found = processOf(pid);
    return found?.parent === String(service.pid) ? [found.megabytes] : [];
  });
  return {
    atMs,
    serviceMegabytes: processOf(String(service.pid))?.megabytes ?? 0,
    reactorsMegabytes: children.reduce((total, megabytes) => total + megabytes, 0),
  };
}

const samples: Sample[] = [];
const memory: MemorySample[] = [];
const started = performance.now();
const elapsed = () => performance.now() - started;

/** When the next request may begin: they are spread evenly, over all clients. */
let nextMs = 0;
async function turn(): Promise<void> {
  const mine = Math.max(nextMs, elapsed());
  nextMs = mine + 1_000 / rate;
  if (mine > elapsed()) await sleep(mine - elapsed());
}

async function client(): Promise<void> {
  while (elapsed() < seconds * 1000) {
    await turn();
    const { name, run } = choose(operations);
    const from = performance.now();
    // A token that another client has deleted meanwhile is no error of the service.
    const isError = await run()
      .then(({ status }) => status >= 500 || status === 429)
      .catch(() => true);
    samples.push({ operation: name, atMs: elapsed(), milliseconds: performance.now() - from, isError });
  }
}

async function watch(): Promise<void> {
  let seen = 0;
  while (elapsed() < seconds * 1000) {
    await sleep(1_000);
    memory.push(memoryNow(elapsed()));
    const fresh = samples.slice(seen);
    seen = samples.length;
    const errors = samples.filter(({ isError }) => isError).length;
    const { serviceMegabytes, reactorsMegabytes } = memory.at(-1) ?? {
      serviceMegabytes: 0,
      reactorsMegabytes: 0,
    };
    process.stdout.write(
      `\r${(elapsed() / 1000).toFixed(0).padStart(4)} s  ${String(fresh.length).padStart(5)} requests/s  ${String(samples.length).padStart(7)} in all  ${String(errors)} errors  ${serviceMegabytes.toFixed(0)} + ${reactorsMegabytes.toFixed(0)} MB   `,
    );
  }
  process.stdout.write('\n');
}

await Promise.all([watch(), ...Array.from({ length: clients }, client)]);
const summaries = summarize(samples, elapsed() / 1000);
const facts = {
  when: new Date().toISOString(),
  machine: `${String(cpus().length)} x ${cpus()[0]?.model ?? 'unknown'}, which the clients, the service and its database share`,
  clients: String(clients),
  seconds: String(seconds),
};
writeFileSync(
  values.report,
  reportPage({ title: 'Cloakroom under load', facts, summaries, samples, memory }),
);
for (const { operation, count, errors, perSecond, p50, p90, p99, max } of summaries)
  console.log(
    `${operation.padEnd(18)} ${String(count).padStart(7)}  ${String(errors).padStart(4)} errors  ${perSecond.toFixed(1).padStart(7)}/s  p50 ${p50.toFixed(0).padStart(5)}  p90 ${p90.toFixed(0).padStart(5)}  p99 ${p99.toFixed(0).padStart(5)}  max ${max.toFixed(0).padStart(5)} ms`,
  );
console.log(`\nmemory of the service in MB, idle: ${idle.serviceMegabytes.toFixed(0)}; by minute:`);
for (const [minute, own] of Map.groupBy(memory, ({ atMs }) => Math.floor(atMs / 60_000))) {
  const used = own.map(({ serviceMegabytes }) => serviceMegabytes);
  console.log(
    `${String(minute + 1).padStart(3)}: median ${median(used).toFixed(0)}, most ${Math.max(...used).toFixed(0)}`,
  );
}
console.log(`report: ${values.report}`);
await service.stop();
await destination.close();
if (dataFolder !== undefined) rmSync(dataFolder, { recursive: true });
