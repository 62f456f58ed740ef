import { createPublicKey } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import type { Answer } from './commands.ts';
import { UsageError } from './failures.ts';
import { verifyExport } from './verify-export.ts';

/** What a file holds. Throws {@link UsageError} naming the flag. */
function contentOf(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag} ${file}: cannot be read (${String(errorCode(error))})`);
  }
}

/** The public key of a file, PEM. Throws {@link UsageError} for all else, also a private key. */
export function publicKeyOf(file: string): string {
  const text = contentOf('key', file);
  try {
    if (text.includes('-----BEGIN PUBLIC KEY-----')) {
      createPublicKey(text);
      return text;
    }
  } catch {
    // Said below.
  }
  throw new UsageError(`--key ${file}: holds no public key in PEM, as audit-key prints it`);
}

/** A file that records are added to. */
export interface ExportFile {
  /** Adds what a step has answered with. */
  add(lines: unknown): void;
  close(): void;
}

/**
 * Creates the file of an export, readable by its owner alone: it names tokens, applications and
 * addresses. Throws {@link UsageError} if it exists or cannot be created.
 */
export function createExportFile(file: string, { tenant_id: tenant, from, to }: Answer): ExportFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'wx', 0o600);
  } catch (error) {
    const code = errorCode(error);
    const why = code === 'EEXIST' ? 'the file exists' : `the file cannot be created (${String(code)})`;
    throw new UsageError(`--out ${file}: ${why}; nothing was done`);
  }
  const write = (line: unknown) => writeSync(descriptor, `${JSON.stringify(line)}\n`);
  write({ export: 1, tenant, from, to, at: new Date().toISOString() });
  return {
    add(lines) {
      for (const line of Array.isArray(lines) ? (lines as readonly unknown[]) : []) write(line);
    },
    close() {
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
  };
}

/** Checks an export without AWS. Throws {@link UsageError} for files that cannot be read. */
export async function verifyFile(file: string, keyFile: string): Promise<Answer> {
  const key = publicKeyOf(keyFile);
  const input = createReadStream(file);
  await new Promise((resolve, reject) => {
    input.once('open', resolve);
    input.once('error', (error) => {
      reject(new UsageError(`--file ${file}: cannot be read (${String(errorCode(error))})`));
    });
  });
  const { seals, records, unsealed, beforeSeals, expired, broken, sealedFrom, sealedTo, exportedAt } =
    await verifyExport(createInterface({ input, crlfDelay: Infinity }), key);
  return {
    ...{ seals, records, not_sealed_yet: unsealed },
    ...{ before_the_first_seal: beforeSeals, expired_intervals: expired },
    ...(sealedFrom !== undefined && { sealed_from: sealedFrom }),
    ...(sealedTo !== undefined && { sealed_to: sealedTo }),
    ...(exportedAt !== undefined && { exported_at: exportedAt }),
    macs: 'not checked: the keys of the tenant are needed for that',
    intact: broken === undefined,
    ...(broken !== undefined && { broken }),
  };
}
