import { createClient, type Client } from '../src/index.ts';
import { withService, type Reply } from './a-service.ts';

export const url = 'https://api.example.com/v1';
export const RESPONDED = { status: 200, headers: { 'SVC-PROXY-DESTINATION-STATUS': '200' } };
/** The outcome of a call of a client, and the requests that it sent. */
export const calling = async (call: (client: Client) => Promise<unknown>, replies: readonly Reply[] = []) =>
  withService(replies, async (baseUrl, received) => {
    const outcome = await call(createClient({ baseUrl, apiKey: 'key_private_x' })).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ value: undefined, error: error as any }),
    );
    return { ...outcome, received };
  });

/** The error of a call that must not send a request. */
export async function refused(call: (client: Client) => Promise<unknown>): Promise<TypeError> {
  const { error, received } = await calling(call);
  expect(error).toBeInstanceOf(TypeError);
  expect(received).toEqual([]);
  return error as TypeError;
}
