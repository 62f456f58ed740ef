import { filledIn } from '../parts/filled-in.ts';
import { containersOf, decide, TOKEN_PERMISSIONS, type TokenPermission } from '../access.ts';
import { useState } from 'preact/hooks';
import { Choice, TextField } from '../parts/field.tsx';
import { Empty, Loading, View } from '../parts/page.tsx';
import { Text } from '../parts/text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { useSettled } from '../parts/use-settled.ts';
import { linkTo } from '../route.ts';
import type { Application, Client } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';
import { shortened } from '../shortened.ts';
import { Branch, DecisionCell } from './access-tree.tsx';

/** A matrix of more columns is no picture any more; the list of applications has a filter. */
const MOST = 60;
const MOST_CONTAINERS = 200;
/** On a phone a name stands before what its application sees. */
const LABEL = 40;

async function loadApplications(client: Client, name: string, signal: AbortSignal) {
  const found: Application[] = [];
  let isWhole = true;
  for await (const application of client.applications.list(
    { type: ['private', 'public'], ...filledIn({ name }), size: 100 },
    { signal },
  )) {
    if (found.length === MOST) {
      isWhole = false;
      break;
    }
    found.push(application);
  }
  return { found, isWhole };
}

function Matrix({
  applications: applicationsOfAll,
  permission,
}: {
  readonly applications: readonly Application[];
  readonly permission: TokenPermission;
}) {
  // A column of nothing says nothing.
  const all = containersOf(applicationsOfAll);
  const applications = applicationsOfAll.filter((application) =>
    all.some((container) => decide(application, permission, container) !== undefined),
  );
  const containers = containersOf(applications);
  if (applications.length === 0) return <p class="muted">None of these applications has {permission}.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Access of every application">
      <table class="tree matrix">
        <thead>
          <tr>
            <th scope="col">Container</th>
            {applications.map(({ id, name }) => (
              <th scope="col" key={id}>
                <a href={linkTo(['applications', id])} title={visibleText(name)}>
                  <Text>{name}</Text>
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {containers.slice(0, MOST_CONTAINERS).map((container) => (
            <tr key={container}>
              <th scope="row">
                <Branch container={container} />
              </th>
              {applications.map((application) => (
                <td key={application.id} data-label={shortened(visibleText(application.name), LABEL)}>
                  <DecisionCell
                    decision={decide(application, permission, container)}
                    permission={permission}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        A container that is not listed is like the nearest one above it. Applications without {permission} are
        left out.
        {containers.length > MOST_CONTAINERS &&
          ` These are the first ${String(MOST_CONTAINERS)} of ${String(containers.length)} containers: choose applications by name.`}
      </p>
    </div>
  );
}

const permissionOf = (text: string | undefined): TokenPermission =>
  TOKEN_PERMISSIONS.find((name) => name === text) ?? 'token:read';

/** Who sees what, on one page: containers down, applications across. */
export function AccessView({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const [name, setName] = useState('');
  const settled = useSettled(name);
  const [loaded, reload] = useLoad(
    'management',
    (client, signal) => loadApplications(client, settled, signal),
    [settled],
  );
  const permission = permissionOf(query['permission']);
  return (
    <View title="Access">
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Permission"
          value={permission}
          onChange={(name) => location.replace(linkTo(['access'], { permission: name }))}
          options={TOKEN_PERMISSIONS.map((name) => [name, name] as const)}
        />
        <TextField label="Applications named" type="search" value={name} onChange={setName} />
      </form>
      <Loading of={loaded} onRetry={reload}>
        {({ found, isWhole }) =>
          found.length === 0 ? (
            <Empty title={settled === '' ? 'No application has access to tokens' : 'No application matches'}>
              <p>Create a private or public application, and give it a rule.</p>
              <a class="button button-primary" href="#/applications/+">
                New application
              </a>
            </Empty>
          ) : (
            <>
              <Matrix applications={found} permission={permission} />
              {!isWhole && (
                <p class="muted">These are the first {MOST} applications. There are more: choose by name.</p>
              )}
            </>
          )
        }
      </Loading>
    </View>
  );
}
