/** The schemes by which partners sign requests. */
export const SIGNATURE_SCHEMES = ['standard_webhooks', 'stripe', 'github', 'hmac'] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

export const HMAC_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const;
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const;
export const KEY_ENCODINGS = ['utf8', 'hex', 'base64'] as const;

/** Most and least seconds between a signed time and now. */
export const TOLERANCE_SECONDS = { default: 300, max: 3_600 } as const;

/** How a partner signs that follows none of the named schemes. */
export interface HmacSignature {
  readonly scheme: 'hmac';
  /** Names the header that has the signature. */
  readonly header: string;
  readonly algorithm: (typeof HMAC_ALGORITHMS)[number];
  readonly encoding: (typeof SIGNATURE_ENCODINGS)[number];
  /** How the secret is written; by default as the text that it is. */
  readonly keyEncoding?: (typeof KEY_ENCODINGS)[number];
  /** Stands before the signature, such as `sha256=`. */
  readonly prefix?: string;
  /** The signed text (`signed-text.ts`); by default the body. */
  readonly signed?: string;
  /** The header with the time, in seconds since the epoch, and how far it may be from now. */
  readonly timestamp?: { readonly header: string; readonly toleranceSeconds?: number };
  /** Identifies a delivery; by default the hash of the body. */
  readonly delivery?: 'body' | { readonly header: string };
}

/** How a partner signs requests. */
export type Signature = { readonly scheme: Exclude<SignatureScheme, 'hmac'> } | HmacSignature;
