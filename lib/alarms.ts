import type { Settings } from './settings.ts';

/**
 * All alarms and their impact on users. Each name is a heading of `docs/runbook.md`, which a check
 * compares; `lib/monitoring-stack.ts` does not compile without a threshold for each.
 */
export const ALARMS = {
  ServerErrors: 'Callers get 5xx responses by a fault of the service.',
  GatewayThrottled: 'The gateway refuses requests with 429: callers exceed throttleRate.',
  UnauthorizedFlood: 'Hundreds of requests a minute have no valid key, and use up the rate of all callers.',
  RevealsHigh: 'Callers get more tokens in plaintext than alarmReveals: perhaps someone takes them all.',
  Silent: 'No request has arrived for as long as alarmSilence states.',
  CertificateEnds: 'A certificate ends within 30 days: then no caller can connect.',
  SlowResponses: 'Callers wait for seconds.',
  ConcurrencyHigh: 'Functions use 80 percent of the quota of concurrent executions: the next are refused.',
  ColdReactors: 'The quota leaves no provisioned instance to some reactors: their first calls are slow.',
  FunctionsThrottled: 'Requests are refused because the account has no instances left.',
  WorkersFailing: 'Background work ends in errors and is done late.',
  SweepSilent: 'The sweep does not run: expired tokens and cvc values stay stored.',
  SweepLate: 'Data that is due for removal is still stored, or deliveries are late.',
  InvocationsWaiting: 'Asynchronous invocations are not run.',
  DeliveriesWaiting: 'Results of asynchronous invocations are not delivered.',
  DeadLetteredMessages: 'Messages failed five times; the sweep does their work.',
  DeliveriesParked: 'A receiver has not accepted a result in ten attempts.',
  StoreThrottled: 'DynamoDB throttles the tables; callers may get 503.',
  IndexThrottled: 'DynamoDB throttles an index; writes, searches or lists may return 503.',
  AuditUnavailable: 'Requests are refused with 503 because the audit trail cannot be written.',
  AuditThrottled: 'DynamoDB throttles the audit trail; callers may get 503.',
  AuditSealLate: 'Audit records are not sealed: a change made now may go unnoticed.',
  AuditBroken: 'The audit trail was changed.',
  AuditCheckLate: 'The audit trail was not verified for three hours: a change may go unnoticed.',
  AuditUnprotected: 'Records of the audit trail could be changed or removed.',
  DataUnprotected: 'Tables with tokens, keys or reactors could be lost or read from outside.',
  BackupFailed: 'A backup of a table, or its copy elsewhere, failed: the last copy gets older.',
  BackupLate: 'No copy of a table has reached the vault elsewhere for 30 hours.',
  CloudTrailAbsent: 'CloudTrail records no calls: the alarms about changed keys, tables and code are blind.',
  AuditIndexLate: 'The index of the audit trail is late: it takes longer to find the records of a token.',
  AuditChanged: 'A policy, the expiry or a table of the audit trail was changed.',
  ManagementKeyCreated: 'An operator made a management key of a tenant: it can reach all its data.',
  ReactorsOutdated: 'Reactors have had a layer for 14 days that a deployment has replaced.',
  RetiredKeyUsed: 'An API key that was deleted or has expired is still used.',
  ConfigurationGuessed: 'A caller sent a text that equals a secret of a stored proxy.',
  RetiredSecretsForgotten: 'Replaced secrets of a proxy are no longer removed from its answers.',
  CodeChanged: 'A function or its role was changed, and not by a deployment.',
  KeyChanged: 'The KMS key is disabled or scheduled for deletion: without it all data is lost.',
} as const;

export type AlarmName = keyof typeof ALARMS;

export const ALARM_NAMES = Object.keys(ALARMS) as readonly AlarmName[];

/**
 * The alarms that `alarms=basic` leaves: the service fails or is about to, and data, keys or the
 * trail may be lost or read. Each watches one or two metrics, or none.
 */
const BASIC: readonly AlarmName[] = [
  'ServerErrors',
  'GatewayThrottled',
  'RevealsHigh',
  'Silent',
  'CertificateEnds',
  'ConcurrencyHigh',
  'SweepSilent',
  'AuditUnavailable',
  'AuditSealLate',
  'AuditBroken',
  'AuditCheckLate',
  'AuditUnprotected',
  'DataUnprotected',
  'BackupFailed',
  'BackupLate',
  'CloudTrailAbsent',
  'AuditChanged',
  'ManagementKeyCreated',
  'CodeChanged',
  'KeyChanged',
];

type AlarmSettings = Pick<
  Settings,
  | 'alarms'
  | 'alarmReveals'
  | 'alarmSilence'
  | 'backup'
  | 'certificateArn'
  | 'consoleCertificateArn'
  | 'fieldsCertificateArn'
>;

/** ARNs of the certificates that callers and browsers see. */
export const certificatesOf = ({
  certificateArn,
  consoleCertificateArn,
  fieldsCertificateArn,
}: Pick<
  Settings,
  'certificateArn' | 'consoleCertificateArn' | 'fieldsCertificateArn'
>): readonly string[] => [
  ...new Set([certificateArn, consoleCertificateArn, fieldsCertificateArn].filter((arn) => arn !== '')),
];

/** Returns the alarms that a deployment has. */
export function alarmsOf(settings: AlarmSettings): ReadonlySet<AlarmName> {
  const isIn = (name: AlarmName): boolean => {
    if (name === 'RevealsHigh') return settings.alarmReveals > 0;
    if (name === 'Silent') return settings.alarmSilence > 0;
    if (name === 'BackupFailed' || name === 'BackupLate') return settings.backup !== 'none';
    if (name === 'CertificateEnds') return certificatesOf(settings).length > 0;
    return settings.alarms === 'all' || BASIC.includes(name);
  };
  return new Set(ALARM_NAMES.filter(isIn));
}
