import * as z from 'zod/mini';
import { defined } from '../core/shared/defined.ts';
import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import { Secret } from '../core/shared/secret.ts';
import type { TokenInput } from '../core/tokens/token-input.ts';
import { TOKEN_TYPE_NAMES } from '../core/tokens/token-type.ts';
import type { ParseTokenInput } from '../core/tokens/tokenize.ts';
import { parseAt } from './parse-input.ts';
import { body, boolean, json, list, names, oneOf, optional, text, textMap } from './schemas.ts';

const metadata = textMap((value) => typeof value === 'string');

/**
 * The body of "create token" (docs/contract.md#create-a-token). `core` checks what depends on the
 * type.
 */
export const createTokenBody = z.lazy(() =>
  z.pipe(
    body({
      id: optional(text),
      type: oneOf(names(TOKEN_TYPE_NAMES)),
      data: json,
      mask: optional(json),
      containers: optional(list(text)),
      metadata: optional(metadata),
      search_indexes: optional(list(text)),
      fingerprint_expression: optional(text),
      deduplicate_token: optional(boolean),
      expires_at: optional(text),
    }),
    z.transform((input): TokenInput =>
      defined({
        id: input.id,
        type: input.type,
        data: new Secret(input.data),
        mask: input.mask,
        containers: input.containers,
        metadata: input.metadata,
        searchIndexes: input.search_indexes,
        fingerprintExpression: input.fingerprint_expression,
        deduplicateToken: input.deduplicate_token,
        expiresAtText: input.expires_at,
      }),
    ),
  ),
);

/** A token inside a tokenized value has the shape of a create request. */
export const tokenInputParser =
  (compatibility: ClientCompatibility): ParseTokenInput =>
  (object, path) =>
    parseAt(createTokenBody, object, path, compatibility);
