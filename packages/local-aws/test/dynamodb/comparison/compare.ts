// Compares the local DynamoDB with another implementation, and records that one's responses:
// packages/local-aws/README.md#compared-with-dynamodb-local has the commands.
import { parseArgs } from 'node:util';
import { responsesOf, type Response, type Implementation, type RawAnswer } from './responses.ts';
import { corpus } from './corpus/corpus.ts';
import { tables } from './corpus/tables.ts';
import { compareResponses, type Difference } from './differences.ts';
import { localDynamoDb } from './local-dynamodb.ts';
import { writeRecording } from './recording.ts';

const { values } = parseArgs({ options: { endpoint: { type: 'string' }, record: { type: 'string' } } });

/** An implementation may remember tokens of transactions longer than its tables. */
const run = Date.now().toString(36);
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=compare/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none';

function over(endpoint: string): Implementation {
  return async (call, body): Promise<RawAnswer> => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDB_20120810.${call}`,
        authorization: AUTHORIZATION,
      },
      body: body.replaceAll('"token-', `"${run}-`),
    });
    return { status: response.status, body: await response.text() };
  };
}

async function succeed(implementation: Implementation, call: string, input: object): Promise<void> {
  const { status, body } = await implementation(call, JSON.stringify(input));
  if (status !== 200) throw new Error(`${call} ${JSON.stringify(input)}: ${body}`);
}

/** Creates the tables, which must not exist, and deletes them at the end. */
async function responsesOver(endpoint: string): Promise<ReadonlyMap<string, Response>> {
  const implementation = over(endpoint);
  const made: string[] = [];
  try {
    for (const { name, attributeDefinitions, keySchema, globalSecondaryIndexes } of tables) {
      await succeed(implementation, 'CreateTable', {
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: attributeDefinitions,
        KeySchema: keySchema,
        GlobalSecondaryIndexes: globalSecondaryIndexes,
      });
      made.push(name);
    }
    return await responsesOf(implementation, corpus);
  } finally {
    for (const TableName of made) await succeed(implementation, 'DeleteTable', { TableName });
  }
}

function printUnknown({ step, part, ours, theirs }: Difference): void {
  console.log(
    `  ${step} (${part})\n    ours   ${JSON.stringify(ours)}\n    theirs ${JSON.stringify(theirs)}`,
  );
}

function printKnown(reason: string, differences: readonly Difference[]): void {
  console.log(`\n${reason}: ${String(differences.length)}`);
  for (const { step } of differences) console.log(`  ${step}`);
}

if (values.endpoint === undefined) {
  console.error('usage: compare.ts --endpoint URL [--record NAME]');
  process.exit(2);
}
const theirs = await responsesOver(values.endpoint);
if (values.record !== undefined) writeRecording(values.record, theirs);

const steps = corpus.map(({ name }) => name);
const { differences, gone } = compareResponses(
  steps,
  await responsesOf(await localDynamoDb(), corpus),
  theirs,
);
const { known = [], unknown = [] } = Object.groupBy(differences, ({ reason }) =>
  reason === undefined ? 'unknown' : 'known',
);
for (const [reason = '', group] of Map.groupBy(known, (difference) => difference.reason))
  printKnown(reason, group);
console.log(`\nUnknown: ${String(unknown.length)}`);
unknown.forEach(printUnknown);
console.log(`\nKnown, but did not occur: ${String(gone.length)}`);
for (const each of gone) console.log(`  ${each}`);
console.log(
  `\n${String(steps.length)} requests, ${String(steps.length - differences.length)} equal answers, ` +
    `${String(differences.length)} that differ`,
);
if (unknown.length + gone.length > 0) process.exitCode = 1;
