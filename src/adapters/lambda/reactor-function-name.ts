/** Name of a reactor's function: 64 characters at most (AWS), of which the id takes 32. */
export function reactorFunctionName(prefix: string, reactorId: string): string {
  return `${prefix}${reactorId.replaceAll('-', '')}`;
}

/** The alias under which a reactor is invoked. */
export const LIVE = 'live';
