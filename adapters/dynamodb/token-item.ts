import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { StoredToken } from '../../core/tokens/token.ts';
import { TOKEN_TYPE_NAMES } from '../../core/tokens/token-type.ts';
import { listPartition, parseTokenPartition, shardOf, sortableTime, tokenKey } from './keys.ts';
import { fromItem, toBuffer, toItem, type Item } from './table-client.ts';

const binary = z.instanceof(Uint8Array).transform(toBuffer);

const tokenItem = z.object({
  pk: z.string(),
  type: z.enum(TOKEN_TYPE_NAMES as readonly [StoredToken['type'], ...StoredToken['type'][]]),
  containers: z.array(z.string()),
  fingerprint: z.string(),
  data: binary.optional(),
  chunks: z.number().optional(),
  details: binary.optional(),
  cvcUntil: z.number().optional(),
  expiresAt: z.number().optional(),
  expiresOffset: z.number().optional(),
  createdBy: z.string(),
  createdAt: z.number(),
  modifiedBy: z.string().optional(),
  modifiedAt: z.number().optional(),
  version: z.number(),
  writeId: binary,
});

/** A token item whose data may stand in `chunks` items beside it. */
export interface ReadToken {
  readonly token: Omit<StoredToken, 'sealedData'> & { readonly sealedData: Buffer | undefined };
  readonly chunks: number;
}

/** Parses a token item. Throws if it is not one: a store that holds anything else is not ours. */
export function readTokenItem(item: Item): ReadToken {
  const { pk, data, details, chunks, expiresAt, expiresOffset, cvcUntil, modifiedBy, modifiedAt, ...rest } =
    tokenItem.parse(fromItem(item));
  return {
    chunks: chunks ?? 0,
    token: {
      ...rest,
      ...parseTokenPartition(pk),
      sealedData: data,
      ...(details && { sealedDetails: details }),
      ...(cvcUntil !== undefined && { cvcUntil }),
      ...(expiresAt !== undefined && { expiration: { at: expiresAt, offsetMinutes: expiresOffset ?? 0 } }),
      ...(modifiedBy !== undefined && { modifiedBy }),
      ...(modifiedAt !== undefined && { modifiedAt }),
    },
  };
}

/** The place of a new token in the list index: by creation time, ties broken at random. */
export function listPosition(createdAt: number): string {
  return `${sortableTime(createdAt)}${randomBytes(5).toString('base64url')}`;
}

/** When DynamoDB itself may delete an item, in seconds: the backstop for a sweep that cannot run. */
export function timeToLive(at: number): number {
  return Math.ceil(at / 1000);
}

/** The item of a token. `chunks` above 0: the data stands in that many items beside it. */
export function tokenItemOf(
  token: StoredToken,
  options: { readonly listShards: number; readonly position: string; readonly chunks: number },
): Item {
  return toItem({
    ...tokenKey(token.tenantId, token.id),
    listPk: listPartition(token.tenantId, shardOf(token.id, options.listShards)),
    listSk: options.position,
    type: token.type,
    containers: token.containers,
    fingerprint: token.fingerprint,
    data: options.chunks === 0 ? token.sealedData : undefined,
    chunks: options.chunks === 0 ? undefined : options.chunks,
    details: token.sealedDetails,
    cvcUntil: token.cvcUntil,
    expiresAt: token.expiration?.at,
    expiresOffset: token.expiration?.offsetMinutes,
    ttl: token.expiration === undefined ? undefined : timeToLive(token.expiration.at),
    createdBy: token.createdBy,
    createdAt: token.createdAt,
    modifiedBy: token.modifiedBy,
    modifiedAt: token.modifiedAt,
    version: token.version,
    writeId: token.writeId,
  });
}
