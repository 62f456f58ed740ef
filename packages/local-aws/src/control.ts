/** Reaches the AWS endpoint of a local account as its administrator. */
export interface LocalAdministrator {
  readonly aws_endpoint_url: string;
  readonly aws_region: string;
  readonly aws_access_key_id: string;
  readonly aws_secret_access_key: string;
}

/**
 * Sends a request to one of the local account's own paths, such as `clock`, and returns the JSON of
 * its response. Throws an Error with the response for any other status than 200.
 */
export async function control(
  {
    aws_endpoint_url,
    aws_access_key_id,
    aws_secret_access_key,
  }: Pick<LocalAdministrator, 'aws_endpoint_url' | 'aws_access_key_id' | 'aws_secret_access_key'>,
  path: string,
  init: { readonly method?: string; readonly body?: string } = {},
): Promise<unknown> {
  const key = Buffer.from(`${aws_access_key_id}:${aws_secret_access_key}`).toString('base64');
  const response = await fetch(`${aws_endpoint_url}/_local/${path}`, {
    ...init,
    headers: { authorization: `Basic ${key}` },
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** Settings of an AWS client that acts as this administrator. */
export function administratorSettings(credentials: LocalAdministrator) {
  const {
    aws_endpoint_url: endpoint,
    aws_region: region,
    aws_access_key_id,
    aws_secret_access_key,
  } = credentials;
  return {
    endpoint,
    region,
    credentials: { accessKeyId: aws_access_key_id, secretAccessKey: aws_secret_access_key },
  };
}
