import { DeleteItemCommand, ExecuteStatementCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { anApplication, request, shown } from '../api.ts';
import { expectThat, type ItemContext, type ReleaseItem } from '../item.ts';
import { commandOf } from '../operator.ts';

const SEALED_MS = 180_000;
const HOUR_MS = 3_600_000;

/** Rejects unless DynamoDB denies the write. */
async function expectDenied(what: string, write: () => Promise<unknown>): Promise<void> {
  const error = await write().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const name = error instanceof Error ? error.name : 'no error';
  expectThat(name === 'AccessDeniedException', `${what}: ${name}`);
}

const policyDenies: ReleaseItem = {
  id: 'audit-policy',
  title: 'The policy denies every write but an insert',
  where: 'anywhere',
  async run({ clients: { dynamodb }, deployment: { variables } }) {
    const { AUDIT_TABLE: audit, AUDIT_SEALS_TABLE: seals } = variables;
    expectThat(
      audit !== undefined && seals !== undefined,
      'the operator function names no tables of the trail',
    );
    // Keys of no record: if the policy fails, nothing of the trail is lost.
    const key = { pk: { S: 'release' }, sk: { S: 'x' } };
    const put = new PutItemCommand({ TableName: audit, Item: key });
    await expectDenied('PutItem', () => dynamodb.send(put));
    await expectDenied('DeleteItem', () =>
      dynamodb.send(new DeleteItemCommand({ TableName: audit, Key: key })),
    );
    const Statement = `DELETE FROM "${seals}" WHERE pk = 'release' AND sk = 'x'`;
    await expectDenied('DELETE', () => dynamodb.send(new ExecuteStatementCommand({ Statement })));
    return { seen: 'PutItem, DeleteItem and DELETE end in AccessDeniedException' };
  },
};

const verifyStep = z.object({
  intact: z.boolean(),
  records: z.number(),
  not_sealed_yet: z.number(),
  next: z.object({ from: z.string(), chunk: z.unknown() }).nullable(),
});

interface Verified {
  readonly intact: boolean;
  readonly records: number;
  readonly notSealedYet: number;
}

/** Verifies the trails of all tenants from a time on, in steps. */
async function verified(context: ItemContext, from: number): Promise<Verified> {
  const { public_key } = await commandOf(context, { command: 'audit-key' });
  let records = 0;
  let step: object | null = { from: new Date(from).toISOString() };
  let notSealedYet = 0;
  while (step !== null) {
    const command = { command: 'verify-audit' as const, public_key, ...step };
    const checked = verifyStep.parse(await commandOf(context, command));
    records += checked.records;
    notSealedYet += checked.not_sealed_yet;
    if (!checked.intact) return { intact: false, records, notSealedYet };
    step = checked.next;
  }
  return { intact: true, records, notSealedYet };
}

const sealed: ReleaseItem = {
  id: 'sealed',
  title: 'Sealed and verified',
  where: 'anywhere',
  async run(context) {
    const from = context.clock() - 60_000;
    const { key } = await anApplication(context);
    const made = await request(context, key, 'POST', '/tokens', { body: { type: 'token', data: 'release' } });
    expectThat(made.status === 201, `POST /tokens: ${shown(made)}`);
    await context.pause(SEALED_MS);
    const { intact, records, notSealedYet } = await verified(context, from);
    expectThat(intact, 'verify-audit reports the trail as broken');
    expectThat(records > notSealedYet, `${String(records)} records, ${String(notSealedYet)} not sealed`);
    return { seen: `intact; ${String(records)} records, ${String(notSealedYet)} not sealed yet` };
  },
};

const clockOfInstances: ReleaseItem = {
  id: 'instance-clock',
  title: 'The clock of an instance',
  where: 'only on AWS',
  async run(context) {
    const { intact, records } = await verified(context, context.clock() - HOUR_MS);
    expectThat(intact, 'verify-audit reports a record more than was sealed, or another fault');
    const seen = `intact; ${String(records)} records in an hour`;
    return records < 3_600 ? { seen, person: 'repeat it after an hour with a request a second' } : { seen };
  },
};

export const AUDIT_ITEMS: readonly ReleaseItem[] = [
  {
    id: 'insert-latency',
    title: 'INSERT compared with PutItem',
    steps: `After ten minutes with one request a second, with the tables of the outputs:
for METRIC in "$AUDIT BatchExecuteStatement" "$TOKENS PutItem"; do
  set -- $METRIC
  aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name SuccessfulRequestLatency \\
    --dimensions Name=TableName,Value=$1 Name=Operation,Value=$2 --start-time $(date -u -d '10 minutes ago' +%FT%TZ) \\
    --end-time $(date -u +%FT%TZ) --period 600 --extended-statistics p50 p99
done`,
  },
  {
    id: 'insert-right',
    title: 'BatchExecuteStatement needs only PartiQLInsert',
    where: 'anywhere',
    async run(context) {
      const { key } = await anApplication(context);
      const first = await request(context, key, 'POST', '/tokens', {
        body: { type: 'token', data: 'release' },
      });
      expectThat(first.status === 201, `POST /tokens: ${shown(first)}`);
      return { seen: 'requests left their records: without one they return 503' };
    },
  },
  policyDenies,
  {
    id: 'audit-expiry',
    title: 'TTL removes records although the policy denies it',
    steps: `aws dynamodb execute-statement --statement "INSERT INTO \\"$AUDIT\\" VALUE {'pk': 'release', 'sk': 'x', 'ttl': 1}"
Within two days the item is gone, and TimeToLiveDeletedItemCount counts it. Nothing reads its partition.`,
  },
  sealed,
  {
    id: 'forged-record',
    title: 'A forged record is found',
    steps: `On a deployment that you will delete, right after a request of the tenant $TENANT:
for SHARD in $(seq -w 0 31); do aws dynamodb execute-statement --statement "INSERT INTO \\"$AUDIT\\" VALUE {'pk': '$TENANT#log#$SHARD', 'sk': '$(node -p 'Date.now().toString(36).padStart(9, "0")')AAAAAAAAAAAA', 'ttl': 2000000000, 'body': '{}'}"; done
npx cloakroom operator verify-audit --function Release-operator
It reports "not a record of this service"; AuditBroken fires within the hour.`,
  },
  {
    id: 'audit-changed',
    title: 'AuditChanged fires',
    steps: `A mail arrives within five minutes of each; restore everything afterwards:
aws dynamodb update-continuous-backups --table-name $AUDIT --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true
aws dynamodb get-resource-policy --resource-arn $AUDIT_ARN --query Policy --output text > policy.json
aws dynamodb put-resource-policy --resource-arn $AUDIT_ARN --policy file://policy.json
aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=PutResourcePolicy --max-results 1
Delete a policy for an hour: AuditUnprotected fires, and the operator's log names the table.`,
  },
  {
    id: 'source-address',
    title: 'The source address behind the edge',
    steps: `curl -s https://$DOMAIN/tokens/x -H "SVC-API-KEY: $KEY" -H 'X-Forwarded-For: 198.51.100.1, 198.51.100.2'
curl -s "https://$DOMAIN/logs?size=1&operation=getToken" -H "SVC-API-KEY: $MANAGEMENT_KEY"; curl -s https://checkip.amazonaws.com
source_ip is the address of the machine, with the edge and without it.`,
  },
  clockOfInstances,
];
