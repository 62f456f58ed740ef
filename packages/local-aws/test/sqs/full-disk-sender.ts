// create-sqs.test.ts runs it in a process whose disk is full after some messages: sends until then,
// again when there is room, and prints the acknowledged messages.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsError } from '../../src/aws-service.ts';
import { createSqs } from '../../src/sqs/create-sqs.ts';

const [, , dataDir = ''] = process.argv;
const say = (line: string) => writeSync(1, `${line}\n`);
const sqs = createSqs({ accountId: '000000000000', region: 'us-east-1', dataDir });
const QueueUrl = 'http://127.0.0.1:1/000000000000/saved';
await sqs.createQueue({
  name: 'saved',
  arn: 'arn:aws:sqs:us-east-1:000000000000:saved',
  url: QueueUrl,
  attributes: {},
});
let count = 0;

async function send(): Promise<boolean> {
  count += 1;
  const name = `m${String(count)}`;
  try {
    await sqs.call('SendMessage', {
      QueueUrl,
      MessageBody: `${name} ${randomBytes(30_000).toString('base64')}`,
    });
    say(`stored ${name}`);
    return true;
  } catch (error) {
    if (!(error instanceof AwsError) || error.status !== 503) say(`wrong failure: ${String(error)}`);
    return false;
  }
}

while (await send());
say('full');
while (!(await send())) await sleep(20);
for (let more = 0; more < 5; more += 1) await send();
say('done');
