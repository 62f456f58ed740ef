import type { Vault } from './vault.ts';

/** What a matcher of jest and vitest returns. */
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
  /** The trail says that the plaintext of the token was shown to the application. Await it. */
  toHaveBeenRevealedTo(application: NamedApplication): Promise<R>;
}

/** Matchers as `expect.extend` takes them: a type, since those of an interface have no index. */
export type MatcherFunctions = {
  toBeToken(received: unknown, type?: string): MatcherResult;
  toHaveBeenRevealedTo(received: unknown, application: NamedApplication): Promise<MatcherResult>;
};

const idOf = (received: unknown): string | undefined => {
  if (typeof received === 'string') return received;
  if (typeof received !== 'object' || received === null || !('id' in received)) return undefined;
  return typeof received.id === 'string' ? received.id : undefined;
};

/** What a message shows of the received value, which may be plaintext. */
const shown = (id: string | undefined, isToken: boolean): string =>
  isToken ? `token ${String(id)}` : 'the received value';

/**
 * Matchers for jest and vitest.
 * @example expect.extend(vaultMatchers(vault));
 */
export function vaultMatchers(vault: Pick<Vault, 'typeOf' | 'logs'>): MatcherFunctions {
  return {
    toBeToken(received, type) {
      const id = idOf(received);
      const found = id === undefined ? undefined : vault.typeOf(id);
      const pass = found !== undefined && (type === undefined || found === type);
      const wanted = type === undefined ? 'a token of the vault' : `a token of the type ${type}`;
      const is = found === undefined ? 'it is none' : `its type is ${found}`;
      return {
        pass,
        message: () =>
          pass
            ? `expected ${shown(id, true)} not to be ${wanted}`
            : `expected ${shown(id, found !== undefined)} to be ${wanted}: ${is}`,
      };
    },

    async toHaveBeenRevealedTo(received, application) {
      const id = idOf(received);
      const applicationId = typeof application === 'string' ? application : application.id;
      let pass = false;
      if (id !== undefined && vault.typeOf(id) !== undefined)
        for await (const { tokens = [], application_id: by } of vault.logs.list({ token_id: id }))
          pass ||= by === applicationId && tokens.some((token) => token.id === id && token.form === 'reveal');
      const isToken = id !== undefined && vault.typeOf(id) !== undefined;
      return {
        pass,
        message: () =>
          `expected ${shown(id, isToken)} ${pass ? 'not ' : ''}to have been revealed to the application ${applicationId}`,
      };
    },
  };
}
