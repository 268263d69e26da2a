// Stands in the place of a view that failed, with the reason and a way on.
export function brokenView(error: Error) {
  return (
    <div className="blank" role="alert">
      <h1>This view failed</h1>
      <p>{error.message}</p>
      <p>Your threads are saved.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload the page
      </button>
    </div>
  );
}
