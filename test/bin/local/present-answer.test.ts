import { presentAnswer } from '../../../bin/local/present-answer.ts';
import { gatewayAnswers } from '../../../packages/local-aws/src/gateway/gateway-answers.ts';

it.each(Object.entries(gatewayAnswers))(
  'shows the answer %s with the title and status of the contract',
  (_name, answer) => {
    const { message } = JSON.parse(answer.body) as { readonly message: string };
    const shown = presentAnswer(answer);
    expect(shown.status).toBe(answer.status);
    expect(JSON.parse(shown.body)).toEqual({ title: message, status: answer.status, message });
  },
);

it('adds Retry-After to a 429 alone, as the edge does', () => {
  const names = Object.values(gatewayAnswers).map((answer) => Object.keys(presentAnswer(answer).headers));
  const late = Object.values(gatewayAnswers).filter((_, index) => names[index]?.includes('retry-after'));
  expect(late).toEqual([gatewayAnswers.throttled]);
});
