// `npm run rehearse-upgrade -- FROM [TO]`: deploys one commit over another one on this machine,
// with data, and back. FROM and TO are commits; `.`, the default of TO, is the working tree.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOut, isCommit, type Checkout } from './upgrade/checkout.ts';
import { deploy } from './upgrade/deployment.ts';
import { problemsWith, store, type StoredData } from './upgrade/stored-data.ts';

const HELP = `npm run rehearse-upgrade -- FROM [TO]
  Deploys the commit TO over the commit FROM on this machine, with data, and back. Each is a commit,
  a branch or a tag; \`.\`, the default of TO, is the working tree. It takes one to two minutes.`;

const [from, to = '.', ...rest] = process.argv.slice(2);
if (from === '--help' || from === '-h') {
  console.log(HELP);
  process.exit(0);
}
const misused =
  from === undefined || rest.length > 0
    ? HELP
    : [from, to]
        .filter((commit) => !isCommit(commit))
        .map((commit) => `${commit} is no commit of this repository`)[0];
if (from === undefined || misused !== undefined) {
  console.error(misused);
  process.exit(2);
}

const data = mkdtempSync(join(tmpdir(), 'cloakroom-upgrade-'));
const stored: [string, StoredData][] = [];
const problems: string[] = [];

/** Deploys a commit over what is there, reads everything that others stored, and stores more. */
async function visit(what: string, folder: string): Promise<void> {
  const deployment = await deploy(folder, data);
  try {
    for (const [by, each] of stored)
      problems.push(
        ...(await problemsWith(deployment, each)).map((problem) => `${what}: of ${by}: ${problem}`),
      );
    stored.push([what, await store(deployment)]);
    console.log(`${what}: read what ${String(stored.length - 1)} others stored, and stored more`);
  } finally {
    await deployment.stop();
  }
}

const checkouts: Checkout[] = [];
const checkedOut = (commit: string): Checkout => {
  const checkout = checkOut(commit);
  checkouts.push(checkout);
  return checkout;
};
try {
  const old = checkedOut(from);
  const next = checkedOut(to);
  await visit(`release ${from}`, old.folder);
  await visit(`upgrade to ${to}`, next.folder);
  await visit(`rollback to ${from}`, old.folder);
  await visit(`upgrade to ${to} again`, next.folder);
} catch (error) {
  problems.push((error as Error).message);
} finally {
  for (const checkout of checkouts) checkout.remove();
  for (const path of [data, `${data}.credentials.json`]) rmSync(path, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'Nothing is lost.' : `${String(problems.length)} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
