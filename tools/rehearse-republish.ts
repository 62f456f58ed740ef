// `npm run rehearse-republish`: deploys other layers over stored reactors on this machine, moves
// the reactors under load, stops in the middle, moves back, and loses functions.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { z } from 'zod';
import type { Image } from '../src/core/reactors/layer.ts';
import { synthesize } from '../packages/local-aws/src/assembly/synthesize.ts';
import { withOtherLayer } from './republish/layer-variants.ts';
import { aTenant, call, makeReactors, startLoad, type Tenant } from './republish/reactors-under-load.ts';
import { deploy, type Deployment } from './upgrade/deployment.ts';

const ROOT = join(import.meta.dirname, '..');
const GOOD = 40;
const BAD = 10;
/** Reactors on the other image, whose layer stays the same until the end. */
const OTHERS = 5;
/** The longest roll of the rehearsal: it waits for reactors that an ended worker had. */
const ROLL_MS = 900_000;
const STALLED_MS = 60_000;

const rollShape = z.object({
  state: z.string(),
  stopped_by: z.string().nullable(),
  moved: z.number(),
  stayed: z.number(),
  generation: z.number(),
});
const plans = z.object({ images: z.array(z.object({ image: z.string(), last: rollShape.nullable() })) });
const listShape = z.object({
  reactors: z.array(
    z.object({
      reactor_id: z.string(),
      image: z.string(),
      generation: z.number(),
      stayed: z.string().nullable(),
    }),
  ),
});
const accountShape = z.object({
  aws_endpoint_url: z.string(),
  aws_region: z.string(),
  aws_access_key_id: z.string(),
  aws_secret_access_key: z.string(),
});

const work = mkdtempSync(join(tmpdir(), 'cloakroom-republish-'));
const data = join(work, 'data');
const problems: string[] = [];

function expect(what: string, found: unknown, wanted: unknown): void {
  const a = JSON.stringify(found);
  const b = JSON.stringify(wanted);
  console.log(`${a === b ? 'ok      ' : 'WRONG   '}${what}: ${a}`);
  if (a !== b) problems.push(`${what}: ${a}, not ${b}`);
}

const operate = async (deployment: Deployment, ...command: readonly string[]): Promise<unknown> =>
  JSON.parse(await deployment.operate(...command, '--json'));

/** Waits until a roll is over, and gives the command again when nothing moves for a minute. */
async function rolled(
  deployment: Deployment,
  image: Image,
  ...flags: readonly string[]
): Promise<z.infer<typeof rollShape>> {
  const lastOf = async () => {
    const { images } = plans.parse(await operate(deployment, 'republish-reactors', '--dry-run', ...flags));
    const last = images.find((plan) => plan.image === image)?.last;
    if (last === undefined || last === null) throw new Error(`no roll of ${image}`);
    return last;
  };
  let tried = 0;
  let since = Date.now();
  for (const until = Date.now() + ROLL_MS; Date.now() < until;) {
    await sleep(2_000);
    const last = await lastOf();
    if (last.state !== 'running') return last;
    if (last.moved + last.stayed > tried) since = Date.now();
    tried = last.moved + last.stayed;
    if (Date.now() - since < STALLED_MS) continue;
    console.log(`        nothing moved for a minute after ${String(tried)}: the command again`);
    await operate(deployment, 'republish-reactors', ...flags);
    since = Date.now();
  }
  throw new Error('the roll does not end');
}

const reactorsOf = async (deployment: Deployment) =>
  listShape.parse(await operate(deployment, 'list-reactors')).reactors;

/** How many reactors of an image have each generation of its layer. */
async function generations(
  deployment: Deployment,
  image: Image = 'node16',
): Promise<Readonly<Record<string, number>>> {
  const all = (await reactorsOf(deployment)).filter((reactor) => reactor.image === image);
  return Object.fromEntries(
    [...new Set(all.map(({ generation }) => generation))]
      .toSorted((a, b) => a - b)
      .map((each) => [String(each), all.filter(({ generation }) => generation === each).length]),
  );
}

async function theApp(): Promise<string> {
  const app = join(work, 'app');
  mkdirSync(app);
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as {
    readonly context: Readonly<Record<string, unknown>>;
  };
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  await synthesize({
    root: ROOT,
    build: ['tools/build-assets.ts'],
    program: 'bin/cloakroom.ts',
    context: { ...context, hotConcurrency: '0', architecture },
    directory: app,
    compileCache: join(ROOT, '.local/compile-cache'),
  });
  return app;
}

/** Deletes the functions of reactors, as a restore of the table alone leaves them. */
async function loseFunctions({ credentialsFile }: Deployment, ids: readonly string[]): Promise<void> {
  const account = accountShape.parse(JSON.parse(readFileSync(credentialsFile, 'utf8')));
  const client = new LambdaClient({
    endpoint: account.aws_endpoint_url,
    region: account.aws_region,
    credentials: { accessKeyId: account.aws_access_key_id, secretAccessKey: account.aws_secret_access_key },
  });
  for (const id of ids)
    await client.send(
      new DeleteFunctionCommand({ FunctionName: `Cloakroom-reactor-${id.replaceAll('-', '')}` }),
    );
  client.destroy();
}

const statuses = (counts: ReadonlyMap<string, number>) => Object.fromEntries(counts);
const failed = (counts: ReadonlyMap<string, number>) =>
  [...counts.keys()].filter((status) => status !== '200');

