import type { Vault } from '../crypto/vault.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import { codeHash } from './code-hash.ts';
import type { Configuration, Reactor, ReactorContent, ReactorRecord } from './reactor.ts';

const context = ({ tenantId, id }: Pick<ReactorRecord, 'tenantId' | 'id'>, field: string) => ({
  tenantId,
  recordId: id,
  field,
});

const CODE = 'reactor-code';
const CONFIGURATION = 'reactor-configuration';

/**
 * The stored form of a reactor's code and configuration: both encrypted for this reactor, with a
 * hash of what runs.
 */
export async function encryptContent(
  vault: Vault,
  reactor: Pick<ReactorRecord, 'tenantId' | 'id' | 'image' | 'packages'>,
  { code, configuration }: ReactorContent,
): Promise<Pick<ReactorRecord, 'codeHash' | 'encryptedCode' | 'encryptedConfiguration'>> {
  const [encryptedCode, encryptedConfiguration] = await Promise.all([
    vault.encrypt(context(reactor, CODE), code),
    vault.encrypt(context(reactor, CONFIGURATION), configuration),
  ]);
  return {
    codeHash: codeHash(code.reveal(), reactor),
    encryptedCode,
    encryptedConfiguration,
  };
}

export async function openConfiguration(
  vault: Vault,
  reactor: ReactorRecord,
): Promise<Secret<Configuration>> {
  const opened = await vault.decrypt(context(reactor, CONFIGURATION), reactor.encryptedConfiguration);
  const value: Json = opened.reveal();
  if (!isJsonObject(value)) throw new Error('reactor: its configuration is no object');
  // Only texts are ever encrypted here, and the authentication tag proves them unchanged.
  return new Secret(value as Configuration);
}

export async function openReactor(vault: Vault, stored: ReactorRecord): Promise<Reactor> {
  const [code, configuration] = await Promise.all([
    vault.decrypt(context(stored, CODE), stored.encryptedCode),
    openConfiguration(vault, stored),
  ]);
  const { encryptedCode: _code, encryptedConfiguration: _configuration, ...record } = stored;
  const text = code.reveal();
  if (typeof text !== 'string') throw new Error('reactor: its code is no text');
  return { ...record, code: new Secret(text), configuration };
}
