/*
 * Stands in the bundles for `@smithy/core/event-streams` (lib/bundle.ts). No operation that the
 * service calls sends or answers events. The SDK imports that module late, which makes the bundler
 * wrap all that it shares with the rest of the SDK into functions, 10 % of a cold start
 * (docs/decisions/0039).
 */

const none = (): never => {
  throw new Error('event streams: no operation of the service has one');
};

/** What a client of a service that has such operations asks for when it is made. */
export const eventStreamSerdeProvider = none;

/** Leaves the settings of such a client as they are. */
export const resolveEventStreamSerdeConfig = <Settings>(settings: Settings): Settings => settings;

/** What would read and write events. */
export const EventStreamSerde = none;
