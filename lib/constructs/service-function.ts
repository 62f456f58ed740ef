import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { bundleFunction } from '../bundle.ts';
import { logRetention } from '../log-retention.ts';

export interface ServiceFunctionProps<Environment extends Readonly<Record<string, string>>> {
  /** The folder under `functions/`. */
  readonly folder: string;
  readonly description: string;
  /** Exactly the variables of the folder's `config.ts`: a forgotten one does not compile. */
  readonly environment: Environment;
  /** Everything the function may do beside writing its own log. */
  readonly grants: readonly PolicyStatement[];
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly logRetentionDays: number;
  readonly functionName?: string;
}

/** A Lambda of the service: one folder, one role with named grants, one log group with a retention. */
export class ServiceFunction<Environment extends Readonly<Record<string, string>>> extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<Environment>) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Log', {
      retention: logRetention(props.logRetentionDays),
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      ...(props.functionName === undefined ? {} : { functionName: props.functionName }),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleFunction(props.folder)),
      environment: { ...props.environment },
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes,
      logGroup,
    });
    for (const grant of props.grants) this.lambda.addToRolePolicy(grant);
  }
}
