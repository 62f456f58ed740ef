import { Fn, Lazy, Stack, Token } from 'aws-cdk-lib';

/** Whether two accounts or Regions are known to differ. */
const differ = (a: string, b: string) => !Token.isUnresolved(a) && !Token.isUnresolved(b) && a !== b;

/**
 * A token for an output of a stack. Reading it makes no export, so that the stack can change the
 * value later, and makes the reader's stack be deployed after it. A reader may be in another
 * Region, and not in another account.
 */
export function weakValue(producer: Stack, output: string): string {
  const { stackName: name, account, region } = producer;
  const here = Fn.getStackOutput(name, output);
  // Without a Region, CloudFormation looks in that of the reader.
  const elsewhere = Token.isUnresolved(region) ? here : Fn.getStackOutput(name, output, region);
  return Lazy.uncachedString({
    produce: ({ scope }) => {
      const reader = Stack.of(scope);
      if (reader === producer) throw new Error(`${name} cannot read its own ${output}`);
      if (differ(reader.account, account))
        throw new Error(`${reader.stackName} cannot read ${output} of ${name}, which is in another account`);
      reader.addStackDependency(producer);
      return reader.region === region ? here : elsewhere;
    },
  });
}
