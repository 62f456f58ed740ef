import { filledIn } from '../parts/filled-in.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Copy } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Empty, More, View, Waiting } from '../parts/page.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { Badge, Code, Text, Time } from '../parts/text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { useSettled } from '../parts/use-settled.ts';
import { linkTo } from '../route.ts';
import type { Client, Page, Token } from '../sdk.ts';
import { usePages } from '../session/use-pages.ts';
import { useSession } from '../session/use-session.ts';
import { shortened } from '../shortened.ts';
import { isIncomplete, searchQueryOf, summaryOf, UUID } from './token-query.ts';
import type { TokenFilter } from '../session/token-filter.ts';

const PAGE = 50;
const SEARCH_SETTLED_MS = 900;
const SUMMARY = 60;
const SHORT_ID = 14;
/** A UUID has this length. */
const ID = 36;
const MOST_VALUES = 4;

/** A UUID by its ends, as people compare it; another id as it is, if it is short. */
const shortId = (id: string): string =>
  UUID.test(id) ? `${id.slice(0, 8)}…${id.slice(-4)}` : shortened(id, SHORT_ID);

const NO_TOKENS: Page<Token> = { data: [], pagination: { after: null, page_size: PAGE } };

/** A list or a search. Both ask for masked data, whatever the key may see. */
function tokensOf(
  client: Client,
  filter: TokenFilter,
  after: string | undefined,
  signal: AbortSignal,
): PromiseLike<Page<Token>> {
  // A list without its filter would show what was not asked for.
  if (isIncomplete(filter)) return Promise.resolve(NO_TOKENS);
  const query = searchQueryOf(filter);
  const options = { transform: 'mask', signal } as const;
  if (query !== undefined) return client.tokens.search({ query, after, size: PAGE }, options);
  const { container, key, value } = filter;
  return client.tokens.list(
    {
      ...filledIn({ container }),
      ...(key !== '' && value !== '' && { metadata: { [key]: value } }),
      after,
      size: PAGE,
    },
    options,
  );
}

const Row = ({ token }: { readonly token: Token }) => {
  const { id, type, data, containers, metadata = {}, created_at: created } = token;
  const entries = Object.entries(metadata);
  return (
    <tr>
      <th scope="row">
        <span class="one-line">
          <a href={linkTo(['tokens', id])} title={visibleText(id)}>
            <Code>{shortId(id)}</Code>
          </a>{' '}
          <Copy text={id} what={`the id ${shortId(id)}`} />
        </span>
      </th>
      <td data-label="Type">
        <Badge tone="type">{type}</Badge>
      </td>
      <td data-label="Masked">
        {data === undefined ? (
          <span class="muted">no data</span>
        ) : (
          summaryOf(data)
            .slice(0, MOST_VALUES)
            .map((value, at) => (
              <span class="value" key={at}>
                <Code>{shortened(value, ID)}</Code>
              </span>
            ))
        )}
      </td>
      <td data-label="Containers">
        {containers.slice(0, 2).map((container) => (
          <span class="entry one-line" key={container}>
            <Code>{shortened(container, ID)}</Code>
          </span>
        ))}
        {containers.length > 2 && <span class="muted">+{containers.length - 2}</span>}
      </td>
      <td data-label="Metadata">
        {entries.slice(0, 2).map(([key, value]) => (
          <span class="entry one-line" key={key} title={visibleText(`${key}: ${value}`)}>
            <Text>{shortened(`${key}: ${value}`, SUMMARY)}</Text>
          </span>
        ))}
        {entries.length > 2 && <span class="muted">+{entries.length - 2}</span>}
      </td>
      <td data-label="Created">{created !== undefined && <Time iso={created} />}</td>
    </tr>
  );
};

const List = ({ tokens }: { readonly tokens: readonly Token[] }) => (
  <table class="list">
    <thead>
      <tr>
        <th scope="col">Id</th>
        <th scope="col">Type</th>
        <th scope="col">Masked</th>
        <th scope="col">Containers</th>
        <th scope="col">Metadata</th>
        <th scope="col">Created</th>
      </tr>
    </thead>
    <tbody>
      {tokens.map((token) => (
        <Row key={token.id} token={token} />
      ))}
    </tbody>
  </table>
);

