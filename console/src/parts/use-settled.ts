import { useEffect, useState } from 'preact/hooks';

const SETTLED_MS = 300;

/** A text once its typing pauses, so that each letter is no call. */
export function useSettled(text: string, afterMs = SETTLED_MS): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
