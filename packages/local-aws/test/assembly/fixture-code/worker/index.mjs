import console from 'node:console';

export async function handler({ Records }) {
  for (const { body } of Records) console.log(`worked on ${body}`);
}
