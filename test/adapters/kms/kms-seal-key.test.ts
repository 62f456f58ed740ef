import { KMSClient } from '@aws-sdk/client-kms';
import {
  startAwsEndpoint,
  type AwsEndpoint,
} from '../../../packages/local-aws/src/aws-endpoint/start-aws-endpoint.ts';
import { createKms } from '../../../packages/local-aws/src/kms/create-kms.ts';
import { createSealSigner, sealPublicKey } from '../../../src/adapters/kms/kms-seal-key.ts';
import { sealSignerContract } from '../../contracts/seal-signer-contract.ts';

const ACCOUNT = { accountId: '123456789012', region: 'eu-west-1' };

let endpoint: AwsEndpoint;
let client: KMSClient;
beforeAll(async () => {
  const kms = await createKms(ACCOUNT);
  await kms.createKey({ keyId: 'seals', policy: { Statement: [] }, spec: 'ECC_NIST_P256' });
  endpoint = await startAwsEndpoint({
    ...ACCOUNT,
    services: [kms],
    issuedKey: () => ({ owner: 'administrator', secretAccessKey: 'test' }),
  });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  client = new KMSClient({ endpoint: endpoint.url, region: ACCOUNT.region, credentials });
});
afterAll(async () => {
  client.destroy();
  await endpoint.close();
});

sealSignerContract('in KMS', async () => ({
  signer: createSealSigner(client, 'seals'),
  publicKey: await sealPublicKey(client, 'seals'),
}));
