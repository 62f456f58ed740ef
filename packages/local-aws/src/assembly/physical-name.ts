import { createHash } from 'node:crypto';

function digest(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('/')).digest();
}

/**
 * The physical name of a resource without a name in its template. Every start finds stored data by
 * the same name. As in CloudFormation, a digest makes cut names unique.
 */
export function physicalName(stackName: string, logicalId: string, maxLength: number): string {
  const name = `${stackName}-${logicalId}`;
  if (name.length <= maxLength) return name;
  return `${name.slice(0, maxLength - 9)}-${digest(stackName, logicalId).toString('hex').slice(0, 8)}`;
}

/**
 * The id of a KMS key, the same for every start: a UUID (version 4 in form), or for a multi-Region
 * key `mrk-` and 32 hexadecimal digits (AWS KMS Developer Guide, Multi-Region keys).
 */
export function physicalKeyId(stackName: string, logicalId: string, isMultiRegion: boolean): string {
  const hex = digest('uuid', stackName, logicalId).toString('hex');
  if (isMultiRegion) return `mrk-${hex.slice(0, 32)}`;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Returns ten lower-case letters and digits, which is the format of API Gateway's ids. */
export function physicalId(stackName: string, logicalId: string): string {
  const number = digest('id', stackName, logicalId).readBigUInt64BE();
  return number.toString(36).padStart(10, '0').slice(-10);
}
