import { Component, type ComponentChild, type ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApplicationsView } from './applications/applications-view.tsx';
import { ApplicationView } from './applications/application-view.tsx';
import { NewApplicationView } from './applications/new-application-view.tsx';
import { AccessView } from './applications/access-view.tsx';
import { HealthView } from './health/health-view.tsx';
import { Button } from './parts/button.tsx';
import { Empty, View } from './parts/page.tsx';
import { ProxiesView } from './proxies/proxies-view.tsx';
import { ProxyView } from './proxies/proxy-view.tsx';
import { ReactorsView } from './reactors/reactors-view.tsx';
import { ReactorView } from './reactors/reactor-view.tsx';
import { NEW, parseRoute, type Route } from './route.ts';
import { hasUnsaved } from './unsaved.ts';
import { EndedKey } from './sign-in/ended-key.tsx';
import type { KeyKind } from './session/key-kind.ts';
import type { Session } from './session/session.ts';
import { DocsLink, KeyForm, SignIn } from './sign-in/sign-in.tsx';
import { SessionContext, useSession, useSessionState } from './session/use-session.ts';
import { TenantView } from './tenant/tenant-view.tsx';
import { NewTokenView } from './tokens/new-token-view.tsx';
import { TokensView } from './tokens/tokens-view.tsx';
import { TokenView } from './tokens/token-view.tsx';
import { TrailView } from './trail/trail-view.tsx';

interface Room {
  readonly name: string;
  readonly words: string;
  readonly needs: KeyKind;
  readonly isLocal?: true;
  /** The view follows its query without beginning again, so that the focus and its inputs stay. */
  readonly followsQuery?: true;
  /** The view of a path below the room; `undefined` if there is none. */
  readonly view: (route: Route) => ComponentChild;
}

/** Returns the view of an item by its id, of a new one, or the list. */
const resource = (
  list: () => ComponentChild,
  item: (id: string) => ComponentChild,
  create: () => ComponentChild,
): Room['view'] => {
  return ({ path: [, id, ...rest] }) => {
    if (rest.length > 0) return undefined;
    if (id === undefined) return list();
    return id === NEW ? create() : item(id);
  };
};

/** Returns the view of a room that has only one. */
const single =
  (view: (route: Route) => ComponentChild): Room['view'] =>
  (route) =>
    route.path.length === 1 ? view(route) : undefined;

/** The navigation lists the rooms in this order. */
const ROOMS: readonly Room[] = [
  {
    name: 'applications',
    words: 'Applications',
    needs: 'management',
    view: resource(
      () => <ApplicationsView />,
      (id) => <ApplicationView key={id} id={id} />,
      () => <NewApplicationView />,
    ),
  },
  {
    name: 'access',
    words: 'Access',
    needs: 'management',
    followsQuery: true,
    view: single(({ query }) => <AccessView query={query} />),
  },
  {
    name: 'tokens',
    words: 'Tokens',
    needs: 'private',
    view: ({ path: [, id, ...rest], query }) => {
      if (rest.length > 0) return undefined;
      if (id === undefined) return <TokensView key={query['container']} query={query} />;
      return id === NEW ? <NewTokenView /> : <TokenView key={id} id={id} />;
    },
  },
  {
    name: 'reactors',
    words: 'Reactors',
    needs: 'management',
    view: resource(
      () => <ReactorsView />,
      (id) => <ReactorView key={id} id={id} />,
      () => <ReactorView key="new" id={undefined} />,
    ),
  },
  {
    name: 'proxies',
    words: 'Proxies',
    needs: 'management',
    view: resource(
      () => <ProxiesView />,
      (id) => <ProxyView key={id} id={id} />,
      () => <ProxyView key="new" id={undefined} />,
    ),
  },
  {
    name: 'trail',
    words: 'Trail',
    needs: 'management',
    followsQuery: true,
    view: single(({ query }) => <TrailView query={query} />),
  },
  { name: 'tenant', words: 'Tenant', needs: 'management', view: single(() => <TenantView />) },
  { name: 'health', words: 'Health', needs: 'management', isLocal: true, view: single(() => <HealthView />) },
];

const NEEDED: Readonly<Record<KeyKind, { readonly title: string; readonly words: string }>> = {
  management: {
    title: 'This needs a management key',
    words: 'Applications, rules, reactors, proxies, the tenant and the trail open with a management key.',
  },
  private: {
    title: 'Tokens need a private key',
    words:
      'Your management key can read no token. Paste the key of a private application, or create an application: its key opens tokens here.',
  },
};

