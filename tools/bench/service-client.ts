/** Requests to a service under one key. Rejects with what the service says when it does not succeed. */
export type ServiceClient = <T>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

export function serviceClient(baseUrl: string, key: string): ServiceClient {
  return async <T>(method: string, path: string, body?: unknown, more = {}): Promise<T> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'SVC-API-KEY': key, ...(body !== undefined && { 'Content-Type': type }), ...more },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
}
