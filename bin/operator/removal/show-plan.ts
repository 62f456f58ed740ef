import { deletedOf, retainedOf, monthlyOf, type RemovalPlan, type Step } from './removal-plan.ts';

const dollars = (amount: number): string => amount.toFixed(2);

function rows(steps: readonly Step[]): readonly string[] {
  const width = Math.max(...steps.map(({ id }) => id.length));
  return steps.map(
    ({ kind, id, monthly, has }) =>
      `  ${kind.padEnd(8)}  ${id.padEnd(width)}  ${dollars(monthly).padStart(8)}  ${has}`,
  );
}

const MONTH_MS = (365.25 / 12) * 86_400_000;

function untilText({ removes, trailUntil, now }: RemovalPlan, monthly: number): string {
  if (removes === 'data') return 'Retained for a new deployment:';
  if (trailUntil === undefined) return 'Retained until the last record of the audit trail has expired:';
  const months = Math.max(0, (trailUntil.getTime() - now.getTime()) / MONTH_MS);
  const until = trailUntil.toISOString().slice(0, 10);
  return `Retained until ${until}, when the last sealed record has expired (about ${dollars(months * monthly)} dollars until then):`;
}

/** The plan in lines: every resource with its dollars a month, and what remains. */
export function planLines(plan: RemovalPlan): readonly string[] {
  const deleted = deletedOf(plan);
  const retained = retainedOf(plan);
  const monthly = monthlyOf(retained);
  return [
    `${plan.service} in ${plan.region}: dollars a month for what exists, without calls, at the prices of us-east-1`,
    ...(deleted.length > 0 ? ['Deleted:', ...rows(deleted)] : ['Nothing to delete.']),
    ...(retained.length > 0 ? [untilText(plan, monthly), ...rows(retained)] : []),
    ...(plan.notes.length > 0
      ? ['Not deleted by this command:', ...plan.notes.map((note) => `  ${note}`)]
      : []),
    `In total ${dollars(monthlyOf(plan.steps))} a month now, ${dollars(monthly)} afterwards`,
  ];
}
