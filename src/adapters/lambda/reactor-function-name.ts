/** Name of a reactor's function. It has at most 64 characters (AWS), of which the id takes 32. */
export function reactorFunctionName(prefix: string, reactorId: string): string {
  return `${prefix}${reactorId.replaceAll('-', '')}`;
}

/** The alias under which a reactor is invoked. */
export const LIVE = 'live';
