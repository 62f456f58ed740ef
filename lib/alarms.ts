/**
 * All alarms and their impact on users. Each name is a heading of `docs/runbook.md`, which a check
 * compares; `lib/monitoring-stack.ts` does not compile without a threshold for each.
 */
export const ALARMS = {
  ServerErrors: 'Callers get 5xx responses.',
  SlowResponses: 'Callers wait for seconds.',
  FunctionsThrottled: 'Requests are refused because the account has no instances left.',
  WorkersFailing: 'Background work ends in errors and is done late.',
  SweepSilent: 'The sweep does not run: expired tokens and cvc values stay stored.',
  SweepLate: 'Data that is due for removal is still stored, or deliveries are late.',
  InvocationsWaiting: 'Asynchronous invocations are not run.',
  DeliveriesWaiting: 'Results of asynchronous invocations are not delivered.',
  DeadLetteredMessages: 'Messages failed five times; the sweep does their work.',
  DeliveriesParked: 'Receivers have not accepted results in ten attempts.',
  StoreThrottled: 'DynamoDB throttles the tables; callers may get 503.',
  IndexThrottled: 'DynamoDB throttles an index; writes, searches or lists may return 503.',
  AuditUnavailable: 'Requests are refused with 503 because the audit trail cannot be written.',
  AuditThrottled: 'DynamoDB throttles the audit trail; callers may get 503.',
  AuditSealLate: 'Audit records are not sealed: a change made now may go unnoticed.',
  AuditBroken: 'The audit trail was changed.',
  AuditCheckLate: 'The audit trail was not verified for three hours: a change may go unnoticed.',
  AuditUnprotected: 'Records of the audit trail could be changed or removed.',
  AuditIndexLate: 'The index of the audit trail is late: it takes longer to find the records of a token.',
  AuditChanged: 'A policy, the expiry or a table of the audit trail was changed.',
  ManagementKeyCreated: 'An operator made a management key of a tenant: it can reach all its data.',
  ReactorsOutdated: 'Reactors have had a layer for 14 days that a deployment has replaced.',
  RetiredKeyUsed: 'An API key that was deleted or has expired is still used.',
  ConfigurationGuessed: 'A caller sent a text that equals a secret of a stored proxy.',
  RetiredSecretsForgotten: 'Replaced secrets of a proxy are no longer removed from its answers.',
  KeyChanged: 'The KMS key is disabled or scheduled for deletion: without it all data is lost.',
} as const;

export type AlarmName = keyof typeof ALARMS;

export const ALARM_NAMES = Object.keys(ALARMS) as readonly AlarmName[];
