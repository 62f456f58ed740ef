import { DisableKeyCommand, EnableKeyCommand } from '@aws-sdk/client-kms';
import { expectThat, type ReleaseItem } from '../item.ts';

const MAIL_MS = 300_000;

export const ALARM_ITEMS: readonly ReleaseItem[] = [
  {
    id: 'alarm-fires',
    title: 'An alarm fires',
    steps: `aws cloudwatch set-alarm-state --alarm-name Release-SweepSilent --state-value ALARM --state-reason test
Did the mail of docs/deploy.md, "Make an alarm ring" arrive?`,
  },
  {
    id: 'cloudtrail-heard',
    title: 'CloudTrailAbsent ends with the first event',
    steps: `aws cloudwatch describe-alarms --alarm-names Release-CloudTrailAbsent --query 'MetricAlarms[].[StateValue,StateReason]'
Is it OK a day after the deployment, in an account with a trail?`,
  },
  {
    id: 'code-changed',
    title: 'CodeChanged fires for a person, and not for a deployment',
    steps: `FUNCTION=$(aws lambda list-functions --query "Functions[?starts_with(FunctionName,'Release-Api-Logs')].FunctionName" --output text)
ROLE=$(aws lambda get-function-configuration --function-name $FUNCTION --query Role --output text | sed 's#.*/##')
aws lambda update-function-configuration --function-name $FUNCTION --memory-size 1025
aws iam put-role-policy --role-name $ROLE --policy-name check --policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"s3:*","Resource":"*"}]}'
aws iam delete-role-policy --role-name $ROLE --policy-name check
aws lambda update-function-configuration --function-name $FUNCTION --memory-size 1024
npx cdk deploy --all -c serviceName=Release -c logRetentionDays=30
Did mails of CodeChanged arrive for each change, those of the role outside of us-east-1 only with the forwarding of docs/deploy.md? Did none arrive for the deployment?`,
  },
  {
    id: 'gateway-throttled',
    title: 'GatewayThrottled counts the 429 of the gateway alone',
    steps: `npx cdk deploy Release-Api -c serviceName=Release -c throttleRate=1 -c throttleBurst=1
for n in $(seq 600); do curl -s -o /dev/null $URL/permissions & sleep 0.5; done
In the access log, is integrationStatus "-" for each 429, and 200 for the others? Did GatewayThrottled fire? Deploy again with the usual settings.`,
  },
  {
    id: 'key-changed',
    title: 'KeyChanged fires when the key is disabled',
    where: 'only on AWS',
    async run({ clients, deployment, afterwards, pause }) {
      const KeyId = deployment.variables['KEY_ID'];
      expectThat(KeyId !== undefined, 'the operator function has no KEY_ID');
      afterwards(() => clients.kms.send(new EnableKeyCommand({ KeyId })));
      await clients.kms.send(new DisableKeyCommand({ KeyId }));
      await pause(MAIL_MS);
      return {
        seen: `${KeyId} was disabled for five minutes`,
        person: 'did a mail of KeyChanged arrive in this time?',
      };
    },
  },
];
