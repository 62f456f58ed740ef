// `npm run bench -- cold-start-profile tokens`: which code takes the load time of a bundle, in
// percent of processor time. The bundle is not minified, so that files can be distinguished.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from './bundle-program.ts';
import { runService } from '../../test/support/run-service.ts';
import { FUNCTIONS } from './cold-start/bundles.ts';
import { environmentOf, functionEnvironments } from './local-functions.ts';
import { owners } from './warm/owners.ts';

const ROUNDS = 10;
const TOP = 15;

const wanted = process.argv[2] ?? 'tokens';
const name = FUNCTIONS.find((known) => known === wanted);
if (name === undefined) throw new Error(`${wanted} is not one of ${FUNCTIONS.join(', ')}`);

const service = await runService();
let environments;
try {
  environments = await functionEnvironments(service.credentials);
} finally {
  await service.stop();
}
const bundle = bundleProgram(`functions/${name}/index.ts`, { minify: false });
const folder = mkdtempSync(join(tmpdir(), 'cloakroom-profiles-'));
try {
  for (let round = 0; round < ROUNDS; round += 1)
    execFileSync(
      process.execPath,
      ['--cpu-prof', '--cpu-prof-interval', '100', '--cpu-prof-dir', folder, bundle],
      {
        env: environmentOf(environments, name),
      },
    );
  const shares = new Map<string, number>();
  for (const file of readdirSync(folder))
    for (const { name: owner, share } of owners(join(folder, file), bundle))
      shares.set(owner, (shares.get(owner) ?? 0) + share / ROUNDS);
  console.log(`${name}: % of the time of a start, Node's own included, by whose work it is`);
  for (const [owner, share] of [...shares].toSorted((a, b) => b[1] - a[1]).slice(0, TOP))
    console.log(`${share.toFixed(1).padStart(6)}  ${owner}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
