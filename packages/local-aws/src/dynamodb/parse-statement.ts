import { validationFailure } from './failures.ts';
import { tableNameOf } from './requests.ts';

/** The verb of a PartiQL statement; IAM calls it `dynamodb:PartiQLInsert` and so on. */
export type Verb = 'Insert' | 'Select' | 'Update' | 'Delete';

/** A statement with its verb and table, which IAM checks. */
export interface Statement {
  readonly verb: Verb;
  readonly tableName: string;
  readonly indexName?: string;
  /**
   * Of an INSERT whose values are all `?`: the attributes, in the order of the parameters.
   * Undefined for every statement that does not run locally.
   */
  readonly attributes?: readonly string[];
}

const NAME = String.raw`(?:"(?:[^"]+)"|[A-Za-z_][A-Za-z0-9_]*)`;

/** Each ends with the text after the name of the table. */
const shapes: readonly (readonly [Verb, RegExp])[] = [
  ['Insert', new RegExp(String.raw`^\s*INSERT\s+INTO\b\s*(?<table>${NAME})(?<rest>.*)$`, 'is')],
  [
    'Select',
    new RegExp(
      String.raw`^\s*SELECT\s.*?\bFROM\b\s*(?<table>${NAME})(?:\s*\.\s*(?<index>${NAME}))?(?<rest>.*)$`,
      'is',
    ),
  ],
  ['Update', new RegExp(String.raw`^\s*UPDATE\b\s*(?<table>${NAME})(?<rest>.*)$`, 'is')],
  ['Delete', new RegExp(String.raw`^\s*DELETE\s+FROM\b\s*(?<table>${NAME})(?<rest>.*)$`, 'is')],
];

const insertedTuple = /^\s*VALUE\s*\{(?<members>.*)\}\s*$/is;
const noMembers = /^\s*$/;

function unquoted(text: string): string {
  return text.replaceAll('"', '');
}

/** The attributes of `'a': ?, 'b': ?`; undefined for anything else. */
function placeholders(members: string): readonly string[] | undefined {
  if (noMembers.test(members)) return [];
  const member = /\s*'(?<attribute>(?:[^']|'')*)'\s*:\s*\?\s*(?<end>,|$)/y;
  const attributes: string[] = [];
  for (let isLast = false; !isLast;) {
    const { attribute, end } = member.exec(members)?.groups ?? {};
    if (attribute === undefined) return undefined;
    attributes.push(attribute.replaceAll("''", "'"));
    isLast = end === '';
  }
  return attributes;
}

function malformed(why: string): Error {
  return validationFailure(`Statement wasn't well formed, can't be processed: ${why}`);
}

/**
 * Parses verb and table, and the attributes of `INSERT INTO "table" VALUE {'a': ?, 'b': ?}`. Throws
 * AwsError ValidationException for an unknown verb, or for a repeated attribute.
 */
export function parseStatement(text: string): Statement {
  for (const [verb, shape] of shapes) {
    const { table, index, rest = '' } = shape.exec(text)?.groups ?? {};
    if (table === undefined) continue;
    const members = verb === 'Insert' ? insertedTuple.exec(rest)?.groups?.['members'] : undefined;
    const attributes = members === undefined ? undefined : placeholders(members);
    if (new Set(attributes).size < (attributes?.length ?? 0)) throw malformed('an attribute comes twice');
    return {
      verb,
      tableName: tableNameOf(unquoted(table)),
      ...(index !== undefined && { indexName: unquoted(index) }),
      ...(attributes !== undefined && { attributes }),
    };
  }
  throw malformed('unexpected keyword');
}
