import { createHash } from 'node:crypto';
import type { DesiredValue, Source } from '../model.ts';
import { entryOf, memberOf, memberText, type Entry } from './entry.ts';
import { NamedFileError, normalizedPath } from './named-files.ts';
import type { Tree } from './yaml-tree.ts';

/** Secrets Manager takes these names (API reference, CreateSecret), and an ARN. */
export const SECRET_NAME = /^[\w/+=.@:-]{1,512}$/;

const FORMS = 'env:NAME, file:PATH or aws-secret:NAME';

/** Returns the source of `from`, or the problem of its text. */
export function parseSource(text: string): Exclude<Source, { readonly kind: 'literal' }> | string {
  const [, kind, name = ''] = /^(env|file|aws-secret):(.+)$/.exec(text) ?? [];
  if (kind === 'env') return /^[A-Za-z_]\w*$/.test(name) ? { kind, name } : 'must name a variable: env:NAME';
  if (kind === 'aws-secret')
    return SECRET_NAME.test(name)
      ? { kind, name }
      : 'must name a secret of up to 512 letters, digits and /_+=.@-';
  // The text may be a secret itself, so no message has it.
  if (kind !== 'file') return `must be ${FORMS}`;
  try {
    return { kind, name: normalizedPath(name) };
  } catch (error) {
    if (error instanceof NamedFileError) return error.message;
    throw error;
  }
}

/** A label has room for the mark of a public value behind it. */
const SOURCE_LABEL_MAX_LENGTH = 150;

const labelOfLiteral = (text: string): string =>
  `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;

const literal = (text: string, isPublic: boolean): DesiredValue => ({
  source: { kind: 'literal', text },
  public: isPublic,
  label: labelOfLiteral(text),
  labelUnknown: false,
});

/** A variable and a file have no versions, so their label only says which one it is. */
function fromSource(source: Exclude<Source, { kind: 'literal' }>, isPublic: boolean): DesiredValue {
  if (source.kind === 'aws-secret') return { source, public: isPublic, labelUnknown: true };
  const name = `${source.kind}:${source.name}`;
  const label = name.length > SOURCE_LABEL_MAX_LENGTH ? labelOfLiteral(name) : name;
  return { source, public: isPublic, label, labelUnknown: false };
}

const NOT_PUBLIC =
  'is in a file that others read: name its source, { from: env:NAME }, or say that it is no secret, { value: ..., public: true }';

/** The mark of a value that may come back. */
function markOf(value: Entry): boolean {
  const tree = memberOf(value, 'public');
  if (tree === undefined) return false;
  if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value;
  value.problems.report(tree.position, `${value.path}.public must be true or false`);
  return false;
}

/** A value of a configuration. Only the values of a proxy are hidden, and can be public. */
function valueAt(tree: Tree, path: string, { problems }: Entry, ofProxy: boolean): DesiredValue | undefined {
  if (tree.kind === 'scalar' && typeof tree.value === 'string') {
    if (!ofProxy) return literal(tree.value, false);
    problems.report(tree.position, `${path} ${NOT_PUBLIC}`);
    return undefined;
  }
  if (tree.kind !== 'map') {
    const quotes = tree.kind === 'scalar' && tree.value !== null ? ': write it in quotes' : '';
    problems.report(tree.position, `${path} must be a string, or have from or value${quotes}`);
    return undefined;
  }
  const value = entryOf(tree, path, ofProxy ? ['from', 'value', 'public'] : ['from', 'value'], problems);
  return value && valueOfMap(value, ofProxy);
}

/** A value that is a map names its source, or has a text. */
function valueOfMap(value: Entry, ofProxy: boolean): DesiredValue | undefined {
  const { path, tree, problems } = value;
  const from = memberText(value, 'from');
  const text = memberText(value, 'value');
  const isPublic = markOf(value);
  if ((from === undefined) === (text === undefined)) {
    problems.report(tree.position, `${path} must have either from or value`);
    return undefined;
  }
  if (text !== undefined) {
    if (isPublic || !ofProxy) return literal(text, isPublic);
    problems.report(tree.position, `${path} ${NOT_PUBLIC}`);
    return undefined;
  }
  const source = parseSource(from ?? '');
  if (typeof source !== 'string') return fromSource(source, isPublic);
  problems.report(memberOf(value, 'from')?.position ?? tree.position, `${path}.from ${source}`);
  return undefined;
}

/** The values of `configuration` by name. */
export function valuesOf(entry: Entry, ofProxy: boolean): ReadonlyMap<string, DesiredValue> {
  const values = new Map<string, DesiredValue>();
  const tree = memberOf(entry, 'configuration');
  if (tree === undefined) return values;
  if (tree.kind !== 'map') {
    entry.problems.report(tree.position, `${entry.path}.configuration must be a map of names`);
    return values;
  }
  for (const [name, { tree: inner }] of tree.entries) {
    const value = valueAt(inner, `${entry.path}.configuration.${name.slice(0, 64)}`, entry, ofProxy);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}
