// full-disk.test.ts runs it in a process whose disk is full after a megabyte: writes until then,
// again when there is room, and prints the acknowledged writes.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsError } from '../../src/aws-service.ts';
import { createStorageFailure } from '../../src/storage-failure.ts';
import { aDynamoDb, s } from './a-dynamodb.ts';

const [, , directory = ''] = process.argv;
const say = (line: string) => writeSync(1, `${line}\n`);
const { send } = await aDynamoDb(
  directory,
  createStorageFailure(directory, (reason, consequence) => say(`reported ${reason}: ${consequence}`)),
);
const stored: string[] = [];
let count = 0;

/** Whether a call succeeds. Its failures must be those of a service. */
async function succeeds(target: string, input: object): Promise<boolean> {
  try {
    await send(target, input);
    return true;
  } catch (error) {
    if (!(error instanceof AwsError) || error.status !== 503) say(`wrong failure: ${String(error)}`);
    return false;
  }
}

/** A client repeats a failed call under its token, as the SDKs do. */
async function write(): Promise<boolean> {
  count += 1;
  const name = `n${String(count)}`;
  const Item = { id: s(name), v: s(randomBytes(5_000).toString('base64')) };
  const request = { ClientRequestToken: name, TransactItems: [{ Put: { TableName: 'Plain', Item } }] };
  const isStored =
    (await succeeds('TransactWriteItems', request)) || (await succeeds('TransactWriteItems', request));
  if (isStored) stored.push(name);
  if (isStored) say(`stored ${name}`);
  return isStored;
}

async function readable(): Promise<number> {
  const found = stored.map(
    async (name) => (await send('GetItem', { TableName: 'Plain', Key: { id: s(name) } })).Item,
  );
  return (await Promise.all(found)).filter((item) => item !== undefined).length;
}

async function scanAlways(): Promise<never> {
  for (;;) {
    await succeeds('Scan', { TableName: 'Plain' });
    await sleep(1);
  }
}

void scanAlways();
while (await write());
for (let more = 0; more < 20; more += 1) await write();
say(`while full ${String(stored.length - (await readable()))} are missing`);
say('full');
while (!(await write())) await sleep(20);
for (let more = 0; more < 20; more += 1) await write();
say(`with room ${String(stored.length - (await readable()))} are missing`);
say('done');
