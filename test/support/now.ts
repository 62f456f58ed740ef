/** The time in tests for which none passes. */
export const NOW = Date.now();
