import { z } from 'zod';
import type { PolicyDocument, PolicyStatement } from '../aws-service.ts';

const oneOrMany = z.union([z.string(), z.array(z.string())]);

const statement = z
  .strictObject({
    Sid: z.string().optional(),
    Effect: z.enum(['Allow', 'Deny']),
    Action: oneOrMany.optional(),
    NotAction: oneOrMany.optional(),
    Resource: oneOrMany.optional(),
    NotResource: oneOrMany.optional(),
    Principal: z.unknown().optional(),
    Condition: z
      .record(z.string(), z.record(z.string(), z.union([oneOrMany, z.boolean().transform(String)])))
      .optional(),
  })
  // The cast drops `undefined` from optional members, which zod adds and JSON cannot represent.
  .transform((value) => value as PolicyStatement);

/** An IAM policy document with resolved references. */
export const policyDocument: z.ZodType<PolicyDocument> = z
  .object({
    Version: z.string().optional(),
    Statement: z.union([z.array(statement), statement.transform((one) => [one])]),
  })
  .transform((value) => value as PolicyDocument);
