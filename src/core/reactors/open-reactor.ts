import { createHash } from 'node:crypto';
import type { Vault } from '../crypto/vault.ts';
import { isJsonObject, type Json } from '../shared/json.ts';
import { Secret } from '../shared/secret.ts';
import type { Configuration, Reactor, ReactorContent, ReactorRecord } from './reactor.ts';

const context = ({ tenantId, id }: Pick<ReactorRecord, 'tenantId' | 'id'>, field: string) => ({
  tenantId,
  recordId: id,
  field,
});

const CODE = 'reactor-code';
const CONFIGURATION = 'reactor-configuration';

/**
 * The stored form of a reactor's code and configuration: both sealed for this reactor, with a hash
 * of the code.
 */
export async function sealContent(
  vault: Vault,
  reactor: Pick<ReactorRecord, 'tenantId' | 'id'>,
  { code, configuration }: ReactorContent,
): Promise<Pick<ReactorRecord, 'codeHash' | 'sealedCode' | 'sealedConfiguration'>> {
  const [sealedCode, sealedConfiguration] = await Promise.all([
    vault.seal(context(reactor, CODE), code),
    vault.seal(context(reactor, CONFIGURATION), configuration),
  ]);
  return {
    codeHash: createHash('sha256').update(code.reveal()).digest('hex'),
    sealedCode,
    sealedConfiguration,
  };
}

export async function openConfiguration(
  vault: Vault,
  reactor: ReactorRecord,
): Promise<Secret<Configuration>> {
  const opened = await vault.open(context(reactor, CONFIGURATION), reactor.sealedConfiguration);
  const value: Json = opened.reveal();
  if (!isJsonObject(value)) throw new Error('reactor: its configuration is no object');
  // Only texts are ever sealed here, and the seal proves the value unchanged.
  return new Secret(value as Configuration);
}

export async function openReactor(vault: Vault, stored: ReactorRecord): Promise<Reactor> {
  const [code, configuration] = await Promise.all([
    vault.open(context(stored, CODE), stored.sealedCode),
    openConfiguration(vault, stored),
  ]);
  const { sealedCode: _code, sealedConfiguration: _configuration, ...record } = stored;
  const text = code.reveal();
  if (typeof text !== 'string') throw new Error('reactor: its code is no text');
  return { ...record, code: new Secret(text), configuration };
}
