/** Returns code that tries each expression, and returns its value or the code of its error. */
export const trying = (prelude: string, attempts: string) => `module.exports = async (req) => {
  ${prelude}
  const outcomes = {};
  for (const [name, attempt] of Object.entries(${attempts})) {
    try { const got = await attempt(); outcomes[name] = 'GOT ' + String(got).slice(0, 60) } catch (error) { outcomes[name] = (error && (error.code || error.message)) || 'refused' }
  }
  return outcomes;
}`;

/** Returns the attempts of {@link trying} that got something. */
export const got = (outcomes: Record<string, string>) =>
  Object.entries(outcomes).filter(([, outcome]) => outcome.startsWith('GOT'));
