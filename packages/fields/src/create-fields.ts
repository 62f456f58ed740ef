import { newId } from './new-id.ts';
import { FieldsError, type Field, type FieldPlaceholder, type NewFieldOptions } from './field-interface.ts';
import { PageField, type Group } from './field.ts';
import { checkOptions, requireKnown, requireNames, SHARED_OPTIONS } from './known-options.ts';
import {
  FIELD_KINDS,
  PLACEHOLDER,
  type Failure,
  type FieldKind,
  type Operation,
  type StoredToken,
} from './protocol.ts';
import { changedOptions, type PageOptions } from './surroundings.ts';

/** The address that the script was loaded from, when it was loaded from that of the fields. */
declare const FIELDS_URL: string | undefined;

export interface FieldsOptions extends Pick<PageOptions, 'locale' | 'style' | 'colorScheme' | 'direction'> {
  /**
   * The address of the fields, such as `https://fields.example.com`. Default: where this script was
   * loaded from. A bundle of the package has no default.
   */
  readonly fieldsUrl?: string | undefined;
  /** The address of the service. Fields that belong to another one refuse to work. */
  readonly baseUrl?: string | undefined;
  /** The key of a public application, which anyone who sees the page may have. */
  readonly apiKey?: string | undefined;
  /** The key of a session, or a function that gets one for each request, replaces `apiKey`. */
  readonly session?: string | (() => string | Promise<string>) | undefined;
  /** A field without an answer for so long reports `frame_unavailable`. Default: 10,000. */
  readonly loadTimeoutMs?: number | undefined;
}

const OPTIONS: readonly string[] = [
  ...(['fieldsUrl', 'baseUrl', 'apiKey', 'session', 'loadTimeoutMs'] satisfies (keyof FieldsOptions)[]),
  ...SHARED_OPTIONS,
];

/** JSON in which a field means what a person typed. */
export type WithFields =
  | null
  | boolean
  | number
  | string
  | Field
  | FieldPlaceholder
  | readonly WithFields[]
  | { readonly [name: string]: WithFields };

/** The shape of a request with ids of tokens in it. An optional field that was empty is `null`. */
export type Tokenized<T> = T extends Field | FieldPlaceholder
  ? string | null
  : T extends string | number | boolean
    ? string
    : T extends { readonly type: string; readonly data: WithFields }
      ? StoredToken
      : { readonly [Name in keyof T]: Tokenized<T[Name]> };

/** A token to create. It has no mask, index or fingerprint: a private key adds those later. */
export interface NewFieldToken {
  readonly type: string;
  readonly data: WithFields;
  readonly containers?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly expires_at?: string | undefined;
}

/** A change of a card gives it a new security code. A new number or expiry is a new token. */
export interface CardChange {
  readonly data: {
    readonly cvc: Field;
  };
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Holds the fields of one form. */
export interface Fields {
  /** Makes a field. Throws `TypeError` for an unknown kind, option, brand or style. */
  field(kind: FieldKind, options?: NewFieldOptions): Field;
  /**
   * Creates a token from what is in fields.
   * @example const { id } = await fields.createToken({ type: 'card', data: { number, expiration_month: expiry.month, expiration_year: expiry.year, cvc } });
   */
  createToken(token: NewFieldToken, options?: RequestOptions): Promise<StoredToken>;
  /**
   * Creates tokens from any JSON with fields in it; returns the same shape with tokens and ids.
   * @example const { card, note } = await fields.tokenize({ card: { type: 'card', data: { number } }, note: text });
   */
  tokenize<T extends WithFields>(value: T, options?: RequestOptions): Promise<Tokenized<T>>;
  /**
   * Gives a card a new security code.
   * @example await fields.update(id, { data: { cvc } });
   */
  update(id: string, change: CardChange, options?: RequestOptions): Promise<StoredToken>;
  /** Changes options of all fields, as their language. Throws `TypeError` for an unknown one. */
  configure(options: Pick<FieldsOptions, 'locale' | 'style' | 'colorScheme' | 'direction'>): void;
  /** Removes all fields from the page. */
  unmount(): void;
}

function addressOf(fieldsUrl: string | undefined): string {
  const address = fieldsUrl ?? (typeof FIELDS_URL === 'undefined' ? undefined : FIELDS_URL);
  if (address === undefined) throw new TypeError('Set the option fieldsUrl');
  const { protocol, origin, pathname } = new URL(address);
  if (!/^https?:$/.test(protocol) || pathname !== '/')
    throw new TypeError('fieldsUrl must be an origin, as https://fields.example.com');
  return origin;
}

type SharedOptions = Parameters<Fields['configure']>[0];

/** Returns the options that all fields share. */
function sharedOf(options: FieldsOptions): SharedOptions {
  const shared: readonly string[] = SHARED_OPTIONS;
  return Object.fromEntries(Object.entries(options).filter(([name]) => shared.includes(name)));
}

function keyOf({ apiKey, session }: FieldsOptions): () => string | Promise<string> {
  if ((apiKey === undefined) === (session === undefined))
    throw new TypeError('Set one of the options apiKey and session');
  if (typeof session === 'function') return session;
  const key = apiKey ?? session ?? '';
  return () => key;
}

/** Returns a request with a placeholder for each field. */
function withPlaceholders(value: unknown): unknown {
  if (value instanceof PageField) return { [PLACEHOLDER]: value.id };
  if (Array.isArray(value)) return value.map(withPlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, withPlaceholders(each)]));
}

