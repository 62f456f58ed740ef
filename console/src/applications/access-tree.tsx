import {
  containersOf,
  decide,
  TOKEN_PERMISSIONS,
  wordsOfUse,
  type Access,
  type Grants,
  type TokenPermission,
} from '../access.ts';
import { Seen } from '../parts/text.tsx';

/** The last part of a container, at the depth where it is. */
export const Branch = ({ container }: { readonly container: string }) => {
  const parts = container.split('/').filter((part) => part !== '');
  const last = parts.at(-1);
  return (
    <span class={`branch depth-${String(parts.length)}`}>
      <code class="text">{last === undefined ? '/' : `${last}/`}</code>
      {parts.length > 1 && <span class="hidden">in {container}</span>}
    </span>
  );
};

const WORDS: Readonly<Record<TokenPermission, string>> = {
  'token:read': 'reads',
  'token:search': 'finds',
  'token:use': 'uses',
  'token:create': 'creates',
  'token:update': 'updates',
  'token:delete': 'deletes',
};

/** Shows a decision on a permission. A transform matters only where data is shown. */
export function DecisionCell({
  decision,
  permission,
}: {
  readonly decision: Access;
  readonly permission: TokenPermission;
}) {
  if (decision === undefined) return <Seen shown="nothing" />;
  if (permission === 'token:use') return <Seen shown="reveal">{wordsOfUse(decision.through)}</Seen>;
  // These show data only in their responses.
  if (permission === 'token:delete') return <Seen shown="mask">yes</Seen>;
  return <Seen shown={decision.transform} />;
}

/** A hundred rules at the greatest depth would be thousands of rows. */
const MOST_CONTAINERS = 300;

interface AccessTreeProps {
  readonly grants: Grants;
  /** Asks the service about one cell. */
  readonly onAsk: (permission: TokenPermission, container: string) => void;
}

/**
 * Shows the rights of an application in each container that its rules or the types of tokens name.
 */
export const AccessTree = ({ grants, onAsk }: AccessTreeProps) => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Access by container">
    <table class="tree">
      <thead>
        <tr>
          <th scope="col">Container</th>
          {TOKEN_PERMISSIONS.map((permission) => (
            <th scope="col" key={permission} title={permission}>
              {WORDS[permission]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {containersOf([grants])
          .slice(0, MOST_CONTAINERS)
          .map((container) => (
            <tr key={container}>
              <th scope="row">
                <Branch container={container} />
              </th>
              {TOKEN_PERMISSIONS.map((permission) => (
                <td key={permission} data-label={WORDS[permission]}>
                  <button
                    type="button"
                    class="cell"
                    title="Explain"
                    onClick={() => onAsk(permission, container)}
                  >
                    <DecisionCell decision={decide(grants, permission, container)} permission={permission} />
                    <span class="hidden">
                      : explain {permission} in {container}
                    </span>
                  </button>
                </td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
    <p class="muted">
      A container that is not listed is like the nearest one above it. A token in several containers needs
      access in each. Choose a cell to ask the service why.
    </p>
  </div>
);
