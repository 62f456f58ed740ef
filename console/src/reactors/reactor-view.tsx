import { ApplicationChoice } from '../applications/names.tsx';
import { useEffect, useState } from 'preact/hooks';
import { Button, Copy } from '../parts/button.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { NamedView } from '../parts/named-view.tsx';
import { Section, View } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Code, ExternalId, Instant, Text } from '../parts/text.tsx';
import type { Problem } from '../problem.ts';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { NewReactor, Reactor, ReactorRuntime, ReviewedReactor, UpdatedReactor } from '../sdk.ts';
import { changeFrom, withTag } from '../refuse-if-changed.ts';
import { useAction, useClient, useIdempotencyKey, useLoad, useUnsaved } from '../session/use-session.ts';
import { EntriesField, entriesOf, recordOf, type Entry } from '../parts/entries-field.tsx';
import { BillSection } from './bill-section.tsx';
import { DeliveriesSection } from './deliveries-section.tsx';
import { PackagesField } from './packages-field.tsx';
import { packagesProblem, sentPackages, type EditedPackages } from './packages.ts';
import {
  editedRuntime,
  RuntimeFacts,
  RuntimeFields,
  runtimeOf,
  type EditedRuntime,
} from './runtime-fields.tsx';
import { TestRun } from './test-run.tsx';

const FIRST_CODE = `module.exports = async ({ args, configuration }) => {
  // args has the plaintext of your tokens. Return only what callers may know.
  return { raw: { last4: args.card.number.slice(-4) } };
};
`;

interface Edited {
  readonly name: string;
  readonly code: string;
  readonly entries: readonly Entry[];
  readonly applicationId: string;
  readonly runtime: EditedRuntime;
  readonly packages: EditedPackages;
}

const editedOf = (reactor: Reactor | undefined): Edited => ({
  name: reactor?.name ?? '',
  code: reactor?.code ?? FIRST_CODE,
  entries: entriesOf(reactor?.configuration),
  applicationId: reactor?.application?.id ?? '',
  runtime: editedRuntime(reactor?.runtime),
  packages: 'same',
});

/** A value that was not edited has the label that it had. */
const labelsOf = (
  { configuration: before, configuration_labels: labels = {} }: Reactor,
  configuration: Readonly<Record<string, string>>,
) => Object.fromEntries(Object.entries(labels).filter(([name]) => configuration[name] === before[name]));

const reactorOf = (
  { name, code, entries, applicationId, runtime, packages }: Edited,
  before: Reactor | undefined,
): NewReactor => ({
  name,
  code,
  configuration: recordOf(entries),
  ...(before !== undefined && { configuration_labels: labelsOf(before, recordOf(entries)) }),
  ...(applicationId !== '' && { application: { id: applicationId } }),
  runtime: { ...runtimeOf(runtime), ...sentPackages(packages) },
});

export interface LinedProblem {
  readonly line: number;
  readonly message: string;
}

/** The line that the service names in an error of the code (docs/reactors.md). */
export function linedProblem(problem: Problem | undefined): LinedProblem | undefined {
  const texts = [problem?.detail ?? '', ...(problem?.fields ?? []).map(([, messages]) => messages)];
  for (const text of texts) {
    const line = /\bline (\d+)/.exec(text)?.[1];
    if (line !== undefined) return { line: Number(line), message: text };
  }
  return undefined;
}

type Stopped = NonNullable<NonNullable<UpdatedReactor['_extras']>['stopped_proxies']>;

