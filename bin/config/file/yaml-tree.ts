import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type Node,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { losesPrecision } from '../../../src/core/shared/decimal.ts';
import { jsonObject, type Json } from '../../../src/core/shared/json.ts';
import { memberPath } from '../../../src/core/shared/member-path.ts';
import type { Position, Problems } from './problems.ts';

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly position: Position;
  readonly value: string | number | boolean | null;
}

export interface ListTree {
  readonly kind: 'list';
  readonly position: Position;
  readonly items: readonly Tree[];
}

export interface MapTree {
  readonly kind: 'map';
  readonly position: Position;
  readonly entries: ReadonlyMap<string, { readonly position: Position; readonly tree: Tree }>;
}

/** A value that knows its place in the file. */
export type Tree = ScalarTree | ListTree | MapTree;

/** YAML 1.1 reads these words as true or false, and many editors and tools still do. */
const OLD_BOOLEAN = /^(?:y|yes|n|no|on|off)$/i;
/** YAML 1.1 reads these as numbers: `1_000` and, in base 60, `12:30`. */
const OLD_NUMBER = /^[-+]?(?:0b[01_]+|\d[\d_]*_[\d_]*|\d+(?::[0-5]?\d)+)$/;
/** Numbers as JSON has them. YAML has others, such as `0o17` and `.inf`. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** These turn the direction of a line, so that its reader sees another text than its parser. */
const TURNS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** The library quotes the text in most of its messages, so they are replaced. */
const SYNTAX: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'aliases are not allowed: write the value again',
  BAD_DQ_ESCAPE: 'is no escape of a string in double quotes',
  BAD_INDENT: 'is indented wrongly',
  BAD_SCALAR_START: 'begins with a character that needs quotes around the text',
  BLOCK_AS_IMPLICIT_KEY: 'has a `:` too many in its line, or needs quotes around the text',
  MISSING_CHAR: 'lacks a character: a space, a comma, a quote or a bracket',
  MULTILINE_IMPLICIT_KEY: 'is a name of more than one line, or lacks its `:`',
  TAB_AS_INDENT: 'is indented by a tab: use spaces',
  TAG_RESOLVE_FAILED: 'tags are not allowed',
};

type AnyNode = Node | null | undefined;

/** Whether a text without quotes is refused, since not every reader of YAML has it as a text. */
export const needsQuotes = (text: string): boolean => OLD_BOOLEAN.test(text) || OLD_NUMBER.test(text);

/** Makes the tree of one file. */
class Reading {
  readonly #lines: LineCounter;

  readonly #problems: Problems;

  constructor(lines: LineCounter, problems: Problems) {
    this.#lines = lines;
    this.#problems = problems;
  }

  at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** `undefined` for a value that was reported. */
  read(node: AnyNode, fallback: Position): Tree | undefined {
    if (node === null || node === undefined) return { kind: 'scalar', position: fallback, value: null };
    const position = node.range ? this.at(node.range[0]) : fallback;
    if (isAlias(node)) return this.#refuse(position, 'aliases are not allowed: write the value again');
    if (isCollection(node) || isScalar(node) ? node.anchor !== undefined : false)
      return this.#refuse(position, 'anchors are not allowed: write the value where it belongs');
    if (node.tag !== undefined) return this.#refuse(position, 'tags are not allowed');
    if (isScalar(node)) return this.#scalar(node, position);
    if (isSeq(node)) {
      const items = node.items.flatMap((item) => this.read(item as AnyNode, position) ?? []);
      return { kind: 'list', position, items };
    }
    if (isMap(node)) return this.#map(node, position);
    return this.#refuse(position, 'is no value');
  }

