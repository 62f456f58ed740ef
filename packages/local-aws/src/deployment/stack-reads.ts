import type { Stack } from '../assembly/read-assembly.ts';

/** A value of another stack that a resource uses. */
export interface StackRead {
  /** `export` blocks the other stack's update, `output` does not. */
  readonly by: 'export' | 'output';
  /** The name of the export, or `stack.output`. */
  readonly name: string;
  /** The logical id of the resource that uses it. */
  readonly reader: string;
}

export const outputName = (stack: string, output: string): string => `${stack}.${output}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function* readsIn(value: unknown): Generator<Omit<StackRead, 'reader'>> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (key === 'Fn::ImportValue') yield { by: 'export', name: textOf(member) };
    if (key === 'Fn::GetStackOutput') {
      const { StackName, OutputName } = member as Readonly<Record<string, unknown>>;
      yield { by: 'output', name: outputName(textOf(StackName), textOf(OutputName)) };
    }
    yield* readsIn(member);
  }
}

/** Everything that the resources of a stack read of other stacks. */
export function readsOf({ template }: Stack): readonly StackRead[] {
  return Object.entries(template.Resources).flatMap(([reader, { Properties }]) =>
    [...readsIn(Properties)].map((read) => ({ ...read, reader })),
  );
}

/** The values are JSON, which can be compared without resolving them. */
export function exportsOf({ template }: Stack): ReadonlyMap<string, string> {
  return new Map(
    Object.values(template.Outputs).flatMap(({ Export, Value }) =>
      Export === undefined ? [] : [[textOf(Export.Name), JSON.stringify(Value)]],
    ),
  );
}
