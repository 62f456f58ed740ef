/** Code that wraps can be read on a phone, and needs no focus to scroll. */
export default { defaultProps: { wrap: true, preserveIndent: true } };
