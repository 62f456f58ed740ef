import type { Container } from '../../shared/container.ts';
import type { Report } from '../../shared/field-reporter.ts';
import type { Json, JsonObject } from '../../shared/json.ts';
import type { CVC_MEMBER } from '../without-cvc.ts';
import { lastFourOf, type IdentifyingValue } from '../identifying-value.ts';

/** Everything that the service knows of a token type. No other file compares the name of a type. */
export interface TokenType {
  readonly name: string;
  /** Checks data and returns its stored form. Whatever it reports makes the request fail. */
  readonly check: (data: Json, report: Report) => Json;
  /** All members that an object of its data may have. Absent if the type accepts any member. */
  readonly dataMembers?: readonly string[];
  /** The members of its data that are text; an empty name if the data itself is. */
  readonly texts?: readonly string[];
  readonly containers: readonly Container[];
  /** The mask of tokens that have none of their own; `null` for none. */
  readonly mask: Json;
  readonly fingerprintExpression: string;
  /**
   * True if the default fingerprint does not cover all of the data. Duplicates must share the rest
   * as well.
   */
  readonly hasPartialFingerprint?: true;
  /** Members of shared data that the application which creates and updates tokens may renew. */
  readonly renewable?: readonly string[];
  /**
   * Converts the data to the form in which duplicates are compared. If absent, the stored form is
   * compared.
   */
  readonly compared?: (data: Json) => Json;
  readonly searchIndexes: readonly string[];
  /**
   * Further default indexes of tokens that have the mask of the type, which shows as much as these
   * find.
   */
  readonly maskedIndexes?: readonly string[];
  /**
   * Values that the id of a token must not reveal (docs/decisions/0004). With `unknown`, ids are
   * not checked, and their expressions may use every filter.
   */
  readonly identifying: ((data: Json) => readonly IdentifyingValue[]) | 'unknown';
  /**
   * A member of the data that is encrypted separately, without backups, and ends before the token.
   */
  readonly separateMember?: typeof CVC_MEMBER;
  /** The `enrichments` that expressions read, made from the data as the caller sees it. */
  readonly enrich?: (shown: Json) => JsonObject | undefined;
}

interface TextType<Name extends string> extends Partial<Omit<TokenType, 'check' | 'name'>> {
  readonly name: Name;
  readonly containers: readonly Container[];
  /** Reports an invalid text, under the path of the member. */
  readonly check: (data: Json, path: string, report: Report) => void;
}

/** A type whose data is one text. By default, its last four characters may be shown. */
export function textType<const Name extends string>({ check, ...definition }: TextType<Name>) {
  return {
    mask: '{{ data | reveal_last: 4 }}',
    texts: [''],
    fingerprintExpression: '{{ data }}',
    searchIndexes: [],
    identifying: lastFourOf,
    ...definition,
    check(data: Json, report: Report) {
      check(data, 'data', report);
      return data;
    },
  } satisfies TokenType;
}
