import type { PolicyDocument } from '../aws-service.ts';

const logsOnly: PolicyDocument = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: '*',
    },
  ],
};

/** AWS managed policies that the app may refer to, by ARN, as AWS publishes them. */
export const managedPolicies: Readonly<Record<string, PolicyDocument>> = {
  'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole': logsOnly,
};