const CODE = 'module.exports = () => ({ raw: 1 });';
/** The code of a tenant whose reactors do not load on the second layer. */
const PICKY = `if (require('uuid').REHEARSAL) throw new Error('not on this layer'); module.exports = () => ({ raw: 1 });`;

/** Apps with other layers: one of Node.js 16 that does not load, one that does, and two. */
function variantsOf(first: string) {
  const broken = withOtherLayer(first, join(work, 'broken'), 'node16', {
    file: 'packages/axios.cjs',
    added: '\nthrow new Error("broken");\n',
  });
  const second = withOtherLayer(first, join(work, 'second'), 'node16', {
    file: 'packages/uuid.cjs',
    added: '\nmodule.exports = { ...module.exports, REHEARSAL: true };\n',
  });

  const both = withOtherLayer(second, join(work, 'both'), 'node24', {
    file: 'packages/uuid.cjs',
    added: '\nmodule.exports = { ...module.exports, REHEARSAL: true };\n',
  });
  return { broken, second, both };
}

/** One command moves the reactors of both images. */
async function moveBoth(app: string, targets: Parameters<typeof startLoad>[1]): Promise<void> {
  const now = await deploy(ROOT, data, ['--app', app]);
  const load = startLoad(now, targets);
  await operate(now, 'republish-reactors');
  const ofOthers = await rolled(now, 'node24');
  const ofNode16 = await rolled(now, 'node16');
  expect(
    'one command moves both images',
    [ofOthers.state, ofOthers.moved, ofNode16.state],
    ['ended', OTHERS, 'ended'],
  );
  expect('reactors of the other image by generation', await generations(now, 'node24'), { '2': OTHERS });
  expect('calls that failed meanwhile', failed(await load.stop()), []);
  await now.stop();
}

async function rehearse(): Promise<void> {
  const first = await theApp();
  const { broken, second, both } = variantsOf(first);
  let now = await deploy(ROOT, data, ['--app', first]);
  const tenants: Tenant[] = [await aTenant(now, now.managementKey)];
  const made = z
    .object({ management_key: z.string() })
    .parse(await operate(now, 'create-tenant', '--name', 'Picky'));
  tenants.push(await aTenant(now, made.management_key));
  const [owner, picky] = tenants;
  if (owner === undefined || picky === undefined) throw new Error('unreachable');
  const good = await makeReactors(now, owner, { code: CODE, image: 'node16' }, GOOD);
  const others = await makeReactors(now, owner, { code: CODE, image: 'node24' }, OTHERS);
  const bad = await makeReactors(now, picky, { code: PICKY, image: 'node16' }, BAD);
  const targets = [
    ...[...good, ...others].map((id) => ({ tenant: owner, id })),
    ...bad.map((id) => ({ tenant: picky, id })),
  ];
  expect('reactors by generation', await generations(now), { '1': GOOD + BAD });
  await now.stop();

  now = await deploy(ROOT, data, ['--app', broken]);
  let load = startLoad(now, targets);
  await operate(now, 'republish-reactors');
  const stopped = await rolled(now, 'node16');
  expect(
    'a broken layer stops at the function of the service',
    [stopped.stopped_by, stopped.moved],
    ['own_function', 0],
  );
  expect('calls that failed meanwhile', failed(await load.stop()), []);
  await now.stop();

  now = await deploy(ROOT, data, ['--app', second]);
  load = startLoad(now, targets);
  await operate(now, 'republish-reactors');
  await sleep(6_000);
  const interrupted = await generations(now);
  await now.stop('SIGKILL');
  await load.stop();
  console.log(`        killed in the middle: reactors by generation ${JSON.stringify(interrupted)}`);
  now = await deploy(ROOT, data, ['--app', second]);
  load = startLoad(now, targets);
  await operate(now, 'republish-reactors');
  const ended = await rolled(now, 'node16');
  expect('it went on', [ended.state, ended.moved, ended.stayed], ['ended', GOOD, BAD]);
  const calls = await load.stop();
  expect('calls that failed meanwhile', failed(calls), []);
  console.log(`        calls: ${JSON.stringify(statuses(calls))}`);
  expect('reactors by generation', await generations(now), { '1': BAD, '3': GOOD });
  const reasons = (await reactorsOf(now)).flatMap(({ stayed }) => stayed ?? []);
  expect('why they stayed', [...new Set(reasons)], ['not_loaded']);

  load = startLoad(now, targets);
  const toFirst = ['--image', 'node16', '--to', '1'];
  await operate(now, 'republish-reactors', ...toFirst);
  const back = await rolled(now, 'node16', ...toFirst);
  expect('back to the generation before', [back.state, back.moved], ['ended', GOOD]);
  expect('calls that failed meanwhile', failed(await load.stop()), []);
  expect('reactors by generation', await generations(now), { '1': GOOD + BAD });

  const lost = good.slice(0, 3);
  await loseFunctions(now, lost);
  for (const id of lost) expect('a call of a reactor without a function', await call(now, owner, id), '200');
  expect('reactors by generation', await generations(now), {
    '1': GOOD + BAD - lost.length,
    '3': lost.length,
  });
  expect('reactors of the other image by generation', await generations(now, 'node24'), { '1': OTHERS });
  await now.stop();

  await moveBoth(both, targets);
}

try {
  await rehearse();
} catch (error) {
  problems.push((error as Error).message);
} finally {
  for (const path of [work, `${data}.credentials.json`]) rmSync(path, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? 'Every step went as documented.' : `${String(problems.length)} problems.`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
