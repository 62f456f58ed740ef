import { useState } from 'preact/hooks';
import { Choice, TextField } from '../parts/field.tsx';
import { filledIn } from '../parts/filled-in.ts';
import { Empty, More, View, Waiting } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Badge, Text, Time } from '../parts/text.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { linkTo } from '../route.ts';
import type { Application, ApplicationType } from '../sdk.ts';
import { usePages } from '../session/use-pages.ts';
import { counted } from '../counted.ts';

const TYPES: readonly (readonly [ApplicationType | 'all', string])[] = [
  ['all', 'All types'],
  ['private', 'private'],
  ['public', 'public'],
  ['management', 'management'],
];

const Row = ({ application }: { readonly application: Application }) => {
  const { id, name, type, permissions, rules, created_at: created, expires_at: expires } = application;
  return (
    <tr>
      <th scope="row">
        <a href={linkTo(['applications', id])}>
          <Text>{name}</Text>
        </a>
      </th>
      <td data-label="Type">
        <Badge tone={type}>{type}</Badge>
      </td>
      <td data-label="Grants">
        {[
          permissions.length > 0 ? counted(permissions.length, 'permission') : '',
          rules.length > 0 ? counted(rules.length, 'rule') : '',
        ]
          .filter(Boolean)
          .join(', ')}
      </td>
      <td data-label="Created">{created !== undefined && <Time iso={created} />}</td>
      <td data-label="Ends">{expires === undefined ? 'never' : <Time iso={expires} />}</td>
    </tr>
  );
};

export function ApplicationsView() {
  const [name, setName] = useState('');
  const [type, setType] = useState<ApplicationType | 'all'>('all');
  const settled = useSettled(name);
  const pages = usePages<Application>(
    'management',
    (client, after, signal) =>
      client.applications.list(
        { ...filledIn({ name: settled }), ...(type !== 'all' && { type }), after, size: 50 },
        { signal },
      ),
    [settled, type],
  );
  const { items, total, isLoading, problem, more, reload } = pages;
  const isFiltered = settled !== '' || type !== 'all';
  return (
    <View
      title="Applications"
      actions={
        <a class="button button-primary" href="#/applications/+">
          New application
        </a>
      }
    >
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Name" type="search" value={name} onChange={setName} />
        <Choice label="Type" value={type} onChange={setType} options={TYPES} />
      </form>
      <ProblemBox problem={problem} onRetry={reload} />
      {items.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Grants</th>
              <th scope="col">Created</th>
              <th scope="col">Ends</th>
            </tr>
          </thead>
          <tbody>
            {items.map((application) => (
              <Row key={application.id} application={application} />
            ))}
          </tbody>
        </table>
      )}
      {isLoading && items.length === 0 && <Waiting />}
      {!isLoading && problem === undefined && items.length === 0 && (
        <Empty title={isFiltered ? 'No application matches' : 'No applications yet'}>
          <p>
            An application is a caller with a key, permissions and access rules: your checkout, your billing,
            a support tool.
          </p>
        </Empty>
      )}
      {items.length > 0 && (
        <More shown={items.length} total={total} what="applications" onMore={more} isBusy={isLoading} />
      )}
    </View>
  );
}
