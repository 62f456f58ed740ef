import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/**
 * The retention for a number of days. Throws for a number that CloudWatch Logs does not offer; the
 * settings accept no such number.
 */
export function logRetention(days: number): RetentionDays {
  const retention = Object.values(RetentionDays).find(
    (value): value is RetentionDays => Number(value) === days,
  );
  if (retention === undefined)
    throw new Error(`log retention: CloudWatch Logs has none of ${String(days)} days`);
  return retention;
}
