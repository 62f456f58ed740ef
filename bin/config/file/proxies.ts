import type { DesiredProxy, DesiredValue } from '../model.ts';
import { isJsonObject, jsonObject, type Json, type JsonObject } from '../../../src/core/shared/json.ts';
import { TemplateFields } from '../../../src/core/expressions/template-fields.ts';
import { checkTransform } from '../../../src/core/stored-proxies/check-transform.ts';
import { tokenInputParser } from '../../../src/http/parse-token-input.ts';
import { createProxyBody, newProxyOf } from '../../../src/wire/proxy.ts';
import { checkedBody, itemsOf, membersOf, memberText, reported, type Entry } from './entry.ts';
import { keysOf, type TargetUse } from './keys.ts';
import { SOME_ID, type References } from './references.ts';
import { valuesOf } from './values.ts';

/** The members of a proxy that the API takes, and the file has in the same form. */
const OF_WIRE = [
  ...(['name', 'destination_url', 'methods', 'paths'] as const),
  ...(['request_transforms', 'response_transforms', 'pass_headers', 'require_auth'] as const),
  ...(['source_addresses', 'client_certificate', 'timeout'] as const),
] as const;
export const PROXY_MEMBERS = ['adopt', ...OF_WIRE, 'application', 'configuration', 'keys'] as const;

const SIDES = ['request_transforms', 'response_transforms'] as const;

/** Transforms as the API has them, with an id in place of the reference to a reactor. */
const withIds = (transforms: Json): Json =>
  Array.isArray(transforms)
    ? (transforms as readonly Json[]).map((transform): Json => {
        if (!isJsonObject(transform) || transform['type'] !== 'reactor') return transform;
        const { reactor, ...rest } = transform;
        return reactor === undefined ? rest : { ...rest, reactor_id: SOME_ID };
      })
    : transforms;

function noteReferences(entry: Entry, references: References): void {
  for (const side of SIDES)
    itemsOf(entry, side).forEach((transform, at) => {
      if (transform.kind !== 'map') return;
      const path = `${entry.path}.${side}[${String(at)}].reactor`;
      const id = transform.entries.get('reactor_id');
      if (id !== undefined) entry.problems.report(id.position, `${path}_id is \`reactor\` in the file`);
      references.add('reactors', transform.entries.get('reactor')?.tree, path, entry);
    });
}

/**
 * The checks read this value in place of one that only an apply reads. It can be a secret of every
 * scheme of signatures, also in hex and base64.
 */
const PLACEHOLDER = { value: 'a'.repeat(64), public: true };

const shapeOf = (values: ReadonlyMap<string, DesiredValue>): JsonObject =>
  jsonObject(
    [...values].map(([name, { source }]) => [
      name,
      source.kind === 'literal' ? { value: source.text, public: true } : PLACEHOLDER,
    ]),
  );

/**
 * Throws what the service refuses of the transforms of a proxy, apart from what only it knows:
 * prefixes of headers, reactors, and which ends of tokens are old.
 */
async function checkTransforms({ draft, configuration }: ReturnType<typeof newProxyOf>): Promise<void> {
  const fields = new TemplateFields(() => 0);
  const around = {
    fields,
    configuration: configuration.reveal(),
    isReserved: () => false,
    parseTokenInput: tokenInputParser('strict'),
    clock: () => 0,
  };
  for (const [side, transforms] of [
    ['request_transforms', draft.requestTransforms],
    ['response_transforms', draft.responseTransforms],
  ] as const)
    for (const [at, transform] of transforms.entries())
      await checkTransform(
        transform,
        { ...around, isRequest: side === 'request_transforms', isFirst: at === 0 },
        (member, problem) => {
          const path = `${side}[${String(at)}]`;
          fields.report(member === '' ? path : `${path}.${member}`, problem);
        },
      );
  fields.throwIfFailed();
}

async function checkProxy(body: Parameters<typeof newProxyOf>[0], entry: Entry): Promise<void> {
  const made = reported(entry, () => newProxyOf(body, { clientCompatibility: 'strict' }));
  if (made === undefined) return;
  try {
    await checkTransforms(made);
  } catch (error) {
    reported(entry, () => {
      throw error;
    });
  }
}

export async function proxyOf(
  entry: Entry,
  references: References,
  use: TargetUse,
): Promise<DesiredProxy | undefined> {
  const members = membersOf(entry, OF_WIRE);
  const configuration = valuesOf(entry, true);
  const application = references.ofMember('applications', entry, 'application');
  const sent = {
    ...members,
    ...Object.fromEntries(
      SIDES.flatMap((side) => {
        const transforms = members[side];
        return transforms === undefined ? [] : [[side, withIds(transforms)]];
      }),
    ),
    configuration: shapeOf(configuration),
    ...(application !== undefined && { application: { id: SOME_ID } }),
  };
  const body = checkedBody(createProxyBody, sent, entry);
  if (body !== undefined) await checkProxy(body, entry);
  noteReferences(entry, references);
  const keys = keysOf(entry, use);
  const adopt = memberText(entry, 'adopt');
  if (body === undefined) return undefined;
  const { name, destination_url: destinationUrl } = body;
  return {
    ...(members as Partial<Pick<DesiredProxy, Exclude<(typeof OF_WIRE)[number], 'name'>>>),
    ...(adopt !== undefined && { adopt }),
    ...(application !== undefined && { application }),
    name,
    destination_url: destinationUrl,
    configuration,
    keys,
  };
}
