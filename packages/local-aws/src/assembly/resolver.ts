import type { Stack } from './read-assembly.ts';

/** What `Ref` and `Fn::GetAtt` return for a resource. */
export interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A resource whose properties are not resolved yet. */
export interface ResourceHandle {
  readonly stack: Stack;
  readonly logicalId: string;
  readonly type: string;
  /**
   * The resolved value of one top-level property, if the template sets it to text (explicit
   * physical names).
   */
  readonly text: (property: string) => string | undefined;
  /** Whether the template sets one top-level property to true. */
  readonly isTrue: (property: string) => boolean;
}

export interface ResolverOptions {
  readonly stacks: readonly Stack[];
  readonly accountId: string;
  readonly region: string;
  readonly identify: (resource: ResourceHandle) => Identity;
}

/**
 * Resolves CloudFormation's intrinsic functions. Every method throws an Error that names what
 * cannot be resolved and where.
 */
export interface Resolver {
  /** The value with all references replaced, without members that are `AWS::NoValue`. */
  resolve(stack: Stack, value: unknown): unknown;
  /** The value of a named condition; true when there is none. */
  condition(stack: Stack, name: string | undefined): boolean;
  /** The outputs of all stacks by name. */
  outputs(): ReadonlyMap<string, string>;
  handle(stack: Stack, logicalId: string): ResourceHandle;
  identity(stack: Stack, logicalId: string): Identity;
  /** Returns the ARN of a stack. */
  stackId(stack: Stack): string;
}

type Members = Readonly<Record<string, unknown>>;
type Intrinsic = (stack: Stack, argument: unknown) => unknown;

const noValue = Symbol('AWS::NoValue');

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function items(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${what} needs a list, not ${JSON.stringify(value)}`);
  return value;
}

function text(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${what} needs text, not ${JSON.stringify(value)}`);
}

