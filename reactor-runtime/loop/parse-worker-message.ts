import { ERROR_BOUNDS, MAX_RESULT_BYTES, MESSAGE, MODULE_NAME_MAX } from '../worker-message.ts';
import { JsonExtentError, membersOf } from '../../src/core/shared/json-extent.ts';
import { outcome, type LoadFailure, type ThrownPlace } from './outcome.ts';
import type { PackageAt } from './own-packages.ts';

/** The longest accepted message, in UTF-16 units: no honest worker sends a longer one. */
export const MAX_MESSAGE = MAX_RESULT_BYTES + 1;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bounded = (value: unknown, length: number): string =>
  typeof value === 'string' ? value.slice(0, length) : '';

function boundedErrors(value: unknown): Record<string, readonly string[]> | null {
  if (!isRecord(value)) return null;
  const fields = Object.entries(value).slice(0, ERROR_BOUNDS.fields);
  const bounds = fields.map(([field, messages]) => [
    field.slice(0, ERROR_BOUNDS.field),
    (Array.isArray(messages) ? (messages as unknown[]) : [])
      .slice(0, ERROR_BOUNDS.messages)
      .map((message) => bounded(message, ERROR_BOUNDS.message)),
  ]);
  return Object.fromEntries(bounds) as Record<string, readonly string[]>;
}

/** More members than an honest error has. */
const OF_AN_ERROR = { membersMax: 1_000, depthMax: 4 } as const;

/**
 * The error, within its bounds: 5 MB of JSON can become more objects than this process has memory
 * for.
 */
function parsedError(json: string): unknown {
  try {
    membersOf(json, OF_AN_ERROR);
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

const CLASS_NAME = /^[A-Za-z_$][\w$]*$/;
/** Code of 50,000 characters has no larger line or column, and packages of 4 MB none of these. */
const PLACE_MAX = 50_001;
const PACKAGE_PLACE_MAX = 4_000_001;
const isPlace = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;

/** Names the package at a position of the text of all packages. */
function packagePlace(
  { package_line: line, package_column: column }: Record<string, unknown>,
  packageAt: PackageAt,
): Partial<ThrownPlace> {
  if (!isPlace(line, PACKAGE_PLACE_MAX) || !isPlace(column, PACKAGE_PLACE_MAX)) return {};
  const name = packageAt(line, column);
  return name === undefined ? {} : { package: name, package_line: line, package_column: column };
}

/** Accepts only an identifier and small numbers, because code can change its errors. */
function placeOf(thrown: Record<string, unknown>, packageAt: PackageAt): ThrownPlace {
  const { class: name, line, column } = thrown;
  const isName = typeof name === 'string' && name.length <= ERROR_BOUNDS.class && CLASS_NAME.test(name);
  return {
    class: isName ? name : 'Error',
    ...(isPlace(line, PLACE_MAX) && isPlace(column, PLACE_MAX) && { line, column }),
    ...packagePlace(thrown, packageAt),
  };
}

/** The name of a package, a path in one, or a built-in. */
const MODULE_NAME = /^(node:)?(@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(\/[\w~-][\w.~-]*)*$/;

const isModuleName = (module: unknown): module is string =>
  typeof module === 'string' && module.length <= MODULE_NAME_MAX && MODULE_NAME.test(module);

function loadFailureOf(
  { reason, module, ...thrown }: Record<string, unknown>,
  packageAt: PackageAt,
): LoadFailure | undefined {
  switch (reason) {
    case 'syntax':
    case 'no_function':
      return { reason };
    case 'threw':
      return { reason, error: placeOf(thrown, packageAt) };
    case 'module':
      return isModuleName(module) ? { reason, module } : { reason };
    default:
      return undefined;
  }
}

/** A worker's message about loading; `undefined` for any other. */
export function readLoaded(message: string, packageAt: PackageAt): 'loaded' | LoadFailure | undefined {
  if (message === MESSAGE.loaded) return 'loaded';
  const failure = message.startsWith(MESSAGE.notLoaded) ? parsedError(message.slice(1)) : undefined;
  return isRecord(failure) ? loadFailureOf(failure, packageAt) : undefined;
}

function threw(json: string, packageAt: PackageAt): string | undefined {
  const error = parsedError(json);
  if (!isRecord(error)) return undefined;
  const { message, status, errors, module } = error;
  return JSON.stringify({
    outcome: 'threw',
    error: {
      ...placeOf(error, packageAt),
      ...(module !== undefined && { module: isModuleName(module) ? module : null }),
      message: bounded(message, ERROR_BOUNDS.message),
      status: Number.isSafeInteger(status) ? status : null,
      errors: boundedErrors(errors),
    },
  });
}

const EXCESS = { depth: 'unserializable', members: 'too_large' } as const;

function returned(json: string): string | undefined {
  if (json === '') return '{"outcome":"returned"}';
  if (Buffer.byteLength(json) > MAX_RESULT_BYTES) return outcome('too_large');
  // Checked although it is passed on unchanged: a text of more than one JSON value could add
  // members to the response.
  try {
    membersOf(json);
    return `{"outcome":"returned","value":${json}}`;
  } catch (error) {
    return error instanceof JsonExtentError ? outcome(EXCESS[error.exceeds]) : undefined;
  }
}

/**
 * Returns the body of the response. Returns `undefined` for a message that is no response: the
 * invocation continues.
 */
export function parseWorkerMessage(message: string, packageAt: PackageAt): string | undefined {
  switch (message.charAt(0)) {
    case MESSAGE.returned:
      return returned(message.slice(1));
    case MESSAGE.threw:
      return threw(message.slice(1), packageAt);
    case MESSAGE.tooLarge:
      return outcome('too_large');
    case MESSAGE.unserializable:
      return outcome('unserializable');
    default:
      return undefined;
  }
}
