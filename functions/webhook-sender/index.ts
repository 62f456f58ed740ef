import { defined } from '../../src/core/shared/defined.ts';
import { deliver, type Sent } from '../../src/core/webhooks/deliver.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import { dependencies, type WebhookSenderDeps } from './dependencies.ts';

const deps = dependencies(process.env);
const OPERATION = 'deliverResult';

export const handler = invocationMessages(OPERATION, async (id) => {
  const subject = { op: OPERATION, cred: `invocation:${id.id}`, invocation: id.id };
  await withAudit<WebhookSenderDeps, Sent | undefined>(
    deps,
    { trail: id.tenantId, subject },
    (audited) => deliver(audited, id),
    (sent) => ({
      outcome: sent?.isDelivered === true ? 'ok' : 'failed',
      ...defined({ status: sent?.status }),
    }),
  );
});