  #refuse(position: Position, message: string): ScalarTree | undefined {
    this.#problems.report(position, message);
    return undefined;
  }

  #scalar({ value, source = '', type }: Scalar, position: Position): ScalarTree | undefined {
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return this.#refuse(position, 'must be well-formed Unicode');
      if (type === 'PLAIN' && needsQuotes(value))
        return this.#refuse(
          position,
          'is no text for every reader of YAML: write it in quotes, or true or false for a switch',
        );
      return { kind: 'scalar', position, value };
    }
    if (typeof value === 'number') {
      if (!JSON_NUMBER.test(source) || losesPrecision(source))
        return this.#refuse(position, 'is a number that JSON cannot have exactly: write a text in quotes');
      return { kind: 'scalar', position, value };
    }
    return { kind: 'scalar', position, value: typeof value === 'boolean' ? value : null };
  }

  #nameOf(key: unknown, position: Position): string | undefined {
    const tree = this.read(key as AnyNode, position);
    if (tree === undefined) return undefined;
    if (tree.kind === 'scalar' && typeof tree.value === 'string') return tree.value;
    this.#refuse(tree.position, 'must be a name: write a number or a word like true in quotes');
    return undefined;
  }

  #map({ items }: YAMLMap, around: Position): MapTree {
    const entries = new Map<string, { readonly position: Position; readonly tree: Tree }>();
    for (const { key, value } of items) {
      const { range } = (key ?? {}) as { readonly range?: readonly [number, number, number] | null };
      const position = range ? this.at(range[0]) : around;
      const name = this.#nameOf(key, position);
      const tree = this.read(value as AnyNode, position);
      if (name === undefined || tree === undefined) continue;
      const before = entries.get(name);
      if (before === undefined) entries.set(name, { position, tree });
      else this.#problems.report(position, `appears twice, first in line ${String(before.position.line)}`);
    }
    return { kind: 'map', position: around, entries };
  }
}

function reportSyntax({ errors, warnings }: Document, reading: Reading, problems: Problems): void {
  for (const { code, pos } of [...errors, ...warnings])
    problems.report(reading.at(pos[0]), SYNTAX[code] ?? `is not YAML (${code})`);
}

/** Reads YAML 1.2 of the core schema. Reports problems; `undefined` if there is no tree. */
export function yamlTree(bytes: Uint8Array, problems: Problems): Tree | undefined {
  const start: Position = { line: 1, column: 1 };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    problems.report(start, 'is not UTF-8');
    return undefined;
  }
  const lines = new LineCounter();
  // The names are compared here, since the library compares each with each.
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    merge: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const reading = new Reading(lines, problems);
  const [first, second] = Array.isArray(documents) ? (documents as readonly Document.Parsed[]) : [];
  if (second !== undefined) problems.report(reading.at(second.range[0]), 'begins a second document');
  if (first === undefined) {
    problems.report(start, 'is empty');
    return undefined;
  }
  const { yaml, tags } = first.directives;
  if (yaml.explicit || Object.keys(tags).length > 1) problems.report(start, 'directives are not allowed');
  reportSyntax(first, reading, problems);
  for (const { index } of text.matchAll(TURNS))
    problems.report(reading.at(index), 'has an invisible character: write it as \\u202e in double quotes');
  // The tree of a text with mistakes would lead to others.
  return problems.count > 0 ? undefined : reading.read(first.contents, start);
}

/** The value of a tree, as JSON has it. */
export function valueOf(tree: Tree): Json {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(valueOf);
  return jsonObject([...tree.entries].map(([name, { tree: member }]) => [name, valueOf(member)]));
}

/** Lists the positions in a tree by the paths that errors of the service have. */
export function positionsIn(tree: Tree, path = ''): ReadonlyMap<string, Position> {
  const found = new Map<string, Position>([[path, tree.position]]);
  const add = (inner: ReadonlyMap<string, Position>) => {
    for (const [at, position] of inner) found.set(at, position);
  };
  if (tree.kind === 'list')
    tree.items.forEach((item, at) => {
      add(positionsIn(item, memberPath(path, at)));
    });
  if (tree.kind === 'map')
    for (const [name, { position, tree: member }] of tree.entries) {
      const at = memberPath(path, name);
      add(positionsIn(member, at));
      // A name is where an unknown member is, and where most people look for a wrong value.
      if (member.kind !== 'scalar') found.set(at, position);
    }
  return found;
}
