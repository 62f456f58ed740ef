import { Alias, type IFunction, type IVersion } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { alarmsOf } from '../alarms.ts';
import type { DataStack } from '../data-stack.ts';
import { allowKeyUses, allowOnTable, allowTenantKeys } from '../grants.ts';
import { countLines, LINES } from '../log-metrics.ts';
import type { Settings } from '../settings.ts';
import { Canary } from './canary.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** The functions behind the API differ in these properties. */
export type ApiFunctionContent<Environment extends Readonly<Record<string, string>>> = Pick<
  ServiceFunctionProps<Environment>,
  'folder' | 'description' | 'environment' | 'grants'
>;

export interface ApiFunctionProps<
  Environment extends Readonly<Record<string, string>>,
> extends ApiFunctionContent<Environment> {
  /**
   * Another value publishes another version: for content that the environment names and that does
   * not change the text of the template.
   */
  readonly contentHash?: string;
  /** Callers without an API key reach the function. A canary does not fail by their timeouts. */
  readonly isKeyless?: boolean;
  readonly settings: Settings;
  readonly data: DataStack;
}

/** The gateway waits no longer than this for a function. */
const GATEWAY_TIMEOUT_SECONDS = 30;

/** A Lambda behind the API: it may authenticate, and use its own grants. */
export class ApiFunction<
  Environment extends Readonly<Record<string, string>>,
> extends ServiceFunction<Environment> {
  /**
   * The gateway invokes this alias of the current version. CloudFormation changes code and
   * variables of a function in two calls, and no request meets one without the other.
   */
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ApiFunctionProps<Environment>) {
    const { settings, data, contentHash, isKeyless = false, ...content } = props;
    const { access, audit, ephemeral, key } = data;
    super(scope, id, {
      timeoutSeconds: GATEWAY_TIMEOUT_SECONDS,
      memoryMegabytes: 1024,
      settings,
      key,
      ...content,
      grants: [
        // Every request needs these for authentication, tenant keys, and the records of idempotency
        // keys.
        allowOnTable(access, ['BatchGetItem']),
        allowKeyUses(access),
        allowOnTable(ephemeral, ['BatchGetItem', 'PutItem', 'UpdateItem']),
        allowTenantKeys(key, 'Decrypt'),
        // The only write that cannot overwrite.
        allowOnTable(audit, ['PartiQLInsert']),
        ...content.grants,
      ],
    });
    if (contentHash !== undefined) this.lambda.invalidateVersionBasedOn(contentHash);
    // The CDK's classes declare members as possibly undefined that its interfaces make optional.
    const version = this.lambda.currentVersion as IVersion;
    const live = new Alias(this, 'Live', { aliasName: 'live', version });
    this.live = live as IFunction;
    const { deployment, serviceName } = settings;
    // Callers without an API key can make the function exceed its time.
    const failure = isKeyless ? LINES.faultOrCrash : LINES.faultOrNoEnd;
    countLines(this.log, serviceName, 'ServiceFailures', failure);
    const alarms = alarmsOf(settings);
    if (alarms.has('RevealsHigh'))
      countLines(this.log, serviceName, 'TokensRevealed', LINES.reveals, '$.revealed');
    if (alarms.has('UnauthorizedFlood'))
      countLines(this.log, serviceName, 'UnauthorizedRequests', LINES.unauthorized);
    if (deployment === 'canary')
      new Canary(this, 'Canary', { serviceName, live, log: this.log, ignoresTimeouts: isKeyless });
  }
}
