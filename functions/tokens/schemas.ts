import { z } from 'zod';
import type { Json } from '../../core/shared/json.ts';
import { Secret } from '../../core/shared/secret.ts';
import type { TokenInput } from '../../core/tokens/token-input.ts';
import { TOKEN_TYPE_NAMES } from '../../core/tokens/token-type.ts';
import { defined } from '../../core/shared/defined.ts';
import { body, list, names, oneOf, optional, text } from '../../http/schemas.ts';

/** JSON that came through the JSON parser: nothing is left to check but that it is there. */
const json = z.custom<Json>((value) => value !== undefined, { error: 'is required' });

const metadata = z.record(z.string(), text, { error: 'must be an object of strings' });

/** Body of "create token" (spec.md). What depends on the type is checked in `core`. */
export const createTokenBody = body({
  id: optional(text),
  type: oneOf(names(TOKEN_TYPE_NAMES), 'is not a token type'),
  data: json,
  mask: optional(json),
  containers: optional(list(text)),
  metadata: optional(metadata),
  fingerprint_expression: optional(text),
  expires_at: optional(text),
}).transform((given): TokenInput =>
  defined({
    id: given.id,
    type: given.type,
    data: new Secret(given.data),
    mask: given.mask,
    containers: given.containers,
    metadata: given.metadata,
    fingerprintExpression: given.fingerprint_expression,
    expiresAt: given.expires_at,
  }),
);
