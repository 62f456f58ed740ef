import { Duration } from 'aws-cdk-lib';
import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { CORS } from './cors.ts';
import type { Settings } from './settings.ts';

type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

/** The firewall responds in the format of the API (docs/contract.md#errors). */
const tooMany = (detail: string) => ({
  contentType: 'APPLICATION_JSON',
  content: JSON.stringify({ title: 'Too Many Requests', status: 429, detail }),
});

export const RESPONSE_BODIES = {
  TooMany: tooMany('Too many requests from this address.'),
  TooManyOfKey: tooMany('Too many requests with this key.'),
} satisfies Readonly<Record<string, CfnWebACL.CustomResponseBodyProperty>>;

export const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  // Samples contain headers, and headers contain API keys.
  sampledRequestsEnabled: false,
});

const AS_IT_IS = [{ priority: 0, type: 'NONE' }];

/**
 * A browser sends a preflight before almost every API call. If it failed, the page would never see
 * the 429.
 */
const IS_PREFLIGHT: Statement = {
  byteMatchStatement: {
    fieldToMatch: { method: {} },
    positionalConstraint: 'EXACTLY',
    searchString: 'OPTIONS',
    textTransformations: AS_IT_IS,
  },
};

const headers = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** A page of another origin can read it. */
const status429 = (body: keyof typeof RESPONSE_BODIES): CfnWebACL.CustomResponseProperty => ({
  responseCode: 429,
  customResponseBodyKey: body,
  responseHeaders: headers({
    'retry-after': '60',
    'access-control-allow-origin': CORS.allowOrigin,
    'access-control-expose-headers': CORS.exposeHeaders.join(','),
  }),
});

const PREFLIGHT_RESPONSE: CfnWebACL.CustomResponseProperty = {
  responseCode: 200,
  responseHeaders: headers({
    'access-control-allow-origin': CORS.allowOrigin,
    'access-control-allow-methods': CORS.allowMethods,
    'access-control-allow-headers': CORS.allowHeaders.join(','),
  }),
};

type Limited = Pick<CfnWebACL.RateBasedStatementProperty, 'limit' | 'scopeDownStatement' | 'customKeys'>;

/** Counts requests by the address, or by other keys, and blocks those beyond the limit. */
const limit = (
  name: string,
  limited: Limited,
  customResponse: CfnWebACL.CustomResponseProperty,
): Omit<Rule, 'priority'> => ({
  name,
  action: { block: { customResponse } },
  statement: {
    rateBasedStatement: {
      aggregateKeyType: limited.customKeys === undefined ? 'IP' : 'CUSTOM_KEYS',
      evaluationWindowSec: Duration.minutes(5).toSeconds(),
      ...limited,
    },
  },
  visibilityConfig: visibility(name),
});

const byHeader = (name: string): CfnWebACL.RateBasedStatementCustomKeyProperty => ({
  header: { name, textTransformations: AS_IT_IS },
});

/** Everyone who opens a page has a key with this beginning. */
const PUBLIC_KEYS = 'key_public_';

/**
 * Counts the requests with each key under a prefix. A request without the header or the parameter
 * is not counted (AWS WAF, Aggregating rate-based rules). Everyone has a public key, so it is
 * counted for each address: one who floods with it stops no other.
 */
function keyRules(prefix: string, settings: Settings): readonly Omit<Rule, 'priority'>[] {
  const { edgeKeyRateLimit: ofKey, edgePublicKeyRateLimit: ofPublicKey } = settings;
  const api = `${prefix.toLowerCase()}-api-key`;
  const proxy = `${prefix.toLowerCase()}-proxy-key`;
  const response = status429('TooManyOfKey');
  const isPublic: Statement = {
    byteMatchStatement: {
      fieldToMatch: { singleHeader: { Name: api } },
      positionalConstraint: 'STARTS_WITH',
      searchString: PUBLIC_KEYS,
      textTransformations: AS_IT_IS,
    },
  };
  return [
    limit(
      `TooManyOfPublicKey-${prefix}`,
      { limit: ofPublicKey, scopeDownStatement: isPublic, customKeys: [byHeader(api), { ip: {} }] },
      response,
    ),
    limit(
      `TooManyOfKey-${prefix}`,
      {
        limit: ofKey,
        scopeDownStatement: { notStatement: { statement: isPublic } },
        customKeys: [byHeader(api)],
      },
      response,
    ),
    limit(`TooManyOfProxyKey-${prefix}`, { limit: ofKey, customKeys: [byHeader(proxy)] }, response),
    limit(
      `TooManyOfProxyKeyInQuery-${prefix}`,
      {
        limit: ofKey,
        // One key has many spellings in a query, and one value.
        customKeys: [
          { queryArgument: { name: proxy, textTransformations: [{ priority: 0, type: 'URL_DECODE' }] } },
        ],
      },
      response,
    ),
  ];
}

/** The rules of the edge. They do not inspect bodies, which contain customers' data and code. */
export function firewallRules(settings: Settings): Rule[] {
  const { edgeRateLimit, headerPrefixes } = settings;
  const rules: readonly Omit<Rule, 'priority'>[] = [
    limit(
      'TooManyRequests',
      { limit: edgeRateLimit, scopeDownStatement: { notStatement: { statement: IS_PREFLIGHT } } },
      status429('TooMany'),
    ),
    limit(
      'TooManyPreflights',
      { limit: edgeRateLimit, scopeDownStatement: IS_PREFLIGHT },
      PREFLIGHT_RESPONSE,
    ),
    {
      name: 'BadReputation',
      overrideAction: { none: {} },
      statement: {
        managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesAmazonIpReputationList' },
      },
      visibilityConfig: visibility('BadReputation'),
    },
    ...headerPrefixes.flatMap((prefix) => keyRules(prefix, settings)),
  ];
  return rules.map((rule, at) => ({ ...rule, priority: at + 1 }));
}
