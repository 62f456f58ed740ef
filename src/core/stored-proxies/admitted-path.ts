import { forbiddenInPath } from '../proxy-expressions/suffix.ts';
import type { ProxyDefinition } from './stored-proxy.ts';

const PATTERN = /^(?:\/[\w\-.~!$&'()+,;=:@]+)*(?:\/\*?)?$/;

/**
 * Why a text cannot be a pattern of paths, as words that follow its name; `undefined` if it can be.
 */
export function patternProblem(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return 'must start with /';
  if (!PATTERN.test(pattern) || forbiddenInPath(pattern.replace(/\/\*$/, '')) !== undefined)
    return 'must be a path such as /charges or /charges/*: with `*` only at the end, for everything below';
  return undefined;
}

/** Whether a pattern has a path, which is empty for the destination itself. */
function covers(pattern: string, suffix: string): boolean {
  if (pattern === '/') return suffix === '';
  if (!pattern.endsWith('/*')) return suffix === pattern;
  const base = pattern.slice(0, -1);
  return suffix.length > base.length && suffix.startsWith(base);
}

/**
 * Whether callers of a proxy may ask for a path, in the spelling in which it is sent. It must not
 * have anything in it that some server would resolve to another path (`forbiddenInPath`).
 */
export const admitsPath = ({ paths }: Pick<ProxyDefinition, 'paths'>, suffix: string): boolean =>
  paths === undefined || paths.some((pattern) => covers(pattern, suffix));
