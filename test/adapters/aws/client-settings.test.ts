import { createHash, createHmac } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createClient, USUAL } from '../../../src/adapters/aws/client-settings.ts';
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

  it('has the right key, in whatever order secrets come', async () => {
    const order = ['AWS4a', 'AWS4b', 'AWS4b', 'AWS4a', 'b'];
    const digests = await Promise.all(
      order.map(async (secret) => {
        const hash = new Sha256(secret);
        hash.update(text);
        return Buffer.from(await hash.digest()).toString('hex');
      }),
    );
    expect(digests).toEqual(order.map((secret) => createHmac('sha256', secret).update(text).digest('hex')));
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
      logger,
      requestHandler: { handle: () => Promise.reject(new Error('offline')) } as never,
    };
    const command = () => new GetItemCommand({ TableName: 'T', Key: { pk: { S: 'secret' } } });
    const loud = new DynamoDBClient(settings);
    await expect(loud.send(command())).rejects.toThrow('offline');
    const ofCommands = () => JSON.stringify(lines).includes('GetItemCommand');
    expect(ofCommands()).toBe(true);
    lines.length = 0;
    const quiet = createClient(DynamoDBClient, { clock: () => 0, reach: () => settings }, USUAL);
    await expect(quiet.send(command())).rejects.toThrow('offline');
    expect(ofCommands()).toBe(false);
  });
});

it('a client signs each call with the credentials of that moment', async () => {
  const signedBy: (string | undefined)[] = [];
  let nth = 0;
  const client = createClient(
    DynamoDBClient,
    {
      clock: () => 0,
      reach: () => ({
        region: 'us-east-1',
        // Credentials that have expired are asked for again.
        credentials: () => {
          nth += 1;
          const name = `KEY${String(nth)}`;
          return Promise.resolve({
            accessKeyId: name,
            secretAccessKey: name,
            sessionToken: name,
            expiration: new Date(0),
          });
        },
        requestHandler: {
          handle({ headers }: { readonly headers: Readonly<Record<string, string>> }) {
            signedBy.push(/Credential=(\w+)/.exec(headers['authorization'] ?? '')?.[1]);
            signedBy.push(headers['x-amz-security-token']);
            return Promise.reject(new Error('offline'));
          },
        } as never,
      }),
    },
    USUAL,
  );
  for (let calls = 0; calls < 2; calls += 1)
    await expect(
      client.send(new GetItemCommand({ TableName: 'T', Key: { pk: { S: 'a' } } })),
    ).rejects.toThrow();
  const [first, firstToken, second, secondToken] = signedBy;
  expect([first === firstToken, second === secondToken, first !== second]).toEqual([true, true, true]);
});
