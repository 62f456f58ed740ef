import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';

/*
 * Metrics that CloudWatch counts from lines of logs. AWS charges such a metric for the hours in
 * which a line matches.
 */

/** The codes of log lines about a fault of the service itself (src/wire/problem.ts). */
const OWN_FAULTS = ['internal_error', 'dependency_unavailable'].map((code) =>
  FilterPattern.stringValue('$.code', '=', code),
);

/**
 * Selects the platform's line about a call that ended in none of these ways. The log has it,
 * because it is a warning (AWS Lambda Developer Guide, System log level event mapping, and
 * Telemetry API schema reference, Status).
 */
const endedOtherwise = (...ways: readonly ('success' | 'timeout')[]) =>
  FilterPattern.all(
    FilterPattern.stringValue('$.type', '=', 'platform.report'),
    ...ways.map((status) => FilterPattern.stringValue('$.record.status', '!=', status)),
  );

/** The process crashed, or did not start. */
const CRASH = endedOtherwise('success', 'timeout');

/** Each selects some lines of a function behind the API. */
export const LINES = {
  /** Faults that the function itself reports, and neither those of a destination nor of code. */
  fault: FilterPattern.any(...OWN_FAULTS),
  faultOrCrash: FilterPattern.any(...OWN_FAULTS, CRASH),
  faultOrNoEnd: FilterPattern.any(...OWN_FAULTS, endedOtherwise('success')),
  /** A destination may return 401 too, and only to a caller whose tenant is known. */
  unauthorized: FilterPattern.all(
    FilterPattern.numberValue('$.status', '=', 401),
    FilterPattern.notExists('$.tenantId'),
  ),
  /** A response shows tokens in plaintext. */
  reveals: FilterPattern.numberValue('$.revealed', '>', 0),
} as const;

/** Each selects lines of the gateway's access log, whose values are texts. */
export const ACCESS_LINES = {
  /** The gateway refused the request. A function's 429, such as a destination's, is another. */
  throttled: FilterPattern.all(
    FilterPattern.stringValue('$.status', '=', '429'),
    FilterPattern.stringValue('$.integrationStatus', '!=', '200'),
  ),
} as const;

/** The metrics of the service that lines of several logs make together. */
export type LogMetricName =
  | 'ServiceFailures'
  | 'UnauthorizedRequests'
  | 'GatewayThrottled'
  | 'TokensRevealed';

/**
 * Counts the lines of a log that match, or adds up one of their values, in a metric of the service
 * without dimensions.
 */
export function countLines(
  log: ILogGroup,
  serviceName: string,
  metricName: LogMetricName,
  filterPattern: (typeof LINES)[keyof typeof LINES],
  metricValue = '1',
): MetricFilter {
  return new MetricFilter(log, metricName, {
    logGroup: log,
    metricNamespace: serviceName,
    metricName,
    filterPattern,
    metricValue,
  });
}
