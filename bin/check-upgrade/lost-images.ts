import { z } from 'zod';
import type { Stack } from '../../packages/local-aws/src/assembly/read-assembly.ts';
import type { Finding } from '../../packages/local-aws/src/deployment/finding.ts';

/** Versions before there were images have another variable, and one Node.js. */
const variables = z.looseObject({
  Environment: z.looseObject({
    Variables: z.union([
      z.looseObject({ REACTOR_LAYER_HASHES: z.string() }),
      z.looseObject({ REACTOR_LAYER_HASH: z.string() }),
    ]),
  }),
});

/** The images that code of reactors can run on in some stacks; none without reactors. */
function imagesIn(stacks: readonly Stack[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, template } of stacks)
    for (const { Type, Properties } of Object.values(template.Resources)) {
      const parsed = Type === 'AWS::Lambda::Function' ? variables.safeParse(Properties).data : undefined;
      if (parsed === undefined) continue;
      const { REACTOR_LAYER_HASHES: hashes } = parsed.Environment.Variables;
      const images =
        typeof hashes === 'string' ? hashes.split(',').map((each) => each.split('=')[0]) : ['node16'];
      for (const image of images) if (image !== undefined && !found.has(image)) found.set(image, name);
    }
  return found;
}

/**
 * Finds images that the version to deploy does not know, and the deployed one does: it would drop
 * the image of each reactor that it changes.
 */
export function lostImages(deployed: readonly Stack[], next: readonly Stack[]): readonly Finding[] {
  const known = imagesIn(next);
  if (known.size === 0) return [];
  return [...imagesIn(deployed)].flatMap(([image, stack]): readonly Finding[] =>
    known.has(image)
      ? []
      : [
          {
            kind: 'data_lost',
            stack,
            subject: `image ${image}`,
            what: 'this version does not know it, and drops the image of each reactor that it changes.',
            remedy: `Deploy it only if no reactor has it: cloakroom operator list-reactors --image ${image}`,
          },
        ],
  );
}
