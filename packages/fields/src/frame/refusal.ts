import type { Failure, FieldsErrorCode } from '../protocol.ts';

/** A request that the frame does not carry out. Its message has nothing that was typed. */
export class Refusal extends Error {
  readonly code: FieldsErrorCode;

  readonly fieldIds: readonly string[] | undefined;

  constructor(code: FieldsErrorCode, message: string, fieldIds?: readonly string[]) {
    super(message);
    this.code = code;
    this.fieldIds = fieldIds;
  }
}

export const failureOf = ({ code, message, fieldIds }: Refusal): Failure => ({
  code,
  message,
  ...(fieldIds !== undefined && { fieldIds }),
});
