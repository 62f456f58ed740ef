import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import type { Json, Token } from '../sdk.ts';
import { refuseIfChanged } from '../refuse-if-changed.ts';
import { useAction, useClient, useUnsaved } from '../session/use-session.ts';
import { jsonOrText, jsonText } from '../json-input.ts';
import { mergePatch } from './merge-patch.ts';
import { EntriesField, entriesOf, recordOf, type Entry } from '../parts/entries-field.tsx';
import { containersIn, maskIn } from './new-token-view.tsx';

interface EditTokenProps {
  readonly token: Token;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

interface Edited {
  readonly entries: readonly Entry[];
  readonly containers: string;
  readonly mask: string;
  readonly expires: string;
  readonly data: string;
}

const editedOf = (token: Token): Edited => ({
  entries: entriesOf(token.metadata),
  containers: token.containers.join(' '),
  mask: token.mask === undefined ? '' : jsonText(token.mask),
  expires: token.expires_at ?? '',
  data: '',
});

/** Only what a person changed: each member asks for other rights. */
function changeOf(token: Token, edited: Edited) {
  const before = editedOf(token);
  const metadata = mergePatch({ ...token.metadata }, recordOf(edited.entries));
  return {
    ...(JSON.stringify(metadata) !== '{}' && { metadata: metadata as Record<string, string | null> }),
    ...(edited.containers !== before.containers && { containers: containersIn(edited.containers) }),
    ...(edited.mask !== before.mask && {
      mask: edited.mask === '' ? null : mergePatch(token.mask, maskIn(edited.mask)),
    }),
    ...(edited.expires !== before.expires && { expires_at: edited.expires === '' ? null : edited.expires }),
    ...(edited.data !== '' && { data: jsonOrText(edited.data) as Exclude<Json, null> }),
  };
}

interface FieldsProps {
  readonly edited: Edited;
  readonly onChange: (edited: Edited) => void;
}

function Fields({ edited, onChange }: FieldsProps) {
  const set = (name: keyof Edited) => (text: string) => onChange({ ...edited, [name]: text });
  return (
    <>
      <EntriesField
        legend="Metadata"
        entries={edited.entries}
        onChange={(entries) => onChange({ ...edited, entries })}
      />
      <TextField
        label="Containers"
        value={edited.containers}
        onChange={set('containers')}
        hint="They decide which rules apply: a change needs more rights than others."
        isMachineText
      />
      <TextField
        label="Mask"
        lines={3}
        value={edited.mask}
        onChange={set('mask')}
        hint="What restricted readers see. Empty: no mask, so they see no data."
        isMachineText
      />
      <TextField
        label="Expires"
        value={edited.expires}
        onChange={set('expires')}
        hint="ISO 8601, such as 2027-12-01T00:00:00Z. Empty: never."
        isMachineText
      />
      <TextField
        label="New data"
        lines={3}
        value={edited.data}
        onChange={set('data')}
        hint="Optional. JSON is merged into the data that is there: only the members that you write change."
        isMachineText
      />
    </>
  );
}

export function EditToken({ token, onChanged, onClose }: EditTokenProps) {
  const client = useClient('private');
  // The key or another tab may load the token again: the edit began with this one.
  const [opened] = useState(token);
  const [edited, setEdited] = useState(() => editedOf(opened));
  useUnsaved(JSON.stringify(edited) !== JSON.stringify(editedOf(opened)));
  const action = useAction();
  const save = async () => {
    const change = changeOf(opened, edited);
    if (Object.keys(change).length === 0) {
      onClose();
      return;
    }
    await refuseIfChanged(opened, () => client.tokens.retrieve(opened.id, { transform: 'redact' }));
    await client.tokens.update<Exclude<Json, null>>(opened.id, change, { transform: 'mask' });
    onChanged();
    onClose();
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(save);
      }}
    >
      <Fields edited={edited} onChange={setEdited} />
      <ProblemBox problem={action.problem} />
      <div class="row-end">
        <Button onClick={onClose}>Discard the edit</Button>
        <Button look="primary" isBusy={action.isRunning}>
          Save
        </Button>
      </div>
    </form>
  );
}
