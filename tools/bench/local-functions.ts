import { control, type LocalAdministrator } from '../../packages/local-aws/src/control.ts';
/** A function of a running local service, with which its code can be run elsewhere. */
export interface LocalFunction {
  readonly name: string;
  readonly arn: string;
  readonly handler: string;
  readonly runtime: string;
  /** The folder that AWS would unpack into `/var/task`. */
  readonly codeDirectory: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Each function of a running local service, as its AWS endpoint lists them. */
export type FunctionEnvironments = readonly LocalFunction[];

export async function functionEnvironments(account: LocalAdministrator): Promise<FunctionEnvironments> {
  return (await control(account, 'functions')) as FunctionEnvironments;
}

export function functionOf<Named extends Pick<LocalFunction, 'name'>>(
  functions: readonly Named[],
  folder: string,
): Named {
  // The stack's name for it is the last word of the folder's, or all of them.
  const words = folder.split('-');
  const wanted = new RegExp(`-(${words.slice(0, -1).join('')})?${words.at(-1) ?? ''}(function|$)`, 'i');
  const found = functions.find(({ name }) => wanted.test(name));
  if (found === undefined)
    throw new Error(`no function ${folder} among ${functions.map(({ name }) => name).join(', ')}`);
  return found;
}

export function environmentOf(
  functions: FunctionEnvironments,
  folder: string,
): Readonly<Record<string, string>> {
  return functionOf(functions, folder).environment;
}
