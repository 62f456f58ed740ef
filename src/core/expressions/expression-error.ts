/**
 * Explains why an expression cannot be parsed or evaluated. The message never contains data, since
 * the text of an expression may be sensitive: it quotes at most punctuation and an unknown filter's
 * name.
 */
export class ExpressionError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ExpressionError';
  }
}
