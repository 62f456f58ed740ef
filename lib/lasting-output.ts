import { CfnOutput, Reference, Stack, Tokenization } from 'aws-cdk-lib';
import { Construct } from 'constructs';

/** The scope in which the CDK publishes the values that other stacks read. */
const PUBLISHED = 'Publish';

/**
 * Publishes a value of a stack for others, whether or not one of them reads it now. A weak
 * reference makes the same output, so that its name does not depend on the readers. If the last
 * reader vanishes with a setting, a rollback still finds the value (docs/decisions/0049).
 */
export function lastingOutput(value: string): void {
  const reference = Tokenization.reverseString(value).firstToken;
  if (!Reference.isReference(reference)) throw new Error('only a reference can be published');
  const stack = Stack.of(reference.target);
  const scope = stack.node.tryFindChild(PUBLISHED) ?? new Construct(stack, PUBLISHED);
  new CfnOutput(scope, `Output${JSON.stringify(stack.resolve(reference))}`, { value });
}