/** The proxies that ran the code before it was saved, and fail now. */
const StoppedProxies = ({ stopped }: { readonly stopped: Stopped }) =>
  stopped.length === 0 ? null : (
    <div class="notice" role="status">
      <p>These stored proxies ran the code before, and fail until you save them with the code of now:</p>
      <ul>
        {stopped.map(({ id, name }) => (
          <li key={id}>
            <a href={linkTo(['proxies', id])}>
              <Text>{name}</Text>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );

interface EditorProps {
  /** `undefined` for a new one. */
  readonly reactor: Reactor | undefined;
  readonly onSaved: (reactor: Reactor) => void;
  readonly onUnsaved?: (isUnsaved: boolean) => void;
  /** The line at which a test run failed. */
  readonly runProblem?: LinedProblem | undefined;
}

interface FieldsProps {
  readonly edited: Edited;
  readonly change: (part: Partial<Edited>) => void;
  readonly before: ReactorRuntime | undefined;
  readonly problem: Problem | undefined;
  readonly runProblem: LinedProblem | undefined;
}

const Fields = ({ edited, change, before, problem, runProblem }: FieldsProps) => (
  <>
    <TextField label="Name" value={edited.name} onChange={(name) => change({ name })} isRequired />
    <CodeEditor
      label="Code"
      value={edited.code}
      onChange={(code) => change({ code })}
      problem={linedProblem(problem) ?? runProblem}
    />
    <EntriesField
      legend="Configuration"
      hint="The code reads it as req.configuration. Values are hidden here. A caller with reactor:read can read them."
      entries={edited.entries}
      onChange={(entries) => change({ entries })}
      isSecret
    />
    <ApplicationChoice
      value={edited.applicationId}
      onChange={(applicationId) => change({ applicationId })}
      none="none: the code gets no req.bt"
      hint="req.bt calls the service as this application."
    />
    <RuntimeFields edited={edited.runtime} onChange={(runtime) => change({ runtime })} />
    <PackagesField
      before={before}
      edited={edited.packages}
      onChange={(packages) => change({ packages })}
      problem={packagesProblem(problem)}
    />
  </>
);

/** Says what has become of the edit. */
function stateOf(isRunning: boolean, isSaved: boolean, isUnsaved: boolean): string | undefined {
  if (isRunning) return 'The service checks and deploys the code…';
  if (isSaved) return 'Saved. New calls run this code.';
  return isUnsaved ? 'Not saved yet.' : undefined;
}

function Editor({ reactor, onSaved, onUnsaved, runProblem }: EditorProps) {
  const client = useClient('management');
  // A key or a reload may load it again: the edit began with this one.
  const [opened, setOpened] = useState(reactor);
  const [edited, setEdited] = useState(() => editedOf(reactor));
  const [saved, setSaved] = useState(false);
  const [stopped, setStopped] = useState<Stopped>([]);
  const idempotencyKey = useIdempotencyKey(edited);
  const action = useAction();
  const isChanged = JSON.stringify(edited) !== JSON.stringify(editedOf(opened));
  useUnsaved(isChanged);
  useEffect(() => onUnsaved?.(isChanged), [isChanged]);
  const change = (part: Partial<Edited>) => {
    setSaved(false);
    // Its words are beside the field of the packages, and are about those of before.
    if (part.packages !== undefined && !action.isRunning) action.forget();
    setEdited((now) => ({ ...now, ...part }));
  };
  const save = async () => {
    const next = reactorOf(edited, opened);
    const result: UpdatedReactor =
      opened === undefined
        ? await client.reactors.create(next, { idempotencyKey })
        : await changeFrom(opened, (condition) =>
            withTag(client.reactors.update(opened.id, next, condition)),
          );
    if (opened !== undefined) setOpened(result);
    // An empty field has the default of the deployment now.
    setEdited((now) => ({
      ...now,
      runtime: editedRuntime(result.runtime),
      // Another file may have been chosen meanwhile.
      packages: now.packages === edited.packages ? 'same' : now.packages,
    }));
    setStopped(result._extras?.stopped_proxies ?? []);
    setSaved(true);
    onSaved(result);
  };
  return (
    <form
      class="form is-wide"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(save);
      }}
    >
      <Fields
        edited={edited}
        change={change}
        before={opened?.runtime}
        problem={action.problem}
        runProblem={runProblem}
      />
      <ProblemBox problem={action.problem} />
      <StoppedProxies stopped={stopped} />
      <div class="row">
        <Button look="primary" isBusy={action.isRunning} isDisabled={reactor !== undefined && !isChanged}>
          {reactor === undefined ? 'Create reactor' : 'Save'}
        </Button>
        <span role="status" class="muted">
          {stateOf(action.isRunning, saved && !isChanged, isChanged && reactor !== undefined)}
        </span>
      </div>
    </form>
  );
}

function DeleteReactor({
  reactor,
  onClose,
}: {
  readonly reactor: Pick<Reactor, 'id' | 'name'>;
  readonly onClose: () => void;
}) {
  const client = useClient('management');
  return (
    <Confirm
      title="Delete this reactor?"
      words="Delete reactor"
      action={useAction()}
      onClose={onClose}
      change={async () => {
        await client.reactors.delete(reactor.id);
        leaveTo('#/reactors');
      }}
    >
      <p>
        The code and configuration of <Text>{reactor.name}</Text> are lost, calls of it get 404, and results
        that were not delivered are deleted with it. This cannot be undone.
      </p>
    </Confirm>
  );
}

const Facts = ({ reactor }: { readonly reactor: Reactor | ReviewedReactor }) => (
  <dl class="pairs">
    <dt>Id</dt>
    <dd>
      <Code>{reactor.id}</Code> <Copy text={reactor.id} what="the id" />
    </dd>
    <ExternalId of={reactor.external_id} />
    <dt>Changed</dt>
    <dd>
      <Instant iso={reactor.modified_at ?? reactor.created_at} />
    </dd>
    <RuntimeFacts runtime={reactor.runtime} />
  </dl>
);

/** Shows what a key with `reactor:review` alone may see in place of the editor. */
const Reviewed = ({ reactor }: { readonly reactor: ReviewedReactor }) => (
  <Section title="Content">
    <p>This key may review reactors: it sees neither code nor values.</p>
    <dl class="pairs">
      <dt>Code, SHA-256</dt>
      <dd>
        <Code>{reactor.code_digest}</Code>
      </dd>
      <dt>Configuration</dt>
      <dd>
        {reactor.configuration_names.length === 0
          ? 'none'
          : reactor.configuration_names.map((name) => <Code key={name}>{name}</Code>)}
      </dd>
    </dl>
  </Section>
);

function Existing({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal): Promise<Reactor | ReviewedReactor> => withTag(client.reactors.retrieve(id, { signal })),
    [id],
  );
  const [isUnsaved, setUnsaved] = useState(false);
  const [runProblem, setRunProblem] = useState<LinedProblem | undefined>();
  return (
    <NamedView
      what="Reactor"
      up={['#/reactors', 'Reactors']}
      of={loaded}
      onRetry={reload}
      remove={(reactor, onClose) => <DeleteReactor reactor={reactor} onClose={onClose} />}
    >
      {(reactor) => (
        <>
          <Facts reactor={reactor} />
          {'code' in reactor ? (
            <>
              <Editor reactor={reactor} onSaved={reload} onUnsaved={setUnsaved} runProblem={runProblem} />
              <Section title="Test run">
                <TestRun
                  reactorId={id}
                  isUnsaved={isUnsaved}
                  onProblem={(problem) => setRunProblem(linedProblem(problem))}
                />
              </Section>
            </>
          ) : (
            <Reviewed reactor={reactor} />
          )}
          {reactor.runtime.bundle_digest !== undefined && (
            <BillSection reactorId={id} digest={reactor.runtime.bundle_digest} />
          )}
          {'code' in reactor && <DeliveriesSection reactorId={id} />}
        </>
      )}
    </NamedView>
  );
}

export const ReactorView = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? (
    <View title="New reactor" up={['#/reactors', 'Reactors']}>
      <Editor reactor={undefined} onSaved={(reactor) => leaveTo(linkTo(['reactors', reactor.id]))} />
    </View>
  ) : (
    <Existing id={id} />
  );
