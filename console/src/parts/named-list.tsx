import { filledIn } from './filled-in.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkTo, NEW } from '../route.ts';
import type { Client, Page, PageQuery } from '../sdk.ts';
import { usePages } from '../session/use-pages.ts';
import { shortened } from '../shortened.ts';
import { TextField } from './field.tsx';
import { Empty, More, View, Waiting } from './page.tsx';
import { ProblemBox } from './problem-box.tsx';
import { Text, Time } from './text.tsx';
import { useSettled } from './use-settled.ts';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly modified_at?: string;
}

interface NamedListProps<T extends Named> {
  readonly title: string;
  readonly path: string;
  readonly createWords: string;
  readonly fetchPage: (
    client: Client,
    query: PageQuery & { readonly name?: string },
    signal: AbortSignal,
  ) => PromiseLike<Page<T>>;
  /** The columns between the name and the time of the last change. */
  readonly columns: readonly (readonly [title: string, text: (item: T) => string])[];
  /** Inputs beside the name, and the values that they have: the list begins again with others. */
  readonly filters?: ComponentChildren;
  readonly filtered?: readonly string[];
  /** Explains the purpose of such a thing. */
  readonly empty: string;
}

const DETAIL = 120;

function Rows<T extends Named>({
  path,
  columns,
  items,
}: Pick<NamedListProps<T>, 'path' | 'columns'> & { readonly items: readonly T[] }) {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          {columns.map(([column]) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
          <th scope="col">Changed</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            <th scope="row">
              <a href={linkTo([path, item.id])}>
                <Text>{item.name}</Text>
              </a>
            </th>
            {columns.map(([column, text]) => (
              <td data-label={column} key={column}>
                <Text>{shortened(text(item), DETAIL)}</Text>
              </td>
            ))}
            <td data-label="Changed">
              <Time iso={item.modified_at ?? item.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A list of things with names: reactors, proxies. */
export function NamedList<T extends Named>(props: NamedListProps<T>) {
  const { title, path, createWords, fetchPage, columns, filters, filtered = [], empty } = props;
  const [name, setName] = useState('');
  const settled = useSettled(name);
  const { items, total, isLoading, problem, more, reload } = usePages<T>(
    'management',
    (client, after, signal) => fetchPage(client, { ...filledIn({ name: settled }), after, size: 50 }, signal),
    [settled, ...filtered],
  );
  const create = (
    <a class="button button-primary" href={linkTo([path, NEW])}>
      {createWords}
    </a>
  );
  return (
    <View title={title} actions={create}>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Name" type="search" value={name} onChange={setName} />
        {filters}
      </form>
      <ProblemBox problem={problem} onRetry={reload} />
      {items.length > 0 && <Rows path={path} columns={columns} items={items} />}
      {isLoading && items.length === 0 && <Waiting />}
      {!isLoading && problem === undefined && items.length === 0 && (
        <Empty
          title={
            [settled, ...filtered].every((value) => value === '')
              ? `No ${title.toLowerCase()} yet`
              : 'Nothing matches'
          }
        >
          <p>{empty}</p>
          {create}
        </Empty>
      )}
      {items.length > 0 && (
        <More
          shown={items.length}
          total={total}
          what={title.toLowerCase()}
          onMore={more}
          isBusy={isLoading}
        />
      )}
    </View>
  );
}
