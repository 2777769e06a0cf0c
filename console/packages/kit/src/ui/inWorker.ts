/**
 * Has a worker do one piece of work and hands out what it answers, or null when it took too long or failed.
 * Returns what gives it up.
 */
export function inWorker<Work, Answer>(
  start: () => Worker,
  work: Work,
  patienceMs: number,
  onAnswer: (answer: Answer | null) => void,
): () => void {
  const worker = start();
  const end = (answer: Answer | null) => {
    stop();
    onAnswer(answer);
  };
  const timer = setTimeout(() => end(null), patienceMs);
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  worker.onmessage = ({ data }: MessageEvent<Answer>) => end(data);
  worker.onerror = () => end(null);
  worker.postMessage(work);
  return stop;
}
