// A small CDK app with one of each resource that runs locally: two stacks, one of which imports
// from the other.
import { join } from 'node:path';
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CorsHttpMethod, HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Effect, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunctionResource,
  LayerVersion,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';

const code = (name: string): Code => Code.fromAsset(join(import.meta.dirname, 'fixture-code', name));

const app = new App();

const data = new Stack(app, 'Data');
const key = new Key(data, 'Key', {
  alias: 'fixture',
  enableKeyRotation: true,
  removalPolicy: RemovalPolicy.DESTROY,
});
const table = new Table(data, 'Table', {
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  sortKey: { name: 'sk', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  encryptionKey: key,
  timeToLiveAttribute: 'ttl',
});
table.addGlobalSecondaryIndex({
  indexName: 'by-date',
  partitionKey: { name: 'date', type: AttributeType.NUMBER },
});

const api = new Stack(app, 'Api');
const echo = new LambdaFunctionResource(api, 'Echo', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: code('echo'),
  timeout: Duration.seconds(5),
  memorySize: 512,
  environment: { TABLE_NAME: table.tableName, KEY_ARN: key.keyArn },
});
table.grantReadWriteData(echo);
const operator = new LambdaFunctionResource(api, 'Operator', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: code('operator'),
});
new Rule(api, 'Sweep', {
  schedule: Schedule.rate(Duration.minutes(1)),
  targets: [new LambdaFunction(operator, { event: RuleTargetInput.fromObject({ command: 'sweep' }) })],
});
new Alarm(api, 'Errors', { metric: echo.metricErrors(), threshold: 1, evaluationPeriods: 1 });

const httpApi = new HttpApi(api, 'HttpApi', {
  corsPreflight: { allowOrigins: ['*'], allowMethods: [CorsHttpMethod.ANY], allowHeaders: ['content-type'] },
});
const integration = new HttpLambdaIntegration('EchoIntegration', echo);
httpApi.addRoutes({ path: '/echo/{proxy+}', methods: [HttpMethod.ANY], integration });
httpApi.addRoutes({ path: '/echo', methods: [HttpMethod.GET, HttpMethod.POST], integration });

const work = new Queue(api, 'Work', {
  encryption: QueueEncryption.KMS,
  encryptionMasterKey: key,
  enforceSSL: true,
  visibilityTimeout: Duration.seconds(30),
  deadLetterQueue: { queue: new Queue(api, 'Dead', { enforceSSL: true }), maxReceiveCount: 3 },
});
const worker = new LambdaFunctionResource(api, 'Worker', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: code('worker'),
  environment: { API_URL: httpApi.apiEndpoint },
});
worker.addEventSource(new SqsEventSource(work, { reportBatchItemFailures: true, maxConcurrency: 2 }));

const layer = new LayerVersion(api, 'Layer', {
  code: code('echo'),
  compatibleArchitectures: [Architecture.ARM_64, Architecture.X86_64],
  compatibleRuntimes: [Runtime.PROVIDED_AL2023],
});
const nothing = new ManagedPolicy(api, 'Nothing', {
  statements: [new PolicyStatement({ effect: Effect.DENY, actions: ['*'], resources: ['*'] })],
});
const boundRole = new Role(api, 'BoundRole', {
  assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
  permissionsBoundary: nothing,
});
boundRole.addToPolicy(new PolicyStatement({ actions: ['logs:PutLogEvents'], resources: ['*'] }));

new CfnOutput(api, 'QueueUrl', { value: work.queueUrl });
new CfnOutput(api, 'QueueArn', { value: work.queueArn });
new CfnOutput(api, 'WorkerFunctionName', { value: worker.functionName });
new CfnOutput(api, 'LayerArn', { value: layer.layerVersionArn });
new CfnOutput(api, 'BoundRoleArn', { value: boundRole.roleArn });
new CfnOutput(api, 'OperatorFunctionName', { value: operator.functionName });
new CfnOutput(api, 'OperatorAccessFunctionName', { value: operator.functionName });
