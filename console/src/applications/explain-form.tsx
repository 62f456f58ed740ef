import { useEffect, useRef, useState } from 'preact/hooks';
import { TOKEN_PERMISSIONS, type TokenPermission } from '../access.ts';
import { Button } from '../parts/button.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Loading } from '../parts/page.tsx';
import { Code, Seen, Text } from '../parts/text.tsx';
import type { Explanation } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';

const decider = (rule: number | 'permissions' | null): string => {
  if (rule === null) return 'The tenant';
  return rule === 'permissions' ? 'Top-level permissions' : `Rule ${String(rule)}`;
};

const MATCHED = new Map<boolean | 'unknown', string>([
  [true, 'applies'],
  [false, 'does not apply'],
  ['unknown', 'depends on the id'],
]);

function Explained({ explanation }: { readonly explanation: Explanation }) {
  const { allowed, transform, decided_by: decided, steps } = explanation;
  return (
    <div role="status">
      <p>
        {allowed === true && 'Allowed: '}
        {allowed === false && 'Not allowed: '}
        {allowed === 'unknown' && 'Depends on the token: '}
        <Seen shown={transform ?? (allowed === 'unknown' ? 'depends' : 'nothing')} />
        {decided.rule !== null && (
          <span class="muted"> decided by {decider(decided.rule).toLowerCase()}</span>
        )}
      </p>
      <ol>
        {steps.map((step, index) => (
          <li key={index} class={step.matched === true ? 'is-matched' : undefined}>
            <strong>{decider(step.rule)}</strong> {MATCHED.get(step.matched)}. <Text>{step.because}</Text>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A permission in a container. Each value is asked once. */
export interface Question {
  readonly permission: TokenPermission;
  readonly container: string;
}

interface ExplainFormProps {
  readonly applicationId: string;
  /** A question that a person chose elsewhere on the page. */
  readonly chosen: Question | undefined;
}

/** Asks the service itself. Another question ends this one. */
function Answer({
  applicationId,
  question,
}: {
  readonly applicationId: string;
  readonly question: Question;
}) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => client.access.explain({ application_id: applicationId, ...question }, { signal }),
    [applicationId, question],
  );
  return (
    <div class="explained">
      <p>
        <code>{question.permission}</code> in <Code>{question.container}</Code>
      </p>
      <Loading of={loaded} onRetry={reload}>
        {(explanation) => <Explained explanation={explanation} />}
      </Loading>
    </div>
  );
}

/** Asks what an application meets in a container, and why. */
export function ExplainForm({ applicationId, chosen }: ExplainFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [permission, setPermission] = useState<TokenPermission>('token:read');
  const [container, setContainer] = useState('/pci/high/');
  const [asked, setAsked] = useState<Question | undefined>();
  useEffect(() => {
    if (chosen === undefined) return;
    setPermission(chosen.permission);
    setContainer(chosen.container);
    setAsked(chosen);
    form.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <form
      ref={form}
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        setAsked({ permission, container });
      }}
    >
      <Choice
        label="Permission"
        value={permission}
        onChange={setPermission}
        options={TOKEN_PERMISSIONS.map((name) => [name, name] as const)}
      />
      <TextField label="Container" value={container} onChange={setContainer} isMachineText isRequired />
      <Button>Explain</Button>
      {asked !== undefined && (
        <Answer key={JSON.stringify(asked)} applicationId={applicationId} question={asked} />
      )}
    </form>
  );
}
