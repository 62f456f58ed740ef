import { useState } from 'preact/hooks';
import { ApplicationChoice } from '../applications/names.tsx';
import { Button } from '../parts/button.tsx';
import { CodeEditor } from '../parts/code-editor.tsx';
import { EntriesField } from '../parts/entries-field.tsx';
import { Check, TextField } from '../parts/field.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { useAction, useIdempotencyKey, useUnsaved } from '../session/use-session.ts';
import type { EditedProxy } from './edited-proxy.ts';

interface PartProps {
  readonly edited: EditedProxy;
  readonly onChange: (part: Partial<EditedProxy>) => void;
}

const Destination = ({ edited, onChange }: PartProps) => (
  <fieldset>
    <legend>Destination</legend>
    <TextField label="Name" value={edited.name} onChange={(name) => onChange({ name })} isRequired />
    <TextField
      label="Address"
      value={edited.url}
      onChange={(url) => onChange({ url })}
      placeholder="https://psp.example.com/v1"
      isMachineText
      isRequired
    />
    <TextField
      label="Methods"
      value={edited.methods}
      onChange={(methods) => onChange({ methods })}
      hint="Empty: all methods."
      placeholder="POST"
      isMachineText
    />
    <TextField
      label="Paths"
      lines={2}
      value={edited.paths}
      onChange={(paths) => onChange({ paths })}
      hint="One a line; /charges, or /charges/* with everything below. Empty: all."
      isMachineText
    />
  </fieldset>
);

const Callers = ({ edited, onChange }: PartProps) => (
  <fieldset>
    <legend>Callers</legend>
    <Check
      label="Callers also need an API key with token:use"
      isChecked={edited.isAuthenticated}
      onChange={(isAuthenticated) => onChange({ isAuthenticated })}
    />
    <ApplicationChoice
      value={edited.applicationId}
      onChange={(applicationId) => onChange({ applicationId })}
      none="that of the caller"
      hint="The transforms use its rights."
    />
    <TextField
      label="Networks"
      value={edited.networks}
      onChange={(networks) => onChange({ networks })}
      hint="Empty: calls from everywhere."
      isMachineText
    />
    <TextField
      label="Timeout in seconds"
      type="number"
      value={edited.timeout}
      onChange={(timeout) => onChange({ timeout })}
    />
  </fieldset>
);

const Configuration = ({ edited, onChange, names }: PartProps & { readonly names: readonly string[] }) => (
  <fieldset>
    <legend>Configuration</legend>
    <EntriesField
      legend="Secrets"
      hint={
        names.length === 0
          ? 'Encrypted, never shown again. Transforms use them as {{ configuration.NAME }}.'
          : `Stored: ${names.join(', ')}. Write here only what changes; a new secret needs all other secrets again.`
      }
      entries={edited.secrets}
      onChange={(secrets) => onChange({ secrets })}
      isSecret
    />
    <EntriesField
      legend="Values that may come back"
      hint="Such as a region. A value of fewer than 16 characters belongs here."
      entries={edited.publics}
      onChange={(publics) => onChange({ publics })}
    />
    <TextField
      label="Client certificate"
      value={edited.certificate}
      onChange={(certificate) => onChange({ certificate })}
      hint="The name of a secret with a certificate and its private key, in PEM."
      isMachineText
    />
  </fieldset>
);

interface ProxyFormProps {
  readonly first: EditedProxy;
  /** Names of the stored configuration. */
  readonly names: readonly string[];
  readonly words: string;
  readonly onSave: (edited: EditedProxy, idempotencyKey: string) => Promise<void>;
}

/** Edits a stored proxy. Its transforms are JSON, as in docs/contract.md#transforms-of-a-proxy. */
export function ProxyForm({ first, names, words, onSave }: ProxyFormProps) {
  const [edited, setEdited] = useState(first);
  const action = useAction();
  const idempotencyKey = useIdempotencyKey(edited);
  useUnsaved(JSON.stringify(edited) !== JSON.stringify(first));
  const change = (part: Partial<EditedProxy>) => setEdited((before) => ({ ...before, ...part }));
  return (
    <form
      class="form is-wide"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => onSave(edited, idempotencyKey));
      }}
    >
      <Destination edited={edited} onChange={change} />
      <Callers edited={edited} onChange={change} />
      <Configuration edited={edited} onChange={change} names={names} />
      <fieldset>
        <legend>Transforms</legend>
        <p class="field-hint">
          JSON lists, such as{' '}
          <code>
            {
              '[{ "type": "append_header", "name": "Authorization", "value": "Bearer {{ configuration.API_KEY }}" }]'
            }
          </code>
          . The types are append_header, append_json, remove_header, allow_headers, tokenize, mask, reactor
          and verify_signature.
        </p>
        <CodeEditor
          label="Of requests"
          value={edited.requestTransforms}
          onChange={(requestTransforms) => change({ requestTransforms })}
        />
        <CodeEditor
          label="Of responses"
          value={edited.responseTransforms}
          onChange={(responseTransforms) => change({ responseTransforms })}
        />
      </fieldset>
      <ProblemBox problem={action.problem} />
      <Button look="primary" isBusy={action.isRunning}>
        {words}
      </Button>
    </form>
  );
}
