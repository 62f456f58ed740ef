import type { ParseTokenInput } from '../../core/tokens/tokenize.ts';
import { parseAt } from '../../http/parse-input.ts';
import { createTokenBody } from './schemas.ts';

/** A token inside a tokenize request has the shape of a create request. */
export const parseTokenInput: ParseTokenInput = (object, path) => parseAt(createTokenBody, object, path);
