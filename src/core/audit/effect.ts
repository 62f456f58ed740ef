import type { Change, Form } from './audit-record.ts';

/** A record may contain these members of a token. */
export interface NamedToken {
  readonly id: string;
  readonly containers?: readonly string[] | undefined;
}

/** Describes an effect. It is recorded before the effect happens. */
export interface Effect {
  readonly tokens?: readonly NamedToken[];
  readonly form?: Form;
  readonly change?: Change;
  readonly resource?: string;
  readonly invocation?: string;
  /** Host and port to which the effect leads. */
  readonly host?: string;
  /** True if the effect leaves the service, so that a separate record states how it ended. */
  readonly leaves?: boolean;
}

/**
 * The meaning that a call has for the audit trail. With `none`, it changes nothing, or only
 * internal state of the service. With `finds`, it reads tokens, and those that it returns are
 * reported as found.
 */
export type CallEffect<Args extends readonly unknown[]> = 'none' | 'finds' | ((...args: Args) => Effect);

/**
 * The effect of each call of a port; a missing call does not compile. Every port states it beside
 * its interface. Idempotency records, steps of an accepted invocation and its messages are not
 * effects: their consequences are recorded where they happen.
 */
export type PortEffects<Port> = {
  readonly [Call in keyof Port]: Port[Call] extends (...args: infer Args) => unknown
    ? CallEffect<Args>
    : never;
};
