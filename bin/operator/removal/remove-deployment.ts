import { writeFileSync } from 'node:fs';
import type { Response } from '../command-behaviour.ts';
import { CommandFailure } from '../../command-line/failures.ts';
import { carryOut, type CarryOutDeps } from './carry-out.ts';
import { LOGICAL_IDS } from './deployment.ts';
import { planRemoval } from './plan-removal.ts';
import {
  deletedOf,
  identityOf,
  retainedOf,
  monthlyOf,
  type RemovalPlan,
  type Removes,
} from './removal-plan.ts';
import { planLines } from './show-plan.ts';
import { requireExports } from './verified-exports.ts';

export interface RemovalOptions {
  readonly service: string;
  readonly removes: Removes;
  readonly isDryRun: boolean;
  /** Replaces the administrator's answer at the terminal. */
  readonly confirm?: string;
  /** New file for the resource mapping of what stays. */
  readonly mapping?: string;
  /** The exports of the trail and the public key that verifies them. */
  readonly exports?: { readonly folder: string; readonly key: string };
}

export interface RemovalDeps extends CarryOutDeps {
  /** Asks at the terminal; `undefined` without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
}

const phraseOf = (service: string): string => `delete the audit trail of ${service}`;

async function requireAnswer(
  { ask }: RemovalDeps,
  what: string,
  expected: string,
  answered?: string,
): Promise<void> {
  if (answered === undefined && ask === undefined)
    throw new CommandFailure(`without a terminal, add --confirm ${expected}; nothing was deleted`);
  const answer = answered ?? (await ask?.(`To delete ${what}, type: ${expected}\n> `));
  if (answer?.trim() !== expected) throw new CommandFailure('not confirmed; nothing was deleted');
}

async function confirmed(deps: RemovalDeps, options: RemovalOptions): Promise<void> {
  const { service, removes, confirm } = options;
  await requireAnswer(deps, 'all that is listed above as deleted', service, confirm);
  if (removes !== 'trail') return;
  if (deps.ask === undefined)
    throw new CommandFailure('--delete-trail needs a terminal; nothing was deleted');
  await requireAnswer(deps, 'the audit trail before its retention ends', phraseOf(service));
}

/**
 * Requires every resource that the stack of the data has or had: only a whole mapping lets `cdk
 * import` adopt them.
 */
function requireWhole({ service, mapping }: RemovalPlan): void {
  const wanted = [...Object.values(LOGICAL_IDS.tables), ...Object.values(LOGICAL_IDS.keys)];
  const missing = wanted.filter((logicalId) => mapping[logicalId] === undefined);
  if (missing.length > 0)
    throw new CommandFailure(
      `no table or key of ${service} is certain to be that of ${missing.join(', ')}, so no new deployment can adopt the data: run the command without --keep-data, or find what is missing; nothing was deleted`,
    );
}

/** Again in each run: the file of an earlier one may be lost. */
function writeMapping({ mapping }: RemovalPlan, { mapping: file }: RemovalOptions, deps: RemovalDeps): void {
  if (file === undefined) return;
  writeFileSync(file, `${JSON.stringify(mapping, undefined, 2)}\n`);
  deps.say(`written for cdk import: ${file}`);
}

function responseOf(plan: RemovalPlan, options: RemovalOptions): Response {
  const retained = retainedOf(plan);
  return {
    deployment: plan.service,
    dry_run: options.isDryRun,
    deleted: deletedOf(plan).length,
    retained: retained.length,
    retained_dollars_a_month: Number(monthlyOf(retained).toFixed(2)),
    ...(plan.trailUntil !== undefined && { trail_until: plan.trailUntil.toISOString() }),
  };
}

/**
 * Removes a deployment: prints the plan, asks, compares the plan with a new one, carries it out,
 * and looks again. It can be interrupted at any time and run again.
 */
export async function removeDeployment(deps: RemovalDeps, options: RemovalOptions): Promise<Response> {
  const { service, removes, isDryRun, exports } = options;
  const planned = () => planRemoval(deps.account, service, removes);
  const plan = await planned();
  for (const line of planLines(plan)) deps.say(line);
  if (removes === 'data') requireWhole(plan);
  if (!isDryRun && deletedOf(plan).length === 0) writeMapping(plan, options, deps);
  if (isDryRun || deletedOf(plan).length === 0) return responseOf(plan, options);
  if (exports !== undefined) await requireExports(deps.account, plan, exports);
  await confirmed(deps, options);
  if (identityOf(await planned()) !== identityOf(plan))
    throw new CommandFailure(
      'the deployment has changed since the plan above; nothing was deleted: run the command again',
    );
  writeMapping(plan, options, deps);
  await carryOut(deps, plan);
  const left = deletedOf(await planned());
  if (left.length > 0)
    throw new CommandFailure(
      `made during the removal: ${left.map(({ kind, id }) => `${kind} ${id}`).join(', ')}; run the command again`,
    );
  return responseOf(plan, options);
}
