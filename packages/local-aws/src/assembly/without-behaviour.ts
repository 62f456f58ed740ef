import { physicalName } from './physical-name.ts';
import type { Identity } from './resolver.ts';
import { withoutBehaviour, type ResourceType } from './resource-type.ts';

/** Names a resource by an explicit property or its physical name, and its ARN by that name. */
function named(
  property: string,
  maxLength: number,
  arn: (name: string, scope: string) => string,
): ResourceType['identify'] {
  return ({ stack, logicalId, text }, { accountId, region }): Identity => {
    const name = text(property) ?? physicalName(stack.name, logicalId, maxLength);
    return { ref: name, attributes: { Arn: arn(name, `${region}:${accountId}`) } };
  };
}

const topic: ResourceType['identify'] = ({ stack, logicalId, text }, { accountId, region }) => {
  const name = text('TopicName') ?? physicalName(stack.name, logicalId, 256);
  const arn = `arn:aws:sns:${region}:${accountId}:${name}`;
  return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
};

const unnamed: ResourceType['identify'] = ({ stack, logicalId }) => ({
  ref: physicalName(stack.name, logicalId, 255),
  attributes: {},
});

const secret: ResourceType['identify'] = ({ stack, logicalId, text }, { accountId, region }) => {
  const name = text('Name') ?? physicalName(stack.name, logicalId, 512);
  return { ref: `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}`, attributes: {} };
};

/** CloudWatch Logs presents the key of a log group, though nothing is encrypted locally. */
const logGroup: ResourceType['identify'] = (handle, account) => {
  const { ref, attributes } = named(
    'LogGroupName',
    512,
    (name, scope) => `arn:aws:logs:${scope}:log-group:${name}:*`,
  )(handle, account);
  const key = handle.text('KmsKeyId');
  return { ref, attributes: { ...attributes, ...(key !== undefined && { KmsKeyId: key }) } };
};

const NO_MESSAGES = 'only alarms publish to topics, and alarms send nothing locally';
const ONE_VERSION = 'one machine has one version of a function, and moves no requests to another';

export const resourcesWithoutBehaviour: Readonly<Record<string, ResourceType>> = {
  'AWS::CDK::Metadata': withoutBehaviour('reports the used constructs to AWS', unnamed),
  'AWS::CloudWatch::Dashboard': withoutBehaviour(
    'one machine stores the metrics of alarms alone, and draws none',
    named('DashboardName', 255, (name, scope) => `arn:aws:cloudwatch:${scope}:dashboard/${name}`),
  ),
  'AWS::CodeDeploy::Application': withoutBehaviour(ONE_VERSION, unnamed),
  'AWS::CodeDeploy::DeploymentGroup': withoutBehaviour(ONE_VERSION, unnamed),
  'AWS::Logs::LogGroup': withoutBehaviour(
    'the function host writes each function into a file of its own',
    logGroup,
  ),
  'AWS::SecretsManager::Secret': withoutBehaviour(
    'its value is made on AWS alone, and functions get it by the template',
    secret,
  ),
  'AWS::SNS::Subscription': withoutBehaviour(NO_MESSAGES, unnamed),
  'AWS::SNS::Topic': withoutBehaviour(NO_MESSAGES, topic),
  'AWS::SNS::TopicPolicy': withoutBehaviour(NO_MESSAGES, unnamed),
};
