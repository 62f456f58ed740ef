import { useEffect, useState } from 'preact/hooks';
import { loadNames } from '../applications/names.tsx';
import { Button } from '../parts/button.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Empty, View } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { linkTo } from '../route.ts';
import { useLoad } from '../session/use-session.ts';
import { counted } from '../counted.ts';
import { localTime, readableTime } from '../instant.ts';
import { countBySteps } from './hourly-counts.ts';
import { Plot } from './plot.tsx';
import { Records } from './records.tsx';
import {
  filterOf,
  FORMS,
  isShown,
  HOUR_MS,
  OPERATIONS,
  OUTCOMES,
  queryOf,
  RANGES,
  SHOWS,
  type TrailFilter,
} from './trail-filter.ts';
import { useTrail, type Trail } from './use-trail.ts';

const SHOWN_AT_ONCE = 100;

const ANY = ['', 'any'] as const;
const pairs = (names: readonly string[]) => [ANY, ...names.map((name) => [name, name] as const)];

/** The ISO instant of a browser's input; empty for an empty one. */
const instantOf = (text: string): string => (text === '' ? '' : new Date(text).toISOString());

interface FiltersProps {
  readonly filter: TrailFilter;
  readonly names: ReadonlyMap<string, string>;
}

/** The applications to choose from, and the one of the address whatever it is. */
function applicationsOf({ application_id: id }: TrailFilter, names: FiltersProps['names']) {
  const all = new Map(names);
  if (id !== '' && !all.has(id)) all.set(id, id);
  return [...all];
}

/** Times are in the zone of the person, and instants in the address. */
function TimeFields({
  edited,
  onChange,
}: {
  readonly edited: TrailFilter;
  readonly onChange: (edited: TrailFilter) => void;
}) {
  const field = (label: string, member: 'from' | 'to') => (
    <TextField
      label={label}
      type="datetime-local"
      value={localTime(edited[member])}
      onChange={(text) => onChange({ ...edited, [member]: instantOf(text) })}
    />
  );
  return (
    <>
      {field('From', 'from')}
      {field('To', 'to')}
    </>
  );
}

/** Shows every part of the filter: one that is not seen would hide records. */
function Filters({ filter, names }: FiltersProps) {
  const [edited, setEdited] = useState(filter);
  useEffect(() => setEdited(filter), [JSON.stringify(filter)]);
  const go = (next: TrailFilter) => {
    setEdited(next);
    location.hash = linkTo(['trail'], queryOf(next));
  };
  const set = (member: keyof TrailFilter) => (text: string) => setEdited({ ...edited, [member]: text });
  const choose = (member: keyof TrailFilter) => (text: string) => go({ ...edited, [member]: text });
  const chooseTime = (hours: string) => {
    if (hours === '') setEdited({ ...edited, hours });
    else go({ ...edited, hours, from: '', to: '' });
  };
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        go(edited);
      }}
    >
      <Choice label="Records" value={edited.show} onChange={choose('show')} options={SHOWS} />
      <Choice label="Time" value={edited.hours} onChange={chooseTime} options={RANGES} />
      {edited.hours === '' && <TimeFields edited={edited} onChange={setEdited} />}
      <Choice
        label="Application"
        value={edited.application_id}
        onChange={choose('application_id')}
        options={[ANY, ...applicationsOf(edited, names)]}
      />
      <Choice
        label="Operation"
        value={edited.operation}
        onChange={choose('operation')}
        options={[ANY, ...OPERATIONS.map(([name, group]) => [name, name, group] as const)]}
      />
      <Choice
        label="Outcome"
        value={edited.outcome}
        onChange={choose('outcome')}
        options={[ANY, ...OUTCOMES]}
      />
      <Choice label="Form" value={edited.form} onChange={choose('form')} options={pairs(FORMS)} />
      <TextField label="Token id" value={edited.token_id} onChange={set('token_id')} isMachineText />
      <TextField label="Proxy id" value={edited.proxy_id} onChange={set('proxy_id')} isMachineText />
      <span class="row">
        <Button>Apply</Button>
        <a class="button button-quiet" href="#/trail">
          Clear
        </a>
      </span>
    </form>
  );
}

interface TrailProps {
  readonly filter: TrailFilter;
  readonly trail: Trail;
  readonly nameOf: (id: string) => string;
}

/** Explains what the plots lack. */
function caveatOf({ filter, trail }: TrailProps, leftOut: number): string {
  const oldest = trail.records.at(-1)?.created_at;
  if (trail.isLoading) return 'still loading';
  if (trail.isCut && oldest !== undefined)
    return `the newest ${counted(trail.records.length, 'record')}, back to ${readableTime(oldest)}`;
  if (leftOut > 0) return `${counted(leftOut, 'older record')} have no room here; choose a shorter time`;
  if (filter.operation !== '') return `of ${filter.operation} alone`;
  return '';
}

