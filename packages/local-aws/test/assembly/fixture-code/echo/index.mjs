import process from 'node:process';
import { setTimeout } from 'node:timers/promises';

// Answers with the event it got, or does what the query string asks for.
export async function handler(event, context) {
  const wanted = event.queryStringParameters ?? {};
  if (wanted.throw !== undefined) throw new TypeError(wanted.throw);
  if (wanted.wait !== undefined) await setTimeout(Number(wanted.wait));
  const answer = {
    event,
    environment: process.env,
    context: { ...context, remaining: context.getRemainingTimeInMillis() },
  };
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}
