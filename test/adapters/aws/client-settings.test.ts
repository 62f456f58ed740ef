import { createHash, createHmac } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { withoutLogger } from '../../../src/adapters/aws/client-settings.ts';
import EndpointMap from '../../../src/adapters/aws/endpoint-map.ts';
import { Md5, Sha256 } from '../../../src/adapters/aws/checksum.ts';

const text = Buffer.from('GET\n/\n');

describe('the hash for signatures', () => {
  it('is SHA-256, also when it is read twice and reset', async () => {
    const hash = new Sha256();
    hash.update(text);
    const expected = createHash('sha256').update(text).digest('hex');
    const digests = [await hash.digest(), await hash.digest()];
    expect(digests.map((digest) => Buffer.from(digest).toString('hex'))).toEqual([expected, expected]);
    hash.reset();
    expect(Buffer.from(await hash.digest()).toString('hex')).toBe(createHash('sha256').digest('hex'));
  });

  it.each([
    ['text', 'AWS4secret'],
    ['bytes', Buffer.from('AWS4secret')],
    ['a view of bytes', new Uint8Array(Buffer.from('xAWS4secret')).subarray(1)],
    ['a buffer', new Uint8Array(Buffer.from('AWS4secret')).buffer],
  ])('is the HMAC under a secret that is %s', async (_what, secret) => {
    const hash = new Sha256(secret);
    hash.update(text);
    const expected = createHmac('sha256', 'AWS4secret').update(text).digest('hex');
    expect(Buffer.from(await hash.digest()).toString('hex')).toBe(expected);
  });
});

it('the hash of messages is MD5, also when it is read twice and reset', async () => {
  const hash = new Md5();
  hash.update(text.subarray(0, 3));
  hash.update(text.subarray(3));
  const expected = createHash('md5').update(text).digest('hex');
  const digests = [await hash.digest(), await hash.digest()];
  expect(digests.map((digest) => Buffer.from(digest).toString('hex'))).toEqual([expected, expected]);
  hash.reset();
  expect(Buffer.from(await hash.digest()).toString('hex')).toBe(createHash('md5').digest('hex'));
});

it('the map of endpoints has what the cache of the SDK calls, and starts empty whatever its size', () => {
  const endpoints = new EndpointMap<string, number>(1_000);
  expect([endpoints.size, endpoints.has('a'), endpoints.peek('a')]).toEqual([0, false, undefined]);
  endpoints.set('a', 1);
  expect([endpoints.get('a'), endpoints.peek('a')]).toEqual([1, 1]);
  endpoints.clear();
  expect(endpoints.size).toBe(0);
});

describe('a client without a logger', () => {
  it('logs nothing of its requests, whatever its settings are', async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    const settings = {
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
      logger,
      requestHandler: { handle: () => Promise.reject(new Error('offline')) },
    };
    const command = () => new GetItemCommand({ TableName: 'T', Key: { pk: { S: 'secret' } } });
    const loud = new DynamoDBClient({ ...settings, requestHandler: settings.requestHandler as never });
    await expect(loud.send(command())).rejects.toThrow('offline');
    const ofCommands = () => JSON.stringify(lines).includes('GetItemCommand');
    expect(ofCommands()).toBe(true);
    lines.length = 0;
    const quiet = withoutLogger(
      new DynamoDBClient({ ...settings, requestHandler: settings.requestHandler as never }),
    );
    await expect(quiet.send(command())).rejects.toThrow('offline');
    expect(ofCommands()).toBe(false);
  });
});
