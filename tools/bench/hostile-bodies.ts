// `npm run bench -- hostile-bodies`: the cost of the most expensive requests to each deployed
// route. `-- POST /tokenize` measures the requests that begin so, and prints each of them.
import { BUDGETS } from './budgets.ts';
import { bundleProgram } from './bundle-program.ts';
import { startDestination } from '../../test/support/destination.ts';
import { startBenchService } from './bench-service.ts';
import { effort } from './effort.ts';
import { startAwsStandIn } from './hostile-bodies/aws-stand-in.ts';
import {
  HOSTILE_ARGS,
  hostileRequests,
  hostileResults,
  reactEvent,
} from './hostile-bodies/hostile-requests.ts';
import { sendAnswer } from './hostile-bodies/hostile-answers.ts';
import { ECHO } from './hostile-bodies/hostile-proxies.ts';
import { measureRequest, type Deployed } from './hostile-bodies/measure-request.ts';
import type { MeasuredRequest } from './hostile-bodies/request-process.ts';
import { withoutRequests } from './hostile-bodies/routes-with-bodies.ts';
import { environmentOf, functionEnvironments } from './local-functions.ts';
import { report } from './section.ts';

const { cpuSeconds: CPU_SECONDS, peakBytes: PEAK_BYTES } = BUDGETS.request;
const WORKER = 'reactor-worker';

interface Found extends MeasuredRequest {
  readonly route: string;
  readonly what: string;
}

const only = process.argv.slice(2).join(' ');
const service = await startBenchService();
const { certificate } = service;
const destination = await startDestination(certificate);
const url = `https://localhost:${String(destination.port)}/`;
destination.respond = (received, response) => {
  if (sendAnswer(received.url, response)) return;
  response.setHeader('Content-Type', 'application/json');
  response.end(received.url.startsWith(`/${ECHO}`) ? received.body : 'ok');
};
const aws = await startAwsStandIn();

const found: Found[] = [];
const cpuOf = ({ first, again }: MeasuredRequest) => Math.max(first.cpuSeconds, again.cpuSeconds);
const seconds = (value: number) => `${value.toFixed(2)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

function keep(route: string, what: string, measured: MeasuredRequest): void {
  found.push({ route, what, ...measured });
  if (only === '') return;
  const { first, again, peakBytes } = measured;
  const figures = [seconds(first.cpuSeconds), seconds(again.cpuSeconds), megabytes(peakBytes)];
  console.log([route.padEnd(28), what.padEnd(60), first.outcome, ...figures].join('  '));
}

/** How often a request is measured that seems to cost too much: other programs only add to it. */
const TRIES = 3;

/** Measures a request, and again if it seems to cost too much. The least cost counts. */
async function measured(target: Deployed, warmUp: object, event: object): Promise<MeasuredRequest> {
  let least = await measureRequest(target, warmUp, event);
  for (let tries = 1; tries < effort(TRIES, 1) && cpuOf(least) > CPU_SECONDS; tries += 1) {
    const again = await measureRequest(target, warmUp, event);
    if (cpuOf(again) < cpuOf(least)) least = again;
  }
  return least;
}

async function measureAll(): Promise<void> {
  const environments = await functionEnvironments(service.credentials);
  const deployed = new Map<string, Deployed>();
  const functionOf = (folder: string): Deployed => {
    const known = deployed.get(folder) ?? {
      bundle: bundleProgram(`functions/${folder}/index.ts`),
      env: {
        ...environmentOf(environments, folder),
        PATH: process.env['PATH'] ?? '',
        NODE_EXTRA_CA_CERTS: certificate.certFile,
        AWS_ENDPOINT_URL_LAMBDA: aws.url,
        INVOCATIONS_QUEUE_URL: `${aws.url}/queue`,
        DELIVERIES_QUEUE_URL: `${aws.url}/queue`,
      },
    };
    deployed.set(folder, known);
    return known;
  };
  const { requests, world } = await hostileRequests(service.credentials, url);
  const missing = withoutRequests(requests.map(({ route }) => route));
  if (missing.length > 0) throw new Error(`no hostile body for ${missing.join(', ')}`);
  const wanted = requests.filter(({ route, what }) => `${route} ${what}`.startsWith(only));
  const ofEachFolder = [...Map.groupBy(wanted, ({ folder }) => folder).values()];
  for (const { route, folder, what, warmUp, event, payload } of effort(
    wanted,
    ofEachFolder.flatMap((each) => each.slice(0, 1)),
  )) {
    destination.received.length = 0;
    aws.payload = payload?.() ?? '{}';
    keep(route, what, await measured(functionOf(folder), warmUp, await event()));
  }

  const react = 'POST /reactors/{id}/react';
  const reactors = functionOf('reactors');
  const results = hostileResults();
  for (const { what, payload } of results.slice(0, effort(results.length, 1))) {
    aws.payload = payload();
    if (react.startsWith(only))
      keep(
        react,
        what,
        await measureRequest(reactors, reactEvent(world, {}), reactEvent(world, HOSTILE_ARGS)),
      );
    if (!WORKER.startsWith(only)) continue;
    // Each message runs once: the first of these invocations warms up the worker, the last is
    // measured.
    aws.messages.length = 0;
    await measureRequest(reactors, reactEvent(world, {}, url), reactEvent(world, HOSTILE_ARGS, url));
    const first = aws.messages[0];
    const last = aws.messages.at(-1);
    if (first === undefined || last === undefined) throw new Error('no invocation was queued');
    const event = (body: string) => ({ Records: [{ messageId: 'a', body }] });
    keep(WORKER, what, await measureRequest(functionOf(WORKER), event(first), event(last)));
  }
}

try {
  await measureAll();
} finally {
  await Promise.all([service.stop(), destination.close(), aws.close()]);
}

if (found.length === 0) throw new Error(`no route begins with "${only}"`);

const peakOf = ({ peakBytes }: MeasuredRequest) => peakBytes;
const worst = (requests: readonly Found[], sizeOf: (measured: Found) => number): Found =>
  requests.reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));

const dearestOfAll = worst(found, cpuOf);
const largestOfAll = worst(found, peakOf);
const reference = `of ${String(found.length)} requests`;

report({
  budgets: [
    {
      budget: 'CPU of any request',
      limit: seconds(CPU_SECONDS),
      measured: `${seconds(cpuOf(dearestOfAll))} (${dearestOfAll.route})`,
      reference,
      isMet: cpuOf(dearestOfAll) <= CPU_SECONDS,
    },
    {
      budget: 'memory of any request, over the idle function',
      limit: megabytes(PEAK_BYTES),
      measured: `${megabytes(largestOfAll.peakBytes)} (${largestOfAll.route})`,
      reference,
      isMet: largestOfAll.peakBytes <= PEAK_BYTES,
    },
  ],
  figures: [
    {
      title: 'The dearest requests',
      columns: ['route', 'most CPU', 'first', 'warm', 'most memory', 'over the idle function'],
      rows: [...Map.groupBy(found, ({ route }) => route)].map(([route, requests]) => {
        const dearest = worst(requests, cpuOf);
        const largest = worst(requests, peakOf);
        return [
          ...[route, dearest.what, seconds(dearest.first.cpuSeconds), seconds(dearest.again.cpuSeconds)],
          ...[largest.what, megabytes(largest.peakBytes)],
        ];
      }),
      note: `Of ${String(found.length)} requests, each in a process of its own that has served two small ones. CPU is of all threads; memory the peak of the process (VmHWM).`,
    },
  ],
});
