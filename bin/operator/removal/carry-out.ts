import { CommandFailure } from '../../command-line/failures.ts';
import type { RemovalAccount, StackPlace } from './removal-account.ts';
import { deletedOf, type RemovalPlan, type Step } from './removal-plan.ts';

export interface CarryOutDeps {
  readonly account: RemovalAccount;
  /** Waits so many ms. */
  readonly pause: (ms: number) => Promise<void>;
  /** Prints a line. */
  readonly say: (line: string) => void;
}

const POLL_MS = 5_000;
/** CloudFront takes longest: it removes a distribution from all its places. */
const LONGEST_MS = 2 * 3_600_000;

async function until({ pause }: CarryOutDeps, what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isDone()); waited += POLL_MS) {
    if (waited >= LONGEST_MS)
      throw new CommandFailure(`${what} is still being deleted: run the command again`);
    await pause(POLL_MS);
  }
}

async function deleteStack(deps: CarryOutDeps, { name, region }: StackPlace): Promise<void> {
  const { account } = deps;
  const regional = region === undefined ? {} : { region };
  const stack = await account.stack({ name, ...regional });
  if (stack === undefined || stack === 'denied') return;
  await account.deleteStack({ name, ...regional });
  await until(deps, name, async () => {
    // The ARN still leads to a deleted stack. The name does not.
    const { status, reason = 'no reason' } = await account.stackStatus({ name: stack.id, ...regional });
    if (status === 'DELETE_FAILED')
      throw new CommandFailure(
        `CloudFormation could not delete ${name}: ${reason}. Remove the reason, and run the command again`,
      );
    return status === 'DELETE_COMPLETE';
  });
}

/** Each look takes the next step: a table accepts none while it changes. */
async function deleteTable(deps: CarryOutDeps, name: string): Promise<void> {
  const { account } = deps;
  await until(deps, name, async () => {
    const table = await account.table(name);
    if (table === undefined) return true;
    if (table.status !== 'ACTIVE') return false;
    if (table.isProtected) await account.unprotectTable(name);
    else await account.deleteTable(name);
    return false;
  });
}

async function deleteFunction(deps: CarryOutDeps, name: string): Promise<void> {
  const { account } = deps;
  if ((await account.provisioned(name)) > 0) await account.endProvisioned(name);
  await until(deps, name, () => account.deleteFunction(name));
}

async function deleteLayer({ account }: CarryOutDeps, id: string): Promise<void> {
  const end = id.lastIndexOf(':');
  await account.deleteLayerVersion(id.slice(0, end), Number(id.slice(end + 1)));
}

async function carryOutStep(deps: CarryOutDeps, { kind, id, place }: Step): Promise<void> {
  const { account } = deps;
  switch (kind) {
    case 'stack':
      await deleteStack(deps, place ?? { name: id });
      return;
    case 'function':
      await deleteFunction(deps, id);
      return;
    case 'layer':
      await deleteLayer(deps, id);
      return;
    case 'logs':
      await account.deleteLogGroup(id);
      return;
    case 'backup':
      await account.deleteBackup(id);
      return;
    case 'table':
      await deleteTable(deps, id);
      return;
    case 'key':
      await account.scheduleKeyDeletion(id);
      return;
  }
}

/**
 * Deletes what a plan deletes, in its order: nothing that writes is left when the tables end, and
 * no table when their key ends. Each step can be repeated.
 */
export async function carryOut(deps: CarryOutDeps, plan: RemovalPlan): Promise<void> {
  for (const step of deletedOf(plan)) {
    await carryOutStep(deps, step);
    deps.say(`deleted: ${step.kind} ${step.id}`);
  }
}
