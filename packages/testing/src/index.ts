export { createVault } from './create-vault.ts';
export {
  vaultMatchers,
  type MatcherFunctions,
  type MatcherResult,
  type NamedApplication,
  type VaultMatchers,
} from './matchers.ts';
export type {
  Delivery,
  Destination,
  DestinationHandler,
  Failure,
  Snapshot,
  Vault,
  VaultClientOptions,
  VaultClock,
  VaultOptions,
} from './vault.ts';
export type { OperationName } from './operation-name.ts';