interface FiltersProps {
  readonly filter: TokenFilter;
  readonly onChange: (filter: TokenFilter) => void;
}

const Filters = ({ filter, onChange }: FiltersProps) => {
  const set = (member: keyof TokenFilter) => (text: string) => onChange({ ...filter, [member]: text });
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label="Search"
        type="search"
        value={filter.search}
        onChange={set('search')}
        placeholder={'4242'}
        hint={
          'An exact value of a search index, or terms such as type:card AND data:"4242". It is in no address of this page.'
        }
      />
      <TextField
        label="Container"
        value={filter.container}
        onChange={set('container')}
        placeholder="/pci/"
        isMachineText
      />
      <TextField label="Metadata key" value={filter.key} onChange={set('key')} placeholder="customer" />
      <TextField
        label="Metadata value"
        problem={
          isIncomplete(filter)
            ? `Also write the ${filter.key === '' ? 'key' : 'value'}: nothing is asked for until then.`
            : undefined
        }
        value={filter.value}
        onChange={set('value')}
        placeholder="c-17"
      />
      {JSON.stringify(filter) !== JSON.stringify(NO_FILTER) && (
        <Button look="quiet" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
    </form>
  );
};

const Nothing = ({ filter }: { readonly filter: TokenFilter }) => {
  if (isIncomplete(filter))
    return (
      <Empty title={`The metadata ${filter.key === '' ? 'key' : 'value'} is empty`}>
        <p>Write it to find the tokens with it, or clear the filter to see all.</p>
      </Empty>
    );
  return Object.values(filter).some((text) => text !== '') ? (
    <Empty title="No token matches">
      <p>
        Metadata and search values match as a whole. A search finds the values of search indexes, such as the
        last four digits, if the token has such an index.
      </p>
    </Empty>
  ) : (
    <Empty title="No tokens yet">
      <p>A token stores a card, a bank account or any other data. You store and send its id instead.</p>
      <a class="button button-primary" href="#/tokens/+">
        New token
      </a>
    </Empty>
  );
};

const NO_FILTER: TokenFilter = { container: '', key: '', value: '', search: '' };

/**
 * The filter of this tab, which a person finds again on the way back from a token. It is in the
 * memory of the session, since a search may be data, and its container is in the address too.
 */
function useRemembered(container: string | undefined) {
  const session = useSession();
  const first = container === undefined ? session.tokenFilter : { ...NO_FILTER, container };
  const [filter, setFilter] = useState<TokenFilter>(first ?? NO_FILTER);
  const address = useRef(location.hash);
  useEffect(() => {
    session.tokenFilter = filter;
    // The person may have left for another page before this runs.
    if (location.hash !== address.current) return;
    history.replaceState(undefined, '', linkTo(['tokens'], { container: filter.container }));
    address.current = location.hash;
  }, [filter]);
  return [filter, setFilter] as const;
}

export function TokensView({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const [filter, setFilter] = useRemembered(query['container']);
  // A search is a request and a record: typing a number must not send each beginning of it.
  const settled = useSettled(JSON.stringify(filter), filter.search === '' ? undefined : SEARCH_SETTLED_MS);
  const { items, total, isLoading, isStale, problem, more, reload } = usePages<Token>(
    'private',
    (client, after, signal) => tokensOf(client, JSON.parse(settled) as TokenFilter, after, signal),
    [settled],
  );
  return (
    <View
      title="Tokens"
      actions={
        <a class="button button-primary" href="#/tokens/+">
          New token
        </a>
      }
    >
      <Filters filter={filter} onChange={setFilter} />
      <ProblemBox problem={problem} onRetry={reload} />
      {items.length > 0 && (
        <div class={isStale ? 'is-stale' : undefined} aria-busy={isStale}>
          <List tokens={items} />
        </div>
      )}
      {isLoading && items.length === 0 && <Waiting />}
      {!isLoading && problem === undefined && items.length === 0 && <Nothing filter={filter} />}
      {items.length > 0 && (
        <More shown={items.length} total={total} what="tokens" onMore={more} isBusy={isLoading} />
      )}
    </View>
  );
}
