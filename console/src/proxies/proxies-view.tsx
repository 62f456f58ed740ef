import { NamedList } from '../parts/named-list.tsx';
import type { StoredProxy } from '../sdk.ts';

export const ProxiesView = () => (
  <NamedList<StoredProxy>
    title="Proxies"
    path="proxies"
    createWords="New proxy"
    fetchPage={(client, query, signal) => client.proxies.list(query, { signal })}
    columns={[['Destination', ({ destination_url: url }) => url]]}
    empty="A stored proxy writes a destination down, with secrets that its callers never see: a payment provider, a partner."
  />
);
