import type { Gives, Plan, PlannedKey, PlannedResource } from '../model.ts';

/** Key steps that are no difference. */
const AT_REST: readonly PlannedKey['step'][] = ['none', 'unknown'];

export const isKeyDifference = ({ step }: PlannedKey): boolean => !AT_REST.includes(step);

export const hasDifference = ({ action, keys }: PlannedResource): boolean =>
  action !== 'none' || keys.some(isKeyDifference);

/** Whether anything would be written. */
export const hasDifferences = ({ tenant, resources }: Plan): boolean =>
  tenant.action === 'update' || resources.some(hasDifference);

/** Whether anyone gets more, so that a second person should look at the plan. */
export const givesMore = ({ tenant, resources }: Plan): boolean =>
  [tenant, ...resources].some(({ gives }) => gives === 'more');

/** The number of members, places of access and keys that give more. */
export function placesThatGiveMore({ tenant, resources }: Plan): number {
  const all: readonly { readonly gives: Gives }[] = [
    ...tenant.differences,
    ...resources.flatMap(({ differences, effects, keys }) => [...differences, ...effects, ...keys]),
  ];
  return all.filter(({ gives }) => gives === 'more').length;
}

export const EXIT = { equal: 0, refused: 2, differences: 3, givesMore: 4 } as const;

interface ExitOptions {
  /** `--exit-code` has codes of its own for differences. */
  readonly exitCode?: boolean;
  /** `--yes-lockout` accepts a plan that locks someone out. */
  readonly yesLockout?: boolean;
}

/** Whether a plan may not be applied. */
export const isRefused = ({ problems, lockout }: Plan, { yesLockout = false }: ExitOptions): boolean =>
  problems.length > 0 || (lockout !== undefined && !yesLockout);

/** Returns the exit code of `config plan`. */
export function exitCodeOf(plan: Plan, options: ExitOptions): number {
  if (isRefused(plan, options)) return EXIT.refused;
  if (options.exitCode !== true || !hasDifferences(plan)) return EXIT.equal;
  return givesMore(plan) ? EXIT.givesMore : EXIT.differences;
}
