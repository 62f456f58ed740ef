import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awsRemovalAccount } from '../../../../bin/operator/removal/aws-removal-account.ts';

it('a removal takes the time from AWS, not from this machine', async () => {
  const late = new Date('2028-04-01T10:00:00Z');
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', date: late.toUTCString() });
    response.end('{"TableNames":[]}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const account = awsRemovalAccount({
      endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    expect(await account.now()).toEqual(late);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
});
