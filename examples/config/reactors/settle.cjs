/** Returns one line of the bank's file for each charge: only this code sees the numbers. */
module.exports = async ({ args, configuration }) => ({
  raw: args.charges.map(({ number, amount }) => [configuration.MERCHANT, number, amount].join(';')),
});
