import type { Vault } from './vault.ts';

/** A matcher of jest and vitest returns this. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Names an application by itself or by its id. */
export type NamedApplication = string | { readonly id: string };

/** Matchers as a test calls them. */
export interface VaultMatchers<R = unknown> {
  /** The value is a token of the vault, or its id; with a type, a token of this type. */
  toBeToken(type?: string): R;
  /**
   * The trail says that the application has read the plaintext of the token. Await it. The response
   * to the creation of a token is no such read.
   */
  toHaveBeenRevealedTo(application: NamedApplication): Promise<R>;
}

/** Matchers as `expect.extend` takes them: a type, since those of an interface have no index. */
export type MatcherFunctions = {
  toBeToken(received: unknown, ...type: readonly [type?: string]): MatcherResult;
  toHaveBeenRevealedTo(received: unknown, application: NamedApplication): Promise<MatcherResult>;
};

const idOf = (received: unknown): string | undefined => {
  if (typeof received === 'string') return received;
  if (typeof received !== 'object' || received === null || !('id' in received)) return undefined;
  return typeof received.id === 'string' ? received.id : undefined;
};

/** The id of a token. Throws for anything else, so that `not` does not pass by mistake. */
function tokenOf(vault: Pick<Vault, 'typeOf'>, received: unknown): string {
  const id = idOf(received);
  if (id === undefined || vault.typeOf(id) === undefined)
    throw new TypeError('the received value is no token of the vault, and no id of one');
  return id;
}

function applicationOf(vault: Pick<Vault, 'hasApplication'>, application: unknown): string {
  const id = idOf(application);
  if (id === undefined || !vault.hasApplication(id))
    throw new TypeError('the expected value is no application of the vault, and no id of one');
  return id;
}

/**
 * Matchers for jest and vitest.
 * @example expect.extend(vaultMatchers(vault));
 */
export function vaultMatchers(vault: Pick<Vault, 'typeOf' | 'hasApplication' | 'logs'>): MatcherFunctions {
  return {
    toBeToken(received, ...types) {
      const [type] = types;
      // A type that a test meant to set, and did not, would make any token right.
      if (types.length > 0 && typeof type !== 'string')
        throw new TypeError('the expected type is no text: name one, or leave it out');
      const id = idOf(received);
      const found = id === undefined ? undefined : vault.typeOf(id);
      const pass = found !== undefined && (type === undefined || found === type);
      const wanted = type === undefined ? 'a token of the vault' : `a token of the type ${type}`;
      // The received value may be plaintext.
      const shown = found === undefined ? 'the received value' : `token ${String(id)}`;
      const is = found === undefined ? 'it is none' : `its type is ${found}`;
      return {
        pass,
        message: () => `expected ${shown} ${pass ? 'not ' : ''}to be ${wanted}: ${is}`,
      };
    },

    async toHaveBeenRevealedTo(received, application) {
      const id = tokenOf(vault, received);
      const applicationId = applicationOf(vault, application);
      let pass = false;
      for await (const { tokens = [], application_id: by } of vault.logs.list({
        token_id: id,
        application_id: applicationId,
      })) {
        pass = by === applicationId && tokens.some((token) => token.id === id && token.form === 'reveal');
        if (pass) break;
      }
      const not = pass ? 'not ' : '';
      return {
        pass,
        message: () => `expected token ${id} ${not}to have been revealed to the application ${applicationId}`,
      };
    },
  };
}
