/** Returns the day of a time in ms since the epoch, as YYYY-MM-DD, in UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
