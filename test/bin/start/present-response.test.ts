import { presentResponse } from '../../../bin/start/present-response.ts';
import { gatewayResponses } from '../../../packages/local-aws/src/gateway/gateway-responses.ts';

it.each(Object.entries(gatewayResponses))(
  'shows the response %s with the title and status of the contract',
  (_name, response) => {
    const { message } = JSON.parse(response.body) as { readonly message: string };
    const shown = presentResponse(response);
    expect(shown.status).toBe(response.status);
    expect(JSON.parse(shown.body)).toEqual({ title: message, status: response.status, message });
  },
);

it('adds Retry-After to a 429 only, like the edge', () => {
  const names = Object.values(gatewayResponses).map((response) =>
    Object.keys(presentResponse(response).headers),
  );
  const late = Object.values(gatewayResponses).filter((_, index) => names[index]?.includes('retry-after'));
  expect(late).toEqual([gatewayResponses.throttled]);
});
