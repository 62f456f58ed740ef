import { createPublicKey } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import type { Response } from './command-behaviour.ts';
import { UsageError } from '../command-line/failures.ts';
import { verifyExport } from './verify-export.ts';

/** The content of a file. Throws {@link UsageError} that names the flag. */
function contentOf(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag} ${file}: cannot be read (${String(errorCode(error))})`);
  }
}

/**
 * A PEM public key from a file. Throws {@link UsageError} for anything else, a private key
 * included.
 */
export function publicKeyOf(file: string): string {
  const text = contentOf('key', file);
  try {
    if (text.includes('-----BEGIN PUBLIC KEY-----')) {
      createPublicKey(text);
      return text;
    }
  } catch {
    // The error below explains it.
  }
  throw new UsageError(`--key ${file}: contains no public key in PEM, as audit-key prints it`);
}

/** A file to which records are appended. */
export interface ExportFile {
  /** Appends the lines of a step. */
  add(lines: unknown): void;
  close(): void;
}

/**
 * Creates an export file that only its owner can read: it names tokens, applications and addresses.
 * Throws {@link UsageError} if it exists or cannot be created.
 */
export function createExportFile(file: string, { tenant_id: tenant, from, to }: Response): ExportFile {
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

/** Verifies an export without AWS. Throws {@link UsageError} for files that cannot be read. */
export async function verifyFile(file: string, keyFile: string): Promise<Response> {
  const key = publicKeyOf(keyFile);
  const input = createReadStream(file);
  await new Promise((resolve, reject) => {
    input.once('open', resolve);
    input.once('error', (error) => {
      reject(new UsageError(`--file ${file}: cannot be read (${String(errorCode(error))})`));
    });
  });
  const report = await verifyExport(createInterface({ input, crlfDelay: Infinity }), key);
  const { seals, records, unsealed, beforeSeals, expired, sealedFrom, sealedTo, exportedAt } = report;
  const { failures, broken } = report;
  return {
    seals,
    records,
    not_sealed_yet: unsealed,
    before_the_first_seal: beforeSeals,
    expired_intervals: expired,
    ...(sealedFrom !== undefined && { sealed_from: sealedFrom }),
    ...(sealedTo !== undefined && { sealed_to: sealedTo }),
    ...(exportedAt !== undefined && { exported_at: exportedAt }),
    macs: 'not verified: that needs the keys of the tenant',
    failures,
    intact: failures === 0,
    ...(failures > 0 && { broken: broken.map((what) => ({ what })) }),
  };
}
