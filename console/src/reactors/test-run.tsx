import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { ProblemBox } from '../parts/problem-box.tsx';
import { JsonText } from '../parts/text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { askLocal } from '../session/local-server.ts';
import { KeyForm } from '../sign-in/sign-in.tsx';
import { useAction, useSession, useSessionState } from '../session/use-session.ts';
import { isAborted, type Problem } from '../problem.ts';
import { clockTime } from '../instant.ts';
import { parsedJson } from '../json-input.ts';
import type { Json, ReactorResponse } from '../sdk.ts';

const POLL_MS = 1_000;

interface OutputLine {
  readonly number: number;
  readonly at: string;
  readonly text: string;
}

/** The code printed this on this machine. On AWS the output is discarded (docs/reactors.md). */
function Output({ reactorId }: { readonly reactorId: string }) {
  const session = useSession();
  const [lines, setLines] = useState<readonly OutputLine[]>([]);
  const [problem, setProblem] = useState<string | undefined>();
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const abort = new AbortController();
    let after = 0;
    const poll = async () => {
      const path = `reactors/${encodeURIComponent(reactorId)}/output?after=${String(after)}`;
      const { lines: added } = await askLocal<{ readonly lines: readonly OutputLine[] }>(
        session,
        path,
        abort.signal,
      );
      if (added.length === 0 || abort.signal.aborted) return;
      after = added.at(-1)?.number ?? after;
      setLines((before) => [...before, ...added].slice(-200));
    };
    const timer = setInterval(() => {
      poll().catch((error: unknown) => {
        if (isAborted(error)) return;
        setProblem(error instanceof Error ? error.message : 'The output cannot be read.');
        clearInterval(timer);
      });
    }, POLL_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
    };
  }, [session, reactorId]);
  useEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight;
  }, [lines]);
  return (
    <>
      <h3>Printed on this machine</h3>
      {problem !== undefined && <p class="muted">{problem}</p>}
      {problem === undefined && lines.length === 0 && (
        <p class="muted">Nothing yet. What the code writes to the console appears here.</p>
      )}
      {lines.length > 0 && (
        <pre ref={end} class="json" tabIndex={0} role="log" aria-label="Output of the code">
          {lines.map(({ at, text }) => `${clockTime(at)} ${visibleText(text)}\n`)}
        </pre>
      )}
    </>
  );
}

interface TestRunProps {
  readonly reactorId: string;
  /** The editor has code that no run uses yet. */
  readonly isUnsaved: boolean;
  readonly onProblem: (problem: Problem | undefined) => void;
}

export function TestRun({ reactorId, isUnsaved, onProblem }: TestRunProps) {
  const { service } = useSession();
  const { access } = useSessionState();
  const [args, setArgs] = useState('{\n  "card": "{{ <token id> }}"\n}');
  const [result, setResult] = useState<ReactorResponse | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const action = useAction();
  const client = access.private?.client;
  useEffect(() => onProblem(action.problem), [action.problem]);
  const run = async () => {
    const parsed = parsedJson(args);
    setResult(undefined);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('problem' in parsed || client === undefined) return;
    setResult(
      await client.reactors.react(reactorId, { args: parsed.value as { readonly [name: string]: Json } }),
    );
  };
  return (
    <>
      {client === undefined ? (
        <div class="notice">
          <p>
            A run acts with a private key that has <code>token:use</code>. Add one to this tab:
          </p>
          <KeyForm words="Add this key" hint="It stays in this tab alone." kind="private" />
        </div>
      ) : (
        <form
          class="form is-wide"
          onSubmit={(event) => {
            event.preventDefault();
            action.run(run);
          }}
        >
          <TextField
            label="Arguments"
            value={args}
            onChange={setArgs}
            problem={problem}
            lines={5}
            hint="JSON. Expressions such as {{ <token id> }} become plaintext for the code; the trail records the use. The saved code runs."
            isMachineText
          />
          <ProblemBox problem={action.problem} />
          <div class="row">
            <Button isBusy={action.isRunning}>Run</Button>
            {isUnsaved && (
              <span class="muted">The edit above is not saved: the run uses the code before it.</span>
            )}
          </div>
          {result !== undefined && <h3>Result</h3>}
          {result !== undefined && <JsonText value={result} label="Result of the run" />}
        </form>
      )}
      {service.local && <Output reactorId={reactorId} />}
    </>
  );
}
