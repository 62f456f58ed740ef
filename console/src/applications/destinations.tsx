import type { Through } from '../access.ts';
import { Code } from '../parts/text.tsx';
import { linkTo } from '../route.ts';

/** Lists where plaintext may go, each with what it is; nothing for a rule without a limit. */
export function Destinations({ through }: { readonly through: Through | undefined }) {
  if (through === undefined) return null;
  const { proxies = [], reactors = [], callbacks = [] } = through;
  const named = [
    ...proxies.map((id) => ({ what: 'proxy', id, link: linkTo(['proxies', id]) })),
    ...reactors.map((id) => ({ what: 'reactor', id, link: linkTo(['reactors', id]) })),
    ...callbacks.map((id) => ({ what: 'results to', id, link: undefined })),
  ];
  return (
    <ul class="plain">
      {named.map(({ what, id, link }) => (
        <li key={what + id}>
          {what}{' '}
          {link === undefined ? (
            <Code>{id}</Code>
          ) : (
            <a href={link}>
              <Code>{id}</Code>
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
