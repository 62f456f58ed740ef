import { processInvocation } from '../../src/core/reactors/process-invocation.ts';
import type { Unaudited } from '../../src/lambda/audited-deps.ts';
import { invocationMessages } from '../../src/lambda/invocation-messages.ts';
import { withAudit } from '../../src/lambda/with-audit.ts';
import type { ReactorWorkerDeps } from './dependencies.ts';

const OPERATION = 'runInvocation';

/** The handler of one instance, which runs the invocations of its queue. */
export const createHandler = (deps: Unaudited<ReactorWorkerDeps>) =>
  invocationMessages(deps.writeLog, OPERATION, async (id) => {
    const subject = { op: OPERATION, cred: `invocation:${id.id}`, invocation: id.id };
    await withAudit<ReactorWorkerDeps, Awaited<ReturnType<typeof processInvocation>>>(
      deps,
      { trail: id.tenantId, subject },
      (audited) => processInvocation(audited, id),
      // A released invocation did not run.
      (state) => ({ outcome: state === 'failed' || state === 'queued' ? 'failed' : 'ok' }),
    );
  });
