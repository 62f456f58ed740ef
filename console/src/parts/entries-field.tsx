import { Button } from './button.tsx';
import { TextField } from './field.tsx';

/** A name and a value, in the order in which a person added them. */
export type Entry = readonly [name: string, value: string];

export const entriesOf = (record: Readonly<Record<string, string>> = {}): readonly Entry[] =>
  Object.entries(record);

/** Leaves out entries without a name. */
export const recordOf = (entries: readonly Entry[]): Readonly<Record<string, string>> =>
  Object.fromEntries(entries.filter(([name]) => name !== ''));

interface EntriesFieldProps {
  readonly legend: string;
  readonly hint?: string;
  readonly entries: readonly Entry[];
  readonly onChange: (entries: readonly Entry[]) => void;
  readonly isSecret?: boolean;
}

/** Edits pairs of texts, such as metadata or a configuration. */
export const EntriesField = ({ legend, hint, entries, onChange, isSecret = false }: EntriesFieldProps) => {
  const set = (index: number, entry: Entry) =>
    onChange(entries.map((old, at) => (at === index ? entry : old)));
  return (
    <fieldset class="entries">
      <legend>{legend}</legend>
      {hint !== undefined && <p class="field-hint">{hint}</p>}
      {entries.map(([name, value], index) => (
        <div class="entry-fields" key={index}>
          <TextField label="Name" value={name} onChange={(text) => set(index, [text, value])} />
          <TextField
            label="Value"
            value={value}
            onChange={(text) => set(index, [name, text])}
            isSecret={isSecret}
          />
          <Button
            look="quiet"
            label={`Remove ${name}`}
            onClick={() => onChange(entries.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button look="quiet" onClick={() => onChange([...entries, ['', '']])}>
        Add
      </Button>
    </fieldset>
  );
};