/** Whether a filter leaves records of a kind: without them a plot of it would say `none`. */
const permits = (filter: TrailFilter, outcomes: readonly string[], form: string): boolean =>
  outcomes.includes(filter.outcome) && (filter.form === '' || filter.form === form);

/** Counts what is loaded, and says what is not. A filter that excludes a plot hides it. */
function Plots(props: TrailProps) {
  const { filter, trail, nameOf } = props;
  const oldest = trail.records.at(-1)?.created_at;
  const from = trail.from ?? (oldest === undefined ? trail.to : new Date(oldest).getTime());
  const to = Math.min(trail.to, Date.now());
  const { steps, stepMs, reveals, refusals, leftOut } = countBySteps(
    trail.records,
    from,
    to,
    filter.token_id,
  );
  const stepLink = (part: Partial<TrailFilter>) => (step: number) =>
    queryOf({
      ...filter,
      ...part,
      hours: '',
      from: new Date(step).toISOString(),
      to: new Date(step + stepMs).toISOString(),
    });
  const unit = stepMs === HOUR_MS ? 'an hour' : 'a day';
  const common = { steps, stepMs, caveat: caveatOf(props, leftOut) };
  return (
    <div class="plots">
      {permits(filter, ['', 'ok', 'begun'], 'reveal') && (
        <Plot
          {...common}
          title={`Reveals ${unit}`}
          tone="reveals"
          series={reveals}
          nameOf={nameOf}
          linkOf={stepLink({ form: 'reveal' })}
        />
      )}
      {permits(filter, ['', 'refused'], 'refused') && (
        <Plot
          {...common}
          title={`Refusals ${unit}`}
          tone="refusals"
          series={[refusals]}
          nameOf={() => 'Refused'}
          linkOf={stepLink({ outcome: 'refused' })}
        />
      )}
    </div>
  );
}

function List({ filter, trail, nameOf }: TrailProps) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const matching = trail.records.filter((record) => isShown(record, filter));
  const others = trail.records.length - matching.length;
  const isWhole = !trail.isCut && !trail.isLoading && trail.problem === undefined;
  return (
    <>
      {trail.problem === undefined && (
        <p class="muted" role="status">
          {trail.isLoading
            ? `${counted(matching.length, 'record')} so far…`
            : counted(matching.length, 'record')}
          {others > 0 && (
            <>
              {` that reveal, change or refuse something. ${counted(others, 'other')}, such as masked reads and lists: `}
              <a href={linkTo(['trail'], queryOf({ ...filter, show: 'all' }))}>show everything</a>
              {'.'}
            </>
          )}
          {trail.isCut &&
            ` in the newest ${counted(trail.records.length, 'record')} of this time. Older ones are neither shown nor counted yet.`}
        </p>
      )}
      {trail.records.length === 0 && isWhole && (
        <Empty title="No record matches">
          <p>
            Every call with a valid key leaves a record. Choose a longer time, or clear the filter: an id that
            is not exact finds nothing.
          </p>
        </Empty>
      )}
      <Records records={matching.slice(0, shown)} filter={filter} nameOf={nameOf} />
      <div class="more">
        {matching.length > shown && (
          <Button onClick={() => setShown(shown + SHOWN_AT_ONCE)}>Show more</Button>
        )}
        {trail.isCut && <Button onClick={trail.loadMore}>Load older records</Button>}
      </div>
    </>
  );
}

/** An address may contain any text, so the heading has none of it. */
function titleOf({ token_id: token, application_id: application, proxy_id: proxy }: TrailFilter): string {
  if (token !== '') return 'Trail of a token';
  if (application !== '') return 'Trail of an application';
  return proxy === '' ? 'Trail' : 'Trail of a proxy';
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Shows a timeline and plots, which lead to their records. */
export function TrailView({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const filter = filterOf(query);
  const trail = useTrail(filter);
  const [names] = useLoad('management', loadNames, []);
  const known = names.value ?? NO_NAMES;
  const nameOf = (id: string): string => (id === '' ? 'others' : (known.get(id) ?? id));
  return (
    <View title={titleOf(filter)} actions={<Button onClick={trail.reload}>Refresh</Button>}>
      <Filters filter={filter} names={known} />
      {names.kind === 'failed' && (
        <p class="muted">Applications are shown by their ids: names need a key with application:read.</p>
      )}
      <ProblemBox problem={trail.problem} onRetry={trail.reload} />
      {trail.problem === undefined && <Plots filter={filter} trail={trail} nameOf={nameOf} />}
      <List filter={filter} trail={trail} nameOf={nameOf} />
    </View>
  );
}
