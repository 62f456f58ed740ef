import { Badge, Code, Instant, JsonText, Seen, Text, type Visibility } from '../parts/text.tsx';
import { linkTo } from '../route.ts';
import type { LogRecord, TokenForm } from '../sdk.ts';
import { shortened } from '../shortened.ts';
import { FORMS, type TrailFilter } from './trail-filter.ts';

const TONES = { begun: 'none', ok: 'good', refused: 'bad', invalid: 'warn', failed: 'bad' } as const;
const SHOWN_TOKENS = 3;
const ID = 40;

const seenAs = (form: TokenForm): Visibility =>
  form === 'reveal' || form === 'mask' || form === 'redact' ? form : form === 'use' ? 'reveal' : 'nothing';

/** The forms that matter most to an auditor come first. */
const WEIGHT: readonly TokenForm[] = [...FORMS];

interface TokensProps {
  readonly tokens: NonNullable<LogRecord['tokens']>;
  /** The token or the form that was asked for comes first, so that it is always seen. */
  readonly filter: TrailFilter;
}

function Tokens({ tokens, filter }: TokensProps) {
  const rank = ({ id, form }: (typeof tokens)[number]): number => {
    if (id === filter.token_id) return -2;
    return form === filter.form ? -1 : WEIGHT.indexOf(form);
  };
  const sorted = tokens.toSorted((one, other) => rank(one) - rank(other));
  const rest = new Map<TokenForm, number>();
  for (const { form } of sorted.slice(SHOWN_TOKENS)) rest.set(form, (rest.get(form) ?? 0) + 1);
  return (
    <span class="record-tokens">
      {sorted.slice(0, SHOWN_TOKENS).map(({ id, form }) => (
        <span key={id + form} class={id === filter.token_id ? 'is-asked' : undefined}>
          <Seen shown={seenAs(form)}>{form}</Seen>{' '}
          <a href={linkTo(['trail'], { token_id: id })}>
            <Code>{shortened(id, ID)}</Code>
          </a>
        </span>
      ))}
      {rest.size > 0 && (
        <span class="muted">
          and {[...rest].map(([form, count]) => `${String(count)} ${form}`).join(', ')}
        </span>
      )}
    </span>
  );
}

const PARTS: Readonly<Record<string, string>> = {
  application: 'applications',
  reactor: 'reactors',
  proxy: 'proxies',
};

/** Shows the subject of a request, such as `application:<id>`, with its name if it is known. */
function Subject({
  resource,
  nameOf,
}: {
  readonly resource: string;
  readonly nameOf: (id: string) => string;
}) {
  const [kind = '', id = ''] = resource.split(/:(.*)/s, 2);
  const place = PARTS[kind];
  const name = shortened(nameOf(id), ID);
  return (
    <span>
      of {kind}{' '}
      {place === undefined ? (
        <Code>{name}</Code>
      ) : (
        <a href={linkTo([place, id])}>
          <Text>{name}</Text>
        </a>
      )}
    </span>
  );
}

/** Which rights a change gave and took. */
const Change = ({ change }: { readonly change: NonNullable<LogRecord['change']> }) => {
  const { members, granted = [], withdrawn = [], bundle } = change;
  const words = [
    members.length > 0 ? `changed ${members.join(', ')}` : '',
    granted.length > 0 ? `granted ${granted.join(', ')}` : '',
    withdrawn.length > 0 ? `withdrew ${withdrawn.join(', ')}` : '',
    bundle === undefined ? '' : `packages ${bundle.slice(0, 12)}`,
  ].filter(Boolean);
  return words.length === 0 ? null : (
    <span class={granted.length > 0 ? 'wider' : 'muted'}>{words.join('; ')}</span>
  );
};

interface RecordProps {
  readonly record: LogRecord;
  readonly filter: TrailFilter;
  readonly nameOf: (id: string) => string;
}

/** One record: who did what to which tokens, and everything else on demand. */
function Record({ record, filter, nameOf }: RecordProps) {
  const { operation, outcome, status, application_id: application, tokens, destination_host: host } = record;
  return (
    <li class={`record record-${outcome}`}>
      <div class="record-line">
        <Instant iso={record.created_at} />
        <strong>
          <Code>{operation}</Code>
        </strong>
        <Badge tone={TONES[outcome]}>{status === undefined ? outcome : `${outcome} ${String(status)}`}</Badge>
        {application !== undefined && (
          <a href={linkTo(['trail'], { application_id: application })}>
            by <bdi class="text">{shortened(nameOf(application), ID)}</bdi>
          </a>
        )}
        {record.resource !== undefined && <Subject resource={record.resource} nameOf={nameOf} />}
        {record.change !== undefined && <Change change={record.change} />}
        {host !== undefined && (
          <span>
            to <Code>{host}</Code>
          </span>
        )}
        {tokens !== undefined && <Tokens tokens={tokens} filter={filter} />}
      </div>
      <details>
        <summary>The record</summary>
        <p class="muted">{[record.credential, record.source_ip].filter(Boolean).join(' from ')}</p>
        <JsonText value={record} label="The record" />
      </details>
    </li>
  );
}

export const Records = ({
  records,
  filter,
  nameOf,
}: {
  readonly records: readonly LogRecord[];
  readonly filter: TrailFilter;
  readonly nameOf: (id: string) => string;
}) => (
  <ol class="timeline">
    {records.map((record) => (
      <Record key={record.id} record={record} filter={filter} nameOf={nameOf} />
    ))}
  </ol>
);
