import { defined } from '../../src/core/shared/defined.ts';
import { deliver, type Sent } from '../../src/core/webhooks/deliver.ts';
import { deliveryReports } from '../../src/lambda/delivery-report.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import { environment } from './config.ts';
import { dependencies, type WebhookSenderDeps } from './dependencies.ts';

const deps = dependencies(process.env);
const OPERATION = 'deliverResult';
const report = deliveryReports(environment.parse(process.env).SERVICE_NAME);

export const handler = invocationMessages(OPERATION, async (id) => {
  const subject = { op: OPERATION, cred: `invocation:${id.id}`, invocation: id.id };
  const sent = await withAudit<WebhookSenderDeps, Sent | undefined>(
    deps,
    { trail: id.tenantId, subject },
    (audited) => deliver(audited, id),
    (made) => ({
      outcome: made?.outcome === 'delivered' ? 'ok' : 'failed',
      ...defined({ status: made?.status }),
    }),
  );
  return sent && report(sent);
});
