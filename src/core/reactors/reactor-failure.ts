import { defined } from '../shared/defined.ts';
import { DEPTH_MAX, MEMBERS_MAX_TEXT } from '../shared/json-extent.ts';
import { ServiceError, type FieldErrors, type ServiceErrorCode } from '../shared/service-error.ts';
import { AUTHOR_PACKAGES, SDK } from './author-packages.ts';
import type { Image } from './layer.ts';
import type { LoadFailure, RanOutcome, ThrownError, ThrownPlace } from './reactor-runner.ts';

/**
 * Statuses that code may choose by throwing an error of a certain form
 * (docs/contract.md#errors-of-the-code).
 */
const BY_STATUS: Readonly<Record<number, ServiceErrorCode>> = {
  400: 'validation_failed',
  401: 'unauthenticated',
  402: 'payment_required',
  403: 'forbidden',
  429: 'too_many_requests',
  500: 'reactor_failed',
  503: 'dependency_unavailable',
};

/** `Retry-After` if the code sets none, in seconds. */
const RETRY_AFTER_SECONDS = '5';

/** Most paths that `errors` may have, whatever the code put there. */
const PATHS_MAX = 100;

function fieldErrors(errors: ThrownError['errors']): FieldErrors | undefined {
  const entries = Object.entries(errors ?? {}).slice(0, PATHS_MAX);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function describePosition(line: number | undefined, column: number | undefined): string {
  const isKnown = line !== undefined && column !== undefined;
  return isKnown ? ` at line ${String(line)}, column ${String(column)}` : '';
}

/** Returns words such as ` at line 3, column 18`, and those about a package of a bundle. */
function describePlace(thrown: ThrownPlace): string {
  const { line, column, package: name, package_line: packageLine, package_column: packageColumn } = thrown;
  const inPackage =
    name === undefined
      ? ''
      : `, in the package ${name}${describePosition(packageLine, packageColumn)} of its bundle`;
  return `${describePosition(line, column)}${inPackage}`;
}

/** Returns words such as `threw a TypeError at line 3, column 18`. */
function describeThrown(thrown: ThrownPlace): string {
  const { class: name = 'Error' } = thrown;
  const article = /^([AEIO]|Un)/i.test(name) ? 'an ' : 'a ';
  const what = name === 'undefined' || name === 'null' ? name : `${article}${name}`;
  return `threw ${what}${describePlace(thrown)}`;
}

const PACKAGES = [SDK, ...AUTHOR_PACKAGES.map(({ name }) => name)].join(', ');

function describeRefusal(module: string | undefined, place: string): string {
  if (module === undefined)
    return `requires something${place} that is neither a package nor a part of Node.js: a reactor is one file`;
  const what = `requires '${module}'${place}`;
  // An import would load Node's source maps at every start.
  if (process.getBuiltinModule('node:module').isBuiltin(module))
    return `${what}, a part of Node.js that reactors may not use`;
  return `${what}, which is not among the packages of reactors: ${PACKAGES}`;
}

/** The message of V8 for code that calls `fetch`, which Node.js has from version 18 on. */
const NO_FETCH = 'fetch is not defined';

const adviceOn = ({ class: name, message }: ThrownError, image: Image): string =>
  image === 'node16' && name === 'ReferenceError' && message === NO_FETCH
    ? ' Node.js 16 has no fetch: require node-fetch or axios instead.'
    : '';

function thrownFailure(thrown: ThrownError, image: Image): ServiceError {
  const { status, message, errors, module, ...place } = thrown;
  const code = status === null ? undefined : BY_STATUS[status];
  if (code === undefined) {
    // The message and stack of any other error may contain data, so the caller sees neither.
    const what =
      module === undefined
        ? describeThrown(place)
        : describeRefusal(module ?? undefined, describePlace(place));
    return new ServiceError('reactor_failed', `The code ${what}.${adviceOn(thrown, image)}`);
  }
  const reported = fieldErrors(errors);
  // Responses with 429 and 503 have a `Retry-After` header (docs/contract.md#errors).
  const isToRepeat = code === 'too_many_requests' || code === 'dependency_unavailable';
  const headers = isToRepeat ? { 'Retry-After': RETRY_AFTER_SECONDS } : undefined;
  const detail = message === '' ? `The code ${describeThrown(place)}.` : message;
  return new ServiceError(code, detail, defined({ headers, errors: reported }));
}

/** The errors of the language. A class with another name has the name that the code chose. */
const CLASSES = [
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
];

/**
 * Describes the error that code threw, without the names that it chose while it ran: one may be a
 * value of its arguments, for readers who may not see them.
 */
export function withoutChosenNames(thrown: ThrownError): ThrownError {
  const { class: name, module, package: _, package_line: __, package_column: ___, ...rest } = thrown;
  const known = name !== undefined && CLASSES.includes(name) ? name : 'Error';
  return { ...rest, class: known, ...(module !== undefined && { module: null }) };
}

function describeLoadFailure({ reason, error = {}, module }: LoadFailure): string {
  switch (reason) {
    case 'syntax':
      return 'has a syntax error';
    case 'no_function':
      return 'does not export a function by module.exports';
    case 'timed_out':
      return 'takes too long to load';
    case 'memory':
      return 'uses more memory than it has while it loads';
    case 'exited':
      return 'ends the process while it loads';
    case 'threw':
      return `${describeThrown(error)} while it loaded`;
    case 'module':
      return describeRefusal(module, '');
    case undefined:
      return 'does not load, or does not export a function by module.exports';
  }
}

/** How code was run: with this time limit in ms, on this image. */
export interface RunKind {
  readonly limitMs: number;
  readonly image: Image;
}

/** The error for a run that did not return a value. */
export function reactorFailure(
  outcome: Exclude<RanOutcome, { readonly outcome: 'returned' }>,
  { limitMs, image }: RunKind,
): ServiceError {
  switch (outcome.outcome) {
    case 'threw':
      return thrownFailure(outcome.error.reveal(), image);
    case 'not_loaded':
      return new ServiceError('reactor_not_loaded', `The code ${describeLoadFailure(outcome)}.`);
    case 'timed_out':
      return new ServiceError(
        'reactor_failed',
        `The code ran longer than its limit of ${String(limitMs)} ms, part of which its start may have taken.`,
      );
    case 'out_of_memory':
      return new ServiceError('reactor_failed', 'The code used more memory than it has.');
    case 'exited':
      return new ServiceError('reactor_failed', 'The code ended without a response.');
    case 'unknown':
      return new ServiceError(
        'dependency_unavailable',
        'The service that runs the code sent no response: it is not known whether the code ran.',
        { headers: { 'Retry-After': RETRY_AFTER_SECONDS } },
      );
    case 'too_large':
      return new ServiceError(
        'reactor_failed',
        `The result is larger than 5 MB, or contains more than ${MEMBERS_MAX_TEXT}.`,
      );
    case 'unserializable':
      return new ServiceError(
        'reactor_failed',
        `The result cannot be written as JSON, or is nested deeper than ${String(DEPTH_MAX)} levels.`,
      );
  }
}
