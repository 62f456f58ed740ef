import type { Problem } from '../problem.ts';
import { Button } from './button.tsx';
import { Code, Text } from './text.tsx';

/** A failure in the words of the service, and what a person can do. */
export const ProblemBox = ({
  problem,
  onRetry,
}: {
  readonly problem: Problem | undefined;
  readonly onRetry?: () => void;
}) =>
  problem === undefined ? null : (
    <div class="problem" role="alert">
      <p>
        <strong>
          <Text>{problem.title}</Text>
        </strong>
        {problem.detail !== '' && (
          <>
            {': '}
            <Text>{problem.detail}</Text>
          </>
        )}
      </p>
      {problem.fields.length > 0 && (
        <ul>
          {problem.fields.map(([path, messages]) => (
            <li key={path}>
              <Code>{path}</Code> <Text>{messages}</Text>
            </li>
          ))}
        </ul>
      )}
      {problem.traceId !== undefined && (
        <p class="muted">
          In the logs: <Code>{problem.traceId}</Code>
        </p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
