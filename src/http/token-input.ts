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
 * Body of "create token" (docs/contract.md#create-a-token). What depends on the type is checked in
 * `core`.
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
    z.transform((given): TokenInput =>
      defined({
        id: given.id,
        type: given.type,
        data: new Secret(given.data),
        mask: given.mask,
        containers: given.containers,
        metadata: given.metadata,
        searchIndexes: given.search_indexes,
        fingerprintExpression: given.fingerprint_expression,
        deduplicateToken: given.deduplicate_token,
        expiresAtText: given.expires_at,
      }),
    ),
  ),
);

/** A token inside a value that is tokenized has the shape of a create request. */
export const tokenInputParser =
  (compatibility: ClientCompatibility): ParseTokenInput =>
  (object, path) =>
    parseAt(createTokenBody, object, path, compatibility);
