/*
 * A page and its frames exchange these messages. A page writes commands, a frame replies with
 * reports. No report has a value that a person typed, or a part of one, but `bin` and `last4` where
 * the deployment allows them. docs/fields.md#what-each-message-may-say lists every member.
 */

/** Part of every address and message: frames of a new protocol have another one. */
export const PROTOCOL = 'v1';

/** The first message of a page to a frame, sent with the port for everything after it. */
export const HELLO = `cloakroom-fields-${PROTOCOL}`;

/** Means in a request what a person typed: `{ 'cloakroom:field': <id>, part: 'month' }`. */
export const PLACEHOLDER = 'cloakroom:field';

export const FIELD_KINDS = [
  'card_number',
  'card_expiration',
  'card_cvc',
  'account_number',
  'routing_number',
  'text',
] as const;

export type FieldKind = (typeof FIELD_KINDS)[number];

/** The parts of an expiry date; other fields have none. */
export type FieldPart = 'month' | 'year';

/**
 * The brands that a card field knows, by the names of the service. It is the list of the SDK, whose
 * types the package of a page does not have; `brandOf` of a frame does not compile if they differ.
 */
export const FIELD_BRANDS = [
  'visa',
  'mastercard',
  'american-express',
  'discover',
  'diners-club',
  'jcb',
  'unionpay',
  'maestro',
  'elo',
  'mir',
  'rupay',
  'hipercard',
  'hiper',
  'troy',
  'naranja',
  'verve',
] as const;

export type FieldBrand = (typeof FIELD_BRANDS)[number];

/** The properties that a page may set in a frame, each with a value that cannot load anything. */
export const STYLE_PROPERTIES = [
  'backgroundColor',
  'caretColor',
  'color',
  'fontFamily',
  'fontFeatureSettings',
  'fontSize',
  'fontStyle',
  'fontVariantNumeric',
  'fontWeight',
  'letterSpacing',
  'lineHeight',
  'padding',
  'paddingBlock',
  'paddingInline',
  'textAlign',
  'textShadow',
] as const;

export type StyleProperty = (typeof STYLE_PROPERTIES)[number];
export type StyleRules = Readonly<Partial<Record<StyleProperty, string>>>;

/** The states in which a field can look different. A later one of the list wins. */
export const STYLE_STATES = ['base', 'placeholder', 'complete', 'focus', 'invalid', 'disabled'] as const;

export type StyleState = (typeof STYLE_STATES)[number];

export type StyleByState = Readonly<Partial<Record<StyleState, StyleRules>>>;

/** The texts of a field, where the page does not want those of the frame's language. */
export interface FieldTexts {
  /** The field is empty. */
  readonly empty?: string | undefined;
  /** Shown while the text is not whole yet. */
  readonly incomplete?: string | undefined;
  /** Shown if the text can no longer become valid. */
  readonly invalid?: string | undefined;
  /** An expiry date is in the past. */
  readonly past?: string | undefined;
}

/** Options of a field that its page may change at any time. */
export interface FieldOptions {
  /** The accessible name. Default: the name of the kind in the field's language. */
  readonly label?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly texts?: FieldTexts | undefined;
  /** It is a BCP 47 tag, such as `pt-BR`. Default: the language of the element around it. */
  readonly locale?: string | undefined;
  /** Default: the direction of the element around it. */
  readonly direction?: 'ltr' | 'rtl' | undefined;
  readonly disabled?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  /** Shows the brand beside a card number. Default: true. */
  readonly icon?: boolean | undefined;
  /** Hides what is typed, as for a password. */
  readonly conceal?: boolean | undefined;
  /** Sets separators while a person types. Default: true; some keyboards lose the caret by it. */
  readonly format?: boolean | undefined;
  /** Brands that the shop accepts; a number of another one is invalid. Default: all. */
  readonly brands?: readonly FieldBrand[] | undefined;
}

/** The options that a frame gets, with the page's style in its present colour scheme. */
export interface FrameOptions extends FieldOptions {
  readonly scheme: 'light' | 'dark';
  readonly style: StyleByState;
}

/** Options that are decided when a field is made: a later change could find out its content. */
export interface FixedOptions {
  /** Whether an empty field prevents a request. Default: true. */
  readonly required?: boolean | undefined;
  /** A `text` has at most so many characters, up to 1,000. Default: 255. */
  readonly maxLength?: number | undefined;
  /** A phone shows this keyboard for a `text`. */
  readonly inputMode?: (typeof INPUT_MODES)[number] | undefined;
  /** A browser fills this into a `text`. Other fields have the name of their kind. */
  readonly autocomplete?: AutocompleteName | undefined;
}

