// A CDK app of a dozen lines that is not the product: a table, two functions, an HTTP API and an
// alarm.
import { join } from 'node:path';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';

const app = new App();
const stack = new Stack(app, 'Guestbook');
const key = (app.node.tryGetContext('key') as string | undefined) ?? 'guest';
const partitionKey = { name: key, type: AttributeType.STRING };
const guests = new Table(stack, 'Guests', { partitionKey, billingMode: BillingMode.PAY_PER_REQUEST });
const code = Code.fromAsset(join(import.meta.dirname, 'code'));
const runtime = { runtime: Runtime.NODEJS_24_X, handler: 'sign.handler', code };
const environment = { TABLE: guests.tableName };
const sign = new LambdaFunction(stack, 'Sign', { ...runtime, environment });
guests.grantWriteData(sign);
// The same, without the permission to write.
const look = new LambdaFunction(stack, 'Look', { ...runtime, environment });
const api = new HttpApi(stack, 'Api', { defaultIntegration: new HttpLambdaIntegration('Sign', sign) });
sign.metricErrors({ period: Duration.minutes(1) }).createAlarm(stack, 'Failing', {
  alarmName: 'Failing',
  threshold: 1,
  evaluationPeriods: 1,
});
api.addRoutes({ path: '/look', integration: new HttpLambdaIntegration('Look', look) });
