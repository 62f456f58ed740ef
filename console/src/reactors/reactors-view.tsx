import type { Reactor } from '../sdk.ts';
import { NamedList } from '../parts/named-list.tsx';

export const ReactorsView = () => (
  <NamedList<Reactor>
    title="Reactors"
    path="reactors"
    createWords="New reactor"
    fetchPage={(client, query, signal) => client.reactors.list(query, { signal })}
    detail={({ application }) => (application === undefined ? 'no application' : application.name)}
    detailTitle="Acts as"
    empty="A reactor is code of yours that the service runs on detokenized arguments: only it sees the data."
  />
);
