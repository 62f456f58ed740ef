/** The current time in milliseconds since the epoch. A port, so that an hour can pass in a test. */
export type Clock = () => number;
