import type { Caller } from '../access/caller.ts';
import type { Budget } from '../expressions/budget.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { renderTemplates } from '../expressions/render.ts';
import type { RunReactorDeps } from '../reactors/run-reactor.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import type { CreatedResult } from '../tokens/created-result.ts';
import { createTokens, type PlacedInput } from '../tokens/create-tokens.ts';
import { TOKEN_TYPE_NAMES, tokenType } from '../tokens/token-type.ts';
import { hasValueAt, valuesOfBody, withValuesAt, type FoundValue } from './json-body.ts';
import { locationText, parseLocation } from './json-location.ts';
import type { Message } from './message.ts';
import type { TokenizeValue } from './stored-proxy.ts';
import type { TransformBudget } from './transform-budget.ts';
import { RefusedPlacesError, TransformError, type RefusedPlace } from './transform-failure.ts';

/** Whose rights the tokens are made with, and what that may cost. */
interface Making {
  readonly acting: Caller;
  readonly writes: WriteIdentity;
  readonly budget: TransformBudget;
}

const typeOf = ({ token }: TokenizeValue) => {
  const name = TOKEN_TYPE_NAMES.find((each) => each === token['type']);
  return name === undefined ? undefined : tokenType(name);
};

/** The data of a token: the value that was found, or what the template makes of it. */
function dataOf(transform: TokenizeValue, { value, location }: FoundValue, budget: Budget): Json {
  const template = transform.token['data'];
  if (template === undefined) return value;
  try {
    const isText = (name: string) => typeOf(transform)?.texts?.includes(name) === true;
    return withDigitsAsText(renderTemplates(template, { found: value }, budget), isText);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const at = locationText(location);
    const message = `\`token.data\` ${error.message}`;
    throw new RefusedPlacesError(new ServiceError('validation_failed', message), [
      { exact: at, listed: transform.location, problem: `${at}: ${message}`, isThere: true },
    ]);
  }
}

/** Numbers that an expression returns, where the type asks for text. */
function withDigitsAsText(data: Json, isText: (name: string) => boolean): Json {
  const asText = (name: string, value: Json): Json =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && isText(name)
      ? String(value)
      : value;
  return isJsonObject(data)
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, asText(name, value)]))
    : asText('', data);
}

/** The token of the value with this number, and the path that an error has in its data. */
const INPUT = /^\[(\d+)\]\.?(.*)$/s;
const DATA = /^data(?=[.[]|$)/;
const ITEMS = /^(?:\[\d+\])+$/;

/**
 * The place in the message that an error of a token is about. Messages of validation have rules and
 * no values; the location of a value has names of the proxy alone, and numbers.
 */
function refusedPlace(
  path: string,
  messages: readonly string[],
  transform: TokenizeValue,
  found: readonly FoundValue[],
): RefusedPlace {
  const [, number = '', member = ''] = INPUT.exec(path) ?? [];
  const place = found[Number(number)];
  const isOfData = DATA.test(member);
  const shown = isOfData ? `data${belowShown(member.replace(DATA, ''), transform)}` : member;
  const at = place === undefined ? '' : `${locationText(place.location)}: `;
  const problem = `${at}${shown} ${messages.join(', ')}`;
  return place === undefined || !isOfData
    ? { exact: member, listed: member, problem, isThere: false }
    : { ...placeOfData(member.replace(DATA, ''), transform, place), problem };
}

/** A path below the data, without a name that the type does not know: the message may have it. */
function belowShown(below: string, transform: TokenizeValue): string {
  const isKnown = typeOf(transform)?.dataMembers?.some((name) => below === `.${name}`) === true;
  return below === '' || ITEMS.test(below) || isKnown ? below : '.*';
}

/** The place of something below the data, which was made of a value. */
function placeOfData(
  below: string,
  transform: TokenizeValue,
  place: FoundValue,
): Omit<RefusedPlace, 'problem'> {
  const at = locationText(place.location);
  // The members of a template are not those of the message.
  if (Object.hasOwn(transform.token, 'data')) return { exact: at, listed: transform.location, isThere: true };
  const parsed = parseLocation(`$${below}`);
  return {
    exact: `${at}${below}`,
    listed: `${transform.location}${belowShown(below, transform)}`,
    isThere: !('problem' in parsed) && hasValueAt(place.value, parsed),
  };
}

async function create(
  deps: RunReactorDeps,
  transform: TokenizeValue,
  found: readonly FoundValue[],
  { acting, writes, budget }: Making,
): Promise<readonly CreatedResult[]> {
  try {
    const placed = found.map((each, at): PlacedInput => {
      const data = dataOf(transform, each, budget.expressions);
      const path = `[${String(at)}]`;
      return { path, input: deps.parseTokenInput({ ...transform.token, data }, path) };
    });
    return await createTokens(deps, acting, placed, writes, budget.expressions);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errors === undefined) throw error;
    throw new RefusedPlacesError(
      error,
      Object.entries(error.errors).map(([path, messages]) => refusedPlace(path, messages, transform, found)),
    );
  }
}

/** Makes a token of each value at the location, all or none. Ids take the places of the values. */
export async function tokenizeValues(
  deps: RunReactorDeps,
  transform: TokenizeValue,
  message: Message,
  making: Making,
): Promise<Message> {
  const { location, optional = false } = transform;
  const isText = (name: string): boolean =>
    !Object.hasOwn(transform.token, 'data') && typeOf(transform)?.texts?.includes(name) === true;
  const found = valuesOfBody(message, location, making.budget, isText);
  if (found.length === 0) {
    if (optional) return message;
    throw new TransformError('the body has no value at its location');
  }
  const results = await create(deps, transform, found, making);
  const edits = found.map((place, at) => {
    const result = results[at];
    if (result === undefined) throw new Error('proxy: a token was lost');
    return { place, value: 'token' in result ? result.token.id : result.id };
  });
  return withValuesAt(message, edits);
}
