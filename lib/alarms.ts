/**
 * Every alarm, with what it means for users. Its name is a heading of `docs/runbook.md`, which a
 * check compares; `lib/monitoring-stack.ts` must say for each when it goes off, or does not
 * compile.
 */
export const ALARMS = {
  ServerErrors: 'Callers get 5xx answers.',
  SlowAnswers: 'Callers wait for seconds.',
  FunctionsThrottled: 'Requests are refused because the account has no instances left.',
  WorkersFailing: 'Work in the background ends in errors and is done late.',
  SweepSilent: 'Nothing removes what is due: expired tokens and values of cvc stay at rest.',
  SweepLate: 'What should have been removed is still at rest, or deliveries are late.',
  InvocationsWaiting: 'Asynchronous invocations are not run.',
  DeliveriesWaiting: 'Results of asynchronous invocations are not delivered.',
  MessagesPutAside: 'Messages could not be handled; their work waits for the sweep.',
  DeliveriesParked: 'Receivers have not taken results in ten tries.',
  StoreThrottled: 'Reads or writes of the store are refused; callers may get 503.',
  IndexThrottled: 'An index refuses writes of its table, searches or lists; callers may get 503.',
  AuditUnavailable: 'Requests are refused with 503 because the audit trail cannot be written.',
  AuditThrottled: 'Reads or writes of the audit trail are refused; callers may get 503.',
  AuditSealLate: 'Records of the audit trail are not sealed: what is changed now may not be found.',
  AuditBroken: 'The audit trail is not as it was written, or it could not be checked in time.',
  AuditChanged: 'Somebody changed what protects the audit trail: its policies, its expiry, its tables.',
  KeyChanged: 'Somebody disabled the key or is deleting it: without it all data is lost.',
} as const;

export type AlarmName = keyof typeof ALARMS;

/** Names of all alarms. */
export const ALARM_NAMES = Object.keys(ALARMS) as readonly AlarmName[];
