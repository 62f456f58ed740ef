import { CONTAINER_FORM, parseContainer, type Container } from '../shared/container.ts';
import { FieldReporter, type Report } from '../shared/field-reporter.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { shownName, unknownName } from '../shared/known-names.ts';
import type { Timestamp } from '../shared/timestamp.ts';
import { parseExpiration } from './expiration.ts';
import { TOKEN_LIMITS } from './token-details.ts';
import type { TokenType } from './types/definition.ts';

/**
 * Reports members that the type does not define. The type's own check drops them without a report.
 */
export function reportDataMembers(
  { dataMembers }: TokenType,
  data: Json | undefined,
  fields: FieldReporter,
): void {
  if (dataMembers === undefined || !isJsonObject(data)) return;
  for (const name of Object.keys(data)) {
    if (!fields.hasRoom) return;
    if (!dataMembers.includes(name)) fields.report(`data.${shownName(name)}`, unknownName(name, dataMembers));
  }
}

/** Throws `validation_failed` for members that the type does not define. */
export function checkDataMembers(type: TokenType, data: Json | undefined): void {
  const fields = new FieldReporter();
  reportDataMembers(type, data, fields);
  fields.throwIfFailed();
}

/**
 * The containers in their stored form: lower case, without duplicates. If the request names none,
 * the defaults of the type apply.
 */
export function checkContainers(
  requested: readonly string[] | undefined,
  defaults: readonly Container[],
  report: Report,
): readonly Container[] {
  if (requested === undefined || requested.length === 0) return defaults;
  const containers = new Set<Container>();
  requested.forEach((text, index) => {
    const container = parseContainer(text);
    if (container === undefined) report(`containers[${String(index)}]`, CONTAINER_FORM);
    else containers.add(container);
  });
  if (containers.size > TOKEN_LIMITS.containers)
    report('containers', `must be at most ${String(TOKEN_LIMITS.containers)}`);
  return [...containers];
}

/** Parses an expiration. Reports a text that is not a date-time, or that is in the past. */
export function checkExpiration(
  text: string | undefined,
  now: number,
  report: Report,
): Timestamp | undefined {
  if (text === undefined) return undefined;
  const expiration = parseExpiration(text);
  if (expiration === undefined) {
    report('expires_at', 'must be a date-time in ISO 8601, M/D/YYYY h:mm:ss AM|PM ±hh:mm, or M/D/YYYY');
  } else if (expiration.at <= now) {
    report('expires_at', 'must be in the future');
  }
  return expiration;
}
