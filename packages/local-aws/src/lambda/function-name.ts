export interface FunctionName {
  readonly name: string;
  /** Is a version or an alias. */
  readonly qualifier: string | undefined;
}

/** Parses `name`, `account:function:name` or an ARN, each optionally followed by `:qualifier`. */
export function parseFunctionName(functionName: string): FunctionName {
  const parts = functionName.split(':');
  const marker = parts.lastIndexOf('function');
  const [name = '', qualifier] = marker === -1 ? parts : parts.slice(marker + 1);
  return { name, qualifier };
}
