import { parseTemplate } from '../../src/assembly/read-assembly.ts';
import { foreignLayers } from '../../src/lambda/foreign-layers.ts';

const layerFor = (...architectures: readonly string[]) => ({
  name: 'Reactors',
  template: parseTemplate({
    Resources: {
      Any: { Type: 'AWS::Lambda::LayerVersion', Properties: {} },
      Runtime: {
        Type: 'AWS::Lambda::LayerVersion',
        Properties: { CompatibleArchitectures: architectures },
      },
    },
  }),
});

it('names a layer for another processor', () => {
  expect(foreignLayers([layerFor('arm64')], 'x64')).toEqual([
    'Reactors: its layer Runtime is for arm64, and this machine is x86_64: functions with it do not run',
  ]);
  expect(foreignLayers([layerFor('arm64')], 'arm64')).toEqual([]);
  expect(foreignLayers([layerFor('arm64', 'x86_64')], 'x64')).toEqual([]);
});
