import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Confirm, Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { NewKey } from '../parts/new-key.tsx';
import { Empty, Loading, Section } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Code, Text, Time } from '../parts/text.tsx';
import type { ApplicationKey } from '../sdk.ts';
import { localTime } from '../instant.ts';
import { forceIf, LastManager, takesLastManager } from './last-manager.tsx';
import { useAction, useClient, useIdempotencyKey, useLoad } from '../session/use-session.ts';

type Owners = 'applications' | 'proxies';

interface Edited {
  readonly name: string;
  readonly expires: string;
  readonly networks: string;
}

const networksOf = (text: string): readonly string[] =>
  text
    .split(/[\s,]+/)
    .map((network) => network.trim())
    .filter((network) => network !== '');

function KeyFields({
  value,
  onChange,
}: {
  readonly value: Edited;
  readonly onChange: (value: Edited) => void;
}) {
  return (
    <>
      <TextField
        label="Name"
        value={value.name}
        onChange={(name) => onChange({ ...value, name })}
        hint="A note for people."
      />
      <TextField
        label="Ends"
        type="datetime-local"
        value={value.expires}
        onChange={(expires) => onChange({ ...value, expires })}
        hint="Optional, in your time zone."
      />
      <TextField
        label="Networks"
        value={value.networks}
        onChange={(networks) => onChange({ ...value, networks })}
        hint="Optional. The key is accepted only from these addresses, such as 203.0.113.0/24."
        isMachineText
      />
    </>
  );
}

const NO_KEY: Edited = { name: '', expires: '', networks: '' };

