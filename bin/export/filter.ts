import { parseIsoTimestamp, formatTimestamp } from '../../src/core/shared/timestamp.ts';
import { notOneOf } from '../../src/core/shared/known-names.ts';
import { TOKEN_TYPE_NAMES } from '../../src/core/tokens/token-type.ts';
import { UsageError } from '../command-line/failures.ts';
import type { ExportedToken, ServiceFilter } from './service.ts';

/**
 * Which tokens an export has. A list of the service has no filter by type or time, so the command
 * filters by these.
 */
export interface ExportFilter extends ServiceFilter {
  readonly types?: readonly string[];
  /** In ms; a token of this time is in. */
  readonly createdAfter?: number;
  /** In ms; a token of this time is out, so that periods adjoin. */
  readonly createdBefore?: number;
}

/** The options of a filter, as commander names them. */
export interface FilterFlags {
  readonly container?: string;
  readonly type?: readonly string[];
  readonly metadata?: readonly (readonly [name: string, value: string])[];
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

/** Parses the value of `--type`. */
export function typeOf(text: string): string {
  const problem = notOneOf(text, TOKEN_TYPE_NAMES);
  if (TOKEN_TYPE_NAMES.some((name) => name === text)) return text;
  throw new UsageError(`--type ${problem}`);
}

/** Parses a time of an option, in ISO 8601. */
export const timeOf =
  (option: string) =>
  (text: string): number => {
    const time = parseIsoTimestamp(text);
    if (time !== undefined) return time.at;
    throw new UsageError(`--${option} must be a date or a time such as 2026-12-01T00:00:00Z`);
  };

/**
 * The service reads only the first of two pairs with one name, so the filter would be wider than
 * asked for.
 */
function metadataOf(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const names = pairs.map(([name]) => name.toLowerCase());
  if (new Set(names).size < names.length) throw new UsageError('--metadata names a pair twice');
  return Object.fromEntries(pairs);
}

/**
 * Throws {@link UsageError} for a filter that no token can match, or that the service would not
 * apply as a whole.
 */
export function filterOf(flags: FilterFlags): ExportFilter {
  const { container, type, metadata, createdAfter, createdBefore } = flags;
  if (createdAfter !== undefined && createdBefore !== undefined && createdAfter >= createdBefore)
    throw new UsageError('--created-after must be earlier than --created-before');
  return {
    ...(container !== undefined && { container }),
    ...(type !== undefined && { types: [...new Set(type)].toSorted() }),
    ...(metadata !== undefined && { metadata: metadataOf(metadata) }),
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore }),
  };
}

/** The part of a filter that the service applies. */
export const serviceFilterOf = ({ container, metadata }: ExportFilter): ServiceFilter => ({
  ...(container !== undefined && { container }),
  ...(metadata !== undefined && { metadata }),
});

/** Whether a token is older than all tokens of an export. A list has the newest first. */
export const isTooOld = ({ createdAfter }: ExportFilter, { createdAt }: ExportedToken): boolean =>
  createdAfter !== undefined && createdAt < createdAfter;

/** Whether the command's own part of a filter lets a token pass. */
export const passes = ({ types, createdBefore }: ExportFilter, token: ExportedToken): boolean =>
  (types === undefined || types.includes(token.type)) &&
  (createdBefore === undefined || token.createdAt < createdBefore);

/** A filter as a manifest has it. */
export function filterAsJson(filter: ExportFilter) {
  const { types, createdAfter, createdBefore } = filter;
  return {
    ...serviceFilterOf(filter),
    ...(types !== undefined && { types: [...types] }),
    ...(createdAfter !== undefined && { created_after: formatTimestamp(createdAfter) }),
    ...(createdBefore !== undefined && { created_before: formatTimestamp(createdBefore) }),
  };
}
