import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trustedCertificates } from '../../../bin/start/trusted-certificates.ts';
import { testCertificate } from '../../support/destination.ts';
import { needing } from '../../support/needing.ts';
import { temporaryFolder } from '../../support/run-service.ts';

const { describe } = needing('openssl');

describe('the certificates of --trust', () => {
  const folder = temporaryFolder();
  const file = (text: string): string => {
    const path = join(folder, 'trust.pem');
    writeFileSync(path, text);
    return path;
  };

  it('are all those of a file, and nothing else in it', () => {
    const { certFile, keyFile } = testCertificate();
    const cert = readFileSync(certFile, 'utf8');
    const key = readFileSync(keyFile, 'utf8');
    const found = trustedCertificates([file(`# two\n${cert}${key}${cert}`)]);
    expect(found).toEqual([cert.trim(), cert.trim()]);
    expect(trustedCertificates([])).toEqual([]);
  });

  it('are refused in one line', () => {
    expect(() => trustedCertificates([join(folder, 'none.pem')])).toThrow(
      /none\.pem cannot be read \(ENOENT\)$/,
    );
    expect(() => trustedCertificates([file('x')])).toThrow('trust.pem has no certificate in PEM form');
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    expect(() => trustedCertificates([file(damaged)])).toThrow('trust.pem has a damaged certificate');
  });
});
