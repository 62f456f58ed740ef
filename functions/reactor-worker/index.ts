import { processInvocation } from '../../src/core/reactors/process-invocation.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import { dependencies, type ReactorWorkerDeps } from './dependencies.ts';

const deps = dependencies(process.env);
const OPERATION = 'runInvocation';

export const handler = invocationMessages(OPERATION, async (id) => {
  const subject = { op: OPERATION, cred: `invocation:${id.id}`, invocation: id.id };
  await withAudit<ReactorWorkerDeps, Awaited<ReturnType<typeof processInvocation>>>(
    deps,
    { trail: id.tenantId, subject },
    (audited) => processInvocation(audited, id),
    // A released invocation did not run.
    (state) => ({ outcome: state === 'failed' || state === 'queued' ? 'failed' : 'ok' }),
  );
});
