/**
 * Why an expression cannot be parsed or evaluated. The message names the reason only: of the text
 * of the expression (it may hold a value) the word of an unknown filter at the most, and never data.
 */
export class ExpressionError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ExpressionError';
  }
}