/** A `text` field may ask for these keyboards. */
export const INPUT_MODES = ['text', 'numeric', 'tel', 'email'] as const;

/** A browser may fill these into a `text` field. */
export const AUTOCOMPLETE_NAMES = [
  'off',
  'name',
  'cc-name',
  // plain-words: HTML's name for it is this.
  'given-name',
  'family-name',
  'email',
  'tel',
  'bday',
  'street-address',
  'postal-code',
] as const;

export type AutocompleteName = (typeof AUTOCOMPLETE_NAMES)[number];

/** All that a page may know of what is in a field. */
export interface FieldState {
  readonly empty: boolean;
  /** Everything that the field needs was typed. It may still be wrong. */
  readonly complete: boolean;
  /** Nothing is wrong so far. A field that is `complete` and `valid` can be sent. */
  readonly valid: boolean;
  /** The first digits of a `card_number` decide it. It is `null` until then, and elsewhere. */
  readonly brand: FieldBrand | null;
  /**
   * The text for the person, in the field's language. It depends on the first three members alone,
   * and on whether an expiry date is in the past.
   */
  readonly message: string;
  /** Once for a complete number, where the setting `fieldsDigits` allows it (PCI DSS 3.4.1). */
  readonly bin?: string;
  readonly last4?: string;
}

/** The data of the first message. Its port comes with it. */
export interface Hello {
  readonly cloakroom: typeof HELLO;
  readonly fieldId: string;
  /** Fields of one `createFields`: a browser's autofill reaches only those. */
  readonly groupId: string;
  readonly kind: FieldKind;
  readonly baseUrl: string | undefined;
  readonly fixed: FixedOptions;
  readonly options: FrameOptions;
}

export type Operation = 'create' | 'tokenize' | 'update';

/** A request that a page lets a frame send, with placeholders where values will be. */
export interface Submission {
  readonly operation: Operation;
  /** An `update` changes this token. */
  readonly tokenId: string | undefined;
  readonly body: unknown;
  readonly key: string;
}

export type Command =
  | { readonly type: 'update'; readonly options: FrameOptions }
  | { readonly type: 'focus' }
  | { readonly type: 'blur' }
  | { readonly type: 'clear' }
  | { readonly type: 'brand'; readonly brand: FieldBrand | null }
  | { readonly type: 'submit'; readonly requestId: string; readonly submission: Submission }
  | { readonly type: 'abort'; readonly requestId: string };

/** Why a request failed, without anything of what was typed. */
export type FieldsErrorCode =
  /** A required field is empty, or a field is incomplete or invalid: `fields` names them. */
  | 'incomplete'
  /** The request asks for something that fields never do: the message says what. */
  | 'not_allowed'
  /** The frames belong to another service than `baseUrl`. */
  | 'wrong_service'
  /** The key is not one for pages, or belongs to a tenant that this page may not write to. */
  | 'wrong_key'
  /** The service refused the request: see `status` and `serviceCode`. */
  | 'refused'
  /** No response of the service is known. The same request again creates no second token. */
  | 'unavailable'
  /** The field is not on the page, or was removed before the response. */
  | 'unmounted'
  /** The frame did not load, or does not accept this page. */
  | 'frame_unavailable'
  /** The browser is older than those that fields work in. */
  | 'browser_unsupported'
  | 'aborted';

export interface Failure {
  readonly code: FieldsErrorCode;
  readonly message: string;
  readonly status?: number;
  /** The service's error has it as its `code`. */
  readonly serviceCode?: string;
  /** The service's logs have the request under this id. */
  readonly traceId?: string;
  /** Ids of the fields that the failure is about. */
  readonly fieldIds?: readonly string[];
}

/** The members of a token that a page gets. None of them was made from its data. */
export interface StoredToken {
  readonly id: string;
  readonly type: string;
  readonly tenant_id: string;
  readonly containers?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly created_at?: string;
  readonly modified_at?: string;
  readonly expires_at?: string;
}

export type Report =
  /** The title is the name of the kind in the field's language. */
  | { readonly type: 'ready' | 'renamed'; readonly title: string }
  | { readonly type: 'change'; readonly state: FieldState }
  | { readonly type: 'focus' | 'blur' | 'enter' }
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'result'; readonly requestId: string; readonly result: unknown }
  | { readonly type: 'failure'; readonly requestId: string; readonly failure: Failure };
