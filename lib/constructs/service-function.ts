import { Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { acceptFindings } from '../accept-findings.ts';
import { builtFolder } from '../assets.ts';
import { reservedFor, type FunctionFolder } from '../reserved-concurrency.ts';
import type { Settings } from '../settings.ts';
import { ServiceLog } from './service-log.ts';

export interface ServiceFunctionProps<Environment extends Readonly<Record<string, string>>> {
  /** The folder is under `functions/`. */
  readonly folder: FunctionFolder;
  readonly description: string;
  /** Exactly the variables of the folder's `config.ts`: a missing one does not compile. */
  readonly environment: Environment;
  /** All permissions of the function besides writing its own log. */
  readonly grants: readonly PolicyStatement[];
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly settings: Pick<Settings, 'logRetentionDays' | 'reservedConcurrency'>;
  /** Encrypts the log. */
  readonly key: IKey;
  readonly functionName?: string;
  /**
   * It sends messages to its own queue, and the service limits their number. Lambda would stop it
   * after about 16 rounds.
   */
  readonly mayLoop?: boolean;
  /**
   * Events of a schedule invoke it, and the next one does what this one did not. Lambda would run a
   * failed one twice again, beside the next.
   */
  readonly isScheduled?: boolean;
}

/** Findings of the policy packs about every function, with the reasons for them. */
const ACKNOWLEDGED = {
  'AwsSolutions-IAM5[Resource::*]':
    'X-Ray has no resources to name: sending trace segments is granted on all of them or not at all.',
  'PCI.DSS.321-IAMNoInlinePolicy':
    'The policy is written for the one role that has it and must not be attached to another one.',
  'PCI.DSS.321-LambdaInsideVPC':
    'No function can be reached but by an invocation that IAM allows. A network of our own would add routes, not take any away; egress is checked by the code that opens connections.',
  'Serverless-LambdaDLQ':
    'Functions behind the API and the operator are invoked synchronously; workers have queues with a place aside; the sweep runs again a minute later and finds all it did not do.',
};

/** About a function that a schedule invokes. */
const SCHEDULED = {
  'Serverless-LambdaAsyncFailureDestination':
    'Only schedules invoke these functions asynchronously: the next event does what a failed one did not, and alarms report missing work.',
};

/**
 * A Lambda of the service: one folder, one role with named grants, one log group with a retention.
 */
export class ServiceFunction<Environment extends Readonly<Record<string, string>>> extends Construct {
  readonly lambda: LambdaFunction;
  protected readonly log: ServiceLog;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Environment>) {
    super(scope, id);
    const reserved = reservedFor(props.settings.reservedConcurrency, props.folder);
    this.log = new ServiceLog(this, 'Log', {
      key: props.key,
      retentionDays: props.settings.logRetentionDays,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.log.logGroupArn],
      }),
    );
    this.lambda = new LambdaFunction(this, 'Function', {
      ...(props.functionName === undefined ? {} : { functionName: props.functionName }),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(builtFolder(this, 'functions', props.folder)),
      environment: { ...props.environment },
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes,
      role,
      logGroup: this.log,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      // The log contains only the service's own lines. The platform writes three per call, which
      // would be most of the log.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      ...(props.isScheduled === true && { retryAttempts: 0 }),
      ...(props.mayLoop === true && { recursiveLoop: RecursiveLoop.ALLOW }),
      tracing: Tracing.ACTIVE,
    });
    for (const grant of props.grants) this.lambda.addToRolePolicy(grant);
    acceptFindings(this, { ...ACKNOWLEDGED, ...(props.isScheduled === true && SCHEDULED) });
  }
}
