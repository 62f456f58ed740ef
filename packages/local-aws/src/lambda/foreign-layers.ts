import type { Stack } from '../assembly/read-assembly.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { arm64: 'arm64', x64: 'x86_64' };

/**
 * Describes the layers of an app that are for another processor than that of this machine, one in a
 * line: functions that are made with them fail.
 */
export function foreignLayers(stacks: readonly Stack[], arch: string = process.arch): readonly string[] {
  const own = ARCHITECTURES[arch] ?? arch;
  return stacks.flatMap(({ name, template }) =>
    Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) => {
      const { CompatibleArchitectures: made = [own] } = Properties;
      if (Type !== 'AWS::Lambda::LayerVersion' || !Array.isArray(made) || made.includes(own)) return [];
      return [
        `${name}: its layer ${id} is for ${made.join(' and ')}, and this machine is ${own}: functions with it do not run`,
      ];
    }),
  );
}
