import { PRICES } from '../../../lib/prices.ts';
import type { Stack, TableState, TemplateResource } from './removal-account.ts';

const GIGABYTE = 1024 ** 3;
const MONTH_SECONDS = 730 * 3_600;
const REACTOR_GIGABYTES = 0.5;

const metricsOf = ({ Properties: { Metrics: metrics } = {} }: TemplateResource): number =>
  Array.isArray(metrics) ? metrics.filter((each: object) => 'MetricStat' in each).length : 1;

const rulesOf = ({ Properties: { Rules: rules } = {} }: TemplateResource): number =>
  Array.isArray(rules) ? rules.length : 0;

/** The types of resources that AWS charges by the month. */
const BY_TYPE: Readonly<Record<string, (resource: TemplateResource) => number>> = {
  'AWS::CloudWatch::Alarm': (alarm) => metricsOf(alarm) * PRICES.month.alarmMetric,
  'AWS::CloudWatch::Dashboard': () => PRICES.month.dashboard,
  'AWS::SecretsManager::Secret': () => PRICES.month.secret,
  'AWS::WAFv2::WebACL': (acl) => PRICES.month.webAcl + rulesOf(acl) * PRICES.month.webAclRule,
};

/**
 * Costs of a stack in dollars a month that it has without requests, and without what it retains.
 */
export const stackMonthly = ({ template }: Stack): number =>
  Object.values(template).reduce((sum, resource) => sum + (BY_TYPE[resource.Type]?.(resource) ?? 0), 0);

export function tableMonthly({ bytes, isInfrequent, isRecoverable }: TableState): number {
  const stored = isInfrequent ? PRICES.infrequent.storedGigabyte : PRICES.storedGigabyte;
  return (bytes / GIGABYTE) * (stored + (isRecoverable ? PRICES.recoverableGigabyte : 0));
}

export const backupMonthly = (bytes: number): number => (bytes / GIGABYTE) * PRICES.backupGigabyte;
export const logMonthly = (bytes: number): number => (bytes / GIGABYTE) * PRICES.storedLogGigabyte;

/**
 * Assumes the dearer architecture, because the plan does not read the architecture of each
 * function.
 */
export const instancesMonthly = (count: number): number =>
  count * REACTOR_GIGABYTES * MONTH_SECONDS * PRICES.provisionedGigabyteSecond.x86_64;
