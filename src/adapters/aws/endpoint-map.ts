/*
 * Replaces `mnemonist/lru-cache` in the bundles (tools/assets/bundle.ts). The client of DynamoDB
 * would store discovered endpoints in it, which it does not use, and 10 KB are read at each start
 * for it (docs/decisions/0013#leave-event-streams-out).
 */

/** A map without a limit: a client that discovers endpoints has one entry for its credentials. */
export default class EndpointMap<Key, Value> extends Map<Key, Value> {
  /** Takes a capacity, as the class that it replaces does. */
  constructor(_capacity?: number) {
    super();
  }

  peek(key: Key): Value | undefined {
    return this.get(key);
  }
}