/** The permission that each operation needs. */
const RIGHTS: Readonly<Record<Operation, string>> = {
  create: 'token:create',
  tokenize: 'token:create',
  update: 'token:update',
};

/** Names the permission that a refused request needs. */
const withRight = (failure: Failure, operation: Operation): Failure =>
  failure.serviceCode === 'forbidden'
    ? {
        ...failure,
        message: `${failure.message} The key or session needs ${RIGHTS[operation]} in each container of the token.`,
      }
    : failure;

/** Lists all ids of fields in a request, those of parts of a field included. */
function fieldIdsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (PLACEHOLDER in value) return [String(value[PLACEHOLDER])];
  return Object.values(value).flatMap(fieldIdsIn);
}

/**
 * Makes the fields of one form. Throws `TypeError` for invalid options.
 * @example const fields = createFields({ baseUrl: 'https://tokens.example.com', apiKey: PUBLIC_KEY });
 */
export function createFields(options: FieldsOptions): Fields {
  requireNames(options, OPTIONS, 'option of createFields');
  const { baseUrl, loadTimeoutMs } = options;
  const key = keyOf(options);
  const mounted = new Map<string, PageField>();
  let shared: PageOptions = {};
  const group: Group = {
    id: newId(),
    fieldsUrl: addressOf(options.fieldsUrl),
    baseUrl,
    loadTimeoutMs,
    shared: () => shared,
    setMounted(field, isMounted) {
      if (isMounted) mounted.set(field.id, field);
      else mounted.delete(field.id);
    },
    brand: () => [...mounted.values()].find(({ kind }) => kind === 'card_number')?.state.brand ?? null,
    onBrand() {
      for (const field of mounted.values()) field.showBrand();
    },
  };

  function configure(changed: SharedOptions): void {
    checkOptions(changed, SHARED_OPTIONS);
    shared = changedOptions(shared, changed);
    for (const field of mounted.values()) field.refresh();
  }
  configure(sharedOf(options));

  async function submit(
    operation: Operation,
    tokenId: string | undefined,
    value: unknown,
    { signal }: RequestOptions = {},
  ): Promise<unknown> {
    const body = withPlaceholders(value);
    const ids = [...new Set(fieldIdsIn(body))];
    const fields = ids.flatMap((id) => mounted.get(id) ?? []);
    // The frame of the number sends: it collects the contents of the others.
    const sender = fields.find(({ kind }) => kind === 'card_number') ?? fields[0];
    if (ids.length === 0)
      throw new FieldsError({ code: 'not_allowed', message: 'The request has no field.' });
    if (sender === undefined || fields.length < ids.length)
      throw new FieldsError({
        code: 'unmounted',
        message: 'A field of the request is not in the page, or of another form.',
      });
    const outcome = await sender.submit({ operation, tokenId, body, key: await key() }, signal);
    if ('result' in outcome) return outcome.result;
    const { fieldIds = [] } = outcome.failure;
    throw new FieldsError(
      withRight(outcome.failure, operation),
      fieldIds.flatMap((id) => mounted.get(id) ?? []),
    );
  }

  return {
    field(kind, fieldOptions = {}) {
      requireKnown(kind, FIELD_KINDS, 'kind of field');
      return new PageField(group, kind, fieldOptions);
    },
    createToken: (token, requestOptions) =>
      submit('create', undefined, token, requestOptions) as Promise<StoredToken>,
    tokenize: <T>(value: T, requestOptions?: RequestOptions) =>
      submit('tokenize', undefined, value, requestOptions) as Promise<Tokenized<T>>,
    update: (id, change, requestOptions) =>
      submit('update', id, change, requestOptions) as Promise<StoredToken>,
    configure,
    unmount() {
      for (const field of [...mounted.values()]) field.unmount();
    },
  };
}
