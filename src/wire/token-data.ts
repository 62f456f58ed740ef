import { z } from 'zod';
import type { TokenTypeName } from '../core/tokens/token-type.ts';

const digits = (least: number, most: number) =>
  z.string().regex(new RegExp(`^\\d{${String(least)},${String(most)}}$`));

/** A whole number, which may be sent as a string. */
const wholeNumber = (least: number, most: number) =>
  z.union([z.int().min(least).max(most), z.string().regex(/^\d{1,4}$/), z.null()]).optional();

const nineDigits = z
  .string()
  .regex(/^(?:-*\d){9}-*$/)
  .max(20);

/** The data of a token in requests, by type (docs/contract.md#token-types). */
export const TOKEN_DATA: Readonly<Record<TokenTypeName, z.ZodType>> = {
  token: z.unknown().meta({ description: 'Any JSON except `null`.' }),
  card: z.strictObject({
    number: digits(12, 19).meta({ description: 'Only digits, with a valid check digit (Luhn).' }),
    expiration_month: wholeNumber(1, 12),
    expiration_year: wholeNumber(1000, 9999),
    cvc: z
      .union([digits(3, 4), z.int().min(100).max(9999), z.null()])
      .optional()
      .meta({ description: 'Deleted after its lifetime, by default an hour.' }),
  }),
  bank: z.strictObject({
    routing_number: z
      .string()
      .regex(/^\d{9}$/)
      .meta({ description: 'With a valid ABA checksum.' }),
    account_number: digits(1, 17),
  }),
  card_number: digits(12, 19),
  us_bank_account_number: digits(3, 17),
  us_bank_routing_number: z.string().regex(/^\d{9}$/),
  social_security_number: nineDigits,
  employer_id_number: nineDigits,
};
