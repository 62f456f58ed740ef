import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/**
 * The retention of so many days. Throws for a number that CloudWatch Logs does not know; the
 * settings admit none.
 */
export function logRetention(days: number): RetentionDays {
  const retention = Object.values(RetentionDays).find(
    (value): value is RetentionDays => Number(value) === days,
  );
  if (retention === undefined)
    throw new Error(`log retention: CloudWatch Logs has none of ${String(days)} days`);
  return retention;
}
