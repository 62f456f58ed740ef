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
