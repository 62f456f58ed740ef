import type { ClientCompatibility } from '../core/shared/client-compatibility.ts';
import type { ParseTokenInput } from '../core/tokens/tokenize.ts';
import { createTokenBody } from '../wire/token.ts';
import { parseAt } from './parse-input.ts';

/** A token inside a tokenized value has the shape of a create request. */
export const tokenInputParser =
  (compatibility: ClientCompatibility): ParseTokenInput =>
  (object, path) =>
    parseAt(createTokenBody, object, path, compatibility);
