import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface Certificate {
  readonly keyFile: string;
  readonly certFile: string;
}

/**
 * Makes a key and a certificate for `localhost` in a folder, trusted only where it is named
 * (`npm start -- --trust FILE`). Throws an Error fit for the terminal without openssl.
 */
export function makeCertificate(folder: string, days: number): Certificate {
  const keyFile = join(folder, 'key.pem');
  const certFile = join(folder, 'cert.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  try {
    execFileSync('openssl', ['req', '-x509', ...key, '-days', String(days), '-out', certFile, ...subject], {
      stdio: 'ignore',
    });
  } catch (error) {
    throw new Error('the certificate is created with openssl, which failed or is missing', {
      cause: error,
    });
  }
  return { keyFile, certFile };
}
