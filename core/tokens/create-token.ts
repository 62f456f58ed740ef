import type { Caller } from '../applications/application.ts';
import { requireAccess } from '../applications/require-permission.ts';
import type { TenantKeys } from '../crypto/tenant-keys.ts';
import type { Vault } from '../crypto/vault.ts';
import type { Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { ServiceError } from '../shared/service-error.ts';
import type { WriteIdentity } from '../shared/write-identity.ts';
import { tokenIds } from './choose-token-id.ts';
import {
  hasExpired,
  openToken,
  sealContext,
  showToken,
  type OpenTokenDeps,
  type TokenParts,
} from './open-token.ts';
import { prepareContent, wholeData, type PreparedContent } from './prepare-token.ts';
import type { StoredToken, TokenView } from './token.ts';
import type { TokenInput } from './token-input.ts';
import type { NewToken, TokenStore } from './token-store.ts';

export interface CreateTokenDeps extends OpenTokenDeps {
  readonly tokenStore: TokenStore;
  readonly tenantKeys: TenantKeys;
  /** How long a cvc lives, in ms. */
  readonly cvcLifetimeMs: number;
}

async function sealed(
  vault: Vault,
  token: { readonly tenantId: string; readonly id: string },
  content: PreparedContent,
): Promise<Pick<StoredToken, 'sealedData' | 'sealedDetails'> & { readonly sealedCvc?: Buffer }> {
  const hasDetails = Object.keys(content.details).length > 0;
  const [sealedData, sealedDetails, sealedCvc] = await Promise.all([
    vault.seal(sealContext(token, 'data'), content.data),
    hasDetails
      ? vault.seal(sealContext(token, 'details'), new Secret(content.details as unknown as Json))
      : undefined,
    content.cvc === undefined ? undefined : vault.seal(sealContext(token, 'cvc'), content.cvc),
  ]);
  return { sealedData, ...(sealedDetails && { sealedDetails }), ...(sealedCvc && { sealedCvc }) };
}

async function assemble(
  deps: CreateTokenDeps,
  caller: Caller,
  input: TokenInput,
  content: PreparedContent,
  identity: { readonly id: string; readonly fingerprint: string; readonly writeId: Buffer },
): Promise<NewToken> {
  const now = deps.clock();
  const { sealedCvc, ...parts } = await sealed(
    deps.vault,
    { tenantId: caller.tenantId, id: identity.id },
    content,
  );
  const until = now + deps.cvcLifetimeMs;
  const token: StoredToken = {
    tenantId: caller.tenantId,
    ...identity,
    type: input.type,
    containers: content.containers,
    ...parts,
    ...(sealedCvc === undefined ? {} : { cvcUntil: until }),
    ...(content.expiration === undefined ? {} : { expiration: content.expiration }),
    createdBy: caller.applicationId,
    createdAt: now,
    version: 1,
  };
  return { token, ...(sealedCvc === undefined ? {} : { cvc: { sealedCvc, until } }) };
}

/** What was just sealed need not be opened again to be shown. */
function partsOf(content: PreparedContent): TokenParts {
  return {
    details: content.details,
    data: () => Promise.resolve(content.data),
    wholeData: () => Promise.resolve(wholeData(content.data, content.cvc)),
  };
}

/**
 * Writes a token; one of the same id that has expired makes way. `taken` if the id is, `repeated` with the token as it stands if
 * an earlier attempt of this very request had written it and its answer was lost.
 */
async function write(
  deps: CreateTokenDeps,
  token: NewToken,
): Promise<'created' | 'taken' | { readonly repeated: StoredToken }> {
  for (;;) {
    const outcome = await deps.tokenStore.create(token);
    if (outcome === 'created') return 'created';
    if (outcome.taken.writeId.equals(token.token.writeId)) return { repeated: outcome.taken };
    if (!hasExpired(outcome.taken, deps.clock())) return 'taken';
    await deps.tokenStore.deleteWhole(outcome.taken);
  }
}

/**
 * Creates a token. Throws `validation_failed`, `payload_too_large`, `forbidden` if no rule grants `token:create` on all its containers,
 * and `conflict` if a literal id is taken. The answer shows the data under the transform of the rule that decided.
 */
export async function createToken(
  deps: CreateTokenDeps,
  caller: Caller,
  input: TokenInput,
  writes: WriteIdentity,
): Promise<TokenView> {
  const content = prepareContent(input, deps.clock());
  const transform = requireAccess(caller, 'token:create', { containers: content.containers });
  const fingerprintKey = await deps.tenantKeys.current(caller.tenantId, 'fingerprint');
  const identity = { fingerprint: content.fingerprint(fingerprintKey.key), writeId: writes.newWriteId() };
  const ids = tokenIds(input.id, content.data, { isPlainType: input.type === 'token', newId: writes.newId });
  for (const id of ids) {
    const token = await assemble(deps, caller, input, content, { ...identity, id });
    const outcome = await write(deps, token);
    if (outcome === 'created') return showToken(token.token, transform, partsOf(content));
    if (outcome !== 'taken') return openToken(deps, outcome.repeated, transform);
  }
  throw new ServiceError('conflict', 'A token with this id exists.');
}
