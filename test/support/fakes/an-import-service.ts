import {
  CallFailed,
  type ImportService,
  type ShownToken,
  type TenantState,
} from '../../../bin/import/service.ts';
import { describedBy } from '../../../bin/import/send/described.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/shared/json.ts';

export interface StoredToken extends ShownToken {
  readonly body: JsonObject;
  /** How often a request created it, which must be once. */
  readonly creations: number;
}

export type CallName = 'create' | 'find' | 'change';

interface Behaviour {
  /** Whether a 409 and a 400 name places. */
  readonly namesPlaces?: boolean;
  readonly mayRead?: boolean;
  readonly tenant?: TenantState;
  /** Rows that it refuses, although the checks of the command accept them. */
  readonly refuses?: (body: JsonObject) => boolean;
  /** Rejects before a call has an effect, or after it. */
  readonly around?: (call: CallName, at: 'before' | 'after') => void;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const metadataOf = (body: JsonObject): Record<string, string> =>
  isJsonObject(body['metadata']) ? (body['metadata'] as Record<string, string>) : {};

/** A service of tokens alone: it creates all of a request or none, under ids that are new. */
export class FakeImportService implements ImportService {
  readonly tokens = new Map<string, StoredToken>();

  behaviour: Behaviour;

  constructor(behaviour: Behaviour = {}) {
    this.behaviour = behaviour;
  }

  readonly tenant = (): Promise<TenantState | undefined> => Promise.resolve(this.behaviour.tenant);

  readonly create = (bodies: readonly JsonObject[]): Promise<readonly string[]> =>
    this.#call('create', () => {
      const { namesPlaces = true, refuses = () => false } = this.behaviour;
      const failed = (status: number, matches: (body: JsonObject) => boolean) => {
        const places = bodies.flatMap((body, at) =>
          matches(body) ? [[`[${String(at)}].id`, ['is refused']] as const] : [],
        );
        if (places.length > 0)
          throw new CallFailed(status, 'refused', namesPlaces ? Object.fromEntries(places) : {});
      };
      failed(400, refuses);
      failed(409, ({ id }) => this.tokens.has(textOf(id)));
      return bodies.map((body) => {
        const id = textOf(body['id']);
        const token = {
          id,
          ...describedBy(body),
          metadata: metadataOf(body),
        };
        this.tokens.set(id, { ...token, body, creations: (this.tokens.get(id)?.creations ?? 0) + 1 });
        return id;
      });
    });

  readonly find = (ids: readonly string[]): Promise<readonly ShownToken[]> =>
    this.#call('find', () => {
      if (this.behaviour.mayRead === false) throw new CallFailed(403, 'forbidden');
      return ids.flatMap((id) => this.tokens.get(id) ?? []);
    });

  readonly change = (id: string, patch: JsonObject): Promise<void> =>
    this.#call('change', () => {
      const token = this.tokens.get(id);
      if (token === undefined) throw new CallFailed(404, 'not found');
      this.tokens.set(id, { ...token, body: { ...token.body, ...patch } });
    });

  async #call<T>(name: CallName, act: () => T): Promise<T> {
    const { around } = this.behaviour;
    await Promise.resolve();
    around?.(name, 'before');
    const result = act();
    around?.(name, 'after');
    return result;
  }
}
