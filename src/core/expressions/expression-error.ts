/**
 * Why an expression cannot be parsed or evaluated. The message names the reason only: of the text
 * of the expression, which may hold a value, at most the word of an unknown filter; never data.
 */
export class ExpressionError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ExpressionError';
  }
}
