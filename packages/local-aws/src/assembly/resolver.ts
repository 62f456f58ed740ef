import type { Stack } from './read-assembly.ts';

/** `Ref` and `Fn::GetAtt` return these for a resource. */
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
  /** The names of stacks that do not run here. */
  readonly leftOut?: readonly string[] | undefined;
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
  /** The outputs of a stack by name. */
  outputs(stack: Stack): ReadonlyMap<string, string>;
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

/** Calls itself for the parts of a value: intrinsic functions contain others. */
class TemplateResolver implements Resolver {
  readonly #options: ResolverOptions;
  readonly #identities = new Map<string, Identity>();

  readonly #intrinsics: Readonly<Record<string, Intrinsic>> = {
    Ref: (stack, argument) => this.#reference(stack, text(argument, 'Ref')),
    'Fn::GetAtt': (stack, argument) => this.#getAttribute(stack, argument),
    'Fn::Join': (stack, argument) => this.#join(stack, argument),
    'Fn::Sub': (stack, argument) => this.#substitute(stack, argument),
    'Fn::ImportValue': (stack, argument) => this.#importValue(stack, argument),
    'Fn::GetStackOutput': (stack, argument) => this.#stackOutput(stack, argument),
    'Fn::Select': (stack, argument) => this.#select(stack, argument),
    'Fn::Split': (stack, argument) => this.#split(stack, argument),
    'Fn::If': (stack, argument) => this.#choose(stack, argument),
  };

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  resolve(stack: Stack, value: unknown): unknown {
    const resolved = this.#walk(stack, value);
    return resolved === noValue ? undefined : resolved;
  }

  condition(stack: Stack, name: string | undefined): boolean {
    if (name === undefined) return true;
    if (!(name in stack.template.Conditions)) throw new Error(`no condition ${name} in stack ${stack.name}`);
    return this.#evaluate(stack, stack.template.Conditions[name]);
  }

  outputs(stack: Stack): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [name, output] of Object.entries(stack.template.Outputs)) {
      if (!this.condition(stack, output.Condition)) continue;
      const value = this.#walk(stack, output.Value);
      found.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    return found;
  }

  handle(stack: Stack, logicalId: string): ResourceHandle {
    const resource = stack.template.Resources[logicalId];
    if (resource === undefined) throw new Error(`no resource ${logicalId} in stack ${stack.name}`);
    return {
      stack,
      logicalId,
      type: resource.Type,
      text: (property) => {
        const value = this.#walk(stack, resource.Properties[property]);
        return typeof value === 'string' ? value : undefined;
      },
      isTrue: (property) => this.#walk(stack, resource.Properties[property]) === true,
    };
  }

  identity(stack: Stack, logicalId: string): Identity {
    const key = `${stack.name}/${logicalId}`;
    const known = this.#identities.get(key);
    if (known !== undefined) return known;
    const made = this.#options.identify(this.handle(stack, logicalId));
    this.#identities.set(key, made);
    return made;
  }

  stackId({ name }: Stack): string {
    const { region, accountId } = this.#options;
    return `arn:aws:cloudformation:${region}:${accountId}:stack/${name}/local`;
  }

  #walk(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value))
      return value.map((item) => this.#walk(stack, item)).filter((item) => item !== noValue);
    return isMembers(value) ? this.#walkMembers(stack, value) : value;
  }

  #walkMembers(stack: Stack, value: Members): unknown {
    const entries = Object.entries(value);
    const [first] = entries;
    if (entries.length === 1 && first !== undefined && (first[0] === 'Ref' || first[0].startsWith('Fn::'))) {
      const intrinsic = this.#intrinsics[first[0]];
      if (intrinsic === undefined)
        throw new Error(`unsupported intrinsic function ${first[0]} in stack ${stack.name}`);
      return intrinsic(stack, first[1]);
    }
    const resolved = entries.map(([name, member]): [string, unknown] => [name, this.#walk(stack, member)]);
    return Object.fromEntries(resolved.filter(([, member]) => member !== noValue));
  }

  #pseudoParameter(stack: Stack, name: string): unknown {
    const values: Readonly<Record<string, unknown>> = {
      'AWS::AccountId': this.#options.accountId,
      'AWS::Region': this.#options.region,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': stack.name,
      'AWS::StackId': this.stackId(stack),
      'AWS::NotificationARNs': [],
      'AWS::NoValue': noValue,
    };
    return values[name];
  }

  #reference(stack: Stack, name: string): unknown {
    if (name.startsWith('AWS::')) {
      const value = this.#pseudoParameter(stack, name);
      if (value === undefined) throw new Error(`unknown pseudo parameter ${name} in stack ${stack.name}`);
      return value;
    }
    const parameter = stack.template.Parameters[name];
    if (parameter === undefined) return this.identity(stack, name).ref;
    if (parameter.Default === undefined)
      throw new Error(`parameter ${name} of stack ${stack.name} has no default`);
    return parameter.Default;
  }

  #attribute(stack: Stack, logicalId: string, name: string): string {
    const value = this.identity(stack, logicalId).attributes[name];
    if (value === undefined) {
      const { type } = this.handle(stack, logicalId);
      throw new Error(`attribute ${name} of ${type} (${stack.name}/${logicalId}) is not known locally`);
    }
    return value;
  }

  #getAttribute(stack: Stack, argument: unknown): string {
    const [logicalId, ...path] =
      typeof argument === 'string' ? argument.split('.') : items(argument, 'Fn::GetAtt');
    return this.#attribute(
      stack,
      text(logicalId, 'Fn::GetAtt'),
      path.map((part) => text(this.#walk(stack, part), 'Fn::GetAtt')).join('.'),
    );
  }

  #join(stack: Stack, argument: unknown): string {
    const [separator, parts] = items(argument, 'Fn::Join');
    const values = items(this.#walk(stack, parts), 'Fn::Join').map((part) => text(part, 'Fn::Join'));
    return values.join(text(separator, 'Fn::Join'));
  }

  #substitute(stack: Stack, argument: unknown): string {
    const [template, variables] = Array.isArray(argument) ? (argument as readonly unknown[]) : [argument, {}];
    const input = isMembers(variables) ? variables : {};
    return text(template, 'Fn::Sub').replaceAll(/\$\{([^}]*)\}/g, (_match, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (name in input) return text(this.#walk(stack, input[name]), `Fn::Sub \${${name}}`);
      const [logicalId = name, ...path] = name.split('.');
      if (path.length > 0) return this.#attribute(stack, logicalId, path.join('.'));
      return text(this.#reference(stack, name), `Fn::Sub \${${name}}`);
    });
  }

  #importValue(stack: Stack, argument: unknown): unknown {
    const wanted = text(this.#walk(stack, argument), 'Fn::ImportValue');
    for (const exporter of this.#options.stacks)
      for (const output of Object.values(exporter.template.Outputs))
        if (output.Export !== undefined && this.#walk(exporter, output.Export.Name) === wanted)
          return this.#walk(exporter, output.Value);
    throw new Error(`no stack exports ${wanted}, which ${stack.name} imports`);
  }

  /** The regions are one: every stack runs here. */
  #stackOutput(stack: Stack, argument: unknown): unknown {
    if (!isMembers(argument)) throw new Error(`Fn::GetStackOutput needs members in stack ${stack.name}`);
    const [stackName, outputName] = ['StackName', 'OutputName'].map((name) =>
      text(this.#walk(stack, argument[name]), `Fn::GetStackOutput ${name}`),
    );
    // Only a certificate or an address comes from such a stack, and neither acts here.
    if (this.#options.leftOut?.includes(stackName ?? '') === true)
      return `${String(stackName)}.${String(outputName)}`;
    const producer = this.#options.stacks.find(({ name }) => name === stackName);
    const output = producer?.template.Outputs[outputName ?? ''];
    if (producer === undefined || output === undefined)
      throw new Error(`${String(stackName)} has no output ${String(outputName)}, which ${stack.name} reads`);
    return this.#walk(producer, output.Value);
  }

  #select(stack: Stack, argument: unknown): unknown {
    const [index, list] = items(argument, 'Fn::Select');
    const value = items(this.#walk(stack, list), 'Fn::Select')[Number(this.#walk(stack, index))];
    if (value === undefined) throw new Error(`Fn::Select beyond its list in stack ${stack.name}`);
    return value;
  }

  #split(stack: Stack, argument: unknown): readonly string[] {
    const [separator, value] = items(argument, 'Fn::Split');
    return text(this.#walk(stack, value), 'Fn::Split').split(text(separator, 'Fn::Split'));
  }

  #choose(stack: Stack, argument: unknown): unknown {
    const [name, whenTrue, whenFalse] = items(argument, 'Fn::If');
    return this.#walk(stack, this.#evaluate(stack, { Condition: name }) ? whenTrue : whenFalse);
  }

  #evaluate(stack: Stack, expression: unknown): boolean {
    if (!isMembers(expression)) throw new Error(`not a condition: ${JSON.stringify(expression)}`);
    const [operator = '', argument] = Object.entries(expression)[0] ?? [];
    switch (operator) {
      case 'Condition':
        return this.condition(stack, text(argument, 'Condition'));
      case 'Fn::Equals': {
        const [left, right] = items(argument, operator).map((side) =>
          JSON.stringify(this.#walk(stack, side)),
        );
        return left === right;
      }
      case 'Fn::Not':
        return !this.#evaluate(stack, items(argument, operator)[0]);
      case 'Fn::And':
        return items(argument, operator).every((part) => this.#evaluate(stack, part));
      case 'Fn::Or':
        return items(argument, operator).some((part) => this.#evaluate(stack, part));
      default:
        throw new Error(`unsupported condition ${operator} in stack ${stack.name}`);
    }
  }
}

export function createResolver(options: ResolverOptions): Resolver {
  return new TemplateResolver(options);
}
