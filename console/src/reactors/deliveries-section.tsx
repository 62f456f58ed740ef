import { Button } from '../parts/button.tsx';
import { More, Section, Waiting } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Code, Text, Time } from '../parts/text.tsx';
import type { ParkedDelivery } from '../sdk.ts';
import { usePages } from '../session/use-pages.ts';
import { useAction, useClient } from '../session/use-session.ts';
import { counted } from '../counted.ts';

function Row({
  reactorId,
  delivery,
  onSent,
}: {
  readonly reactorId: string;
  readonly delivery: ParkedDelivery;
  readonly onSent: () => void;
}) {
  const client = useClient('management');
  const action = useAction();
  const {
    invocation_id: id,
    attempts,
    last_status: status,
    last_reason: reason,
    deleted_at: deleted,
  } = delivery;
  const send = async () => {
    await client.reactors.deliveries.resend(reactorId, id);
    onSent();
  };
  return (
    <tr>
      <th scope="row">
        <Code>{id}</Code>
        <ProblemBox problem={action.problem} />
      </th>
      <td data-label="Run">{delivery.status}</td>
      <td data-label="Last answer">
        {counted(attempts, 'attempt')}
        {status !== undefined && `, ${String(status)}`}
        {reason !== undefined && (
          <>
            {': '}
            <Text>{reason}</Text>
          </>
        )}
      </td>
      <td data-label="Deleted">
        <Time iso={deleted} />
      </td>
      <td class="cell-actions">
        <Button isBusy={action.isRunning} onClick={() => action.run(send)} label={`Send ${id} again`}>
          Send again
        </Button>
      </td>
    </tr>
  );
}

/** Results that no receiver accepted in ten attempts, until they are sent again or deleted. */
export function DeliveriesSection({ reactorId }: { readonly reactorId: string }) {
  const { items, total, isLoading, problem, more, reload } = usePages<ParkedDelivery>(
    'management',
    (client, after, signal) => client.reactors.deliveries.list(reactorId, { after, size: 50 }, { signal }),
    [reactorId],
  );
  return (
    <Section title="Parked deliveries">
      <ProblemBox problem={problem} onRetry={reload} />
      {isLoading && items.length === 0 && <Waiting />}
      {!isLoading && problem === undefined && items.length === 0 && (
        <p class="muted">None. A result that its receiver refuses ten times waits here.</p>
      )}
      {items.length > 0 && (
        <>
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Invocation</th>
                <th scope="col">Run</th>
                <th scope="col">Last answer</th>
                <th scope="col">Deleted</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((delivery) => (
                <Row key={delivery.invocation_id} reactorId={reactorId} delivery={delivery} onSent={reload} />
              ))}
            </tbody>
          </table>
          <More
            shown={items.length}
            total={total}
            what="parked deliveries"
            onMore={more}
            isBusy={isLoading}
          />
        </>
      )}
    </Section>
  );
}
