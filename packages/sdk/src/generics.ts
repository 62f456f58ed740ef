import type { AsJson, Json } from './json.ts';
import type {
  BankData,
  CardData,
  NewTokenMembers,
  Problem,
  ReactorResponse,
  Token,
  TokenChangeMembers,
  TokenType,
} from './resources.ts';

/*
 * Types with parameters, and unions that a schema cannot state. The plain types are in
 * resources.ts.
 */

/** The data of each token type; `D` is that of the type `token`. */
export interface TokenData<D = Exclude<Json, null>> {
  readonly token: D & AsJson<D> & {};
  readonly card: CardData;
  readonly bank: BankData;
  readonly card_number: string;
  readonly us_bank_account_number: string;
  readonly us_bank_routing_number: string;
  readonly social_security_number: string;
  readonly employer_id_number: string;
}

/** In a change, `null` removes a member, or restores the default of the type (RFC 7386). */
export interface TokenChange<
  D = Exclude<Json, null> | Partial<CardData | BankData>,
> extends TokenChangeMembers {
  /** Merged into the existing data. */
  readonly data?: (D & AsJson<D> & {}) | undefined;
}

export interface NewTokenOf<T extends TokenType, D = Exclude<Json, null>> extends NewTokenMembers {
  readonly type: T;
  readonly data: TokenData<D>[T];
}

export type NewToken<D = Exclude<Json, null>> = {
  readonly [T in TokenType]: NewTokenOf<T, D>;
}[TokenType];

/**
 * The type that `tokenize` returns: an object with `type` and `data` becomes a token, any other
 * primitive becomes the id of a token.
 */
export type Tokenized<T> = Json extends T
  ? Json
  : T extends null | undefined
    ? T
    : T extends string | number | boolean
      ? string
      : T extends { readonly type: unknown; readonly data: unknown }
        ? Token
        : { readonly [K in keyof T]: Tokenized<T[K]> };

/**
 * The result of `detokenize`: a string may become any type, since a lone expression keeps the type
 * of its value.
 */
export type Detokenized<T> = Json extends T
  ? Json
  : T extends string
    ? Json
    : T extends number | boolean | null | undefined
      ? T
      : { readonly [K in keyof T]: Detokenized<T[K]> };

export type ReactArgs = string | readonly Json[] | { readonly [name: string]: Json };

export interface ReactRequest<A extends string | object = ReactArgs> {
  /** May contain detokenization expressions, or be one. */
  readonly args?: (A & AsJson<A>) | undefined;
}

/** With `callback_url`, `async: true`, or both: one that is missing by mistake is an error. */
export type AsyncReactRequest<A extends string | object = ReactArgs> = ReactRequest<A> & {
  /** 10,000 to 210,000; 10,000 by default. */
  readonly timeout_ms?: number | undefined;
} & (
    | {
        /** https; the service delivers the result there, as a signed webhook. */
        readonly callback_url: string;
        readonly async?: true | undefined;
      }
    | {
        /** Without `callback_url` nothing is sent: read the result with `retrieveResult`. */
        readonly async: true;
        readonly callback_url?: undefined;
      }
  );

/** An asynchronous invocation that has ended: its response, or the error of its code. */
export type EndedInvocation =
  | { readonly id: string; readonly status: 'succeeded'; readonly result: ReactorResponse }
  | { readonly id: string; readonly status: 'failed'; readonly result: Problem };

/** The content of a webhook: a result, its reactor, and the application that invoked it. */
export type DeliveredInvocation = EndedInvocation & {
  readonly reactor_id?: string;
  /** If a session invoked the reactor, this is the application that authorized it. */
  readonly application_id?: string;
};

export type InvocationResult =
  | EndedInvocation
  | { readonly id: string; readonly status: 'queued' | 'running'; readonly result?: undefined };
