import { filledIn } from './filled-in.ts';
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
  readonly detailTitle: string;
  readonly detail: (item: T) => string;
  /** Explains the purpose of such a thing. */
  readonly empty: string;
}

const DETAIL = 120;

/** A list of things with names: reactors, proxies. */
export function NamedList<T extends Named>(props: NamedListProps<T>) {
  const { title, path, createWords, fetchPage, detailTitle, detail, empty } = props;
  const [name, setName] = useState('');
  const settled = useSettled(name);
  const { items, total, isLoading, problem, more, reload } = usePages<T>(
    'management',
    (client, after, signal) => fetchPage(client, { ...filledIn({ name: settled }), after, size: 50 }, signal),
    [settled],
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
      </form>
      <ProblemBox problem={problem} onRetry={reload} />
      {items.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">{detailTitle}</th>
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
                <td data-label={detailTitle}>
                  <Text>{shortened(detail(item), DETAIL)}</Text>
                </td>
                <td data-label="Changed">
                  <Time iso={item.modified_at ?? item.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isLoading && items.length === 0 && <Waiting />}
      {!isLoading && problem === undefined && items.length === 0 && (
        <Empty title={settled === '' ? `No ${title.toLowerCase()} yet` : 'Nothing matches'}>
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
