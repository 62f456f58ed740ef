import { createHash, createHmac } from 'node:crypto';
import process from 'node:process';

const hash = (text) => createHash('sha256').update(text).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

// Counts a guest's visits. A call that is signed without the SDK, which is not part of the test.
export async function handler({ rawPath }) {
  const env = process.env;
  const body = JSON.stringify({
    TableName: env.TABLE,
    Key: { guest: { S: rawPath } },
    UpdateExpression: 'ADD visits :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
    ReturnValues: 'UPDATED_NEW',
  });
  const date = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const signed = {
    'content-type': 'application/x-amz-json-1.0',
    host: new globalThis.URL(env.AWS_ENDPOINT_URL).host,
    'x-amz-date': date,
    'x-amz-security-token': env.AWS_SESSION_TOKEN,
    'x-amz-target': 'DynamoDB_20120810.UpdateItem',
  };
  const names = Object.keys(signed).join(';');
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const scope = [date.slice(0, 8), env.AWS_REGION, 'dynamodb', 'aws4_request'];
  const request = ['POST', '/', '', lines.join(''), names, hash(body)].join('\n');
  const key = scope.reduce(hmac, `AWS4${env.AWS_SECRET_ACCESS_KEY}`);
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), hash(request)].join('\n');
  const answer = await globalThis.fetch(env.AWS_ENDPOINT_URL, {
    method: 'POST',
    headers: {
      ...signed,
      authorization: `AWS4-HMAC-SHA256 Credential=${env.AWS_ACCESS_KEY_ID}/${scope.join('/')}, SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`,
    },
    body,
  });
  const { Attributes, __type: failure } = await answer.json();
  return { visits: Attributes?.visits.N, failure };
}
