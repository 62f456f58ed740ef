import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 bits cannot be guessed while the service runs. */
const CODE_BYTES = 16;

/** A code that opens the console once, in place of the management key. */
export interface SignInCode {
  /** The code that works now, as text for the fragment of an address. */
  current(): string;
  /** Whether this is the code. From then on another one works. */
  take(code: string): boolean;
}

export function isSameSecret(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}

export function createSignInCode(): SignInCode {
  const next = () => randomBytes(CODE_BYTES).toString('base64url');
  let code = next();
  return {
    current: () => code,
    take: (offered) => {
      if (!isSameSecret(offered, code)) return false;
      code = next();
      return true;
    },
  };
}
