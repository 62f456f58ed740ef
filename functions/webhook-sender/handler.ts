import { defined } from '../../src/core/shared/defined.ts';
import { deliver, type Sent } from '../../src/core/webhooks/deliver.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import type { WebhookSenderDeps } from './dependencies.ts';

const OPERATION = 'deliverResult';

/** The handler of one instance, which delivers the results of the invocations in its queue. */
export const createHandler = (deps: Unaudited<WebhookSenderDeps>) =>
  invocationMessages(deps.writeLog, OPERATION, async (id) => {
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
    return sent && deps.onSent(sent);
  });
