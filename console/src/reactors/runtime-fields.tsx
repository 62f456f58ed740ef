import { Choice, TextField } from '../parts/field.tsx';
import { Copy } from '../parts/button.tsx';
import { Code, Instant } from '../parts/text.tsx';
import { shortened } from '../shortened.ts';
import type { Client, NewReactor, ReactorRuntime, RuntimeImage } from '../sdk.ts';
import { useLoad } from '../session/use-session.ts';
import { DeclaredPackages } from './packages-field.tsx';
import { runtimeWords } from './runtime-words.ts';

/** So many characters of a digest tell two bundles apart on one page. */
const DIGEST = 13;

/** An empty text is the default of the deployment. */
export interface EditedRuntime {
  readonly image: string;
  readonly warmConcurrency: string;
}

export const editedRuntime = (runtime: ReactorRuntime | undefined): EditedRuntime => ({
  image: runtime?.image ?? '',
  warmConcurrency: runtime === undefined ? '' : String(runtime.warm_concurrency),
});

/** A text that is no number goes to the service, which refuses it. */
export function runtimeOf({ image, warmConcurrency }: EditedRuntime): NonNullable<NewReactor['runtime']> {
  const warm = warmConcurrency.trim();
  const count = /^\d+$/.test(warm) ? Number(warm) : warm;
  const runtime = { image: image === '' ? null : image, warm_concurrency: warm === '' ? null : count };
  return runtime as NonNullable<NewReactor['runtime']>;
}

const loadImages = async (client: Client, signal: AbortSignal) =>
  (await client.reactors.runtimes({ signal })).data;

const wordsOf = ({ image, node_version: version, status }: RuntimeImage): string =>
  `${image}: Node.js ${version}${status === 'current' ? '' : `, ${status}`}`;

interface RuntimeFieldsProps {
  readonly edited: EditedRuntime;
  readonly onChange: (edited: EditedRuntime) => void;
}

export function RuntimeFields({ edited, onChange }: RuntimeFieldsProps) {
  const [images] = useLoad('management', loadImages, []);
  const offered = (images.value ?? []).filter(
    ({ image, status }) => status !== 'closed' || image === edited.image,
  );
  const known = new Map(offered.map((each) => [each.image, wordsOf(each)]));
  // It is not loaded yet, or may not be read.
  if (edited.image !== '' && !known.has(edited.image)) known.set(edited.image, edited.image);
  return (
    <>
      <Choice
        label="Image"
        value={edited.image}
        onChange={(image) => onChange({ ...edited, image })}
        options={[['', 'the default of the deployment'], ...known]}
        hint="Another image stops stored proxies that run this code, until they are written again."
      />
      <TextField
        label="Instances in advance"
        value={edited.warmConcurrency}
        onChange={(warmConcurrency) => onChange({ ...edited, warmConcurrency })}
        hint="They start before calls come, and cost money while they wait. Empty: the number of the deployment."
      />
    </>
  );
}

/** The packages that a reactor brings; nothing without any. */
const PackageFacts = ({ dependencies, bundle_digest: digest }: ReactorRuntime) =>
  dependencies === undefined || digest === undefined ? null : (
    <>
      <dt>Packages of its own</dt>
      <dd>
        <DeclaredPackages dependencies={dependencies} />
      </dd>
      <dt>Digest of its bundle</dt>
      <dd>
        <Code>{shortened(digest, DIGEST)}</Code> <Copy text={digest} what="the digest of the bundle" />
      </dd>
    </>
  );

/** Where a reactor runs, beside its other facts. */
export const RuntimeFacts = ({ runtime }: { readonly runtime: ReactorRuntime }) => (
  <>
    <dt>Runs on</dt>
    <dd>
      {runtimeWords(runtime)} (Node.js {runtime.node_version})
      {runtime.closes_at !== undefined && (
        <>
          , supported until <Instant iso={runtime.closes_at} />
        </>
      )}
    </dd>
    <dt>Instances in advance</dt>
    <dd>{runtime.warm_concurrency}</dd>
    <PackageFacts {...runtime} />
  </>
);
