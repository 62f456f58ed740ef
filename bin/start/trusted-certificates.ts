import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorMessage } from '../../packages/local-aws/src/error-code.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of PEM files, for receivers and destinations on this machine. Throws an Error
 * fit for the terminal if a file cannot be read or has none.
 */
export function trustedCertificates(files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      throw new Error(`--trust: ${errorMessage(error)}`, { cause: error });
    }
    const found = text.match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new Error(`--trust: ${file} has no certificate in PEM form`);
    for (const pem of found)
      try {
        new X509Certificate(pem);
      } catch (error) {
        throw new Error(`--trust: ${file} has a damaged certificate`, { cause: error });
      }
    return found;
  });
}
