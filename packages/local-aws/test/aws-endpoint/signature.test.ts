import { parseSignature, signatureProblem } from '../../src/aws-endpoint/signature.ts';
import { signedHeaders } from '../signed-request.ts';

const MINUTE_MS = 60_000;
const NOW = Date.parse('2026-11-26T12:00:00Z');

/** Checks a call that is dated so, while the local clock is an hour ahead of the machine. */
async function problemOf(signedAt: number): Promise<string | undefined> {
  const url = 'http://localhost/';
  const request = { url, service: 'kms', accessKeyId: 'KEY', region: 'eu-west-1', date: new Date(signedAt) };
  const headers = signedHeaders(request);
  const signature = parseSignature(headers['authorization']);
  if (signature === undefined) throw new Error('no signature');
  const call = { method: 'POST', url: '/', headers, body: Buffer.alloc(0) };
  return signatureProblem(signature, call, 'secret', [NOW, NOW + 60 * MINUTE_MS]);
}

it.each([-5, 0, 30, 60, 65])(
  'a call is accepted that is dated %d minutes after the machine’s time',
  async (minutes) => {
    expect(await problemOf(NOW + minutes * MINUTE_MS)).toBeUndefined();
  },
);

it.each([-6, 66])('a call is rejected that is dated %d minutes after the machine’s time', async (minutes) => {
  expect(await problemOf(NOW + minutes * MINUTE_MS)).toContain('more than 5 minutes');
});
