import { isJsonObject, jsonObject } from '../../../src/core/shared/json.ts';
import { isTooOld, passes, serviceFilterOf, type ExportFilter } from '../filter.ts';
import type { ExportedToken, ExportService } from '../service.ts';
import type { Position } from './position.ts';

export interface Row {
  readonly token: ExportedToken;
  /** Where an export goes on after this token; `undefined` if certainly nothing follows. */
  readonly next: Position | undefined;
}

/** So many tokens are fetched at once whose members a page omits: each may have 3.5 MB. */
const PARALLEL = 4;

const omits = ({ body }: ExportedToken): boolean => {
  const { _extras: extras } = body;
  return isJsonObject(extras ?? null) && (extras as { readonly omitted?: unknown }).omitted !== undefined;
};

/** A card shows its cvc while it lives. No export has one (PCI DSS 4.0.1, requirement 3.3.1). */
export function withoutCvc(token: ExportedToken): ExportedToken {
  const { data = null } = token.body;
  if (token.type !== 'card' || !isJsonObject(data) || !Object.hasOwn(data, 'cvc')) return token;
  const rest = jsonObject(Object.entries(data).filter(([name]) => name !== 'cvc'));
  return { ...token, body: { ...token.body, data: rest } };
}

/** Yields tokens with all their members, in order. One that is gone meanwhile is left out. */
async function* whole(
  service: Pick<ExportService, 'token'>,
  tokens: readonly ExportedToken[],
): AsyncGenerator<ExportedToken> {
  const complete = async (token: ExportedToken) => (omits(token) ? await service.token(token.id) : token);
  const asked: Promise<ExportedToken | undefined>[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    for (const token of tokens.slice(asked.length, at + PARALLEL)) {
      const asking = complete(token);
      // A failure belongs to whom awaits it, which may be none after an earlier failure.
      asking.catch(() => undefined);
      asked.push(asking);
    }
    const token = await asked[at];
    // Its data is not to stay in memory as long as the page.
    asked[at] = Promise.resolve(undefined);
    if (token !== undefined) yield withoutCvc(token);
  }
}

/**
 * Walks over the tokens of an export, newest first. A token that was created after the first one of
 * the walk, at `newest`, is no part of it: a walk that goes on has the same tokens.
 */
export async function* walk(
  service: Pick<ExportService, 'page' | 'token'>,
  filter: ExportFilter,
  { from, newest = Infinity }: { readonly from: Position; readonly newest?: number },
): AsyncGenerator<Row> {
  let position: Position | undefined = from;
  while (position !== undefined) {
    const { after, written }: Position = position;
    const page = await service.page(serviceFilterOf(filter), after);
    const isLast = page.after === null || page.tokens.some((token) => isTooOld(filter, token));
    const wanted = page.tokens.filter(
      (token) =>
        !isTooOld(filter, token) &&
        passes(filter, token) &&
        token.createdAt <= newest &&
        !written.includes(token.id),
    );
    // New tokens move those of the first page, which has no cursor, to later pages.
    const moved = written.filter((id) => page.tokens.every((token) => token.id !== id));
    const behind: Position | undefined = isLast ? undefined : { after: page.after, written: moved };
    const last = wanted.at(-1)?.id;
    const passed = [...written];
    for await (const token of whole(service, wanted)) {
      passed.push(token.id);
      yield { token, next: token.id === last ? behind : { after, written: [...passed] } };
    }
    position = behind;
  }
}
