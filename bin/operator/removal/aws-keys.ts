import { createPublicKey } from 'node:crypto';
import {
  DescribeKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListResourceTagsCommand,
  paginateListKeys,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import type { KeyState } from './removal-account.ts';
import { type ClientSettings, unless } from './aws-call.ts';

const SHORTEST_WAIT_DAYS = 7;

export function keyCalls(settings: ClientSettings) {
  const client = new KMSClient(settings);

  /** Whether a key has the tag; `undefined` if its policy hides that. */
  async function hasTag(KeyId: string, tag: string, value: string): Promise<boolean | undefined> {
    const command = new ListResourceTagsCommand({ KeyId });
    const found = await unless(['AccessDeniedException'], client.send(command));
    return found && found.Tags?.some(({ TagKey, TagValue }) => TagKey === tag && TagValue === value) === true;
  }

  async function state(KeyId: string): Promise<readonly KeyState[]> {
    const { KeyMetadata: key } = await client.send(new DescribeKeyCommand({ KeyId }));
    if (key?.KeyState?.startsWith('Pending') === true) return [];
    const replicas = key?.MultiRegionConfiguration?.ReplicaKeys ?? [];
    return [
      {
        id: KeyId,
        use: key?.KeyUsage === 'SIGN_VERIFY' ? 'SIGN_VERIFY' : 'ENCRYPT_DECRYPT',
        replicas: replicas.flatMap(({ Region }) => Region ?? []),
      },
    ];
  }

  return {
    keys: async (tag: string, value: string) => {
      const keys: KeyState[] = [];
      let unreadable = 0;
      for await (const { Keys = [] } of paginateListKeys({ client }, {}))
        for (const { KeyId = '' } of Keys) {
          const isTagged = await hasTag(KeyId, tag, value);
          if (isTagged === undefined) unreadable += 1;
          if (isTagged === true) keys.push(...(await state(KeyId)));
        }
      return { keys, unreadable };
    },
    publicKey: async (KeyId: string) => {
      const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId }));
      const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
      return key.export({ format: 'pem', type: 'spki' }).toString();
    },
    scheduleKeyDeletion: async (KeyId: string) => {
      const command = new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: SHORTEST_WAIT_DAYS });
      // It is pending already.
      await unless(['KMSInvalidStateException'], client.send(command));
    },
  };
}
