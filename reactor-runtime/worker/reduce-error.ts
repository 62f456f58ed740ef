import { brandOf } from '../../packages/sdk/src/brand.ts';
import { ERROR_BOUNDS, MODULE_NAME_MAX } from '../worker-message.ts';
import { hasOwnMember, memberOf } from './hostile-member.ts';
import { isArray, isInteger, keysOf, slice, stringifyJson } from './primordials.ts';
import { thrownPlace, type CodeFiles } from './thrown-place.ts';

function keysOfHostile(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  try {
    return isArray(value) ? [] : keysOf(value);
  } catch {
    return [];
  }
}

/** The JSON of a string, truncated; JSON.stringify looks for `toJSON` only on objects. */
const quoted = (text: unknown, length: number): string =>
  stringifyJson(typeof text === 'string' ? slice(text, 0, length) : '');

function messagesOf(value: unknown): string {
  let json = '';
  for (let at = 0; at < ERROR_BOUNDS.messages; at += 1) {
    const message = memberOf(value, at);
    if (typeof message === 'string')
      json += `${json === '' ? '' : ','}${quoted(message, ERROR_BOUNDS.message)}`;
  }
  return `[${json}]`;
}

/** The map of field to messages in the SDK's error classes; `null` without one. */
function errorsOf(thrown: unknown): string {
  const errors = memberOf(thrown, 'errors');
  const fields = keysOfHostile(errors);
  let json = '';
  for (let at = 0; at < fields.length && at < ERROR_BOUNDS.fields; at += 1) {
    const field = fields[at] ?? '';
    const messages = memberOf(errors, field);
    let isList = false;
    try {
      isList = isArray(messages);
    } catch {
      // A revoked proxy.
    }
    if (!isList) continue;
    json += `${json === '' ? '' : ','}${quoted(field, ERROR_BOUNDS.field)}:${messagesOf(messages)}`;
  }
  return json === '' ? 'null' : `{${json}}`;
}

const API_ERROR = brandOf('ApiError');

/**
 * Whether the author chose the response (docs/reactors.md#errors). HTTP clients' errors have
 * another service's `status`; an `ApiError` has both members, about the code's own use of `req.bt`.
 */
const isChosen = (thrown: unknown): boolean =>
  hasOwnMember(thrown, 'status') &&
  hasOwnMember(thrown, 'errors') &&
  memberOf(thrown, API_ERROR) === undefined;

/** The refused module as JSON members; its name may have any length. */
export function moduleMember(refused: string | undefined): string {
  // One character over the limit of a name, so that the loop sees that it is no name.
  return refused === undefined ? '' : `,"module":${quoted(refused, MODULE_NAME_MAX + 1)}`;
}

/**
 * The thrown value, of any kind, as the JSON that the loop expects: bounded, without a stack, read
 * only from its data. `refused`: the refused module, if that is why it threw.
 */
export function reduceError(thrown: unknown, files: CodeFiles, refused: string | undefined): string {
  const isOfAuthor = isChosen(thrown);
  const status = isOfAuthor ? memberOf(thrown, 'status') : undefined;
  const message = typeof thrown === 'string' ? thrown : memberOf(thrown, 'message');
  return (
    `{${thrownPlace(thrown, files)}${moduleMember(refused)},"message":${quoted(message, ERROR_BOUNDS.message)}` +
    `,"status":${isInteger(status) ? stringifyJson(status) : 'null'}` +
    `,"errors":${isOfAuthor ? errorsOf(thrown) : 'null'}}`
  );
}
