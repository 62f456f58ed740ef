import { covers, parseContainer, type Container } from '../shared/container.ts';
import type { IndexTerm } from './index-term.ts';
import type { TokenCandidate } from './token-store.ts';
import { tokenType, TOKEN_TYPE_NAMES } from './token-type.ts';

/** Tokens in the default containers of their type have no index entries for them. */
const DEFAULT_CONTAINERS = /* @__PURE__ */ TOKEN_TYPE_NAMES.flatMap((name) => tokenType(name).containers);

/**
 * The container whose subtree a list or a search asks for; `undefined` if the text is not one. The
 * slash at its end may be absent.
 */
export const subtreeOf = (text: string): Container | undefined =>
  parseContainer(text.endsWith('/') ? text : `${text}/`);

/**
 * The index entry that all tokens below a container have; `undefined` if some have none, so that
 * only {@link isBelow} finds them.
 */
export function containerTerm(container: Container): IndexTerm | undefined {
  const isIndexed = container !== '/' && !DEFAULT_CONTAINERS.some((inner) => covers(container, inner));
  return isIndexed ? { kind: 'container', container } : undefined;
}

/** Whether a token is in a container or below it, with one of its containers. */
export const isBelow = (outer: Container, { containers }: Pick<TokenCandidate, 'containers'>): boolean =>
  containers.some((container) => covers(outer, container));
