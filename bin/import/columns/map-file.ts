import { readFileSync } from 'node:fs';
import { errorCode } from '../../../packages/local-aws/src/error-code.ts';
import { CONTAINER_FORM, parseContainer } from '../../../src/core/shared/container.ts';
import type { Json, JsonObject } from '../../../src/core/shared/json.ts';
import { notOneOf, unknownName } from '../../../src/core/shared/known-names.ts';
import { tokenType, TOKEN_TYPE_NAMES, type TokenTypeName } from '../../../src/core/tokens/token-type.ts';
import { UsageError } from '../../command-line/failures.ts';
import { Problems } from '../../config/file/problems.ts';
import { valueOf, yamlTree, type MapTree, type Tree } from '../../config/file/yaml-tree.ts';
import type { DetailsMapping, Mapping, MemberSource } from './mapping.ts';

const MEMBERS = [
  'source',
  'id',
  'type',
  'data',
  'metadata',
  'containers',
  'mask',
  'search_indexes',
  'fingerprint_expression',
  'expires_at',
  'details',
] as const;

const CONSTANTS = ['containers', 'mask', 'search_indexes', 'fingerprint_expression'] as const;

/** A column with a date has both. */
const EXPIRATION = 'expiration';
const CVC = 'cvc';

export interface MapFile {
  readonly source: string | undefined;
  readonly mapping: Mapping;
}

type Entries = MapTree['entries'];

/** Reads the members of a map, and reports what is wrong with each at its place. */
class MapReading {
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  /** The entries of a map whose names are known. */
  entries(tree: Tree, what: string, known: readonly string[] | undefined): Entries {
    if (tree.kind !== 'map') {
      this.#problems.report(tree.position, `${what} must be a map`);
      return new Map();
    }
    for (const [name, { position }] of tree.entries)
      if (known?.includes(name) === false)
        this.#problems.report(position, `${what}: a member ${unknownName(name, known)}`);
    return tree.entries;
  }

  text(tree: Tree, what: string): string {
    if (tree.kind === 'scalar' && typeof tree.value === 'string' && tree.value !== '') return tree.value;
    this.#problems.report(tree.position, `${what} must be a text in which there is something`);
    return '';
  }

  optional(entries: Entries, name: string): string | undefined {
    const entry = entries.get(name);
    return entry === undefined ? undefined : this.text(entry.tree, name);
  }

  required(entries: Entries, name: string, whole: Tree): string {
    const text = this.optional(entries, name);
    if (text === undefined) this.#problems.report(whole.position, `${name} is missing`);
    return text ?? '';
  }

  columns(tree: Tree, what: string): ReadonlyMap<string, string> {
    const entries = this.entries(tree, what, undefined);
    return new Map([...entries].map(([name, { tree: column }]) => [name, this.text(column, what)]));
  }

  type(entries: Entries, whole: Tree): TokenTypeName | undefined {
    const text = this.required(entries, 'type', whole);
    const type = TOKEN_TYPE_NAMES.find((name) => name === text);
    if (type === undefined && text !== '')
      this.#problems.report(
        entries.get('type')?.position ?? whole.position,
        `type ${notOneOf(text, TOKEN_TYPE_NAMES)}`,
      );
    return type;
  }

  data(entries: Entries, type: TokenTypeName, whole: Tree): Mapping['data'] {
    const entry = entries.get('data');
    if (entry === undefined) {
      this.#problems.report(whole.position, 'data is missing');
      return '';
    }
    const { dataMembers, texts } = tokenType(type);
    const isText = texts?.includes('') === true;
    if (entry.tree.kind === 'scalar' && (isText || dataMembers === undefined))
      return this.text(entry.tree, 'data');
    if (isText) {
      this.#problems.report(entry.tree.position, `data of the type ${type} is one column`);
      return '';
    }
    const names = dataMembers?.filter((name) => name !== CVC);
    const hasExpiration = names?.includes('expiration_month') === true;
    const known = hasExpiration ? [...names, EXPIRATION] : names;
    const members = [...this.entries(entry.tree, 'data', known)];
    return new Map(
      members.flatMap(([name, { tree }]) => sourcesOf(name, this.text(tree, `data.${name}`), hasExpiration)),
    );
  }

  details(entries: Entries): DetailsMapping | undefined {
    const entry = entries.get('details');
    if (entry === undefined) return undefined;
    const members = this.entries(entry.tree, 'details', ['container', 'data']);
    const container = this.optional(members, 'container');
    if (container !== undefined && parseContainer(container) === undefined)
      this.#problems.report(members.get('container')?.position ?? entry.position, CONTAINER_FORM);
    const data = members.get('data');
    if (data === undefined) this.#problems.report(entry.position, 'details: data is missing');
    return { container, columns: data === undefined ? new Map() : this.columns(data.tree, 'details.data') };
  }
}

function sourcesOf(
  name: string,
  column: string,
  hasExpiration: boolean,
): readonly (readonly [string, MemberSource])[] {
  if (!hasExpiration || name !== EXPIRATION) return [[name, { kind: 'column', column }]];
  return (['month', 'year'] as const).map((part) => [
    `expiration_${part}`,
    { kind: 'expiration', part, column },
  ]);
}

function constantsOf(entries: Entries): JsonObject {
  return Object.fromEntries(
    CONSTANTS.flatMap((name): readonly (readonly [string, Json])[] => {
      const entry = entries.get(name);
      return entry === undefined ? [] : [[name, valueOf(entry.tree)]];
    }),
  );
}

function mapOf(tree: Tree, problems: Problems): MapFile | undefined {
  const reading = new MapReading(problems);
  const entries = reading.entries(tree, 'the map', MEMBERS);
  const source = reading.optional(entries, 'source');
  const id = reading.required(entries, 'id', tree);
  const type = reading.type(entries, tree);
  if (type === undefined) return undefined;
  const data = reading.data(entries, type, tree);
  const metadata = entries.get('metadata');
  const expiresAt = reading.optional(entries, 'expires_at');
  const details = reading.details(entries);
  const mapping: Mapping = {
    type,
    id,
    data,
    metadata: metadata === undefined ? new Map() : reading.columns(metadata.tree, 'metadata'),
    constants: constantsOf(entries),
    required: [],
    ...(expiresAt !== undefined && { expiresAt }),
    ...(details !== undefined && { details }),
  };
  return { source, mapping };
}

/**
 * Reads a YAML file from members of tokens to columns. Throws FileProblemsError with the place of
 * each problem.
 */
export function readMapFile(file: string): MapFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`--map ${file} cannot be read (${String(errorCode(error))})`);
  }
  const problems = new Problems(file);
  const tree = yamlTree(bytes, problems);
  const map = tree === undefined ? undefined : mapOf(tree, problems);
  problems.throwIfAny();
  if (map === undefined) throw new Error('import: a map without a problem is missing');
  return map;
}
