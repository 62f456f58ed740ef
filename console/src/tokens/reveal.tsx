import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { JsonText } from '../parts/text.tsx';
import type { Token } from '../sdk.ts';
import { useAction, useClient } from '../session/use-session.ts';

const REVEALED_S = 30;

interface Revealed {
  readonly data: Token['data'];
  readonly until: number;
}

/**
 * The only place that asks for a token without `SVC-TRANSFORM: mask`, after a click. The plaintext
 * is in the state of this part alone, and leaves it after 30 seconds or with the view.
 */
export function Reveal({ token }: { readonly token: Token }) {
  const client = useClient('private');
  const [revealed, setRevealed] = useState<Revealed | undefined>();
  const [now, setNow] = useState(Date.now());
  const action = useAction();
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.focus(), [revealed]);
  useEffect(() => {
    if (revealed === undefined) return undefined;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= revealed.until) setRevealed(undefined);
    }, 500);
    return () => clearInterval(timer);
  }, [revealed]);
  const reveal = async () => {
    const { data } = await client.tokens.retrieve(token.id);
    setNow(Date.now());
    setRevealed({ data, until: Date.now() + REVEALED_S * 1_000 });
  };
  if (revealed === undefined)
    return (
      <div class="reveal">
        <p id="reveal-words">
          The audit trail will record that your key read the data of this token, and when.
        </p>
        <ProblemBox problem={action.problem} />
        <Button look="danger" isBusy={action.isRunning} onClick={() => action.run(reveal)}>
          Reveal for 30 seconds
        </Button>
      </div>
    );
  const isMore = JSON.stringify(revealed.data) !== JSON.stringify(token.data);
  const seconds = Math.max(0, Math.ceil((revealed.until - now) / 1_000));
  return (
    <div class="reveal is-revealed" tabIndex={-1} ref={shown}>
      {isMore && <JsonText value={revealed.data} label="Revealed data" />}
      <p role="status">
        {isMore
          ? 'Revealed. The audit trail has a record of it.'
          : 'The service showed the same as above: your key does not reveal this token, or its mask hides nothing. The audit trail has the form that was shown.'}
      </p>
      {isMore && (
        <Button onClick={() => setRevealed(undefined)}>
          Hide now <span aria-hidden="true">({seconds} s)</span>
        </Button>
      )}
    </div>
  );
}
