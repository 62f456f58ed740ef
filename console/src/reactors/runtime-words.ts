import type { ReactorRuntime } from '../sdk.ts';

/** Describes where a reactor runs, with all that asks for a change. */
export const runtimeWords = ({ image, status, outdated }: ReactorRuntime): string =>
  [image, ...(status === 'current' ? [] : [status]), ...(outdated ? ['outdated'] : [])].join(', ');
