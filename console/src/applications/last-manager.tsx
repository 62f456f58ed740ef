import type { Action } from '../session/use-session.ts';

/** Whether the service refused a change that takes the last key that can change applications. */
export const takesLastManager = ({ problem }: Action): boolean => problem?.code === 'last_manager';

/** The option of a change: what {@link LastManager} says was shown before it is sent by force. */
export const forceIf = (action: Action) => (takesLastManager(action) ? { force: true } : {});

/** Says what such a change means, before it is sent by force. */
export const LastManager = () => (
  <p>
    <strong>No other key can change applications.</strong> After this, no one can create a key, change what an
    application sees, or take a right away: not you, and not this console. Programs go on with the rights that
    they have. Only an operator of the service can make another management key. Better create a second
    management application first.
  </p>
);
