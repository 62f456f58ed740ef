/**
 * Why an expression cannot be parsed or evaluated. The message names the reason only: never the
 * text of the expression (it may hold a value) and never data.
 */
export class ExpressionError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ExpressionError';
  }
}
