import * as z from 'zod/mini';
import { madeOnce } from '../core/shared/made-once.ts';
import { unionOf, type Variants } from './proxy-transform-schemas.ts';

/** Describes the members of the types in the OpenAPI document. */
const WORDS: Readonly<Record<keyof Variants, Readonly<Record<string, string>>>> = {
  AppendHeader: {
    name: 'The header.',
    value: 'May contain `{{ configuration.NAME }}`, and in requests detokenization expressions.',
  },
  AppendJson: {
    location: 'A JSONPath to one value, such as `$.card.number`.',
    value: 'Any JSON. In requests it may contain detokenization expressions.',
  },
  RemoveHeader: { name: 'The header.' },
  AllowHeaders: { names: 'All other headers are removed.' },
  Tokenize: {
    location: 'A JSONPath, also to several values: `$.cards[*]`, `$.cards[-1]`.',
    token:
      'The body of a request to create a token. Without `data`, the value at `location` is the data; expressions of `data` read it as `found`.',
    optional: 'With true, a body without the location passes. By default false.',
    otherwise:
      'In answers: with `pass`, the body of a status that it does not run for passes. By default nothing of it does.',
  },
  Mask: {
    replacement: 'The text that takes the place of each match.',
    location: 'A JSONPath to one value, such as `$.card.number`.',
    matcher: 'Instead of `location`: what to find in any text.',
    expression: 'Of the matcher `regex`: a regular expression in the syntax of RE2.',
    required: 'With true, an answer with a 2xx status that has nothing to mask fails. By default false.',
  },
  Reactor: {
    reactor_id: 'The reactor whose code runs.',
    code_hash:
      'Names the code that the transform runs and its image, in hexadecimal: SHA-256 of the code on node16.',
    as: 'With `text`, the code gets and returns the bytes of the body as they are. By default `json`.',
  },
  VerifySignature: {
    scheme: 'How the sender signs.',
    configuration: 'The name of the secret in `configuration`.',
  },
  VerifyHmac: {
    scheme: 'How a sender signs that follows none of the other schemes.',
    configuration: 'The name of the secret in `configuration`.',
    header: 'The header that has the signature.',
    algorithm: 'The hash function.',
    encoding: 'How the signature is written.',
    key_encoding: 'How the secret is written; by default `utf8`.',
    prefix: 'Stands before the signature, such as `sha256=`.',
    signed: 'What is signed, with `{body}`, `{header:NAME}`, `{timestamp}` and `{url}`; by default `{body}`.',
    timestamp:
      'The header that has the time, in seconds since the epoch, and how far it may be from now: 1 to 3,600 s; by default 300.',
    delivery: 'What identifies a delivery: a signed header, or by default the hash of the `body`.',
  },
};

const WORDS_OF_ALL: Readonly<Record<string, string>> = {
  type: 'Decides which members the transform has.',
  statuses:
    'In answers: the statuses for which the transform runs. By default `2xx` for `append_json` and `tokenize`, else `any`.',
};

/** Makes the schema of a type a component of the OpenAPI document, and describes its members. */
function described<T extends z.ZodMiniObject>(schema: T, name: keyof Variants): T {
  const shape = Object.fromEntries(
    Object.entries(schema.shape as Readonly<Record<string, z.ZodMiniType>>).map(([member, inner]) => {
      const description = WORDS[name][member] ?? WORDS_OF_ALL[member];
      if (description === undefined) throw new Error(`openapi: no words describe ${member} of ${name}`);
      return [member, inner.check(z.meta({ description }))];
    }),
  );
  return z.object(shape).check(z.meta({ id: `${name}Transform` })) as unknown as T;
}

/** The form that a transform has (docs/contract.md#transforms-of-a-proxy). */
export const transformResponse = /* @__PURE__ */ madeOnce(() =>
  unionOf(described).check(z.meta({ id: 'ProxyTransform', description: 'One of eight, by its `type`.' })),
);
