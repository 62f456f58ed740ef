import type { Grants } from '../../src/core/access/access-rule.ts';
import type { JsonObject } from '../../src/core/shared/json.ts';

/** The application of the key, with everything that decides what the key sees. */
export interface Self {
  readonly id: string;
  readonly tenantId: string;
  readonly name: string;
  readonly grants: Grants;
}

/** The service itself applies this part of a filter. */
export interface ServiceFilter {
  readonly container?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A Token object as a response has it, with the members by which it is filtered and judged. */
export interface ExportedToken {
  readonly id: string;
  readonly type: string;
  readonly containers: readonly string[];
  /** In ms. */
  readonly createdAt: number;
  readonly body: JsonObject;
}

export interface TokenPage {
  readonly tokens: readonly ExportedToken[];
  /** The cursor of the next page; `null` at the end. */
  readonly after: string | null;
}

/** How many tokens the key may read. */
export interface Count {
  readonly tokens: number;
  readonly isLowerBound: boolean;
}

/** The service refused a call, or was not reached (status 0). The message has no value. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Everything that an export calls. Each call rejects with {@link CallFailed}. */
export interface ExportService {
  readonly self: () => Promise<Self>;
  /** Counts without opening the data of any token. */
  readonly count: (filter: ServiceFilter) => Promise<Count>;
  /** A page of at most 100 tokens, newest first; without `after` it is the first one. */
  readonly page: (filter: ServiceFilter, after: string | null) => Promise<TokenPage>;
  /** `undefined` for a token that does not exist any more. */
  readonly token: (id: string) => Promise<ExportedToken | undefined>;
}
