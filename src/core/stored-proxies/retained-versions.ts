import { ServiceError } from '../shared/service-error.ts';
import type { ProxyChange } from './proxy-change.ts';
import { STORED_PROXY_LIMITS, type StoredProxy } from './stored-proxy.ts';

type Marks = Pick<StoredProxy, 'retainedVersions'>;

/** The retained versions after a change that ends with this version. Throws `conflict`. */
export function marksAfter(
  { retainedVersions: before = [] }: Marks,
  version: number,
  { keep, freeVersions = [] }: ProxyChange,
): Marks {
  const retained = before.filter(
    (each) => !freeVersions.includes(each) && (each !== version || keep !== false),
  );
  if (keep !== true || retained.includes(version))
    return retained.length === 0 ? {} : { retainedVersions: retained };
  if (retained.length >= STORED_PROXY_LIMITS.retainedVersions)
    throw new ServiceError(
      'conflict',
      `A proxy keeps at most ${String(STORED_PROXY_LIMITS.retainedVersions)} versions, and keeps ${retained.join(', ')}: free one by free_versions of a PATCH.`,
    );
  return { retainedVersions: [...retained, version] };
}

/** Names the versions whose mark a change sets or removes. */
export function changedMarks(
  { retainedVersions: before = [] }: Marks,
  { retainedVersions: after = [] }: Marks,
) {
  const removed = before.filter((version) => !after.includes(version));
  const set = after.filter((version) => !before.includes(version));
  return [...removed, ...set].map((version) => `versions.${String(version)}`);
}
