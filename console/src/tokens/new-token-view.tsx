import { useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { Check, TextField } from '../parts/field.tsx';
import { View } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { linkTo } from '../route.ts';
import { leaveTo } from '../unsaved.ts';
import type { Json, NewToken, TokenType } from '../sdk.ts';
import { useAction, useClient, useIdempotencyKey, useUnsaved } from '../session/use-session.ts';
import { jsonOrText } from '../json-input.ts';
import { DataFields, dataOf, type Typed } from './data-fields.tsx';
import { EntriesField, recordOf, type Entry } from '../parts/entries-field.tsx';

interface Options {
  readonly id: string;
  readonly containers: string;
  readonly expires: string;
  readonly mask: string;
  readonly indexes: string;
  readonly fingerprint: string;
  readonly isDeduplicated: boolean;
}

const NO_OPTIONS: Options = {
  id: '',
  containers: '',
  expires: '',
  mask: '',
  indexes: '',
  fingerprint: '',
  isDeduplicated: false,
};

/** Reads containers that spaces or commas separate. */
export const containersIn = (text: string): readonly string[] =>
  text.split(/[\s,]+/).filter((part) => part !== '');

/** A mask that is no JSON is one expression, as most are. */
export const maskIn = (text: string): Json => jsonOrText(text) as Json;

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');

function tokenOf(data: NewToken, entries: readonly Entry[], options: Options): NewToken {
  const { id, containers, expires, mask, indexes, fingerprint, isDeduplicated } = options;
  return {
    ...data,
    ...(entries.length > 0 && { metadata: recordOf(entries) }),
    ...(id !== '' && { id }),
    ...(containers !== '' && { containers: containersIn(containers) }),
    ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
    ...(mask !== '' && { mask: maskIn(mask) }),
    ...(indexes !== '' && { search_indexes: linesIn(indexes) }),
    ...(fingerprint !== '' && { fingerprint_expression: fingerprint }),
    ...(isDeduplicated && { deduplicate_token: true }),
  };
}

function OptionFields({
  options,
  onChange,
}: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const set = (name: keyof Options) => (text: string) => onChange({ ...options, [name]: text });
  return (
    <details>
      <summary>More: id, containers, mask, search, expiry</summary>
      <TextField
        label="Id"
        value={options.id}
        onChange={set('id')}
        hint="Default: a random UUID. It must not contain the data."
        isMachineText
      />
      <TextField
        label="Containers"
        value={options.containers}
        onChange={set('containers')}
        hint="Default: those of the type."
        placeholder="/pci/high/"
        isMachineText
      />
      <TextField
        label="Mask"
        lines={2}
        value={options.mask}
        onChange={set('mask')}
        hint="What restricted readers see: an expression, or JSON with expressions. Default: that of the type."
        isMachineText
      />
      <TextField
        label="Search indexes"
        lines={2}
        value={options.indexes}
        onChange={set('indexes')}
        hint="One expression a line. Default: those of the type, such as the last four digits of a card."
        isMachineText
      />
      <TextField
        label="Fingerprint expression"
        value={options.fingerprint}
        onChange={set('fingerprint')}
        isMachineText
      />
      <TextField
        label="Expires"
        type="datetime-local"
        value={options.expires}
        onChange={set('expires')}
        hint="In your time zone. From then on no operation finds the token."
      />
      <Check
        label="Return an existing token instead of a duplicate"
        isChecked={options.isDeduplicated}
        onChange={(isDeduplicated) => onChange({ ...options, isDeduplicated })}
      />
    </details>
  );
}

export function NewTokenView() {
  const client = useClient('private');
  const [type, setType] = useState<TokenType>('card');
  const [typed, setTyped] = useState<Typed>({});
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [options, setOptions] = useState(NO_OPTIONS);
  const idempotencyKey = useIdempotencyKey([type, typed, entries, options]);
  const action = useAction();
  useUnsaved(Object.values(typed).some((text) => text !== '') || entries.length > 0);
  const create = async () => {
    const token = tokenOf(dataOf(type, typed), entries, options);
    const { id } = await client.tokens.create(token, { idempotencyKey, transform: 'mask' });
    leaveTo(linkTo(['tokens', id]));
  };
  return (
    <View title="New token" up={['#/tokens', 'Tokens']}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          action.run(create);
        }}
      >
        <DataFields
          type={type}
          onType={(next) => {
            setType(next);
            setTyped({});
          }}
          typed={typed}
          onTyped={setTyped}
        />
        <EntriesField
          legend="Metadata"
          hint="Up to 50 pairs that are not sensitive, to find the token by."
          entries={entries}
          onChange={setEntries}
        />
        <OptionFields options={options} onChange={setOptions} />
        <ProblemBox problem={action.problem} />
        <Button look="primary" isBusy={action.isRunning}>
          Create token
        </Button>
      </form>
    </View>
  );
}
