import { useState } from 'preact/hooks';
import { Choice } from '../parts/field.tsx';
import { NamedList } from '../parts/named-list.tsx';
import type { Reactor } from '../sdk.ts';
import { runtimeWords } from './runtime-words.ts';

const IMAGES = [
  ['', 'any'],
  ['node16', 'node16'],
  ['node24', 'node24'],
] as const;

const LAYERS = [
  ['', 'any'],
  ['true', 'outdated'],
  ['false', 'current'],
] as const;

export function ReactorsView() {
  const [image, setImage] = useState<(typeof IMAGES)[number][0]>('');
  const [outdated, setOutdated] = useState<(typeof LAYERS)[number][0]>('');
  return (
    <NamedList<Reactor>
      title="Reactors"
      path="reactors"
      createWords="New reactor"
      fetchPage={(client, query, signal) => {
        const ofImage = image === '' ? {} : { runtime: image };
        const ofLayer = outdated === '' ? {} : { outdated: outdated === 'true' };
        return client.reactors.list({ ...query, ...ofImage, ...ofLayer }, { signal });
      }}
      columns={[
        ['Acts as', ({ application }) => (application === undefined ? 'no application' : application.name)],
        ['Runs on', ({ runtime }) => runtimeWords(runtime)],
      ]}
      filters={
        <>
          <Choice label="Image" value={image} onChange={setImage} options={IMAGES} />
          <Choice label="Function" value={outdated} onChange={setOutdated} options={LAYERS} />
        </>
      }
      filtered={[image, outdated]}
      empty="A reactor is code of yours that the service runs on detokenized arguments: only it sees the data."
    />
  );
}