/** Asks for the second kind of key where a view needs it. */
const OtherKey = ({ room, kind }: { readonly room: Room; readonly kind: KeyKind }) => (
  <View title={room.words}>
    <Empty title={NEEDED[kind].title}>
      <p>{NEEDED[kind].words}</p>
      <KeyForm words="Add this key" hint="Both keys stay in this tab alone." kind={kind} />
      {kind === 'private' && (
        <p>
          <a href="#/applications/+">Create an application</a>
        </p>
      )}
    </Empty>
  </View>
);

const Nowhere = () => (
  <View title="There is no such page">
    <p>
      The address names nothing in this console. <a href="#/">Go to the start</a>.
    </p>
  </View>
);

const LEAVE = 'The edit on this page is not saved. If you leave, it is lost. Leave the page?';

/** Follows the address, unless a person stays for an edit that would be lost. */
function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => {
      if (location.hash !== hash && hasUnsaved() && !confirm(LEAVE))
        history.replaceState(undefined, '', hash);
      else setHash(location.hash);
    };
    const stay = (event: BeforeUnloadEvent) => {
      if (hasUnsaved()) event.preventDefault();
    };
    addEventListener('hashchange', follow);
    addEventListener('beforeunload', stay);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('beforeunload', stay);
    };
  }, [hash]);
  return useMemo(() => parseRoute(hash), [hash]);
}

/** Shows a failure of one view in its place: the others go on. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly failed?: true }> {
  static override getDerivedStateFromError = () => ({ failed: true });

  override render(): ComponentChildren {
    if (this.state.failed === undefined) return this.props.children;
    return (
      <View title="This view failed">
        <p>
          It cannot be shown. Your keys and the other views are as they were. <a href="#/">Go to the start</a>
          .
        </p>
      </View>
    );
  }
}

function Content({ route, rooms }: { readonly route: Route; readonly rooms: readonly Room[] }) {
  const { access } = useSessionState();
  const first = access.management === undefined ? 'tokens' : 'applications';
  const path = route.path.length === 0 ? [first] : route.path;
  const room = rooms.find(({ name }) => name === path[0]);
  if (room === undefined) return <Nowhere />;
  if (access[room.needs] === undefined) return <OtherKey room={room} kind={room.needs} />;
  const place = JSON.stringify([path, room.followsQuery === true ? '' : route.query]);
  return <Boundary key={place}>{room.view({ ...route, path }) ?? <Nowhere />}</Boundary>;
}

function Navigation({ current, rooms }: { readonly current: string; readonly rooms: readonly Room[] }) {
  const session = useSession();
  const { access } = useSessionState();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav aria-label="Console">
      <a class="brand" href="#/">
        <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
          <path d="M3 2h16v6a3 3 0 0 0 0 6v6H3v-6a3 3 0 0 0 0-6z" />
          <circle cx="11" cy="11" r="2.5" />
        </svg>
        Cloakroom
      </a>
      <ul ref={list}>
        {rooms.map(({ name, words, needs }) => (
          <li key={name}>
            <a
              href={`#/${name}`}
              aria-current={name === current ? 'page' : undefined}
              class={access[needs] === undefined ? 'is-locked' : undefined}
            >
              {words}
            </a>
          </li>
        ))}
      </ul>
      <div class="keys">
        <DocsLink />
        {Object.entries(access).map(([kind, { hint }]) => (
          <p key={kind}>
            {kind} key <code>{hint}</code>{' '}
            <Button
              look="quiet"
              onClick={() => session.drop(kind as KeyKind)}
              label={`Forget the ${kind} key`}
            >
              Forget
            </Button>
          </p>
        ))}
        <Button look="quiet" onClick={() => session.signOut('Signed out. The page forgot your keys.')}>
          Sign out
        </Button>
      </div>
    </nav>
  );
}

function Shell() {
  const session = useSession();
  const { service } = session;
  const { access, notice, waiting } = useSessionState();
  const route = useRoute();
  const rooms = ROOMS.filter(({ isLocal }) => isLocal !== true || service.local);
  if (Object.keys(access).length === 0) return <SignIn notice={notice} />;
  const current = route.path[0] ?? (access.management === undefined ? 'tokens' : 'applications');
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.querySelector('h1')?.focus())}
      >
        Skip to the content
      </a>
      <Navigation current={current} rooms={rooms} />
      <Content route={route} rooms={rooms} />
      <div class="toast" role="status">
        {waiting}
      </div>
      {notice !== undefined && (
        <div class="toast is-notice" role="status">
          {notice}{' '}
          <Button look="quiet" onClick={() => session.note('')}>
            Close
          </Button>
        </div>
      )}
      <EndedKey kind="management" />
      <EndedKey kind="private" />
    </div>
  );
}

export const App = ({ session }: { readonly session: Session }) => (
  <SessionContext.Provider value={session}>
    <Shell />
  </SessionContext.Provider>
);
