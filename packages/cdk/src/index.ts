import { Stack, Stage, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { accessFunctionName, operatorFunctionName } from '../../../lib/deployment-names.ts';
import { buildService, type ServiceStacks } from '../../../lib/service.ts';
import { SettingsError, type Settings } from '../../../lib/settings.ts';
import { setFeatureFlags } from './feature-flags.ts';
import type { CloakroomProps } from './props.ts';
import { settingsOfProps } from './token-props.ts';
import { weakValue } from './weak-value.ts';

export type { CloakroomProps } from './props.ts';

const known = (value: string | undefined) => (Token.isUnresolved(value) ? undefined : value);

/** The account and Region of a scope, as far as they are known. */
function placeOf(scope: Construct) {
  const around = scope.node.scopes.toReversed().find((each) => Stack.isStack(each) || Stage.isStage(each));
  const { account, region } = around as Stack | Stage;
  return { account: known(account), region: known(region) };
}

/**
 * Whether two scopes are deployed to one place. Two stages may have one each if their accounts and
 * Regions are not known.
 */
function isOnePlace(one: Construct, other: Construct): boolean {
  const [a, b] = [one, other].map(placeOf);
  const areKnown = a?.account !== undefined && a.region !== undefined;
  return (
    (areKnown || Stage.of(one) === Stage.of(other)) && a?.account === b?.account && a?.region === b?.region
  );
}

/** Throws if the app has this deployment already: one would be deployed over the other. */
function requireOne(own: Cloakroom, serviceName: string): void {
  const twin = own.node.root.node
    .findAll()
    .find(
      (each) =>
        each !== own &&
        each instanceof Cloakroom &&
        each.operatorFunctionName === operatorFunctionName(serviceName) &&
        isOnePlace(each, own),
    );
  if (twin !== undefined)
    throw new SettingsError(`serviceName has a deployment in this account and Region: ${twin.node.path}`);
}

/**
 * A Cloakroom service: five stacks beside the one that it is put into, or below an App or a Stage,
 * and one for each of `edge` (two), `console`, `fields` and `backup`. Their names begin with
 * `serviceName` and do not depend on the scope. Their environment is that of the Stack or Stage
 * around it.
 */
export class Cloakroom extends Construct {
  readonly #stacks: ServiceStacks;
  readonly #domainName: string;
  readonly #accessFunctionName: string;

  /** Requests have their API key in this header, such as `SVC-API-KEY`. */
  readonly keyHeader: string;
  /** The name of the function of the operator, for `cloakroom operator --function`. */
  readonly operatorFunctionName: string;

  /**
   * Throws an Error that names the construct, and each prop with an unknown name or an invalid
   * value.
   */
  constructor(scope: Construct, id: string, props: CloakroomProps = {}) {
    super(scope, id);
    let settings: Settings;
    try {
      settings = settingsOfProps({ ...props });
      requireOne(this, settings.serviceName);
      setFeatureFlags(this);
      this.#stacks = buildService(this, settings, { ...placeOf(this), isFixed: true });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      throw new SettingsError(`${this.node.path}: ${error.message}`);
    }
    this.#domainName = settings.domainName;
    this.keyHeader = `${settings.headerPrefixes[0] ?? ''}-API-KEY`;
    this.operatorFunctionName = operatorFunctionName(settings.serviceName);
    this.#accessFunctionName = accessFunctionName(settings.serviceName);
  }

  /** The base address of the service: a token, unless the service has a domain. */
  get apiUrl(): string {
    return this.#domainName === '' ? weakValue(this.#stacks.api, 'ApiUrl') : `https://${this.#domainName}`;
  }

  /** A token of the ARN of the SNS topic that gets the alarms. */
  get alarmTopicArn(): string {
    return weakValue(this.#stacks.monitoring, 'AlarmTopicArn');
  }

  /**
   * A statement that allows to invoke the operator, for the role of a pipeline. It allows no
   * command that gives access to a tenant, or destroys it.
   */
  get operatorPolicy(): PolicyStatement {
    return this.#mayInvoke(this.operatorFunctionName);
  }

  /** A statement that allows the operator commands that give access to a tenant, or destroy it. */
  get operatorAccessPolicy(): PolicyStatement {
    return this.#mayInvoke(this.#accessFunctionName);
  }

  #mayInvoke(name: string): PolicyStatement {
    const arn = this.#stacks.operations.formatArn({ service: 'lambda', resource: `function:${name}` });
    return new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [arn] });
  }
}
