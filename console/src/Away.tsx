/** Before any text was loaded there is only this one, in English. */
export function Away({ onRetry }: { onRetry: () => void }) {
  return (
    <main role="alert">
      <p>The server does not answer.</p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}
