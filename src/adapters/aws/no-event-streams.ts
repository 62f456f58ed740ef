/*
 * Replaces `@smithy/core/event-streams` in the bundles (tools/assets/bundle.ts). No operation that
 * the service calls uses it, and it costs 10 % of a cold start
 * (docs/decisions/0013#leave-event-streams-out).
 */

const none = (): never => {
  throw new Error('event streams: no operation of the service has one');
};

/** A client of a service with such operations asks for this when it is created. */
export const eventStreamSerdeProvider = none;

/** Returns the settings of such a client unchanged. */
export const resolveEventStreamSerdeConfig = <Settings>(settings: Settings): Settings => settings;

/** The SDK's own version would read and write events. */
export const EventStreamSerde = none;
