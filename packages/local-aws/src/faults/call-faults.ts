import type { AwsCall, AwsResponse } from '../aws-service.ts';
import { delayedMessage } from './delayed-message.ts';
import type { Fault, FaultKind } from './fault.ts';
import { busy, conflicting, failed, throttled } from './fault-failures.ts';
import { PARTIAL_ACTIONS, partialBatch } from './partial-batch.ts';
import type { Random } from './seeded-random.ts';

/** Applies faults to a call on its way to a service and back. */
export interface CallFaults {
  /**
   * `action` is the name without the service. Resolves to `cut` if the connection is to be cut;
   * rejects with {@link AwsError} for failures of the service or of the fault.
   */
  carryOut(
    call: AwsCall,
    action: string,
    perform: (call: AwsCall) => Promise<AwsResponse>,
  ): Promise<AwsResponse | 'cut'>;
}

/** Actions that a kind applies to; a kind that is not listed applies to all. */
const actsOn: Partial<Record<FaultKind, (service: string, action: string) => boolean>> = {
  // Invoke has its own limit, which is `busy`.
  throttle: (service, action) => service !== 'lambda' || action !== 'InvokeFunction',
  busy: (_service, action) => action === 'InvokeFunction',
  conflict: (_service, action) => /^(?:Transact|PutItem|UpdateItem|DeleteItem|ExecuteStatement)/.test(action),
  partial: (_service, action) => PARTIAL_ACTIONS.includes(action),
  duplicate: (_service, action) => action.startsWith('SendMessage'),
  delay: (_service, action) => action.startsWith('SendMessage'),
};

export function callFaults(
  faults: () => readonly Fault[],
  random: Random,
  pause: (ms: number) => Promise<unknown>,
): CallFaults {
  function matching(kind: FaultKind, service: string, action: string): readonly Fault[] {
    if (actsOn[kind]?.(service, action) === false) return [];
    return faults().filter(
      (fault) =>
        fault.kind === kind &&
        fault.service === service &&
        (fault.only === undefined || fault.only === action),
    );
  }

  return {
    carryOut: async (call, action, perform) => {
      if (faults().length === 0) return await perform(call);
      const { service } = call;
      const happens = (kind: FaultKind): boolean =>
        matching(kind, service, action).some(({ value }) => random() < value);
      const milliseconds = (kind: FaultKind): number =>
        matching(kind, service, action).reduce((sum, { value }) => sum + value, 0);

      // Decided immediately, so that the faults of a call do not depend on the duration of others.
      const down = happens('down');
      const slow = milliseconds('latency');
      const lost = happens('lost-answer');
      const wayThereMs = random() * slow;
      if (slow > 0) await pause(wayThereMs);
      if (down) return 'cut';
      refuse();
      const [outcome] = await Promise.allSettled([attempt(call)]);
      if (slow > 0) await pause(slow - wayThereMs);
      if (lost && random() < 0.5) return 'cut';
      if (lost) throw failed(call);
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;

      function refuse(): void {
        if (happens('throttle')) throw throttled(call, action, random());
        if (happens('busy')) throw busy();
        if (happens('conflict')) throw conflicting(call, action, random());
        if (happens('error')) throw failed(call);
      }

      async function attempt(wanted: AwsCall): Promise<AwsResponse> {
        const delayMs = milliseconds('delay');
        const sent = delayMs === 0 ? wanted : delayedMessage(wanted, () => random() * delayMs);
        if (happens('duplicate')) await perform(sent);
        const left = matching('partial', service, action);
        if (left.length === 0) return await perform(sent);
        const isLeftOut = (isFirst: boolean) => !isFirst && left.some(({ value }) => random() < value);
        return await partialBatch(sent, action, isLeftOut, perform);
      }
    },
  };
}
