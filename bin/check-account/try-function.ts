import { randomUUID } from 'node:crypto';
import { CreateFunctionCommand, DeleteFunctionCommand } from '@aws-sdk/client-lambda';
import { codeArchive } from '../../src/adapters/lambda/code-archive.ts';
import { reactorCreation } from '../../src/adapters/lambda/reactor-creation.ts';
import { reactorFunctionName } from '../../src/adapters/lambda/reactor-function-name.ts';
import { tagsOf } from '../../src/adapters/lambda/reactor-function.ts';
import { Secret } from '../../src/core/shared/secret.ts';
import type { Account } from './account.ts';
import { finding, isDenied, messageOf, nameOf, ok, warning, type Check } from './check.ts';

const ID = 'reactors';

/** The role and the layer that reactors get, once their stack exists. */
export interface MadeWith {
  readonly roleArn: string;
  readonly layers: readonly string[];
  /** Whether they exist. Without the role Lambda makes nothing, after it has checked the rights. */
  readonly exist: boolean;
}

export interface Trial {
  readonly architecture: 'arm64' | 'x86_64';
  readonly prefix: string;
  /** The deployment puts them on everything. */
  readonly tags: Readonly<Record<string, string>>;
  readonly madeWith: MadeWith;
}

/** No caller invokes it. */
const CODE = 'module.exports = async () => ({});';
const TRIES = 10;
const PAUSE_MS = 1_000;

const RULES =
  'Ask who writes the rules of your organisation (SCP, resource control policies) to allow lambda:CreateFunction, TagResource and DeleteFunction for the functions with this prefix, without a VPC and without signed code (docs/deploy.md#rules-of-an-organisation).';

/** A new function is not ready for some seconds, and AWS may refuse to delete it until then. */
async function remove({ lambda, pause }: Account, name: string): Promise<unknown> {
  for (let tries = 1; ; tries += 1)
    try {
      await lambda.send(new DeleteFunctionCommand({ FunctionName: name }));
      return undefined;
    } catch (error) {
      if (nameOf(error) === 'ResourceNotFoundException') return undefined;
      if (nameOf(error) !== 'ResourceConflictException' || tries === TRIES) return error;
      await pause(PAUSE_MS);
    }
}

function ofRefusal(error: unknown, name: string, { exist }: MadeWith): Check {
  const text = `${nameOf(error)}: ${messageOf(error)}`;
  if (isDenied(error)) return finding(ID, `the account refuses to make the function ${name}: ${text}`, RULES);
  const isRole = nameOf(error) === 'InvalidParameterValueException' && /\brole\b/i.test(messageOf(error));
  if (isRole && !exist)
    return warning(
      ID,
      'no rule refuses the function of a reactor, and none was made: its role exists with the stack Reactors',
      'Run the check again after the deployment: it then makes a function with the role, the layer and the tags of reactors, and deletes it.',
    );
  return finding(ID, `Lambda does not make the function of a reactor: ${text}`, RULES);
}

/**
 * Makes one function as `POST /reactors` does, with the same tags, and deletes it. It never makes a
 * role: before the first deployment it names one that does not exist (docs/decisions/0092).
 */
export async function tryFunction(
  account: Account,
  { prefix, architecture, tags, madeWith }: Trial,
): Promise<Check> {
  const id = randomUUID();
  const name = reactorFunctionName(prefix, id);
  const { roleArn, layers } = madeWith;
  let refusal: Check | undefined;
  try {
    const creation = reactorCreation({
      FunctionName: name,
      Architectures: [architecture],
      Role: roleArn,
      Layers: [...layers],
      Tags: tagsOf({ tenantId: randomUUID(), id }, tags),
      Code: { ZipFile: codeArchive({ code: new Secret(CODE) }) },
    });
    await account.lambda.send(new CreateFunctionCommand(creation));
  } catch (error) {
    refusal = ofRefusal(error, name, madeWith);
    // Only a refusal proves that nothing was made: a response may be lost.
    if (isDenied(error) || refusal.status === 'warning') return refusal;
  }
  const left = await remove(account, name);
  if (refusal !== undefined && left === undefined) return refusal;
  return left === undefined
    ? ok(ID, 'the account made and deleted a function with the tags of a reactor')
    : finding(
        ID,
        `the function ${name} was made for this check and cannot be deleted: ${messageOf(left)}`,
        `Delete it: aws lambda delete-function --function-name ${name}. ${RULES}`,
      );
}
