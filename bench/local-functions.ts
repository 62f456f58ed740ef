/** Each function of a running local service with its environment, as its AWS endpoint tells them. */
export type FunctionEnvironments = readonly {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
}[];

export async function functionEnvironments(awsEndpointUrl: string): Promise<FunctionEnvironments> {
  return (await (await fetch(`${awsEndpointUrl}/_local/functions`)).json()) as FunctionEnvironments;
}

/** The environment of the function of a folder. */
export function environmentOf(
  environments: FunctionEnvironments,
  folder: string,
): Readonly<Record<string, string>> {
  // The stack's name for it is the last word of the folder's.
  const wanted = new RegExp(`-${folder.split('-').at(-1) ?? ''}(function|$)`, 'i');
  const found = environments.find(({ name }) => wanted.test(name));
  if (found === undefined)
    throw new Error(`no function ${folder} among ${environments.map(({ name }) => name).join(', ')}`);
  return found.environment;
}
