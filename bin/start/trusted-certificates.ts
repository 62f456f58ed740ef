import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorCode } from '../../packages/local-aws/src/error-code.ts';
import { UsageError } from '../command-line/failures.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of PEM files, for receivers and destinations on this machine. Throws
 * {@link UsageError} if a file cannot be read or has none.
 */
export function trustedCertificates(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      throw new UsageError(`--trust: ${file} cannot be read (${String(errorCode(error))})`);
    }
    const found = text.match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new UsageError(`--trust: ${file} has no certificate in PEM form`);
    for (const pem of found)
      try {
        new X509Certificate(pem);
      } catch {
        throw new UsageError(`--trust: ${file} has a damaged certificate`);
      }
    return found;
  });
}
