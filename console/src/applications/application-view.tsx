import { useState } from 'preact/hooks';
import { Button, Copy } from '../parts/button.tsx';
import { Confirm } from '../parts/dialog.tsx';
import { NamedView } from '../parts/named-view.tsx';
import { Section } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Badge, Code, ExternalId, Instant, Text } from '../parts/text.tsx';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { Application } from '../sdk.ts';
import { useAction, useClient, useLoad, useUnsaved } from '../session/use-session.ts';
import { changeFrom, withTag } from '../refuse-if-changed.ts';
import { Rules } from './rules.tsx';
import { AccessTree } from './access-tree.tsx';
import { Effects } from './effects.tsx';
import { ExplainForm, type Question } from './explain-form.tsx';
import { GrantsEditor, grantsOf } from './grants-editor.tsx';
import { KeysSection } from './keys-section.tsx';
import { forceIf, LastManager, takesLastManager } from './last-manager.tsx';

interface ApplicationProps {
  readonly application: Application;
  readonly onChanged: () => void;
}

/** The editor of name, permissions and rules, with the effect of the edit. */
function EditGrants({
  application,
  onChanged,
  onClose,
}: ApplicationProps & { readonly onClose: () => void }) {
  const client = useClient('management');
  // A key or a reload may load it again: the edit began with this one.
  const [opened] = useState(application);
  const before = grantsOf(opened);
  const [after, setAfter] = useState(before);
  useUnsaved(JSON.stringify(after) !== JSON.stringify(before));
  const action = useAction();
  const forced = useAction();
  const save = async (options = {}) => {
    await changeFrom(opened, (condition) =>
      client.applications.update(application.id, after, { ...options, ...condition }),
    );
    onChanged();
    onClose();
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => save());
      }}
    >
      <GrantsEditor type={application.type} value={after} onChange={setAfter} />
      {application.type !== 'management' && <Effects before={before} after={after} />}
      {takesLastManager(action) ? (
        <Confirm
          title="Take the last manager?"
          words="Save anyway"
          action={forced}
          onClose={action.forget}
          change={() => save({ force: true })}
        >
          <LastManager />
        </Confirm>
      ) : (
        <ProblemBox problem={action.problem} />
      )}
      <div class="row-end">
        <Button onClick={onClose}>Discard the edit</Button>
        <Button look="primary" isBusy={action.isRunning}>
          Save
        </Button>
      </div>
    </form>
  );
}

function Facts({ application }: { readonly application: Application }) {
  const { id, type, external_id: name, created_at: created, modified_at: modified } = application;
  const { expires_at: expires } = application;
  return (
    <dl class="pairs">
      <dt>Id</dt>
      <dd>
        <Code>{id}</Code> <Copy text={id} what="the id" />
      </dd>
      <ExternalId of={name} />
      <dt>Type</dt>
      <dd>
        <Badge tone={type}>{type}</Badge>
      </dd>
      {created !== undefined && (
        <>
          <dt>Created</dt>
          <dd>
            <Instant iso={created} />
          </dd>
        </>
      )}
      {modified !== undefined && (
        <>
          <dt>Changed</dt>
          <dd>
            <Instant iso={modified} />
          </dd>
        </>
      )}
      <dt>Ends</dt>
      <dd>{expires === undefined ? 'never' : <Instant iso={expires} />}</dd>
      <dt>Trail</dt>
      <dd>
        <a href={linkTo(['trail'], { application_id: id })}>What it did</a>
      </dd>
    </dl>
  );
}

function DeleteApplication({
  application,
  onClose,
}: {
  readonly application: Application;
  readonly onClose: () => void;
}) {
  const client = useClient('management');
  const action = useAction();
  const isLast = takesLastManager(action);
  return (
    <Confirm
      title="Delete this application?"
      words={isLast ? 'Delete it anyway' : 'Delete application'}
      action={action}
      onClose={onClose}
      change={async () => {
        await client.applications.delete(application.id, forceIf(action));
        leaveTo('#/applications');
      }}
    >
      <p>
        <Text>{application.name}</Text> loses all of its keys at once, and every session that it made or
        authorized ends. Programs that use them get 401. Its tokens stay. This cannot be undone.
      </p>
      {isLast && <LastManager />}
    </Confirm>
  );
}

function Access({
  application,
  onChanged,
  onAsk,
}: ApplicationProps & { readonly onAsk: (question: Question) => void }) {
  const [isEditing, setEditing] = useState(false);
  const edit = isEditing ? undefined : <Button onClick={() => setEditing(true)}>Edit access</Button>;
  const isManagement = application.type === 'management';
  return (
    <Section title={isManagement ? 'Permissions' : 'What it sees'} actions={edit}>
      {isEditing ? (
        <EditGrants application={application} onChanged={onChanged} onClose={() => setEditing(false)} />
      ) : isManagement ? (
        <p class="tags">
          {application.permissions.map((name) => (
            <code key={name}>{name}</code>
          ))}
        </p>
      ) : (
        <>
          <Rules application={application} />
          <AccessTree
            grants={application}
            onAsk={(permission, container) => onAsk({ permission, container })}
          />
        </>
      )}
    </Section>
  );
}

export function ApplicationView({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => withTag(client.applications.retrieve(id, { signal })),
    [id],
  );
  const [question, setQuestion] = useState<Question | undefined>();
  return (
    <NamedView
      what="Application"
      up={['#/applications', 'Applications']}
      of={loaded}
      onRetry={reload}
      remove={(application, onClose) => <DeleteApplication application={application} onClose={onClose} />}
    >
      {(application) => (
        <>
          <Facts application={application} />
          <Access application={application} onChanged={reload} onAsk={setQuestion} />
          {application.type !== 'management' && (
            <Section title="Explain">
              <ExplainForm applicationId={id} chosen={question} />
            </Section>
          )}
          <KeysSection owners="applications" id={id} />
        </>
      )}
    </NamedView>
  );
}
