import type { Json, JsonObject } from '../../src/core/shared/json.ts';

/** Lists problems by the path of a member, such as `[7].id`. */
export type Places = Readonly<Record<string, readonly string[]>>;

/** The service refused a call, or was not reached (status 0). The message has no value. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  readonly status: number;

  readonly places: Places;

  /** Whether an earlier attempt of the same request may have been done. */
  readonly isRepeated: boolean;

  constructor(status: number, message: string, places: Places = {}, isRepeated = false) {
    super(message);
    this.status = status;
    this.places = places;
    this.isRepeated = isRepeated;
  }
}

/** The tenant of the key, as far as an import needs it. */
export interface TenantState {
  readonly id: string;
  readonly deduplicates: boolean;
}

/** A list shows this of a token; the data is redacted. */
export interface ShownToken {
  readonly id: string;
  readonly type: string;
  readonly containers: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** It is absent if the token has no mask. */
  readonly mask?: Json;
  readonly search_indexes?: readonly string[];
  readonly fingerprint_expression?: string;
}

/** Everything that `import` calls. Each call rejects with {@link CallFailed}. */
export interface ImportService {
  /** `undefined` for a key that may not read its tenant. */
  readonly tenant: () => Promise<TenantState | undefined>;
  /** Creates all tokens or none. Resolves with their ids, in the same order. */
  readonly create: (bodies: readonly JsonObject[]) => Promise<readonly string[]>;
  /** The tokens with these ids that the key sees. */
  readonly find: (ids: readonly string[]) => Promise<readonly ShownToken[]>;
  /** Changes a token by a merge patch. */
  readonly change: (id: string, patch: JsonObject) => Promise<void>;
}
