import { validationFailure } from './failures.ts';
import { tableNameOf } from './requests.ts';

const VERBS = ['Insert', 'Select', 'Update', 'Delete'] as const;

/** The verb of a PartiQL statement; IAM calls it `dynamodb:PartiQLInsert` and so on. */
export type Verb = (typeof VERBS)[number];

/** IAM checks the verb and the table. */
export interface Statement {
  readonly verb: Verb;
  readonly tableName: string;
  /**
   * Set for `INSERT INTO "table" VALUE {'a': ?, 'b': ?}`, the one form that runs locally: the
   * attributes, in the order of the parameters.
   */
  readonly attributes?: readonly string[];
}

const INSERT = /^INSERT INTO "[^"]+" VALUE \{(?<members>'[^']+': \?(?:, '[^']+': \?)*)\}\s*$/;
const VERB_AND_TABLE =
  /^\s*(?<verb>INSERT(?=\s+INTO)|SELECT(?=\s.*\sFROM)|UPDATE|DELETE(?=\s+FROM))\s(?:.*?\s)??(?:(?:INTO|FROM)\s+)?"?(?<table>[\w.-]+)/is;

function attributesOf(text: string): readonly string[] | undefined {
  const members = INSERT.exec(text)?.groups?.['members'];
  const attributes = members?.split(', ').map((member) => member.slice(1, -"': ?".length));
  if (attributes !== undefined && new Set(attributes).size < attributes.length)
    throw validationFailure('Duplicate keys in tuple');
  return attributes;
}

/** Throws AwsError ValidationException unless the text begins as a statement of a known verb. */
export function parseStatement(text: string): Statement {
  const { verb: written = '', table = '' } = VERB_AND_TABLE.exec(text)?.groups ?? {};
  const verb = VERBS.find((each) => each.toUpperCase() === written.toUpperCase());
  if (verb === undefined) throw validationFailure("Statement wasn't well formed, can't be processed");
  const attributes = attributesOf(text);
  return { verb, tableName: tableNameOf(table), ...(attributes !== undefined && { attributes }) };
}
