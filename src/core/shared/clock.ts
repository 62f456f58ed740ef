/** Returns the current time in ms since the epoch. It is a port so that tests can move the time. */
export type Clock = () => number;
