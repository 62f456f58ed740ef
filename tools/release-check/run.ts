import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { RELEASE_ITEMS } from './all-items.ts';
import { connect, releaseDeps, type LocalAccount } from './connect.ts';
import { isAutomatic, type Deployment, type ReleaseDeps, type ReleaseItem } from './item.ts';
import { hasFailed, reportOf, runItems } from './run-items.ts';

const USAGE = 'npm run release-check -- [ITEM...] [--service NAME] [--local FILE] [--yes] [--json]';

/** Where the program prints, and what tests replace. */
export interface Surroundings {
  /** The report. */
  readonly print: (text: string) => void;
  /** Prints the progress and problems. */
  readonly printError: (text: string) => void;
  readonly signal: AbortSignal;
  readonly pause?: ReleaseDeps['pause'];
}

const localAccount = z.object({
  base_url: z.string(),
  aws_endpoint_url: z.string(),
  aws_region: z.string(),
  aws_access_key_id: z.string(),
  aws_secret_access_key: z.string(),
});

function optionsOf(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      service: { type: 'string' },
      local: { type: 'string' },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((id) => !RELEASE_ITEMS.some((item) => item.id === id));
  if (unknown.length > 0)
    throw new Error(`no item ${unknown.join()}. Items: ${RELEASE_ITEMS.map(({ id }) => id).join(' ')}`);
  const chosen = positionals.length === 0 ? RELEASE_ITEMS : positionals.map(itemOf);
  if (chosen.some(isAutomatic) && values.service === undefined)
    throw new Error('the items change a deployment: name it with --service NAME');
  const local: LocalAccount | undefined =
    values.local === undefined
      ? undefined
      : localAccount.parse(JSON.parse(readFileSync(values.local, 'utf8')));
  return { ...values, local, items: chosen };
}

function itemOf(id: string): ReleaseItem {
  const item = RELEASE_ITEMS.find((each) => each.id === id);
  if (item === undefined) throw new Error(`no item ${id}`);
  return item;
}

/** Runs the command line. Resolves with the exit code: 1 after a failure, 2 if nothing was done. */
export async function releaseCheck(args: readonly string[], around: Surroundings): Promise<number> {
  const { print, printError, signal } = around;
  const fail = (error: unknown) => {
    printError(`release-check: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  };
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(args);
  } catch (error) {
    printError(`${USAGE}\n`);
    return fail(error);
  }
  const { service, local, yes, json, items } = options;
  const made = releaseDeps(local, (line) => {
    printError(`${line}\n`);
  });
  const deps = { ...made, pause: around.pause ?? made.pause };
  let deployment: Deployment | undefined;
  try {
    if (service !== undefined) deployment = await connect(deps, service, local, yes);
  } catch (error) {
    return fail(error);
  }
  const results = await runItems(deps, { deployment, isLocal: local !== undefined }, items, signal);
  print(`${json ? JSON.stringify(results, undefined, 2) : reportOf(results)}\n`);
  return hasFailed(results) ? 1 : 0;
}
