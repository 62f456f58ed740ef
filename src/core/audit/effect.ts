import type { Change, Form } from './audit-record.ts';

/** The properties of a token that a record can contain. */
export interface NamedToken {
  readonly id: string;
  readonly containers?: readonly string[] | undefined;
}

/** The description of an effect, recorded before the effect happens. */
export interface Effect {
  readonly tokens?: readonly NamedToken[];
  readonly form?: Form;
  readonly change?: Change;
  readonly resource?: string;
  readonly invocation?: string;
  /** Host and port of a destination. */
  readonly host?: string;
  /** The effect leaves the service, so a separate record states how it ended. */
  readonly leaves?: boolean;
}

/**
 * The meaning of a call for the audit trail. `none`: it changes nothing, or only internal state of
 * the service. `finds`: it reads tokens, and those that it returns are reported as found.
 */
export type CallEffect<Args extends readonly unknown[]> = 'none' | 'finds' | ((...args: Args) => Effect);

/**
 * The meaning of each call of a port; a missing call does not compile. Every port states it beside
 * its interface. Idempotency records, steps of an accepted invocation and its messages are no
 * effects: their consequences are recorded where they happen.
 */
export type PortEffects<Port> = {
  readonly [Call in keyof Port]: Port[Call] extends (...args: infer Args) => unknown
    ? CallEffect<Args>
    : never;
};
