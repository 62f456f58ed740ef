import { dependencies as sealerDeps } from '../../functions/audit-sealer/dependencies.ts';
import { runSealer } from '../../functions/audit-sealer/run-sealer.ts';
import { dependencies as operatorDeps } from '../../functions/operator/dependencies.ts';
import { runCommand } from '../../functions/operator/run-command.ts';
import { dependencies as accessDeps } from '../../functions/operator-access/dependencies.ts';
import { runCommand as runAccessCommand } from '../../functions/operator-access/run-command.ts';
import type { FunctionDefinition } from '../../packages/testing/src/functions.ts';

/** The functions that no vault has, composed as their `index.ts` compose them. */
export const OPERATING_FUNCTIONS = {
  'audit-sealer': {
    timeoutMs: 58_000,
    start: (env, instance) => {
      const deps = sealerDeps(env, instance);
      return (_event, context) => runSealer(deps, context.getRemainingTimeInMillis());
    },
  },
  operator: {
    timeoutMs: 300_000,
    start: (env, instance) => {
      const deps = operatorDeps(env, instance);
      return (payload) => runCommand(deps, payload);
    },
  },
  'operator-access': {
    timeoutMs: 300_000,
    start: (env, instance) => {
      const deps = accessDeps(env, instance);
      return (payload) => runAccessCommand(deps, payload);
    },
  },
} as const satisfies Readonly<Record<string, FunctionDefinition>>;
