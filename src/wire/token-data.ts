import * as z from 'zod/mini';
import type { ZodMiniType } from 'zod/mini';
import { madeOnce } from '../core/shared/made-once.ts';
import { CVC_LIFETIME_SECONDS } from '../core/tokens/cvc-lifetime.ts';
import type { TokenTypeName } from '../core/tokens/token-type.ts';
import { described } from './parts.ts';
import { duration } from './words.ts';

const matching = (pattern: RegExp) => z.string().check(z.regex(pattern));

const digits = (least: number, most: number) =>
  matching(new RegExp(`^\\d{${String(least)},${String(most)}}$`));

const between = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most));

/** A whole number, which may be sent as a string. */
const wholeNumber = (least: number, most: number) =>
  z.optional(z.union([between(least, most), matching(/^\d{1,4}$/), z.null()]));

const nineDigits = () => z.string().check(z.regex(/^(?:-*\d){9}-*$/), z.maxLength(20));

/**
 * The data of a token in requests, by type (docs/contract.md#token-types), for the OpenAPI
 * document.
 */
export const tokenData = /* @__PURE__ */ madeOnce((): Readonly<Record<TokenTypeName, ZodMiniType>> => ({
  token: described(z.unknown(), 'Any JSON except `null`.'),
  card: z.strictObject({
    number: described(digits(12, 19), 'Only digits, not all zero, with a valid check digit (Luhn).'),
    expiration_month: wholeNumber(1, 12),
    expiration_year: described(wholeNumber(1000, 9999), 'Four digits.'),
    cvc: described(
      z.optional(z.union([digits(3, 4), between(100, 9999), z.null()])),
      `Deleted after its lifetime, by default ${duration(CVC_LIFETIME_SECONDS.default * 1_000)}.`,
    ),
  }),
  bank: z.strictObject({
    routing_number: described(
      matching(/^\d{9}$/),
      'With a prefix of the ABA (00 to 12, 21 to 32, 61 to 72, 80) and a valid checksum.',
    ),
    account_number: digits(1, 17),
  }),
  card_number: digits(12, 19),
  us_bank_account_number: digits(3, 17),
  us_bank_routing_number: matching(/^\d{9}$/),
  social_security_number: nineDigits(),
  employer_id_number: nineDigits(),
}));
