import type { CreateFunctionCommandInput } from '@aws-sdk/client-lambda';
import { REACTOR_MEMORY_MB } from '../../core/reactors/layer.ts';

/**
 * Longer than the longest run (docs/contract.md#limits). The runtime enforces the run's own
 * deadline.
 */
const TIMEOUT_SECONDS = 225;

/** The members of the call that differ between reactors and deployments. */
export type ReactorCreation = Required<
  Pick<CreateFunctionCommandInput, 'FunctionName' | 'Role' | 'Architectures' | 'Layers' | 'Tags' | 'Code'>
>;

/**
 * The call that makes the function of a reactor. A check of an account makes the same one, so that
 * it meets the rules that an organisation has about it (docs/decisions/0092).
 */
export const reactorCreation = (own: ReactorCreation): CreateFunctionCommandInput => ({
  ...own,
  Description: 'A reactor',
  Runtime: 'provided.al2023',
  Handler: 'reactor.handler',
  MemorySize: REACTOR_MEMORY_MB,
  Timeout: TIMEOUT_SECONDS,
  Publish: true,
});
