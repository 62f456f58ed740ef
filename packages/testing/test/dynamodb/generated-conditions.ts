import { fc } from '../../../test-kit/src/properties.ts';

/** Texts of conditions: the reference compares others in the order of UTF-16, which is wrong. */
const texts = fc.constantFrom('a', 'ab', 'b', 'é', '\uffff');
const bytes = fc.constantFrom(new Uint8Array([0]), new Uint8Array([0, 200]), new Uint8Array([1]));
const numbers = fc.integer({ min: -1, max: 3 });

/** Attributes that conditions read. Their types vary, as those of no adapter do. */
export const comparedAttributes = {
  version: fc.oneof(numbers, numbers, texts),
  kind: fc.oneof(texts, texts, fc.constant(null)),
  writeId: bytes,
  pending: fc.boolean(),
  expiration: fc.record({ at: numbers, offset: numbers }, { requiredKeys: [] }),
  terms: fc.array(texts, { maxLength: 3 }),
};

const PATHS = ['version', 'kind', 'writeId', 'pending', 'expiration.at', 'terms.at', 'none', 'pk'];
const path = fc.constantFrom(...PATHS);
/** These are never empty and never `false`. */
const truthyPath = fc.constantFrom(...PATHS.filter((name) => name !== 'pending'));
const scalar = fc.oneof(numbers, numbers, texts, texts, bytes, fc.boolean(), fc.constant(null));

type Node =
  | {
      readonly kind: 'leaf';
      readonly form: string;
      readonly path: string;
      readonly passed: readonly unknown[];
    }
  | { readonly kind: 'not'; readonly part: Node }
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Node[] };

const EQUALITIES = ['PATH = :', 'PATH <> :'];
const ORDERS = ['=', '<>', '<', '<=', '>', '>='].map((by) => `PATH ${by} :`);
const leafOf = (
  forms: readonly string[],
  paths: fc.Arbitrary<string>,
  ...passed: readonly fc.Arbitrary<unknown>[]
) =>
  fc.record({
    kind: fc.constant('leaf' as const),
    form: fc.constantFrom(...forms),
    path: paths,
    passed: fc.tuple(...passed),
  });

/** Bounds in their order. Those of two types, or in another order, are refused. */
const bounds = fc.oneof(
  { arbitrary: fc.tuple(numbers, numbers).map((pair) => pair.toSorted((a, b) => a - b)), weight: 5 },
  { arbitrary: fc.tuple(texts, texts).map((pair) => pair.toSorted()), weight: 5 },
  { arbitrary: fc.tuple(scalar, scalar), weight: 1 },
);

/** The reference does not find an empty text, empty bytes or `false` by IN and BETWEEN. */
const leaf: fc.Arbitrary<Node> = fc.oneof(
  { arbitrary: leafOf(['attribute_exists(PATH)', 'attribute_not_exists(PATH)'], path), weight: 4 },
  { arbitrary: leafOf(EQUALITIES, path, scalar), weight: 2 },
  { arbitrary: leafOf(ORDERS, path, fc.oneof(numbers, texts, bytes)), weight: 4 },
  { arbitrary: leafOf(['PATH IN (:, :)'], truthyPath, scalar, scalar), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constant('leaf' as const),
      form: fc.constant('PATH BETWEEN : AND :'),
      path: truthyPath,
      passed: bounds,
    }),
    weight: 1,
  },
  { arbitrary: leafOf(['begins_with(PATH, :)'], fc.constantFrom('version', 'kind', 'pk'), texts), weight: 1 },
  { arbitrary: leafOf(['size(PATH) = :', 'size(PATH) > :'], fc.constant('terms'), numbers), weight: 1 },
);

const { node } = fc.letrec<{ node: Node; joined: Node }>((tie) => ({
  node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('joined')),
  joined: fc.oneof(
    fc.record({
      kind: fc.constantFrom('AND' as const, 'OR' as const),
      parts: fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), part: tie('node') }),
  ),
}));

/** Writes expressions with names and values of their own. */
export class Writer {
  readonly names: Record<string, string> = {};
  readonly values: Record<string, unknown> = {};

  path(dotted: string): string {
    return dotted
      .split('.')
      .map((name) => {
        this.names[`#${name}`] = name;
        return `#${name}`;
      })
      .join('.');
  }

  value(value: unknown): string {
    const name = `:v${String(Object.keys(this.values).length)}`;
    this.values[name] = value;
    return name;
  }

  condition(written: Node): string {
    if (written.kind === 'leaf') {
      const passed = written.passed.values();
      return written.form
        .replace('PATH', this.path(written.path))
        .replaceAll(':', () => this.value(passed.next().value));
    }
    // The reference cannot read NOT before NOT.
    if (written.kind === 'not')
      return written.part.kind === 'not'
        ? this.condition(written.part.part)
        : `NOT ${this.#inner(written.part)}`;
    return written.parts.map((part) => this.#inner(part)).join(` ${written.kind} `);
  }

  #inner(written: Node): string {
    const text = this.condition(written);
    const isJoined = written.kind === 'AND' || written.kind === 'OR';
    return isJoined ? `(${text})` : text;
  }

  /** The members of a request that its expressions need. */
  members(): { readonly ExpressionAttributeNames?: object; readonly ExpressionAttributeValues?: object } {
    return {
      ...(Object.keys(this.names).length > 0 && { ExpressionAttributeNames: this.names }),
      ...(Object.keys(this.values).length > 0 && { ExpressionAttributeValues: this.values }),
    };
  }
}

export { node as conditionNode, scalar, path as anyPath, type Node };
