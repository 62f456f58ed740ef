import { anyJson } from './types/any-json.ts';
import { bank, usBankAccountNumber, usBankRoutingNumber } from './types/bank.ts';
import { card, cardNumber } from './types/card.ts';
import type { TokenType } from './types/definition.ts';
import { employerIdNumber, socialSecurityNumber } from './types/nine-digits.ts';

/**
 * Every token type. A new one needs a file in `types`, a row here, and what CONTRIBUTING.md lists.
 */
const TOKEN_TYPES = [
  anyJson,
  card,
  bank,
  cardNumber,
  usBankAccountNumber,
  usBankRoutingNumber,
  socialSecurityNumber,
  employerIdNumber,
] as const satisfies readonly TokenType[];

export type TokenTypeName = (typeof TOKEN_TYPES)[number]['name'];

export const TOKEN_TYPE_NAMES: readonly TokenTypeName[] = TOKEN_TYPES.map(({ name }) => name);

const byName = new Map<TokenTypeName, TokenType>(TOKEN_TYPES.map((type) => [type.name, type]));

export function tokenType(name: TokenTypeName): TokenType {
  const type = byName.get(name);
  if (type === undefined) throw new Error('token type: a name without a definition');
  return type;
}