// oxlint-disable-next-line max-lines-per-function -- the intrinsic functions call each other
export function createResolver(options: ResolverOptions): Resolver {
  const identities = new Map<string, Identity>();

  const stackId = ({ name }: Stack): string =>
    `arn:aws:cloudformation:${options.region}:${options.accountId}:stack/${name}/local`;

  function pseudoParameter(stack: Stack, name: string): unknown {
    const values: Readonly<Record<string, unknown>> = {
      'AWS::AccountId': options.accountId,
      'AWS::Region': options.region,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stack.name,
      'AWS::StackId': stackId(stack),
      'AWS::NotificationARNs': [],
      'AWS::NoValue': noValue,
    };
    return values[name];
  }

  function handle(stack: Stack, logicalId: string): ResourceHandle {
    const resource = stack.template.Resources[logicalId];
    if (resource === undefined) throw new Error(`no resource ${logicalId} in stack ${stack.name}`);
    return {
      stack,
      logicalId,
      type: resource.Type,
      text: (property) => {
        const value = walk(stack, resource.Properties[property]);
        return typeof value === 'string' ? value : undefined;
      },
      isTrue: (property) => walk(stack, resource.Properties[property]) === true,
    };
  }

  function identity(stack: Stack, logicalId: string): Identity {
    const key = `${stack.name}/${logicalId}`;
    const known = identities.get(key);
    if (known !== undefined) return known;
    const made = options.identify(handle(stack, logicalId));
    identities.set(key, made);
    return made;
  }

  function reference(stack: Stack, name: string): unknown {
    if (name.startsWith('AWS::')) {
      const value = pseudoParameter(stack, name);
      if (value === undefined) throw new Error(`unknown pseudo parameter ${name} in stack ${stack.name}`);
      return value;
    }
    const parameter = stack.template.Parameters[name];
    if (parameter === undefined) return identity(stack, name).ref;
    if (parameter.Default === undefined)
      throw new Error(`parameter ${name} of stack ${stack.name} has no default`);
    return parameter.Default;
  }

  function attribute(stack: Stack, logicalId: string, name: string): string {
    const value = identity(stack, logicalId).attributes[name];
    if (value === undefined) {
      const { type } = handle(stack, logicalId);
      throw new Error(`attribute ${name} of ${type} (${stack.name}/${logicalId}) is not known locally`);
    }
    return value;
  }

  function substitute(stack: Stack, argument: unknown): string {
    const [template, variables] = Array.isArray(argument) ? (argument as readonly unknown[]) : [argument, {}];
    const input = isMembers(variables) ? variables : {};
    return text(template, 'Fn::Sub').replaceAll(/\$\{([^}]*)\}/g, (_match, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (name in input) return text(walk(stack, input[name]), `Fn::Sub \${${name}}`);
      const [logicalId = name, ...path] = name.split('.');
      if (path.length > 0) return attribute(stack, logicalId, path.join('.'));
      return text(reference(stack, name), `Fn::Sub \${${name}}`);
    });
  }

  function importValue(stack: Stack, argument: unknown): unknown {
    const wanted = text(walk(stack, argument), 'Fn::ImportValue');
    for (const exporter of options.stacks)
      for (const output of Object.values(exporter.template.Outputs))
        if (output.Export !== undefined && walk(exporter, output.Export.Name) === wanted)
          return walk(exporter, output.Value);
    throw new Error(`no stack exports ${wanted}, which ${stack.name} imports`);
  }

  /** The regions are one: every stack runs here. */
  function stackOutput(stack: Stack, argument: unknown): unknown {
    if (!isMembers(argument)) throw new Error(`Fn::GetStackOutput needs members in stack ${stack.name}`);
    const [stackName, outputName] = ['StackName', 'OutputName'].map((name) =>
      text(walk(stack, argument[name]), `Fn::GetStackOutput ${name}`),
    );
    const producer = options.stacks.find(({ name }) => name === stackName);
    const output = producer?.template.Outputs[outputName ?? ''];
    if (producer === undefined || output === undefined)
      throw new Error(`${String(stackName)} has no output ${String(outputName)}, which ${stack.name} reads`);
    return walk(producer, output.Value);
  }

  function choose(stack: Stack, argument: unknown): unknown {
    const [name, whenTrue, whenFalse] = items(argument, 'Fn::If');
    return walk(stack, evaluate(stack, { Condition: name }) ? whenTrue : whenFalse);
  }

  const intrinsics: Readonly<Record<string, Intrinsic>> = {
    Ref: (stack, argument) => reference(stack, text(argument, 'Ref')),
    'Fn::GetAtt': (stack, argument) => {
      const [logicalId, ...path] =
        typeof argument === 'string' ? argument.split('.') : items(argument, 'Fn::GetAtt');
      return attribute(
        stack,
        text(logicalId, 'Fn::GetAtt'),
        path.map((part) => text(walk(stack, part), 'Fn::GetAtt')).join('.'),
      );
    },
    'Fn::Join': (stack, argument) => {
      const [separator, parts] = items(argument, 'Fn::Join');
      const values = items(walk(stack, parts), 'Fn::Join').map((part) => text(part, 'Fn::Join'));
      return values.join(text(separator, 'Fn::Join'));
    },
    'Fn::Sub': substitute,
    'Fn::ImportValue': importValue,
    'Fn::GetStackOutput': stackOutput,
    'Fn::Select': (stack, argument) => {
      const [index, list] = items(argument, 'Fn::Select');
      const value = items(walk(stack, list), 'Fn::Select')[Number(walk(stack, index))];
      if (value === undefined) throw new Error(`Fn::Select beyond its list in stack ${stack.name}`);
      return value;
    },
    'Fn::Split': (stack, argument) => {
      const [separator, value] = items(argument, 'Fn::Split');
      return text(walk(stack, value), 'Fn::Split').split(text(separator, 'Fn::Split'));
    },
    'Fn::If': choose,
  };

  function evaluate(stack: Stack, expression: unknown): boolean {
    if (!isMembers(expression)) throw new Error(`not a condition: ${JSON.stringify(expression)}`);
    const [operator = '', argument] = Object.entries(expression)[0] ?? [];
    switch (operator) {
      case 'Condition':
        return condition(stack, text(argument, 'Condition'));
      case 'Fn::Equals': {
        const [left, right] = items(argument, operator).map((side) => JSON.stringify(walk(stack, side)));
        return left === right;
      }
      case 'Fn::Not':
        return !evaluate(stack, items(argument, operator)[0]);
      case 'Fn::And':
        return items(argument, operator).every((part) => evaluate(stack, part));
      case 'Fn::Or':
        return items(argument, operator).some((part) => evaluate(stack, part));
      default:
        throw new Error(`unsupported condition ${operator} in stack ${stack.name}`);
    }
  }

  function condition(stack: Stack, name: string | undefined): boolean {
    if (name === undefined) return true;
    if (!(name in stack.template.Conditions)) throw new Error(`no condition ${name} in stack ${stack.name}`);
    return evaluate(stack, stack.template.Conditions[name]);
  }

  function walkMembers(stack: Stack, value: Members): unknown {
    const entries = Object.entries(value);
    const [first] = entries;
    if (entries.length === 1 && first !== undefined && (first[0] === 'Ref' || first[0].startsWith('Fn::'))) {
      const intrinsic = intrinsics[first[0]];
      if (intrinsic === undefined)
        throw new Error(`unsupported intrinsic function ${first[0]} in stack ${stack.name}`);
      return intrinsic(stack, first[1]);
    }
    const resolved = entries.map(([name, member]): [string, unknown] => [name, walk(stack, member)]);
    return Object.fromEntries(resolved.filter(([, member]) => member !== noValue));
  }

  function walk(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value))
      return value.map((item) => walk(stack, item)).filter((item) => item !== noValue);
    return isMembers(value) ? walkMembers(stack, value) : value;
  }

  function outputs(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const stack of options.stacks)
      for (const [name, output] of Object.entries(stack.template.Outputs)) {
        if (!condition(stack, output.Condition)) continue;
        const value = walk(stack, output.Value);
        found.set(name, typeof value === 'string' ? value : JSON.stringify(value));
      }
    return found;
  }

  return {
    resolve: (stack, value) => {
      const resolved = walk(stack, value);
      return resolved === noValue ? undefined : resolved;
    },
    condition,
    outputs,
    handle,
    identity,
    stackId,
  };
}
