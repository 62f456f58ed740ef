import { Choice, TextField } from '../parts/field.tsx';
import { visibleText } from '../parts/visible-text.ts';
import type { Client } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';
import { shortened } from '../shortened.ts';

const NAMES_MOST = 500;
/** The end of the id, by which equal names differ, stays in sight. */
const NAME = 60;

/** Names of applications by their ids, of the newest ones if there are very many. */
export async function loadNames(client: Client, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, name } of client.applications.list({ size: 100 }, { signal })) {
    names.set(id, visibleText(name));
    if (names.size >= NAMES_MOST) break;
  }
  return names;
}

interface ApplicationChoiceProps {
  /** The id of the application; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  /** Describes the absence of an application, such as `that of the caller`. */
  readonly none: string;
  readonly hint: string;
}

/**
 * Chooses an application by its name. Where names are not to be had, without application:read or
 * among very many, it takes an id.
 */
export function ApplicationChoice({ value, onChange, none, hint }: ApplicationChoiceProps) {
  const [names] = useLoad('management', loadNames, []);
  const label = 'Application';
  if (names.kind === 'failed' || (names.value?.size ?? 0) >= NAMES_MOST)
    return (
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        hint={`${hint} Write its id.`}
        isMachineText
      />
    );
  const known = new Map(names.value);
  // One that was deleted, or that is not loaded yet.
  if (value !== '' && !known.has(value)) known.set(value, value);
  const options = [...known].map(
    ([id, name]) => [id, `${shortened(name, NAME)} (…${id.slice(-4)})`] as const,
  );
  return (
    <Choice label={label} value={value} onChange={onChange} hint={hint} options={[['', none], ...options]} />
  );
}
