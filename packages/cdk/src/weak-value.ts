import { Fn, Lazy, Stack } from 'aws-cdk-lib';

/**
 * A token for an output of a stack. Reading it makes no export, so that the stack can change the
 * value later, and makes the reader's stack be deployed after it.
 */
export function weakValue(producer: Stack, output: string): string {
  const value = Fn.getStackOutput(producer.stackName, output);
  return Lazy.uncachedString({
    produce: ({ scope }) => {
      const reader = Stack.of(scope);
      if (reader === producer) throw new Error(`${producer.stackName} cannot read its own ${output}`);
      reader.addStackDependency(producer);
      return value;
    },
  });
}
