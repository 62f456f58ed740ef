import { expectThat, type ReleaseItem } from '../item.ts';
import { aTenant, commandInSteps, commandOf } from '../operator.ts';

export const KEY_ITEMS: readonly ReleaseItem[] = [
  {
    id: 'key-policies',
    title: 'The functions may use the KMS key only as their policies say',
    where: 'anywhere',
    async run(context) {
      const tenants = [await aTenant(context, 'deployment'), await aTenant(context, 'kms')];
      for (const { id: tenant_id } of tenants)
        for (const wrapped_by of ['kms', 'deployment']) {
          const { unreadable } = await commandInSteps(context, {
            command: 'rewrap-roots',
            tenant_id,
            wrapped_by,
          });
          expectThat(unreadable === null, `a root under ${wrapped_by} does not open`);
          const { opens } = await commandOf(context, { command: 'check-tenant', tenant_id });
          expectThat(opens === true, `a tenant under ${wrapped_by} does not open`);
        }
      return { seen: 'two tenants open under KMS and under the deployment key' };
    },
  },
  {
    id: 'cloudtrail',
    title: 'CloudTrail shows which key wraps a root',
    steps: `Fifteen minutes after requests of two tenants, one under each key:
for NAME in Decrypt GenerateDataKey; do
  aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=$NAME --max-results 20 \\
    --query 'Events[].CloudTrailEvent' --output text | grep -o '"encryptionContext":{[^}]*}' | sort | uniq -c
done
Decrypt of the functions names "deployment", or the tenant under KMS; GenerateDataKey names each tenant.`,
  },
];
