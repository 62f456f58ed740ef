import type { Transform } from '../applications/access-rule.ts';
import type { Budget } from '../expressions/budget.ts';
import type { Json } from '../shared/json.ts';
import type { Secret } from '../shared/secret.ts';
import {
  describe,
  maskData,
  openData,
  openDetails,
  openWholeData,
  type OpenTokenDeps,
} from './open-token.ts';
import type { StoredToken, TokenDescription, TokenHead, TokenView } from './token.ts';
import { descriptionOf } from './token-object.ts';

/** Bytes of JSON that the data of all tokens of a page may take, and as many for their descriptions (decisions.md, section 3, List). */
const PAGE_BYTES = 1_250_000;

/** A token of a page, with the transform that its reader may see it under. */
export interface PermittedHead {
  readonly token: TokenHead;
  readonly transform: Transform;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What a token shows of its data on a page; `too_large` for what is left out. */
type Data = Secret<Json> | 'too_large' | undefined;

/** A token whose data stands in its own item. */
function withData(token: TokenHead): StoredToken | undefined {
  return token.sealedData && { ...token, sealedData: token.sealedData };
}

/**
 * Opens the tokens of a page. Each has an equal share of the answer, so that what others stored decides nothing of what is shown of it;
 * data in items of its own is not read.
 */
export async function openPage(
  deps: OpenTokenDeps,
  permitted: readonly PermittedHead[],
  size: number,
  budget: Budget,
): Promise<readonly TokenView[]> {
  const share = PAGE_BYTES / size;
  const fits = (data: Secret<Json> | undefined): Data =>
    data !== undefined && bytesOf(data.reveal()) > share ? 'too_large' : data;

  const revealed = permitted.flatMap(({ token, transform }) => {
    const whole = transform === 'reveal' && token.dataBytes <= share ? withData(token) : undefined;
    return whole === undefined ? [] : [whole];
  });
  const opened = await openWholeData(deps, revealed);
  const wholeOf = new Map(revealed.map(({ id }, index) => [id, opened[index]]));

  async function dataOf(token: TokenHead, transform: Transform, mask: Json): Promise<Data> {
    if (transform === 'redact' || (transform === 'mask' && mask === null)) return undefined;
    if (transform === 'reveal') return fits(wholeOf.get(token.id)) ?? 'too_large';
    const inline = withData(token);
    return inline === undefined
      ? 'too_large'
      : fits(maskData(mask, await openData(deps.vault, inline), budget));
  }

  return Promise.all(
    permitted.map(async ({ token, transform }) => {
      const description = describe(token, await openDetails(deps.vault, token));
      return view(token, await dataOf(token, transform, description.mask), description, share);
    }),
  );
}

function view(token: TokenHead, data: Data, description: TokenDescription, share: number): TokenView {
  const members = descriptionOf(description);
  const isDescribed = bytesOf(members) <= share;
  const omitted = [
    ...(data === 'too_large' ? ['data'] : []),
    ...(isDescribed
      ? []
      : Object.keys(members).filter((name) => members[name as keyof typeof members] !== undefined)),
  ];
  return {
    ...token,
    ...(isDescribed && { description }),
    ...(data !== undefined && data !== 'too_large' && { data }),
    ...(omitted.length > 0 && { omitted }),
  };
}