interface KeyDialogProps {
  readonly owners: Owners;
  readonly id: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function AddKey({
  owners,
  id,
  onClose,
  onChanged,
  onKey,
}: KeyDialogProps & { readonly onKey: (text: string) => void }) {
  const client = useClient('management');
  const [edited, setEdited] = useState(NO_KEY);
  const idempotencyKey = useIdempotencyKey(edited);
  const action = useAction();
  const add = async () => {
    const { key } = await client[owners].keys.create(
      id,
      {
        name: edited.name === '' ? undefined : edited.name,
        expires_at: edited.expires === '' ? undefined : new Date(edited.expires).toISOString(),
        source_addresses: networksOf(edited.networks),
      },
      { idempotencyKey },
    );
    onKey(key);
    onChanged();
    onClose();
  };
  return (
    <Dialog title="Add a key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          action.run(add);
        }}
      >
        <p>The other keys stay valid: change your program to the new key, then delete the old one.</p>
        <KeyFields value={edited} onChange={setEdited} />
        <ProblemBox problem={action.problem} />
        <div class="row-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isBusy={action.isRunning}>
            Add key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function EditKey({ owners, id, of, onClose, onChanged }: KeyDialogProps & { readonly of: ApplicationKey }) {
  const client = useClient('management');
  const [edited, setEdited] = useState<Edited>({
    name: of.name ?? '',
    expires: localTime(of.expires_at),
    networks: of.source_addresses.join(', '),
  });
  const action = useAction();
  const save = async () => {
    const before = {
      name: of.name ?? '',
      expires: localTime(of.expires_at),
      networks: of.source_addresses.join(', '),
    };
    // Members that were not edited may have changed in another tab.
    await client[owners].keys.update(id, of.id, {
      ...(edited.name !== before.name && { name: edited.name === '' ? null : edited.name }),
      ...(edited.expires !== before.expires && {
        expires_at: edited.expires === '' ? null : new Date(edited.expires).toISOString(),
      }),
      ...(edited.networks !== before.networks && { source_addresses: networksOf(edited.networks) }),
    });
    onChanged();
    onClose();
  };
  return (
    <Dialog title={`Key …${of.hint}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          action.run(save);
        }}
      >
        <KeyFields value={edited} onChange={setEdited} />
        <ProblemBox problem={action.problem} />
        <div class="row-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isBusy={action.isRunning}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function DeleteKey({
  owners,
  id,
  of,
  isLast,
  onClose,
  onChanged,
}: KeyDialogProps & { readonly of: ApplicationKey; readonly isLast: boolean }) {
  const client = useClient('management');
  const action = useAction();
  const isRefused = takesLastManager(action);
  return (
    <Confirm
      title={`Delete key …${of.hint}?`}
      words={isRefused ? 'Delete it anyway' : 'Delete key'}
      action={action}
      onClose={onClose}
      change={async () => {
        if (owners === 'proxies') await client.proxies.keys.delete(id, of.id);
        else await client.applications.keys.delete(id, of.id, forceIf(action));
        onChanged();
        onClose();
      }}
    >
      <p>
        The service rejects it at once.{' '}
        {of.last_used_on === undefined ? (
          'It was never used.'
        ) : (
          <>It was last used on {of.last_used_on} (UTC).</>
        )}{' '}
        {isLast && <strong>It is the only key: programs that use it lose access. </strong>}
        This cannot be undone.
      </p>
      {isRefused && <LastManager />}
    </Confirm>
  );
}

function ReplaceKeys({
  id,
  onClose,
  onChanged,
  onKey,
}: Omit<KeyDialogProps, 'owners'> & { readonly onKey: (text: string) => void }) {
  const client = useClient('management');
  return (
    <Confirm
      title="Replace all keys?"
      words="Replace all keys"
      action={useAction()}
      onClose={onClose}
      change={async () => {
        const { key } = await client.applications.regenerateKey(id);
        onKey(key);
        onChanged();
        onClose();
      }}
    >
      <p>
        One new key takes the place of all keys, which the service rejects at once. Use it when a key has
        leaked. Otherwise add a key, and delete the old one later: then no program loses access.
      </p>
    </Confirm>
  );
}

type Open = 'add' | 'replace' | { readonly edit: ApplicationKey } | { readonly remove: ApplicationKey };

function Row({ of, onOpen }: { readonly of: ApplicationKey; readonly onOpen: (open: Open) => void }) {
  return (
    <tr>
      <th scope="row">
        <Code>{`…${of.hint}`}</Code> {of.name !== undefined && <Text>{of.name}</Text>}
      </th>
      <td data-label="Last used">{of.last_used_on ?? 'never'}</td>
      <td data-label="Ends">{of.expires_at === undefined ? 'never' : <Time iso={of.expires_at} />}</td>
      <td data-label="Networks">
        {of.source_addresses.length === 0 ? 'all' : <Code>{of.source_addresses.join(', ')}</Code>}
      </td>
      <td class="cell-actions">
        <Button look="quiet" onClick={() => onOpen({ edit: of })} label={`Edit key …${of.hint}`}>
          Edit
        </Button>
        <Button look="quiet" onClick={() => onOpen({ remove: of })} label={`Delete key …${of.hint}`}>
          Delete
        </Button>
      </td>
    </tr>
  );
}

/** The keys of an application or of a stored proxy: add, change, rotate, delete. */
export function KeysSection({ owners, id }: { readonly owners: Owners; readonly id: string }) {
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => client[owners].keys.list(id, { signal }),
    [owners, id],
  );
  const [open, setOpen] = useState<Open | undefined>();
  const [shown, setShown] = useState<string | undefined>();
  const common = { owners, id, onClose: () => setOpen(undefined), onChanged: reload };
  const actions = (
    <span class="row">
      {owners === 'applications' && (
        <Button look="quiet" onClick={() => setOpen('replace')}>
          Replace all
        </Button>
      )}
      <Button onClick={() => setOpen('add')}>Add a key</Button>
    </span>
  );
  return (
    <Section title="Keys" actions={actions}>
      <Loading of={loaded} onRetry={reload}>
        {(keys) => (
          <>
            {keys.length === 0 ? (
              <Empty title="No key">
                <p>Without a key nothing can call as this. Add one.</p>
              </Empty>
            ) : (
              <table class="list">
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col">Last used (UTC)</th>
                    <th scope="col">Ends</th>
                    <th scope="col">Networks</th>
                    <th scope="col">
                      <span class="hidden">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {keys.map((key) => (
                    <Row key={key.id} of={key} onOpen={setOpen} />
                  ))}
                </tbody>
              </table>
            )}
            {open === 'add' && <AddKey {...common} onKey={setShown} />}
            {open === 'replace' && <ReplaceKeys {...common} onKey={setShown} />}
            {typeof open === 'object' && 'edit' in open && <EditKey {...common} of={open.edit} />}
            {typeof open === 'object' && 'remove' in open && (
              <DeleteKey {...common} of={open.remove} isLast={keys.length === 1} />
            )}
            {shown !== undefined && (
              <NewKey title="The new key" text={shown} onClose={() => setShown(undefined)} />
            )}
          </>
        )}
      </Loading>
    </Section>
  );
}
